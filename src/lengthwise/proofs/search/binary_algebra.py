"""The finite algebra of a network with binary memory: its elements are the codes that occur.

The code of a node is the signs of a few numbers, and the output of the node is a function of the
code. A sign is certain where its number is further from 0 than any rounding could move it.
"""

from dataclasses import dataclass

import numpy as np

from lengthwise.errors import VerificationError
from lengthwise.languages.distinct_rows import distinct_rows
from lengthwise.proofs.check.arrays import Booleans, Integers
from lengthwise.proofs.check.balls import Floats
from lengthwise.proofs.check.bounded import largest
from lengthwise.proofs.check.node import Node

_BATCH = 4096
_MOST_BITS = 62


@dataclass(slots=True)
class MarginTracker:
    """The smallest margins of signs or answers, over all numbers that were computed."""

    distance: float = np.inf
    """Smallest distance of a number from 0 (or of the best logit from the next)."""
    radius: float = 0.0
    """Largest distance by which rounding could move one."""
    room: float = np.inf
    """Smallest distance minus its own radius: nothing is certain unless this is above 0."""

    @np.errstate(invalid="ignore")
    def see(self, distance: Floats, radius: Floats) -> None:
        """Include more numbers."""
        if not distance.size:
            return
        room = distance - radius
        if not np.isfinite(room).all():  # such as of weights that are NaN
            distance, radius, room = np.zeros(1), np.full(1, np.inf), np.full(1, -np.inf)
        self.distance = min(self.distance, float(distance.min()))
        self.radius = max(self.radius, float(radius.max()))
        self.room = min(self.room, float(room.min()))

    def see_largest(self, logits: Floats, radius: Floats) -> None:
        """Include the distances of the largest logits `[row, class]` from all others."""
        gap = largest(logits, radius)
        self.see(gap.distance, gap.radius)

    @np.errstate(over="ignore", invalid="ignore")
    def see_ahead(self, logits: Floats, radius: Floats, classes: Integers) -> Booleans:
        """Include the distances of the logits of some classes `[row]` from all others.

        Return `[row]` whether the class is certainly ahead of every other, and all logits are
        numbers, also that of a class without others.
        """
        finite = np.isfinite(logits + radius).all(axis=1)
        if not finite.all():
            self.see(np.zeros(1), np.full(1, np.inf))
        rows, is_other = np.arange(len(classes)), np.arange(logits.shape[1]) != classes[:, None]
        ahead = logits[rows, classes][:, None] - logits
        doubt = radius[rows, classes][:, None] + radius
        self.see(ahead[is_other], doubt[is_other])
        return finite & ~(is_other & ~(ahead > doubt)).any(axis=1)


