"""The statement: how sure we may be that an automaton is the language that labelled words mean.

A proof says what a network computes, not whether that is what the words mean. Of that the words
say three things: on how many of those held out the automaton is wrong, which bounds its errors on
words drawn like them (Clopper and Pearson 1934); whether they force it among automata of as many
states (`distinguish`); and how many words each of its transitions rests on.

Words are counted once, however often they were drawn. An automaton that fits all words of training
is right on those that are drawn often, so the bound holds for draws, too. One that may disagree
with some words may be wrong on just those, so then the bound is about different words.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lengthwise.inference.distinguish import (
    access_words,
    apart,
    characteristic,
    witness,
    words_at_transitions,
)
from lengthwise.inference.limits import rounded_up, upper_limit
from lengthwise.inference.sample import Sample, answers_of, joined, states_of
from lengthwise.languages.language import Language
from lengthwise.languages.validation import short
from lengthwise.wording import counted

CONFIDENCE = 0.999
"""Probability with which the bound holds, whatever the true share of wrong words is."""

THIN = 10
"""Number of words below which a transition is called thin."""

_COUNTED = 10**18
"""Greatest number of words that is written out; more digits do not fit a number of JSON readers."""

_SHOWN = 20
"""Greatest number of thin transitions and of misjudged words that are listed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """Counts the words of a part, and those that do not have the class that the automaton gives."""

    words: int
    wrong: int
    shortest_wrong: tuple[str, ...]
    """The shortest words that it misjudges."""

    @classmethod
    def of(cls, language: Language, sample: Sample) -> "Agreement":
        """Compare an automaton with labelled words."""
        rows = np.flatnonzero(answers_of(language, sample) != sample.classes)
        shown = tuple(language.decode(sample.word(int(row))) for row in rows[:_SHOWN])
        return cls(words=len(sample), wrong=len(rows), shortest_wrong=shown)


