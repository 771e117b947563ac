r"""Transition monoids: all state maps that words induce on an automaton.

The word w maps each state s to the state s·w. Reading u and then v composes the maps, so the maps
of all words form a monoid, with the map of the empty word as its identity:

    (x y)(s) = y(x(s))        the map of uv is x y, if x is the map of u and y that of v.

A subgroup is a set of elements that is a group under this product; its identity is an idempotent.
An element x lies in a subgroup exactly if it permutes its own image, and two such elements lie in
the same one exactly if they have the same image and the same kernel (which states go together); the
idempotent with that image and kernel is its identity.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import LanguageError
from lengthwise.languages.moore_machine import MooreMachine

if TYPE_CHECKING:
    from lengthwise.languages.subgroups import Subgroup

Integers = NDArray[np.int32]

MAX_ELEMENTS = 10_000
"""Largest number of elements of a transition monoid, unless the caller sets another."""

MAX_ENTRIES = 200_000_000
"""Largest number of entries of all state maps, elements times states: 800 MB."""

MAX_TABLE = 5_000
"""Largest number of elements of a monoid whose product table is built: 100 MB."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Monoid:
    """The transition monoid of an automaton; element 0 is the identity, the map of the empty word.

    `maps[element, state]` is the state that `state` goes to; `right[element, symbol]` is the
    product of `element` and the generator of `symbol` (the right Cayley graph). Elements are
    numbered in the order of their shortest, first words.
    """

    alphabet: tuple[str, ...]
    maps: Integers
    right: Integers

    @property
    def size(self) -> int:
        """Number of elements."""
        return len(self.maps)

    @property
    def generators(self) -> tuple[int, ...]:
        """The element of each symbol."""
        return tuple(self.right[0].tolist())

    @cached_property
    def elements(self) -> tuple[tuple[int, ...], ...]:
        """The state maps as tuples of integers."""
        return tuple(map(tuple, self.maps.tolist()))

    @cached_property
    def words(self) -> tuple[tuple[int, ...], ...]:
        """The first of the shortest words of each element."""
        words: list[tuple[int, ...]] = [()] * self.size
        for element, (parent, symbol) in enumerate(self.parents[1:], start=1):
            words[element] = (*words[parent], symbol)
        return tuple(words)

    @cached_property
    def table(self) -> Integers:
        """The product table: `table[x, y]` is the element xy, x acting first.

        The column of y = y' a follows from that of y' in one step of the Cayley graph, for all x at
        once.

        Raises:
            LanguageError: the monoid has more than `MAX_TABLE` elements.
        """
        if self.size > MAX_TABLE:
            raise LanguageError(
                f"a product table is made for at most {MAX_TABLE} elements, but this monoid has "
                f"{self.size}. Use product(x, y) for single products."
            )
        columns = np.empty((self.size, self.size), dtype=np.int32)
        columns[0] = np.arange(self.size)
        for element, (parent, symbol) in enumerate(self.parents[1:], start=1):
            columns[element] = self.right[columns[parent], symbol]
        return columns.T

    def product(self, x: int, y: int) -> int:
        """Return the product xy: x acts first, then y."""
        return self.element(self.words[y], x)

    def element(self, word: Iterable[int], start: int = 0) -> int:
        """Return the element of a word, or, with `start`, the product of that element and the
        word's.
        """
        current = start
        for symbol in word:
            current = int(self.right[current, symbol])
        return current

    @cached_property
    def is_group(self) -> bool:
        """Whether every element has an inverse: all generators permute the states."""
        states = np.arange(self.maps.shape[1])
        generators = self.maps[list(self.generators)]
        return bool((np.sort(generators, axis=1) == states).all())

    @cached_property
    def is_aperiodic(self) -> bool:
        """Whether all subgroups are trivial: the language is star-free (Schützenberger, 1965)."""
        twice = np.take_along_axis(self.maps, self.maps, axis=1)
        return bool((self.maps == twice).all(axis=1)[self.in_subgroup].all())

    @cached_property
    def is_solvable(self) -> bool:
        """Whether every subgroup is solvable: its derived series ends in the trivial group."""
        return self.unsolvable is None

    @cached_property
    def unsolvable(self) -> "Subgroup | None":
        """A subgroup that equals its commutator subgroup and is not trivial, or None."""
        cores = (group.perfect_core() for group in self._subgroups())
        return next((core for core in cores if len(core.elements) > 1), None)

    def _subgroups(self) -> "Iterator[Subgroup]":
        """Yield the maximal subgroups that are large enough not to be solvable."""
        from lengthwise.languages.subgroups import (  # noqa: PLC0415  of this question alone
            SMALLEST_UNSOLVABLE,
            Subgroup,
        )

        members: dict[tuple[bytes, bytes], list[int]] = {}
        if self.is_group:
            members[b"", b""] = list(range(self.size))
        for element in [] if self.is_group else np.flatnonzero(self.in_subgroup).tolist():
            image, firsts, inverse = np.unique(
                self.maps[element], return_index=True, return_inverse=True
            )
            kernel = firsts[inverse.reshape(-1)]
            members.setdefault((image.tobytes(), kernel.tobytes()), []).append(element)
        for elements in members.values():
            if len(elements) >= SMALLEST_UNSOLVABLE:
                maps = self.maps[elements]
                twice = np.take_along_axis(maps, maps, axis=1)
                identity = elements[int(np.flatnonzero((maps == twice).all(axis=1))[0])]
                yield Subgroup(
                    right=self.right, words=self.words, identity=identity, elements=tuple(elements)
                )

    @cached_property
    def in_subgroup(self) -> NDArray[np.bool_]:
        """Mask of the elements that permute their own image: xx has an image as large as x."""
        twice = np.take_along_axis(self.maps, self.maps, axis=1)
        return np.equal(_image_sizes(self.maps), _image_sizes(twice))

    @cached_property
    def parents(self) -> list[tuple[int, int]]:
        """The first (element, symbol) whose product is each element; meaningless for element 0."""
        _, firsts = np.unique(self.right, return_index=True)
        parents: dict[int, tuple[int, int]] = {0: (0, 0)}
        for position in firsts.tolist():
            parent, symbol = divmod(position, len(self.alphabet))
            parents.setdefault(int(self.right[parent, symbol]), (parent, symbol))
        return [parents[element] for element in range(self.size)]


