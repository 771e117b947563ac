"""Exploration of all pairs (element of the model, action on the language), level by level.

A pair describes a sub-word in both: an element of the model's algebra and, in the interior, the
state map of the language (at the left edge, the state after the sub-word). The pairs of a level
follow from those of the level below, along the tree. When the pairs of a level equal those of an
earlier one, nothing new can occur, and every length has been covered.

Sub-words that occur in no word of the language's domain are left out. A node of level l ends at a
multiple of C^l symbols before the end of the word, so a sub-word occurs at the left edge exactly if
j C^l more symbols, for some j >= 0, can lead from the state after it into the domain, and in the
interior only if they can from a state that it leads to.

The shortest wrong word is found on the way: words of C^(l-1) + 1 to C^l symbols end at level l, so
the first level with a wrong root has it, and the edge keeps the shortest sub-word of each pair.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lengthwise.deadline import require_time
from lengthwise.errors import VerificationError
from lengthwise.languages.elements import MonoidElements
from lengthwise.languages.language import Language
from lengthwise.messages import format_count, shorten
from lengthwise.proofs.check.arrays import ABSENT, Integers
from lengthwise.proofs.search.algebra import TreeAlgebra

MAX_CHUNKS = 1_000_000
"""Largest number of chunks of pairs that are composed at one level."""

LONGEST_WORD = 2**22
"""Largest length of a wrong word that is written out."""

_LARGEST = 2**62


LevelCallback = Callable[[int, int, int], None]
"""Callback for each level: its number, and the numbers of pairs of its interior and its edge."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Distinct pairs of one level, in increasing order, with one sub-word for each.

    `children[pair]` are the pairs of the level below that make the sub-word (symbols below level
    1), or `ABSENT`; at the edge, the first that is not absent is a pair of the edge.
    """

    elements: Integers
    """Elements of the algebra."""
    states: Integers
    """State maps by number in the interior, states at the edge."""
    lengths: Integers
    """Length of the sub-word; at the edge, of the shortest one."""
    children: Integers

    def __len__(self) -> int:
        return len(self.elements)

    def distinct(self) -> "Pairs":
        """Return each pair once, with its (first) shortest sub-word."""
        order = np.lexsort((self.lengths, self.states, self.elements))
        ordered = self.take(order)
        changed = (np.diff(ordered.elements) != 0) | (np.diff(ordered.states) != 0)
        return ordered.take(np.flatnonzero(np.concatenate([[len(order) > 0], changed])))

    def take(self, rows: Integers) -> "Pairs":
        """Select pairs by rows."""
        return Pairs(
            self.elements[rows], self.states[rows], self.lengths[rows], self.children[rows]
        )


@dataclass(frozen=True, slots=True)
class Level:
    """The pairs of one level, and the wrong whole words among them."""

    interior: Pairs
    edge: Pairs
    wrong: Pairs


@dataclass(frozen=True, slots=True)
class Closure:
    """The result of an exploration: exactly one of `repeats`, `wrong` and `reason` is set."""

    levels: tuple[Level, ...]
    elements: MonoidElements
    chunk_size: int
    repeats: int | None = None
    """Level whose pairs the last level has: all words of all lengths are right."""
    wrong: tuple[int, ...] | None = None
    """A shortest wrong word."""
    reason: str = ""
    """Reason why the exploration was given up."""
    wrong_length: int | None = None
    """Length of the shortest wrong words, if there are any."""

    def __repr__(self) -> str:
        return in_words(self)

    @property
    def is_closed(self) -> bool:
        """Tell whether all words of all lengths are right."""
        return self.repeats is not None

    @property
    def machine(self) -> Language:
        """The minimal automaton over all words."""
        return self.elements.machine

    @property
    def maps(self) -> Integers:
        """The state maps of sub-words that occur."""
        return self.elements.maps

    @property
    def checked_length(self) -> int | None:
        """Length up to which all words are right; None: any length."""
        return None if self.is_closed else self.explored_length

    @property
    def explored_length(self) -> int:
        """Length up to which all words were explored one by one, and are right."""
        if self.wrong_length is not None:
            return self.wrong_length - 1
        return self.chunk_size ** (len(self.levels) - 1) if len(self.levels) > 1 else 0


def in_words(exploration: Any) -> str:
    """Return what an exploration found, in a line."""
    name = type(exploration).__name__
    if exploration.is_closed:
        return f"{name}(every word of every length gets its class)"
    if exploration.wrong is None:
        return f"{name}(given up: {shorten(exploration.reason, 200)})"
    word = shorten(exploration.machine.decode(exploration.wrong), 60) or "the empty word"
    return f"{name}(shortest wrong word: {word}, {format_count(len(exploration.wrong), 'symbol')})"


def require_own_alphabet(num_symbols: int, language: Language) -> None:
    """Refuse a language that has another number of symbols than a model.

    Raises:
        VerificationError: it has.
    """
    if num_symbols != language.num_symbols:
        raise VerificationError(
            f"the model has {format_count(num_symbols, 'symbol')}, but "
            f"{language.spec or 'the language'} has {language.num_symbols}. Give a language "
            f"over the model's own alphabet."
        )


def explore(
    algebra: TreeAlgebra,
    language: Language,
    *,
    max_chunks: int = MAX_CHUNKS,
    progress: LevelCallback | None = None,
) -> Closure:
    """Explore pairs until they repeat, until one is a wrong word, or past `max_chunks`.

    `progress` is called with the number of each level, and the numbers of pairs of its interior and
    edge.

    Raises:
        VerificationError: the numbers of symbols differ.
        LanguageError: sub-words have too many state maps.
    """
    require_own_alphabet(algebra.num_symbols, language)
    elements = MonoidElements(language)
    levels: list[Level] = []
    seen: dict[tuple[int, bytes, bytes, bytes], int] = {}
    reason = ""
    try:
        for index, level in enumerate(_levels(algebra, elements, max_chunks)):
            levels.append(level)
            if progress is not None:
                progress(index, len(level.interior), len(level.edge))
            if len(level.wrong):
                length = int(level.wrong.lengths[0])
                done = partial(
                    Closure, tuple(levels), elements, algebra.chunk_size, wrong_length=length
                )
                if length > LONGEST_WORD:
                    return done(reason=f"a word of {length:,} symbols is wrong, too long to run")
                return done(wrong=word_of(levels[:-1], level.wrong, 0, edge=True))
            key = (
                algebra.phase(index),
                _bytes(level.interior),
                _bytes(level.edge),
                elements.steps(index, algebra.chunk_size).tobytes(),
            )
            if key in seen:
                return Closure(tuple(levels), elements, algebra.chunk_size, repeats=seen[key])
            seen[key] = index
    except _PastBoundError as bound:
        reason = str(bound)
    return Closure(tuple(levels), elements, algebra.chunk_size, reason=reason)


class _PastBoundError(Exception):
    """Raised when a level would have too many chunks."""


def _bytes(pairs: Pairs) -> bytes:
    return pairs.elements.tobytes() + b"|" + pairs.states.tobytes()


def _levels(algebra: TreeAlgebra, elements: MonoidElements, max_chunks: int) -> Iterator[Level]:
    """Yield level 0 (symbols and the empty word), then all levels after it."""
    chunk = algebra.chunk_size
    symbols = np.arange(algebra.num_symbols)
    ones = np.ones_like(symbols)
    start = elements.machine.start
    states = elements.after(np.full_like(symbols, start), elements.symbols)
    leads_in = elements.leads_in(0, chunk)
    leaves = symbols[:, None]
    interior = Pairs(symbols, elements.symbols, ones, leaves)
    interior = interior.take(np.flatnonzero(elements.occurs(0, chunk)[interior.states]))
    edge = Pairs(symbols, states, ones, leaves).take(np.flatnonzero(leads_in[states]))
    yield Level(interior, edge, _wrong_empty_word(algebra, elements))
    level = 0
    while chunk ** (level + 1) < _LARGEST:
        require_time()
        cost = len(interior) ** chunk + sum(
            len(edge) * len(interior) ** used for used in range(chunk)
        )
        if cost > max_chunks:
            raise _PastBoundError(
                f"level {level + 1} has {cost:,} chunks of {len(interior):,} interior and "
                f"{len(edge):,} edge pairs, more than {max_chunks:,}"
            )
        grown = _interior(algebra, elements, interior, level)
        roots, beginnings = _edge(algebra, elements, interior, edge, level)
        wrong = _wrong(algebra, elements, roots, level + 1)
        edge = _concatenate([roots, beginnings]).distinct()
        interior = grown
        level += 1
        yield Level(interior, edge, wrong)
    raise _PastBoundError(f"after {level} levels the pairs have not repeated")


def _wrong_empty_word(algebra: TreeAlgebra, elements: MonoidElements) -> Pairs:
    absent = np.full((1, algebra.chunk_size), ABSENT)
    root = algebra.compose(0, absent, edge=True)
    nothing = np.zeros(1, dtype=np.int64)
    empty = Pairs(root, nothing + elements.machine.start, nothing, absent)
    return _wrong(algebra, elements, empty, 1)


def _wrong(algebra: TreeAlgebra, elements: MonoidElements, roots: Pairs, level: int) -> Pairs:
    """Return the roots in the domain with a wrong class; the shortest first."""
    classes = elements.classes[roots.states]
    in_domain = np.flatnonzero(classes < elements.num_classes)
    answers = algebra.read(level, roots.elements[in_domain])
    wrong = roots.take(in_domain[answers != classes[in_domain]])
    return wrong.take(np.argsort(wrong.lengths, kind="stable"))


def _interior(algebra: TreeAlgebra, elements: MonoidElements, below: Pairs, level: int) -> Pairs:
    """Return the pairs of all full chunks of interior pairs that occur."""
    rows = _all_chunks([len(below)] * algebra.chunk_size)
    maps = below.states[rows[:, 0]]
    for column in range(1, algebra.chunk_size):
        maps = elements.product(maps, below.states[rows[:, column]])
    occurring = np.flatnonzero(elements.occurs(level + 1, algebra.chunk_size)[maps])
    rows, maps = rows[occurring], maps[occurring]
    results = algebra.compose(level, below.elements[rows], edge=False)
    lengths = np.full(len(rows), algebra.chunk_size ** (level + 1))
    return Pairs(results, maps, lengths, rows).distinct()


def _edge(
    algebra: TreeAlgebra, elements: MonoidElements, interior: Pairs, edge: Pairs, level: int
) -> tuple[Pairs, Pairs]:
    """Return pairs of chunks at the left edge: possible whole words, and the others.

    A word ends at the first level at which it is one node, so above level 1 the chunk of a whole
    word has two children or more.
    """
    chunk = algebra.chunk_size
    leads_in = elements.leads_in(level + 1, chunk)
    parts = []
    for used in range(1, chunk + 1):
        rows = _all_chunks([len(edge)] + [len(interior)] * (used - 1))
        states = edge.states[rows[:, 0]]
        for column in range(1, used):
            states = elements.after(states, interior.states[rows[:, column]])
        leading = leads_in[states]
        rows, states = rows[leading], states[leading]
        children = np.full((len(rows), chunk), ABSENT)
        children[:, chunk - used] = edge.elements[rows[:, 0]]
        children[:, chunk - used + 1 :] = interior.elements[rows[:, 1:]]
        results = algebra.compose(level, children, edge=True)
        lengths = edge.lengths[rows[:, 0]] + (used - 1) * chunk**level
        children[:, chunk - used :] = rows
        parts.append(Pairs(results, states, lengths, children))
    if level == 0:
        return _concatenate(parts), parts[0].take(np.arange(0))
    return _concatenate(parts[1:]), parts[0]


def _all_chunks(sizes: list[int]) -> Integers:
    return np.indices(sizes).reshape(len(sizes), -1).T


def _concatenate(parts: list[Pairs]) -> Pairs:
    return Pairs(
        np.concatenate([part.elements for part in parts]),
        np.concatenate([part.states for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.children for part in parts]),
    )


def word_of(below: Sequence[Level], pairs: Pairs, row: int, *, edge: bool) -> tuple[int, ...]:
    """Return the sub-word of a pair; `below` are the levels under that of `pairs`."""
    known: dict[tuple[int, bool, int], tuple[int, ...]] = {}

    def of(level: int, pairs: Pairs, row: int, edge: bool) -> tuple[int, ...]:
        children = [child for child in pairs.children[row].tolist() if child != ABSENT]
        if level == 0:
            return tuple(children)
        result: tuple[int, ...] = ()
        for position, child in enumerate(children):
            at_edge = edge and position == 0
            key = (level - 1, at_edge, child)
            if key not in known:
                source = below[level - 1]
                known[key] = of(
                    level - 1, source.edge if at_edge else source.interior, child, at_edge
                )
            result += known[key]
        return result

    return of(len(below), pairs, row, edge)
