r"""Encoders that recognise FIRST, the words that begin with 1 (Chiang & Cholak 2022, 3.3 to 5.3).

Idea. The embedding marks position 1, the first symbol. The first layer's feed-forward network marks
the position that is first and holds a one: relu(first - is_zero - is_cls), without a bias. In the
second layer CLS attends to position 1 (logit c there, 0 elsewhere) and gathers match - first/2,
which is 1/2 or -1/2 there and exactly 0 at all other positions.

Exactness, without layer norm. With n positions, CLS among them,

    s = (exp(c) / (exp(c) + n - 1)) ([w_1 = 1] - 1/2)            (equation 1)

whose sign is right for every c and n >= 2. With logits times log n (equation 2) and c = 1, exp(c)
becomes n, and 1/4 < |s| <= 1/3 at every length n >= 2: cross-entropy at most eta follows from a
read-out -4 log(exp(eta) - 1) s (Proposition 3). On the empty word, n = 1, CLS finds only itself and
s = 0; a tie means no, which is right, but with cross-entropy log 2. QED

Exactness, with layer norm. All vectors are doubled (x, -x), so norms only multiply by positive
numbers. Zeros stay zeros, so still no position but the first, and CLS, counts. CLS gathers -t of
its own mark, with t = 1/8, so that the empty word is decided, too (otherwise s = 0 there, which no
norm with eps = 0 can make greater). With S(Q) = 1 / sqrt(Q/6 + eps), what the two norms of the
first layer make of a number 1 is

    at CLS       k_0 = S(1) S(S(1)^2),
    at position 1   k_1 = S(2) S(3 S(2)^2) if it holds a one, which is less than if it holds a zero,

where k_1 <= k_0 <= sqrt(3) k_1. The logit is at least c k_0 k_1 at position 1, and 0 elsewhere:
position 1 has weight m / (m + n - 1) and CLS 1 / (m + n - 1), with m >= exp(c k_0 k_1). As k_0/8 <
k_1/2,

    |s| >= (exp(c k_0 k_1) k_1/2 - k_0/8) / (exp(c k_0 k_1) + n - 1) > 0    for n >= 2,

and s = -k_0/8 on the empty word, so that every sign is right. Proposition 3, with logits times
log n, needs a bound that does not vanish with n. The paper takes k_0 and k_1 as 1; but their
product is below 1 from eps = 0.72 on, and then s vanishes with its c = 1, as n^(c k_0 k_1) / n
does. We take c = 1 / (k_0 k_1), so that m >= n, and t = k_1 / (4 k_0). Then |s| = t k_0 = k_1/4 on
the empty word and, for n >= 2,

    |s| >= (n k_1/2 - t k_0) / (2n - 1) = k_1/4.

The second layer's norms turn s into S(k_0^2 + s^2) s and so on, increasing in |s|, so the least |s|
gives the least logit (`compute_scaled_floor`), and the read-out is scaled by it. QED

The flawed transformer (5.2) has one layer; CLS gathers is_one - 1/2 from every position:

    s = ((exp(c) - 1) ([w_1 = 1] - 1/2) + k - n/2) / (exp(c) + n - 1)

for k ones. It is right on all words of length |w| = n - 1 if and only if exp(c) > n - 1. The words
nearest to a wrong answer are 1 and zeros after, with numerator (exp(c) - (n - 1)) / 2, which is
positive only then, and 0 and ones after, with numerator (n - 3 - exp(c)) / 2. With logits times
log n and c = 1, exp(c) becomes n, these are 1/2 and -3/2, and it is right at every length (5.3).
"""

import math

import torch
from torch import Tensor

from lengthwise.constructions.confidence import logit_for, make_confident
from lengthwise.constructions.coordinates import Coordinates, DoubledCoordinates
from lengthwise.constructions.weights import (
    require_epsilon,
    require_sharpness,
    set_head,
    set_positions,
    set_unit,
    zero_encoder,
)
from lengthwise.layers.attention import Attention
from lengthwise.models.encoder import Encoder

NAMES = ("is_zero", "is_one", "is_cls", "first", "match", "answer")
"""The paper's six dimensions: the symbol, [i = 1], [i = 1 and w_i = 1], and s."""

TIE = 0.125
"""Weight with which CLS gathers its own mark, with layer norm, so that the empty word is decided.
"""


def compile_first(*, sharpness: float = 1.0) -> Encoder:
    """Build the network without layer norm (section 3.3). `sharpness` is the paper's c > 0.

    Raises:
        ConstructionError: the sharpness is not positive.
    """
    require_sharpness(sharpness)
    stream = Coordinates(NAMES)
    model = _blank(stream, norm="none", epsilon=0.0, num_layers=2, scale="standard")
    _set(model, stream, sharpness, tie=0.0)
    return model


def compile_normed_first(*, epsilon: float = 1e-5, sharpness: float = 1.0) -> Encoder:
    """Build the network with layer norm and doubled vectors (section 4.1), for any epsilon >= 0.

    Raises:
        ConstructionError: epsilon is negative, or the sharpness not positive.
    """
    require_sharpness(sharpness)
    stream = DoubledCoordinates(NAMES)
    model = _blank(stream, norm="post", epsilon=epsilon, num_layers=2, scale="standard")
    _set(model, stream, sharpness, tie=TIE)
    return model


