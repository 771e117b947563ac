"""Networks of lookups answer as their programs do, as far as they claim."""

from collections.abc import Sequence
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.lookups import (
    MAX_LONGEST,
    build_lookups,
    design_lookups,
    range_of,
)
from lengthwise.constructions.ltl import ltl_program, star_free_program
from lengthwise.constructions.programs import Program
from lengthwise.constructions.verify import verify_construction
from lengthwise.errors import ConstructionError
from lengthwise.languages.ltl_parser import parse_formula
from lengthwise.languages.spec import parse
from lengthwise.models.causal_recogniser import CausalRecogniser
from ltl_strategies import Tree, formulas, in_text
from precisions import FORMATS, usable

ATTENTIONS = ("softmax", "rightmost")

SHORT = list(product(range(2), repeat=5))


def network(program: Program, attention: str, longest: int = 1_000) -> CausalRecogniser:
    return build_lookups(design_lookups(program, attention=attention, longest=longest))


def of_formula(text: str, alphabet: str = "ab") -> Program:
    return ltl_program(parse_formula(text), tuple(alphabet))


def answers(model: CausalRecogniser, words: Sequence[Sequence[int]]) -> list[list[int]]:
    with torch.no_grad():
        found: list[list[int]] = model.every_position(torch.tensor(words)).argmax(-1).tolist()
    return found


@settings(max_examples=20)
@given(tree=formulas(), attention=st.sampled_from(ATTENTIONS))
def test_the_network_is_the_program(tree: Tree, attention: str) -> None:
    program = ltl_program(parse_formula(in_text(tree)), ("a", "b"))
    model = network(program, attention)
    right = [program.run(word)[1:] for word in SHORT]
    for dtype in usable(list(FORMATS.values())):
        assert answers(model.to(dtype), SHORT) == right, dtype
        empty = torch.zeros(1, 0, dtype=torch.int64)
        assert model(empty).argmax().item() == program.run([])[0]


@pytest.mark.parametrize("spec", ["tomita-4", "d-2", "even-pairs", "regex:(a|b|c)*a(a|b|c)*b"])
def test_star_free_automata_are_right_on_long_words(spec: str) -> None:
    language = parse(spec)
    program = star_free_program(language)
    words = torch.randint(
        language.num_symbols, (3, 300), generator=torch.Generator().manual_seed(0)
    ).tolist()
    right = [program.run(word)[1:] for word in words]
    for attention in ATTENTIONS:
        assert answers(network(program, attention), words) == right


def far(program_text: str, length: int) -> tuple[Program, list[list[int]]]:
    """Words whose answer at the end depends on what stands `length` - 2 positions before."""
    return of_formula(program_text, "abc"), [[2, first, *[2] * (length - 2)] for first in (0, 1)]


@pytest.mark.parametrize(("name", "dtype"), FORMATS.items(), ids=FORMATS)
def test_each_precision_reaches_as_far_as_is_claimed(name: str, dtype: torch.dtype) -> None:
    """The nearest a or b is as far away as it can be, with another one before it."""
    longest = range_of({"attention": "softmax", "longest": 600})[name]
    assert longest == (256 if name == "bfloat16" else 600)
    program = of_formula("!b S a", "abc")
    words = [[1 - one, one, *[2] * (longest - 2)] for one in (0, 1)]
    model = network(program, "softmax", 600).to(dtype)
    assert answers(model, words) == [program.run(word)[1:] for word in words]


@pytest.mark.needs_precision("bfloat16")
def test_bfloat16_is_wrong_past_its_claim() -> None:
    """Distances of 258 and 259, or so, are one number there, and hard attention does not mind."""
    program = of_formula("!b S a", "abc")
    words = [[1 - one, one, *[2] * 600] for one in (0, 1)]
    right = [program.run(word)[1:] for word in words]
    assert answers(network(program, "softmax").to(torch.bfloat16), words) != right
    assert answers(network(program, "rightmost").to(torch.bfloat16), words) == right


def test_words_longer_than_softmax_claims_go_wrong() -> None:
    program = of_formula("!b S a", "abc")
    words = [[one, *[2] * 200] for one in (0, 1)]
    right = [program.run(word)[1:] for word in words]
    assert answers(network(program, "softmax", 200), words) == right
    assert answers(network(program, "softmax", 10), words) != right


def test_the_weight_elsewhere_is_below_its_bound() -> None:
    """L of the module, at the nearest position that is not blocked."""
    program, n = of_formula("!b S a", "abc"), 400
    model = network(program, "softmax", n)
    words = torch.randint(3, (4, n), generator=torch.Generator().manual_seed(1))
    (layer,), positions = model.block, torch.arange(n + 1)
    x = model.embed(model.with_start(words))
    seen = torch.ones(1, n + 1, n + 1, dtype=torch.bool).tril()
    here = model.position.in_layer(0, positions, positions)
    weights = layer.attention.weights(x, x, seen, here)[:, 0]
    for word, row in zip(words.tolist(), weights, strict=True):
        for i in range(1, n + 1):
            nearest = max((j for j in range(1, i) if word[j - 1] != 2), default=0)
            assert 1 - row[i, nearest] <= 3.5e-4


def test_errors_of_what_was_found_vanish() -> None:
    """Up to 3/8 where a condition holds, and where it does not; 5/8 of one is too much."""
    design = design_lookups(of_formula("Y O a & Y O b"), attention="softmax", longest=9)
    model, names = build_lookups(design), design.stream
    (layer,) = model.block

    def whole(first: float, second: float) -> float:
        at = names.column({"symbol 0": 1.0, "found 1 1": first, "found 2 1": second})
        with torch.no_grad():
            vector = layer.feed_forward(at[None, None])[0, 0]
            logits = model.answer(vector)
        return float(logits[1] - logits[0])

    for error in (-0.375, 0.0, 0.375):
        assert whole(1 + error, 1.0) == 8.0
        assert whole(1.0, 1 + error) == 8.0
        assert whole(1.0, error) == -8.0
        assert whole(error, 0.0) == -8.0
    assert whole(1.0, 1 - 0.625) == -8.0
    assert whole(1.0, 0.5) == 0.0


def test_margins_and_vectors_are_as_claimed() -> None:
    for attention in ATTENTIONS:
        made = construct("tomita-4", {"rung": "ltl", "attention": attention})
        found = verify_construction(made, longest=16, all_words=64, words_per_length=4)
        assert found.holds
        assert made.required_margin == 8.0
        is_hard = attention == "rightmost"
        assert found.precisions["float64"].is_binary is (True if is_hard else None)


def test_what_is_out_of_range_is_refused_in_one_line() -> None:
    program = of_formula("a S b")
    conjunction = " & ".join(f"Y O ({'Y ' * n}a)" for n in range(12))
    for given_, settings_, part in (
        (program, {"attention": "hard", "longest": 9}, "softmax or rightmost"),
        (program, {"attention": "softmax", "longest": 0}, "longest=0"),
        (program, {"attention": "softmax", "longest": MAX_LONGEST + 1}, "1 to 1,048,576 symbols"),
        (of_formula(conjunction), {"attention": "softmax", "longest": 9}, "asks about 12 lookups"),
    ):
        with pytest.raises(ConstructionError, match=part) as caught:
            design_lookups(given_, **settings_)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)
