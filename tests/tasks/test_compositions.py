"""Sub-words put together from what they do: each is what it says, and the rare are not rare."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.tasks.compositions import Composed, Compositions
from strategies import machines, machines_with_domain

Word = tuple[int, ...]


def draw(language: Language, chunk_size: int, most: int, per_level: int, seed: int = 0) -> Composed:
    made = Compositions(language, chunk_size, most, per_level)
    return made.draw(torch.Generator().manual_seed(seed))


def words_of(composed: Composed, num_symbols: int) -> list[list[Word]]:
    """The sub-word of every node, level by level, put together from its children."""
    below: list[Word] = [(symbol,) for symbol in range(num_symbols)]
    levels = []
    for children in composed.levels:
        below = [tuple(s for c in row if c >= 0 for s in below[c]) for row in children.tolist()]
        levels.append(below)
    return levels


def edges_of(composed: Composed) -> list[list[bool]]:
    sizes = [len(children) for children in composed.levels]
    assert sum(sizes) == len(composed.maps) == len(composed.at_edge)
    return [part.tolist() for part in torch.split(composed.at_edge, sizes)]


def leads_in(machine: Language, num_classes: int, state: int, width: int) -> bool:
    """Whether some multiple of `width` symbols leads from a state into the domain."""
    states = {state}
    for count in range(width * machine.num_states):
        if count % width == 0 and any(machine.classes[s] < num_classes for s in states):
            return True
        states = {target for s in states for target in machine.transitions[s]}
    return False


@given(
    language=st.one_of(machines(max_states=4), machines_with_domain()),
    chunk_size=st.integers(2, 3),
    most=st.integers(1, 30),
    per_level=st.integers(4, 60),
    seed=st.integers(0, 5),
)
def test_every_node_is_what_its_sub_word_is(
    language: Language, chunk_size: int, most: int, per_level: int, seed: int
) -> None:
    """State map, length, place and alignment, from the word that its parts spell."""
    composed = draw(language, chunk_size, most, per_level, seed)
    machine = language.total().minimise()
    maps = iter(composed.maps.tolist())
    every = zip(words_of(composed, language.num_symbols), edges_of(composed), strict=True)
    for number, (words, edges) in enumerate(every, start=1):
        width = chunk_size**number
        assert edges == sorted(edges)  # interior nodes first
        for word, at_edge, row in zip(words, edges, composed.levels[number - 1], strict=True):
            map_ = next(maps)
            children = row.tolist()
            absent = children.count(-1)
            assert children[:absent] == [-1] * absent
            assert len(word) <= max(most, 1)
            if at_edge:
                state = machine.run(word)
                assert map_[machine.start] == state
                assert len(word) <= width
                empty = number == 1 and word == ()
                assert absent < chunk_size or empty
                assert empty or leads_in(machine, language.num_classes, state, width)
            else:
                assert map_ == [machine.run(word, s) for s in range(machine.num_states)]
                assert len(word) == width
                assert any(leads_in(machine, language.num_classes, s, width) for s in map_)


@given(
    language=st.one_of(machines(max_states=4), machines_with_domain()), chunk_size=st.integers(2, 3)
)
def test_children_are_nodes_of_their_kind(language: Language, chunk_size: int) -> None:
    """The first child of an edge node is at the edge itself; all others are interior."""
    composed = draw(language, chunk_size, 30, 24)
    edges = edges_of(composed)
    for number, children in enumerate(composed.levels):
        if number == 0:
            assert children.max() < language.num_symbols
            continue
        below = edges[number - 1]
        for row, at_edge in zip(children.tolist(), edges[number], strict=True):
            present = [child for child in row if child >= 0]
            kinds = [below[child] for child in present]
            assert kinds == [at_edge] + [False] * (len(kinds) - 1)


@pytest.mark.parametrize("most", [1, 2, 3, 7, 8, 9, 20, 64])
@pytest.mark.parametrize("chunk_size", [2, 3])
def test_all_levels_of_words_of_that_length_are_there(chunk_size: int, most: int) -> None:
    """Where there is no domain: the longest word's levels, the empty word, and full lengths."""
    longest = 0
    for seed in range(20):
        composed = draw(parse("parity"), chunk_size, most, 40, seed)
        levels = words_of(composed, 2)
        assert (
            chunk_size ** (len(levels) - 1) < max(most, 2) <= chunk_size ** len(levels)
            or most <= chunk_size
        )
        assert levels[0].count(()) == 1
        assert all(word for words in levels[1:] for word in words)
        every = zip(levels, edges_of(composed), strict=True)
        for number, (words, at_edge) in enumerate(every, start=1):
            interior = [word for word, edge in zip(words, at_edge, strict=True) if not edge]
            assert bool(interior) == (chunk_size**number <= most)
        longest = max(longest, *map(len, levels[-1]))
    assert longest > 0.7 * most


