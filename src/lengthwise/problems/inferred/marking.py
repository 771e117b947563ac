"""Answers of an inferred automaton that rest on a guess are marked."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from lengthwise.inference.support import Support
from lengthwise.languages.language import Language
from lengthwise.problems.results import Answer

GUESS = "guess"
"""Mark of an answer that rests on a transition that no word passes, or a class that none has."""

Word = tuple[int, ...]


def mark_answers(
    answer: Callable[[Sequence[Word]], Sequence[Answer]],
    language: Language,
    support: Support,
    words: Sequence[Word],
) -> list[Answer]:
    """Return answers, each with the least number of words that a part of its path rests on."""
    answers_marked = []
    for unmarked, word in zip(answer(words), words, strict=True):
        least, _ = support.least(language, word)
        record = {**unmarked.record, "support": least}
        answers_marked.append(replace(unmarked, record=record, mark="" if least else GUESS))
    return answers_marked


def notes_of(language: Language, support: Support, answers: Sequence[Answer]) -> list[str]:
    """Return a line on the answers that are guesses, with the reason of the first."""
    guesses = [answer for answer in answers if answer.mark]
    if not guesses:
        return []
    _, part = support.least(language, language.encode(guesses[0].record["word"]))
    are = "1 answer is a guess" if len(guesses) == 1 else f"{len(guesses):,} answers are guesses"
    return [f"{are}: no word that A was inferred from {part}"]