def compile_confident_first(
    *, eta: float = 1e-3, epsilon: float = 0.0, sharpness: float = 1.0
) -> Encoder:
    """Build the normed network with the layer of Proposition 2: cross-entropy at most eta if
    epsilon is 0.

    Raises:
        ConstructionError: eta or the sharpness is not positive, or epsilon is negative.
    """
    require_sharpness(sharpness)
    stream = DoubledCoordinates(NAMES)
    gain = logit_for(eta) / math.sqrt(stream.width / 2)
    model = _blank(stream, norm="post", epsilon=epsilon, num_layers=3, scale="standard")
    _set(model, stream, sharpness, tie=TIE)
    make_confident(model, stream, gain)
    return model


def compile_scaled_first(*, eta: float = 1e-3) -> Encoder:
    """Build the network with log-length scaled attention, without layer norm (Proposition 3).

    Its cross-entropy is at most eta on words with a symbol; the empty word is rejected by a tie.

    Raises:
        ConstructionError: eta is not positive.
    """
    gain = 4 * logit_for(eta)
    stream = Coordinates(NAMES)
    model = _blank(stream, norm="none", epsilon=0.0, num_layers=2, scale="log-length")
    _set(model, stream, 1.0, tie=0.0, gain=gain)
    return model


def compile_scaled_normed_first(*, eta: float = 1e-3, epsilon: float = 1e-5) -> Encoder:
    """Build the normed network with log-length scaled attention: cross-entropy at most eta.

    Raises:
        ConstructionError: eta is not positive, or epsilon is negative.
    """
    require_epsilon(epsilon)
    gain = logit_for(eta) / compute_scaled_floor(epsilon)
    mark, least = _compute_images(epsilon)
    stream = DoubledCoordinates(NAMES)
    model = _blank(stream, norm="post", epsilon=epsilon, num_layers=2, scale="log-length")
    _set(model, stream, 1 / (mark * least), tie=least / (4 * mark), gain=gain)
    return model


def compile_flawed_first(*, sharpness: float = 5.0) -> Encoder:
    """Build the one-layer network of section 5.2, right on words shorter than exp(sharpness) only.

    Raises:
        ConstructionError: the sharpness is not positive.
    """
    return _compile_flawed(sharpness, "standard")


def compile_flawed_scaled_first() -> Encoder:
    """Build the flawed network with log-length scaled attention and c = 1 (section 5.3): right at
    every length.
    """
    return _compile_flawed(1.0, "log-length")


def compute_scaled_floor(epsilon: float) -> float:
    """Return the least |logit| of the normed network of Proposition 3 before the read-out."""
    mark, least = _compute_images(epsilon)
    answer = least / 4
    for _ in range(2):  # the two norms of the second layer
        factor = _factor(mark**2 + answer**2, epsilon)
        mark, answer = mark * factor, answer * factor
    return answer


def _factor(squares: float, epsilon: float) -> float:
    """Return the factor of layer norm on a doubled vector, from the sum of squares of its half."""
    return 1 / math.sqrt(squares / len(NAMES) + epsilon)


def _compute_images(epsilon: float) -> tuple[float, float]:
    """Return k_0 and k_1, the first layer's images of a 1 at CLS and at a first position with 1."""
    mark, first = _factor(1.0, epsilon), _factor(2.0, epsilon)
    return mark * _factor(mark**2, epsilon), first * _factor(3 * first**2, epsilon)


# ---- weights -----------------------------------------------------------------------------------


def _blank(
    stream: Coordinates, *, norm: str, epsilon: float, num_layers: int, scale: str
) -> Encoder:
    require_epsilon(epsilon)
    return zero_encoder(
        stream,
        num_heads=1,
        num_layers=num_layers,
        norm=norm,
        epsilon=epsilon,
        position="first",
        scale=scale,
    )


def _embed(model: Encoder, stream: Coordinates) -> None:
    with torch.no_grad():
        for symbol, name in enumerate(("is_zero", "is_one", "is_cls")):
            model.embedding.weight[symbol] = stream.column({name: 1.0})
    set_positions(model, [stream.column({"first": 1.0})])


def _set(
    model: Encoder, stream: Coordinates, sharpness: float, *, tie: float, gain: float = 1.0
) -> None:
    _embed(model, stream)
    mark, decide = model.block[:2]
    begins = stream.row({"first": 1.0, "is_zero": -1.0, "is_cls": -1.0})
    set_unit(mark, 0, begins, stream.column({"match": 1.0}))
    sought = stream.row({"match": 1.0, "first": -0.5, "is_cls": -tie})
    _ask_for_the_first(decide.attention, stream, sharpness, sought)
    with torch.no_grad():
        model.answer.weight[0] = stream.row({"answer": gain})


def _compile_flawed(sharpness: float, scale: str) -> Encoder:
    require_sharpness(sharpness)
    stream = Coordinates([name for name in NAMES if name != "match"])
    model = _blank(stream, norm="none", epsilon=0.0, num_layers=1, scale=scale)
    _embed(model, stream)
    sought = stream.row({"is_one": 0.5, "is_zero": -0.5, "is_cls": -0.5})
    _ask_for_the_first(model.block[0].attention, stream, sharpness, sought)
    with torch.no_grad():
        model.answer.weight[0] = stream.row({"answer": 1.0})
    return model


def _ask_for_the_first(
    attention: Attention, stream: Coordinates, sharpness: float, sought: Tensor
) -> None:
    set_head(
        attention,
        0,
        ask=stream.row({"is_cls": sharpness}),
        offer=stream.row({"first": 1.0}),
        moves=[(sought, stream.column({"answer": 1.0}))],
    )