class BinaryAlgebra:
    """The codes of a network with binary memory, numbered as they occur.

    `codes[element, bit]` are the elements of levels above 0. Every chunk is evaluated once.

    Raises:
        VerificationError: the network's memory is not binary.
    """

    def __init__(self, node: Node) -> None:
        if not node.is_binary:
            raise VerificationError(
                "a discrete proof needs binary memory, but this model's is continuous. Ask for "
                "strength snapped, or train regular-gpt-binary."
            )
        self._node = node
        self.codes: Booleans = np.empty((0, node.num_bits), dtype=np.bool_)
        self.signs, self.answers = MarginTracker(), MarginTracker()
        self._number: dict[bytes, int] = {}
        self._classes: Integers = np.empty(0, dtype=np.int64)
        self._known = {"symbols": _Memo(), "codes": _Memo()}
        self._base = 2 ** (_MOST_BITS // node.chunk_size)
        self._unsure: list[Integers] = []

    @property
    def num_symbols(self) -> int:
        """Number of symbols."""
        return self._node.num_symbols

    @property
    def chunk_size(self) -> int:
        """Number of elements of a chunk, the paper's C."""
        return self._node.chunk_size

    def phase(self, level: int) -> int:
        """Return 0 for symbols and 1 for codes, whatever their level."""
        return min(level, 1)

    @property
    def unsure(self) -> Integers:
        """Chunks of codes with a sign that is not certain."""
        return np.concatenate([np.empty((0, self.chunk_size), dtype=np.int64), *self._unsure])

    @property
    def is_certain(self) -> bool:
        """True if no rounding could have changed a sign or an answer that was computed."""
        return self.signs.room > 0 and self.answers.room > 0

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        """Return the codes of chunks of symbols (level 0) or of codes."""
        if children.size and children.max() + 2 > self._base:
            raise VerificationError(
                f"chunks of {self.chunk_size} can be distinguished for at most {self._base - 1} "
                f"symbols or codes, but there are {children.max() + 1}. Use smaller chunks."
            )
        memo = self._known["codes" if level else "symbols"]
        keys = np.zeros(len(children), dtype=np.int64)
        for column in children.T:
            keys = keys * self._base + (column + 1)
        distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        new = ~memo.has(distinct)
        if new.any():
            memo.learn(distinct[new], self._evaluate(level, children[first[new]]))
        return memo.of(distinct)[inverse.reshape(-1)]

    def read(self, level: int, elements: Integers) -> Integers:
        """Return the classes that the network assigns to codes."""
        old = len(self._classes)
        if old < len(self.codes):
            logits, radius = self._node.logits(self._node.recall(self.codes[old:]))
            self.answers.see_largest(logits, radius)
            self._classes = np.concatenate([self._classes, logits.argmax(axis=1)])
        return self._classes[elements]

    def evaluate(self, level: int, most: int) -> Integers:
        """Return evaluated chunks of symbols (level 0) or of codes (above).

        They are evenly spaced, and at most `most`.
        """
        keys = self._known["codes" if level else "symbols"].keys
        keys = keys[:: max(1, -(-len(keys) // most))]
        columns = [keys // self._base**place % self._base - 1 for place in range(self.chunk_size)]
        return np.stack(columns[::-1], axis=1)

    def _evaluate(self, level: int, children: Integers) -> Integers:
        """Evaluate chunks with the network, and number the resulting codes."""
        below = self._node.recall(self.codes) if level else self._node.leaves()
        parts = []
        for start in range(0, len(children), _BATCH):
            vectors = self._node.gather(below, children[start : start + _BATCH])
            numbers, radius = self._node.numbers(vectors)
            self.signs.see(np.abs(numbers), radius)
            if level:
                unsure = (np.abs(numbers) <= radius).any(axis=1)
                self._unsure.append(children[start : start + _BATCH][unsure])
            parts.append(numbers >= 0)
        codes, inverse = distinct_rows(np.concatenate(parts))
        count = len(self._number)
        for code in codes:
            self._number.setdefault(code.tobytes(), len(self._number))
        if len(self._number) >= self._base - 1:
            raise VerificationError(
                f"{len(self._number)} codes occur, but with chunks of {self.chunk_size} at most "
                f"{self._base - 2} can be distinguished. Train with more noise or fewer bits."
            )
        numbers_of = np.array([self._number[code.tobytes()] for code in codes])
        new = codes[numbers_of >= count]
        order = np.argsort(numbers_of[numbers_of >= count])
        self.codes = np.concatenate([self.codes, new[order]])
        return numbers_of[inverse]


class _Memo:
    """A map from chunks, as sorted keys, to values."""

    def __init__(self) -> None:
        self.keys: Integers = np.empty(0, dtype=np.int64)
        self._values: Integers = np.empty(0, dtype=np.int64)

    def has(self, keys: Integers) -> Booleans:
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.bool_)
        position = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        return self.keys[position] == keys

    def of(self, keys: Integers) -> Integers:
        return self._values[np.searchsorted(self.keys, keys)]

    def learn(self, keys: Integers, values: Integers) -> None:
        keys = np.concatenate([self.keys, keys])
        values = np.concatenate([self._values, values])
        order = np.argsort(keys)
        self.keys, self._values = keys[order], values[order]
