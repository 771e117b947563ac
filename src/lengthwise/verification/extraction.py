"""Which finite algebra does a trained network compute? Its tables, taken from its vectors.

With binary memory the codes are the elements, and the tables are the network. With continuous
memory, level by level, the images of all chunks of representatives are merged where there is a gap
between them (`merging`), and each class gets a representative. The levels end when one looks like
an earlier one, and so do those between them and after it.

The result is the network with its vectors *snapped* to representatives: another function, close to
the network as far as the distances on record say. Whether *it* is right at every length is a
question with an exact answer (`closure.explore`).

Axes:
    element  classes of vectors of one level
    vector   images of chunks
    chunk    the C children of an image
    width    numbers in a vector
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from torch import nn

from lengthwise.errors import VerificationError
from lengthwise.languages.elements import Elements
from lengthwise.languages.language import Language
from lengthwise.verification.algebra import ABSENT, Integers
from lengthwise.verification.balls import Ball
from lengthwise.verification.binary import BinaryAlgebra
from lengthwise.verification.finite import (
    NONE,
    FiniteAlgebra,
    Floats,
    Tables,
    one_class,
    tabulated,
)
from lengthwise.verification.merging import NO_ANSWER, merge
from lengthwise.verification.network import node_of, require_regular_gpt
from lengthwise.verification.node import Node

MAX_ELEMENTS = 100
"""Classes of the interior or the edge of one level, at most."""

_MOST_VECTORS = 20_000
_MOST_LEVELS = 40
_BATCH = 4096
_NEAR = 0.25
"""Share of the gap within which a class is the same as one of another level. Any other class is
then at least three times as far away."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Snaps:
    """All images of chunks at one level's interior or edge, and what each was snapped to."""

    representatives: Floats
    """`representatives[element, width]`."""
    children: Integers
    """`children[vector, chunk]`: elements of the level below, or `ABSENT`."""
    elements: Integers
    """`elements[vector]`: what the image was snapped to."""
    distances: Floats
    """`distances[vector]` from its representative."""
    gap: float
    """Smallest distance of images that were snapped to two elements; infinite if there is one."""

    @property
    def spread(self) -> float:
        """Largest distance from a representative."""
        return float(self.distances.max(initial=0.0))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SnappedLevel:
    """One level after the symbols."""

    interior: Snaps
    edge: Snaps


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Extraction:
    """A finite algebra, and the evidence that it is what a network computes.

    Elements stand for their representatives, so everything can be computed again: a chunk of
    representatives goes into the network, and the image must be as near to the representative of
    its element as `distances` says.
    """

    algebra: FiniteAlgebra
    levels: tuple[SnappedLevel, ...]
    """From level 1 to `len(algebra.levels)`, whose elements are those of `algebra.repeat`."""
    is_exact: bool
    """Whether this is the network itself: its memory is binary, and no sign is in doubt."""

    @property
    def spread(self) -> float:
        """Largest distance of an image from its representative."""
        return max(max(level.interior.spread, level.edge.spread) for level in self.levels)

    @property
    def gap(self) -> float:
        """Smallest distance of images that were snapped to two elements."""
        return min(min(level.interior.gap, level.edge.gap) for level in self.levels)

    def summary(self) -> dict[str, object]:
        """The numbers, as plain values; a gap of one element alone is None."""

        def numbers(snaps: Snaps) -> dict[str, object]:
            return {
                "elements": len(snaps.representatives),
                "images": len(snaps.elements),
                "spread": snaps.spread,
                "gap": snaps.gap if np.isfinite(snaps.gap) else None,
            }

        return {
            "levels": [
                {"interior": numbers(level.interior), "edge": numbers(level.edge)}
                for level in self.levels
            ],
            "repeats": self.algebra.repeat,
            "is_exact": self.is_exact,
        }


def extract(
    model: nn.Module, domain: Language | None = None, *, max_elements: int = MAX_ELEMENTS
) -> Extraction:
    """The finite algebra of a network, over the words of a domain (all words without one).

    Raises:
        VerificationError: the model is no RegularGPT; it has more than `max_elements` elements at a
            level; or its levels do not come to repeat.
    """
    gpt = require_regular_gpt(model)
    node = node_of(gpt)
    if node.is_binary:
        return _exact(node, domain, gpt.config.num_classes)
    return _continuous(node, domain, gpt.config.num_classes, max_elements)


# ---- binary memory ---------------------------------------------------------------------------


