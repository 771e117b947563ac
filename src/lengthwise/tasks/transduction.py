"""Transductions: strings, and the output that is written after each, of any complexity.

An output has one length for all strings of a length. Where it could be shorter, a symbol ends it,
and zeros follow.
"""

from abc import ABC, abstractmethod
from random import Random
from typing import ClassVar


class Transduction(ABC):
    """The strings of a task, and the output of each.

    Examples:
        >>> from lengthwise.tasks.chomsky_tasks import TRANSDUCTIONS
        >>> TRANSDUCTIONS["reverse-string"].answer("0011")
        '1100'
    """

    summary: ClassVar[str]
    level: ClassVar[str]
    """Level of the Chomsky hierarchy, as the source has it."""
    symbols: ClassVar[str] = "01"
    outputs: ClassVar[str] = "01"
    """The symbols of outputs."""
    shortest: ClassVar[int] = 1
    """Least length of its strings."""
    examples: ClassVar[tuple[tuple[str, str], ...]]
    """Strings with their outputs."""

    @abstractmethod
    def draw(self, length: int, random: Random) -> str:
        """Return a random string of a length that is not below `shortest`."""

    @abstractmethod
    def answer(self, word: str) -> str:
        """Return the output of a string, up to the symbol that ends it."""

    def output_length(self, length: int) -> int:
        """Return the number of symbols that are written after strings of a length."""
        return length
