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
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from torch import nn

from lengthwise.errors import VerificationError
from lengthwise.languages.elements import Elements
from lengthwise.languages.language import Language
from lengthwise.verification.algebra import ABSENT, Integers
from lengthwise.verification.balls import Ball, Floats
from lengthwise.verification.binary import BinaryAlgebra
from lengthwise.verification.finite import NONE, FiniteAlgebra, Tables, one_class, tabulated
from lengthwise.verification.merging import NO_ANSWER, merge, smallest_distance
from lengthwise.verification.network import node_of, require_regular_gpt
from lengthwise.verification.node import Node
from lengthwise.verification.snapping import SnappedLevel, Snapping, Snaps

MAX_ELEMENTS = 100
"""Classes of the interior or the edge of one level, at most."""

_MOST_VECTORS = 20_000
_MOST_LEVELS = 40
_BATCH = 4096
_NEAR = 0.25
"""Share of the gap within which a class is the same as one of another level. Any other class is
then at least three times as far away."""


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
    """Whether memory is binary, so that images are equal to their representatives."""
    is_certain: bool
    """Whether, besides, no rounding could have changed a code that was looked at."""

    @property
    def snapping(self) -> Snapping:
        """The evidence alone."""
        return Snapping(levels=self.levels, repeat=self.algebra.repeat)

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
            "is_certain": self.is_certain,
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
    levels[0] = replace(levels[0], edge=_with_empty_chunk(levels[0].edge, finite.empty))
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
        is_exact=True,
        is_certain=algebra.is_certain,
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
        gap=smallest_distance(vectors),
    )


def _with_empty_chunk(edge: Snaps, element: int) -> Snaps:
    """With the chunk of no child, which is that element's representative."""
    absent = np.full((1, edge.children.shape[1]), ABSENT)
    return replace(
        edge,
        children=np.append(edge.children, absent, axis=0),
        elements=np.append(edge.elements, element),
        distances=np.append(edge.distances, 0.0),
    )


# ---- continuous memory -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Stratum:
    """What is known of one level: its tables are those that made it."""

    tables: Tables
    interior: Snaps
    edge: Snaps
    images: tuple[Floats, Floats]
    """The images of the interior and of the edge."""
    answers: Integers
    """The class of each element of the edge, `NO_ANSWER` where it is no whole word."""

    @property
    def kinds(self) -> tuple[Snaps, Snaps]:
        return self.interior, self.edge


def _continuous(
    node: Node, domain: Language | None, num_classes: int, max_elements: int
) -> Extraction:
    strata: list[_Stratum] = []  # of levels 1, 2, ...
    found = None
    for stratum in _strata(node, domain, max_elements):
        strata.append(stratum)
        found = _repetition(strata)
        if found is not None:
            break
        if len(strata) == _MOST_LEVELS:
            sizes = ", ".join(str(len(s.interior.representatives)) for s in strata[-5:])
            raise VerificationError(
                f"after {len(strata)} levels none is like an earlier one (the last five have "
                f"{sizes} elements). Train longer, or use binary memory."
            )
    assert found is not None
    repeat, end, onto = found
    strata = [*strata[: end - 1], _renamed(strata[end - 1], strata[repeat - 1], onto)]
    empty = node.gathered(node.leaves(), np.full((1, node.chunk), ABSENT))
    logits = node.logits(empty)[0]
    if repeat == 1:  # as the elements of the last level are those of level 1, it has this one, too
        strata[-1] = _with_idle_element(strata[-1], empty.centre, logits)
    strata[0] = _with_idle_element(strata[0], empty.centre, logits, snapped=True)
    tables = [stratum.tables for stratum in strata]
    tables[1] = replace(tables[1], edge=tuple(map(_idle_first_child, tables[1].edge)))
    return Extraction(
        algebra=FiniteAlgebra(
            num_symbols=node.num_symbols,
            num_classes=num_classes,
            chunk=node.chunk,
            levels=tuple(tables),
            repeat=repeat,
            empty=len(tables[0].classes) - 1,
        ),
        levels=tuple(SnappedLevel(interior=s.interior, edge=s.edge) for s in strata),
        is_exact=False,
        is_certain=False,
    )


def _with_idle_element(
    stratum: _Stratum, vector: Floats, logits: Floats, *, snapped: bool = False
) -> _Stratum:
    """With one more element of the edge, the empty word, which no chunk has as a child."""
    tables, edge = stratum.tables, stratum.edge
    assert tables.logits is not None
    if snapped:
        edge = _with_empty_chunk(edge, len(edge.representatives))
    return replace(
        stratum,
        tables=replace(
            tables,
            classes=np.append(tables.classes, logits.argmax(axis=1)),
            logits=np.append(tables.logits, logits, axis=0),
        ),
        edge=replace(edge, representatives=np.append(edge.representatives, vector, axis=0)),
    )


def _idle_first_child(table: Integers) -> Integers:
    return np.pad(table, [(0, 1)] + [(0, 0)] * (table.ndim - 1), constant_values=NONE)


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
        outer_children, outer_place = np.unique(outer_chunks, axis=0, return_inverse=True)
        images = _images(node, inner_reps, inner_reps, children)
        outer_images = _images(node, inner_reps, outer_reps, outer_children)
        logits = node.logits(Ball(outer_images, np.zeros(len(outer_images))))[0]
        is_whole = (outer_children != ABSENT).sum(axis=1) > (level > 0)
        in_domain = np.zeros(len(outer_children), dtype=np.bool_)
        np.logical_or.at(
            in_domain, outer_place.reshape(-1), elements.classes[after] < elements.num_classes
        )
        answers = np.where(is_whole & in_domain, logits.argmax(axis=1), NO_ANSWER)
        interior = _snap(images, children, None)
        edge = _snap(outer_images, outer_children, answers)
        for snaps, what in ((interior, "interior"), (edge, "edge")):
            if len(snaps.representatives) > max_elements:
                raise VerificationError(
                    f"level {level + 1} has {len(snaps.representatives)} elements at the {what}, "
                    f"more than max_elements={max_elements}. Its vectors lie in no clear classes: "
                    f"train longer, or use binary memory."
                )
        tables, asked = _tables(
            interior, edge, logits, answers, (len(inner_reps), len(outer_reps), chunk)
        )
        yield _Stratum(tables, interior, edge, (images, outer_images), asked)
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


