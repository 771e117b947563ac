"""Walks towards a class: boundaries, and what is drawn at them."""

from collections import Counter
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.languages.language import Language
from lengthwise.tasks import uniform_walk
from lengthwise.tasks.balance import draw_balanced_classes
from lengthwise.tasks.sampling import UniformSampler
from lengthwise.tasks.uniform_walk import _decide, _error
from tasks.filled import all_are_doubtful_that_have_begun, fill
from tasks.oracles import (
    MOD_3,
    TOO_IMPROBABLE,
    chance_of,
    class_of,
    languages,
    make_generator,
    read_words,
)


@given(language=languages(), r=st.integers(1, 30))
def test_boundaries_are_as_near_to_the_exact_ones_as_claimed(language: Language, r: int) -> None:
    sampler = UniformSampler(language)
    walk = sampler._by_class
    walk._grow(r)
    bound = float(_error(np.array([r]), language.num_symbols)[0]) * 2**30
    targets = sampler.automaton.transitions.tolist()
    for goal in range(language.num_classes):
        (before,) = walk._exact_counts(goal, r - 1, r - 1)
        for state, row in enumerate(targets):
            cumulative = list(accumulate(before[target] for target in row))
            if cumulative[-1] == 0:
                continue
            key = (goal * len(targets) + state) * len(row)
            found = walk._look_up(r, np.array([key]))[0].tolist()
            for c, boundary in zip(cumulative, found, strict=True):
                exact = Fraction(c * 2**30, cumulative[-1])
                assert boundary - bound <= exact <= boundary + 1 + bound


@pytest.mark.slow_except("2097152-0", "2097152-33554432")
@pytest.mark.parametrize("table", [0, 2**25])
@pytest.mark.parametrize("block", [7, 2**21])
@given(language=languages(), lengths=st.lists(st.integers(0, 60), min_size=1, max_size=9))
def test_floating_point_and_exact_integers_draw_the_same_words(
    language: Language, lengths: list[int], table: int, block: int
) -> None:
    """With 30 bits nothing is doubtful here, so that both ways see the same random numbers."""
    sampler = UniformSampler(language)
    chosen = torch.tensor([n for n in lengths if sampler.classes_at(n)], dtype=torch.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uniform_walk, "_MAX_TABLE", table)
        patch.setattr(uniform_walk, "_BLOCK", block)
        classes = draw_balanced_classes(sampler, chosen, make_generator(1))
        drawn = sampler.draw(classes, chosen, make_generator())
        patch.setattr(sampler._by_class, "_doubtful", all_are_doubtful_that_have_begun(chosen))
        exactly = sampler.draw(classes, chosen, make_generator())

    assert drawn.equal(exactly)
    assert [len(word) for word in read_words(drawn)] == chosen.tolist()
    assert [class_of(language, word) for word in read_words(drawn)] == classes.tolist()


def test_few_bits_do_not_decide_alone() -> None:
    """With one bit, three equal classes of words could not come equally often."""
    sampler, generator = UniformSampler(MOD_3, bits=1), make_generator()
    seen: Counter[tuple[int, ...]] = Counter()
    seen.update(read_words(sampler.draw_any(fill(1, 3000), generator)))

    assert chance_of(seen, {(0,): 1 / 3, (1,): 1 / 3, (2,): 1 / 3}) > TOO_IMPROBABLE


@given(
    steps=st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any),
    chance=st.integers(0, 2**40 - 1),
)
def test_a_number_decides_for_the_symbol_it_lies_at(steps: list[int], chance: int) -> None:
    cumulative = list(accumulate(steps))
    point = Fraction(chance, 2**40)

    symbol = _decide(cumulative, chance, 40, make_generator())

    below = sum(Fraction(c, cumulative[-1]) <= point for c in cumulative)
    above = sum(Fraction(c, cumulative[-1]) < point + Fraction(1, 2**40) for c in cumulative)
    assert below <= symbol <= above
    assert steps[symbol] > 0
