"""Images of points as whole numbers, against the automaton and against the other encodings."""

import contextlib
import random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.api import compile
from lengthwise.constructions.automata import MAX_PARAMETERS, build, design_automaton
from lengthwise.constructions.images import ImageEncoding
from lengthwise.constructions.subword_encodings import ENCODINGS
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.evaluation.predict import right_aligned
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT
from ordinary import few
from precisions import usable
from strategies import all_words, machines

FORMATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


@torch.no_grad()
def wrong(model: RegularGPT, language: Language, words: list[tuple[int, ...]]) -> int:
    """The number of words whose answer is not their class."""
    tokens, lengths = right_aligned(words)
    found = model(tokens, lengths).argmax(dim=1).tolist()
    return sum(a != language.classes[language.run(w)] for a, w in zip(found, words, strict=True))


def long_words(language: Language, seed: int, longest: int = 1_000) -> list[tuple[int, ...]]:
    draw = random.Random(seed)
    lengths = [draw.randint(9, longest) for _ in range(12)]
    return [tuple(draw.randrange(language.num_symbols) for _ in range(n)) for n in lengths]


def random_machine(states: int, symbols: int, seed: int) -> Language:
    """A random automaton with two classes, all of whose states are needed."""
    draw = random.Random(seed)
    while True:
        rows = [tuple(draw.randrange(states) for _ in range(symbols)) for _ in range(states)]
        machine = Language(
            alphabet=tuple("abcd"[:symbols]),
            transitions=tuple(rows),
            classes=tuple(draw.randrange(2) for _ in range(states)),
        )
        if machine.minimise().num_states == states:
            return machine


@settings(max_examples=few(3))
@given(language=machines(max_states=7), chunk_size=st.integers(2, 4), seed=st.integers(0, 99))
def test_every_word_gets_its_class_in_every_precision(
    language: Language, chunk_size: int, seed: int
) -> None:
    model = build(design_automaton(language, chunk_size=chunk_size, target="images"))
    words = all_words(language, 8) + long_words(language, seed)
    assert wrong(model, language, words) == 0
    for precision in usable(FORMATS[1:]):
        assert wrong(model.to(precision), language, words[-200:]) == 0


@settings(max_examples=few(6))
@given(language=machines(max_states=5), chunk_size=st.integers(2, 3))
def test_products_are_those_of_the_maps(language: Language, chunk_size: int) -> None:
    """Any maps that words have, as children of a node, and not only where a tree puts them."""
    encoding = ImageEncoding(language, chunk_size, MAX_PARAMETERS)
    model = build(design_automaton(language, chunk_size=chunk_size, target="images"))
    steps = encoding.steps
    maps = [np.arange(len(steps))]
    for _ in range(5):
        for symbol in range(language.num_symbols):
            maps.append(steps[maps[-1], symbol])
    draw = random.Random(chunk_size)
    children = torch.tensor([draw.choices(range(len(maps)), k=chunk_size) for _ in range(40)])
    below = torch.zeros(len(maps), model.config.d_model, dtype=torch.float64)
    for row, images in enumerate(maps):
        below[row, : encoding.size] = torch.from_numpy(encoding.vector(images))
    with torch.no_grad():
        found = model.compose(below, children).numpy()
    for row, chosen in zip(found, children.tolist(), strict=True):
        product = np.arange(len(steps))
        for child in chosen:
            product = maps[child][product]
        assert (row[: encoding.size] == encoding.vector(product)).all()
        assert (row[encoding.size :] == 0).all()


@settings(max_examples=few(6))
@given(language=machines(max_states=5), chunk_size=st.integers(2, 3))
def test_nothing_is_larger_than_before(language: Language, chunk_size: int) -> None:
    before = []
    for name in ("matrices", "elements"):
        with contextlib.suppress(ConstructionError, LanguageError):  # too large
            before.append(design_automaton(language, chunk_size=chunk_size, target=name))
    now = design_automaton(language, chunk_size=chunk_size)
    assert all(now.num_parameters <= old.num_parameters for old in before)
    words = all_words(language, 6)
    for design in before:
        if design.num_parameters < 30_000:  # the same answers
            assert wrong(build(design), language, words) == 0
    assert wrong(build(now), language, words) == 0


@pytest.mark.parametrize("spec", ["modular-arithmetic", "modular-arithmetic-left-to-right"])
def test_words_of_a_domain_get_their_class(spec: str) -> None:
    language = parse(spec)
    model = build(design_automaton(language, target="images")).float()
    draw = random.Random(0)
    texts = [
        "".join(draw.choice("+-*" if n else "+") + draw.choice("01234") for n in range(length))
        for length in [1, 2, 3, 4, 5, 6, 7, 8, 50, 501] * 20
    ]
    assert wrong(model, language, [language.encode(text) for text in texts]) == 0


@pytest.mark.slow_except("d-12-13888", "modular-arithmetic-302807")
@pytest.mark.parametrize(
    ("spec", "parameters"),
    [("group:S5", 3_572), ("group:Z60", 8_822), ("d-12", 13_888), ("modular-arithmetic", 302_807)],
)
def test_parameters_follow_the_coordinates(spec: str, parameters: int) -> None:
    assert design_automaton(parse(spec)).num_parameters == parameters


@pytest.mark.slow
def test_an_automaton_with_millions_of_elements_compiles() -> None:
    """Any map of 8 states is the map of a word: 16,777,216 elements, of which none is numbered."""
    swap, cycle, merge = (1, 0, *range(2, 8)), (*range(1, 8), 0), (0, 0, *range(2, 8))
    language = Language(
        alphabet=tuple("abc"),
        transitions=tuple(zip(swap, cycle, merge, strict=True)),
        classes=(0, 1, 0, 0, 1, 1, 0, 1),
    )
    made = compile(language, target="images")
    assert made.num_parameters < 4_000
    assert made.settings["target"] == "images"
    found = made.verify(longest=300, words_per_length=2)
    assert found.holds
    assert all(one.skipped or one.is_whole for one in found.precisions.values())


@pytest.mark.slow
def test_a_planted_fault_is_caught() -> None:
    """Every unit that multiplies is needed: without it, some word of the verification is wrong."""
    language = random_machine(5, 2, seed=3)
    made = compile(language, target="images")
    model = made.model
    assert isinstance(model, RegularGPT)
    contract, width = model.block[0].contract.weight, model.config.d_model
    units = [u for u in range(width, contract.shape[1]) if contract[:, u].any()]
    noticed = 0
    for unit in units:
        kept = contract[:, unit].clone()
        with torch.no_grad():
            contract[:, unit] = 0
        words = all_words(language, 9)
        noticed += wrong(model, language, words) > 0
        with torch.no_grad():
            contract[:, unit] = kept
    assert noticed == len(units)
    assert made.verify(longest=20, words_per_length=1).holds
    with torch.no_grad():
        contract[0, units[0]] += 2**-6
    found = made.verify(longest=20, words_per_length=1)
    assert found.precisions["float64"].is_whole is False
    assert found.holds is False


def test_only_the_claim_of_whole_numbers_says_so() -> None:
    matrices = compile("tomita-4", target="matrices").compiled
    assert set(matrices.claim) == {"text", "source", "range", "required_margin", "is_binary"}
    assert matrices.claim["is_binary"] is True
    assert compile("tomita-4", target="images").compiled.claim["is_whole"] is True


def test_numbers_that_bfloat16_does_not_hold_are_refused() -> None:
    with pytest.raises(LanguageError, match=r"no numbering of 23 states .* at most 256"):
        ENCODINGS["images"](parse("group:Z23"), 2, MAX_PARAMETERS)
