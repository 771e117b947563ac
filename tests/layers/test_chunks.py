"""The tree of integers, against cutting each word by hand."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.layers.chunks import ABSENT, ChunkLevel, Tree, depth, grow

words_of_mixed_lengths = st.lists(st.lists(st.integers(0, 2), max_size=40), min_size=1, max_size=8)
Nested = tuple["Nested | int | None", ...]


def right_aligned(words: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(len(word) for word in words)
    rows = [[ABSENT] * (longest - len(word)) + word for word in words]
    return torch.tensor(rows, dtype=torch.long).view(len(words), longest), torch.tensor(
        [len(word) for word in words]
    )


def by_hand(word: list[int], chunk_size: int) -> Nested:
    """The nested chunks of a word, cut from the right until one is left."""
    row: list[Nested | int | None] = list(word)
    while True:
        row = [None] * (max(1, math.ceil(len(row) / chunk_size)) * chunk_size - len(row)) + row
        row = [tuple(row[i : i + chunk_size]) for i in range(0, len(row), chunk_size)]
        if len(row) == 1:
            assert isinstance(row[0], tuple)
            return row[0]


def unfold(tree: Tree, word: int) -> Nested:
    """The nested chunks that a tree holds for one of its words."""

    def node(level: int, index: int) -> Nested:
        children = tree.levels[level].children[index].tolist()
        if level == 0:
            return tuple(None if child == ABSENT else child for child in children)
        return tuple(None if child == ABSENT else node(level - 1, child) for child in children)

    return node(int(tree.root_level[word]), int(tree.root[word]))


@given(words=words_of_mixed_lengths, chunk_size=st.integers(2, 5), share=st.booleans())
def test_each_word_is_cut_as_by_hand(words: list[list[int]], chunk_size: int, share: bool) -> None:
    tokens, lengths = right_aligned(words)

    tree = grow(tokens, lengths, 3, chunk_size, share=share)

    assert [unfold(tree, i) for i in range(len(words))] == [by_hand(w, chunk_size) for w in words]


@given(words=words_of_mixed_lengths, chunk_size=st.integers(2, 5))
def test_nodes_of_a_level_are_distinct_and_all_are_needed(
    words: list[list[int]], chunk_size: int
) -> None:
    tokens, lengths = right_aligned(words)

    tree = grow(tokens, lengths, 3, chunk_size)

    for level in tree.levels:
        assert len(torch.unique(level.children, dim=0)) == len(level.children)
        assert set(level.positions[level.positions >= 0].tolist()) == set(
            range(len(level.children))
        )


@given(length=st.integers(0, 300), chunk_size=st.integers(2, 7))
def test_depth_is_the_rounded_up_logarithm(length: int, chunk_size: int) -> None:
    levels = depth(length, chunk_size)

    assert chunk_size**levels >= length
    assert levels == 1 or chunk_size ** (levels - 1) < length


def test_depth_is_counted_in_integers_where_floats_round_up() -> None:
    assert math.ceil(math.log(125, 5)) == 4
    assert depth(125, 5) == 3


def test_the_order_of_symbols_in_large_alphabets_is_kept_where_keys_would_overflow() -> None:
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(100_000, (50, 60), generator=generator)

    tree = grow(tokens, None, 100_000, 5)

    assert [unfold(tree, i) for i in range(50)] == [by_hand(w, 5) for w in tokens.tolist()]


def test_nodes_that_are_merged_stand_for_each_other_on_the_level_above() -> None:
    def by_last_child(level: ChunkLevel) -> torch.Tensor:
        return torch.unique(level.children[:, -1], return_inverse=True)[1]

    tokens = torch.tensor([[0, 1, 1, 1], [1, 1, 0, 1]])

    tree = grow(tokens, None, 2, 2, merge=by_last_child)

    assert tree.levels[0].children.tolist() == [[0, 1], [1, 1]]
    assert tree.levels[1].children.tolist() == [[0, 0]]
