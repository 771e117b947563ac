"""Does a certificate prove what it says? A second look, plain and slow, at every step of it.

Nothing of the exploration is used: no torch, and of the network only its node function
(`node.py`). From the levels that the certificate names it is checked that level 0 has all symbols,
that each level has everything that the chunks of the level below become, that the last level
has what an earlier one has, and that every whole word on the way gets its class.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Protocol

import numpy as np

from lengthwise.errors import CertificateError
from lengthwise.languages.spec import is_named
from lengthwise.verification.algebra import ABSENT
from lengthwise.verification.balls import Ball, norm
from lengthwise.verification.binary import Doubt
from lengthwise.verification.certificate import Certificate, Pair, Sureness
from lengthwise.verification.node import Node
from lengthwise.verification.robust import TightNode, robustness
from lengthwise.verification.snapping import Snapping, Snaps, exactly, stacked

_SAME = 1e-6
"""Share by which sums of float64 can differ from one processor to another, and more."""

Chunk = tuple[int, ...]
Set = frozenset[int]


def check(certificate: Certificate) -> None:
    """Accept the certificate, or say what does not hold.

    Raises:
        CertificateError: a step does not follow.
    """
    if certificate.verdict not in ("equivalent", "counterexample"):
        raise CertificateError(
            f"a certificate that is {certificate.verdict} proves nothing, so there is nothing to "
            f"check. Only equivalent and counterexample can be checked."
        )
    require(certificate.strength in NETWORKS, f"strength {certificate.strength!r} is known")
    try:
        require(is_named(certificate.language), f"the language is {certificate.language.spec}")
        _Checker(certificate).run()
    except CertificateError:
        raise
    except Exception as error:  # what the file says can be anything
        raise CertificateError(
            f"the certificate does not hold: its parts do not fit together ({error!r:.80})."
        ) from None


class _Checker:
    def __init__(self, certificate: Certificate) -> None:
        self.claim = certificate
        self.machine = certificate.language.total().minimised()
        self.num_classes = certificate.language.num_classes
        self.maps = certificate.maps
        self.map_number = {map_: number for number, map_ in enumerate(self.maps)}
        self.network = NETWORKS[certificate.strength](certificate)
        self.chunk = self.network.chunk
        self.lengths: dict[Pair, int] = {}
        self.known_good: dict[int, Set] = {}

    def run(self) -> None:
        claim = self.claim
        require(len(claim.levels) > 0, "there is a level")
        for pairs in claim.levels:
            for kind, most in (("interior", len(self.maps)), ("edge", self.machine.num_states)):
                named = all(e >= 0 and 0 <= state < most for e, state in pairs[kind])
                require(named, "every pair is of an element and a state")
        interior, edge = self.level_of(0)
        symbols = [
            (symbol, tuple(row[symbol] for row in self.machine.transitions))
            for symbol in range(len(self.machine.alphabet))
        ]
        for symbol, map_ in symbols:
            if self.occurs(map_, 0):
                require((symbol, self.number(map_)) in interior, f"symbol {symbol} at level 0")
            state = map_[self.machine.start]
            if state in self.leads_in(0):
                require((symbol, state) in edge, f"symbol {symbol} at the edge of level 0")
                self.lengths[symbol, state] = 1
        wrong = self.wrong_empty_word()
        for level in range(len(claim.levels) - 1):
            if not wrong:
                wrong = self.next_level(level)
        if claim.verdict == "counterexample":
            self.check_counterexample(wrong)
        else:
            require(not wrong, "all words have their class")
            require(claim.counterexample is None, "there is no counterexample")
            require(claim.checked_length is None, "any length was checked")
            self.check_repetition()
        self.network.check_sureness(claim.sureness)

    # ---- what follows from one level -----------------------------------------------------------

    def next_level(self, level: int) -> list[int]:
        """Check that the next level has all that follows; the lengths of wrong words there."""
        interior, edge = self.level_of(level)
        next_interior, next_edge = self.level_of(level + 1)
        inner = []
        for parts in product(sorted(interior), repeat=self.chunk):
            map_ = self.maps[parts[0][1]]
            for _, later in parts[1:]:
                map_ = tuple(self.maps[later][state] for state in map_)
            if self.occurs(map_, level + 1):
                inner.append((tuple(element for element, _ in parts), self.number(map_)))
        results = self.network.compose(level, [chunk for chunk, _ in inner], edge=False)
        for (_, map_number), element in zip(inner, results, strict=True):
            require((element, map_number) in next_interior, f"level {level + 1} is whole")
        wrong = []
        lengths: dict[Pair, int] = {}
        outer = list(self.edge_chunks(interior, edge, level))
        results = self.network.compose(level, [chunk for chunk, _, _, _ in outer], edge=True)
        answers = self.network.classes(level + 1, results)
        for (_, state, length, used), element in zip(outer, results, strict=True):
            pair = (element, state)
            require(pair in next_edge, f"the edge of level {level + 1} is whole")
            lengths[pair] = min(length, lengths.get(pair, length))
            true = self.machine.classes[state]
            is_word = used > 1 or level == 0
            if is_word and true < self.num_classes and answers[element] != true:
                wrong.append(length)
        self.lengths = lengths
        return wrong

    def edge_chunks(
        self, interior: frozenset[Pair], edge: frozenset[Pair], level: int
    ) -> Iterator[tuple[Chunk, int, int, int]]:
        """Chunks at the left edge, the state after each, its length, and its number of children."""
        good = self.leads_in(level + 1)
        for used in range(1, self.chunk + 1):
            for first, *rest in product(sorted(edge), *[sorted(interior)] * (used - 1)):
                state = first[1]
                for _, map_number in rest:
                    state = self.maps[map_number][state]
                if state in good:
                    pads = (ABSENT,) * (self.chunk - used)
                    chunk = (*pads, first[0], *(element for element, _ in rest))
                    length = self.lengths[first] + (used - 1) * self.chunk**level
                    yield chunk, state, length, used

    def wrong_empty_word(self) -> list[int]:
        (element,) = self.network.compose(0, [(ABSENT,) * self.chunk], edge=True)
        true = self.machine.classes[self.machine.start]
        right = self.network.classes(1, [element])[element] == true
        return [] if right or true >= self.num_classes else [0]

    # ---- how it ends ---------------------------------------------------------------------------

    def check_repetition(self) -> None:
        first, last = self.claim.repeats, len(self.claim.levels) - 1
        require(first is not None and 1 <= first < last, "a level repeats an earlier one")
        assert first is not None
        require(self.level_of(first) == self.level_of(last), f"level {last} is level {first}")
        phases = {self.network.phase(first), self.network.phase(last)}
        require(len(phases) == 1, f"the model does at level {last} what it does at {first}")
        same = np.array_equal(self.steps(first), self.steps(last))
        require(same, f"lengths of level {last} do to the domain what those of {first} do")

    def check_counterexample(self, wrong: Sequence[int]) -> None:
        claimed = self.claim.counterexample
        require(claimed is not None, "a counterexample is there")
        assert claimed is not None
        language = self.claim.language
        word = language.encode(claimed.word)
        names = language.class_names
        require(names[language.classify(word)] == claimed.language, "its class is true")
        require(names[classify(self.network, word)] == claimed.model, "the model says so")
        require(claimed.language != claimed.model, "the two differ")
        require(bool(wrong) and min(wrong) == len(word), "no shorter word is wrong")
        require(self.claim.checked_length == len(word) - 1, "all shorter words were checked")

    # ---- the language --------------------------------------------------------------------------

    def level_of(self, level: int) -> tuple[frozenset[Pair], frozenset[Pair]]:
        pairs = self.claim.levels[level]
        return frozenset(pairs["interior"]), frozenset(pairs["edge"])

    def number(self, map_: tuple[int, ...]) -> int:
        require(map_ in self.map_number, f"state map {map_} is named")
        return self.map_number[map_]

    def steps(self, level: int) -> np.ndarray:
        """Which states lead to which by C^level symbols."""
        matrix = np.zeros((self.machine.num_states,) * 2, dtype=int)
        for state, row in enumerate(self.machine.transitions):
            matrix[state, list(row)] = 1
        for _ in range(level):
            power = matrix
            for _ in range(self.chunk - 1):
                matrix = ((matrix @ power) > 0).astype(int)
        return matrix

    def leads_in(self, level: int) -> Set:
        """States from which a multiple of C^level symbols can end in the domain."""
        if level in self.known_good:
            return self.known_good[level]
        matrix = self.steps(level)
        classes = enumerate(self.machine.classes)
        good = {state for state, c in classes if c < self.num_classes}
        while True:
            more = {s for s in range(len(matrix)) if any(matrix[s, t] for t in good)} | good
            if more == good:
                self.known_good[level] = frozenset(good)
                return self.known_good[level]
            good = more

    def occurs(self, map_: tuple[int, ...], level: int) -> bool:
        return not self.leads_in(level).isdisjoint(map_)


class Network(Protocol):
    """The algebra of a model, as a certificate gives it."""

    chunk: int

    def phase(self, level: int) -> int:
        """Levels of one phase behave alike, and so do those after them."""
        ...

    def compose(self, level: int, chunks: Sequence[Chunk], *, edge: bool) -> list[int]:
        """The elements of the next level that chunks become."""
        ...

    def classes(self, level: int, elements: Iterable[int]) -> dict[int, int]:
        """The class that is read off each of these elements of the edge of a level."""
        ...

    def check_sureness(self, claimed: Sureness | None) -> None:
        """Refuse distances and bounds that are better than those that were computed again."""
        ...


def classify(network: Network, word: Sequence[int]) -> int:
    """The class of a word, chunk by chunk from the right."""
    nodes = list(word) or [ABSENT]
    level = 0
    while len(nodes) > 1 or level == 0:
        padded = [ABSENT] * (-len(nodes) % network.chunk) + nodes
        starts = range(0, len(padded), network.chunk)
        first, *rest = [tuple(padded[i : i + network.chunk]) for i in starts]
        nodes = network.compose(level, [first], edge=True)
        nodes += network.compose(level, rest, edge=False)
        level += 1
    return network.classes(level, nodes)[nodes[0]]


class Discrete:
    """Codes, composed again by the node function."""

    def __init__(self, certificate: Certificate) -> None:
        self.node = Node(certificate.settings, certificate.weights)
        require(self.node.is_binary, "memory is binary")
        self.chunk = self.node.chunk
        packed = [bytes.fromhex(text) for text in certificate.elements["codes"]]
        rows = np.array([list(code) for code in packed], dtype=np.uint8)
        self.codes = np.unpackbits(rows, axis=1)[:, : self.node.num_bits].astype(np.bool_)
        self.number = {code.tobytes(): index for index, code in enumerate(self.codes)}
        self.known: dict[tuple[bool, Chunk], int] = {}
        self.signs = Doubt()

    def phase(self, level: int) -> int:
        """Symbols, or codes."""
        return min(level, 1)

    def compose(self, level: int, chunks: Sequence[Chunk], *, edge: bool) -> list[int]:
        """The code that each chunk becomes."""
        leaves = level == 0
        new = sorted({chunk for chunk in chunks if (leaves, chunk) not in self.known})
        below = self.node.leaves() if leaves else self.node.recall(self.codes)
        for start in range(0, len(new), 1024):
            batch = new[start : start + 1024]
            numbers, radius = self.node.numbers(self.node.gathered(below, np.array(batch)))
            self.signs.see(np.abs(numbers), radius)
            require(self.signs.room > 0, "every sign is certain")
            for chunk, code in zip(batch, numbers >= 0, strict=True):
                require(code.tobytes() in self.number, f"the code of chunk {chunk} is named")
                self.known[leaves, chunk] = self.number[code.tobytes()]
        return [self.known[leaves, chunk] for chunk in chunks]

    def classes(self, level: int, elements: Iterable[int]) -> dict[int, int]:
        """The class that is read off each code."""
        wanted = sorted(set(elements))
        return dict(
            zip(wanted, answers(self.node, self.node.recall(self.codes[wanted])), strict=True)
        )

    def check_sureness(self, claimed: Sureness | None) -> None:
        """Of the signs; that answers are certain is checked where they are read."""
        require(claimed is not None and claimed.is_certain, "signs and answers are certain")
        assert claimed is not None
        figures = (claimed.sign_distance, claimed.sign_radius, claimed.room)
        require(None not in figures, "the figures are numbers")
        distance, radius, room = (figure or 0.0 for figure in figures)
        near = distance <= self.signs.distance * (1 + _SAME) + _SAME
        far = radius >= self.signs.radius * (1 - _SAME)
        sure = 0 < room <= self.signs.room + _SAME
        require(near and far and sure, "the distance of signs and its bound are as stated")


def answers(node: Node, vectors: Ball) -> list[int]:
    """The class that is read off each vector, if it is certain."""
    if not len(vectors.radius):
        return []
    logits, radius = node.logits(vectors)
    result = []
    for row, moved in zip(logits, radius, strict=True):
        best = int(row.argmax())
        others = [c for c in range(len(row)) if c != best]
        certain = all(row[best] - moved[best] > row[c] + moved[c] for c in others)
        require(certain, "every answer is certain")
        result.append(best)
    return result


class Snapped:
    """Representatives, and the tables that say what their chunks were snapped to."""

    def __init__(self, certificate: Certificate) -> None:
        self.node = Node(certificate.settings, certificate.weights)
        require(not self.node.is_binary, "memory is continuous")
        self.chunk = self.node.chunk
        self.snapping = Snapping.from_plain(certificate.elements)
        levels = self.snapping.levels
        self.tables: list[dict[bool, dict[Chunk, int]]] = []
        below = (self.node.leaves(), self.node.leaves())
        for level in levels:
            tables = {}
            for edge, snaps in ((False, level.interior), (True, level.edge)):
                check_distances(self.node, below, snaps, edge=edge)
                rows = zip(
                    map(tuple, snaps.children.tolist()), snaps.elements.tolist(), strict=True
                )
                tables[edge] = dict(rows)
            self.tables.append(tables)
            below = (exactly(level.interior.representatives), exactly(level.edge.representatives))
        last, first = levels[-1], levels[self.snapping.repeat - 1]
        for mine, theirs in ((last.interior, first.interior), (last.edge, first.edge)):
            same = np.array_equal(mine.representatives, theirs.representatives)
            require(same, "the last level has the representatives of the one that it repeats")

    def phase(self, level: int) -> int:
        """The level whose tables are those of this one."""
        count, repeat = len(self.tables), self.snapping.repeat
        return level if level < count else repeat + (level - repeat) % (count - repeat)

    def compose(self, level: int, chunks: Sequence[Chunk], *, edge: bool) -> list[int]:
        """The element that each chunk was snapped to."""
        table = self.tables[self.phase(level)][edge]
        for chunk in chunks:
            require(chunk in table, f"chunk {chunk} of level {level} is in the tables")
        return [table[chunk] for chunk in chunks]

    def classes(self, level: int, elements: Iterable[int]) -> dict[int, int]:
        """The class that is read off each representative."""
        wanted = sorted(set(elements))
        edge = self.snapping.levels[self.phase(level - 1)].edge.representatives
        return dict(zip(wanted, answers(self.node, exactly(edge[wanted])), strict=True))

    def check_sureness(self, claimed: Sureness | None) -> None:
        """Tables have no signs."""
        require(claimed is None, "tables have no signs")


class Robust(Snapped):
    """The same, with balls that hold all vectors of the network as it runs."""

    def __init__(self, certificate: Certificate) -> None:
        super().__init__(certificate)
        node = TightNode(certificate.settings, certificate.weights)
        found = robustness(node, self.snapping)
        require(found.holds, f"the balls hold their images: {found.reason}")


NETWORKS: Mapping[str, type[Discrete] | type[Snapped]] = {
    "discrete": Discrete,
    "snapped": Snapped,
    "robust": Robust,
}


def check_distances(node: Node, below: tuple[Ball, Ball], snaps: Snaps, *, edge: bool) -> None:
    """Recompute how far each image is from the representative that it was snapped to."""
    if not len(snaps.children):
        return
    image = node.gathered(*stacked(below, snaps.children, at_edge=edge))
    distance = norm(image.centre - snaps.representatives[snaps.elements])
    off = np.abs(distance - snaps.distances)
    require(bool((off <= image.radius + 1e-6).all()), "the distances of the merges are as stated")
    apart = norm(image.centre[:, None] - image.centre[None, :])
    others = snaps.elements[:, None] != snaps.elements[None, :]
    empty = (snaps.children == ABSENT).all(axis=1)  # the empty word is an element of its own
    gap = apart[others & ~(empty[:, None] | empty)].min(initial=np.inf)
    require(
        bool((distance < gap).all()),
        "vectors are nearer to their representative than the gap",
    )


def require(holds: bool, what: str) -> None:
    """Say what of a certificate does not hold.

    Raises:
        CertificateError: it does not.
    """
    if not holds:
        raise CertificateError(f"the certificate does not hold. This is not so: {what}.")
