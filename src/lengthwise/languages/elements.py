"""State maps of sub-words by number, and their products, computed in batches as they occur.

Unlike `languages.monoid`, elements are numbered as they are met, so that only the part of a large
monoid that occurs is built.
"""

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import LanguageError
from lengthwise.languages.distinct_rows import distinct_rows
from lengthwise.languages.language import Language

Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]

MAX_ELEMENTS = 5_000
"""Largest number of distinct state maps; their product table takes up to 400 MB."""

_ROWS = 1 << 16


class MonoidElements:
    """Elements of the transition monoid that occur, on the minimised automaton over all words.

    Raises:
        LanguageError: there are more than `MAX_ELEMENTS`; `product` raises it, too.
    """

    def __init__(self, language: Language) -> None:
        self.machine = language.total().minimise()
        self.num_classes = language.num_classes
        self.classes: Integers = np.array(self.machine.classes, dtype=np.int64)
        """The class of each state; `num_classes` outside the domain."""
        self._number: dict[bytes, int] = {}
        self._maps: Integers = np.empty((0, self.machine.num_states), dtype=np.int64)
        self._table: NDArray[np.int32] = np.empty((0, 0), dtype=np.int32)
        steps = np.array(self.machine.transitions, dtype=np.int64).T
        self.symbols: Integers = self._intern(steps)
        """The element of each symbol."""
        anywhere = np.zeros((self.machine.num_states,) * 2, dtype=np.bool_)
        for row in steps:
            anywhere[np.arange(len(row)), row] = True
        self._anywhere = anywhere
        self._powers: dict[tuple[int, int], Booleans] = {}

    @property
    def maps(self) -> Integers:
        """`maps[element, state]`: the state that `state` goes to, for all elements met so far."""
        return self._maps

    def meet(self, maps: Integers) -> None:
        """Number the state maps that have no number yet, in this order."""
        for state_map in maps:
            self._intern(state_map[None])

    def product(self, x: Integers, y: Integers) -> Integers:
        """Return the elements of the products xy: x acts first, then y."""
        unknown = self._table[x, y] < 0
        if unknown.any():
            count = len(self._maps)
            a, b = np.divmod(np.unique(x[unknown] * count + y[unknown]), count)
            for start in range(0, len(a), _ROWS):
                left, right = a[start : start + _ROWS], b[start : start + _ROWS]
                values = self._intern(np.take_along_axis(self._maps[right], self._maps[left], 1))
                self._table[left, right] = values
        return self._table[x, y].astype(np.int64)

    def after(self, states: Integers, elements: Integers) -> Integers:
        """Return the states to which elements take the given states."""
        return self._maps[elements, states]

    def occurs(self, level: int, chunk_size: int) -> Booleans:
        """Return which elements occur at nodes of a level inside words of the domain.

        The end of the word is a multiple of C^level symbols after the node (C is `chunk_size`).
        """
        good: Booleans = self.leads_in(level, chunk_size)[self._maps]
        return np.any(good, axis=1)

    def leads_in(self, level: int, chunk_size: int) -> Booleans:
        """Return the states from which j C^l symbols, for some j >= 0, can end in the domain."""
        step = self.steps(level, chunk_size)
        good = self.classes < self.num_classes
        while True:
            more = good | (step & good).any(axis=1)
            if (more == good).all():
                return good
            good = more

    def steps(self, level: int, chunk_size: int) -> Booleans:
        """Return the relation `[state, next]` of states connected by C^l symbols."""
        if level == 0:
            return self._anywhere
        if (level, chunk_size) not in self._powers:
            power = result = self.steps(level - 1, chunk_size).astype(np.int64)
            for _ in range(chunk_size - 1):
                result = ((result @ power) > 0).astype(np.int64)
            self._powers[level, chunk_size] = result > 0
        return self._powers[level, chunk_size]

    def _intern(self, maps: Integers) -> Integers:
        """Return the numbers of state maps; new maps get new numbers."""
        distinct, inverse = distinct_rows(maps)
        before = len(self._number)
        numbers = np.empty(len(distinct), dtype=np.int64)
        for index, row in enumerate(distinct):
            numbers[index] = self._number.setdefault(row.tobytes(), len(self._number))
        count = len(self._number)
        if count > MAX_ELEMENTS:
            raise LanguageError(
                f"sub-words have more than {MAX_ELEMENTS} state maps on the "
                f"{self.machine.num_states} states, which is the most that can be distinguished. "
                f"Ask about a smaller language, or train gru-binary, whose proof needs no maps."
            )
        if count > before:
            new = numbers >= before
            order = np.argsort(numbers[new])
            self._maps = np.concatenate([self._maps, distinct[new][order]])
            if count > len(self._table):
                table = np.full((max(64, 2 * count),) * 2, -1, dtype=np.int32)
                table[: len(self._table), : len(self._table)] = self._table
                self._table = table
        return numbers[inverse]
