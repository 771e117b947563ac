"""Extraction: the tables of the finite algebra that a trained network computes.

With binary memory the codes are the elements, and the tables are the network. With continuous
memory, level by level, the images of all chunks of representatives are merged where there is a gap
between them (`continuous_levels`), and each class gets a representative. The levels end when one
repeats an earlier one (`repetition`).

The result is the network with its vectors *snapped* to representatives: another function, close to
the network as far as the recorded distances say. Whether *it* is right at every length is a
question with an exact answer (`closure.explore`).

Axes:
    element  classes of vectors of one level
    vector   images of chunks
    chunk    the C children of an image
    width    numbers in a vector
"""

from dataclasses import dataclass, replace

import numpy as np
from torch import nn

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.proofs.check.arrays import ABSENT, Integers
from lengthwise.proofs.check.balls import Floats
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.continuous_levels import ContinuousLevel, continuous_levels
from lengthwise.proofs.search.finite_algebra import NONE, FiniteAlgebra, Tables, tabulate
from lengthwise.proofs.search.limits import MAX_ELEMENTS
from lengthwise.proofs.search.merging import smallest_distance
from lengthwise.proofs.search.network import node_of, require_regular_gpt
from lengthwise.proofs.search.repetition import find_repetition, with_earlier_elements
from lengthwise.proofs.search.snapping import SnappedLevel, Snapping, Snaps

_MOST_LEVELS = 40


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ExtractedAlgebra:
    """A finite algebra, and the evidence that a network computes it.

    Elements stand for their representatives, so everything can be computed again: a chunk of
    representatives goes into the network, and the image must be as near to the representative of
    its element as `distances` says.
    """

    algebra: FiniteAlgebra
    levels: tuple[SnappedLevel, ...]
    """From level 1 to `len(algebra.levels)`, whose elements are those of `algebra.repeat`."""
    is_exact: bool
    """Tells whether memory is binary, so that images are equal to their representatives."""
    is_certain: bool
    """Tells whether, in addition, no rounding could have changed any code that was computed."""

    @property
    def snapping(self) -> Snapping:
        """The evidence without the algebra."""
        return Snapping(levels=self.levels, repeat=self.algebra.repeat)

    @property
    def spread(self) -> float:
        """Largest distance of an image from its representative."""
        return max(max(level.interior.spread, level.edge.spread) for level in self.levels)

    @property
    def gap(self) -> float:
        """Smallest distance of images that were snapped to two elements."""
        return min(min(level.interior.gap, level.edge.gap) for level in self.levels)

    @property
    def fidelity(self) -> str:
        """Say in words how far the algebra computes the same as the model."""
        return describe_fidelity(is_exact=self.is_exact, is_certain=self.is_certain)

    def summary(self) -> dict[str, object]:
        """Return the numbers as plain values; the gap of a single element is None."""

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


def describe_fidelity(*, is_exact: bool, is_certain: bool) -> str:
    """Say in words how far something computes the same as a model."""
    if not is_exact:
        return "no, another function near it: vectors are snapped to representatives"
    return "yes" if is_certain else "yes, as float64 tells: rounding could change a sign"


def extract_algebra(
    model: nn.Module, domain: Language | None = None, *, max_elements: int = MAX_ELEMENTS
) -> ExtractedAlgebra:
    """Extract the finite algebra of a network, over the words of a domain (default: all words).

    `max_elements` bounds the classes that vectors of a level are merged into; codes of binary
    memory are not merged, and have no such bound.

    Raises:
        VerificationError: the model is not a RegularGPT; its memory is continuous, and a level has
            more than `max_elements` elements; or no level repeats an earlier one.
    """
    gpt = require_regular_gpt(model)
    node = node_of(gpt)
    if node.is_binary:
        return _exact(node, domain, gpt.config.num_classes)
    return _continuous(node, domain, gpt.config.num_classes, max_elements)


# ---- binary memory ---------------------------------------------------------------------------


