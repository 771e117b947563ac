"""Every chunk that occurs, up to a length or in words of all lengths, with a code for each result.

A node in the interior stands for a state map. At the left edge of a word it stands for a state map,
too, while no pad is in it, and after that only for the state that it ends in, since what came
before is known. Its code is the coordinates (`languages.symmetries`) of that map, as far as they
differ at all; where only a state is known, only the start state's image is given.

With codes, what is made of a chunk depends on nothing but the codes of its parts, so one table says
all of it, whatever the level.

Axes:
    first    chunks of symbols
    row      chunks of meanings
    chunk    the parts of a chunk, in the order of the word; -1 where there is none
    meaning  all that nodes can stand for
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from lengthwise.errors import ConfigError
from lengthwise.languages.distinct_rows import distinct_rows
from lengthwise.languages.elements import Integers, MonoidElements
from lengthwise.languages.language import Language
from lengthwise.languages.symmetries import bit_coordinates
from lengthwise.tasks.state_maps import IGNORED

MAX_CHUNKS = 1_000_000
"""Chunks of one level at most."""

_ABSENT = -1


@dataclass(frozen=True, slots=True)
class StateCodebook:
    """The table that is to be learned."""

    symbols: Int[Tensor, "first chunk"]
    """The chunks of symbols."""
    symbol_results: Int[Tensor, " first"]
    parts: Int[Tensor, "row chunk"]
    """The chunks of meanings."""
    results: Int[Tensor, " row"]
    codes: Bool[Tensor, "meaning bit"]
    classes: Int[Tensor, " meaning"]
    """The class of each meaning as a word of its own; `IGNORED` outside the domain."""

    @property
    def num_bits(self) -> int:
        """Bits of a code."""
        return self.codes.shape[1]


@lru_cache(maxsize=8)
def make_codebook(language: Language, chunk_size: int, max_length: int | None) -> StateCodebook:
    """Return the table of all chunks in words of at most `max_length` symbols of the domain.

    With None, it is the table of the chunks in words of every length: levels are built until one
    repeats an earlier one, after which nothing new can occur.

    Raises:
        ConfigError: there are more than `MAX_CHUNKS` of a level.
        LanguageError: sub-words have too many state maps.
    """
    elements = MonoidElements(language)
    start = elements.machine.start
    num_states = elements.machine.num_states
    first, *rest = _chunks(elements, chunk_size, max_length)
    first = distinct_rows(first).rows
    above = distinct_rows(
        np.concatenate([np.empty((0, chunk_size + 1), dtype=np.int64), *rest])
    ).rows
    meanings = np.unique(np.concatenate([first[:, -1], above[above != _ABSENT]]))
    maps = np.full((len(meanings), num_states), -1)
    is_state = meanings % 2 == 1
    maps[is_state, start] = meanings[is_state] // 2
    maps[~is_state] = elements.maps[meanings[~is_state] // 2]
    alive = elements.leads_in(0, 1)
    bits = bit_coordinates(elements.machine).bits(np.where(alive[maps] & (maps >= 0), maps, -1))
    bits = np.unique(bits[:, bits.any(axis=0) & ~bits.all(axis=0)], axis=1)
    if not bits.shape[1]:  # nothing to remember
        bits = np.ones((len(meanings), 1), dtype=np.bool_)
    classes = elements.classes[maps[:, start]]
    classes[classes >= elements.num_classes] = IGNORED
    numbered = np.where(above == _ABSENT, _ABSENT, np.searchsorted(meanings, above))
    return StateCodebook(
        symbols=torch.from_numpy(first[:, :-1].copy()),
        symbol_results=torch.from_numpy(np.searchsorted(meanings, first[:, -1])),
        parts=torch.from_numpy(numbered[:, :-1].copy()),
        results=torch.from_numpy(numbered[:, -1].copy()),
        codes=torch.from_numpy(bits),
        classes=torch.from_numpy(classes),
    )


@dataclass(frozen=True, slots=True)
class _Edge:
    """Nodes at the left edge: parts, their meanings, and the length of the shortest of each.

    A meaning is twice the number of a state map, or of a state and one more.
    """

    parts: Integers
    meanings: Integers
    lengths: Integers


def _chunks(elements: MonoidElements, chunk_size: int, max_length: int | None) -> list[Integers]:
    """Return the chunks of every level: the parts (symbols, at first), then the meaning of all.

    As in a tree, those of a level are made of what occurs at the level below. What occurs at a
    level follows from what occurs at the level below and from which states its number of symbols
    connects, so without a greatest length the levels end where both have been there before.
    """
    longest = math.inf if max_length is None else max_length
    start = elements.machine.start
    symbols = np.arange(len(elements.symbols))
    inner = symbols[elements.occurs(0, chunk_size)[elements.symbols]]
    outer = symbols[elements.leads_in(0, chunk_size)[elements.maps[elements.symbols, start]]]
    interior, interior_meanings = inner, 2 * elements.symbols[inner]
    edge = _Edge(outer, 2 * elements.symbols[outer], np.ones_like(outer))
    levels: list[Integers] = []
    seen: set[tuple[bytes, ...]] = set()
    while chunk_size ** len(levels) < longest or not levels:
        level = len(levels)
        if max_length is None and level:
            connected = elements.steps(level, chunk_size).tobytes()
            key = (interior.tobytes(), edge.meanings.tobytes(), connected)
            if key in seen:
                break
            seen.add(key)
        leads_in = elements.leads_in(level + 1, chunk_size)
        chunks, edges_found = [], []
        above = np.empty(0, dtype=np.int64)
        if chunk_size ** (level + 1) <= longest:
            rows = _grid([len(interior)] * chunk_size)
            meaning = _product(elements, [interior_meanings[rows[:, i]] for i in range(chunk_size)])
            occurring = elements.occurs(level + 1, chunk_size)[meaning // 2]
            chunks.append(
                np.concatenate([interior[rows[occurring]], meaning[occurring, None]], axis=1)
            )
            above = np.unique(meaning[occurring])
        for used in range(1, chunk_size + 1):
            rows = _grid([len(edge.parts)] + [len(interior)] * (used - 1))
            columns = [interior_meanings[rows[:, i]] for i in range(1, used)]
            meaning = _product(elements, [edge.meanings[rows[:, 0]], *columns])
            state = _state(elements, meaning)
            if used < chunk_size:
                meaning = 2 * state + 1
            length = edge.lengths[rows[:, 0]]
            if max_length is not None:  # of no length is a bound needed
                length = length + (used - 1) * chunk_size**level
            occurring = leads_in[state] & (length <= longest)
            parts = np.full((int(occurring.sum()), chunk_size + 1), _ABSENT)
            parts[:, chunk_size - used] = edge.parts[rows[occurring, 0]]
            parts[:, chunk_size - used + 1 : -1] = interior[rows[occurring, 1:]]
            parts[:, -1] = meaning[occurring]
            chunks.append(parts)
            edges_found.append(np.stack([meaning[occurring], length[occurring]], axis=1))
        if not level:
            chunks.append(np.array([[_ABSENT] * chunk_size + [2 * start + 1]]))
        levels.append(np.concatenate(chunks))
        interior = interior_meanings = above
        edges = distinct_rows(np.concatenate(edges_found)).rows  # of a meaning, the shortest first
        meanings, row = np.unique(edges[:, 0], return_index=True)
        edge = _Edge(meanings, meanings, edges[row, 1])
    return levels


def _product(elements: MonoidElements, meanings: list[Integers]) -> Integers:
    """Return the meaning of sub-words put together; only the first can be a state."""
    product_so_far = meanings[0]
    for part in meanings[1:]:
        is_state = product_so_far % 2 == 1
        product = np.empty_like(product_so_far)
        product[is_state] = (
            2 * elements.maps[part[is_state] // 2, product_so_far[is_state] // 2] + 1
        )
        product[~is_state] = 2 * elements.product(
            product_so_far[~is_state] // 2, part[~is_state] // 2
        )
        product_so_far = product
    return product_so_far


def _state(elements: MonoidElements, meanings: Integers) -> Integers:
    """Return the state that the start state goes to."""
    is_state = meanings % 2 == 1
    state = meanings // 2
    state[~is_state] = elements.maps[state[~is_state], elements.machine.start]
    return state


def _grid(sizes: list[int]) -> Integers:
    if np.prod([float(size) for size in sizes]) > MAX_CHUNKS:
        raise ConfigError(
            f"objective='codebook' has at most {MAX_CHUNKS:,} chunks of a level, but there are "
            f"{' x '.join(f'{size:,}' for size in sizes)}. Use objective='composition', or "
            f"chunk_size=2."
        )
    return np.indices(sizes).reshape(len(sizes), -1).T
