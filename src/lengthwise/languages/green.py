r"""Green's relations of a transition monoid, and the classes of languages that they decide.

    x R y   if each is the other one times something on the right,
    x L y   if each is the other one times something on the left,
    x J y   if each is the other one times something on both sides.

They are the strongly connected parts of the right Cayley graph, of the left one, and of both
together, so that no product table is needed. A J-class is *regular* if it has an idempotent,
xx = x. In a finite monoid two elements are J-related exactly if a third is R-related to one and
L-related to the other.

A language belongs to a class below if the monoid of its minimal automaton is as follows (Pin,
*Varieties of formal languages*, 1986; Tesson and Thérien, *Diamonds are forever*, 2002):

    R-trivial, L-trivial, J-trivial   no two elements are related; J-trivial: piecewise testable
                                      (Simon, 1975)
    DA           elements of regular J-classes are idempotent
    aperiodic    all groups in it are trivial; star-free (Schützenberger, 1965)
    R-infinity   aperiodic, and no two idempotents are R-related

Some classes ask about the semigroup S of words that are not empty; it lacks the identity unless
some word does nothing.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.components import components
from lengthwise.languages.monoid import Monoid

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Pair = tuple[int, int]


class Green:
    """Green's relations of a monoid, each computed on first use."""

    def __init__(self, monoid: Monoid) -> None:
        self.monoid = monoid

    @cached_property
    def left(self) -> NDArray[np.int32]:
        """The left Cayley graph: `left[element, symbol]` is the generator times the element."""
        monoid = self.monoid
        left = np.empty_like(monoid.right)
        left[0] = monoid.right[0]
        for element, (parent, symbol) in enumerate(monoid.parents[1:], start=1):
            left[element] = monoid.right[left[parent], symbol]
        return left

    @cached_property
    def words(self) -> tuple[tuple[int, ...], ...]:
        """A shortest word of each element, for the identity one that is not empty if there is."""
        monoid = self.monoid
        back = np.argwhere(monoid.right == 0)
        if not len(back):
            return monoid.words
        element, symbol = min(back.tolist(), key=lambda place: len(monoid.words[place[0]]))
        return ((*monoid.words[element], symbol), *monoid.words[1:])

    @cached_property
    def r(self) -> Integers:
        """The number of the R-class of each element."""
        return _classes(self.monoid.right)

    @cached_property
    def l(self) -> Integers:  # noqa: E743  the relation is called L
        """The number of the L-class of each element."""
        return _classes(self.left)

    @cached_property
    def j(self) -> Integers:
        """The number of the J-class of each element; products have numbers that are not larger."""
        return _classes(np.concatenate([self.monoid.right, self.left], axis=1))

    @cached_property
    def is_idempotent(self) -> Booleans:
        """Mask of the elements x with xx = x."""
        maps = self.monoid.maps
        return np.asarray((np.take_along_axis(maps, maps, axis=1) == maps).all(axis=1))

    @cached_property
    def in_semigroup(self) -> Booleans:
        """Mask of the elements that are maps of words that are not empty."""
        inside = np.ones(self.monoid.size, dtype=np.bool_)
        inside[0] = bool((self.monoid.right == 0).any())
        return inside

    @cached_property
    def is_regular(self) -> Booleans:
        """Mask of the elements whose J-class has an idempotent."""
        classes = np.zeros(int(self.j.max()) + 1, dtype=np.bool_)
        classes[self.j[self.is_idempotent]] = True
        return np.asarray(classes[self.j])

    def find_related(self, classes: Integers) -> Pair | None:
        """Return the first two elements of one class, or None if all classes have one element."""
        return _first_pair(classes, np.arange(len(classes)))

    @cached_property
    def unlike_da(self) -> Pair | None:
        """An element of a regular J-class that is not idempotent, and an idempotent beside it."""
        wrong = np.flatnonzero(self.is_regular & ~self.is_idempotent)
        if not len(wrong):
            return None
        beside = np.flatnonzero((self.j == self.j[wrong[0]]) & self.is_idempotent)
        return int(wrong[0]), int(beside[0])

    @cached_property
    def overwriting(self) -> Pair | None:
        """Two idempotents x and y with xy = y and yx = x, R-related, or None."""
        return _first_pair(self.r, np.flatnonzero(self.is_idempotent))

    @cached_property
    def turning(self) -> int | None:
        """The first element of a group that is not its identity, or None."""
        turns = np.flatnonzero(self.monoid.in_subgroup & ~self.is_idempotent)
        return int(turns[0]) if len(turns) else None

    @cached_property
    def group_depth(self) -> int:
        """Length of the longest chain of J-classes, one below the other, with groups in them that
        are not trivial.

        The complexity of Krohn and Rhodes is at most that (the depth decomposition theorem; Tilson,
        in Eilenberg's *Automata, languages and machines B*, 1976), and 0 exactly if it is 0.
        """
        if self.turning is None:
            return 0
        count = int(self.j.max()) + 1
        steps = np.zeros(count, dtype=np.int64)
        steps[self.j[self.monoid.in_subgroup & ~self.is_idempotent]] = 1
        below: list[set[int]] = [set() for _ in range(count)]
        for graph in (self.monoid.right, self.left):
            for symbol in range(graph.shape[1]):
                pairs = np.unique(np.stack([self.j, self.j[graph[:, symbol]]], axis=1), axis=0)
                for above, under in pairs.tolist():
                    if above != under:
                        below[above].add(under)
        depth = [0] * count
        for number in range(count):  # those below have smaller numbers
            deepest = max((depth[under] for under in below[number]), default=0)
            depth[number] = int(steps[number]) + deepest
        return max(depth)


def _classes(graph: NDArray[np.int32]) -> Integers:
    return np.array(components(graph.tolist()), dtype=np.int64)


def _first_pair(classes: Integers, elements: NDArray[np.int64]) -> Pair | None:
    """Return the first two of some elements that are in one class, or None."""
    _, firsts, places = np.unique(classes[elements], return_index=True, return_inverse=True)
    later = np.flatnonzero(firsts[places.reshape(-1)] != np.arange(len(elements)))
    if not len(later):
        return None
    second = int(later[0])
    return int(elements[firsts[places.reshape(-1)[second]]]), int(elements[second])
