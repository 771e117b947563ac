"""The interface of a model to proofs: a composition of chunks of elements into elements.

A model that composes vectors of sub-words, and whose vectors fall into finitely many classes, is an
algebra: its elements are integers, and chunks of them are mapped to elements of the next level.
Both a network with binary memory and tables of integers are such algebras.

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
"""Marks a child before the start of the word."""


class Algebra(Protocol):
    """An algebra of elements by level; elements of level 0 are the symbols.

    A node is *interior*, or it is at the left *edge* of its word: where the word is shorter than
    the tree is wide, the pad enters there.
    """

    @property
    def num_symbols(self) -> int:
        """Number of elements of level 0."""
        ...

    @property
    def chunk(self) -> int:
        """Number of elements of a chunk, the paper's C."""
        ...

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        """Map chunks `[node, chunk]` of elements of `level` to elements of `level + 1`."""
        ...

    def read(self, level: int, elements: Integers) -> Integers:
        """Return the classes of whole words, given as elements of the edge of a level."""
        ...

    def phase(self, level: int) -> int:
        """Return the phase of a level; levels of one phase behave alike, and so do those after
        them.
        """
        ...
