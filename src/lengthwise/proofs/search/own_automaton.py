"""The automaton that a network itself is, found without any language.

A network with discrete states is a finite automaton once all codes that words lead to are listed.
Two networks whose minimal automata are equal answer every word alike, so a network in training has
settled when its minimal automaton no longer changes.

Training words need not show every word over the alphabet: in Modular Arithmetic no digit follows
another. What a network does with other words means nothing. So only words are explored whose first,
last and neighbouring symbols are first, last and neighbouring in given words.

Axes:
    pair    pairs (element, context) that are new at one length
    last    the last symbol; the row after those of all symbols is for the empty word
    symbol  symbols
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from lengthwise.languages.minimise import Table, minimise
from lengthwise.proofs.check.arrays import Booleans, Integers
from lengthwise.proofs.search.algebra import Recurrence

OUTSIDE = -1
"""Class of words that are not explored."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The symbols that can follow each symbol, and those that words can end with."""

    follows: Booleans
    """`[last, symbol]`: whether the symbol follows."""
    ends: Booleans
    """`[last]`: whether a word ends there."""

    @classmethod
    def any(cls, num_symbols: int) -> Self:
        """Return that every symbol follows every other, and words end anywhere."""
        follows = np.ones((num_symbols + 1, num_symbols), dtype=np.bool_)
        return cls(follows, np.ones(num_symbols + 1, dtype=np.bool_))

    @classmethod
    def of(cls, tokens: Integers, lengths: Integers, num_symbols: int) -> Self:
        """Return what right-aligned words `[word, time]` show."""
        num_words, time = tokens.shape
        inside = np.arange(time) >= time - lengths[:, None]
        padded = np.concatenate([np.full((num_words, 1), num_symbols), tokens], axis=1)
        padded = np.where(np.pad(inside, ((0, 0), (1, 0))), padded, num_symbols)
        follows = np.zeros((num_symbols + 1, num_symbols), dtype=np.bool_)
        follows[padded[:, :-1][inside], padded[:, 1:][inside]] = True
        ends = np.zeros(num_symbols + 1, dtype=np.bool_)
        ends[padded[:, -1]] = True
        return cls(follows, ends)


def own_automaton(
    recurrence: Recurrence, neighbours: Neighbours, *, max_steps: int
) -> tuple[Table, tuple[int, ...]] | None:
    """Return transitions and classes of the minimal automaton that a recurrence is.

    Words that `neighbours` do not have lead to a state of class `OUTSIDE`. None if more than
    `max_steps` steps would be needed. States are numbered in the order of their shortest words, so
    equal automata are equal tables.
    """
    rows = np.concatenate([neighbours.follows, neighbours.ends[:, None]], axis=1)
    contexts, context_after = np.unique(rows, axis=0, return_inverse=True)
    context_after = context_after.reshape(-1)
    sink = 0
    start = (recurrence.start(), int(context_after[-1]))
    number: dict[tuple[int, int], int] = {start: 1}
    table = [[sink] * recurrence.num_symbols]
    classes = [OUTSIDE]
    new, steps, length = [start], 0, 0
    while new:
        elements, of_pair = (np.array(column, dtype=np.int64) for column in zip(*new, strict=True))
        answers = recurrence.read(length, elements)
        classes += np.where(contexts[of_pair, -1], answers, OUTSIDE).tolist()
        pairs, symbols = np.nonzero(contexts[of_pair, :-1])
        steps += len(pairs)
        if steps > max_steps:
            return None
        after = recurrence.step(elements[pairs], symbols)
        first = len(table)
        table += [[sink] * recurrence.num_symbols for _ in new]
        keys = list(zip(after.tolist(), context_after[symbols].tolist(), strict=True))
        new = []
        for pair, symbol, key in zip(pairs.tolist(), symbols.tolist(), keys, strict=True):
            if key not in number:
                number[key] = len(number) + 1
                new.append(key)
            table[first + pair][symbol] = number[key]
        length += 1
    return minimise(tuple(map(tuple, table)), tuple(classes), 1)
