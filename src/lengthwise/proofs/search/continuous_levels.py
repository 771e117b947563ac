"""Levels of a network with continuous memory: images of chunks, merged into elements.

Level n + 1 holds the images of all chunks of representatives of level n that occur in words of the
domain. Images are merged where there is a gap between them (`merging`), and each class of images
is an element with one of its images as representative.

Axes:
    element  classes of vectors of one level
    vector   images of chunks
    chunk    the C children of an image
    width    numbers in a vector
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lengthwise.deadline import require_time
from lengthwise.errors import VerificationError
from lengthwise.languages.distinct_rows import distinct_rows
from lengthwise.languages.elements import MonoidElements
from lengthwise.languages.language import Language
from lengthwise.proofs.check.arrays import ABSENT, Integers
from lengthwise.proofs.check.balls import Ball, Floats
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.search.finite_algebra import NONE, Tables, one_class
from lengthwise.proofs.search.merging import NO_ANSWER, merge
from lengthwise.proofs.search.snapping import Snaps, stack

_MOST_VECTORS, _BATCH = 20_000, 4096


@dataclass(frozen=True, slots=True, eq=False)
class ContinuousLevel:
    """One level: its elements, and the tables that made them from the level below."""

    tables: Tables
    interior: Snaps
    edge: Snaps
    images: tuple[Floats, Floats]
    """The images of the interior and of the edge."""
    answers: Integers
    """The class of each element of the edge; `NO_ANSWER` for elements of no whole word."""

    @property
    def kinds(self) -> tuple[Snaps, Snaps]:
        """The snaps of the interior and of the edge."""
        return self.interior, self.edge


def continuous_levels(
    node: Node, domain: Language | None, max_elements: int
) -> Iterator[ContinuousLevel]:
    """Yield level 1 and all levels after it, each from the representatives of the level before.

    Raises:
        VerificationError: a level has more than `max_elements` elements of the interior or of the
            edge, or too many chunks.
    """
    chunk = node.chunk_size
    elements = MonoidElements(one_class(node.num_symbols, domain))
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
        children, position = distinct_rows(inner_chunks)
        outer_children, outer_place = distinct_rows(outer_chunks)
        images = _images(node, inner_reps, inner_reps, children)
        outer_images = _images(node, inner_reps, outer_reps, outer_children)
        logits = node.logits(Ball(outer_images, np.zeros(len(outer_images))))[0]
        is_whole = (outer_children != ABSENT).sum(axis=1) > (level > 0)
        in_domain = np.zeros(len(outer_children), dtype=np.bool_)
        np.logical_or.at(in_domain, outer_place, elements.classes[after] < elements.num_classes)
        answers = np.where(is_whole & in_domain, logits.argmax(axis=1), NO_ANSWER)
        interior = _snap(images, children, None)
        edge = _snap(outer_images, outer_children, answers)
        for snaps, place in ((interior, "interior"), (edge, "edge")):
            if len(snaps.representatives) > max_elements:
                raise VerificationError(
                    f"level {level + 1} has {len(snaps.representatives)} elements at the {place}, "
                    f"more than max_elements={max_elements}. Raise max_elements if there are that "
                    f"many; if its vectors lie in no clear classes, train longer, "
                    f"or use binary memory."
                )
        tables, questions = _tables(
            interior, edge, logits, answers, (len(inner_reps), len(outer_reps), chunk)
        )
        yield ContinuousLevel(tables, interior, edge, (images, outer_images), questions)
        inner_reps, outer_reps = interior.representatives, edge.representatives
        inner = _distinct(interior.elements[position], maps)
        outer = _distinct(edge.elements[outer_place], after)
        level += 1


def _interior_chunks(
    elements: MonoidElements, inner: Integers, level: int, chunk_size: int
) -> tuple[Integers, Integers]:
    """Return the chunks of (element, state map) that occur, and the state maps of the chunks."""
    rows = _all_chunks([len(inner)] * chunk_size, level)
    maps = inner[rows[:, 0], 1]
    for column in range(1, chunk_size):
        maps = elements.product(maps, inner[rows[:, column], 1])
    occurring = elements.occurs(level + 1, chunk_size)[maps]
    return inner[rows[occurring], 0], maps[occurring]


def _edge_chunks(
    elements: MonoidElements, inner: Integers, outer: Integers, level: int, chunk_size: int
) -> tuple[Integers, Integers]:
    """Return the chunks of (element, state) then (element, state map) that occur; final states."""
    chunks, ends = [], []
    for used in range(1, chunk_size + 1):
        rows = _all_chunks([len(outer)] + [len(inner)] * (used - 1), level)
        states = outer[rows[:, 0], 1]
        for column in range(1, used):
            states = elements.after(states, inner[rows[:, column], 1])
        leading = elements.leads_in(level + 1, chunk_size)[states]
        children = np.full((len(rows), chunk_size), ABSENT)
        children[:, chunk_size - used] = outer[rows[:, 0], 0]
        children[:, chunk_size - used + 1 :] = inner[rows[:, 1:], 0]
        chunks.append(children[leading])
        ends.append(states[leading])
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
    """Return the images of chunks; the first child that is not absent is one of `outer`."""
    below = Ball(inner, np.zeros(len(inner))), Ball(outer, np.zeros(len(outer)))
    balls, rows = stack(below, children, at_edge=True)
    parts = [np.empty((0, inner.shape[1]))]
    for start in range(0, len(rows), _BATCH):
        require_time()
        parts.append(node.gather(balls, rows[start : start + _BATCH]).centre)
    return np.concatenate(parts)


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
    """Return the tables of snapped images, and the answer of each element of the edge.

    The class of an element is that of the image of a whole word nearest to the representative.
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
    return distinct_rows(np.stack([elements, does], axis=1)).rows
