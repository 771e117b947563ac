"""The automaton of a rule: literals read in parallel, with a class for each set that holds.

Axes:
    state   states of the automaton of a literal, or of all of them
    symbol  symbols; the last one is the mark
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.inference.rungs.literals import Literal, Mask
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import to_language
from lengthwise.languages.language import Language

MOST_STATES = 20_000
"""Greatest number of states before minimisation."""


_TABLE = 2**22
"""Greatest number of combinations of states for which a table says which were reached."""


@dataclass(frozen=True, eq=False, slots=True)
class ValueAutomaton:
    """An automaton that finds out where a word leads: a literal, or a count.

    A mark is read after the word; `value` is the value of the last state.
    """

    moves: Array
    value: Array
    start: int = 0

    def values(self, sample: Sample) -> Array:
        """Return the value of each word."""
        moves = self.moves
        states = np.full(len(sample), self.start, dtype=np.int64)
        for left in range(sample.symbols.shape[1] - 1, 0, -1):
            is_active = sample.lengths >= left
            if is_active.all():
                states = moves[states, sample.symbols[:, left]]
            else:
                states[is_active] = moves[states[is_active], sample.symbols[is_active, left]]
        return self.value[moves[states, -1]]


def reader(literal: Literal, tier: Mask) -> ValueAutomaton:
    """Return the automaton of a literal; symbols outside the tier are skipped."""
    num_symbols = len(tier)
    tables, offset = [], 0
    for block in literal.blocks:
        for time in range(literal.times):
            table = _matching(block, num_symbols)
            done = table == len(block)
            table = table + offset
            offset += len(block)
            # what is read on from the end of an occurrence; blocks do not overlap
            again = literal.times > 1 and time < literal.times - 1
            table[done] = offset + (_border(block) if again else 0)
            tables.append(table)
    moves = np.concatenate([*tables, np.full((1, num_symbols + 1), offset)])
    skipped = np.flatnonzero(~tier)
    moves[:, skipped] = np.arange(len(moves))[:, None]
    holds = (np.arange(len(moves)) == offset).astype(np.int64)
    return ValueAutomaton(moves, holds, start=int(moves[0, -1]))


def _border(block: Sequence[int]) -> int:
    """Return the length of the longest proper prefix that is a suffix, too."""
    return next(n for n in range(len(block) - 1, -1, -1) if block[:n] == block[len(block) - n :])


def _matching(block: Sequence[int], num_symbols: int) -> Array:
    """Return the automaton that looks for a block: the state is how much of it was just read."""
    length = len(block)
    moves = np.zeros((length, num_symbols + 1), dtype=np.int64)
    moves[0, block[0]] = 1
    border = 0
    for state in range(1, length):
        moves[state] = moves[border]
        moves[state, block[state]] = state + 1
        border = int(moves[border, block[state]])
    return moves


def either(readers: Sequence[ValueAutomaton], sample: Sample) -> ValueAutomaton | None:
    """Return the automaton of the disjunction: its value is 1 if that of any reader is. None if it
    is too large."""
    joined, *rest = readers
    for other in rest:
        language = product_language([joined, other], np.array([[0, 1], [1, 1]]), sample)
        if language is None:
            return None
        moves = np.array(language.transitions, dtype=np.int64)
        stay = np.arange(len(moves))
        joined = ValueAutomaton(
            np.append(moves, stay[:, None], axis=1), np.array(language.classes), language.start
        )
    return joined


def product_language(
    readers: Sequence[ValueAutomaton], classes: Array, sample: Sample, *, most: int = MOST_STATES
) -> Language | None:
    """Return the automaton that gives words the class of their values, or None if it is too large.

    `classes` has an axis for the values of each reader.
    """
    radix = np.cumprod([1, *(len(automaton.moves) for automaton in readers)])
    if radix[-1] > 2**62:
        return None
    symbols = sample.num_symbols

    def split(states: Array) -> list[Array]:
        return [states // radix[i] % len(automaton.moves) for i, automaton in enumerate(readers)]

    start = sum(automaton.start * int(radix[i]) for i, automaton in enumerate(readers))
    if radix[-1] <= _TABLE:
        visited = np.zeros(int(radix[-1]), dtype=bool)
        visited[start] = True
    known = np.array([start], dtype=np.int64)
    count, new = 1, known
    sources, targets = [], []
    while len(new):
        parts = split(new)
        after = sum(
            automaton.moves[part, :symbols] * radix[i]
            for i, (automaton, part) in enumerate(zip(readers, parts, strict=True))
        )
        sources.append(new)
        targets.append(after)
        if radix[-1] <= _TABLE:
            new = np.unique(after[~visited[after]])
            visited[new] = True
        else:
            new = np.setdiff1d(after, known)
            known = np.union1d(known, new)
        count += len(new)
        if count > most:
            return None
    if radix[-1] <= _TABLE:
        known = np.flatnonzero(visited)
    source, target = np.concatenate(sources), np.concatenate(targets)
    order = np.argsort(source)
    ends = [
        automaton.value[automaton.moves[part, -1]]
        for automaton, part in zip(readers, split(source[order]), strict=True)
    ]
    return to_language(
        np.searchsorted(known, target[order]),
        classes[tuple(ends)],
        sample,
        start=int(np.searchsorted(known, start)),
    )
