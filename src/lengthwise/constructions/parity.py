r"""An encoder that recognises PARITY at every length (Chiang & Cholak 2022, sections 3.2 and 4).

Idea. Let n = |w| + 1 positions, CLS at position 0, and k ones. Attention can only average, so the
first layer's head attends to all positions alike and stores the share k/n of ones and the share 1/n
of CLS. Its feed-forward network compares each position i with k by three units without biases:

    (relu(k - i - 1) - 2 relu(k - i) + relu(k - i + 1)) / n = [i = k] / n

which is k/n - i/n and so on, from what position i holds. In the second layer CLS asks with two
heads, one that prefers odd positions (logit -c cos(i pi)) and one that prefers even ones, and
stores the difference of what they find of [i = k] / n:

    s = [head 1 at k] - [head 2 at k], positive exactly if k is odd.

Exactness, without layer norm. With u = exp(c), the weights at position i are u^(-cos i pi) / Z1 and
u^(cos i pi) / Z2. If n is even there are as many odd as even positions, Z1 = Z2 = n (u + 1/u) / 2
and

    s = (-1)^(k+1) 2 tanh(c) / n^2.

If n is odd, Z1 = ((n-1) u + (n+1)/u) / 2, Z2 = ((n+1) u + (n-1)/u) / 2, and

    k even: s = -(n-1) sinh(2c) / (n Z1 Z2),   k odd: s = (n+1) sinh(2c) / (n Z1 Z2)

(the paper prints cosh in the last). On the empty word, n = 1, all of this is 0 and the paper's
network undecided. One more unit decides it: relu(1/n - 3/4) is 1/4 for n = 1 and 0 otherwise, and
is subtracted from s. (It has no bias either: the 1 is the sum of the three marks of symbols.) QED

Exactness, with layer norm. All vectors are doubled (x, -x), so a norm multiplies the vector of
position i by some positive number. The paper takes it as the same for all positions; it is not,
since i/n is part of the vector. Let Q_i = 2 + (i^2 + k^2 + 1) / n^2, the sum of squares at position
i. The two norms of the first layer multiply by r_i together, with

    r_i^2 = 9 / (Q_i (1 + eps) + [i = k] / n^2 + 9 eps^2),

so r_i does not rise with i (Q_k + 1/n^2 <= Q_(k+1)), and r_i / r_0 >= q = sqrt(2/3), as i^2 + 1 <=
n^2 and Q_0 >= 2. The network has no biases, so [i = k]/n stays zero where it is zero, and is
multiplied by r_k where it is not. In the second layer the logits at CLS are -+ c_i cos(i pi) with
c_i = r_0 r_i c (the paper has one factor where query and key bring one each), and s has the sign of

    exp(c_k) / Z1 - exp(-c_k) / Z2 for odd k,     exp(-c_k) / Z1 - exp(c_k) / Z2 for even k,

where Z1 adds up exp(c_i) over odd and exp(-c_i) over even i, and Z2 the other way round. Z2 - Z1 is
the alternating sum of (-1)^i 2 sinh(c_i), whose terms do not grow: it is at least 0, which
settles odd k, and at most 2 sinh(c_0). For even k we need Z2/Z1 < exp(2 c_k), and for n >= 2 have
Z1 >= exp(-c_0) + exp(q c_0). So with x = c_0 it is enough that 1 + 2 sinh(x) / (exp(-x) + exp(q x))
is below exp(2 q x), that is,

    0 < exp((2q - 1) x) + exp(3q x) - exp(q x) - exp(x),

and in the power series of the right side the coefficient of x^0 is 0 and every other is positive,
since 3q > 2 and 2q > 1. The later norms multiply s by positive numbers. So the sign is right for
every c > 0, eps >= 0 and n >= 2, and for n = 1 by the additional unit. QED

Float64 bounds c_0 (`require_sharpness`). If it is tiny, the two heads find the same; and if it is
large, positions before k, where [i = k]/n is zero only up to rounding, outweigh position k.
"""

import math

import torch

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
from lengthwise.models.encoder import Encoder

