"""The common part of problems whose models classify words: loss, validation and answers."""

import copy
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.errors import LanguageError
from lengthwise.evaluation.evaluate import answer_of, require_classes
from lengthwise.evaluation.predict import device_of, predict, shares
from lengthwise.languages.characters import listed, written_alphabet
from lengthwise.languages.language import Language
from lengthwise.problems.results import Answer, Predictor
from lengthwise.tasks.task import Batch
from lengthwise.training.loop import Step, Validation
from lengthwise.transfer import sent

Network = TypeVar("Network", bound=nn.Module)


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
    return (answer_of(logits) == sent(classes, logits.device)).double().mean()


def on_device(model: nn.Module, *tensors: Tensor) -> list[Tensor]:
    """Return tensors on the device of a model."""
    device = next(model.parameters()).device
    return [sent(tensor, device) for tensor in tensors]


def words_for(model: nn.Module, *words: Tensor) -> list[Tensor]:
    """Return copies of words, or of their lengths, where a model reads them: mostly on its own
    device. The model may change them in place.
    """
    stay = getattr(model, "reads_on_processor", False)
    return [each.clone() for each in (words if stay else on_device(model, *words))]


def in_precision(model: Network, precision: Literal["single", "double"]) -> Network:
    """Return the model that a proof is about: a copy in double precision, or the model itself."""
    return copy.deepcopy(model).double() if precision == "double" else model


def classify(
    model: nn.Module, language: Language, words: Sequence[tuple[int, ...]]
) -> list[Answer]:
    """Return the class that a model gives to each word, with its probability."""
    logits = predict(model, words, device=device_of(model))
    if words:
        require_classes(logits, language, language.spec or "the language")
    classes = answer_of(logits)
    share = shares(logits).gather(1, classes[:, None])[:, 0].tolist() if words else []
    names = [language.class_names[c] for c in classes.tolist()]
    return [
        Answer(
            shown=name,
            record={"word": language.decode(word), "class": name, "probability": each},
        )
        for word, name, each in zip(words, names, share, strict=True)
    ]


def class_predictor(
    model: nn.Module, language: Language, read: Callable[[str], tuple[int, ...]]
) -> Predictor:
    """Return the predictor that classifies the words that `read` makes of lines."""
    return Predictor(read=read, answer=lambda words: classify(model, language, words), joint=", ")


def require_same_symbols(own: Language, other: Language) -> None:
    """Refuse another language than a model's own that has other symbols or classes.

    Raises:
        LanguageError: it has.
    """
    if (other.alphabet, other.class_names) != (own.alphabet, own.class_names):
        raise LanguageError(
            f"the model was trained on symbols {listed(own.alphabet)!r} and classes "
            f"{' '.join(own.class_names)!r}, but {other.spec} has "
            f"{listed(other.alphabet)!r} and {' '.join(other.class_names)!r}. "
            f"Give a language over the same{_remedy(own, other)}."
        )


def _remedy(own: Language, other: Language) -> str:
    """Return how an expression is given all symbols of a model, if that is what it lacks."""
    is_expression = other.spec.startswith("regex:") and set(other.alphabet) < set(own.alphabet)
    if not is_expression or own.class_names != other.class_names:
        return ""
    return f", regex[{written_alphabet(own.alphabet)}]{other.spec.removeprefix('regex')}"