def transition_monoid(language: MooreMachine, max_elements: int = MAX_ELEMENTS) -> Monoid:
    """Compute the transition monoid of the automaton as given, in the order of shortest words.

    Raises:
        LanguageError: there are more than `max_elements`, or more entries than `MAX_ENTRIES`.
    """
    steps = np.array(language.transitions, dtype=np.int32).T
    identity = np.arange(language.num_states, dtype=np.int32)
    index = {identity.tobytes(): 0}
    right = []
    for element in (elements := [identity]):
        row = []
        for product in steps[:, element]:
            key = product.tobytes()
            if key not in index:
                index[key] = len(elements)
                elements.append(product)
            row.append(index[key])
        right.append(row)
        if len(elements) > max_elements:
            raise LanguageError(
                f"the transition monoid may have at most {max_elements} elements, but this one has "
                f"more (machine: {language.num_states} states). Raise max_elements."
            )
        if len(elements) * language.num_states > MAX_ENTRIES:
            raise LanguageError(
                f"the state maps of a transition monoid may have {MAX_ENTRIES:,} entries in all, "
                f"but {len(elements):,} maps or more of {language.num_states:,} states have more. "
                f"Use a smaller language."
            )
    return Monoid(
        alphabet=language.alphabet, maps=np.stack(elements), right=np.array(right, dtype=np.int32)
    )


def syntactic_monoid(language: MooreMachine, max_elements: int = MAX_ELEMENTS) -> Monoid:
    """Compute the syntactic monoid: the transition monoid of the minimised automaton over all
    words.

    Words outside the domain count as one more class, so the domain is computed too.

    Raises:
        LanguageError: there are more than `max_elements`.
    """
    return transition_monoid(language.total().minimise(), max_elements)


def _image_sizes(maps: Integers) -> NDArray[np.int64]:
    present = np.zeros(maps.shape, dtype=np.bool_)
    np.put_along_axis(present, maps, True, axis=1)
    return np.asarray(present.sum(axis=1))