def _exact(node: Node, domain: Language | None, num_classes: int) -> Extraction:
    algebra = BinaryAlgebra(node)
    finite, numbered = tabulated(algebra, domain, num_classes=num_classes)
    above = [*numbered[1:], numbered[finite.repeat]]
    tables, levels = [], []
    for made, (inner, outer) in zip(finite.levels, above, strict=True):
        edge = node.recall(algebra.codes[outer])
        interior = node.recall(algebra.codes[inner]).centre
        logits = node.logits(edge)[0]
        tables.append(
            Tables(interior=made.interior, edge=made.edge, classes=made.classes, logits=logits)
        )
        levels.append(
            SnappedLevel(
                interior=_snapped_to_themselves(interior, [made.interior], finite.chunk),
                edge=_snapped_to_themselves(edge.centre, list(made.edge), finite.chunk),
            )
        )
    return Extraction(
        algebra=FiniteAlgebra(
            num_symbols=finite.num_symbols,
            num_classes=num_classes,
            chunk=finite.chunk,
            levels=tuple(tables),
            repeat=finite.repeat,
            empty=finite.empty,
        ),
        levels=tuple(levels),
        is_exact=algebra.is_certain,
    )


def _snapped_to_themselves(vectors: Floats, tables: list[Integers], chunk: int) -> Snaps:
    children, elements = [], []
    for table in tables:
        found = np.argwhere(table != NONE)
        padded = np.full((len(found), chunk), ABSENT)
        padded[:, chunk - table.ndim :] = found
        children.append(padded)
        elements.append(table[tuple(found.T)])
    together = np.concatenate(elements)
    return Snaps(
        representatives=vectors,
        children=np.concatenate(children),
        elements=together,
        distances=np.zeros(len(together)),
        gap=_gap(vectors),
    )


# ---- continuous memory -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Stratum:
    """What is known of one level: its tables are those that made it."""

    tables: Tables
    interior: Snaps
    edge: Snaps
    answers: Integers
    """The class of each element of the edge, `NO_ANSWER` where it is no whole word."""

    @property
    def kinds(self) -> tuple[Snaps, Snaps]:
        return self.interior, self.edge


def _continuous(
    node: Node, domain: Language | None, num_classes: int, max_elements: int
) -> Extraction:
    strata: list[_Stratum] = []  # of levels 1, 2, ...
    empty = node.gathered(node.leaves(), np.full((1, node.chunk), ABSENT))
    for stratum in _strata(node, domain, max_elements):
        strata.append(stratum)
        found = _repetition(strata)
        if found is not None:
            break
        if len(strata) == _MOST_LEVELS:
            sizes = ", ".join(str(len(s.interior.representatives)) for s in strata[-5:])
            raise VerificationError(
                f"after {len(strata)} levels no level is like an earlier one (the last have "
                f"{sizes} elements). Train longer, or use binary memory."
            )
    assert found is not None
    repeat, end = found
    onto = _correspondence(strata[end - 1], strata[repeat - 1])
    assert onto is not None
    last = _renamed(strata[end - 1], strata[repeat - 1], onto)
    strata = [*strata[: end - 1], last]
    first = _with_empty_word(strata[0].tables, node.logits(empty)[0])
    levels = [first, *(stratum.tables for stratum in strata[1:])]
    levels[1] = _with_idle_element(levels[1])
    if repeat == 1:
        levels[-1] = _with_empty_word(levels[-1], node.logits(empty)[0])
    return Extraction(
        algebra=FiniteAlgebra(
            num_symbols=node.num_symbols,
            num_classes=num_classes,
            chunk=node.chunk,
            levels=tuple(levels),
            repeat=repeat,
            empty=len(first.classes) - 1,
        ),
        levels=tuple(SnappedLevel(interior=s.interior, edge=s.edge) for s in strata),
        is_exact=False,
    )


