"""The scan gives every prefix the class of its automaton, exactly."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.scan import build_scan, design_scan
from lengthwise.constructions.subword_encodings import ENCODINGS
from lengthwise.constructions.verify import verify_construction
from lengthwise.errors import ConfigError, ConstructionError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.looped_recogniser import LoopedRecogniser, LoopedRecogniserConfig
from lengthwise.models.universal import log_depth
from ordinary import few
from precisions import usable
from strategies import machines, machines_with_domain

FORMATS = [torch.float64, torch.float32, torch.bfloat16, torch.float16]


def draw(language: Language, length: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(language.num_symbols, (4, length), generator=generator)


def right(language: Language, words: Tensor) -> list[list[int]]:
    """The class after every prefix, symbol by symbol."""
    found = []
    for word in words.tolist():
        state, classes = language.start, []
        for symbol in word:
            state = language.transitions[state][symbol]
            classes.append(language.classes[state])
        found.append(classes)
    return found


@settings(max_examples=15)
@given(
    language=machines(),
    target=st.sampled_from(sorted(ENCODINGS)),
    length=st.integers(1, 70),
    seed=st.integers(0, 9),
)
def test_every_prefix_gets_its_class(
    language: Language, target: str, length: int, seed: int
) -> None:
    model, words = (
        build_scan(design_scan(language, target=target)),
        draw(language, length, seed),
    )
    for dtype in usable(FORMATS):
        with torch.no_grad():
            answers = model.to(dtype).every_position(words).argmax(dim=-1)
        assert answers.tolist() == right(language, words), dtype


@settings(max_examples=few(4, 15))
@given(
    language=machines_with_domain(),
    target=st.sampled_from(sorted(ENCODINGS)),
    seed=st.integers(0, 9),
)
def test_prefixes_in_the_domain_get_their_class(language: Language, target: str, seed: int) -> None:
    model, words = build_scan(design_scan(language, target=target)), draw(language, 21, seed)
    total = language.total()
    with torch.no_grad():
        answers = model.every_position(words).argmax(dim=-1).tolist()
    for found, expected in zip(answers, right(total, words), strict=True):
        for one, other in zip(found, expected, strict=True):
            assert other in (one, language.num_classes)


def test_the_empty_word_and_words_of_several_lengths() -> None:
    language = parse("tomita-3")
    model = build_scan(design_scan(language))
    rows = torch.tensor([[1, 0, 1, 0, 1], [0, 0, 1, 1, 0], [0, 1, 0, 1, 1]])
    lengths = torch.tensor([5, 0, 3])
    with torch.no_grad():
        answers = model(rows, lengths).argmax(dim=-1).tolist()
    words = [rows[i, 5 - n :].tolist() for i, n in enumerate(lengths.tolist())]
    assert answers == [language.classify(word) for word in words]


def test_each_head_looks_at_one_position() -> None:
    """2^k before, and at the start symbol where nothing stands there."""
    model = build_scan(design_scan(parse("parity")))
    words = model.with_start(draw(parse("parity"), 20, 0))
    (layer,), positions = model.block, torch.arange(21)
    x = model.embed(words)
    seen = torch.ones(1, 21, 21, dtype=torch.bool).tril()
    for step in range(5):
        here = model.position.in_layer(step, positions, positions)
        weights = layer.attention.weights(x, x, seen, here)[:, 0]
        expected = torch.zeros(21, 21, dtype=torch.float64)
        expected[positions, (positions - 2**step).clamp(min=0)] = 1.0
        assert torch.equal(weights, expected.expand(4, -1, -1))


def test_the_layer_runs_as_often_as_the_length_doubles() -> None:
    model = build_scan(design_scan(parse("parity")))
    assert [model.steps(n) for n in (0, 1, 2, 3, 4, 5, 1024, 1025)] == [1, 1, 1, 2, 2, 3, 10, 11]
    assert model.steps(77) == log_depth(77, 1)


def test_its_vectors_are_exactly_what_is_claimed() -> None:
    for target, field in (("images", "is_whole"), ("matrices", "is_binary")):
        made = construct("tomita-2", {"rung": "scan", "target": target})
        found = verify_construction(made, longest=12, all_words=64, words_per_length=4)
        assert found.holds
        assert all(getattr(one, field) in (True, None) for one in found.precisions.values())
        with torch.no_grad():
            made.model.layers[0].contract.bias[0] += 0.25  # type: ignore[union-attr, index]
        assert not verify_construction(made, longest=6, all_words=64, words_per_length=4).holds


def test_what_is_too_large_or_unknown_is_refused() -> None:
    with pytest.raises(ConstructionError, match="Did you mean 'images'"):
        design_scan(parse("parity"), target="image")
    with pytest.raises(ConstructionError, match="at most 100,000,000 parameters are built"):
        design_scan(parse("modular-arithmetic"), target="matrices")
    with pytest.raises(ConfigError, match="a looped recogniser has one layer"):
        LoopedRecogniserConfig(vocab_size=2, num_classes=2, num_layers=2)
    with pytest.raises(ConfigError, match=r"unknown setting 'norm'.*Known: rung, target"):
        construct("parity", {"rung": "scan", "norm": "post"})


def test_more_weights_are_drawn_by_a_seed() -> None:
    model = LoopedRecogniser(LoopedRecogniserConfig(vocab_size=2, num_classes=2, d_model=8))
    model.initialise(torch.Generator().manual_seed(0))
    assert model(torch.zeros(3, 5, dtype=torch.int64)).shape == (3, 2)
