"""Classes in equal numbers, and random orders."""

from collections import Counter

import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.languages.language import Language
from lengthwise.tasks.balance import draw_balanced_classes, draw_ranks, integers_below, place
from lengthwise.tasks.sampling import UniformSampler
from tasks.oracles import TOO_IMPROBABLE, chance_of, languages, make_generator, uniform


@given(groups=st.lists(st.integers(0, 3), max_size=20))
def test_ranks_number_each_group(groups: list[int]) -> None:
    ranks = draw_ranks(torch.tensor(groups, dtype=torch.int64), make_generator()).tolist()
    for group in set(groups):
        mine = [rank for rank, g in zip(ranks, groups, strict=True) if g == group]
        assert sorted(mine) == list(range(len(mine)))


def test_ranks_are_in_random_order() -> None:
    generator = make_generator()
    orders = Counter(
        tuple(draw_ranks(torch.zeros(3, dtype=torch.int64), generator).tolist()) for _ in range(600)
    )
    permutations = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    assert chance_of(orders, uniform(permutations)) > TOO_IMPROBABLE


@given(language=languages(), lengths=st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_classes_are_balanced_within_each_length(language: Language, lengths: list[int]) -> None:
    sampler = UniformSampler(language)
    chosen = torch.tensor([n for n in lengths if sampler.classes_at(n)], dtype=torch.int64)

    classes = draw_balanced_classes(sampler, chosen, make_generator())

    for length in set(chosen.tolist()):
        numbers = Counter(classes[chosen == length].tolist())
        present = [numbers[c] for c in sampler.classes_at(length)]
        assert sum(present) == (chosen == length).sum()
        assert max(present) - min(present) <= 1


def test_integers_below_are_uniform() -> None:
    values = integers_below(torch.full((3000,), 3), make_generator())
    seen: Counter[tuple[int, ...]] = Counter((value,) for value in values.tolist())
    assert chance_of(seen, uniform([(0,), (1,), (2,)])) > TOO_IMPROBABLE


def test_words_are_placed_at_the_right_end_of_their_rows() -> None:
    tokens = torch.full((3, 3), -1)
    place(tokens, torch.tensor([True, False, True]), torch.tensor([[1, 0], [-1, 1]]))
    assert tokens.tolist() == [[-1, 1, 0], [-1, -1, -1], [-1, -1, 1]]