@dataclass(frozen=True, kw_only=True, slots=True)
class ThinTransition:
    """A transition that few words of training pass."""

    after: str
    """The shortest word to its state."""
    symbol: str
    words: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DataStatement:
    """Holds what labelled words say of an automaton; `sentences` writes it."""

    states: int
    label_noise: float
    undecided: int
    """Words that are left out, as no label of theirs has the most lines."""
    training: Agreement
    validation: Agreement
    held_out: Agreement
    confidence: float
    wrong_share_below: float
    """With this confidence, the share of words drawn like those held out whose label the automaton
    does not give; with `label_noise`, of different words, each counted once."""
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, with the sentences."""
        return {**asdict(self), "sentences": self.sentences()}

    def sentences(self) -> list[str]:
        """Return the statement in sentences."""
        held, seen = self.held_out, self.training
        share = f"{rounded_up(100 * self.wrong_share_below)} %"
        sure = f"{100 * self.confidence:g} %"
        found = [
            f"A, an automaton of {counted(self.states, 'state')}, agrees with "
            f"{seen.words - seen.wrong:,} of {seen.words:,} words of training, "
            f"{self.validation.words - self.validation.wrong:,} of {self.validation.words:,} of "
            f"validation and {held.words - held.wrong:,} of {held.words:,} that were held out.",
            f"With confidence {sure}, less than {share} of "
            + (
                "different words like those held out, each counted once however often it is drawn, "
                "have another label than A gives them, wrong labels included."
                if self.label_noise
                else "words drawn like those held out have another label than A gives them."
            ),
        ]
        if held.wrong and not self.label_noise:
            found.append(
                f"A is not the language meant, or the label of {held.shortest_wrong[0]!r} is "
                f"wrong. If labels may be wrong, say how many, such as label_noise=0.01."
            )
        if self.undecided:
            found.append(
                f"{counted(self.undecided, 'word')} with several labels, of which none has the "
                f"most lines, {'is' if self.undecided == 1 else 'are'} left out."
            )
        found.append(self._forced())
        length, there, every = self.short_words
        found.append(
            f"All words up to length {length} would identify an automaton of "
            f"{counted(self.states, 'state')}; {there:,} of "
            + ("more than 10^18" if every is None else f"{every:,}")
            + " are there."
        )
        if self.num_thin:
            rest = "rests" if self.num_thin == 1 else "rest"
            guesses = "is a guess" if self.num_unseen == 1 else "are guesses"
            some = "it" if self.num_thin == 1 else f"{self.num_unseen:,} of these"
            found.append(
                f"{counted(self.num_thin, 'transition')} {rest} on fewer than {self.thin_below} "
                f"words of training"
                + (f"; no word passes {some}, which {guesses}." if self.num_unseen else ".")
            )
        if self.unlabelled:
            found.append(
                f"No word of training ends in {counted(len(self.unlabelled), 'state')}, such as "
                f"that after {self.unlabelled[0]!r}: the class is a guess."
            )
        return found

    def _forced(self) -> str:
        if self.forced is None:
            return "Since labels may be wrong, the words force no automaton."
        if self.forced:
            return (
                f"The words force A: no other automaton of at most "
                f"{counted(self.states, 'state')} fits all words of training and validation."
            )
        return (
            f"The words do not force A: every automaton that fits them has at least "
            f"{counted(self.needed_states or 1, 'state')}, and "
            f"{counted(self.unforced_transitions or 0, 'transition')} could lead elsewhere as far "
            f"as this condition tells."
        )


def state_data(
    language: Language,
    train: Sample,
    valid: Sample,
    held_out: Sample,
    *,
    noise: float = 0.0,
    undecided: int = 0,
) -> DataStatement:
    """Return what labelled words say of a minimal automaton, and of how many they say nothing.

    The part that was held out must have had no influence on the automaton.
    """
    known = joined(train, valid)
    counts = words_at_transitions(language, train)
    reached = access_words(language)
    thin = np.argwhere(counts < THIN)
    thin = thin[np.argsort(counts[tuple(thin.T)], kind="stable")]
    ended = np.bincount(states_of(language, known), minlength=language.num_states)
    length = 2 * language.num_states - 2
    held = Agreement.of(language, held_out)
    fits = noise == 0 and not Agreement.of(language, known).wrong
    found = characteristic(language, known) if fits else None
    every = sum(language.num_symbols**size for size in range(length + 1))
    return DataStatement(
        states=language.num_states,
        label_noise=noise,
        undecided=undecided,
        training=Agreement.of(language, train),
        validation=Agreement.of(language, valid),
        held_out=held,
        confidence=CONFIDENCE,
        wrong_share_below=upper_limit(held.wrong, held.words, 1 - CONFIDENCE),
        needed_states=found.needed_states if found else None,
        forced=found.is_characteristic if found else None,
        unforced_transitions=int((~found.forced).sum()) if found else None,
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
        unlabelled=tuple(language.decode(reached[state]) for state in np.flatnonzero(ended == 0)),
    )


def no_automaton(sample: Sample, blank: Language, max_states: int) -> str:
    """Return why no automaton of at most so many states was found, with the words that tell.

    If more beginnings than states lead to different states, none fits; otherwise none was found.
    """
    beginnings = apart(sample, max_states + 1)
    if len(beginnings) < 2:
        return f"no automaton with up to {max_states} states was found that fits all words"
    rows = witness(sample, *beginnings[:2])
    assert rows is not None
    told = " and ".join(
        f"{_shown(blank.decode(sample.word(row)))} has the label "
        f"{blank.class_names[int(sample.classes[row])]}"
        for row in rows
    )
    first, second = (_shown(blank.decode(word)) for word in beginnings[:2])
    why = f"{first} and {second} cannot lead to the same state, since {told}"
    if len(beginnings) > max_states:
        return (
            f"no automaton with up to {max_states} states fits all words: "
            f"{len(beginnings)} beginnings lead to as many different states; for instance {why}"
        )
    return (
        f"no automaton with up to {max_states} states was found that fits all words, which need at "
        f"least {len(beginnings)}; for instance {why}"
    )


def _shown(word: str) -> str:
    return short(word) if word else "the empty word"
