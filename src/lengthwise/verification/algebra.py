"""What is a model, seen from outside? A rule that turns chunks of numbers into numbers.

A model that composes vectors of sub-words, and whose vectors fall into finitely many classes, is an
algebra: its elements are integers, and chunks of them become elements of the next level. Both a
network with binary memory and tables of integers are such algebras.

Axes:
    node    chunks, each of which becomes a node
    chunk   the C children of a node, in the order of the word; `ABSENT` where there is none
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]

ABSENT = -1
"""Stands for a child before the start of the word."""


class Algebra(Protocol):
    """Elements by level; those of level 0 are the symbols.

    A node is *interior*, or it is at the left *edge* of its word: where the word is shorter than
    the tree is wide, the pad enters there.
    """

    @property
    def num_symbols(self) -> int:
        """Number of elements of level 0."""
        ...

    @property
    def chunk(self) -> int:
        """The paper's C: how many elements become one."""
        ...

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        """The elements of level `level + 1` that chunks `[node, chunk]` of `level` become."""
        ...

    def read(self, level: int, elements: Integers) -> Integers:
        """The classes of words of which these are the whole, at the edge of this level."""
        ...

    def phase(self, level: int) -> int:
        """Levels of one phase behave alike, and so do those after them."""
        ...