def rare(chance: int) -> Language:
    """A cyclic group of that order: after a few levels, some elements are met rarely by chance."""
    turn = tuple((state + 1) % chance for state in range(chance))
    return Language(
        alphabet=("stay", "turn"),
        transitions=tuple((state, turn[state]) for state in range(chance)),
        classes=tuple(int(state == 0) for state in range(chance)),
    )


def test_what_is_rare_in_random_words_is_drawn_as_often_as_the_rest() -> None:
    """Modulo 16, half of all random words of 16 symbols are within 2 of 8; here none are."""
    language = rare(16)
    composed = draw(language, 2, 64, 6000)
    counts = []
    maps = iter(composed.maps.tolist())
    for number, edges in enumerate(edges_of(composed), start=1):
        seen = Counter(next(maps)[0] for _ in edges)
        counts.append(seen)
        if number < 6:
            continue
        assert set(seen) == set(range(16))
        expected = sum(seen.values()) / 16
        assert all(abs(count - expected) < 6 * expected**0.5 for count in seen.values())


def test_every_product_of_the_monoid_is_met_at_the_level_where_it_first_can_be() -> None:
    """D-2 has products that one random word in thousands has; all are drawn at once."""
    language = parse("d-2")
    machine = language.minimise()
    composed = draw(language, 2, 32, 400)
    maps = iter(composed.maps.tolist())
    possible = {tuple(machine.run((a,), s) for s in range(machine.num_states)) for a in range(2)}
    for edges in edges_of(composed):
        possible = {tuple(y[s] for s in x) for x, y in product(possible, repeat=2)}
        seen = {
            tuple(map_)
            for map_, edge in zip((next(maps) for _ in edges), edges, strict=True)
            if not edge
        }
        assert seen == possible


def test_pairs_of_kinds_are_equally_likely() -> None:
    """It is the tuple of what the children do that is uniform, whatever number does it."""
    language = rare(5)
    composed = draw(language, 2, 4, 5000)
    first, second = composed.levels
    sizes = [len(first), len(second)]
    does = [part[:, 0] for part in torch.split(composed.maps, sizes)]
    inner = second[~torch.split(composed.at_edge, sizes)[1]]
    kinds = does[0][inner]
    seen = Counter(map(tuple, kinds.tolist()))
    present = {int(k) for k in does[0][~torch.split(composed.at_edge, sizes)[0]]}
    assert set(seen) == set(product(present, repeat=2))
    assert max(seen.values()) - min(seen.values()) <= 1 or all(
        abs(count - len(inner) / len(seen)) < 6 * (len(inner) / len(seen)) ** 0.5
        for count in seen.values()
    )


def test_of_more_pairs_than_are_drawn_none_is_preferred() -> None:
    """16 kinds make 256 pairs, of which 200 are drawn at a time."""
    made = Compositions(rare(16), 2, 64, 200)
    generator = torch.Generator().manual_seed(0)
    seen: list[Counter[int]] = [Counter(), Counter()]
    for _ in range(40):
        composed = made.draw(generator)
        sizes = [len(children) for children in composed.levels]
        does = [part[:, 0] for part in torch.split(composed.maps, sizes)]
        edges = torch.split(composed.at_edge, sizes)
        inner = composed.levels[5][~edges[5]]
        assert set(does[4][~edges[4]].tolist()) == set(range(16))
        for column, counts in enumerate(seen):
            counts.update(does[4][inner[:, column]].tolist())
    for counts in seen:
        expected = sum(counts.values()) / 16
        assert expected > 400
        assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())


def test_one_seed_gives_one_draw_and_each_draw_is_new() -> None:
    made = Compositions(parse("tomita-6"), 2, 40, 30)
    generator = torch.Generator().manual_seed(7)
    first, second = made.draw(generator), made.draw(generator)
    generator = torch.Generator().manual_seed(7)
    again = Compositions(parse("tomita-6"), 2, 40, 30).draw(generator)
    for a, b in zip(first.levels, again.levels, strict=True):
        assert torch.equal(a, b)
    assert torch.equal(first.maps, again.maps)
    assert not all(
        a.shape == b.shape and torch.equal(a, b)
        for a, b in zip(first.levels, second.levels, strict=True)
    )
    torch.manual_seed(1)
    np.random.seed(1)  # the global ones must not matter
    generator = torch.Generator().manual_seed(7)
    assert torch.equal(made.draw(generator).maps, first.maps)


def test_with_a_domain_of_few_lengths_nothing_else_is_drawn() -> None:
    language = replace(parse("parity"), domain=parse("regex:(0|1)(0|1)(0|1)", alphabet="01"))
    composed = draw(language, 2, 40, 100)
    machine = language.total().minimise()
    for number, (words, edges) in enumerate(
        zip(words_of(composed, 2), edges_of(composed), strict=True), start=1
    ):
        for word, at_edge in zip(words, edges, strict=True):
            assert len(word) <= 3
            if at_edge and word:
                assert leads_in(machine, 2, machine.run(word), 2**number)
