"""Elements of a certificate and the vectors that they represent: step 2 of `check`, without torch.

An element of a `discrete` certificate is a code of binary memory. An element of a `snapped` or
`robust` certificate is a ball around a representative, of radius 0 where vectors are snapped.
Everything that the file says about them is checked with the node function of the weights
(`node.py`), and nothing else.

Axes:
    node    chunks; each becomes a node
    chunk   the C children of a node; `ABSENT` stands for the pad
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.arrays import ABSENT, Booleans, Integers, unpack
from lengthwise.proofs.check.balls import Ball, Floats, norm, norm_bound
from lengthwise.proofs.check.bounded import largest
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.margins import RoundingMargins, SnapDistances
from lengthwise.proofs.check.networks import require_network_settings
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.check.program_node import ProgramNode
from lengthwise.proofs.check.recurrent_node import RecurrentNode
from lengthwise.proofs.check.schema import require
from lengthwise.proofs.check.snapped_node import SnappedNode
from lengthwise.proofs.check.snapped_step import SnappedStep
from lengthwise.proofs.check.table_node import TableNode
from lengthwise.proofs.check.tight_node import TightNode
from lengthwise.proofs.check.window_node import WindowNode

_BATCH = 4096
_OUTWARD = 1 + 1e-9
"""Factor on distances: more than rounding loses in computing them."""

Chunk = tuple[int, ...]

PrefixNode = RecurrentNode | WindowNode | SnappedStep | TableNode
"""Step functions of networks that read symbol by symbol."""


def require_network(claim: Certificate) -> None:
    """Refuse settings and weights that are not those of a network for the language."""
    require_network_settings(claim.kind, claim.settings)
    numbers = (claim.settings["vocab_size"], claim.settings["num_classes"])
    fits = numbers == (claim.language.num_symbols, claim.language.num_classes)
    require(fits, "the network has the symbols and classes of the language")
    finite = all(np.isfinite(weight).all() for weight in claim.weights.values())
    require(finite, "weights are numbers")


def node_of(claim: Certificate) -> Node | PrefixNode:
    """Return the node function of the weights."""
    require_network(claim)
    known = claim.precision == "weights" or claim.strength == "discrete"
    require(known, "bounds for bfloat16 are about discrete memory")
    if claim.kind == "BinaryRecurrent":
        return RecurrentNode(claim.settings, claim.weights, claim.precision)
    if claim.kind in ("Recurrent", "Program"):
        require(claim.strength == "snapped", "its state is snapped")
        require(set(claim.elements) == {"representatives", "pairs"}, "elements are representatives")
        layers = claim.settings.get("num_layers", 0)
        require(layers <= len(claim.weights), "every layer has weights")
        representatives = unpack(claim.elements["representatives"])
        require(representatives.dtype == np.float64, "representatives are of float64")
        make = SnappedNode if claim.kind == "Recurrent" else ProgramNode
        return make(claim.settings, claim.weights, representatives)
    if claim.kind == "Table":
        names = {"representatives", "pairs", "transitions"}
        require(set(claim.elements) == names and not claim.weights, "elements are a table")
        elements = claim.elements
        representatives = unpack(elements["representatives"])
        require(representatives.dtype == np.float64, "representatives are of float64")
        return TableNode(
            claim.settings, representatives, elements["pairs"], elements["transitions"]
        )
    if claim.kind == "WindowScratchpad":
        require(claim.settings["num_layers"] <= len(claim.weights), "every layer has weights")
        return WindowNode(claim.settings, claim.weights, claim.precision)
    require(claim.settings["num_layers"] <= len(claim.weights), "every layer has weights")
    make_tree = TightNode if claim.strength == "robust" else Node
    return make_tree(claim.settings, claim.weights, claim.precision)


class Margin:
    """Smallest margins of signs or answers, over all numbers that were computed."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.distance = self.room = np.inf
        self.radius = 0.0

    def see(self, distance: Floats, radius: Floats) -> None:
        """Refuse a number that rounding could move past its threshold."""
        require(bool((distance > radius).all()), f"every {self.what} is certain")
        self.distance = min(self.distance, float(distance.min(initial=np.inf)))
        self.radius = max(self.radius, float(radius.max(initial=0.0)))
        self.room = min(self.room, float((distance - radius).min(initial=np.inf)))


