"""Machines of bits: the plain definition of what a planted network computes.

The bits of a machine are in *registers*. A register of n > 2 values has a bit for each, and one of
them is on; one of two values is a single bit. The bits that follow are each an OR of *terms*, and a
term is an AND of *literals*, bits of the sources with the value that they must have. Sources are
the bits before and the symbol (a recurrence), or the bits of the children of a chunk (a tree).

Here machines are run by counting, without a network, and in integers only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Bits = tuple[bool, ...]
Literal = tuple[int, int, bool]
"""Source, place in the source, and the value that the bit must have."""
Term = tuple[Literal, ...]


class Registers:
    """The places of registers, from their numbers of values by name."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = dict(sizes)
        self._first: dict[str, int] = {}
        self.num_bits = 0
        for name, size in self.sizes.items():
            self._first[name] = self.num_bits
            self.num_bits += 1 if size == 2 else size

    def place(self, name: str, value: int) -> tuple[int, bool]:
        """Return the bit that tells whether a register has a value, and what it then is."""
        first = self._first[name]
        return (first, value == 1) if self.sizes[name] == 2 else (first + value, True)

    def literal(self, source: int, name: str, value: int) -> Literal:
        """Return the literal that a register of a source has a value."""
        return (source, *self.place(name, value))

    def encode(self, values: Mapping[str, int]) -> Bits:
        """Return the bits of registers; those that are not named have the value 0."""
        bits = [False] * self.num_bits
        for name in self.sizes:
            place, value = self.place(name, values.get(name, 0))
            bits[place] = value
        return tuple(bits)


class Rules:
    """The terms of the bits that follow, gathered rule by rule."""

    def __init__(self, registers: Registers) -> None:
        self.registers = registers
        self._terms: list[list[Term]] = [[] for _ in range(registers.num_bits)]

    def becomes(self, name: str, value: int, *terms: Term) -> None:
        """Let a register have a value where one of the terms holds.

        The value 0 of a register of two values is what is left, and needs no terms.
        """
        place, on = self.registers.place(name, value)
        if on:
            self._terms[place] += terms

    def counts(self, name: str, source: int) -> None:
        """Let a register of a source be one larger, and 0 after its largest value."""
        size = self.registers.sizes[name]
        for value in range(size):
            self.becomes(name, (value + 1) % size, (self.registers.literal(source, name, value),))

    def terms(self) -> tuple[tuple[Term, ...], ...]:
        """Return the terms of each bit."""
        return tuple(map(tuple, self._terms))


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """Bits that follow from bits, and the class that is read off them.

    The class is 1 if `bias` and the `scores` of the bits that are on sum to more than 0, else 0.
    """

    registers: Registers
    terms: tuple[tuple[Term, ...], ...]
    """By bit."""
    leaves: tuple[Bits, ...]
    """Bits of the symbols of a tree; of a recurrence the symbols one-hot."""
    first: Bits
    """Bits of the pad of a tree; of a recurrence those of the empty word."""
    scores: tuple[float, ...]
    bias: float
    chunk_size: int = 0
    """Children of a node of a tree; 0 of a recurrence."""

    def after(self, *sources: Bits) -> Bits:
        """Return the bits that follow from those of the sources."""
        return tuple(
            any(all(sources[s][place] == on for s, place, on in term) for term in terms)
            for terms in self.terms
        )

    def read(self, bits: Bits) -> int:
        """Return the class."""
        total = self.bias + sum(w for w, on in zip(self.scores, bits, strict=True) if on)
        return int(total > 0)

    def classify(self, word: Sequence[int]) -> int:
        """Return the class of a word, symbol by symbol or chunk by chunk from the right."""
        if not self.chunk_size:
            bits = self.first
            for symbol in word:
                bits = self.after(bits, self.leaves[symbol])
            return self.read(bits)
        known: dict[tuple[Bits, ...], Bits] = {}
        nodes = [self.leaves[symbol] for symbol in word]
        while True:
            nodes = [self.first] * (
                -len(nodes) % self.chunk_size or (not nodes) * self.chunk_size
            ) + nodes
            chunks = [
                tuple(nodes[i : i + self.chunk_size]) for i in range(0, len(nodes), self.chunk_size)
            ]
            for chunk in set(chunks) - set(known):
                known[chunk] = self.after(*chunk)
            nodes = [known[chunk] for chunk in chunks]
            if len(nodes) == 1:
                return self.read(nodes[0])


def score(
    registers: Registers, weights: Iterable[tuple[str, int, float]]
) -> tuple[tuple[float, ...], float]:
    """Return scores of bits and the bias that add a weight for each register with that value.

    The bias has 1/2 taken off, so that sums of integers are never 0.
    """
    scores, bias = [0.0] * registers.num_bits, -0.5
    for name, value, weight in weights:
        place, on = registers.place(name, value)
        scores[place] += weight if on else -weight
        bias += 0.0 if on else weight
    return tuple(scores), bias
