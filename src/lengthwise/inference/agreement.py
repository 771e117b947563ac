"""The words that agree with an automaton, and how likely wrong labels alone explain the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.inference.limits import chance_of_at_least
from lengthwise.inference.sample import Sample, answers_of
from lengthwise.languages.language import Language

_SHOWN = 20
"""Greatest number of misjudged words that are listed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """Counts the words of a part, and those that do not have the class that the automaton gives."""

    words: int
    wrong: int
    lines: int
    """Lines of the file with these words; words without wrong labels count as one line each."""
    wrong_lines: int
    """Lines with another label than the automaton gives; at least, if there are three classes."""
    shortest_wrong: tuple[str, ...]
    """The shortest words that it misjudges."""

    @classmethod
    def of(cls, language: Language, sample: Sample) -> "Agreement":
        """Compare an automaton with labelled words."""
        misjudged = answers_of(language, sample) != sample.classes
        rows = np.flatnonzero(misjudged)
        return cls(
            words=len(sample),
            wrong=len(rows),
            lines=sample.num_lines,
            wrong_lines=sample.wrong_lines(misjudged),
            shortest_wrong=tuple(language.decode(sample.word(int(row))) for row in rows[:_SHOWN]),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Chances:
    """Probabilities that wrong labels alone make as many words disagree with A as do, or more.

    They are 1 if no word disagrees, and 0 if one does though no label may be wrong.
    """

    held_out: float
    every: float
    """Among the lines of all words; A was made from most of them."""
    rare: float
    """Among words held out to which A does not give the commonest label of the others."""

    @property
    def least(self) -> float:
        """The least of them."""
        return min(self.held_out, self.every, self.rare)

    @classmethod
    def of(
        cls,
        language: Language,
        known: Sample,
        held_out: Sample,
        parts: Sequence[Agreement],
        *,
        noise: float,
        undecided_lines: int = 0,
    ) -> "Chances":
        """Return how likely wrong labels alone cause at least as many disagreements.

        Of the last part no word is known. Of a word with two labels equally often, as many of the
        undecided lines are wrong as are right, whatever the automaton says.
        """
        answers = answers_of(language, held_out)
        rare = answers != known.shares.argmax()
        wrong = int((answers[rare] != held_out.classes[rare]).sum())
        wrong_lines = sum(each.wrong_lines for each in parts) + undecided_lines
        lines = sum(each.lines for each in parts) + 2 * undecided_lines
        return cls(
            held_out=chance_of_at_least(parts[-1].wrong, parts[-1].words, noise),
            every=chance_of_at_least(wrong_lines, lines, noise),
            rare=chance_of_at_least(wrong, int(rare.sum()), noise),
        )
