"""Does a certificate prove what it says? A second look, plain and slow, at every step of it.

Nothing of the exploration is used: no torch, and of the network only its node function
(`node.py`). From the levels that the certificate names it is checked that level 0 has all symbols,
that each level has everything that the chunks of the level below become, that the last level
has what an earlier one has, and that every whole word on the way gets its class.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from lengthwise.errors import CertificateError
from lengthwise.verification.algebra import ABSENT
from lengthwise.verification.certificate import Certificate, Pair
from lengthwise.verification.node import Node

Chunk = tuple[int, ...]
Set = frozenset[int]


def check(certificate: Certificate) -> None:
    """Accept the certificate, or say what does not hold.

    Raises:
        CertificateError: a step does not follow.
    """
    if certificate.verdict == "not-closed":
        raise CertificateError("a certificate that is not closed proves nothing. Nothing to check.")
    _Checker(certificate).run()


class _Checker:
    def __init__(self, certificate: Certificate) -> None:
        self.claim = certificate
        self.machine = certificate.language.total().minimised()
        self.num_classes = certificate.language.num_classes
        self.maps = certificate.maps
        self.map_number = {map_: number for number, map_ in enumerate(self.maps)}
        self.network = _Network(certificate)
        self.chunk = self.network.chunk
        self.lengths: dict[Pair, int] = {}

    def run(self) -> None:
        claim = self.claim
        interior, edge = self.level_of(0)
        symbols = [
            (symbol, tuple(row[symbol] for row in self.machine.transitions))
            for symbol in range(len(self.machine.alphabet))
        ]
        for symbol, map_ in symbols:
            if self.occurs(map_, 0):
                self.require((symbol, self.number(map_)) in interior, f"symbol {symbol} at level 0")
            state = map_[self.machine.start]
            if state in self.leads_in(0):
                self.require((symbol, state) in edge, f"symbol {symbol} at the edge of level 0")
                self.lengths[symbol, state] = 1
        wrong = self.wrong_empty_word()
        for level in range(len(claim.levels) - 1):
            if not wrong:
                wrong = self.next_level(level)
        if claim.verdict == "counterexample":
            self.check_counterexample(wrong)
            return
        self.require(not wrong, "all words have their class")
        self.check_repetition()

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
        results = self.network.compose(level, [chunk for chunk, _ in inner])
        for (_, map_number), element in zip(inner, results, strict=True):
            self.require((element, map_number) in next_interior, f"level {level + 1} is whole")
        wrong = []
        lengths: dict[Pair, int] = {}
        outer = list(self.edge_chunks(interior, edge, level))
        results = self.network.compose(level, [chunk for chunk, _, _, _ in outer])
        answers = self.network.classes(results)
        for (_, state, length, used), element in zip(outer, results, strict=True):
            pair = (element, state)
            self.require(pair in next_edge, f"the edge of level {level + 1} is whole")
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
        (element,) = self.network.compose(0, [(ABSENT,) * self.chunk])
        true = self.machine.classes[self.machine.start]
        right = self.network.classes([element])[element] == true
        return [] if right or true >= self.num_classes else [0]

    # ---- how it ends ---------------------------------------------------------------------------

    def check_repetition(self) -> None:
        first, last = self.claim.repeats, len(self.claim.levels) - 1
        self.require(first is not None and 1 <= first < last, "a level repeats an earlier one")
        assert first is not None
        self.require(self.level_of(first) == self.level_of(last), f"level {last} is level {first}")
        same = np.array_equal(self.steps(first), self.steps(last))
        self.require(same, f"lengths of level {last} do to the domain what those of {first} do")

    def check_counterexample(self, wrong: Sequence[int]) -> None:
        claimed = self.claim.counterexample
        self.require(claimed is not None, "a counterexample is there")
        assert claimed is not None
        language = self.claim.language
        word = language.encode(claimed.word)
        names = language.class_names
        self.require(names[language.classify(word)] == claimed.language, "its class is true")
        self.require(names[self.network.classify(word)] == claimed.model, "the model says so")
        self.require(claimed.language != claimed.model, "the two differ")
        self.require(bool(wrong) and min(wrong) == len(word), "no shorter word is wrong")

    # ---- the language --------------------------------------------------------------------------

    def level_of(self, level: int) -> tuple[frozenset[Pair], frozenset[Pair]]:
        pairs = self.claim.levels[level]
        return frozenset(pairs["interior"]), frozenset(pairs["edge"])

    def number(self, map_: tuple[int, ...]) -> int:
        self.require(map_ in self.map_number, f"state map {map_} is named")
        return self.map_number[map_]

    def steps(self, level: int) -> np.ndarray:
        """Which states lead to which by C^level symbols."""
        matrix = np.zeros((self.machine.num_states,) * 2, dtype=int)
        for state, row in enumerate(self.machine.transitions):
            matrix[state, list(row)] = 1
        for _ in range(level):
            matrix = (np.linalg.matrix_power(matrix, self.chunk) > 0).astype(int)
        return matrix

    def leads_in(self, level: int) -> Set:
        """States from which a multiple of C^level symbols can end in the domain."""
        matrix = self.steps(level)
        classes = enumerate(self.machine.classes)
        good = {state for state, c in classes if c < self.num_classes}
        while True:
            more = {s for s in range(len(matrix)) if any(matrix[s, t] for t in good)} | good
            if more == good:
                return frozenset(good)
            good = more

    def occurs(self, map_: tuple[int, ...], level: int) -> bool:
        return not self.leads_in(level).isdisjoint(map_)

    @staticmethod
    def require(holds: bool, what: str) -> None:
        if not holds:
            raise CertificateError(f"the certificate does not hold: {what} is not so.")


class _Network:
    """The algebra of the network, computed again from its weights."""

    def __init__(self, certificate: Certificate) -> None:
        self.node = Node(certificate.settings, certificate.weights)
        self.chunk = self.node.chunk
        bits = self.node.num_bits
        packed = [bytes.fromhex(text) for text in certificate.elements["codes"]]
        rows = np.array([list(code) for code in packed], dtype=np.uint8)
        self.codes = np.unpackbits(rows, axis=1)[:, :bits].astype(np.bool_)
        self.number = {code.tobytes(): index for index, code in enumerate(self.codes)}
        self.known: dict[tuple[bool, Chunk], int] = {}

    def compose(self, level: int, chunks: Iterable[Chunk]) -> list[int]:
        """The element that each chunk becomes."""
        chunks = list(chunks)
        leaves = level == 0
        new = sorted({chunk for chunk in chunks if (leaves, chunk) not in self.known})
        below = self.node.leaves() if leaves else self.node.recall(self.codes)
        for start in range(0, len(new), 1024):
            batch = new[start : start + 1024]
            numbers, radius = self.node.numbers(self.node.gathered(below, np.array(batch)))
            if not (np.abs(numbers) > radius).all():
                raise CertificateError("the certificate does not hold: a sign is not certain.")
            for chunk, code in zip(batch, numbers >= 0, strict=True):
                if code.tobytes() not in self.number:
                    raise CertificateError("the certificate does not hold: a code is not named.")
                self.known[leaves, chunk] = self.number[code.tobytes()]
        return [self.known[leaves, chunk] for chunk in chunks]

    def classes(self, elements: Iterable[int]) -> dict[int, int]:
        """The class that is read off each element."""
        wanted = sorted(set(elements))
        if not wanted:
            return {}
        logits, radius = self.node.logits(self.node.recall(self.codes[wanted]))
        result = {}
        for element, row, moved in zip(wanted, logits, radius, strict=True):
            best = int(row.argmax())
            others = [c for c in range(len(row)) if c != best]
            if not all(row[best] - moved[best] > row[c] + moved[c] for c in others):
                raise CertificateError("the certificate does not hold: an answer is not certain.")
            result[element] = best
        return result

    def classify(self, word: Sequence[int]) -> int:
        """The class of a word, chunk by chunk from the right."""
        nodes = list(word) or [ABSENT]
        level = 0
        while len(nodes) > 1 or level == 0:
            pads = [ABSENT] * (-len(nodes) % self.chunk)
            padded = pads + nodes
            starts = range(0, len(padded), self.chunk)
            nodes = self.compose(level, [tuple(padded[i : i + self.chunk]) for i in starts])
            level += 1
        return self.classes(nodes)[nodes[0]]