NAMES = ("is_zero", "is_one", "is_cls", "place", "sign", "ones", "inverse", "match", "answer")
"""The paper's nine dimensions: the symbol; i/n and cos(i pi); k/n and 1/n; [i = k]/n; s."""


def compile_parity(*, sharpness: float = 1.0, count_weight: float = 1.0) -> Encoder:
    """Build the network without layer norm (Proposition 1).

    `sharpness` is the paper's c > 0; `count_weight` is its W^V,1,1 at (6, 2), which must be 1 (its
    Figure 3 varies it).

    Raises:
        ConstructionError: the sharpness is not positive.
    """
    require_sharpness(sharpness)
    stream = Coordinates(NAMES)
    model = _blank(stream, norm="none", epsilon=0.0, num_layers=2)
    _set(model, stream, sharpness, count_weight)
    return model


def compile_normed_parity(
    *, epsilon: float = 1e-5, sharpness: float = 1.0, count_weight: float = 1.0
) -> Encoder:
    """Build the network with layer norm and doubled vectors (section 4.1), for any epsilon >= 0.

    Raises:
        ConstructionError: epsilon is negative, or the sharpness not positive.
    """
    require_epsilon(epsilon)
    require_sharpness(sharpness, _compute_least_factor(epsilon))
    stream = DoubledCoordinates(NAMES)
    model = _blank(stream, norm="post", epsilon=epsilon, num_layers=2)
    _set(model, stream, sharpness, count_weight)
    return model


def compile_confident_parity(
    *, eta: float = 1e-3, epsilon: float = 0.0, sharpness: float = 1.0, count_weight: float = 1.0
) -> Encoder:
    """Build the normed network with the layer of Proposition 2: cross-entropy at most eta if
    epsilon is 0.

    Raises:
        ConstructionError: eta or the sharpness is not positive, or epsilon is negative.
    """
    require_epsilon(epsilon)
    require_sharpness(sharpness, _compute_least_factor(epsilon))
    stream = DoubledCoordinates(NAMES)
    gain = logit_for(eta) / math.sqrt(stream.width / 2)
    model = _blank(stream, norm="post", epsilon=epsilon, num_layers=3)
    _set(model, stream, sharpness, count_weight)
    make_confident(model, stream, gain)
    return model


def _compute_least_factor(epsilon: float) -> float:
    """Return the least factor of layer norm on the logits: r_0^2 on a long word of ones."""
    return 3 / (1 + epsilon + 3 * epsilon**2)


def _blank(stream: Coordinates, *, norm: str, epsilon: float, num_layers: int) -> Encoder:
    return zero_encoder(
        stream, num_heads=2, num_layers=num_layers, norm=norm, epsilon=epsilon, position="fraction"
    )


@torch.no_grad()
def _set(model: Encoder, stream: Coordinates, sharpness: float, count_weight: float) -> None:
    for symbol, name in enumerate(("is_zero", "is_one", "is_cls")):
        model.embedding.weight[symbol] = stream.column({name: 1.0})
    set_positions(model, [stream.column({"place": 1.0}), stream.column({"sign": 1.0})])

    count, decide = model.block[:2]
    set_head(
        count.attention,
        0,
        moves=[
            (stream.row({"is_one": count_weight}), stream.column({"ones": 1.0})),
            (stream.row({"is_cls": 1.0}), stream.column({"inverse": 1.0})),
        ],
    )
    for unit, (shift, weight) in enumerate([(-1.0, 1.0), (0.0, -2.0), (1.0, 1.0)]):
        beyond = stream.row({"ones": 1.0, "place": -1.0, "inverse": shift})
        set_unit(count, unit, beyond, stream.column({"match": weight}))
    only_cls = stream.row({"inverse": 1.0, "is_zero": -0.75, "is_one": -0.75, "is_cls": -0.75})
    set_unit(count, 3, only_cls, stream.column({"answer": -1.0}))

    for head, side in enumerate((-1.0, 1.0)):  # the odd positions, then the even ones
        set_head(
            decide.attention,
            head,
            ask=stream.row({"is_cls": sharpness}),
            offer=stream.row({"sign": side}),
            moves=[(stream.row({"match": 1.0}), stream.column({"answer": -side}))],
        )
    model.answer.weight[0] = stream.row({"answer": 1.0})
