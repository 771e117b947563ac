r"""A layer that makes the cross-entropy arbitrarily small (Chiang & Cholak 2022, Proposition 2).

Idea. Let s be the logit of an encoder whose vectors have mean zero. One more layer keeps only s:
its hidden units are relu(x_j) and relu(-x_j) for every coordinate j, so their differences are x,
and the feed-forward network adds -x, which cancels the residual connection, and (s, -s) in two
coordinates. (The idle attention's norm multiplies x, and so s, by a positive number before that.)
Layer normalisation then sees (s, -s, 0, ..., 0), of mean 0 and variance 2 s^2 / d:

    s' = s / sqrt(2 s^2 / d + eps)

Exactness. With eps = 0 this is sqrt(d/2) times the sign of s, however small s is, unless s = 0.
The read-out multiplies it by

    g = -log(exp(eta) - 1) / sqrt(d/2),

so the cross-entropy of a word on the right side is log(1 + exp(-g sqrt(d/2))) = eta, in nats. QED

Rounding does no harm if the first two coordinates are 0 before, as they are at CLS: other values
would have to cancel against s.

Departures from the paper. The paper leaves out two minus signs (the cross-entropy is -log
sigma(...), not log sigma(...)). Its g is zero at eta = log 2 and negative above, which would turn
all answers round; as a cross-entropy of at most eta is asked for, we take the g of `MAX_ETA` there.
It lets a network reject a word with s = 0, where the norm divides 0 by 0, and its own networks do
so with the empty word; ours have s < 0 there. With eps > 0, s' -> 0 as s -> 0: the cross-entropy
grows with the length again.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.constructions.coordinates import Coordinates
from lengthwise.constructions.weights import set_unit
from lengthwise.errors import ConstructionError
from lengthwise.models.encoder import Encoder
from lengthwise.models.transformer_layer import TransformerLayer

MAX_ETA = 0.5
"""Largest eta: at log 2 = 0.693 the network may as well guess."""


def logit_for(eta: float) -> float:
    """Return -log(exp(eta) - 1), the logit whose cross-entropy is eta (at most `MAX_ETA`).

    Raises:
        ConstructionError: eta is not positive, or so small that 1 + exp(-logit) is 1 in float64.
    """
    if not 0 < eta < math.inf:
        raise ConstructionError(f"a cross-entropy is positive, but eta={eta}. Use 0.001, say.")
    if eta < MIN_ETA:
        raise ConstructionError(
            f"eta={eta} is below {MIN_ETA:.1e}, the least that float64 resolves. Use a larger one."
        )
    return -math.log(math.expm1(min(eta, MAX_ETA)))


MIN_ETA = 2.0**-52
"""Least eta: a cross-entropy log(1 + x) with smaller x is zero in float64."""


def keep_only_logit(
    layer: TransformerLayer, coordinates: Coordinates, logit: Float[Tensor, " width"]
) -> None:
    """Set `layer` to that of Proposition 2: the first two coordinates hold s and -s."""
    width = coordinates.width
    answer = torch.zeros(width, dtype=torch.float64)
    answer[0], answer[1] = 1.0, -1.0
    for j, row in enumerate(torch.eye(width, dtype=torch.float64)):
        column = logit[j] * answer - row
        set_unit(layer, 2 * j, row, column)
        set_unit(layer, 2 * j + 1, -row, -column)


@torch.no_grad()
def make_confident(model: Encoder, stream: Coordinates, gain: float) -> None:
    """Turn the third layer of `model` into that of Proposition 2, with `gain` as read-out."""
    keep_only_logit(model.block[2], stream, stream.row({"answer": 1.0}))
    model.answer.weight.zero_()
    model.answer.weight[0, 0] = gain
