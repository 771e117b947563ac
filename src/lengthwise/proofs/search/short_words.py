"""Short words, tried one by one on a model as it runs, where there is no proof."""

from itertools import islice

from torch import nn

from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import logits_of
from lengthwise.languages.language import Language

_MOST_TRIED = 4096
_LONGEST_TRIED = 256


def try_short_words(model: nn.Module, language: Language, doubt: str) -> tuple[int, str]:
    """Return the length up to which all words are right, and the doubt with the first wrong word.

    The length is -1 if the empty word is wrong.
    """
    words, wrong = wrong_words(model, language)
    right_to = (len(wrong[0]) if wrong else len(words[-1]) if words else 1) - 1
    doubt = doubt.rstrip(".")
    if wrong:
        word = repr(language.decode(wrong[0])) if wrong[0] else "the empty word"
        doubt = f"{doubt}; the model as it runs is wrong on {word}"
    return right_to, doubt


def wrong_words(
    model: nn.Module, language: Language
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return short words, and the words among them that the model puts into another class."""
    words = list(islice(language.words(max_length=_LONGEST_TRIED), _MOST_TRIED))
    if not words:
        return [], []
    classes = language.classes
    answers = answer_of(logits_of(model, words, device=next(model.parameters()).device)).tolist()
    return words, [w for w, c in zip(words, answers, strict=True) if c != classes[language.run(w)]]
