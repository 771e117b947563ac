"""Counters of the network hold what their proof says, as far as it claims."""

import copy
import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.constructions.counters import COUNTS, MAX_COUNT, CounterNames
from lengthwise.constructions.lookups import SHARP, build_lookups, design_lookups
from lengthwise.constructions.programs import COUNTED, Counter, Program
from ordinary import few
from precisions import FORMATS, usable


def counting(modulus: int, amounts: list[int]) -> Program:
    """Symbol s adds `amounts[s]`; the class is the residue of all before the last symbol."""
    terms = tuple(
        (amount, (((0, frozenset([symbol + 1])),),))
        for symbol, amount in enumerate(amounts)
        if amount
    )
    return Program(
        alphabet=tuple(map(str, range(len(amounts)))),
        memories=(Counter(layer=1, modulus=modulus, amounts=terms),),
        classes=tuple((((1, frozenset([r])),),) for r in range(modulus)),
    )


def residues(modulus: int, amounts: list[int], word: list[int]) -> list[int]:
    """The residue before each symbol, by addition."""
    found, total = [], 0
    for symbol in word:
        found.append(total % modulus)
        total += amounts[symbol]
    return found


@st.composite
def sums(draw: st.DrawFn) -> tuple[int, list[int], int]:
    """A modulus, what symbols add, and the longest words for which a network is built."""
    modulus = draw(st.integers(2, 9))
    half = modulus // 2
    amounts = draw(st.lists(st.integers(-half, half), min_size=2, max_size=3).filter(any))
    return modulus, amounts, draw(st.sampled_from([1, 9, 60, 260]))


@settings(max_examples=few(4, 10))
@given(given_=sums(), seed=st.integers(0, 99))
def test_counters_are_right_in_every_precision(
    given_: tuple[int, list[int], int], seed: int
) -> None:
    modulus, amounts, longest = given_
    model = build_lookups(
        design_lookups(counting(modulus, amounts), attention=SHARP, longest=longest)
    )
    most, draw = max(map(abs, amounts)), random.Random(seed)
    for name, dtype in FORMATS.items():
        if dtype not in usable([dtype]):
            continue
        length = min(longest, 1 + COUNTS.get(name, MAX_COUNT) // most)
        # one that counts as far as it can go, in each direction, and mixed ones
        words = [[amounts.index(end)] * length for end in (max(amounts), min(amounts))]
        words += [[draw.randrange(len(amounts)) for _ in range(length)] for _ in range(6)]
        short = copy.deepcopy(model).to(dtype)  # a shorter format loses digits of the weights
        with torch.no_grad():
            found = short.every_position(torch.tensor(words)).argmax(-1).tolist()
        assert found == [residues(modulus, amounts, word) for word in words], name


@pytest.mark.needs_precision("bfloat16")
def test_bfloat16_is_wrong_past_its_claim() -> None:
    program = counting(2, [0, 1])
    model = build_lookups(design_lookups(program, attention=SHARP, longest=300))
    words = [[1] * 300]
    with torch.no_grad():
        found = model.to(torch.bfloat16).every_position(torch.tensor(words)).argmax(-1).tolist()
    assert found != [residues(2, [0, 1], words[0])]


def test_every_step_is_what_the_proof_says() -> None:
    """x, y and both digits at every position, in float32, of a word that goes up and down."""
    modulus, amounts, longest = 5, [-2, 1, 2], 400
    program = counting(modulus, amounts)
    design = design_lookups(program, attention=SHARP, longest=longest)
    model, stream = build_lookups(design).float(), design.stream
    (counter,) = program.counters
    names = CounterNames(1, longest, counter)
    draw = random.Random(0)
    word = [draw.choice([0, 0, 1, 2]) for _ in range(200)] + [draw.choice([1, 2, 2])] * 200
    tokens = torch.tensor([word])
    kept: list[torch.Tensor] = []
    for layer in model.block:
        layer.register_forward_hook(lambda *given: kept.append(given[2][0].double()))
    with torch.no_grad():
        model.every_position(tokens)
    counts, total = [0], 0
    for symbol in word:
        counts.append(total)
        total += amounts[symbol]
    k = torch.tensor(counts, dtype=torch.float64)
    y = 1 / torch.arange(len(k), dtype=torch.float64).clamp(min=1)
    count, one = (stream.index(name) for name in names.means)
    assert torch.allclose(kept[0][:, count], k * y, rtol=1e-6, atol=1e-9)
    assert torch.allclose(kept[0][:, one], y, rtol=1e-6)
    base = names.base
    assert base % modulus == 0
    rest = torch.fmod(k, base)  # of the sign of k, as the multiples are counted from 0
    assert torch.allclose(kept[1][:, count], rest * y, rtol=0, atol=1e-4)
    for c in names.steps:
        told = kept[2][:, stream.index(f"rest 1 {c}")]
        assert bool((told[rest >= c] == 0).all())
        assert bool((told[rest < c] >= y[rest < c]).all())
    for residue in range(1, modulus):
        bits = kept[3][:, stream.index(names.name_nonzero(residue))]
        assert torch.equal(bits, (k % modulus == residue).double())


def test_the_network_has_the_layers_and_the_width_that_are_told() -> None:
    """The width grows with the square root of the longest word."""
    for longest, width in ((101, 10), (901, 30), (6401, 80)):
        program = counting(2, [0, 1])
        design = design_lookups(program, attention=SHARP, longest=longest)
        assert design.config.num_layers == 1 + COUNTED
        names = CounterNames(1, longest, program.counters[0])
        assert (names.base, len(names.multiples), len(names.steps)) == (width, width, width - 1)
        assert design.config.d_model == 2 + 1 + 3 + 2 * width - 1 + 1 + 2
