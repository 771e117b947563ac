"""The interface of a model to proofs: finitely many elements, and how words become elements.

Elements are integers. A model puts words together in one of two ways:

- as a *tree* (`TreeAlgebra`): chunks of elements become an element of the next level. RegularGPT
  with binary memory and tables of integers are such algebras;
- as a *recurrence* (`Recurrence`): an element and a symbol become the next element. Recurrent
  networks with binary memory are such algebras, and so is any network whose state is discrete.

`explore` (`exploration.py`) decides of both whether every word gets its class.

Axes:
    node    chunks; each becomes a node
    chunk   the C children of a node, in the order of the word; `ABSENT` where there is none
    prefix  beginnings of words
"""

from typing import Protocol, runtime_checkable

from lengthwise.proofs.check.arrays import Integers


class Algebra(Protocol):
    """Finitely many elements that words become. Each is read as a class."""

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        ...

    def read(self, level: int, elements: Integers) -> Integers:
        """Return the classes of whole words, given as elements.

        `level` is that of a tree's edge, or the number of symbols of a recurrence's prefixes.
        """
        ...


@runtime_checkable
class Recurrence(Algebra, Protocol):
    """An algebra that reads words from left to right: one element for each prefix."""

    def start(self) -> int:
        """Return the element of the empty word."""
        ...

    def step(self, elements: Integers, symbols: Integers) -> Integers:
        """Return the elements after symbols `[prefix]`, from those before them `[prefix]`."""
        ...


@runtime_checkable
class TreeAlgebra(Algebra, Protocol):
    """An algebra of elements by level; elements of level 0 are the symbols.

    A node is *interior*, or it is at the left *edge* of its word: where the word is shorter than
    the tree is wide, the pad enters there.
    """

    @property
    def chunk_size(self) -> int:
        """Number of elements of a chunk, the paper's C."""
        ...

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        """Map chunks `[node, chunk]` of elements of `level` to elements of `level + 1`."""
        ...

    def phase(self, level: int) -> int:
        """Return the phase of a level; levels of one phase behave alike, and so do those after
        them.
        """
        ...
