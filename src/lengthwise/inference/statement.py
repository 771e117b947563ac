"""The statement: how sure we may be that an automaton is the language that labelled words mean.

A proof says what a network computes, not whether that is what the words mean. Of that the words
say three things: on how many of those held out the automaton is wrong, which bounds its errors on
words like them; whether they force it among automata of as many states (`distinguish`); and how
many words each of its transitions rests on (`support`).

The bound. A hash of each word decides whether it is held out, so the lines of one word are held out
together. Errors among lines would be errors of clusters: one word can be half of all lines. So each
different word counts once, and the bound is about different words: of those that another file of
this kind has among the words that this hash holds out, the expected share on which A is wrong. It
is true whatever the frequencies are, provided that the words come independently of one another (one
word may come in bursts), since A does not depend on words that are held out: the proof is that of
`limits.limit_of_different`. It says nothing of draws: A may be wrong on a word that is half of all.

The refutation. If A is the language and a share e of labels is wrong at most, independently, then
of N lines Bin(N, e) at most are labelled otherwise than A says; of N words, too, since a repeated
word has the label of most of its lines. A is refuted where as many as were seen have a probability
below a third of 1 - `CONFIDENCE` in one of three tests: among the words held out, among the lines
of all words, or among the words held out to which A does not give the commonest label.
With e = 0 one word refutes. So an automaton that is the language is refuted with probability 1 -
`CONFIDENCE` at most. Where few words are held out or many labels are wrong, an automaton at chance
may not be refuted. So one that is not clearly better than a shortcut is called not found if it is
only in doubt.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from lengthwise.inference.agreement import Agreement, Chances
from lengthwise.inference.distinguish import (
    access_words,
    characteristic,
    choose_distinguished,
    witness,
    words_at_transitions,
)
from lengthwise.inference.limits import chance_of_at_least, limit_of_different, round_up
from lengthwise.inference.sample import Sample, join_samples
from lengthwise.inference.shortcuts import best_shortcut
from lengthwise.inference.support import Support
from lengthwise.languages.language import Language
from lengthwise.languages.validation import short
from lengthwise.messages import format_count

CONFIDENCE = 0.999
"""Probability with which the bound holds, whatever the true share of wrong words is; and with
which an automaton that is the language is not refuted."""

_TESTS = 3
"""Number of tests; each may refute."""

Verdict: TypeAlias = Literal["", "in doubt", "at chance", "not found", "refuted"]
"""What words say against an automaton: nothing; more of them disagree than is likely; it gives all
of them one label; more of those held out disagree than is likely, and it is not clearly better on
them than a shortcut; it is not the language, or more labels are wrong than was said."""

CLEARLY = 0.001
"""Probability below which an automaton is called better than a shortcut: that of a result as good,
or better, by one that only equals the shortcut."""

DOUBTFUL = 0.05
"""Probability below which a number of wrong labels is called unlikely."""

THIN = 10
"""Number of words below which a transition is called thin."""

_COUNTED = 10**18
"""Greatest number of words that is written out; more digits do not fit a number of JSON readers."""

_HELPS = (
    "Give shorter words too, more words, a larger budget or max_states, or a class that the "
    "language is known to have (assume)."
)
"""What helps where a language is not found."""

_SHOWN = 20
"""Greatest number of thin transitions that are listed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ThinTransition:
    """A transition that few words of training pass."""

    after: str
    """The shortest word to its state."""
    symbol: str
    words: int


