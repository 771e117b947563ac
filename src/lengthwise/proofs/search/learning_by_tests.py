"""Learn an automaton from any recogniser, with tests in place of a proof of equivalence.

L* (`learning.learn_from_answers`) makes hypotheses; random and systematic words test them
(`sampled_words.WordSource`). An automaton that passes its tests is not proved equal to the
recogniser: `LearnedAutomaton` says so, with a bound on the share of wrong words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import nn

from lengthwise.errors import ConfigError
from lengthwise.inference.limits import round_up, upper_limit
from lengthwise.languages.language import Language
from lengthwise.proofs.search.classifiers import as_classifier, class_names_of
from lengthwise.proofs.search.learning import (
    Answers,
    TooManyStatesError,
    Word,
    blank_machine,
    learn_from_answers,
)
from lengthwise.proofs.search.limits import MAX_STATES
from lengthwise.proofs.search.sampled_words import WordSource

ALPHA = 0.05
"""Probability that the bound on the share of wrong words fails; 1 - ALPHA is its confidence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LearnedAutomaton:
    """A language learned by queries and tests, with the results of the tests.

    `print(learned)` writes them in a paragraph.

    Examples:
        >>> import lengthwise as lw
        >>> def threes(words):
        ...     return [word.count("a") % 3 == 0 for word in words]
        >>> learned = lw.interpret.learn_automaton(threes, "ab", num_tests=500)
        >>> learned.language.num_states
        3
    """

    language: Language
    """With `agrees_with_tests`, the hypothesis that passed a round of tests; otherwise, of all
    hypotheses, the one with fewest disagreements (on words other than the fresh ones)."""
    agrees_with_tests: bool
    """Whether a round of tests found no disagreement; if not, `max_states` was exceeded before. On
    untested words the recogniser may still differ, and it may not be regular at all."""
    tested: int
    """Number of different words in that round; 0 if there was none."""
    fresh: int
    """Number of words drawn afterwards, independently of each other and of the learning."""
    fresh_wrong: int
    """Number of these words that the recogniser puts into another class."""
    lengths: tuple[int, int]
    """Shortest and longest length that the fresh words are drawn from."""
    drawn: str
    """Description of the distribution of the fresh words."""
    disagreements: tuple[str, ...]
    """The different words among the wrong ones, shortest first."""
    counterexample: str | None
    """If it does not agree, a word on which language and recogniser are known to differ."""
    queries: int
    """Number of words that the recogniser was asked; none was asked twice."""

    @property
    def wrong_share_below(self) -> float:
        """Upper bound, at 95 % confidence, on the share of wrong words among words like the fresh.

        This is the upper limit of Clopper and Pearson (1934), 1 - 0.05^(1/N) if none of N words is
        wrong. The N words are drawn once, after the language was chosen, so that it does not matter
        how many rounds of tests came before.
        """
        return upper_limit(self.fresh_wrong, self.fresh, ALPHA)

    def __str__(self) -> str:
        """Write the result in a paragraph, as a test and not as a proof."""
        states = self.language.num_states
        machine = f"A machine of {states} state{'' if states == 1 else 's'}"
        if self.agrees_with_tests:
            head = (
                f"{machine} agrees with the recogniser on all {self.tested:,} words of a last round"
            )
        else:
            head = (
                f"{machine} is not the recogniser: it differs on {self.counterexample!r}, and "
                f"max_states was passed before any machine agreed on all tests"
            )
        outcome = "no disagreement"
        if self.fresh_wrong:
            outcome = f"{self.fresh_wrong:,} disagree, the shortest is {self.disagreements[0]!r}"
        first, last = self.lengths
        share = round_up(100 * self.wrong_share_below)
        return (
            f"{head}. Tested on {self.fresh:,} fresh words of lengths {first}..{last}: {outcome}; "
            f"with {100 * (1 - ALPHA):.0f} % confidence it is wrong on less than {share} % of "
            f"words drawn like these ({self.drawn}). Nothing is claimed of other words. "
            f"{self.queries:,} words were asked."
        )


