r"""Weights for programs of lookups (`programs`): a causal decoder of constant depth.

Layer l computes the lookups of layer l, a head each, and then, in its feed-forward network, the
conditions of the lookups of layer l + 1, or the classes after the last layer. Conditions of the
first layer depend on the symbol alone, and are embedded. Other programs also have counters and
tallies, whose heads and units are those of `counters` and `tallies`, with the same conditions.

The stream has one coordinate for each symbol, and for each lookup `blocked`, its `value`s, and the
values that it `found`. At the start symbol `blocked` and `value` are 0, so it is never blocked, and
what is found there is the value 0.

Conditions. A condition is a sum of paths; at most one of them fits. A path says of some variables
in which sets their values are. The bits of a variable's values 1, 2, ... are coordinates, at most
one of them 1, so that [x in V] is a sum of bits, or 1 less a sum of bits if V has the value 0: a
linear form that is 0 or 1. With the sum t of the forms of a path of m variables,

    relu(4 (t - m) + 5/2) - relu(4 (t - m) + 3/2)

is 1 where t = m and 0 where t <= m - 1, and flat around both: an error of t up to 3/8 vanishes.

Attention. A head asks the same everywhere; the logit of position j for position i > j is

    -C blocked_j - a (i - j),     and -C at j = i, which hides it.

`rightmost`: hard attention, with a = 0 and C = 1024, which takes the last of the greatest logits. A
position that is not blocked has the logit 0, the greatest, and the start symbol is one. So the last
of these is the nearest, and its values are copied. All numbers are 0 and 1, or sums of such with
small multiples of 1/2, and exact in every format: the claim is of every length. (Hard attention
without positions computes exactly past-time logic: Yang, Chiang and Angluin 2024, arXiv
2310.13897.)

`softmax`: a = 8, and C a power of two with C >= 5/4 a (n + 4) for words of at most n symbols. Let d
be the distance of the nearest position that is not blocked, d <= n. Those farther have together at
most sum_k exp(-8 k) < 3.4e-4 of its weight, whatever n is: as logits fall by the constant gap a
with each step, nothing grows with the length but C. The n others (blocked ones, where `blocked` is
1 up to 4 units of rounding, and i itself) have at most n exp(8 n - 0.98 C), which is less than n
exp(-1.8 n - 39). So the weight elsewhere is L <= 3.5e-4, and the bits that are found are wrong by
at most 2 L together.

(Without the slope a gap of 1 between blocked and not, times tau, leaks (n - 1) exp(-tau), so tau =
ln n + ln 1/eps, log-length scaling, would be enough to find *some* position that is not blocked.
For the nearest one by an encoding such as i / n the gap is 1/n, and tau near n ln n.)

Rounding. Let u be the unit of rounding of a format: 2^-8 in bfloat16, 2^-11 in float16. (torch adds
up products of matrices of these formats in float32.) A condition's output is off by at most 4 u: 3
u from the two units, and u from their difference. A weighted mean adds 3 u. So a form is off by at
most 2 L + 8 u, and a path of m lookups by m times as much, below 3/8 for m <= 11 in bfloat16; more
are refused. Where a path does not fit, both units are 0, and so is their sum: positions that are
not blocked have the logit -a (i - j) without any error. This must be exact, or two positions tie:
it is, as long as i - j is an integer below 1/u. So the claim ends at 256 symbols in bfloat16,
and at 2,048 in float16. In float32 and float64 it ends at n. QED

`sharp` is softmax with a = 64, for networks that also count. Then farther positions have together
less than 2 exp(-64) < 4e-28 of the weight, and the others less than n exp(-16 n - 320): below half
a unit of rounding beside 1 even in float64. So a bit that is found is exactly 1, or at most 4e-28,
which vanishes beside the halves in the units of conditions: all conditions are exactly 0 or 1. In
float16 the logits of positions that must not be seen end at -32,752 (`layers.attention`), so that
distances may go to 256, with 64 d <= 16,384; in bfloat16 they go to 256 as before. QED
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lengthwise.constructions.automata import MAX_PARAMETERS, SURE
from lengthwise.constructions.construction import EVERY_LENGTH, Claim
from lengthwise.constructions.coordinates import Coordinates
from lengthwise.constructions.counters import OWN, START, CounterNames, Unit
from lengthwise.constructions.defaults import PRECISIONS
from lengthwise.constructions.diagrams import Condition, Path
from lengthwise.constructions.programs import Counter, LookupTable, Memory, Program, TallyOf
from lengthwise.constructions.tallies import TallyNames
from lengthwise.constructions.weights import count_parameters, set_unit, zero_weights
from lengthwise.errors import ConstructionError
from lengthwise.layers.layer_biases import RecencyPosition
from lengthwise.messages import format_count
from lengthwise.models.causal_recogniser import CausalRecogniser, CausalRecogniserConfig

SHARP = "sharp"
"""The attention of programs with counters."""

SLOPES: Mapping[str, float] = {"softmax": 8.0, SHARP: 64.0, "rightmost": 0.0}
"""a, by attention."""

HARD = 10
"""log2 C, with hard attention, where any C > 0 would do."""

MAX_LONGEST = 2**20
"""Largest n: a times it is an integer that float32 holds exactly."""

MAX_TERMS = 11
"""Most lookups that a path asks about, with softmax."""

_EXACT: Mapping[str, int] = {"bfloat16": 2**8, "float16": 2**11}
"""Distances up to which all integers are exact, where that is less than `MAX_LONGEST`."""

SHARP_TO: Mapping[str, int] = dict.fromkeys(_EXACT, 2**8)
"""Distances up to which sharp lookups are exact, where that is less than `MAX_LONGEST`."""


@dataclass(frozen=True, kw_only=True)
class LookupDesign:
    """A program and the size of its network before it is built."""

    program: Program
    attention: str
    longest: int
    stream: Coordinates
    config: CausalRecogniserConfig
    num_parameters: int

    @property
    def summary(self) -> str:
        """The size as a line of text."""
        config, program = self.config, self.program
        counters, tallies = len(program.counters), len(program.tallies)
        lookups = len(program.memories) - counters - tallies
        kinds = {"lookup": lookups, "counter": counters, "bounded sum": tallies}
        counts = [format_count(count, kind) for kind, count in kinds.items() if count]
        return (
            f"{' and '.join(counts) or 'no lookups'} in {config.num_layers} layers of "
            f"{config.num_heads} heads: {self.num_parameters:,} parameters, width {config.d_model}"
        )

    @property
    def amount(self) -> int:
        """The most that a position adds to a counter."""
        return self.program.most_amount

    @property
    def memories(self) -> Iterator[tuple[int, Memory]]:
        """The memories, each with the number of its variable."""
        yield from enumerate(self.program.memories, start=1)


def design_lookups(program: Program, *, attention: str, longest: int) -> LookupDesign:
    """Compute the size of the network of a program.

    Raises:
        ConstructionError: a setting is out of range, the network has more than `MAX_PARAMETERS`, or
            a condition asks about more than `MAX_TERMS` lookups, with softmax.
    """
    if attention not in SLOPES:
        raise ConstructionError(
            f"attention is softmax or rightmost here, but attention={attention!r:.40}. Choose one."
        )
    if not 1 <= longest <= MAX_LONGEST:
        raise ConstructionError(
            f"logits are exact for words of 1 to {MAX_LONGEST:,} symbols, but longest={longest}. "
            f"Use a length in this range."
        )
    if attention == "softmax" and program.most_terms > MAX_TERMS:
        raise ConstructionError(
            f"a condition asks about {program.most_terms} lookups, but softmax is exact enough for "
            f"{MAX_TERMS} in bfloat16. Use attention=rightmost, or another rung, such as scan."
        )
    exact = attention == SHARP or not (program.counters or program.tallies)
    assert exact, "sums need exact conditions"
    stream = Coordinates(list(_stream(program, longest)))
    layers = range(1, program.num_layers + 1)
    units = [sum(1 for _ in _units(program, longest, n)) for n in layers]
    config = CausalRecogniserConfig(
        vocab_size=len(program.alphabet),
        num_classes=len(program.classes),
        d_model=stream.width,
        num_heads=program.num_heads,
        num_layers=program.num_layers,
        head_width=1,
        value_width=max(
            (
                memory.size - 1 if isinstance(memory, LookupTable) else 2
                for memory in program.memories
            ),
            default=1,
        ),
        d_hidden=max(1, *units),
        norm="none",
        activation="relu",
        position="recency",
        selection="softmax" if attention == SHARP else attention,
    )
    size = count_parameters(CausalRecogniser, config)
    design = LookupDesign(
        program=program,
        attention=attention,
        longest=longest,
        stream=stream,
        config=config,
        num_parameters=size,
    )
    if size > MAX_PARAMETERS:
        raise ConstructionError(
            f"at most {MAX_PARAMETERS:,} parameters are built, but {design.summary}. Use another "
            f"rung, such as scan, or a smaller language."
        )
    return design


@torch.no_grad()
def build_lookups(design: LookupDesign) -> CausalRecogniser:
    """Build the network of a design, in float64."""
    program, stream = design.program, design.stream
    model = CausalRecogniser(design.config)
    zero_weights(model)
    _set_embedding(model, design)
    for index, layer in enumerate(model.block):
        heads = [memory for memory in design.memories if memory[1].layer == index + 1]
        for head, (number, memory) in enumerate(heads):
            if isinstance(memory, LookupTable):
                _set_lookup(model, design, head, (number, memory))
            else:
                _set_sum(model, design, head, (number, memory))
        units = _units(program, design.longest, index + 1)
        for place, unit in enumerate(units):
            row, column = stream.row(unit.row), stream.column(unit.column)
            set_unit(layer, place, row, column, bias=unit.bias)
    rest = _rest(program)
    for number in range(len(program.classes)):
        if number == rest:
            model.answer.bias[number] = SURE / 2
        else:
            model.answer.weight[number] = stream.row({_class(number): SURE})
    return model


def claim_of_lookups(settings: Mapping[str, Any]) -> Claim:
    """Return the claim of networks with these settings, `attention` and `longest`."""
    is_hard = settings["attention"] == "rightmost"
    return Claim(
        claim="right at every prefix of a word"
        + ("; every vector is exactly of zeros and ones" if is_hard else ""),
        source="ours, after Yang, Chiang and Angluin (2024)"
        + ("" if is_hard else ", with softmax"),
        range=range_of(settings),
        required_margin=SURE / 2,
        is_binary=is_hard,
    )


def range_of(settings: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the longest words of the claim by precision, from `attention` and `longest`."""
    if settings["attention"] == "rightmost":
        return dict(EVERY_LENGTH)
    longest = int(settings["longest"])
    return {name: min(longest, _EXACT.get(name, longest)) for name in PRECISIONS}