@dataclass(frozen=True, kw_only=True, slots=True)
class WordStatement(ABC):
    """Says what words show of an automaton, and their verdict on it."""

    inferred: ClassVar[str] = "A"
    """The name of what was inferred."""
    evidence: ClassVar[str] = "words"
    """The kind of what it was inferred from."""

    @property
    @abstractmethod
    def verdict(self) -> Verdict:
        """What the words say against A, if they do."""

    @property
    def refutation(self) -> str:
        """The sentence that says why A is not the language; empty if the words do not say so."""
        return "" if self.verdict in ("", "in doubt") else self._against()[0]

    @property
    @abstractmethod
    def headline(self) -> str:
        """The result on the words held out."""

    @abstractmethod
    def sentences(self) -> list[str]:
        """Return the statement in sentences; what speaks against A comes first."""

    @abstractmethod
    def _against(self) -> list[str]:
        """Return the sentence that refutes A or doubts it, if there is one."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; what leads comes first, and the sentences come last."""
        lead = {
            "inferred": self.inferred,
            "evidence": self.evidence,
            "headline": self.headline,
            "verdict": self.verdict,
            "refutation": self.refutation,
        }
        return {**lead, **asdict(self), "sentences": self.sentences()}


@dataclass(frozen=True, kw_only=True, slots=True)
class DataStatement(WordStatement):
    """Holds what labelled words say of an automaton; `sentences` writes it."""

    states: int
    label_noise: float
    undecided: int
    """Words that are left out, as no label of theirs has the most lines."""
    training: Agreement
    validation: Agreement
    held_out: Agreement
    shortcut: str
    """The shortcut that is right on most of the words held out, learnt from those of training."""
    shortcut_right: int
    """Words held out on which it is right."""
    confidence: float
    wrong_share_below: float
    """With this confidence, the share of different words like those held out, each counted once,
    whose label the automaton does not give."""
    chances: Chances
    is_constant: bool
    """Says whether A gives each word the same label."""
    needed_states: int | None
    """States that every automaton has that fits all words; None if labels may be wrong."""
    forced: bool | None
    """Says whether no other automaton of at most as many states fits all words; None likewise."""
    unforced_transitions: int | None
    """Transitions that the words do not force in this way; None likewise."""
    short_words: tuple[int, int, int | None]
    """Length 2n - 2, the number of words up to it that the file has, and of all that there are;
    None if these are more than `_COUNTED`."""
    thin_below: int
    thin: tuple[ThinTransition, ...]
    """The thinnest transitions, the unseen ones first."""
    num_thin: int
    num_unseen: int
    """Transitions that no word passes: they lead back to their own state, as a guess."""
    unlabelled: tuple[str, ...]
    """The shortest words to states in which no word ends, whose class is a guess."""

    @property
    def verdict(self) -> Verdict:
        """What the words say against A, if they do."""
        if self.is_constant:
            return "at chance"
        if self.chances.held_out < DOUBTFUL and not self._beats_shortcut:
            return "not found"
        if self._refutes(self.chances.least):
            return "refuted"
        return "in doubt" if self.chances.least < DOUBTFUL else ""

    @property
    def _parts(self) -> tuple[Agreement, ...]:
        return self.training, self.validation, self.held_out

    @property
    def _lines(self) -> tuple[int, int]:
        """The lines of all words with other labels than A gives, and all lines."""
        parts = self._parts
        return sum(each.wrong_lines for each in parts), sum(each.lines for each in parts)

    def _refutes(self, chance: float) -> bool:
        return _TESTS * chance < 1 - self.confidence

    @property
    def _beats_shortcut(self) -> bool:
        held = self.held_out
        share = self.shortcut_right / held.words
        return chance_of_at_least(held.words - held.wrong, held.words, share) < CLEARLY

    @property
    def headline(self) -> str:
        """The result on the words held out, in a few words that lead wherever a run is shown."""
        held, verdict = self.held_out, self.verdict
        right = (
            f"right on {held.words - held.wrong:,} of {format_count(held.words, 'word')} held out "
            f"(the best shortcut: {self.shortcut_right:,})"
        )
        return f"{verdict}: {right}" if verdict else right

    def sentences(self) -> list[str]:
        """Return the statement in sentences; what speaks against A comes first."""
        held, known = self.held_out, self.training.words + self.validation.words
        num_agreed = known - self.training.wrong - self.validation.wrong
        share = f"{round_up(100 * self.wrong_share_below)} %"
        lines = [
            *self._against(),
            f"A, an automaton of {format_count(self.states, 'state')}, agrees with "
            f"{held.words - held.wrong:,} of {format_count(held.words, 'word')} held out, and with "
            f"{num_agreed:,} of the {known:,} that it was inferred from and chosen by. Of those "
            f"held out, the shortcut {self.shortcut!r} is right on {self.shortcut_right:,}.",
            f"With confidence {100 * self.confidence:g} %, less than {share} of different words "
            f"like those held out, each counted once however often it is drawn, have another label "
            f"than A gives them{', wrong labels included' if self.label_noise else ''}; this needs "
            f"words that come independently of one another.",
        ]
        wrong, num_lines = self._lines
        if num_lines > held.words + known:
            lines.append(
                f"Of {format_count(num_lines, 'line')} with these words {num_lines - wrong:,} "
                f"have the label that A gives."
            )
        if self.undecided:
            lines.append(
                f"{format_count(self.undecided, 'word')} with several labels and no majority "
                f"{'is' if self.undecided == 1 else 'are'} left out."
            )
        lines.append(self._describe_forced())
        length, num_present, every = self.short_words
        lines.append(
            f"All words up to length {length} would identify an automaton of "
            f"{format_count(self.states, 'state')}; {num_present:,} of "
            + ("more than 10^18" if every is None else f"{every:,}")
            + " are there."
        )
        if self.num_thin:
            rest = "rests" if self.num_thin == 1 else "rest"
            guesses = "is a guess" if self.num_unseen == 1 else "are guesses"
            subject = "it" if self.num_thin == 1 else f"{self.num_unseen:,} of these"
            lines.append(
                f"{format_count(self.num_thin, 'transition')} {rest} on fewer than "
                f"{self.thin_below} words of training"
                + (f"; no word passes {subject}, which {guesses}." if self.num_unseen else ".")
            )
        if self.unlabelled:
            lines.append(
                f"No word of training ends in {format_count(len(self.unlabelled), 'state')}, such "
                f"as that after {self.unlabelled[0]!r}: the class is a guess."
            )
        return lines

    def _against(self) -> list[str]:
        """Return the sentence that refutes A or doubts it, if there is one."""
        held, least = self.held_out, self.chances.least
        if not self.verdict:
            return []
        if self.verdict == "at chance":
            return [
                f"The language is not found: A gives each word the same label, so it does not say "
                f"more than which label is the commonest. {_HELPS}"
            ]
        if self.verdict == "not found":
            return [
                f"The language is not found: A is right on {held.words - held.wrong:,} of "
                f"{format_count(held.words, 'word')} held out, and the shortcut {self.shortcut!r} "
                f"on {self.shortcut_right:,}. {_HELPS}"
            ]
        parts: tuple[Agreement, ...] = (held,)
        noun, where, wrong, words = "word", "held out", held.wrong, held.words
        if self.chances.every == least and not (held.wrong and self.label_noise == 0):
            parts, where, wrong, words = self._parts, "in all", *self._lines
            noun = "line" if words > sum(each.words for each in parts) else "word"
        verb = "is" if wrong == 1 else "are"
        are = f"{wrong:,} of {format_count(words, noun)} {where} {verb} wrong"
        if not self.label_noise:
            word = next(part.shortest_wrong[0] for part in parts if part.wrong)
            return [
                f"A is not the language, or labels are wrong: {are}, such as "
                f"{_format_word(word)}. Give "
                f"more words, or say how many labels may be wrong, such as label_noise=0.01."
            ]
        noise = self.label_noise
        mean, spread = noise * words, math.sqrt(noise * (1 - noise) * words)
        why = f"{are}, where wrong labels ({100 * noise:g} %) explain {mean:,.0f} ± {spread:,.0f}"
        if least == self.chances.rare < self.chances.held_out:
            why = "where it does not give the commonest label, more labels held out are others"
        if self.verdict == "refuted":
            return [f"A is not the language, or more labels are wrong than was said: {why}."]
        return [
            f"A may not be the language: {why}; by chance this happens with probability "
            f"{round_up(least)}."
        ]

    def _describe_forced(self) -> str:
        if self.forced is None and self.label_noise:
            return "Since labels may be wrong, the words force no automaton."
        if self.forced is None:
            return (
                "A misjudges words that it was inferred from and chosen by: they do not force it."
            )
        if self.forced:
            return (
                f"The words force A: no other automaton of at most "
                f"{format_count(self.states, 'state')} fits all words of training and validation."
            )
        return (
            f"The words do not force A: every automaton that fits them has at least "
            f"{format_count(self.needed_states or 1, 'state')}, and "
            f"{format_count(self.unforced_transitions or 0, 'transition')} could lead elsewhere "
            f"as far as this condition tells."
        )


