"""Recurrences whose elements are codes of bits, numbered as they occur.

A network whose state is discrete implements `Coded`, and `CodeRecurrence` makes a `Recurrence` of
it, which `explore` decides about.

Axes:
    prefix  beginnings of words
    bit     bits of a code
    class   classes
"""

from typing import Protocol

import numpy as np

from lengthwise.verification.algebra import Booleans, Integers
from lengthwise.verification.binary import MarginTracker
from lengthwise.verification.recurrent_node import RecurrentNode

_BATCH = 2048


class Coded(Protocol):
    """A network that reads words from left to right and keeps nothing but bits between symbols."""

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        ...

    def start(self) -> Booleans:
        """Return the code `[bit]` of the empty word."""
        ...

    def step(self, codes: Booleans, symbols: Integers) -> Booleans:
        """Return the codes `[prefix, bit]` after symbols `[prefix]`, from those before them."""
        ...

    def classes(self, codes: Booleans) -> Integers:
        """Return the class `[prefix]` of the words that led to codes `[prefix, bit]`."""
        ...


class CodeRecurrence:
    """The `Recurrence` of a network with codes: a number for each code, as it is met first."""

    def __init__(self, coded: Coded) -> None:
        self._coded = coded
        self._number: dict[bytes, int] = {}
        self._packed: list[bytes] = []
        self._num_bits = 0

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        return self._coded.num_symbols

    @property
    def packed(self) -> list[bytes]:
        """The codes that were met, eight bits to a byte, in the order of their numbers."""
        return self._packed

    def start(self) -> int:
        """Return the number of the code of the empty word."""
        code = np.asarray(self._coded.start(), dtype=np.bool_)
        self._num_bits = len(code)
        return int(self._numbered(code[None])[0])

    def step(self, elements: Integers, symbols: Integers) -> Integers:
        """Return the numbers of the codes after symbols."""
        found = [np.empty(0, dtype=np.int64)]
        for first in range(0, len(elements), _BATCH):
            part = slice(first, first + _BATCH)
            found.append(
                self._numbered(self._coded.step(self.codes(elements[part]), symbols[part]))
            )
        return np.concatenate(found)

    def read(self, level: int, elements: Integers) -> Integers:
        """Return the classes of the words that led to codes."""
        found = [np.empty(0, dtype=np.int64)]
        for first in range(0, len(elements), _BATCH):
            codes = self.codes(elements[first : first + _BATCH])
            found.append(np.asarray(self._coded.classes(codes), dtype=np.int64))
        return np.concatenate(found)

    def codes(self, elements: Integers) -> Booleans:
        """Return the codes `[element, bit]` of numbers."""
        packed = b"".join(self._packed[element] for element in elements.tolist())
        rows = np.frombuffer(packed, dtype=np.uint8).reshape(len(elements), -1)
        return np.unpackbits(rows, axis=1, count=self._num_bits).astype(np.bool_)

    def _numbered(self, codes: Booleans) -> Integers:
        numbers = np.empty(len(codes), dtype=np.int64)
        for row, packed in enumerate(np.packbits(codes, axis=1)):
            key = packed.tobytes()
            numbers[row] = self._number.setdefault(key, len(self._number))
            if numbers[row] == len(self._packed):
                self._packed.append(key)
        return numbers


class RecurrentCodes:
    """The codes of a recurrent network with binary memory, and how certain they are."""

    def __init__(self, node: RecurrentNode) -> None:
        self._node = node
        self.signs, self.answers = MarginTracker(), MarginTracker()

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        return self._node.num_symbols

    @property
    def is_certain(self) -> bool:
        """Whether no rounding could have changed a sign or an answer that was computed."""
        return self.signs.room > 0 and self.answers.room > 0

    def start(self) -> Booleans:
        """Return the code of the empty word."""
        numbers, radius = self._node.start_numbers()
        self.signs.see(np.abs(numbers), radius)
        return np.asarray(numbers[0] >= 0)

    def step(self, codes: Booleans, symbols: Integers) -> Booleans:
        """Return the codes after symbols."""
        numbers, radius = self._node.numbers(self._node.recall(codes), symbols)
        self.signs.see(np.abs(numbers), radius)
        return np.asarray(numbers >= 0)

    def classes(self, codes: Booleans) -> Integers:
        """Return the classes with the largest logits."""
        logits, radius = self._node.logits(self._node.recall(codes))
        self.answers.see_largest(logits, radius)
        return logits.argmax(axis=1)
