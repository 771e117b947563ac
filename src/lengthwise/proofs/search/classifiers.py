"""Any recogniser, a model or a Python function, as a function from encoded words to classes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from lengthwise.deadline import require_time
from lengthwise.errors import ConfigError
from lengthwise.evaluation.evaluate import answer_of, require_numbers
from lengthwise.evaluation.predict import logits_of
from lengthwise.languages.language import Language
from lengthwise.languages.validation import short
from lengthwise.proofs.search.learning import Classify, Word


def class_names_of(recogniser: object, classes: Sequence[str] | None) -> tuple[str, ...]:
    """Return the given classes, or 0..n-1 for the n classes of a model (2 of a function)."""
    if classes is not None:
        return tuple(classes)
    number = getattr(getattr(recogniser, "config", None), "num_classes", 2)
    return tuple(map(str, range(number)))


def as_classifier(
    recogniser: nn.Module | Callable[[list[str]], Sequence[Any]], blank: Language, batch_size: int
) -> Classify:
    """Wrap a recogniser as a function of encoded words that sees at most `batch_size` at once.

    Raises:
        ConfigError: the model has other numbers of symbols or classes than `blank`; the returned
            function raises it for answers that are not one class for each word.
    """
    ask = (
        _model_classifier(recogniser, blank)
        if isinstance(recogniser, nn.Module)
        else _function_classifier(recogniser, blank)
    )

    def classify(words: Sequence[Word]) -> list[int]:
        classes: list[int] = []
        for first in range(0, len(words), batch_size):
            require_time()
            classes += ask(words[first : first + batch_size])
        return classes

    return classify


def _model_classifier(model: nn.Module, blank: Language) -> Callable[[Sequence[Word]], list[int]]:
    made_for = getattr(getattr(model, "config", None), "vocab_size", blank.num_symbols)
    if made_for != blank.num_symbols:
        raise ConfigError(
            f"the model was made for {made_for} symbols, but the alphabet has "
            f"{blank.num_symbols}. Give the alphabet of its language."
        )
    model.eval()
    parameter = next(model.parameters(), None)
    device = torch.device("cpu") if parameter is None else parameter.device

    def ask(words: Sequence[Word]) -> list[int]:
        logits = logits_of(model, words, device=device)
        if logits.shape[1] != blank.num_classes:
            raise ConfigError(
                f"the model tells {logits.shape[1]} classes apart, but there are "
                f"{blank.num_classes} ({', '.join(blank.class_names[:8])}). Name all in `classes`."
            )
        require_numbers(logits)
        answers: list[int] = answer_of(logits).tolist()
        return answers

    return ask


def _function_classifier(
    function: Callable[[list[str]], Sequence[Any]], blank: Language
) -> Callable[[Sequence[Word]], list[int]]:
    index = {name: c for c, name in enumerate(blank.class_names)}

    def ask(words: Sequence[Word]) -> list[int]:
        answer = function([blank.decode(word) for word in words])
        answers = answer.tolist() if hasattr(answer, "tolist") else answer  # arrays, tensors
        if not isinstance(answers, Iterable) or isinstance(answers, str | bytes | Mapping):
            raise ConfigError(
                f"the recogniser gave {short(answer)} for a list of {len(words)} words; it must "
                f"give a list with one class for each word."
            )
        answers = list(answers)
        if len(answers) != len(words):
            raise ConfigError(
                f"the recogniser gives one class for each word, but with {len(words)} words it "
                f"gave {len(answers)}."
            )
        return [number(answer) for answer in answers]

    def number(answer: object) -> int:
        if isinstance(answer, str) and answer in index:
            return index[answer]
        if isinstance(answer, int) and 0 <= answer < blank.num_classes:
            return int(answer)
        raise ConfigError(
            f"the recogniser gives one of the classes {', '.join(blank.class_names[:8])} (or its "
            f"number, or a truth value), but it gave {short(answer)}."
        )

    return ask