class Elements:
    """Elements of a certificate, their vectors, and the composition of chunks."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.signs, self.answers = Margin("sign"), Margin("answer")

    def phase(self, level: int) -> int:
        """Return the same number for levels whose elements are composed alike."""
        raise AssertionError("abstract")

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        """Return the elements of the next level that chunks `children[node, chunk]` become."""
        raise AssertionError("abstract")

    def vectors(self, level: int, elements: Integers) -> Ball:
        """Return balls with the vectors of elements of the edge of a level."""
        raise AssertionError("abstract")

    def empty_vector(self) -> Ball:
        """Return a ball with the vector of the empty word."""
        pads = np.full((1, self.node.chunk_size), ABSENT)
        return self.node.gather(self.node.leaves(), pads)

    def measure_margins(self) -> RoundingMargins | None:
        """Return the margins of signs and answers, if there are signs."""
        return None

    def measure_moves(self) -> SnapDistances | None:
        """Return the separation of the classes of vectors, if vectors are snapped."""
        return None

    def read(self, vectors: Ball) -> Integers:
        """Return the class of each vector, which no rounding may change."""
        return read(*self.node.logits(vectors), self.answers)


def read(logits: Floats, radius: Floats, answers: Margin) -> Integers:
    """Return the class with the largest logit of each row, which no rounding may change."""
    decided = largest(logits, radius)
    answers.see(decided.distance, decided.radius)
    return np.asarray(decided.values, dtype=np.int64)


def read_codes(claim: Certificate, num_bits: int) -> NDArray[np.uint8]:
    """Return the codes of a certificate, eight bits to a byte; each occurs once."""
    require(set(claim.elements) == {"codes"}, "elements are codes")
    packed = [bytes.fromhex(text) for text in claim.elements["codes"]]
    same = [code.hex() for code in packed] == claim.elements["codes"]
    require(same, "codes are in lower case, without spaces")
    rows = np.array(list(map(list, packed)), dtype=np.uint8)
    require(rows.ndim == 2 and rows.shape[1] == -(-num_bits // 8), "codes are as long as memory")
    unused = np.unpackbits(rows[:, -1:], axis=1)[:, 8 - (-num_bits) % 8 :]
    require(not unused.any(), "codes end with zeros")
    require(len({row.tobytes() for row in rows}) == len(rows), "every code occurs once")
    return rows


class Discrete(Elements):
    """Codes of binary memory: the output of a node is a function of its code."""

    def __init__(self, claim: Certificate, node: Node) -> None:
        super().__init__(node)
        require(node.is_binary, "memory is binary")
        packed = read_codes(claim, node.num_bits)
        self.codes = np.unpackbits(packed, axis=1, count=node.num_bits).astype(np.bool_)
        self.number = {code.tobytes(): index for index, code in enumerate(self.codes)}
        self.below = (node.leaves(), node.recall(self.codes))
        self.known: tuple[dict[Chunk, int], dict[Chunk, int]] = ({}, {})

    def phase(self, level: int) -> int:
        """Return 0 for symbols and 1 for codes."""
        return min(level, 1)

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        """Return the codes of chunks; every sign must be certain."""
        below, known = self.below[self.phase(level)], self.known[self.phase(level)]
        chunks = chunks_of(children)
        new = sorted({chunk for chunk in chunks if chunk not in known})
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            codes = self.code(self.node.gather(below, np.array(batch)))
            for chunk, code in zip(batch, codes, strict=True):
                require(code.tobytes() in self.number, "the code of every chunk is named")
                known[chunk] = self.number[code.tobytes()]
        return np.array([known[chunk] for chunk in chunks], dtype=np.int64)

    def code(self, gathered: Ball) -> Booleans:
        """Return the signs that memory keeps."""
        numbers, radius = self.node.numbers(gathered)
        self.signs.see(np.abs(numbers), radius)
        return np.asarray(numbers >= 0)

    def vectors(self, level: int, elements: Integers) -> Ball:
        """Return the vectors that memory recalls from codes."""
        return self.below[1][elements]

    def empty_vector(self) -> Ball:
        """Return the vector recalled for the empty word, whose code need not be named."""
        return self.node.recall(self.code(super().empty_vector()))

    def measure_margins(self) -> RoundingMargins:
        """Return the smallest distances and the largest bounds that occurred."""
        return RoundingMargins.of(self.signs, self.answers)


class Merge:
    """The representatives of one level's interior or edge, and the chunks of each."""

    def __init__(self, packed: Mapping[str, Mapping[str, object]]) -> None:
        arrays = {name: unpack(array) for name, array in packed.items()}
        kinds = {name: (array.dtype.name, array.ndim) for name, array in arrays.items()}
        require(kinds.items() <= _KINDS.items(), "arrays are of their types")
        self.representatives: Floats = arrays["representatives"]
        self.children: Integers = arrays["children"]
        self.elements: Integers = arrays["elements"]
        self.radius: Floats = arrays.get("radius", np.zeros(len(self.representatives)))
        require(len(self.children) == len(self.elements), "every chunk has an element")
        require(len(self.radius) == len(self.representatives), "every element has a radius")
        numbers = np.isfinite(self.representatives).all() and np.isfinite(self.radius).all()
        require(bool(numbers and (self.radius >= 0).all()), "representatives and radii are numbers")
        exist = (self.elements >= 0) & (self.elements < len(self.representatives))
        require(bool(exist.all()), "elements exist")
        self.table = dict(zip(chunks_of(self.children), self.elements.tolist(), strict=True))
        require(len(self.table) == len(self.children), "every chunk occurs once")


