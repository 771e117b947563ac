"""Setters of transformer weights along named directions.

Weights that are not set are zero: such a head or unit does nothing.

Axes:
    width   numbers in a vector of the residual stream
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.constructions.coordinates import Coordinates
from lengthwise.errors import ConstructionError
from lengthwise.layers.attention import Attention
from lengthwise.layers.encodings import FeaturePosition
from lengthwise.models.encoder import Encoder, EncoderConfig
from lengthwise.models.meta_networks import undrawn
from lengthwise.models.transformer_layer import TransformerLayer

HEAD_WIDTH = 4
"""Width of a head: its square root is exact, so the logits are exactly as written."""

MIN_LOGIT, MAX_LOGIT = 1e-6, 64.0
"""Least and largest logit. Outside this range the rounding of float64 gives wrong answers on words
of 1,000,000 symbols or fewer: small logits are rounded away; with large ones layer norm can make
the logits at some positions larger than at the right one.
"""

MAX_EPSILON = 1e50
"""Largest epsilon: above it a network whose three layers divide by epsilon loses all information.
"""


def zero_weights(model: nn.Module) -> None:
    """Set all weights to zero and those of norms to one, in float64 and evaluation mode."""
    model.double().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.fill_(float(name.endswith("norm.weight")))


def count_parameters(module: Callable[[Any], nn.Module], config: Any) -> int:
    """Return the number of parameters of a network, which is not built."""
    with undrawn():
        return sum(parameter.numel() for parameter in module(config).parameters())


def zero_encoder(stream: Coordinates, **settings: Any) -> Encoder:
    """Build an encoder of binary words with this residual stream and all weights zero."""
    config = {
        "vocab_size": 2,
        "num_classes": 2,
        "d_model": stream.width,
        "head_width": HEAD_WIDTH,
        "d_hidden": 2 * stream.width,
        **settings,
    }
    model = Encoder(EncoderConfig.from_dict(config))
    zero_weights(model)
    return model


@torch.no_grad()
def set_head(
    attention: Attention,
    head: int,
    *,
    ask: Float[Tensor, " width"] | None = None,
    offer: Float[Tensor, " width"] | None = None,
    moves: Sequence[tuple[Float[Tensor, " width"], Float[Tensor, " width"]]],
) -> None:
    """Set a head with logits (ask·x)(offer·y) that moves row·y into a column for each of `moves`.

    Without `ask` and `offer` it attends to all positions equally.
    """
    if ask is not None and offer is not None:
        first = head * attention.head_width
        attention.query.weight[first] = ask * math.sqrt(attention.head_width)
        attention.key.weight[first] = offer
    for slot, (row, column) in enumerate(moves, start=head * attention.value_width):
        attention.value.weight[slot] = row
        attention.output.weight[:, slot] = column


@torch.no_grad()
def set_positions(model: Encoder, columns: Sequence[Float[Tensor, " width"]]) -> None:
    """Set the directions along which the features of positions are written."""
    assert isinstance(model.position, FeaturePosition)
    model.position.directions.copy_(torch.stack(list(columns)))


@torch.no_grad()
def set_unit(
    layer: TransformerLayer,
    unit: int,
    row: Float[Tensor, " width"],
    column: Float[Tensor, " width"],
    *,
    bias: float = 0.0,
) -> None:
    """Set a hidden unit to relu(row·x + bias), added to the stream along `column`."""
    layer.expand.weight[unit] = row
    layer.expand.bias[unit] = bias
    layer.contract.weight[:, unit] = column


def require_epsilon(epsilon: float) -> None:
    """Refuse an epsilon that is negative or too large for layer normalisation."""
    if not epsilon >= 0:
        raise ConstructionError(
            f"layer normalisation adds epsilon >= 0 to the variance, but epsilon={epsilon}. "
            f"Use 0 or more."
        )
    if epsilon > MAX_EPSILON:
        raise ConstructionError(
            f"each layer divides its numbers by epsilon, and float64 keeps nothing of them with "
            f"epsilon={epsilon}. Use {MAX_EPSILON:.0e} or less."
        )


def require_sharpness(sharpness: float, share: float = 1.0) -> None:
    """Refuse a sharpness out of range; layer norm keeps a share `share` of the logits."""
    if not MIN_LOGIT <= sharpness * share <= MAX_LOGIT:
        raise ConstructionError(
            f"sharpness={sharpness} gives attention logits of about {sharpness * share:.3g}, which "
            f"float64 rounds to wrong answers. Use {MIN_LOGIT / share:.3g} to "
            f"{MAX_LOGIT / share:.3g}."
        )