def learn_by_tests(
    recogniser: nn.Module | Callable[[list[str]], Sequence[Any]],
    alphabet: Sequence[str],
    *,
    classes: Sequence[str] | None = None,
    domain: Language | None = None,
    max_length: int = 40,
    num_tests: int = 10_000,
    seed: int = 0,
    max_states: int = MAX_STATES,
    batch_size: int = 1024,
) -> LearnedAutomaton:
    """Learn an automaton from any recogniser by asking it words; `.language` is the automaton.

    `recogniser` is a model (right-aligned tokens and lengths to logits), or any function from a
    list of written words to their classes: names out of `classes`, or truth values, or numbers of
    classes. Without `classes`, they are those of the model's configuration, or 0 and 1. With a
    `domain`, only its words are asked.

    A hypothesis is accepted when it agrees with all answers so far and on `num_tests` words (less
    those drawn twice). A third are all the shortest words; a third lead to a state of the
    hypothesis, then continue at random, then along a suffix that separates its states; a third are
    audited words of the hypothesis of 0 to `max_length` symbols: all its classes alike, and near
    misses. Then `num_tests` fresh words are drawn, independently of each other and of all before,
    and `LearnedAutomaton.wrong_share_below` is the bound that they support: with 95 % confidence
    the automaton is wrong on a smaller share of the words drawn like them. Each has a uniform
    length of 0 to `max_length`, then a uniform class of the automaton, and is a uniform word of
    that length and class; half of the words (of two classes: of the non-members) are near misses,
    one edit away from a uniform word of another class. Nothing is claimed about other words: a
    difference that shows only on long words, or on one word, is not found. The first answer to a
    word counts, and words that the table needs may be longer than `max_length`.

    >>> even = learn_by_tests(lambda words: [w.count("1") % 2 == 0 for w in words], "01")
    >>> even.language.num_states, even.agrees_with_tests, even.disagreements
    (2, True, ())
    >>> round(even.wrong_share_below, 5)
    0.0003

    If the recogniser turns out to need more than `max_states` states (it is not regular, or makes
    scattered mistakes), the best hypothesis so far is returned with `agrees_with_tests=False`, one
    word on which it is wrong, and the measured disagreement.

    Raises:
        ConfigError: a number is out of range, the model has other numbers of symbols or classes, or
            the recogniser answers with something else than one of the classes for each word.
        LanguageError: the alphabet, the classes and the domain do not fit together, or even the
            first hypothesis has more than `max_states` states.
    """
    for name, value, least in (
        ("max_length", max_length, 0),
        ("num_tests", num_tests, 1),
        ("max_states", max_states, 1),
        ("batch_size", batch_size, 1),
    ):
        if value < least:
            raise ConfigError(f"{name} is at least {least}, but it is {value}.")
    blank = blank_machine(alphabet, class_names_of(recogniser, classes), domain)
    if next(blank.words(max_length=max_length), None) is None:
        raise ConfigError(
            f"the domain has no word of at most max_length={max_length} symbols. Raise max_length."
        )
    answers = Answers(as_classifier(recogniser, blank, batch_size))
    draws = WordSource(blank, max_length, seed)
    trials: list[tuple[Language, Word]] = []
    tested = 0

    def find_counterexample(hypothesis: Language) -> Word | None:
        nonlocal tested
        word = _shortest_difference(hypothesis, answers, list(answers.known))
        if word is None:
            words = draws.tests(hypothesis, num_tests)
            tested = len(words)
            for first in range(0, len(words), batch_size):
                batch = words[first : first + batch_size]
                word = _shortest_difference(hypothesis, answers, batch)
                if word is not None:
                    break
        if word is not None:
            trials.append((hypothesis, word))
        return word

    counterexample: Word | None = None
    try:
        language = learn_from_answers(answers, blank, find_counterexample, max_states=max_states)
    except TooManyStatesError:
        if not trials:
            raise
        tested = 0
        # Among words of the table, a later hypothesis is right by making.
        words = draws.draw_unasked(trials[-1][0], num_tests, answers)
        language, counterexample = min(
            trials, key=lambda pair: len(_differences(pair[0], answers, words))
        )
    fresh, lengths, distribution = draws.independent(language, num_tests)
    wrong = _differences(language, answers, fresh)
    return LearnedAutomaton(
        language=language,
        agrees_with_tests=counterexample is None,
        tested=tested,
        fresh=len(fresh),
        fresh_wrong=len(wrong),
        lengths=lengths,
        drawn=distribution,
        disagreements=tuple(map(language.decode, sorted(set(wrong), key=lambda w: (len(w), w)))),
        counterexample=None if counterexample is None else language.decode(counterexample),
        queries=len(answers.known),
    )


def _differences(language: Language, answers: Answers, words: Sequence[Word]) -> list[Word]:
    """Return the words of a list that the recogniser puts into other classes."""
    pairs = zip(words, answers(words), strict=True)
    return [word for word, c in pairs if language.classes[language.run(word)] != c]


def _shortest_difference(
    language: Language, answers: Answers, words: Sequence[Word]
) -> Word | None:
    return min(_differences(language, answers, words), key=len, default=None)
