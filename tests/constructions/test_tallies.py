"""Tallies of the network hold what their proof says, in every precision, at every length."""

import copy
import random

import pytest
import torch

from lengthwise.constructions.lookups import SHARP, build_lookups, design_lookups
from lengthwise.constructions.programs import TALLIED, Program, TallyOf
from lengthwise.constructions.tallies import MAX_SUM
from precisions import FORMATS, usable


def adding(sums: tuple[int, ...], amounts: list[int]) -> Program:
    """Symbol s adds `amounts[s]`; the class is the value of all before the last symbol."""
    terms = tuple(
        (amount, (((0, frozenset([symbol + 1])),),))
        for symbol, amount in enumerate(amounts)
        if amount
    )
    return Program(
        alphabet=tuple(map(str, range(len(amounts)))),
        memories=(TallyOf(layer=1, amounts=terms, sums=sums),),
        classes=tuple((((1, frozenset([v])),),) for v in range(len(sums))),
    )


def nearest(sums: tuple[int, ...], amounts: list[int], word: list[int]) -> list[int]:
    """The number nearest to the sum before each symbol, the smaller of two, by sorting."""
    found, total = [], 0
    for symbol in word:
        best = min(sorted(sums), key=lambda one: abs(total - one))
        found.append(sums.index(best))
        total += amounts[symbol]
    return found


def bound(sums: tuple[int, ...], amounts: list[int], length: int, seed: int) -> list[int]:
    """A random word whose sums stay between the numbers, near the ends of their range."""
    draw, word, total = random.Random(seed), [], 0
    for _ in range(length):
        fits = [s for s, a in enumerate(amounts) if min(sums) <= total + a <= max(sums)]
        # mostly upwards, so that the largest sums are often reached
        symbol = max(fits, key=amounts.__getitem__) if draw.random() < 0.6 else draw.choice(fits)
        total += amounts[symbol]
        word.append(symbol)
    return word


CASES = [
    ((0, 1), [1, -1]),
    ((0, 2, -1), [1, -1, 0]),
    ((0, *range(1, MAX_SUM + 1)), [1, -1]),
    ((0, -5, 5), [5, -5, 0]),
    ((0, *range(-MAX_SUM, 0)), [-3, 1]),
]


@pytest.mark.slow_except(
    "sums0-amounts0-bfloat16",
    "sums0-amounts0-float16",
    "sums0-amounts0-float32",
    "sums0-amounts0-float64",
    "sums1-amounts1-float32",
    "sums1-amounts1-float64",
    "sums3-amounts3-float16",
    "sums3-amounts3-float64",
)
@pytest.mark.parametrize("dtype", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize(("sums", "amounts"), CASES)
def test_tallies_are_right_at_every_length(
    sums: tuple[int, ...], amounts: list[int], dtype: torch.dtype
) -> None:
    """Words whose sums stay in range, and words whose sums leave it and may come back."""
    program, longest = adding(sums, amounts), 300
    model = build_lookups(design_lookups(program, attention=SHARP, longest=longest))
    short = copy.deepcopy(model).to(dtype)
    draw = random.Random(0)
    words = [bound(sums, amounts, longest, seed) for seed in range(2)]
    words += [[draw.randrange(len(amounts)) for _ in range(longest)] for _ in range(2)]
    words.append([0] * 150 + [1] * 150)
    with torch.no_grad():
        found = short.every_position(torch.tensor(words)).argmax(-1).tolist()
    assert found == [nearest(sums, amounts, word) for word in words]
    assert [program.run(word)[1:] for word in words] == found


def test_bits_are_exactly_zero_and_one_wherever_the_sum_is() -> None:
    """In the shortest format, and between two numbers as well."""
    sums = (0, 2, -3, 9)
    program = adding(sums, [1, -1])
    design = design_lookups(program, attention=SHARP, longest=500)
    dtype = (usable([torch.bfloat16]) or [torch.float32])[0]
    model, stream = build_lookups(design).to(dtype), design.stream
    kept: list[torch.Tensor] = []
    model.block[TALLIED - 1].register_forward_hook(lambda *given: kept.append(given[2]))
    draw = random.Random(1)
    words = [[draw.randrange(2) for _ in range(500)] for _ in range(4)]
    with torch.no_grad():
        model.every_position(torch.tensor(words))
    bits = kept[0][:, :, [stream.index(f"found 1 {v}") for v in range(1, 4)]]
    assert bool(((bits == 0) | (bits == 1)).all())
    assert bool((bits.sum(-1) <= 1).all())
    assert design.config.num_layers == 1 + TALLIED
