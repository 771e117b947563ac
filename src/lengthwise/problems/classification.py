"""The common part of problems whose models classify words: predictors and their answers."""

from collections.abc import Callable, Sequence

from torch import nn

from lengthwise.errors import LanguageError
from lengthwise.evaluation.evaluate import answer_of, require_classes
from lengthwise.evaluation.predict import device_of, logits_of, shares
from lengthwise.languages.characters import format_alphabet, list_symbols
from lengthwise.languages.language import Language
from lengthwise.problems.results import Answer, Predictor


def classify(
    model: nn.Module, language: Language, words: Sequence[tuple[int, ...]]
) -> list[Answer]:
    """Return the class that a model gives to each word, with its probability."""
    logits = logits_of(model, words, device=device_of(model))
    if words:
        require_classes(logits, language, language.spec or "the language")
    classes = answer_of(logits)
    share = shares(logits).gather(1, classes[:, None])[:, 0].tolist() if words else []
    names = [language.class_names[c] for c in classes.tolist()]
    return [
        Answer(
            shown=name,
            record={"word": language.decode(word), "class": name, "probability": probability},
        )
        for word, name, probability in zip(words, names, share, strict=True)
    ]


def class_predictor(
    model: nn.Module, language: Language, read: Callable[[str], tuple[int, ...]]
) -> Predictor:
    """Return the predictor that classifies the words that `read` makes of lines."""
    return Predictor(read=read, answer=lambda words: classify(model, language, words), joint=", ")


def require_same_symbols(language: Language, other: Language) -> None:
    """Refuse another language than a model's own that has other symbols or classes.

    Raises:
        LanguageError: it has.
    """
    if (other.alphabet, other.class_names) != (language.alphabet, language.class_names):
        raise LanguageError(
            f"the model was trained on symbols {list_symbols(language.alphabet)!r} and classes "
            f"{' '.join(language.class_names)!r}, but {other.spec} has "
            f"{list_symbols(other.alphabet)!r} and {' '.join(other.class_names)!r}. "
            f"Give a language over the same{_remedy(language, other)}."
        )


def _remedy(language: Language, other: Language) -> str:
    """Return how to give an expression all symbols of a model, if it lacks some."""
    is_expression = other.spec.startswith("regex:") and set(other.alphabet) < set(language.alphabet)
    if not is_expression or language.class_names != other.class_names:
        return ""
    return f", regex[{format_alphabet(language.alphabet)}]{other.spec.removeprefix('regex')}"