_KINDS = {
    "representatives": ("float64", 2),
    "children": ("int64", 2),
    "elements": ("int64", 1),
    "radius": ("float64", 1),
}


class Tables(Elements):
    """Vectors near representatives: tables of chunks level by level; the last levels recur."""

    def __init__(self, claim: Certificate, node: Node) -> None:
        super().__init__(node)
        require(not node.is_binary, "memory is continuous")
        require(set(claim.elements) == {"levels", "repeat"}, "elements are vectors")
        packed, width = claim.elements["levels"], claim.settings["d_model"]
        self.levels = [(Merge(level["interior"]), Merge(level["edge"])) for level in packed]
        merged = [merge for merges in self.levels for merge in merges]
        wide = all(merge.representatives.shape[1] == width for merge in merged)
        require(wide, "representatives are as wide as the network's vectors")
        self.repeat: int = claim.elements["repeat"]
        require(1 <= self.repeat < len(self.levels), "the level that recurs is one after symbols")
        below = (node.leaves(), node.leaves())
        for merges in self.levels:
            for edge, merge in enumerate(merges):
                self.check_images(images_of(node, below, merge.children, edge=bool(edge)), merge)
            below = self.balls(merges[0]), self.balls(merges[1])
        for last, first in zip(self.levels[-1], self.levels[self.repeat - 1], strict=True):
            same = np.array_equal(last.representatives, first.representatives)
            require(same, "the last level has the representatives of the one that recurs")
            within = bool((last.radius <= first.radius).all())
            require(within, "the last level's balls lie within those of the one that recurs")

    def check_images(self, images: Ball, merge: Merge) -> None:
        """Refuse images of chunks that their elements do not represent."""
        raise AssertionError("abstract")

    def phase(self, level: int) -> int:
        """Return the first level that has the tables of this one."""
        count = len(self.levels)
        if level < count:
            return level
        return self.repeat + (level - self.repeat) % (count - self.repeat)

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        """Return the elements of chunks in the tables."""
        table = self.levels[self.phase(level)][edge].table
        chunks = chunks_of(children)
        require(all(chunk in table for chunk in chunks), "the tables have every chunk")
        return np.array([table[chunk] for chunk in chunks], dtype=np.int64)

    def vectors(self, level: int, elements: Integers) -> Ball:
        """Return the balls of elements of the edge."""
        return self.balls(self.levels[self.phase(level - 1)][True])[elements]

    def balls(self, merge: Merge) -> Ball:
        """Return balls with the vectors of elements."""
        return Ball(merge.representatives, merge.radius)


