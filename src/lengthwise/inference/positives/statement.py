"""The statement about the smallest language of a class that has all words of one label.

The words cannot say that it is the language meant: that would take one outside it. So the statement
says the assumption, how many of the words held out the language has, and how large it is. The bound
is that of `inference.statement`, about different words: a word that is not in A counts as wrong.

A is refuted where more words held out are missing than `choice.RARE` explains: the language meant
has them, so it is larger, or of another class. One that has all words says nothing.
"""

from dataclasses import dataclass

import numpy as np

from lengthwise.inference.agreement import Agreement
from lengthwise.inference.limits import chance_of_at_least, limit_of_different, round_up
from lengthwise.inference.positives.choice import DOUBTFUL, RARE, PositiveChoice
from lengthwise.inference.positives.sizes import log_shares
from lengthwise.inference.sample import Sample
from lengthwise.inference.statement import CONFIDENCE, Verdict, WordStatement
from lengthwise.languages.language import Language
from lengthwise.messages import format_count

_LISTED = 3
"""Number of lengths whose words are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LengthCount:
    """The words of a length that a language has, and all of that length, as logarithms to base 2.

    `words` is None where it has none.
    """

    length: int
    words: float | None
    every: float


@dataclass(frozen=True, kw_only=True, slots=True)
class PositiveStatement(WordStatement):
    """Holds what words of one label say of an automaton; `sentences` writes it."""

    assumed: str
    """The class and its level, such as `2-testable`."""
    means: str
    """The property of a word that decides in this class whether it is in the language."""
    states: int
    words: int
    """Number of words of training and validation; A has all of them."""
    held_out: Agreement
    """Words held out, and those that A does not have."""
    confidence: float
    missing_share_below: float
    """With this confidence, the share of different words like those held out that A lacks."""
    share_of_all: float
    """Share of all words, as long as those held out, that A has."""
    counts: tuple[LengthCount, ...]
    """The number of words that A has, of the least, middle and greatest length held out."""

    @property
    def verdict(self) -> Verdict:
        """The verdict of the words about A."""
        if self.share_of_all == 1:
            return "at chance"
        chance = chance_of_at_least(self.held_out.wrong, self.held_out.words, RARE)
        if chance < 1 - self.confidence:
            return "refuted"
        return "in doubt" if chance < DOUBTFUL else ""

    @property
    def headline(self) -> str:
        """The result on the words held out, and the size of the language."""
        held = self.held_out
        result = (
            f"has {held.words - held.wrong:,} of {format_count(held.words, 'word')} held out, and "
            f"{_percent(self.share_of_all)} of all words as long"
        )
        return f"{self.verdict}: {result}" if self.verdict else result

    def sentences(self) -> list[str]:
        """Return the statement in sentences; what speaks against A comes first."""
        held = self.held_out
        sizes = ", ".join(_format_count(count) for count in self.counts)
        return [
            *self._against(),
            f"A is the smallest {self.assumed} language that has the "
            f"{format_count(self.words, 'word')} "
            f"of training and validation, an automaton of {format_count(self.states, 'state')}. "
            f"Of the words held out it has {held.words - held.wrong:,} of {held.words:,}.",
            f"The assumption: {self.means}. Each {self.assumed} language with these words has all "
            f"words of A. All words here have one label, so none shows what is outside the "
            f"language: only the assumption does, and a larger language fits as well.",
            f"With confidence {100 * self.confidence:g} %, A lacks less than "
            f"{round_up(100 * self.missing_share_below)} % of different words like those held "
            f"out, each counted once; this needs words that come independently of one another.",
            f"Of all words as long as those held out, A has {_percent(self.share_of_all)}: "
            f"{sizes}.",
        ]

    def _against(self) -> list[str]:
        """Return the sentence that refutes A or doubts it, if there is one."""
        held = self.held_out
        if self.verdict == "at chance":
            return [
                "The words show no rule: A has all words over these symbols. Give words with two "
                "labels, or more words, or assume another class."
            ]
        if not self.verdict:
            return []
        verb = "is not" if self.verdict == "refuted" else "may not be"
        return [
            f"A {verb} the language: it lacks {held.wrong:,} of "
            f"{format_count(held.words, 'word')} held "
            f"out, such as {held.shortest_wrong[0]!r}. Give more words, or assume another class."
        ]


def state_positives(
    choice: PositiveChoice, language: Language, words: int, held: Sample
) -> PositiveStatement:
    """Return what words of one label say of a chosen language.

    The part that was held out must have had no influence on it; `words` counts the others.
    """
    agreement = Agreement.of(language, held)
    lengths = np.sort(held.lengths)
    logs = log_shares(language, int(lengths[-1]))
    shares = np.exp2(logs)
    some_lengths = dict.fromkeys(
        lengths[np.linspace(0, len(lengths) - 1, _LISTED).astype(int)].tolist()
    )
    every = np.log2(language.num_symbols)
    return PositiveStatement(
        assumed=choice.assumed.at(choice.level),
        means=choice.assumed.means(choice.level),
        states=language.num_states,
        words=words,
        held_out=agreement,
        confidence=CONFIDENCE,
        missing_share_below=limit_of_different(agreement.wrong, agreement.words, 1 - CONFIDENCE),
        share_of_all=1.0 if _has_all(language) else float(shares[lengths].mean()),
        counts=tuple(
            LengthCount(
                length=length,
                words=float(logs[length] + length * every) if shares[length] > 0 else None,
                every=float(length * every),
            )
            for length in some_lengths
        ),
    )


def _has_all(language: Language) -> bool:
    return all(language.classes[state] == 1 for state in language.reachable())


def _percent(share: float) -> str:
    return f"{float(f'{100 * share:.2g}'):g} %"


def _format_count(count: LengthCount) -> str:
    has = "none" if count.words is None else f"2^{count.words:.1f}"
    return f"{has} of the 2^{count.every:.1f} words of {format_count(count.length, 'symbol')}"