def _set_embedding(model: CausalRecogniser, design: LookupDesign) -> None:
    """Write the symbols, and what the memories of the first layer look at."""
    program, stream = design.program, design.stream
    for symbol in range(len(program.alphabet)):
        bits = {_symbol(symbol): 1.0}
        for number, memory in design.memories:
            if memory.layer == 1:
                for name, factor, condition in _find_sought(number, memory):
                    if any(_holds_of(path, symbol + 1) for path in condition):
                        bits[name] = factor
        model.embedding.weight[symbol] = stream.column(bits)
    if START in stream.names:
        model.embedding.weight[len(program.alphabet)] = stream.column({START: 1.0})


def _set_lookup(
    model: CausalRecogniser, design: LookupDesign, head: int, which: tuple[int, LookupTable]
) -> None:
    """Write the weights of the head of a lookup."""
    number, lookup = which
    layer, stream = lookup.layer - 1, design.stream
    attention, position = model.block[layer].attention, model.position
    assert isinstance(position, RecencyPosition)
    slope = SLOPES[design.attention]
    power = HARD
    if slope:
        power = (math.ceil(1.25 * slope * (design.longest + 4)) - 1).bit_length()
    attention.query.bias[head] = 2.0 ** (power // 2)
    attention.key.weight[head] = -(2.0 ** (power - power // 2)) * stream.row(
        {f"blocked {number}": 1.0}
    )
    position.slope[layer, head] = slope
    position.own[layer, head] = 2.0**power
    for value in range(1, lookup.size):
        slot = head * attention.value_width + value - 1
        attention.value.weight[slot] = stream.row({f"value {number} {value}": 1.0})
        attention.output.weight[:, slot] = stream.column({_name_match(number, value): 1.0})


def _set_sum(
    model: CausalRecogniser, design: LookupDesign, head: int, which: tuple[int, Counter | TallyOf]
) -> None:
    """Write the weights of the head of a sum, which sees all earlier positions alike."""
    number, memory = which
    layer, names = memory.layer - 1, _names_of(number, memory, design.longest)
    attention, position = model.block[layer].attention, model.position
    assert isinstance(position, RecencyPosition)
    position.own[layer, head] = OWN
    for slot, (name, mean) in enumerate(
        zip((names.amount, START), names.means, strict=True), start=head * attention.value_width
    ):
        attention.value.weight[slot] = design.stream.row({name: 1.0})
        attention.output.weight[:, slot] = design.stream.column({mean: 1.0})


def _names_of(number: int, memory: Counter | TallyOf, longest: int) -> CounterNames | TallyNames:
    """Return the coordinates of a sum, by its variable."""
    if isinstance(memory, Counter):
        return CounterNames(number, longest, memory)
    return TallyNames(number, longest, memory)


def _units(program: Program, longest: int, layer: int) -> Iterator[Unit]:
    """Yield the hidden units of a layer: two for each path of a condition, and those of sums."""
    sizes = [len(program.alphabet), *(memory.size - 1 for memory in program.memories)]
    for name, factor, condition in _conditions(program, layer):
        for path in condition:
            weights, needed = _form(path, sizes)
            row = {bit: 4.0 * weight for bit, weight in weights.items()}
            for height, sign in ((2.5, factor), (1.5, -factor)):
                yield Unit(row=row, column={name: sign}, bias=height - 4.0 * needed)
    for number, memory in enumerate(program.memories, start=1):
        if not isinstance(memory, LookupTable):
            yield from _names_of(number, memory, longest).units(layer - memory.layer)


def _conditions(program: Program, layer: int) -> Iterator[tuple[str, float, Condition]]:
    """Yield what the feed-forward network of a layer computes: coordinates, what is added to them,
    and the conditions.
    """
    for number, memory in enumerate(program.memories, start=1):
        if memory.layer == layer + 1:
            yield from (
                (name, factor, _past_start(condition, len(program.alphabet)))
                for name, factor, condition in _find_sought(number, memory)
            )
    if layer == program.num_layers:
        for number, condition in enumerate(program.classes):
            if number != _rest(program):
                yield _class(number), 1.0, condition


def _rest(program: Program) -> int:
    """Return the class with the most paths: it is the answer where no other class holds."""
    sizes = [len(condition) for condition in program.classes]
    return sizes.index(max(sizes))


def _past_start(condition: Condition, num_symbols: int) -> Condition:
    """Return a condition that holds nowhere at the start symbol."""
    every = frozenset(range(1, num_symbols + 1))
    paths = []
    for path in condition:
        values = dict(path)
        values[0] = values.get(0, every) & every
        if values[0]:
            paths.append(tuple(sorted(values.items())))
    return tuple(paths)


def _form(path: Path, sizes: Sequence[int]) -> tuple[dict[str, float], float]:
    """Return the weights of the bits of a path, and the sum that they have where it fits.

    `sizes` are the greatest values of the variables.
    """
    weights: dict[str, float] = {}
    needed = 0.0
    for variable, values in path:
        bits, sign = values, 1.0
        if 0 in values:  # 1 less the bits of the other values
            bits, sign = frozenset(range(1, sizes[variable] + 1)) - values, -1.0
        needed += sign == 1.0
        weights.update({_bit(variable, value): sign for value in bits})
    return weights, needed


def _holds_of(path: Path, symbol: int) -> bool:
    """Return whether a path fits, which asks about the symbol alone."""
    assert all(variable == 0 for variable, _ in path), "a first layer knows symbols only"
    return all(symbol in values for _, values in path)


def _stream(program: Program, longest: int) -> Iterator[str]:
    """Yield the coordinates of the residual stream."""
    yield from (_symbol(a) for a in range(len(program.alphabet)))
    if not all(isinstance(memory, LookupTable) for memory in program.memories):
        yield START
    for number, memory in enumerate(program.memories, start=1):
        if isinstance(memory, LookupTable):
            yield from (name for name, _, _ in _find_sought(number, memory))
        else:
            yield from _names_of(number, memory, longest).names()
        yield from (_name_match(number, value) for value in range(1, memory.size))
    yield from map(_class, range(len(program.classes)))


def _find_sought(number: int, memory: Memory) -> Iterator[tuple[str, float, Condition]]:
    """Yield the coordinates that a memory looks at, with what is added under which condition."""
    if isinstance(memory, LookupTable):
        yield f"blocked {number}", 1.0, memory.blocked
        for value, condition in enumerate(memory.values, start=1):
            yield f"value {number} {value}", 1.0, condition
    else:
        for amount, condition in memory.amounts:
            yield f"amount {number}", float(amount), condition


def _bit(variable: int, value: int) -> str:
    return _symbol(value - 1) if variable == 0 else _name_match(variable, value)


def _symbol(symbol: int) -> str:
    return f"symbol {symbol}"


def _name_match(number: int, value: int) -> str:
    return f"found {number} {value}"


def _class(number: int) -> str:
    return f"class {number}"
