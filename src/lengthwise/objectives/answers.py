"""The common part of objectives whose networks classify words: loss, accuracy and validation."""

import copy
from typing import Literal, TypeVar

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.device_copies import send
from lengthwise.errors import ConfigError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.tasks.state_maps import IGNORED
from lengthwise.tasks.task import Batch
from lengthwise.training.loop import Step, Validation

Network = TypeVar("Network", bound=nn.Module)

SURE = 0.3
"""Numbers nearer to 0 than this are trained like wrong ones."""

_SHARPNESS = 2.0
"""Factor on numbers in the loss of their signs."""


def require_kind(model: nn.Module, kind: type[Network], lacks: str) -> Network:
    """Return a model of a kind; `lacks` says what a model of another kind does not have or do.

    Raises:
        ConfigError: it is of another kind.
    """
    if not isinstance(model, kind):
        raise ConfigError(f"{type(model).__name__} {lacks}")
    return model


def class_step(logits: Float[Tensor, "word class"], classes: Int[Tensor, " word"]) -> Step:
    """Return the cross-entropy of the classes of a batch, with its accuracy."""
    return Step(F.cross_entropy(logits, classes), accuracy_of(logits, classes), len(logits))


def validate_answers(model: nn.Module, batch: Batch) -> Validation:
    """Classify a batch; the validation is perfect if all answers are right."""
    tokens, lengths = words_for(model, batch.tokens, batch.lengths)
    (classes,) = on_device(model, batch.classes)
    logits = model(tokens, lengths)
    accuracy = accuracy_of(logits, classes).item()
    return Validation(F.cross_entropy(logits, classes).item(), accuracy, accuracy == 1.0)


def accuracy_of(
    logits: Float[Tensor, "word class"], classes: Int[Tensor, " word"]
) -> Float[Tensor, ""]:
    """Return the share of right answers."""
    return (answer_of(logits) == send(classes, logits.device)).double().mean()


def on_device(model: nn.Module, *tensors: Tensor) -> list[Tensor]:
    """Return tensors on the device of a model."""
    device = next(model.parameters()).device
    return [send(tensor, device) for tensor in tensors]


def words_for(model: nn.Module, *words: Tensor) -> list[Tensor]:
    """Return copies of words, or of their lengths, where a model reads them: mostly on its own
    device. The model may change them in place.
    """
    stay = getattr(model, "reads_on_processor", False)
    return [tensor.clone() for tensor in (words if stay else on_device(model, *words))]


def in_precision(model: Network, precision: Literal["single", "double"]) -> Network:
    """Return the model that a proof is about: a copy in double precision, or the model itself."""
    return copy.deepcopy(model).double() if precision == "double" else model


def masked_cross_entropy(
    logits: Float[Tensor, "node class"], targets: Int[Tensor, " node"]
) -> Float[Tensor, ""]:
    """Return the mean cross-entropy over the labelled nodes; 0 if there is none."""
    if not (targets != IGNORED).any():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, send(targets, logits.device), ignore_index=IGNORED)


def sign_loss(sides: Float[Tensor, "*axes bit"]) -> Float[Tensor, ""]:
    """Return the softplus loss of numbers by their distances on the right side of 0.

    It is summed over bits, and the mean over everything else.
    """
    return F.softplus(-_SHARPNESS * sides).sum(dim=-1).mean()