class Snapped(Tables):
    """Each vector is replaced by the nearest representative, which is a vector itself."""

    def __init__(self, claim: Certificate, node: Node) -> None:
        self.spread, self.gap = 0.0, np.inf
        super().__init__(claim, node)
        merges = [merge for level in claim.elements["levels"] for merge in level.values()]
        plain = all("radius" not in merge for merge in merges)
        require(plain, "representatives are vectors, not balls")

    def check_images(self, images: Ball, merge: Merge) -> None:
        """Refuse an image unless its own representative is certainly nearest, and near enough."""
        if not len(merge.representatives):
            return
        apart = np.stack(
            [norm(images.centre - representative) for representative in merge.representatives],
            axis=1,
        )
        own_distance = apart[np.arange(len(apart)), merge.elements] * _OUTWARD
        other_distances = apart / _OUTWARD
        other_distances[np.arange(len(apart)), merge.elements] = np.inf
        nearest = other_distances.min(axis=1) - images.radius
        require(
            bool((own_distance + images.radius < nearest).all()),
            "the nearest representative is taken",
        )
        spread = float((own_distance + images.radius).max(initial=0.0))
        gap = float(nearest.min(initial=np.inf))
        require(spread < gap, "vectors are nearer to theirs than any is to another representative")
        if len(merge.representatives) == 1:  # the only one: not as far from it as it is from 0
            far = bool((own_distance <= norm(merge.representatives[0]) + images.radius).all())
            require(far, "vectors are near their representative")
        if merge is not self.levels[-1][0] and merge is not self.levels[-1][1]:
            for element in range(len(merge.representatives)):
                near = (own_distance <= images.radius) & (merge.elements == element)
                require(bool(near.any()), "every representative is a vector of the network")
        self.spread, self.gap = max(self.spread, spread), min(self.gap, gap)

    def balls(self, merge: Merge) -> Ball:
        """Return representatives, each rounded to the weights' type."""
        return self.node.arithmetic.round(Ball(merge.representatives, merge.radius))

    def measure_moves(self) -> SnapDistances:
        """Return the largest distance from the own representative, and the smallest to another."""
        return SnapDistances(spread=self.spread, gap=self.gap if np.isfinite(self.gap) else None)


class Robust(Tables):
    """Balls around representatives that hold all vectors of the network as it runs."""

    def check_images(self, images: Ball, merge: Merge) -> None:
        """Refuse an image of balls that leaves the ball of its element."""
        off = norm_bound(images.centre - merge.representatives[merge.elements]) + images.radius
        require(bool((off <= merge.radius[merge.elements]).all()), "balls hold their images")


ELEMENTS: Mapping[str, type[Discrete] | type[Snapped] | type[Robust]] = {
    "discrete": Discrete,
    "snapped": Snapped,
    "robust": Robust,
}


def images_of(node: Node, below: tuple[Ball, Ball], children: Integers, *, edge: bool) -> Ball:
    """Return images of chunks of interior balls; at the edge, the first child is an edge ball."""
    inner, outer = below
    present = children >= 0
    require(bool((children >= ABSENT).all()), "children exist")
    require(children.shape[1] == node.chunk_size, "chunks have as many places as the network's")
    ordered = bool((present[:, 1:] >= present[:, :-1]).all() and present[:, -1].all())
    require(ordered and (edge or bool(present.all())), "pads come before the others, at the edge")
    rows = children.copy()
    limit = np.where(present, len(inner.radius), 0)
    if edge:
        first = present.argmax(axis=1)
        positions = np.arange(len(children)), first
        limit[positions] = len(outer.radius)
        rows[positions] += len(inner.radius)
    require(bool((children < np.maximum(limit, 0))[present].all()), "children exist")
    balls = Ball(
        np.concatenate([inner.centre, outer.centre]), np.concatenate([inner.radius, outer.radius])
    )
    parts = [node.gather(balls, rows[i : i + _BATCH]) for i in range(0, len(rows), _BATCH)]
    empty = Ball(np.empty((0, balls.centre.shape[1])), np.empty(0))
    return Ball(
        np.concatenate([part.centre for part in [empty, *parts]]),
        np.concatenate([part.radius for part in [empty, *parts]]),
    )


def chunks_of(children: Integers) -> list[Chunk]:
    """Return the rows as tuples."""
    return list(map(tuple, children.tolist()))