def state_data(
    language: Language,
    train: Sample,
    valid: Sample,
    held_out: Sample,
    *,
    noise: float = 0.0,
    undecided: int = 0,
    undecided_lines: int = 0,
    least_states: int = 1,
) -> DataStatement:
    """Return what labelled words say of a minimal automaton, and of how many they say nothing.

    The part that was held out must have had no influence on the automaton. A search may have proved
    a least number of states for every automaton that fits the words.
    """
    known = join_samples(train, valid)
    counts, support = words_at_transitions(language, train), Support.of(language, known)
    reached = access_words(language)
    thin = np.argwhere(counts < THIN)
    thin = thin[np.argsort(counts[tuple(thin.T)], kind="stable")]
    length = 2 * language.num_states - 2
    parts = [Agreement.of(language, sample) for sample in (train, valid, held_out)]
    held = parts[2]
    fits = noise == 0 and not parts[0].wrong + parts[1].wrong
    verdict = characteristic(language, known) if fits else None
    every = sum(language.num_symbols**size for size in range(length + 1))
    shortcut, right = best_shortcut(train, held_out)
    return DataStatement(
        states=language.num_states,
        label_noise=noise,
        undecided=undecided,
        training=parts[0],
        validation=parts[1],
        held_out=held,
        shortcut=shortcut,
        shortcut_right=right,
        confidence=CONFIDENCE,
        wrong_share_below=limit_of_different(held.wrong, held.words, 1 - CONFIDENCE),
        chances=Chances.of(
            language, known, held_out, parts, noise=noise, undecided_lines=undecided_lines
        ),
        is_constant=len(set(language.classes)) == 1,
        needed_states=max(verdict.needed_states, least_states) if verdict else None,
        forced=verdict.is_characteristic if verdict else None,
        unforced_transitions=int((~verdict.forced).sum()) if verdict else None,
        short_words=(
            length,
            int((known.lengths <= length).sum()),
            every if every <= _COUNTED else None,
        ),
        thin_below=THIN,
        thin=tuple(
            ThinTransition(
                after=language.decode(reached[state]),
                symbol=language.alphabet[symbol],
                words=int(counts[state, symbol]),
            )
            for state, symbol in thin[:_SHOWN].tolist()
        ),
        num_thin=len(thin),
        num_unseen=int((counts == 0).sum()),
        unlabelled=tuple(
            language.decode(reached[state])
            for state, words in enumerate(support.ended)
            if not words
        ),
    )


def no_automaton(sample: Sample, blank: Language, max_states: int) -> str:
    """Return why no automaton with at most `max_states` states fits the words, with two words that
    show it; nothing if the words do not prove it.

    They prove it by more beginnings than states, where each two lead to different states.
    """
    beginnings = choose_distinguished(sample, max_states + 1)
    if len(beginnings) <= max_states:
        return ""
    rows = witness(sample, *beginnings[:2])
    assert rows is not None
    labels = " and ".join(
        f"{_format_word(blank.decode(sample.word(row)))} has the label "
        f"{blank.class_names[int(sample.classes[row])]}"
        for row in rows
    )
    first, second = (_format_word(blank.decode(word)) for word in beginnings[:2])
    return (
        f"no automaton with up to {max_states} states fits all words: {len(beginnings)} beginnings "
        f"lead to as many different states; for instance {first} and {second} cannot lead to the "
        f"same state, since {labels}"
    )


def _format_word(word: str) -> str:
    return short(word) if word else "the empty word"
