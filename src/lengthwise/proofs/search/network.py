"""The torch side of proofs: a model's weights, and its own predictions."""

import platform
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lengthwise.errors import VerificationError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.languages.language import Language
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.custom_network import Adapted
from lengthwise.models.rational_gpt import RationalGPT
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.proofs.check.bfloat16_balls import Precision
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.search.integrity import (
    PROVABLE,
    Provable,
    require_plain,
    require_plain_arithmetic,
)

if TYPE_CHECKING:
    from lengthwise.proofs.check.recurrent_node import RecurrentNode


def require_regular_gpt(model: nn.Module) -> RegularGPT:
    """Return the model in evaluation mode if it computes what its settings and weights say.

    The model must compose vectors of sub-words; otherwise it is as for `require_provable`.

    Raises:
        VerificationError: it does not, or has hooks or code of its own.
    """
    if type(model) not in (RegularGPT, RationalGPT):  # another subclass may do anything
        raise VerificationError(
            f"tables are made of vectors of sub-words, but {_name(model)} has none. "
            f"Use a RegularGPT. In Python lw.extract also reads networks that keep bits, "
            f"slots or tokens, and lw.interpret.learn_automaton tests any model."
        )
    require_provable(model)
    assert isinstance(model, RegularGPT)
    return model


def _name(model: nn.Module) -> str:
    return type(model.module if isinstance(model, Adapted) else model).__name__


def require_provable(model: nn.Module) -> Provable:
    """Return the model in evaluation mode if it computes what its settings and weights say.

    The model must be one of `PROVABLE`, in floats whose rounding is known, be a plain module, and
    run under torch's default arithmetic.

    Raises:
        VerificationError: it is not, or has hooks or code of its own.
    """
    if type(model) not in PROVABLE:  # a subclass may do anything
        raise VerificationError(
            f"{_name(model)} is not a model of the package that is proved as it runs, such as "
            f"regular-gpt-binary or gru-binary. Of a network with start and step, or a recurrent "
            f"cell of torch, the snapped one can be proved, in the type of its weights; lengthwise "
            f"examine tests any model."
        )
    assert isinstance(model, Provable)
    require_plain(model)
    types = {weight.dtype for weight in model.parameters()}
    if types not in ({torch.float32}, {torch.float64}):
        raise VerificationError(
            f"bounds on rounding are known for float32 and float64, but the weights are "
            f"{', '.join(sorted(str(t) for t in types))}. Use model.float()."
        )
    require_plain_arithmetic(model)
    return model.eval()


def require_suitable_precision(model: Provable, strength: str, precision: Precision) -> None:
    """Refuse bfloat16 where there are no bounds for it.

    Raises:
        VerificationError: the precision is not known, the model keeps something else than bits or
            tokens, or torch may sum up in bfloat16.
    """
    if precision == "weights":
        return
    if precision != "bfloat16":
        raise VerificationError(
            f"proofs are about the arithmetic of the weights' type or about bfloat16, but "
            f"precision={precision!r:.40}. Use 'weights' or 'bfloat16'."
        )
    if strength != "discrete":
        raise VerificationError(
            f"bounds for bfloat16 are for networks that keep bits or tokens, but {strength} proofs "
            f"are about others. Train regular-gpt-binary, gru-binary or scratchpad-window."
        )
    matmul = torch.backends.cuda.matmul
    if next(model.parameters()).is_cuda and matmul.allow_bf16_reduced_precision_reduction:
        raise VerificationError(
            "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction is on, so that sums "
            "may be rounded to bfloat16, which bounds do not cover. Set it to False."
        )


def require_same_classes(model: Provable, language: Language) -> None:
    """Refuse a language over other symbols or classes than the model's.

    Raises:
        VerificationError: their numbers differ.
    """
    made_for = (model.config.vocab_size, model.config.num_classes)
    expected = (language.num_symbols, language.num_classes)
    if made_for != expected:
        raise VerificationError(
            f"the model has {made_for[0]} symbols and {made_for[1]} classes, but "
            f"{language.spec or 'the language'} has {expected[0]} and {expected[1]}. Give a "
            f"language over the model's own alphabet and classes."
        )


def weights_of(model: nn.Module) -> dict[str, NDArray[Any]]:
    """Return the weights by name; those of bfloat16 as float32, which holds them exactly.

    Raises:
        VerificationError: the network's state dictionary has something other than tensors.
    """
    for name, weight in model.state_dict().items():
        if not isinstance(weight, torch.Tensor):
            raise VerificationError(
                f"a proof is about weights, but {name!a:.40} in the network's state dictionary is "
                f"a {type(weight).__name__}. Keep it out of get_extra_state."
            )
    weights = {name: w.detach().cpu() for name, w in model.state_dict().items()}
    return {
        name: (w.float() if w.dtype == torch.bfloat16 else w).numpy() for name, w in weights.items()
    }


def list_versions() -> dict[str, str]:
    """Return the versions of the software that makes a certificate."""
    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": np.__version__,
    }


def node_of(model: RegularGPT, precision: Precision = "weights") -> Node:
    """Build the node function of a model from its weights."""
    return Node(model.config.of_function(), weights_of(model), precision)


def recurrent_node_of(model: BinaryRecurrent, precision: Precision = "weights") -> "RecurrentNode":
    """Build the step function of a recurrence of bits from its weights."""
    from lengthwise.proofs.check.recurrent_node import RecurrentNode  # noqa: PLC0415  not of trees

    return RecurrentNode(model.config.to_dict(), weights_of(model), precision)


@torch.no_grad()
def predict_class(model: nn.Module, word: tuple[int, ...]) -> int | None:
    """Return the class that the model itself gives to a word; None if its logits are NaN."""
    device = next(model.parameters()).device
    tokens = torch.tensor([word], dtype=torch.int64, device=device)
    logits = model(tokens)
    return int(answer_of(logits)[0]) if bool(logits.isfinite().all()) else None
