"""The language that a network learns for a function: the classes of prefixes, and of suffixes.

The output of a sequential function at a position is the class of the prefix that ends there. For a
bimachine, one automaton reads both ways: its class is a pair, of which one half counts where it
reads the word up to a position, and the other where it reads what follows, from the end backwards.
A table has the output of the two halves. The empty prefix has no output, so its class is chosen
such that the automaton is small.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.tables import reach_states
from lengthwise.languages.language import Language
from lengthwise.languages.moore_machine import find_unused_name

_FREE = "none"
"""Name of a second class for functions with one output symbol."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PrefixReading:
    """The language of a function, and how outputs follow from classes."""

    function: Function
    language: Language
    """Its classes are the output symbols, or pairs for a bimachine."""
    answers: tuple[tuple[int, ...], ...] | None
    """`answers[class of the prefix][class of the reversed suffix]` is the output symbol; None if it
    is the class of the prefix."""

    def outputs(
        self, prefixes: NDArray[np.int64], suffixes: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Return the output symbols, from the class of the prefix that ends at each position, and,
        for a bimachine, from that of the reversed suffix that begins after it."""
        if self.answers is None:
            return prefixes
        assert suffixes is not None
        return np.array(self.answers)[prefixes, suffixes]


def reading_of(function: Function, *, empty: int | None = None) -> PrefixReading:
    """Return the language that a network learns for a function.

    The empty prefix has no output; `empty` is its class, if it can be. By default the class is
    chosen such that the automaton is small.

    >>> from lengthwise.languages.functions.arithmetic import addition
    >>> made = reading_of(addition(2))
    >>> made.language.num_states, made.language.class_names, made.answers
    (4, ('0', '1'), None)

    Raises:
        LanguageError: its automaton has too many states.
    """
    return _reading_of(function, function.spec, empty)


@lru_cache(maxsize=32)
def _reading_of(function: Function, spec: str, empty: int | None) -> PrefixReading:
    """Return the reading under a name, since functions are equal whatever they are called."""
    symbols = range(len(function.alphabet))
    numbers: dict[tuple[int, ...], int] = {}
    if function.is_sequential:
        numbers = {(output,): output for output in range(len(function.outputs))}
    half = [[numbers.setdefault(cells, len(numbers)) for cells in row] for row in function.table]
    suffix_class = _number_columns([*numbers] if not function.is_sequential else [(0,)])

    def step(state: tuple[int, int, int], x: int) -> tuple[int, int, int]:
        left, _, right = state
        return function.left[left][x], half[left][x], function.right[right][x]

    first, kinds = _choose_start(function, half), max(suffix_class) + 1
    if empty is not None and empty < len(numbers) * kinds and empty % kinds == suffix_class[0]:
        first = empty // kinds
    transitions, states = reach_states((0, first, 0), step, symbols)
    classes = tuple(state[1] * kinds + suffix_class[state[2]] for state in states)
    names = tuple(f"{a}/{b}" for a in range(len(numbers)) for b in range(kinds))
    if function.is_sequential:
        names = function.outputs
    if len(names) < 2:
        names = (*names, find_unused_name(_FREE, names))
    language = Language(
        alphabet=function.alphabet,
        transitions=transitions,
        classes=classes,
        class_names=names,
        spec=spec,
    ).minimise()
    if function.is_sequential:
        return PrefixReading(function=function, language=language, answers=None)
    columns = [suffix_class.index(b) for b in range(kinds)]
    answers = tuple(
        tuple(cells[columns[c % kinds]] for c in range(len(names)))
        for cells in numbers
        for _ in range(kinds)
    )
    return PrefixReading(function=function, language=language, answers=answers)


def _choose_start(function: Function, half: Sequence[Sequence[int]]) -> int:
    """Return a class for the empty prefix: one with which some symbol leads to the start, so that
    the two are one state, if there is one."""
    for row, classes in zip(function.left, half, strict=True):
        for target, number in zip(row, classes, strict=True):
            if target == 0:
                return number
    return half[0][0]


def _number_columns(rows: Sequence[tuple[int, ...]]) -> list[int]:
    """Return a number for each right state, the same for those with the same outputs."""
    numbers: dict[tuple[int, ...], int] = {}
    return [numbers.setdefault(column, len(numbers)) for column in zip(*rows, strict=True)]