def _exact(node: Node, domain: Language | None, num_classes: int) -> ExtractedAlgebra:
    algebra = BinaryAlgebra(node)
    finite, numbered = tabulate(algebra, domain, num_classes=num_classes)
    above = [*numbered[1:], numbered[finite.repeat]]
    tables, levels = [], []
    for level, (inner, outer) in zip(finite.levels, above, strict=True):
        edge = node.recall(algebra.codes[outer])
        interior = node.recall(algebra.codes[inner]).centre
        logits = node.logits(edge)[0]
        tables.append(
            Tables(interior=level.interior, edge=level.edge, classes=level.classes, logits=logits)
        )
        levels.append(
            SnappedLevel(
                interior=_snap_to_themselves(interior, [level.interior], finite.chunk_size),
                edge=_snap_to_themselves(edge.centre, list(level.edge), finite.chunk_size),
            )
        )
    levels[0] = replace(levels[0], edge=_with_empty_chunk(levels[0].edge, finite.empty))
    return ExtractedAlgebra(
        algebra=replace(finite, levels=tuple(tables)),
        levels=tuple(levels),
        is_exact=True,
        is_certain=algebra.is_certain,
    )


def _snap_to_themselves(vectors: Floats, tables: list[Integers], chunk_size: int) -> Snaps:
    children, elements = [], []
    for table in tables:
        entries = np.argwhere(table != NONE)
        padded = np.full((len(entries), chunk_size), ABSENT)
        padded[:, chunk_size - table.ndim :] = entries
        children.append(padded)
        elements.append(table[tuple(entries.T)])
    together = np.concatenate(elements)
    return Snaps(
        representatives=vectors,
        children=np.concatenate(children),
        elements=together,
        distances=np.zeros(len(together)),
        gap=smallest_distance(vectors),
    )


def _with_empty_chunk(edge: Snaps, element: int) -> Snaps:
    """Add the chunk without children, whose image is the representative of `element`."""
    absent = np.full((1, edge.children.shape[1]), ABSENT)
    return replace(
        edge,
        children=np.append(edge.children, absent, axis=0),
        elements=np.append(edge.elements, element),
        distances=np.append(edge.distances, 0.0),
    )


# ---- continuous memory -----------------------------------------------------------------------


def _continuous(
    node: Node, domain: Language | None, num_classes: int, max_elements: int
) -> ExtractedAlgebra:
    levels: list[ContinuousLevel] = []  # of levels 1, 2, ...
    repetition = None
    for level in continuous_levels(node, domain, max_elements):
        levels.append(level)
        repetition = find_repetition(levels)
        if repetition is not None:
            break
        if len(levels) == _MOST_LEVELS:
            sizes = ", ".join(str(len(s.interior.representatives)) for s in levels[-5:])
            raise VerificationError(
                f"after {len(levels)} levels none is like an earlier one (the last five have "
                f"{sizes} elements). Train longer, or use binary memory."
            )
    assert repetition is not None
    repeat, end, onto = repetition
    levels = [*levels[: end - 1], with_earlier_elements(levels[end - 1], levels[repeat - 1], onto)]
    empty = node.gather(node.leaves(), np.full((1, node.chunk_size), ABSENT))
    logits = node.logits(empty)[0]
    if repeat == 1:  # as the elements of the last level are those of level 1, it has this one, too
        levels[-1] = _with_idle_element(levels[-1], empty.centre, logits)
    levels[0] = _with_idle_element(levels[0], empty.centre, logits, snapped=True)
    tables = [level.tables for level in levels]
    tables[1] = replace(tables[1], edge=tuple(map(_idle_first_child, tables[1].edge)))
    return ExtractedAlgebra(
        algebra=FiniteAlgebra(
            num_symbols=node.num_symbols,
            num_classes=num_classes,
            chunk_size=node.chunk_size,
            levels=tuple(tables),
            repeat=repeat,
            empty=len(tables[0].classes) - 1,
        ),
        levels=tuple(SnappedLevel(interior=s.interior, edge=s.edge) for s in levels),
        is_exact=False,
        is_certain=False,
    )


def _with_idle_element(
    level: ContinuousLevel, vector: Floats, logits: Floats, *, snapped: bool = False
) -> ContinuousLevel:
    """Add one element to the edge, the empty word, which no chunk has as a child."""
    tables, edge = level.tables, level.edge
    assert tables.logits is not None
    if snapped:
        edge = _with_empty_chunk(edge, len(edge.representatives))
    return replace(
        level,
        tables=replace(
            tables,
            classes=np.append(tables.classes, logits.argmax(axis=1)),
            logits=np.append(tables.logits, logits, axis=0),
        ),
        edge=replace(edge, representatives=np.append(edge.representatives, vector, axis=0)),
    )


def _idle_first_child(table: Integers) -> Integers:
    return np.pad(table, [(0, 1)] + [(0, 0)] * (table.ndim - 1), constant_values=NONE)
