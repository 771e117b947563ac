"""Encodings of the state maps of sub-words as vectors.

An encoding says which vector stands for a symbol, and which hidden units multiply the vectors of
the children of a node; `constructions.automata` turns them into a network. Those of zeros and ones
number coordinates, and list which coordinates of the children of a node set which coordinate of the
node to 1. Images (`constructions.images`) are integers.

Axes:
    unit    products: one coordinate of each child; all must be 1
    chunk   the C children of a node, in the order of the word
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lengthwise.constructions.images import ImageEncoding
from lengthwise.constructions.units import Floats, Integers, Units
from lengthwise.errors import LanguageError
from lengthwise.languages.distinct_rows import distinct_rows
from lengthwise.languages.elements import MonoidElements
from lengthwise.languages.language import Language
from lengthwise.registry import Catalogue

Booleans = NDArray[np.bool_]

MAX_ELEMENTS = 2_000
"""Largest number of elements for one-hot vectors."""

MAX_PRODUCTS = 10_000_000
"""Largest number of chunks of a level for one-hot vectors."""

_ROWS = 1 << 16


@runtime_checkable
class Encoding(Protocol):
    """An encoding of the state map of a sub-word."""

    size: int
    """Number of coordinates."""

    @property
    def ones(self) -> int | None:
        """Number of coordinates that are 1, if the others are 0; None for other numbers."""
        ...

    def count_layers(self, chunk_size: int) -> int:
        """Return the number of layers of the block."""
        ...

    def num_hidden(self, chunk_size: int) -> int:
        """Return the largest number of hidden units of a layer, apart from linear terms."""
        ...

    def leaf(self, symbol: int) -> Floats:
        """Return the vector of a symbol."""
        ...

    def pad(self) -> Floats:
        """Return the vector of the empty word."""
        ...

    def layers(self, chunk_size: int) -> Iterator[Units]:
        """Yield the units of each layer, on vectors of `chunk_size` blocks of `size`: the last
        child, the one before it, and so on. The first block becomes the product, the others 0.
        """
        ...

    def read_out(self) -> tuple[Floats, Floats]:
        """Return weights `[class, coordinate]` and biases whose largest sum is at the class."""
        ...


class ZeroOneEncoding(ABC):
    """Base of encodings as zeros and ones: a unit asks whether one coordinate of each child is 1.

    With z the sum of the C coordinates, relu(4z - 4C + 3) - relu(4z - 4C + 2) is 1 if they all are,
    and else 0; `constructions.automata` says why there are two.
    """

    size: int
    ones: int
    _num_classes: int

    @abstractmethod
    def count_units(self, chunk_size: int) -> int:
        """Return the number of products of `chunk_size` coordinates."""

    @abstractmethod
    def units(self, chunk_size: int) -> tuple[Integers, Integers]:
        """Return `[unit, chunk]` coordinates, one of each child, and the coordinate that each unit
        adds to.
        """

    @abstractmethod
    def symbol(self, symbol: int) -> Integers:
        """Return the coordinates that are 1 for a symbol."""

    @abstractmethod
    def identity(self) -> Integers:
        """Return the coordinates that are 1 for the empty word."""

    @abstractmethod
    def classes(self) -> Integers:
        """Return `[coordinate]`: the class of a word where the coordinate is 1, or -1 if it decides
        nothing.
        """

    def count_layers(self, chunk_size: int) -> int:
        """Return 1: all children are multiplied at once."""
        return 1

    def num_hidden(self, chunk_size: int) -> int:
        """Return two units for each product."""
        return 2 * self.count_units(chunk_size)

    def leaf(self, symbol: int) -> Floats:
        """Return the vector of a symbol."""
        return self._with_ones(self.symbol(symbol))

    def pad(self) -> Floats:
        """Return the vector of the empty word."""
        return self._with_ones(self.identity())

    def layers(self, chunk_size: int) -> Iterator[Units]:
        """Yield the one layer: two units for each product; all that was there is taken away."""
        width = chunk_size * self.size
        units = Units(width)
        units.add_linear(np.arange(width), np.arange(width), -1.0)
        children, product = self.units(chunk_size)
        inputs = np.arange(chunk_size - 1, -1, -1) * self.size + children
        for threshold, sign in ((3, 1.0), (2, -1.0)):
            units.add(inputs, 4.0, threshold - 4.0 * chunk_size, product, sign)
        yield units

    def read_out(self) -> tuple[Floats, Floats]:
        """Return 1 at the class that a coordinate decides."""
        classes = self.classes()
        weights = np.zeros((self._num_classes, self.size))
        decided = np.flatnonzero(classes >= 0)
        weights[classes[decided], decided] = 1.0
        return weights, np.zeros(self._num_classes)

    def _with_ones(self, coordinates: Integers) -> Floats:
        vector = np.zeros(self.size)
        vector[coordinates] = 1.0
        return vector


class MatrixEncoding(ZeroOneEncoding):
    """Matrix encoding: `A[i, j]` is 1 if state i goes to state j; the paper's A(sigma), for pairs
    that occur.
    """

    def __init__(self, language: Language, chunk_size: int, most_parameters: int) -> None:
        machine = language.minimise()
        self._machine, self._num_classes = machine, machine.num_classes
        steps = np.array(machine.transitions, dtype=np.int64)
        reach = np.eye(machine.num_states, dtype=np.bool_)
        for row in steps.T:
            reach[np.arange(len(row)), row] = True
        for k in range(machine.num_states):  # Warshall
            reach |= reach[:, k : k + 1] & reach[k]
        self._reach = reach
        self._pairs = np.argwhere(reach)
        self._number = np.cumsum(reach).reshape(reach.shape) - 1
        self._steps = steps
        self.size, self.ones = len(self._pairs), machine.num_states

    def count_units(self, chunk_size: int) -> int:
        """Return the number of paths of `chunk_size` pairs."""
        counts = [[int(x) for x in row] for row in self._reach]
        ends = [sum(row) for row in counts]
        for _ in range(chunk_size - 1):
            ends = [
                sum(e for e, seen in zip(ends, row, strict=True) if seen) for row in self._reach
            ]
        return sum(ends)

    def units(self, chunk_size: int) -> tuple[Integers, Integers]:
        """Return the paths i -> k -> ... -> j of `chunk_size` pairs, and the pair (i, j)."""
        paths = self._pairs
        for _ in range(chunk_size - 1):
            follow = self._reach[paths[:, -1]]
            index, state = np.nonzero(follow)
            paths = np.column_stack([paths[index], state])
        return self._number[paths[:, :-1], paths[:, 1:]], self._number[paths[:, 0], paths[:, -1]]

    def symbol(self, symbol: int) -> Integers:
        """Return the pairs (i, i·a)."""
        return self._number[np.arange(self.ones), self._steps[:, symbol]]

    def identity(self) -> Integers:
        """Return the pairs (i, i)."""
        return self._number[np.arange(self.ones), np.arange(self.ones)]

    def classes(self) -> Integers:
        """Return the class of j at the pairs (start, j)."""
        start, end = self._pairs.T
        classes = np.array(self._machine.classes, dtype=np.int64)
        return np.where(start == self._machine.start, classes[end], -1)


class ElementEncoding(ZeroOneEncoding):
    """One-hot encoding: coordinate x is 1 if the sub-word is element x.

    Elements are found by following the tree, level by level, until it repeats. Without a domain
    they are elements of the transition monoid. With a domain, sub-words at level l are
    distinguished only by their images in states from which a word of the domain can end a multiple
    of C^l symbols later: other images are undefined (-1), maps that are undefined everywhere do not
    occur, and a map may be replaced by one that extends it. Element 0 is the identity, the pad.

    Raises:
        LanguageError: there are too many elements or chunks, or the network would have
            more than `most_parameters`.
    """

    def __init__(self, language: Language, chunk_size: int, most_parameters: int) -> None:
        self._found, self._num_classes = MonoidElements(language), language.num_classes
        self._chunk_size, self._most_parameters = chunk_size, most_parameters
        self._masks, self._first = self._find_masks()
        self._number: dict[tuple[int, bytes], int] = {}
        self._of_phase: dict[int, list[int]] = {}
        states = np.arange(self._found.machine.num_states)
        self._maps = [states]
        self._rows = np.array(self._maps)
        if len(self._masks) == 1 and self._masks[0].all():
            self._number[0, states.tobytes()] = 0
        self._symbols = self._number_maps(self._found.maps[self._found.symbols], 0)
        self._children, self._product = self._explore()
        self.size, self.ones = len(self._maps), 1

    def count_units(self, chunk_size: int) -> int:
        """Return the number of chunks that occur."""
        return len(self._product)

    def units(self, chunk_size: int) -> tuple[Integers, Integers]:
        """Return the chunks that occur, and their products."""
        return self._children, self._product

    def symbol(self, symbol: int) -> Integers:
        """Return the element of a symbol; none if no word of the domain has it."""
        element = self._symbols[[symbol]]
        return element[element >= 0]

    def identity(self) -> Integers:
        """Return element 0."""
        return np.array([0])

    def classes(self) -> Integers:
        """Return the class of the image of the start state under each element."""
        ends = self._rows[:, self._found.machine.start]
        classes = np.append(self._found.classes, -1)[ends]
        return np.where(classes < self._found.num_classes, classes, -1)

    def _find_masks(self) -> tuple[list[Booleans], int]:
        """Return the relevant states of each level, and the level from which these repeat.

        A level determines all levels above it, so levels repeat once one equals an earlier one.
        """
        seen: dict[bytes, int] = {}
        masks: list[Booleans] = []
        while True:
            level = len(masks)
            mask = self._found.leads_in(level, self._chunk_size)
            key = self._found.steps(level, self._chunk_size).tobytes() + mask.tobytes()
            if key in seen:
                break
            seen[key] = level
            masks.append(mask)
        first = seen[key]
        bodies = [mask.tobytes() for mask in masks]
        count = len(masks) - first
        period = next(
            p
            for p in range(1, count + 1)
            if count % p == 0 and bodies[first:] == bodies[first : first + p] * (count // p)
        )
        while first and bodies[first - 1] == bodies[first - 1 + period]:
            first -= 1
        return masks[: first + period], first

    def _phase(self, level: int) -> int:
        """Return the representative level of a level."""
        first, count = self._first, len(self._masks)
        return level if level < count else first + (level - first) % (count - first)

    def _number_maps(self, maps: Integers, level: int) -> Integers:
        """Return the elements of maps at a level; new maps are numbered, undefined ones are -1."""
        phase = self._phase(level)
        inside = np.append(self._masks[phase], False)
        masked = np.where(inside[maps], maps, -1)
        distinct, inverse = distinct_rows(masked)
        numbers = np.full(len(distinct), -1)
        defined = (distinct >= 0).sum(axis=1)
        for index in np.argsort(-defined, kind="stable")[: np.count_nonzero(defined)]:
            numbers[index] = self._number_of(distinct[index], phase)
        if len(self._maps) > MAX_ELEMENTS:
            raise LanguageError(
                f"sub-words do more than {MAX_ELEMENTS} different things, the most for one-hot "
                f"vectors."
            )
        self._require_few(0)
        self._rows = np.array(self._maps)
        return numbers[inverse]

    def _number_of(self, row: Integers, phase: int) -> int:
        """Return the element of a map: a known one, an extension of the map, or a new one."""
        key = (phase, row.tobytes())
        if key not in self._number:
            known = self._of_phase.setdefault(phase, [])
            extensions: Integers = np.array([], dtype=np.int64)
            if known and (row < 0).any():
                agree = (np.array([self._maps[x] for x in known]) == row) | (row < 0)
                extensions = np.flatnonzero(agree.all(axis=1))
            if len(extensions):
                self._number[key] = known[extensions[0]]
            else:
                self._number[key] = len(self._maps)
                known.append(len(self._maps))
                self._maps.append(row)
        return self._number[key]

    def _explore(self) -> tuple[Integers, Integers]:
        """Return all chunks that occur, and their products."""
        inner = np.unique(self._symbols[self._symbols >= 0])
        edge = np.array([0])  # the pad, and nodes that the word fills in part
        seen: set[tuple[int, bytes, bytes]] = set()
        chunks: list[Integers] = []
        products: list[Integers] = []
        level = 0
        while (state := (self._phase(level), inner.tobytes(), edge.tobytes())) not in seen:
            seen.add(state)
            full, above = self._multiply([inner] * self._chunk_size, level + 1)
            partial = [np.array([0])]
            for position in range(self._chunk_size):
                pads = [np.array([0])] * (self._chunk_size - 1 - position)
                factors = [*pads, edge, *[inner] * position]
                tuples, result = self._multiply(factors, level + 1, at_edge=True)
                chunks.append(tuples)
                products.append(result)
                partial.append(result)
            chunks.append(full)
            products.append(above)
            inner, edge = np.unique(above), np.unique(np.concatenate(partial))
            level += 1
        together = np.column_stack([np.concatenate(chunks), np.concatenate(products)])
        together = distinct_rows(together).rows
        assert len(distinct_rows(together[:, :-1]).rows) == len(together), "one product for a chunk"
        return together[:, :-1], together[:, -1]

    def _multiply(
        self, factors: list[Integers], level: int, *, at_edge: bool = False
    ) -> tuple[Integers, Integers]:
        """Return all factor tuples that are defined somewhere, and their products at a level."""
        count = math.prod(len(factor) for factor in factors)
        if count > MAX_PRODUCTS:
            raise LanguageError(
                f"a level has {count:,} chunks, more than {MAX_PRODUCTS:,}, the most for one-hot "
                f"vectors."
            )
        tuples: Integers = np.stack(np.meshgrid(*factors, indexing="ij"), axis=-1)
        tuples = tuples.reshape(-1, self._chunk_size)
        empty: Booleans = np.all(tuples == 0, axis=1)
        results = np.zeros(len(tuples), dtype=np.int64)
        for start in range(0, len(tuples), _ROWS):
            part = slice(start, start + _ROWS)
            maps = self._rows[tuples[part, 0]]
            for position in range(1, self._chunk_size):
                after = np.column_stack(
                    [self._rows[tuples[part, position]], np.full(len(maps), -1)]
                )
                maps = np.take_along_axis(after, maps, axis=1)
            lost = empty[part]  # no product
            if at_edge:  # the word begins here
                lost = lost | (maps[:, self._found.machine.start] < 0)
            maps[lost] = -1
            results[part] = self._number_maps(maps, level)
            self._require_few(int(np.count_nonzero(results[: part.stop] >= 0)))
        results[empty] = 0
        return tuples[results >= 0], results[results >= 0]

    def _require_few(self, units: int) -> None:
        """Refuse sizes at which attention (4 width^2) and units (4 width each) exceed the
        parameters.
        """
        width = self._chunk_size * len(self._maps)
        if 4 * width * (width + units) > self._most_parameters:
            raise LanguageError(
                f"{len(self._maps):,} or more elements need more than "
                f"{self._most_parameters:,} parameters."
            )


ENCODINGS: Catalogue[Callable[[Language, int, int], Encoding]] = Catalogue(
    "target", {"images": ImageEncoding, "matrices": MatrixEncoding, "elements": ElementEncoding}
)
"""Constructors from a language, a chunk, and the number of parameters past which to give up."""
