"""Exploration of all pairs (element of a recurrence, state of the language), length by length.

A prefix of a word leads a recurrence to an element and the language's automaton to a state. The
pairs after one more symbol follow from the pairs before it. So all pairs of prefixes of all words
are found breadth first, and a pair that was met with a shorter prefix brings nothing new. When no
new pair follows, every word of every length has been covered.

Prefixes that begin no word of the language's domain are left out. The first length with a wrong
word has the shortest one.

Axes:
    pair  pairs that are new at one length
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from lengthwise.deadline import require_time
from lengthwise.languages.language import Language
from lengthwise.proofs.check.arrays import Booleans, Integers
from lengthwise.proofs.search.algebra import Recurrence
from lengthwise.proofs.search.closure import (
    LONGEST_WORD,
    MAX_CHUNKS,
    Level,
    LevelCallback,
    Pairs,
    in_words,
    require_own_alphabet,
)


@dataclass(frozen=True, slots=True)
class PrefixClosure:
    """The result of an exploration: it is closed, or exactly one of `wrong` and `reason` is set.

    Level l has the pairs that are new after l symbols, at its edge.
    """

    levels: tuple[Level, ...]
    machine: Language
    """The minimal automaton over all words."""
    is_closed: bool = False
    """True if no new pair follows: all words of all lengths are right."""
    wrong: tuple[int, ...] | None = None
    """A shortest wrong word."""
    reason: str = ""
    """Reason why the exploration was given up."""

    def __repr__(self) -> str:
        return in_words(self)

    repeats = None
    """No level has the pairs of another."""

    @property
    def maps(self) -> Integers:
        """No state maps of sub-words are needed."""
        return np.empty((0, self.machine.num_states), dtype=np.int64)

    @property
    def checked_length(self) -> int | None:
        """Length up to which all words are right; None: any length."""
        return None if self.is_closed else self.explored_length

    @property
    def explored_length(self) -> int:
        """Length up to which all words were explored one by one, and are right."""
        return len(self.levels) - (2 if len(self.levels[-1].wrong) else 1)


def explore_prefixes(
    recurrence: Recurrence,
    language: Language,
    *,
    max_chunks: int = MAX_CHUNKS,
    progress: LevelCallback | None = None,
) -> PrefixClosure:
    """Explore pairs until none is new, until one is a wrong word, or past `max_chunks`.

    `max_chunks` bounds the steps: a pair and a symbol each. `progress` is called with each length,
    the number of pairs that were met, and the number of new ones.

    Raises:
        VerificationError: the numbers of symbols differ.
    """
    require_own_alphabet(recurrence.num_symbols, language)
    machine = language.total().minimise()
    classes = np.array(machine.classes, dtype=np.int64)
    transitions = np.array(machine.transitions, dtype=np.int64)
    begins = leads_to(transitions, classes < language.num_classes)
    nothing = np.zeros(1, dtype=np.int64)
    new = Pairs(
        nothing + recurrence.start(), nothing + machine.start, nothing, np.zeros((1, 0), np.int64)
    )
    new = new.take(np.flatnonzero(begins[new.states]))
    levels: list[Level] = []
    known: set[int] = set()
    steps = 0
    while True:
        require_time()
        targets = classes[new.states]
        in_domain = np.flatnonzero(targets < language.num_classes)
        answers = recurrence.read(len(levels), new.elements[in_domain])
        wrong = new.take(in_domain[answers != targets[in_domain]])
        levels.append(Level(new.take(new.states[:0]), new, wrong))
        known.update(_keys(new, machine.num_states))
        if progress is not None:
            progress(len(levels) - 1, len(known), len(new))
        done = partial(PrefixClosure, tuple(levels), machine)
        if len(wrong):
            if len(levels) > LONGEST_WORD:
                return done(reason=f"a word of {len(levels) - 1:,} symbols is wrong")
            return done(wrong=_word(levels))
        if not len(new):
            return done(is_closed=True)
        steps += len(new) * recurrence.num_symbols
        if steps > max_chunks:
            return done(
                reason=f"prefixes of up to {len(levels) - 1} symbols have {len(known):,} codes in "
                f"pairs with states, and {steps:,} steps from them are more than {max_chunks:,}"
            )
        rows = np.repeat(np.arange(len(new)), recurrence.num_symbols)
        symbols = np.tile(np.arange(recurrence.num_symbols), len(new))
        states = transitions[new.states[rows], symbols]
        kept_rows = begins[states]
        rows, symbols, states = rows[kept_rows], symbols[kept_rows], states[kept_rows]
        elements = recurrence.step(new.elements[rows], symbols)
        children = np.stack([rows, symbols], axis=1)
        reached = Pairs(elements, states, np.full(len(rows), len(levels)), children).distinct()
        is_new = [key not in known for key in _keys(reached, machine.num_states)]
        new = reached.take(np.flatnonzero(is_new))


def _keys(pairs: Pairs, num_states: int) -> list[int]:
    """Return a number for each pair."""
    keys: list[int] = (pairs.elements * num_states + pairs.states).tolist()
    return keys


def leads_to(transitions: Integers, good: Booleans) -> Booleans:
    """Return the states `[state]` from which some word leads to a good one."""
    while True:
        more = good | good[transitions].any(axis=1)
        if (more == good).all():
            return good
        good = more


def _word(levels: list[Level]) -> tuple[int, ...]:
    """Return the first wrong word of the last level."""
    pair, symbols = levels[-1].wrong.take(np.zeros(1, dtype=np.int64)), []
    for level in reversed(levels[:-1]):
        row, symbol = pair.children[0].tolist()
        symbols.append(symbol)
        pair = level.edge.take(np.array([row]))
    return tuple(reversed(symbols))
