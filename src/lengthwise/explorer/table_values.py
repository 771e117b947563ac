"""The tables of a network with chunks as plain values, by which the page computes its answers.

Axes:
    entry     entries of a table, in its order
    position  the C positions of a chunk, in the order of the word
    head      attention heads
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lengthwise.analysis.attention import keep_weights
from lengthwise.analysis.model_copy import float64_copy
from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.proofs.check.arrays import ABSENT, Integers
from lengthwise.proofs.check.balls import Floats
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.extraction import extract_algebra
from lengthwise.proofs.search.finite_algebra import NONE, FiniteAlgebra, Tables, tabulate
from lengthwise.proofs.search.network import node_of

Values = dict[str, Any]

MOST_CHUNKS = 400_000
"""Largest number of chunks of a level that are composed for the page."""

MOST_ENTRIES = 500_000
"""Largest number of entries of all tables: about 1.3 MB of the page."""

_MOST_WEIGHTS = 300_000
"""Largest number of attention weights in the page."""

_NONE = 65_535


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tabulated:
    algebra: FiniteAlgebra
    codes: list[str] | None
    """The codes of the elements of all levels but the first, in hexadecimal, if there are codes."""
    vectors: list[tuple[Floats, Floats]]
    """The vectors of interior and edge, by level from 0 on."""
    note: str


def table_values(model: RegularGPT, domain: Language | None) -> Values:
    """Return the tables of a network, the codes of its elements, and its attention if it is small.

    With continuous memory the tables are those of its snapped vectors, and `note` says so.

    Raises:
        VerificationError: it is not a finite algebra within bounds, or its tables are too large.
    """
    binary = isinstance(model.memory, BinaryMemory)
    tabulated = _of_codes(model, domain) if binary else _of_vectors(model, domain)
    tables = tabulated.algebra.levels
    entries = sum(array.size for level in tables for array in _arrays(level))
    _require_few(entries)
    return {
        "chunk_size": tabulated.algebra.chunk_size,
        "repeat": tabulated.algebra.repeat,
        "empty": tabulated.algebra.empty,
        "levels": [
            {
                "inner": level.interior.shape[0],
                "outer": level.edge[0].shape[0],
                "tables": [_pack(array) for array in _arrays(level)],
                "classes": level.classes.tolist(),
            }
            for level in tables
        ],
        "codes": tabulated.codes,
        "num_bits": model.config.num_bits if binary else None,
        "attention": _attention(model, tabulated, entries),
        "num_heads": model.config.num_heads,
        "note": tabulated.note,
    }


def _require_few(entries: int) -> None:
    if entries > MOST_ENTRIES:
        raise VerificationError(
            f"a page has at most {MOST_ENTRIES:,} entries of tables, but this network has "
            f"{entries:,}. Explore it without --out."
        )


def _arrays(level: Tables) -> list[NDArray[np.int64]]:
    """Return the table of the interior, and those of chunks of 1, 2, ... children at the edge.

    Where elements are codes, interior and edge are alike, and only the latter are needed.
    """
    is_shared = level.interior is level.edge[-1]
    return list(level.edge) if is_shared else [level.interior, *level.edge]


def _pack(array: NDArray[np.int64]) -> str:
    flat = np.where(array == NONE, _NONE, array).astype("<u2")
    return base64.b64encode(flat.tobytes()).decode()


def _of_codes(model: RegularGPT, domain: Language | None) -> _Tabulated:
    node = node_of(model)
    algebra = BinaryAlgebra(node)
    finite, numbered = tabulate(
        algebra, domain, num_classes=model.config.num_classes, max_chunks=MOST_CHUNKS
    )
    recalled, leaves = node.recall(algebra.codes).centre, node.leaves().centre
    return _Tabulated(
        algebra=merge_tables(finite, numbered, algebra),
        codes=hexadecimal(algebra.codes),
        vectors=[(leaves, leaves), (recalled, recalled)],
        note=""
        if algebra.is_certain
        else "some signs are so near 0 that rounding decides them: here they are those of float64",
    )


def merge_tables(
    finite: FiniteAlgebra, numbered: Sequence[tuple[Integers, Integers]], algebra: BinaryAlgebra
) -> FiniteAlgebra:
    """Return the tables of all levels as two: one of symbols, one of codes, by number of code.

    A chunk of codes becomes the same code at every level, inside and at the edge.

    Raises:
        VerificationError: the tables are too large.
    """
    chunk, sizes = finite.chunk_size, (finite.num_symbols, len(algebra.codes))
    _require_few(sizes[1] ** chunk)
    filled = [[np.full((size,) * count, NONE) for count in range(1, chunk + 1)] for size in sizes]
    above = [*numbered[1:], numbered[finite.repeat]]
    for level, tables in enumerate(finite.levels):
        inner, outer = numbered[level]
        parts = [(tables.interior, inner, above[level][0])]
        parts += [(table, outer, above[level][1]) for table in tables.edge]
        for table, first, results in parts:
            entries = np.argwhere(table != NONE)
            children = (first[entries[:, 0]], *(inner[column] for column in entries[:, 1:].T))
            filled[min(level, 1)][table.ndim - 1][children] = results[table[tuple(entries.T)]]
    classes = algebra.read(1, np.arange(sizes[1]))
    return FiniteAlgebra(
        num_symbols=finite.num_symbols,
        num_classes=finite.num_classes,
        chunk_size=chunk,
        levels=tuple(
            Tables(interior=tables[-1], edge=tuple(tables), classes=classes) for tables in filled
        ),
        repeat=1,
        empty=int(numbered[1][1][finite.empty]),
    )


def hexadecimal(codes: NDArray[np.bool_]) -> list[str]:
    """Write codes as certificates do."""
    return [np.packbits(code).tobytes().hex() for code in codes]


def _of_vectors(model: RegularGPT, domain: Language | None) -> _Tabulated:
    extraction = extract_algebra(model, domain)
    leaves = node_of(model).leaves().centre
    above = [
        (level.interior.representatives, level.edge.representatives) for level in extraction.levels
    ]
    return _Tabulated(
        algebra=extraction.algebra,
        codes=None,
        vectors=[(leaves, leaves), *above[:-1]],
        note="the memory is continuous: each vector is shown as the representative that is nearest "
        f"to it, at most {extraction.spread:.2g} away, and answers are those of the "
        f"representatives",
    )


@torch.no_grad()
def _attention(model: RegularGPT, tabulated: _Tabulated, entries: int) -> list[list[str]] | None:
    """Return the weights `[entry, position, head]` of each table in 255ths, or None if too many."""
    chunk, heads = tabulated.algebra.chunk_size, model.config.num_heads
    if entries * chunk * heads > _MOST_WEIGHTS:
        return None
    copy = float64_copy(model)
    attentions = keep_weights(copy)
    weights = []
    for level, (inner, outer) in zip(tabulated.algebra.levels, tabulated.vectors, strict=True):
        below = torch.from_numpy(np.concatenate([outer, inner])).double()
        arrays = _arrays(level)
        places = [0] * len(arrays) if len(arrays) == chunk else [len(outer), *[0] * chunk]
        weights.append(
            [
                _in_bytes(
                    copy, below, children_of(array.shape, chunk, first, len(outer)), attentions
                )
                for array, first in zip(arrays, places, strict=True)
            ]
        )
    return weights


def children_of(shape: Sequence[int], chunk_size: int, first: int, offset: int) -> Tensor:
    """Return the children of all entries of a table, as rows of the vectors of the level below.

    The first child is `first` rows, the others are `offset` rows further than their number says.
    """
    places = np.stack(np.unravel_index(np.arange(int(np.prod(shape))), shape), axis=1)
    places[:, 0] += first
    places[:, 1:] += offset
    absent = np.full((len(places), chunk_size - len(shape)), ABSENT)
    return torch.from_numpy(np.concatenate([absent, places], axis=1))


def _in_bytes(model: RegularGPT, below: Tensor, children: Tensor, attentions: list[Tensor]) -> str:
    model.gather(below, children)
    weights = attentions.pop().clamp(0, 1)
    return base64.b64encode((weights * 255).round().byte().numpy().tobytes()).decode()
