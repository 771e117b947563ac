"""Fast classification of words by tables.

Idea. Write n - 1 in base C for a word of n symbols: n - 1 = d_0 + d_1 C + d_2 C^2 + ... Then the
word is its first symbol, d_0 symbols, d_1 nodes of level 1, d_2 nodes of level 2, and so on: the
edge absorbs them one after the other, d_l of them at level l. And the tables of f levels are
multiplied out into one: the elements of C^f nodes, read as digits of one number, are the index of
the node f levels above; so are the edge and fewer than C^f nodes.

Exactness. The number is a product with powers of the base, in floats that hold every integer
up to the size of the table. QED

Axes:
    word    words of one length
    position   symbols, or nodes of one level, from left to right
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from lengthwise.errors import VerificationError, WordError
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.search.finite_algebra import NONE, FiniteAlgebra, Tables

_LARGEST_TABLE = 2**16
"""Largest number of entries of a table that is multiplied out; it stays in a processor's cache."""

_LARGEST_EDGE = 2**18
"""The same at the edge, where a table is read once for each word."""

_CACHED = 2**15
"""Number of symbols that are read twice in a row."""

_FLOAT32_WHOLE = 2**24

CERTAIN = 30.0
"""Logit of the class where an algebra has none: any other class gets a share below 1e-12."""

Table = NDArray[Any]