def _tables(
    interior: Snaps, edge: Snaps, logits: Floats, answers: Integers, sizes: tuple[int, int, int]
) -> tuple[Tables, Integers]:
    """The tables from what was snapped, and the answer of each element of the edge.

    A class is read off a whole word: of those, the nearest to the representative.
    """
    inner, outer, chunk = sizes
    edge_tables = []
    for used in range(1, chunk + 1):
        table = np.full((outer,) + (inner,) * (used - 1), NONE)
        rows = (edge.children != ABSENT).sum(axis=1) == used
        table[tuple(edge.children[rows, chunk - used :].T)] = edge.elements[rows]
        edge_tables.append(table)
    table = np.full((inner,) * chunk, NONE)
    table[tuple(interior.children.T)] = interior.elements
    order = np.lexsort((edge.distances, answers == NO_ANSWER, edge.elements))
    first = order[np.searchsorted(edge.elements[order], np.arange(len(edge.representatives)))]
    tables = Tables(
        interior=table,
        edge=tuple(edge_tables),
        classes=logits[first].argmax(axis=1),
        logits=logits[first],
    )
    return tables, answers[first]


def _distinct(elements: Integers, does: Integers) -> Integers:
    return np.unique(np.stack([elements, does], axis=1), axis=0)


# ---- levels that are alike -------------------------------------------------------------------

_Names = tuple[Integers, Integers]
"""For each element of the interior and of the edge, its number at an earlier level."""


def _repetition(strata: list[_Stratum]) -> tuple[int, int, _Names] | None:
    """Levels r < e such that e, e + 1, ... are as r, r + 1, ... up to e, and how e is r.

    What is compared ends with the last level that is known.
    """
    for period in range(1, (len(strata) - 1) // 2 + 1):
        end = len(strata) - period
        late, early = strata[end - 1 :], strata[end - period - 1 :]
        names = [_nearest(*pair) for pair in zip(late, early, strict=False)]
        if all(
            _alike(mine, theirs, below, above)
            for mine, theirs, (below, above) in zip(
                late[1:], early[1:], pairwise(names), strict=False
            )
        ):
            assert names[0] is not None
            return end - period, end, names[0]
    return None


def _nearest(late: _Stratum, early: _Stratum) -> _Names | None:
    """For each element the one of the earlier level that is near, if that is one to one."""
    found = []
    for mine, theirs in zip(late.kinds, early.kinds, strict=True):
        ours, known = mine.representatives, theirs.representatives
        if len(ours) != len(known):
            return None
        if not len(ours):
            found.append(np.empty(0, dtype=np.int64))
            continue
        distances = np.linalg.norm(ours[:, None] - known, axis=2)
        nearest = distances.argmin(axis=1)
        # one element alone has no gap: then the longest vector is the measure
        room = min(mine.gap, theirs.gap, float(np.linalg.norm(known, axis=1).max()))
        if len(np.unique(nearest)) < len(ours) or distances.min(axis=1).max() > _NEAR * room:
            return None
        found.append(nearest)
    return found[0], found[1]


def _alike(late: _Stratum, early: _Stratum, below: _Names | None, above: _Names | None) -> bool:
    """Whether the tables that made two levels, and their answers, agree up to names."""
    if below is None or above is None:
        return False
    inner, outer = below
    renamed = _named(late.tables, above)
    told = np.empty_like(late.answers)
    told[above[1]] = late.answers
    return (
        bool(((told == early.answers) | (told == NO_ANSWER)).all())
        and np.array_equal(
            early.tables.interior[np.ix_(*[inner] * early.tables.interior.ndim)], renamed.interior
        )
        and all(
            np.array_equal(known[np.ix_(outer, *[inner] * (known.ndim - 1))], table)
            for known, table in zip(early.tables.edge, renamed.edge, strict=True)
        )
    )


def _named(tables: Tables, above: _Names) -> Tables:
    """Tables with other numbers for what they make."""
    inner, outer = above
    order = np.argsort(outer)
    assert tables.logits is not None
    return Tables(
        interior=np.append(inner, NONE)[tables.interior],
        edge=tuple(np.append(outer, NONE)[table] for table in tables.edge),
        classes=tables.classes[order],
        logits=tables.logits[order],
    )


def _renamed(late: _Stratum, early: _Stratum, names: _Names) -> _Stratum:
    """Return a level that has the representatives of an earlier one, and their classes."""
    interior, edge = (
        replace(
            mine,
            representatives=theirs.representatives,
            elements=numbers[mine.elements],
            distances=np.linalg.norm(
                images - theirs.representatives[numbers[mine.elements]], axis=1
            ),
        )
        for mine, theirs, numbers, images in zip(
            late.kinds, early.kinds, names, late.images, strict=True
        )
    )
    tables = replace(
        _named(late.tables, names), classes=early.tables.classes, logits=early.tables.logits
    )
    return replace(late, tables=tables, interior=interior, edge=edge)