def _strata(node: Node, domain: Language | None, max_elements: int) -> Iterator[_Stratum]:
    """Level 1 and all after it, from the representatives of the level before."""
    chunk = node.chunk
    elements = Elements(one_class(node.num_symbols, domain))
    symbols = np.arange(node.num_symbols)
    inner_reps = outer_reps = node.leaves().centre
    inner = np.stack([symbols, elements.symbols], axis=1)
    inner = inner[elements.occurs(0, chunk)[inner[:, 1]]]
    states = elements.after(np.full_like(symbols, elements.machine.start), elements.symbols)
    outer = np.stack([symbols, states], axis=1)[elements.leads_in(0, chunk)[states]]
    level = 0
    while True:
        inner_chunks, maps = _interior_chunks(elements, inner, level, chunk)
        outer_chunks, after = _edge_chunks(elements, inner, outer, level, chunk)
        children, place = np.unique(inner_chunks, axis=0, return_inverse=True)
        interior = _snap(_images(node, inner_reps, inner_reps, children), children, None)
        outer_children, outer_place = np.unique(outer_chunks, axis=0, return_inverse=True)
        images = _images(node, inner_reps, outer_reps, outer_children)
        logits = node.logits(Ball(images, np.zeros(len(images))))[0]
        is_whole = (outer_children != ABSENT).sum(axis=1) > (level > 0)
        answers = np.where(is_whole, logits.argmax(axis=1), NO_ANSWER)
        edge = _snap(images, outer_children, answers)
        for snaps, what in ((interior, "interior"), (edge, "edge")):
            if len(snaps.representatives) > max_elements:
                raise VerificationError(
                    f"level {level + 1} has {len(snaps.representatives)} elements at the {what}, "
                    f"more than max_elements={max_elements}. Its vectors lie in no clear classes: "
                    f"train longer, or use binary memory."
                )
        yield _stratum(interior, edge, logits, answers, (len(inner_reps), len(outer_reps), chunk))
        inner_reps, outer_reps = interior.representatives, edge.representatives
        inner = _distinct(interior.elements[place.reshape(-1)], maps)
        outer = _distinct(edge.elements[outer_place.reshape(-1)], after)
        level += 1


def _interior_chunks(
    elements: Elements, inner: Integers, level: int, chunk: int
) -> tuple[Integers, Integers]:
    """The chunks of (element, state map) that occur, and what they do."""
    rows = _all_chunks([len(inner)] * chunk, level)
    maps = inner[rows[:, 0], 1]
    for column in range(1, chunk):
        maps = elements.product(maps, inner[rows[:, column], 1])
    kept = elements.occurs(level + 1, chunk)[maps]
    return inner[rows[kept], 0], maps[kept]


def _edge_chunks(
    elements: Elements, inner: Integers, outer: Integers, level: int, chunk: int
) -> tuple[Integers, Integers]:
    """The chunks of (element, state) and then (element, state map) that occur, and where to."""
    chunks, ends = [], []
    for used in range(1, chunk + 1):
        rows = _all_chunks([len(outer)] + [len(inner)] * (used - 1), level)
        states = outer[rows[:, 0], 1]
        for column in range(1, used):
            states = elements.after(states, inner[rows[:, column], 1])
        kept = elements.leads_in(level + 1, chunk)[states]
        children = np.full((len(rows), chunk), ABSENT)
        children[:, chunk - used] = outer[rows[:, 0], 0]
        children[:, chunk - used + 1 :] = inner[rows[:, 1:], 0]
        chunks.append(children[kept])
        ends.append(states[kept])
    return np.concatenate(chunks), np.concatenate(ends)


def _all_chunks(sizes: list[int], level: int) -> Integers:
    count = int(np.prod(sizes, dtype=np.float64))
    if count > _MOST_VECTORS:
        raise VerificationError(
            f"level {level + 1} has {count:,} chunks of {max(sizes)} elements, more than "
            f"{_MOST_VECTORS:,}. Train longer, so that vectors lie in clear classes, or use binary "
            f"memory."
        )
    return np.indices(sizes).reshape(len(sizes), -1).T


def _images(node: Node, inner: Floats, outer: Floats, children: Integers) -> Floats:
    """What the network makes of chunks; the first child that is there is one of `outer`."""
    rows = children.copy()
    first = np.argmax(children != ABSENT, axis=1)
    rows[np.arange(len(rows)), first] += len(inner)
    below = np.concatenate([inner, outer])
    ball = Ball(below, np.zeros(len(below)))
    parts = [
        node.gathered(ball, rows[start : start + _BATCH]).centre
        for start in range(0, len(rows), _BATCH)
    ]
    return np.concatenate([np.empty((0, below.shape[1])), *parts])


def _snap(images: Floats, children: Integers, answers: Integers | None) -> Snaps:
    merged = merge(images, answers)
    return Snaps(
        representatives=images[merged.chosen],
        children=children,
        elements=merged.numbers,
        distances=merged.distances,
        gap=merged.gap,
    )


