r"""A decoder of one layer and one head that computes a Boolean circuit, gate by gate.

After "Guiding transformers to process in steps" (2022, section 4, which leaves the choice of a gate
by position to the reader). The circuit is laid out as a sequence: its inputs, then one symbol for
each gate. Position i predicts symbol i + 1; b is the number of positions, d the width.

Idea. A symbol is +1 or -1 in one coordinate, `value`, and a position is a coordinate of its own. So
position i, which encodes its own index, can query the positions of the gate's one or two sources,
and the mean of their values,

    m in {-1, 0, 1} (two sources), m in {-1, 1} (one source, or twice the same),

determines the gate's value. Attention reads a number a near m. The feed-forward network turns it
into a number y whose sign is the gate's value:

    AND   a - 1/2       OR    a + 1/2       XOR   1/2 - |a|
    NAND  1/2 - a       NOR  -a - 1/2       NOT  -a             CONST0, CONST1   -1/2, 1/2

Exactness. Every vector comes with its negative, or is balanced: the mean of all coordinates is 0 at
every step, so each layer norm multiplies a vector by one positive number, and there are no biases.

1. The embedding is (value, -value, position i, balance) = (v, -v, 1, -1): the sum of the squares is
   4, and the first norm multiplies by r1 = 1/sqrt(4/d + eps) at every position. Queries and values
   are divided by it, so the logit is C = log(15 b) at the sources and 0 elsewhere, and the value is
   v.
2. Let L be the attention that goes to other positions than the sources. Position i sees i + 1 <= b
   positions, so L <= i / (exp(C) + i) <= i / (15 b + i) <= 1/16 with one source, and less with two.
   Both have the same logit, so a = (1 - L) m + L m' with m' in [-1, 1]: a is in [-1, 1], and

       |a - m| <= L (1 + |m|):   |a| <= 1/16 if m = 0,   |a| >= 7/8, with the sign of m, otherwise.

   A constant attends to all positions alike, and a is any number in [-1, 1].
3. Hence y has the sign of the gate's value, and |y| >= 3/8. (AND: if m = 1, y >= 7/8 - 1/2; if
   m = 0, y <= 1/16 - 1/2; if m = -1, y <= -7/8 - 1/2. NAND, OR and NOR by symmetry. XOR:
   1/2 - 1/16 and 1/2 - 7/8. NOT: 7/8. AND, OR, NAND and NOR of x and x have m = -1 or 1, and the
   rows above hold; so does XOR, which is 0 then.)
4. The second norm multiplies (the embedding, a, -a) by r2 = 1/sqrt((4 + 2 a^2)/d + eps). The hidden
   units are relu(1 + a), relu(1 - a), relu(a), relu(-a), in which 1 is the coordinate of the
   position, and 2 is subtracted at all positions whose gate does not use the unit: there it is 0.
   The offsets, such as -3/2 for AND = (1 + a) - 3/2, are two more units. A network without biases
   multiplies its output by r2 when its input is multiplied: it adds (r2 y, -r2 y) at `answer`.
5. The third norm divides by sqrt((4 + 2 a^2 + 2 r2^2 y^2)/d + eps). With A = (4 + 2 a^2)/d + eps,
   which is at most 6/d + eps, the answer becomes

       y / sqrt(A) / sqrt(A + 2 y^2 / (d A)) = y / sqrt(A^2 + 2 y^2 / d),

   whose size grows with |y| and falls with A, so it is at least
   B = (3/8) / sqrt((6/d + eps)^2 + (2/d) (3/8)^2).
6. The two logits are -g and g times the answer, with g = log((1 - e)/e) / (2 B), e = error / 2.
   Their difference is at least log((1 - e)/e) in favour of the right symbol, so P(correct) is at
   least 1 - error / 2, if all symbols so far are right; by induction, they are. The half that is
   not used covers the rounding of float64. QED

In shorter formats the weights and all that is computed from them are rounded more, but every number
above is of order one, or d^(1/2), and the signs of step 3 have room: the decoding stays right in
float16 and bfloat16, and the margin is measured.

Positions whose next symbol is an input have no query and use no unit: both symbols are equally
likely.

Axes:
    symbol  0 and 1
    width   numbers in a vector of the residual stream
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import torch

from lengthwise.circuits.gate_sequence import GateSequence, GateStep
from lengthwise.constructions.coordinates import Coordinates
from lengthwise.constructions.weights import (
    count_parameters,
    require_epsilon,
    set_unit,
    zero_weights,
)
from lengthwise.errors import ConstructionError
from lengthwise.layers.attention import Attention
from lengthwise.layers.encodings import LearnedPosition
from lengthwise.messages import format_count
from lengthwise.models.decoder import Decoder, DecoderConfig

NAMES = ("value", "-value", "balance", "read", "-read", "answer", "-answer")
"""Coordinates of the stream besides the positions."""

LEAK = 1 / 16
"""Largest attention weight on other positions than the sources: L."""

MIN_ANSWER = 1 / 2 - 2 * LEAK
"""Least |y|."""

ELSEWHERE = -2.0
"""Bias of a unit at positions whose gate does not use it; |a| <= 1 cannot make up for it."""

MIN_ERROR = 2.0**-52
"""Least error that float64 can distinguish from 0 in 1 - error, with half of it left for rounding.
"""

MAX_EPSILON = 1e3
"""Largest epsilon. Above 1e5 float16 overflows; above 1e31 the last norm rounds its mean to more
than the answer.
"""

MAX_SYMBOLS = 2**13
"""Largest number of symbols: queries, keys and values are matrices with an entry for every two
positions.
"""

MAX_PARAMETERS = 250_000_000
"""Largest number of parameters: 2 GB in float64."""


class _Unit(NamedTuple):
    """A hidden unit relu(slope a + height) whose output counts `weight` times."""

    slope: float
    height: float
    weight: float


UNITS: Mapping[str, _Unit] = {
    "rise": _Unit(slope=1.0, height=1.0, weight=1.0),
    "fall": _Unit(slope=-1.0, height=1.0, weight=1.0),
    "right": _Unit(slope=1.0, height=0.0, weight=-1.0),
    "left": _Unit(slope=-1.0, height=0.0, weight=-1.0),
}


class GateFormula(NamedTuple):
    """The number y of a gate, as a sum of units and an offset."""

    units: tuple[str, ...]
    offset: float


GATE_FORMULAS: Mapping[str, GateFormula] = {
    "AND": GateFormula(("rise",), -3 / 2),
    "OR": GateFormula(("rise",), -1 / 2),
    "NAND": GateFormula(("fall",), -1 / 2),
    "NOR": GateFormula(("fall",), -3 / 2),
    "NOT": GateFormula(("fall",), -1.0),
    "XOR": GateFormula(("right", "left"), 1 / 2),
    "CONST0": GateFormula((), -1 / 2),
    "CONST1": GateFormula((), 1 / 2),
}
"""The formula of each kind of gate, in terms of the number that attention reads."""


def compile_circuit(
    sequence: GateSequence,
    report_size: Callable[[str], None] | None = None,
    *,
    error: float = 1e-6,
    epsilon: float = 1e-5,
) -> Decoder:
    """Build a decoder that completes the sequence with P(correct) > 1 - error at every step.

    `error` is the paper's eps*; `epsilon` is what layer normalisation adds to the variance.
    `report_size` is called with the size in words before the decoder is built. The claim holds for
    every sequence that begins with the inputs, in float64.

    Raises:
        ConstructionError: the error is not in (0, 1/2), or smaller than float64 can show; epsilon
            is negative; or there are more than `MAX_SYMBOLS` symbols.
    """
    require_error(error)
    require_epsilon(epsilon)
    if epsilon > MAX_EPSILON:
        raise ConstructionError(
            f"with epsilon={epsilon} the numbers of a circuit are too small to be normalised as "
            f"claimed. Use {MAX_EPSILON:,.0f} or less."
        )
    stream = stream_of(NAMES, sequence)
    model = zero_decoder(
        sequence,
        report_size,
        d_model=stream.width,
        head_width=num_positions(sequence),
        value_width=1,
        d_hidden=len(UNITS) + 2,
        epsilon=epsilon,
    )
    width = stream.width
    first_norm = 1 / math.sqrt(4 / width + epsilon)
    set_embedding(model, stream)

    layer = model.block[0]
    attention = layer.attention
    logit = math.log((1 / LEAK - 1) * num_positions(sequence))
    set_sources(
        attention, stream, sequence, logit / first_norm**2 * math.sqrt(attention.head_width)
    )
    with torch.no_grad():
        attention.value.weight[0] = stream.row({"value": 1 / first_norm})
        attention.output.weight[:, 0] = stream.column({"read": 1.0, "-read": -1.0})

    formulas = {position: GATE_FORMULAS[step.kind] for position, step in predictions(sequence)}
    for index, (name, unit) in enumerate(UNITS.items()):
        height = {
            position_name(position): unit.height
            if position in formulas and name in formulas[position].units
            else ELSEWHERE
            for position in range(num_positions(sequence))
        }
        row = stream.row({"read": unit.slope, **height})
        column = stream.column({"answer": unit.weight, "-answer": -unit.weight})
        set_unit(layer, index, row, column)
    for index, sign in enumerate((1.0, -1.0), start=len(UNITS)):
        row = stream.row(
            {
                position_name(position): max(sign * formula.offset, 0.0)
                for position, formula in formulas.items()
            }
        )
        set_unit(layer, index, row, stream.column({"answer": sign, "-answer": -sign}))

    shrunk = MIN_ANSWER / math.hypot(6 / width + epsilon, math.sqrt(2 / width) * MIN_ANSWER)
    gain = min_logit(error) / (2 * shrunk)
    with torch.no_grad():
        for symbol, sign in enumerate((-1.0, 1.0)):
            model.answer.weight[symbol] = stream.row({"answer": sign * gain})
    return model


def min_logit(error: float) -> float:
    """Return the least difference of right and wrong logit that `compile_circuit` ensures."""
    return math.log((1 - error / 2) / (error / 2))


def require_error(error: float) -> None:
    """Refuse an error that is not in (0, 1/2), or too small for float64."""
    if not 0 < error < 0.5:
        raise ConstructionError(
            f"error is a probability, 0 < error < 1/2, but error={error}. Use 1e-6, say."
        )
    if error < MIN_ERROR:
        raise ConstructionError(
            f"error={error} is below {MIN_ERROR:.1e}, the least for which float64 can distinguish "
            f"1 - error from 1. Use a larger one."
        )


def num_positions(sequence: GateSequence) -> int:
    """Return the number of positions that the decoder reads, the paper's b: all symbols but the
    last.
    """
    return max(1, sequence.length - 1)


def position_name(position: int) -> str:
    """Return the name of the coordinate of a position."""
    return f"position {position}"


def stream_of(names: tuple[str, ...], sequence: GateSequence) -> Coordinates:
    """Return the coordinates of the stream: the given names, then one for each position.

    Raises:
        ConstructionError: the sequence is longer than `MAX_SYMBOLS`.
    """
    if sequence.length > MAX_SYMBOLS:
        raise ConstructionError(
            f"the circuit has {sequence.length} inputs and gates, but its decoder holds an entry "
            f"for every two of them, and {MAX_SYMBOLS} are the most. Split the circuit."
        )
    return Coordinates((*names, *map(position_name, range(num_positions(sequence)))))


def predictions(sequence: GateSequence) -> Iterator[tuple[int, GateStep]]:
    """Return the positions that predict gates, with these gates."""
    return enumerate(sequence.steps, start=sequence.num_inputs - 1)


def zero_decoder(
    sequence: GateSequence,
    report_size: Callable[[str], None] | None,
    *,
    d_model: int,
    head_width: int,
    d_hidden: int,
    epsilon: float,
    value_width: int = 0,
) -> Decoder:
    """Build a decoder of one layer and one head with all weights zero.

    `report_size` is called with the size in words before the decoder is built.

    Raises:
        ConstructionError: it would have more than `MAX_PARAMETERS` parameters.
    """
    config = DecoderConfig(
        vocab_size=2,
        max_length=num_positions(sequence),
        d_model=d_model,
        head_width=head_width,
        value_width=value_width,
        d_hidden=d_hidden,
        epsilon=epsilon,
        activation="relu",
    )
    size = count_parameters(Decoder, config)
    if size > MAX_PARAMETERS:
        raise ConstructionError(
            f"the decoder of {sequence.length:,} inputs and gates would have {size:,} parameters, "
            f"but {MAX_PARAMETERS:,} is the most. Split the circuit."
        )
    if report_size:
        report_size(
            f"{format_count(sequence.num_inputs, 'input')} and "
            f"{format_count(len(sequence.steps), 'gate')}, width {d_model:,}, {size:,} parameters"
        )
    model = Decoder(config)
    zero_weights(model)
    return model


@torch.no_grad()
def set_embedding(model: Decoder, stream: Coordinates) -> None:
    """Write the embeddings: a symbol is its value, the negative and a balance of -1; a position is
    its own coordinate.
    """
    for symbol, value in enumerate((-1.0, 1.0)):
        column = stream.column({"value": value, "-value": -value, "balance": -1.0})
        model.embedding.weight[symbol] = column
    assert isinstance(model.position, LearnedPosition)
    for position, vector in enumerate(model.position.vectors):
        vector.copy_(stream.column({position_name(position): 1.0}))


@torch.no_grad()
def set_sources(
    attention: Attention, stream: Coordinates, sequence: GateSequence, ask: float
) -> None:
    """Write queries and keys: positions attend to the sources of the gates that they predict."""
    queries: dict[int, dict[str, float]] = {}
    for position, step in predictions(sequence):
        for source in step.sources:
            queries.setdefault(source, {})[position_name(position)] = ask
    for slot, weights in queries.items():
        attention.key.weight[slot] = stream.row({position_name(slot): 1.0})
        attention.query.weight[slot] = stream.row(weights)
