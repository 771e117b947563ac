"""Sub-words that are put together from what sub-words *do*, rare as often as common.

In random words most sub-words do the same few things, and a network that is wrong about the rest
looks right. Here a node of a level is made of C nodes of the level below whose state maps are drawn
uniformly from those that occur, so every product of the language's monoid is seen at every level.
Nodes at the left edge of a word, where the pad enters, are drawn likewise by the states that they
lead to. No sub-word is longer than `max_length`, and each occurs in some word of the domain.

Axes:
    node   nodes of all levels, level by level; in a level first interior nodes, then the edge's
    chunk  the children of a node, in the order of the word; -1 where there is none
    state  states of the minimised automaton over all words
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from lengthwise.languages.elements import Booleans, Integers, MonoidElements
from lengthwise.languages.language import Language

_ABSENT = -1


@dataclass(frozen=True, slots=True)
class Composed:
    """Nodes level by level, and what they do."""

    levels: tuple[Int[Tensor, "_ chunk"], ...]
    """Children, as nodes of the level below; symbols, for the first level."""
    maps: Int[Tensor, "node state"]
    """The state map of each node. At the edge only what becomes of the start state counts."""
    at_edge: Bool[Tensor, " node"]


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Nodes of one level: what each does (a state map or a state, by number), and its length."""

    index: Integers
    kind: Integers
    length: Integers


class Compositions:
    """Draws nodes of all levels up to `max_length` symbols; about `per_level` of a kind each.

    What is drawn depends on the generator and on the order in which products were met before.
    """

    def __init__(
        self, language: Language, chunk_size: int, max_length: int, per_level: int
    ) -> None:
        self._elements = MonoidElements(language)
        self._chunk_size = chunk_size
        self._max_length = max_length
        self._per_level = per_level

    @property
    def met(self) -> Int[Tensor, "element state"]:
        """The state maps met so far, in order."""
        return torch.from_numpy(self._elements.maps)

    def meet(self, maps: Int[Tensor, "element state"]) -> None:
        """Take up state maps in the order in which another one met them, before the first draw."""
        self._elements.meet(maps.numpy())

    def draw(self, generator: torch.Generator) -> Composed:
        """Draw new nodes."""
        seed = int(torch.randint(2**62, (), generator=generator))
        random = np.random.default_rng(seed)
        chunk, elements = self._chunk_size, self._elements
        symbols = np.arange(len(elements.symbols))
        start = elements.machine.start
        states = elements.maps[elements.symbols, start]
        ones = np.ones_like(symbols)
        interior = _take(
            _Nodes(symbols, elements.symbols, ones), elements.occurs(0, chunk)[elements.symbols]
        )
        edge = _take(_Nodes(symbols, states, ones), elements.leads_in(0, chunk)[states])
        levels, maps, at_edge = [], [], []
        level = 0
        while chunk**level < self._max_length or level == 0:
            inner, interior_nodes = self._interior(interior, level, random)
            outer, edge_nodes = self._edge(edge, interior, level, random)
            if level == 0:  # the empty word
                outer = np.concatenate([outer, np.full((1, chunk), _ABSENT)])
            count = len(inner)
            levels.append(np.concatenate([inner, outer]))
            maps.append(elements.maps[interior_nodes.kind])
            edge_maps = np.zeros((len(outer), elements.maps.shape[1]), dtype=np.int64)
            edge_maps[: len(edge_nodes.kind), start] = edge_nodes.kind
            if level == 0:
                edge_maps[-1, start] = start
            maps.append(edge_maps)
            at_edge.append(np.arange(count + len(outer)) >= count)
            interior = interior_nodes
            edge = _Nodes(edge_nodes.index + count, edge_nodes.kind, edge_nodes.length)
            level += 1
        return Composed(
            levels=tuple(torch.from_numpy(children) for children in levels),
            maps=torch.from_numpy(np.concatenate(maps)),
            at_edge=torch.from_numpy(np.concatenate(at_edge)),
        )

    def _interior(
        self, below: _Nodes, level: int, random: np.random.Generator
    ) -> tuple[Integers, _Nodes]:
        chunk, elements = self._chunk_size, self._elements
        if chunk ** (level + 1) > self._max_length or not len(below.kind):
            nothing = np.zeros(0, dtype=np.int64)
            return np.zeros((0, chunk), dtype=np.int64), _Nodes(nothing, nothing, nothing)
        rows = _choose([below] * chunk, self._per_level, random)
        kind = below.kind[rows[:, 0]]
        for column in range(1, chunk):
            kind = elements.product(kind, below.kind[rows[:, column]])
        occurring = elements.occurs(level + 1, chunk)[kind]
        rows, kind = rows[occurring], kind[occurring]
        length = np.full(len(rows), chunk ** (level + 1))
        return below.index[rows], _Nodes(np.arange(len(rows)), kind, length)

    def _edge(
        self, edge: _Nodes, interior: _Nodes, level: int, random: np.random.Generator
    ) -> tuple[Integers, _Nodes]:
        chunk, elements = self._chunk_size, self._elements
        leads_in = elements.leads_in(level + 1, chunk)
        all_children, kinds, lengths = [], [], []
        for used in range(1, chunk + 1):
            if used > 1 and not len(interior.kind):
                break
            parts = [edge] + [interior] * (used - 1)
            rows = _choose(parts, self._per_level // chunk, random)
            kind = edge.kind[rows[:, 0]]
            length = edge.length[rows[:, 0]] + (used - 1) * chunk**level
            for column in range(1, used):
                kind = elements.maps[interior.kind[rows[:, column]], kind]
            possible = leads_in[kind] & (length <= self._max_length)
            children = np.full((len(rows), chunk), _ABSENT)
            for column, part in enumerate(parts):
                children[:, chunk - used + column] = part.index[rows[:, column]]
            all_children.append(children[possible])
            kinds.append(kind[possible])
            lengths.append(length[possible])
        kind = np.concatenate(kinds)
        return (
            np.concatenate(all_children),
            _Nodes(np.arange(len(kind)), kind, np.concatenate(lengths)),
        )


def _take(nodes: _Nodes, rows: Booleans) -> _Nodes:
    return _Nodes(nodes.index[rows], nodes.kind[rows], nodes.length[rows])


def _choose(parts: list[_Nodes], count: int, random: np.random.Generator) -> Integers:
    """Draw rows of each part: all tuples of kinds equally likely, or all tuples if they are few."""
    grouped = [_Groups(part.kind) for part in parts]
    sizes = [group.count for group in grouped]
    if int(np.prod([float(size) for size in sizes])) <= count:
        kinds = np.indices(sizes).reshape(len(sizes), -1).T
    else:
        kinds = np.stack([random.integers(size, size=count) for size in sizes], axis=1)
    return np.stack([g.pick(kinds[:, i], random) for i, g in enumerate(grouped)], axis=1)


class _Groups:
    """Rows by kind."""

    def __init__(self, kind: Integers) -> None:
        self._order = np.argsort(kind, kind="stable")
        _, self._first, self._size = np.unique(
            kind[self._order], return_index=True, return_counts=True
        )
        self.count = len(self._first)

    def pick(self, kinds: Integers, random: np.random.Generator) -> Integers:
        """Draw a row of each of these kinds."""
        offset = (random.random(len(kinds)) * self._size[kinds]).astype(np.int64)
        return self._order[self._first[kinds] + offset]