def _stratum(
    interior: Snaps, edge: Snaps, logits: Floats, answers: Integers, sizes: tuple[int, int, int]
) -> _Stratum:
    """The tables from what was snapped; a class is read off a whole word near the middle."""
    inner, outer, chunk = sizes
    edge_tables = []
    for used in range(1, chunk + 1):
        table = np.full((outer,) + (inner,) * (used - 1), NONE)
        rows = (edge.children != ABSENT).sum(axis=1) == used
        table[tuple(edge.children[rows, chunk - used :].T)] = edge.elements[rows]
        edge_tables.append(table)
    table = np.full((inner,) * chunk, NONE)
    table[tuple(interior.children.T)] = interior.elements
    count = len(edge.representatives)
    # whole words first, and of these the nearest to the representative
    order = np.lexsort((edge.distances, answers == NO_ANSWER, edge.elements))
    first = order[np.searchsorted(edge.elements[order], np.arange(count))]
    return _Stratum(
        tables=Tables(
            interior=table,
            edge=tuple(edge_tables),
            classes=logits[first].argmax(axis=1),
            logits=logits[first],
        ),
        interior=interior,
        edge=edge,
        answers=answers[first],
    )


def _distinct(elements: Integers, does: Integers) -> Integers:
    return np.unique(np.stack([elements, does], axis=1), axis=0)


# ---- levels that are alike -------------------------------------------------------------------


def _repetition(strata: list[_Stratum]) -> tuple[int, int] | None:
    """Levels r < e such that e, e + 1, ... are as r, r + 1, ... up to e and its tables."""
    for period in range(1, (len(strata) - 1) // 2 + 1):
        repeat = len(strata) - 2 * period
        end = repeat + period
        maps = [
            _correspondence(strata[end - 1 + ahead], strata[repeat - 1 + ahead])
            for ahead in range(period + 1)
        ]
        tables = [(strata[end + ahead], strata[repeat + ahead]) for ahead in range(period)]
        if all(
            below is not None and above is not None and _alike(late, early, below, above)
            for (below, above), (late, early) in zip(pairwise(maps), tables, strict=True)
        ):
            return repeat, end
    return None


def _correspondence(late: _Stratum, early: _Stratum) -> tuple[Integers, Integers] | None:
    """For each element the one of the earlier level that is near, if that is one to one."""
    found = []
    for mine, theirs in zip(late.kinds, early.kinds, strict=True):
        a, b = mine.representatives, theirs.representatives
        if len(a) != len(b):
            return None
        distances = np.array([[np.linalg.norm(x - y) for y in b] for x in a])
        distances = distances.reshape(len(a), len(b))
        nearest = distances.argmin(axis=1) if len(a) else np.empty(0, dtype=np.int64)
        if len(set(nearest.tolist())) < len(a):
            return None
        # one element alone has no gap: then its own length is the measure
        lengths = np.linalg.norm(b, axis=1)
        room = _NEAR * min(mine.gap, theirs.gap, float(lengths.max(initial=0.0)))
        if distances.min(axis=1, initial=np.inf).max(initial=0.0) > room:
            return None
        found.append(nearest)
    return found[0], found[1]


Renaming = tuple[Integers, Integers]


def _alike(late: _Stratum, early: _Stratum, below: Renaming, above: Renaming) -> bool:
    """Whether the tables that made two levels agree, by the names of the earlier one."""
    renamed = _named(late.tables, above)
    mine = [renamed.interior, *renamed.edge]
    theirs = [early.tables.interior, *early.tables.edge]
    inner, outer = below
    kinds = [(inner,) * theirs[0].ndim]
    kinds += [(outer,) + (inner,) * (table.ndim - 1) for table in theirs[1:]]
    told = np.full(len(above[1]), NO_ANSWER)
    told[above[1]] = late.answers
    same_classes = (told == early.answers) | (told == NO_ANSWER)
    return bool(same_classes.all()) and all(
        np.array_equal(table[np.ix_(*names)], own)
        for own, table, names in zip(mine, theirs, kinds, strict=True)
    )


def _named(tables: Tables, above: Renaming) -> Tables:
    """Tables with what they make named otherwise."""
    inner, outer = above

    def rename(table: Integers, names: Integers) -> Integers:
        return np.append(names, NONE)[table]

    order = np.argsort(outer)
    assert tables.logits is not None
    return Tables(
        interior=rename(tables.interior, inner),
        edge=tuple(rename(table, outer) for table in tables.edge),
        classes=tables.classes[order],
        logits=tables.logits[order],
    )


def _renamed(late: _Stratum, early: _Stratum, onto: Renaming) -> _Stratum:
    """A level that is snapped to the representatives of an earlier one."""
    kinds = []
    for mine, theirs, names in zip(late.kinds, early.kinds, onto, strict=True):
        kinds.append(mine_to(mine, theirs, names))
    return _Stratum(
        tables=_named(late.tables, onto), interior=kinds[0], edge=kinds[1], answers=late.answers
    )
