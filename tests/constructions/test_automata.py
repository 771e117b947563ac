"""RegularGPT weights for any language, against the automaton itself."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, reject
from hypothesis import settings as profile
from hypothesis import strategies as st
from torch import Tensor

from lengthwise.constructions.automata import (
    MAX_PARAMETERS,
    Design,
    build,
    design_automaton,
)
from lengthwise.constructions.subword_encodings import ENCODINGS
from lengthwise.errors import ConfigError, ConstructionError, LengthwiseError
from lengthwise.evaluation.predict import logits_of, right_aligned
from lengthwise.languages.language import Language
from lengthwise.languages.regex import from_regex
from lengthwise.languages.spec import parse
from lengthwise.models.masked_regular_gpt import compute_masked_logits
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.models.streaming import open_stream
from lengthwise.proofs.search.certify import certify
from ordinary import few
from precisions import usable
from strategies import all_words, expressions, machines, machines_with_domain

ENOUGH = 30_000
"""Parameters of the networks that are built here; larger ones are passed over."""

FORMATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
NORMS = st.sampled_from(["none", "post"])
TARGETS = st.sampled_from(["auto", *ENCODINGS])


def compile_automaton(
    language: Language, *, chunk_size: int = 2, norm: str = "none", target: str = "auto"
) -> RegularGPT:
    return build(design_automaton(language, chunk_size=chunk_size, norm=norm, target=target))


def small(
    language: Language, chunk_size: int, norm: str = "none", target: str = "auto"
) -> RegularGPT:
    try:
        design = design_automaton(language, chunk_size=chunk_size, norm=norm, target=target)
    except ConstructionError:
        reject()
    if design.num_parameters > ENOUGH:
        reject()
    return build(design)


@torch.no_grad()
def answers(model: RegularGPT, words: list[tuple[int, ...]]) -> list[int]:
    """The classes of words of many lengths, in one batch."""
    tokens, lengths = right_aligned(words)
    found: list[int] = model(tokens, lengths).argmax(dim=1).tolist()
    return found


def longer_words(language: Language, seed: int) -> list[tuple[int, ...]]:
    """Random words of up to 100 symbols, and some that repeat one symbol."""
    draw = random.Random(seed)
    symbols = range(language.num_symbols)
    words = [tuple(draw.choice(symbols) for _ in range(draw.randint(7, 100))) for _ in range(30)]
    return [*words, *((symbol,) * length for symbol in symbols for length in (7, 33, 81))]


def classes(language: Language, words: list[tuple[int, ...]]) -> list[int]:
    return [language.classes[language.run(word)] for word in words]


def inside(language: Language, words: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    if language.domain is None:
        return words
    domain = language.domain
    return [word for word in words if domain.classes[domain.run(word)] == 1]


@profile(max_examples=few(6))
@given(
    language=st.one_of(machines(max_states=4), machines(alphabet="abc", max_states=3)),
    chunk_size=st.integers(2, 4),
    norm=NORMS,
    target=TARGETS,
)
def test_every_word_gets_its_class(
    language: Language, chunk_size: int, norm: str, target: str
) -> None:
    words = all_words(language, 5) + longer_words(language, chunk_size)
    assert answers(small(language, chunk_size, norm, target), words) == classes(language, words)


@profile(max_examples=few(6))
@given(language=machines_with_domain(), chunk_size=st.integers(2, 3), norm=NORMS, target=TARGETS)
def test_every_word_of_a_domain_gets_its_class(
    language: Language, chunk_size: int, norm: str, target: str
) -> None:
    words = inside(language, all_words(language, 7) + longer_words(language, chunk_size))
    model = small(language, chunk_size, norm, target)
    assert answers(model, [(), *words])[1:] == classes(language, words)


@given(expression=expressions(), chunk_size=st.integers(2, 3))
def test_every_expression_is_recognised(expression: str, chunk_size: int) -> None:
    language = from_regex(expression, ("a", "b"))
    words = all_words(language, 6) + longer_words(language, chunk_size)
    assert answers(small(language, chunk_size), words) == classes(language, words)


@pytest.mark.slow_except("2-d-3", "2-tomita-5", "3-tomita-5")
@pytest.mark.parametrize("spec", ["parity", "group:S3", "tomita-5", "cycle-navigation", "d-3"])
@pytest.mark.parametrize("chunk_size", [2, 3])
def test_long_words_in_every_precision(spec: str, chunk_size: int) -> None:
    language = parse(spec)
    words = longer_words(language, 1)
    draw = random.Random(2)
    words.append(tuple(draw.randrange(language.num_symbols) for _ in range(5_000)))
    model = compile_automaton(language, chunk_size=chunk_size)
    for precision in usable(FORMATS):
        assert answers(model.to(precision), words) == classes(language, words), precision


def record(model: RegularGPT) -> list[Tensor]:
    """The vectors of all nodes that the model computes from now on."""
    seen: list[Tensor] = []
    gathered: Any = model.gather

    def watch(*arguments: object) -> Tensor:
        seen.append(gathered(*arguments))
        return seen[-1]

    model.gather = watch  # type: ignore[method-assign, assignment]
    return seen


@profile(max_examples=few(4, 15))
@given(
    language=st.one_of(machines(max_states=4), machines_with_domain()),
    chunk_size=st.integers(2, 4),
    target=TARGETS,
)
def test_every_activation_is_exactly_zero_or_one_or_whole(
    language: Language, chunk_size: int, target: str
) -> None:
    words = [(), *inside(language, all_words(language, 4) + longer_words(language, 3))]
    model = small(language, chunk_size, "none", target)
    seen = record(model)
    vectors = []
    for precision in usable(FORMATS):
        model.to(precision)
        answers(model, words)
        vectors.append(torch.cat(seen).double())
        seen.clear()
    assert all(torch.equal(vectors[0], others) for others in vectors[1:])
    ones = design_automaton(language, chunk_size=chunk_size, target=target).encoding.ones
    if ones is None:
        assert torch.equal(vectors[0], vectors[0].round())
        return
    assert ((vectors[0] == 0) | (vectors[0] == 1)).all()
    if language.domain is None:  # as layer norm needs it
        assert (vectors[0].sum(dim=1) == ones).all()


@profile(max_examples=few(8))
@given(language=machines(max_states=3), chunk_size=st.integers(2, 4), target=TARGETS)
def test_layer_norm_is_the_identity_up_to_rounding(
    language: Language, chunk_size: int, target: str
) -> None:
    model = small(language, chunk_size, "post", target)
    seen = record(model)
    answers(model, all_words(language, 4) + longer_words(language, 3))
    vectors = torch.cat(seen)
    assert (vectors - vectors.round()).abs().max() < 1e-12


def test_a_weight_that_is_a_little_off_leaves_zero_and_one() -> None:
    """The check above, on a network to which it does not apply."""
    model = compile_automaton(parse("parity"), target="elements")
    with torch.no_grad():
        model.block[0].contract.weight[0, -1] += 2**-20
    seen = record(model)
    answers(model, all_words(parse("parity"), 4))
    vectors = torch.cat(seen)
    assert not ((vectors == 0) | (vectors == 1)).all()


@profile(max_examples=few(6))
@given(language=machines(max_states=3), chunk_size=st.integers(2, 4), norm=NORMS, target=TARGETS)
def test_all_ways_to_compute_agree(
    language: Language, chunk_size: int, norm: str, target: str
) -> None:
    """So the pad is the identity wherever each of them puts it."""
    model = small(language, chunk_size, norm, target)
    word = longer_words(language, 5)[0][:20]
    tokens = torch.tensor([word])
    lengths = (1, 2, 3, 5, 9, len(word))
    expected = [language.classes[language.run(word[:n])] for n in range(1, len(word) + 1)]
    stream = open_stream(model, *lengths)
    with torch.no_grad():
        everywhere = model.every_position(tokens)[0]
        assert everywhere.argmax(dim=1).tolist() == expected
        for n in lengths:
            stream.feed(word[stream.num_fed : n])
            for logits in (stream.answer(), compute_masked_logits(model, tokens[:, :n])[0]):
                torch.testing.assert_close(logits, everywhere[n - 1], atol=1e-9, rtol=0)
            torch.testing.assert_close(model(tokens[:, :n])[0], everywhere[n - 1])


@profile(max_examples=few(6))
@given(language=machines(max_states=3), chunk_size=st.integers(2, 3))
def test_the_pad_changes_nothing_at_any_place(language: Language, chunk_size: int) -> None:
    """Elements have that before words only, which is where it stands; the others anywhere."""
    for target in ENCODINGS:
        model = small(language, chunk_size, "none", target)
        symbols = torch.arange(language.num_symbols)
        leaves = model.leaf(symbols)
        for place in [chunk_size - 1] if target == "elements" else range(chunk_size):
            children = torch.full((len(symbols), chunk_size), -1)
            children[:, place] = symbols
            with torch.no_grad():
                assert torch.equal(model.compose(leaves, children), leaves)


@profile(max_examples=few(5))
@given(
    language=st.one_of(machines(max_states=4), machines_with_domain()),
    chunk_size=st.integers(2, 4),
    norm=NORMS,
    target=TARGETS,
)
def test_the_size_is_told_before(
    language: Language, chunk_size: int, norm: str, target: str
) -> None:
    model = small(language, chunk_size, norm, target)
    design = design_automaton(language, chunk_size=chunk_size, norm=norm, target=target)
    assert design.num_parameters == sum(weight.numel() for weight in model.parameters())
    assert f"{design.num_parameters:,} parameters" in design.summary
    assert f"width {model.config.d_model}" in design.summary
    layers = list(design.encoding.layers(chunk_size))
    assert [units.count for units in layers] == [design.num_hidden] * model.config.num_layers


@profile(max_examples=few(3, 10))
@given(
    language=st.one_of(machines(max_states=3), machines_with_domain()), chunk_size=st.integers(2, 3)
)
def test_auto_is_the_smaller(language: Language, chunk_size: int) -> None:
    sizes = {name: size(language, chunk_size, name) for name in ENCODINGS}
    assert size(language, chunk_size, "auto") == min(sizes.values())


def size(language: Language, chunk_size: int, target: str) -> int:
    try:
        return design_automaton(language, chunk_size=chunk_size, target=target).num_parameters
    except ConstructionError:
        return MAX_PARAMETERS + 1


def test_each_target_is_the_smaller_of_some_language() -> None:
    chosen = {
        (spec, norm): design_automaton(parse(spec), norm=norm).target
        for spec, norm in (("tomita-4", "none"), ("tomita-4", "post"), ("group:Z23", "none"))
    }
    assert list(chosen.values()) == ["images", "matrices", "elements"], chosen


@pytest.mark.slow_for("d-99-3-auto-parts0")
@pytest.mark.parametrize(
    ("spec", "chunk_size", "target", "parts"),
    [
        ("d-99", 3, "auto", ["101 states", "images, chunk 3: ", "Use chunk 2, or another rung"]),
        ("d-100", 2, "matrices", ["102 states", "matrices, chunk 2: ", "another target"]),
        ("d-30", 2, "elements", ["32 states", "more than 100,000,000", "another target"]),
    ],
)
def test_a_language_too_large_is_refused_with_the_numbers(
    spec: str, chunk_size: int, target: str, parts: list[str]
) -> None:
    with pytest.raises(ConstructionError) as caught:
        compile_automaton(parse(spec), chunk_size=chunk_size, target=target)
    message = str(caught.value)
    assert "\n" not in message
    assert f"at most {MAX_PARAMETERS:,} parameters" in message
    assert all(part in message for part in parts), message
    assert ("chunk 2, or" in message) == (chunk_size > 2)
    assert ("another target" in message) == (target != "auto")


def test_what_beats_matrices_is_all_that_is_explored() -> None:
    """A random automaton whose transition monoid has thousands of elements takes no time."""
    draw = random.Random(1)
    rows = tuple(tuple(draw.randrange(8) for _ in range(4)) for _ in range(8))
    language = Language(alphabet=tuple("abcd"), transitions=rows, classes=(0, 1) * 4)
    with pytest.raises(LengthwiseError, match="or more elements need more than 400,000 p"):
        ENCODINGS["elements"](language, 2, 400_000)
    assert design_automaton(language, norm="post").target == "matrices"
    assert design_automaton(language).target == "images"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chunk_size": 1}, "a chunk has 2 to 16 places, but chunk_size=1"),
        ({"chunk_size": -3}, "chunk_size=-3"),
        ({"chunk_size": 10**6}, "chunk_size=1000000"),
        ({"norm": "pre"}, "norm is none or post here, but norm='pre'"),
        ({"target": "matrix"}, "Did you mean 'matrices'. Known: auto, images, matrices, elements"),
        ({"norm": "post", "target": "images"}, "Use norm=none, or target=matrices"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ConstructionError, ConfigError), match=message) as caught:
        design_automaton(parse("parity"), **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("chunk_size", [5, 16])
def test_large_chunks_are_exact_too(chunk_size: int) -> None:
    language = from_regex("a*", ("a", "b"))
    model = compile_automaton(
        language, chunk_size=chunk_size, target="matrices" if chunk_size == 5 else "auto"
    )
    words = all_words(language, 6) + [(0,) * n for n in (chunk_size, chunk_size + 1, 300)]
    for precision in usable(FORMATS):
        assert answers(model.to(precision), words) == classes(language, words)


@pytest.mark.slow_except("group:Z3-elements-none", "parity-elements-none", "parity-matrices-none")
@pytest.mark.parametrize("norm", ["none", "post"])
@pytest.mark.parametrize(
    ("spec", "target"),
    [
        ("parity", "elements"),
        ("parity", "matrices"),
        ("tomita-2", "elements"),
        ("group:Z3", "elements"),
    ],
)
def test_the_network_as_it_runs_is_proved(spec: str, target: str, norm: str) -> None:
    model = compile_automaton(parse(spec), norm=norm, target=target)
    made = certify(model.float(), parse(spec), strength="robust")
    assert (made.verdict, made.strength) == ("equivalent", "robust"), made.reason


def test_against_another_language_a_word_is_found() -> None:
    for norm in ("none", "post"):
        model = compile_automaton(parse("parity"), norm=norm, target="elements")
        made = certify(model.float(), parse("even-pairs"), strength="robust")
        assert made.verdict == "counterexample"
        assert made.counterexample is not None
        assert made.counterexample.word == "1"


def change_pad(model: RegularGPT) -> None:
    model.pad.zero_()


def change_bias(model: RegularGPT) -> None:
    model.block[0].attention.bias[0] = model.block[0].attention.bias[0].flip(0)


def change_product(model: RegularGPT) -> None:
    unit = model.config.d_model  # the first of the products
    weight = model.block[0].contract.weight
    weight[:, unit] = weight[:, unit].roll(1)


def change_answer(model: RegularGPT) -> None:
    model.answer.weight.copy_(model.answer.weight.flip(0))


@pytest.mark.parametrize("change", [change_pad, change_bias, change_product, change_answer])
@pytest.mark.parametrize("target", list(ENCODINGS))
def test_a_wrong_weight_gives_wrong_answers(
    change: Callable[[RegularGPT], None], target: str
) -> None:
    """What the comparisons above would find."""
    language = parse("tomita-2")  # reads from left to right
    model = compile_automaton(language, target=target)
    words = all_words(language, 7)
    assert answers(model, words) == classes(language, words)
    with torch.no_grad():
        change(model)
    assert answers(model, words) != classes(language, words)


def test_words_outside_the_domain_are_answered_somehow() -> None:
    language = parse("modular-arithmetic-left-to-right")
    model = compile_automaton(language)
    logits = logits_of(model, [language.encode("+1+2-4*3"), language.encode("++1")])
    assert int(logits[0].argmax()) == 2
    assert np.isfinite(logits.numpy()).all()


@pytest.mark.slow
@pytest.mark.parametrize("chunk_size", [2, 3])
@pytest.mark.parametrize("norm", ["none", "post"])
@pytest.mark.parametrize("spec", ["d-4", "tomita-3", "tomita-7", "abab-star", "group:A4"])
def test_larger_networks_give_every_word_its_class(spec: str, norm: str, chunk_size: int) -> None:
    language = parse(spec)
    design: Design = design_automaton(language, chunk_size=chunk_size, norm=norm)
    words = all_words(language, 10 if language.num_symbols == 2 else 3) + longer_words(language, 0)
    assert answers(build(design).float(), words) == classes(language, words)
