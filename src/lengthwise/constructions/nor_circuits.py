r"""A decoder that computes a circuit of NOR gates, with the entries that the paper prints.

"Guiding transformers to process in steps" (2022), appendix A, equations 17-35, with what does not
hold corrected (docs/errata.md). `constructions.circuits` is a smaller network for all gates; this
one is here to follow the paper. Symbols and positions count from 1 in this text, as they do there,
b is the number of positions, and

    d = 9 + b,   eps = 1/(5 + 2 d^2),   delta = 1 - 4 eps - 2 d^2 eps = eps,
    c1 = 2 ceil(log(b (1 - 2 eps) / (2 eps))),   c2 = ceil(log((1 - error)/error)).

Idea. Attention averages the values (1 or -1) of the two sources of the next symbol. Their NOR is 1
exactly if the mean is -1, and of two hidden units one is positive if it is, and the other if not.

Exactness. Layer norm adds nothing to the variance (equation 38).

1. The embedding is (v, -v, -1) in coordinates 1-3 and 1 in coordinate 9 + i, where nothing else is
   ever written. Its mean is 0 and its variance 4/d, so the first norm multiplies by (d/4)^(1/2).
   Row 9 + i of the query matrix has (d/4)^(-1/2) c1 at the positions of the sources of symbol
   i + 1, and key j has (d/4)^(1/2) at j, so the logits are c1/2 at the sources, and 0 elsewhere.
2. Let L be the attention that goes elsewhere. Position i sees i <= b positions. With one source
   (NOT x, which is NOR(x, x)) L = (i - 1)/(exp(c1/2) + i - 1), and with two it is less. As
   exp(c1/2) >= b (1 - 2 eps)/(2 eps) > (i - 1)(1 - 2 eps)/(2 eps), L < 2 eps. Attention adds
   (a, -a) at coordinates 4 and 5, where a = (1 - L) m + L m' with the mean m of the sources and m'
   in [-1, 1]. So (equation 58)

       a in [-1, -1 + 4 eps] if the NOR is 1,   a in [-2 eps, 1] if it is 0.

3. The sum has mean 0 and variance (4 + 2 a^2)/d, between 4/d and 6/d <= d/4. The second norm thus
   multiplies it by some r with (d/4)^(-1/2) <= r <= (d/4)^(1/2).
4. The hidden units are

       one  = relu(-(d/4)^(1/2) r a - 2 d^2 eps),   zero = relu((d/4)^(1/2) r a + 1 - 4 eps).

   If the NOR is 1, (d/4)^(1/2) r a <= -1 + 4 eps, so one >= 1 - 4 eps - 2 d^2 eps = delta > 0 and
   zero = 0. If it is 0, (d/4)^(1/2) r a >= -(d/4)(2 eps), so one = 0, as d/2 < 2 d^2, and
   zero >= 1 - 4 eps - (d/2) eps >= delta. Neither is above d/4 + 1.
5. The second matrix, after which there is no ReLU, adds (one, zero, -one, -zero) at coordinates
   6-9: the mean stays 0, and the variance (4 + 2 a^2 + 2 max(one, zero)^2)/d is less than d^4, as
   d >= 10. So the third norm leaves more than delta/d^2 of the greater unit, and 0 of the other.
6. The output matrix takes delta^(-1) d^2 c2 times `one` for symbol 1, and times `zero` for 0. The
   right logit is more than c2 and the other is 0: P(correct) > 1 - error. QED

The bounds are loose: the greater unit is of the size of d or 1, not delta, so the logits are of the
size of d^4 c2: 10^12 for b = 448. float16 does not hold them.

Axes:
    symbol  0 and 1
    width   numbers in a vector of the residual stream
"""

import math
from collections.abc import Callable

import torch

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions.circuits import (
    num_positions,
    predictions,
    require_error,
    set_embedding,
    set_sources,
    stream_of,
    zero_decoder,
)
from lengthwise.constructions.weights import set_unit
from lengthwise.errors import ConstructionError
from lengthwise.models.decoder import Decoder

NAMES = ("value", "-value", "balance", "read", "-read", "one", "zero", "-one", "-zero")
"""The paper's coordinates 1 to 9; those of the positions follow."""


def compile_nor(
    sequence: GateSequence, report_size: Callable[[str], None] | None = None, *, error: float = 1e-6
) -> Decoder:
    """Build a decoder that completes NOR gates with P(correct) > 1 - error at every step.

    `report_size` is called with the size in words before the decoder is built. NOT x is taken as
    NOR(x, x); `Circuit.as_nor` turns any circuit into one of NOR gates.

    Raises:
        ConstructionError: a gate is neither NOR nor NOT, the error is not in (0, 1/2), or smaller
            than float64 can show, or the sequence is too long (`circuits.MAX_SYMBOLS`).
    """
    require_error(error)
    for position, step in predictions(sequence):
        if step.kind not in ("NOR", "NOT"):
            raise ConstructionError(
                f"this decoder knows NOR and NOT, but {sequence.names[position + 1]!r} is "
                f"{step.kind}. Use Circuit.as_nor first, or compile_circuit, which knows all gates."
            )
    stream = stream_of(NAMES, sequence)
    d, b = stream.width, num_positions(sequence)
    eps = 1 / (5 + 2 * d**2)
    delta = 1 / (5 + 2 * d**2)  # 1 - 4 eps - 2 d^2 eps, without cancellation
    c1 = 2 * math.ceil(math.log(b * (1 - 2 * eps) / (2 * eps)))
    c2 = math.ceil(math.log((1 - error) / error))
    root = math.sqrt(d / 4)

    model = zero_decoder(
        sequence, report_size, d_model=d, head_width=d, d_hidden=4 * d, epsilon=0.0
    )
    set_embedding(model, stream)
    layer = model.block[0]
    set_sources(layer.attention, stream, sequence, c1 / root)
    with torch.no_grad():
        for slot, (value, read) in enumerate([("value", "read"), ("-value", "-read")], start=3):
            layer.attention.value.weight[slot] = stream.row({value: 1 / root})
            layer.attention.output.weight[:, slot] = stream.column({read: 1.0})
    for unit, (name, slope, bias) in enumerate(
        [("one", -root, -2 * d**2 * eps), ("zero", root, 1 - 4 * eps)], start=5
    ):
        row, column = stream.row({"read": slope}), stream.column({name: 1.0, f"-{name}": -1.0})
        set_unit(layer, unit, row, column, bias=bias)
    with torch.no_grad():
        for symbol, unit_name in enumerate(("zero", "one")):
            model.answer.weight[symbol] = stream.row({unit_name: d**2 * c2 / delta})
    return model
