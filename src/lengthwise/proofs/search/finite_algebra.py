"""Finite algebras as tables of integers.

A word is cut into chunks from the right, level by level, until one node is left. The first node of
each level is at the *edge*: its chunk may have fewer than C children, and the first child is an
element of the edge. All others are *interior*. The two are numbered apart, except for the symbols.

Axes:
    child   elements of the level below, in the order of the word; one axis for each child
    above   elements of the edge of the level above
    class   classes
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.messages import format_count
from lengthwise.proofs.check.arrays import ABSENT, Integers
from lengthwise.proofs.check.balls import Floats
from lengthwise.proofs.search.algebra import TreeAlgebra
from lengthwise.proofs.search.closure import MAX_CHUNKS, Closure, explore

NONE = -1
"""Marks a chunk that does not occur in a table."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Tables:
    """Tables from chunks of one level to elements of the next; `NONE` where they do not occur."""

    interior: Integers
    """`interior[child, child, ...]`, with C axes."""
    edge: tuple[Integers, ...]
    """`edge[k - 1][child, child, ...]`, with k axes, for chunks of k children; the first child is
    an element of the edge."""
    classes: Integers
    """`classes[above]`: the class of a whole word."""
    logits: Floats | None = None
    """`logits[above, class]`, if known."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tables):
            return NotImplemented
        return len(self.edge) == len(other.edge) and all(
            np.array_equal(own_array, other_array)
            for own_array, other_array in zip(self._arrays(), other._arrays(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def _arrays(self) -> list[NDArray[np.generic]]:
        logits = np.empty(0) if self.logits is None else self.logits
        return [self.interior, *self.edge, self.classes, logits]


@dataclass(frozen=True, kw_only=True, slots=True)
class FiniteAlgebra:
    """A `TreeAlgebra` in tables: tables for some levels; the last ones repeat.

    `levels[l]` maps chunks of level l to elements of level l + 1. After the last one, the tables
    from `repeat` on are used again and again, so the elements of level `len(levels)` are those of
    `repeat`. Elements of level 0 are the symbols.

    Raises:
        VerificationError: tables do not fit together.
    """

    num_symbols: int
    num_classes: int
    chunk_size: int
    levels: tuple[Tables, ...]
    repeat: int
    empty: int
    """The empty word, as an element of the edge of level 1."""

    def __post_init__(self) -> None:
        if self.num_symbols < 1 or self.num_classes < 1 or self.chunk_size < 2:
            _refuse(
                f"num_symbols={self.num_symbols} and num_classes={self.num_classes} must be at "
                f"least 1, and chunk_size={self.chunk_size} at least 2"
            )
        if not 1 <= self.repeat < len(self.levels):
            _refuse(
                f"repeat={self.repeat} is a level after the symbols that has tables, so with "
                f"{len(self.levels)} levels it is at least 1 and below {len(self.levels)}"
            )
        for level in range(len(self.levels)):
            self._check(level)
        if not 0 <= self.empty < len(self.levels[0].classes):
            _refuse(f"empty={self.empty} is not an element of the edge of level 1")

    def _check(self, level: int) -> None:
        tables, above = self.levels[level], self.levels[self.phase(level + 1)]
        inner, outer = _sizes(tables)
        if level == 0 and (inner, outer) != (self.num_symbols,) * 2:
            _refuse(f"level 0 has {inner} and {outer} elements, but {self.num_symbols} symbols")
        shapes = [(inner,) * self.chunk_size]
        shapes += [(outer,) + (inner,) * num_others for num_others in range(self.chunk_size)]
        arrays = [tables.interior, *tables.edge]
        if [array.shape for array in arrays] != shapes:
            shapes_given = ", ".join(str(array.shape) for array in arrays)
            _refuse(f"tables of level {level} have shapes {shapes_given}, but fit as {shapes}")
        next_inner, next_outer = _sizes(above)
        limits = [next_inner] + [next_outer] * self.chunk_size
        for array, limit in zip(arrays, limits, strict=True):
            _check_range(array, NONE, limit, f"a table of level {level}")
        if tables.classes.shape != (next_outer,):
            _refuse(
                f"level {level} has classes of shape {tables.classes.shape}, but makes "
                f"{next_outer} elements of the edge"
            )
        _check_range(tables.classes, 0, self.num_classes, f"classes of level {level}")
        if tables.logits is not None and tables.logits.shape != (next_outer, self.num_classes):
            _refuse(
                f"logits of level {level} have shape {tables.logits.shape}, but there are "
                f"{next_outer} elements of the edge and {self.num_classes} classes"
            )

    @property
    def sizes(self) -> tuple[tuple[int, int], ...]:
        """Number of elements of the interior and of the edge, for the levels that have tables."""
        return tuple(_sizes(tables) for tables in self.levels)

    def phase(self, level: int) -> int:
        """Return the level whose tables apply to a level."""
        count = len(self.levels)
        if level < count:
            return level
        return self.repeat + (level - self.repeat) % (count - self.repeat)

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        """Return the elements of chunks.

        Raises:
            VerificationError: a chunk does not occur.
        """
        tables = self.levels[self.phase(level)]
        if not edge:
            return _occurring(tables.interior[tuple(children.T)], level)
        used = (children != ABSENT).sum(axis=1)
        result = np.full(len(children), self.empty)
        for count in range(1, self.chunk_size + 1):
            rows = np.flatnonzero(used == count)
            result[rows] = tables.edge[count - 1][
                tuple(children[rows, self.chunk_size - count :].T)
            ]
        return _occurring(result, level)

    def read(self, level: int, elements: Integers) -> Integers:
        """Return the classes of whole words."""
        return self.levels[self.phase(level - 1)].classes[elements].astype(np.int64)

    def classify(self, word: Sequence[int]) -> int:
        """Return the class of one word by definition; `lookup` computes many at once.

        Raises:
            VerificationError: a chunk does not occur.
        """
        nodes, level = list(word), 0
        while level == 0 or len(nodes) > 1:
            first = (len(nodes) - 1) % self.chunk_size + 1 if nodes else 0
            padded = [ABSENT] * (self.chunk_size - first) + nodes
            chunks = np.array(padded).reshape(-1, self.chunk_size)
            outer = self.compose(level, chunks[:1], edge=True)
            inner = self.compose(level, chunks[1:], edge=False)
            nodes, level = [*outer.tolist(), *inner.tolist()], level + 1
        return int(self.read(level, np.array(nodes))[0])


def _sizes(tables: Tables) -> tuple[int, int]:
    return tables.interior.shape[0], tables.edge[0].shape[0]


def _occurring(elements: Integers, level: int) -> Integers:
    if (elements == NONE).any():
        raise VerificationError(
            f"a chunk of level {level} does not occur in the words that the tables were made for. "
            f"Ask for words of their domain only."
        )
    return elements.astype(np.int64)


def _check_range(array: NDArray[np.generic], least: int, end: int, name: str) -> None:
    if not np.issubdtype(array.dtype, np.integer):
        _refuse(f"{name} has numbers of type {array.dtype}, not integers")
    if array.size and not (least <= int(array.min()) and int(array.max()) < end):
        _refuse(f"{name} has numbers {array.min()}..{array.max()}, but {least}..{end - 1} exist")


def _refuse(reason: str) -> None:
    raise VerificationError(f"a finite algebra does not fit together: {reason}.")


# ---- from any algebra ------------------------------------------------------------------------


def tabulate(
    algebra: TreeAlgebra,
    domain: Language | None = None,
    *,
    num_classes: int | None = None,
    max_chunks: int = MAX_CHUNKS,
) -> tuple[FiniteAlgebra, tuple[tuple[Integers, Integers], ...]]:
    """Tabulate everything that occurs in words of a domain (default: all words).

    Return the tables, and for the interior and the edge of each level that has tables the elements
    of `algebra` that are numbered 0, 1, ... there. Without `num_classes`, it is one more than the
    largest class that occurs.

    Raises:
        VerificationError: the elements do not repeat within `max_chunks` chunks of a level.
    """
    recorder = _Recorder(algebra)
    closure = explore(recorder, one_class(algebra.num_symbols, domain), max_chunks=max_chunks)
    if closure.repeats is None:
        raise VerificationError(
            f"the model is not a finite algebra within bounds: {closure.reason}. Train with "
            f"fewer bits or on a smaller language."
        )
    numbered = _numbering(closure, algebra.num_symbols, recorder.empty)
    above = [*numbered[1:], numbered[closure.repeats]]
    classes = [algebra.read(level + 1, edge) for level, (_, edge) in enumerate(above)]
    if num_classes is None:
        num_classes = 1 + max(int(class_array.max()) for class_array in classes)
    levels = []
    for level, chunks in enumerate(recorder.chunks):
        inner, outer = numbered[level]
        next_inner, next_outer = above[level]
        shapes = [(len(inner),) * algebra.chunk_size]
        shapes += [
            (len(outer),) + (len(inner),) * num_others for num_others in range(algebra.chunk_size)
        ]
        arrays = [np.full(shape, NONE) for shape in shapes]
        for children, results, edge in chunks:
            used = (children != ABSENT).sum(axis=1)
            for count in np.unique(used).tolist():
                rows = np.flatnonzero(used == count)
                columns = children[rows, algebra.chunk_size - count :].T
                first = np.searchsorted(outer if edge else inner, columns[0])
                other_children = tuple(np.searchsorted(inner, column) for column in columns[1:])
                numbers = np.searchsorted(next_outer if edge else next_inner, results[rows])
                arrays[count if edge else 0][(first, *other_children)] = numbers
        levels.append(Tables(interior=arrays[0], edge=tuple(arrays[1:]), classes=classes[level]))
    finite = FiniteAlgebra(
        num_symbols=algebra.num_symbols,
        num_classes=num_classes,
        chunk_size=algebra.chunk_size,
        levels=tuple(levels),
        repeat=closure.repeats,
        empty=int(np.searchsorted(numbered[1][1], recorder.empty)),
    )
    return finite, tuple(numbered)


class _Recorder:
    """An algebra that records the chunks that are composed, and gives all words one class."""

    def __init__(self, algebra: TreeAlgebra) -> None:
        self._algebra = algebra
        self.num_symbols = algebra.num_symbols
        self.chunk_size = algebra.chunk_size
        self.phase = algebra.phase
        self.chunks: list[list[tuple[Integers, Integers, bool]]] = []
        """Records by level: children, their elements, and whether they are at the edge."""
        self.empty = NONE

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        results = self._algebra.compose(level, children, edge=edge)
        if edge and len(children) and (children == ABSENT).all():
            self.empty = int(results[0])
            return results
        while len(self.chunks) <= level:
            self.chunks.append([])
        self.chunks[level].append((children.copy(), results, edge))
        return results

    def read(self, level: int, elements: Integers) -> Integers:
        return np.zeros_like(elements)


def one_class(num_symbols: int, domain: Language | None) -> Language:
    """Build a language whose only information is its domain (default: all words).

    Raises:
        VerificationError: the domain has another number of symbols.
    """
    if domain is not None and domain.num_symbols != num_symbols:
        raise VerificationError(
            f"the model has {format_count(num_symbols, 'symbol')}, but the domain has "
            f"{domain.num_symbols}. Give a domain over the model's own alphabet."
        )
    alphabet = tuple(f"s{i}" for i in range(num_symbols)) if domain is None else domain.alphabet
    return Language(
        alphabet=alphabet, transitions=((0,) * num_symbols,), classes=(0,), domain=domain
    )


def _numbering(closure: Closure, num_symbols: int, empty: int) -> list[tuple[Integers, Integers]]:
    """Return the elements that occur, sorted, at each level but the last, which repeats."""
    result = [
        (np.unique(level.interior.elements), np.unique(level.edge.elements))
        for level in closure.levels[:-1]
    ]
    result[0] = (np.arange(num_symbols),) * 2
    result[1] = (result[1][0], np.union1d(result[1][1], [empty]))
    return result