class Lookup:
    """The tables of an algebra, arranged for batches of words."""

    def __init__(self, algebra: FiniteAlgebra) -> None:
        self.algebra = algebra
        self._has_gaps = any(
            (array == NONE).any()
            for tables in algebra.levels
            for array in (tables.interior, *tables.edge)
        )
        self._interiors = []
        self._edges = []
        for level, tables in enumerate(algebra.levels):
            above = algebra.levels[algebra.phase(level + 1)]
            inner, outer = len(above.interior), len(tables.classes)
            self._interiors.append(self._extend(tables.interior, inner, level))
            self._edges.append([self._extend(array, outer, level) for array in tables.edge])
        self._stages: dict[int, _Stage] = {}

    def classify(self, tokens: Integers, lengths: Integers | None = None) -> Integers:
        """Return the classes of right-aligned words; without `lengths` all fill their rows.

        Tokens to the left of a word are ignored.

        Raises:
            WordError: a symbol is not in the alphabet, or a word does not fit into its row.
            VerificationError: a word is none of those that the tables were made for.
        """
        result = np.zeros(len(tokens), dtype=np.int64)
        for rows, level, elements in self.roots(tokens, lengths):
            result[rows] = self.algebra.levels[level].classes[elements]
        return result

    def roots(
        self, tokens: Integers, lengths: Integers | None = None
    ) -> list[tuple[Any, int, Integers]]:
        """Return for each length the rows of its words, a level that has tables, and their
        elements.

        Raises:
            WordError: a symbol is not in the alphabet, or a word does not fit into its row.
            VerificationError: a word is none of those that the tables were made for.
        """
        positions = tokens.shape[1]
        distinct = [positions] if lengths is None else np.unique(lengths).tolist()
        unfit = [length for length in distinct if not 0 <= length <= positions]
        if unfit:
            raise WordError(
                f"a word of {unfit[0]} symbols does not fit into a row of {positions} positions. "
                f"Give lengths of 0..{positions}."
            )
        roots: list[tuple[Any, int, Integers]] = []
        for length in distinct:
            rows: Any = slice(None)
            if len(distinct) > 1:
                rows = np.flatnonzero(lengths == length)
            roots.append((rows, *self._roots(tokens[rows, positions - length :])))
        return roots

    def _roots(self, words: Integers) -> tuple[int, Integers]:
        """Return level and elements of the roots of words of one length."""
        algebra = self.algebra
        if words.size == 0:
            return 0, np.full(len(words), algebra.empty)
        symbols = self._in_few_bytes(words)
        edge, nodes = symbols[:, 0], symbols[:, 1:]
        level = 0
        while True:
            stage = self._stage(algebra.phase(level))
            left = nodes.shape[1]
            count, is_whole = left % stage.width, left < stage.width
            levels, edge = stage.take_up(edge, nodes[:, :count], is_whole)
            level += levels
            if is_whole:
                break
            nodes = stage.above(nodes[:, count:])
        root = algebra.phase(level - 1)
        if self._has_gaps and (edge == len(algebra.levels[root].classes)).any():
            raise VerificationError(
                f"a word of {words.shape[1]} symbols has chunks that do not occur in the words "
                f"that the tables were made for. Ask for words of their domain only."
            )
        return root, edge

    def _in_few_bytes(self, words: Integers) -> Table:
        """Copy the symbols into the tables' integer type, checked while they are in the cache."""
        result = np.empty(words.shape, dtype=np.min_scalar_type(self.algebra.num_symbols))
        rows = max(1, _CACHED // words.shape[1])
        for first in range(0, len(words), rows):
            part = words[first : first + rows]
            if part.view(f"u{part.itemsize}").max() >= self.algebra.num_symbols:  # -1 is far above
                raise WordError(
                    f"a word has a symbol outside 0..{self.algebra.num_symbols - 1}. "
                    f"Encode words with their language."
                )
            result[first : first + rows] = part
        return result

    def _stage(self, level: int) -> "_Stage":
        if level not in self._stages:
            following = [self.algebra.phase(level + ahead) for ahead in range(_MOST_LEVELS)]
            self._stages[level] = _Stage(
                self.algebra.chunk_size,
                [self._interiors[phase] for phase in following],
                [self._edges[phase] for phase in following],
            )
        return self._stages[level]

    def _extend(self, array: Table, bottom: int, level: int) -> Table:
        """Copy a table into a small integer type; one more element stands for chunks that do not
        occur.

        A chunk with that element becomes that element. All symbols occur.
        """
        if self._has_gaps:
            array = np.where(array == NONE, bottom, array)
            if level > 0:
                array = np.pad(array, [(0, 1)] * array.ndim, constant_values=bottom)
        return array.astype(np.min_scalar_type(bottom))


_MOST_LEVELS, _MOST_NODES = 5, 32
"""Largest number of levels that are multiplied out, and of nodes that then become one."""


class _Stage:
    """Several levels at once, as many as fit into a table, and at least one.

    `interiors` and `edges` are the tables of this level and of those after it.
    """

    def __init__(self, chunk_size: int, interiors: list[Table], edges: list[list[Table]]) -> None:
        self._chunk_size = chunk_size
        self._interiors, self._edges = interiors, edges
        self._inner, self._outer = len(interiors[0]), len(edges[0][0])
        self._levels, self.width = 1, chunk_size
        self._interior = interiors[0].reshape(-1)
        while (
            self.width * chunk_size <= _MOST_NODES
            and self._inner ** (self.width * chunk_size) <= _LARGEST_TABLE
            and self._outer * self._inner ** (self.width * chunk_size - 1) <= _LARGEST_EDGE
        ):
            parts = np.ix_(*[self._interior] * chunk_size)
            self._interior = interiors[self._levels][parts].reshape(-1)
            self._levels, self.width = self._levels + 1, self.width * chunk_size
        self._edge: dict[tuple[int, bool], tuple[int, Table]] = {}
        self._powers = [self._make_powers(count) for count in range(self.width + 1)]

    def above(self, nodes: Table) -> Table:
        """Return the nodes above the stage; `nodes[word, index]` are whole chunks of them."""
        if nodes.dtype == np.uint8 and self._inner == 2 and self.width in (8, 16):
            number = _of_bits(nodes, self.width)
        elif nodes.dtype == np.uint8 and self._inner <= 4 and self.width == 8:
            number = _of_bytes(nodes, self._inner)
        else:
            number = _number(nodes.reshape(-1, self.width), self._powers[-1])
        return self._interior[number].reshape(len(nodes), -1)

    def take_up(self, edge: Table, nodes: Table, is_whole: bool) -> tuple[int, Table]:
        """Absorb nodes into the edge; return the number of levels it rises, and its elements.

        The edge goes to the end of the stage, or, if that is all of the word, to its root.
        """
        count = nodes.shape[1]
        if (count, is_whole) not in self._edge:
            self._edge[count, is_whole] = self._make_edge(count, is_whole)
        levels, table = self._edge[count, is_whole]
        number = _number(nodes, self._powers[count])
        return levels, table[edge.astype(np.intp) * self._inner**count + number]

    def _make_edge(self, count: int, is_whole: bool) -> tuple[int, Table]:
        """Tabulate the edge with all tuples of `count` nodes, level by level."""
        small = np.min_scalar_type(max(self._outer, self._inner))
        every = np.indices((self._outer,) + (self._inner,) * count, dtype=small)
        rows = every.reshape(count + 1, -1).T
        edge, nodes = rows[:, 0], rows[:, 1:]
        level = 0
        while level == 0 or (nodes.shape[1] if is_whole else level < self._levels):
            digit = nodes.shape[1] % self._chunk_size
            edge = self._edges[level][digit][(edge, *nodes[:, :digit].T)]
            chunks = nodes[:, digit:].reshape(len(nodes), -1, self._chunk_size)
            nodes = self._interiors[level][tuple(np.moveaxis(chunks, 2, 0))]
            level += 1
        return level, edge

    def _make_powers(self, count: int) -> Table:
        is_small = self._inner**count <= _FLOAT32_WHOLE
        powers = float(self._inner) ** np.arange(count - 1, -1, -1)
        return powers.astype(np.float32 if is_small else np.float64)


def _number(nodes: Table, powers: Table) -> Integers:
    """Convert the digits in each row to one number.

    Kernels of some processors work on lanes beyond the end of a row, whose results they throw away;
    what these lanes hold may set the flag of an invalid operation, about which numpy then warns.
    """
    with np.errstate(invalid="ignore"):
        number = nodes.astype(powers.dtype) @ powers
    return number.astype(np.intp)


def _of_bits(nodes: Table, width: int) -> Table:
    """Convert eight or sixteen digits in base 2 to one number."""
    packed = np.packbits(nodes.reshape(-1))
    return packed if width == 8 else packed.view(">u2")


def _of_bytes(nodes: Table, base: int) -> Integers:
    """Convert eight digits in a base of at most 4 to one number, in registers of eight bytes.

    Pairs first: each is below 16, in two bytes. A product with powers of base^2 then has the number
    in its highest two bytes; the lower ones hold less than 2^16, so nothing is carried.
    """
    eight = np.ascontiguousarray(nodes).reshape(-1).view("<u8")
    even = np.uint64(0x00FF00FF00FF00FF)
    number = eight & even
    number *= np.uint64(base)
    number += (eight >> np.uint64(8)) & even
    number *= np.uint64(
        sum(base ** (6 - 2 * position) << (48 - 16 * position) for position in range(4))
    )
    number >>= np.uint64(48)
    return number.view(np.int64)


@dataclass(frozen=True, kw_only=True, slots=True)
class SnappedConfig:
    """Configuration of a snapped model, with the setting names of networks."""

    vocab_size: int
    num_classes: int


class SnappedModel(nn.Module):
    """A model whose vectors are snapped to those of a finite algebra: lookups in its tables.

    Like other models it returns logits: those of the algebra, in float64, or, without them, logits
    of certainty. The largest is always that of the class in the tables.
    """

    def __init__(self, algebra: FiniteAlgebra) -> None:
        super().__init__()
        self.algebra = algebra
        self.config = SnappedConfig(vocab_size=algebra.num_symbols, num_classes=algebra.num_classes)
        self._lookup = Lookup(algebra)
        self._logits = [_logits(tables, algebra.num_classes) for tables in algebra.levels]

    def classify(
        self, tokens: Int[Tensor, "word position"], lengths: Int[Tensor, " word"] | None = None
    ) -> Int[Tensor, " word"]:
        """Return the classes of right-aligned words; tokens to their left are ignored.

        Raises:
            WordError: a symbol is not in the alphabet, or a word does not fit into its row.
            VerificationError: a word is none of those that the tables were made for.
        """
        classes = self._lookup.classify(*_arrays(tokens, lengths))
        return torch.from_numpy(classes).to(tokens.device)

    def forward(
        self, tokens: Int[Tensor, "word position"], lengths: Int[Tensor, " word"] | None = None
    ) -> Float[Tensor, "word class"]:
        """Return the logits of the classes of right-aligned words.

        Tokens to the left of a word are ignored (`PAD`, -1, by convention). `lengths` may be left
        out if all words fill their rows.

        Raises:
            WordError: a symbol is not in the alphabet, or a word does not fit into its row.
            VerificationError: a word is none of those that the tables were made for.
        """
        result = np.empty((len(tokens), self.algebra.num_classes))
        for rows, level, elements in self._lookup.roots(*_arrays(tokens, lengths)):
            result[rows] = self._logits[level][elements]
        return torch.from_numpy(result).to(tokens.device)


def _logits(tables: Tables, num_classes: int) -> NDArray[np.float64]:
    """Return the logits of a level's elements; the largest is that of the class.

    Logits were computed independently of classes, and where two are equal up to rounding, another
    may be larger: then that of the class is raised to the next number above.
    """
    if tables.logits is None:
        return CERTAIN * np.eye(num_classes)[tables.classes]
    logits = tables.logits.astype(np.float64)
    (other,) = np.nonzero(logits.argmax(axis=1) != tables.classes)
    above = np.nextafter(logits[other].max(axis=1, initial=-np.inf), np.inf)
    logits[other, tables.classes[other]] = above
    return logits


def _arrays(tokens: Tensor, lengths: Tensor | None) -> tuple[Integers, Integers | None]:
    return tokens.cpu().numpy(), None if lengths is None else lengths.cpu().numpy()
