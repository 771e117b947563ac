"""Networks of counters answer as their automata do, as far as they claim, or say why not."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.lookups import build_lookups
from lengthwise.constructions.solvable import claim_of_cascade, design_cascade
from lengthwise.constructions.verify import verify_construction
from lengthwise.errors import ConstructionError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import machines


@settings(max_examples=12)
@given(language=machines(max_states=4), seed=st.integers(0, 99))
def test_every_prefix_of_a_word_has_its_class(language: Language, seed: int) -> None:
    design = design_cascade(language, longest=80)
    model = build_lookups(design).float()
    generator = torch.Generator().manual_seed(seed)
    for length in (1, 5, 80):
        words = torch.randint(language.num_symbols, (8, length), generator=generator)
        with torch.no_grad():
            found = model.every_position(words).argmax(-1).tolist()
        assert found == [
            [language.classes[language.run(word[: n + 1])] for n in range(length)]
            for word in words.tolist()
        ]
    empty = torch.zeros(1, 0, dtype=torch.int64)
    assert model(empty).argmax().item() == language.classify(())


@pytest.mark.parametrize("spec", ["parity", pytest.param("abab-star", marks=pytest.mark.slow)])
def test_claims_hold_to_their_ends(spec: str) -> None:
    made = construct(spec, {"rung": "cascade", "longest": 50})
    assert made.range == {"float64": 50, "float32": 50, "bfloat16": 32, "float16": 50}
    found = verify_construction(made, longest=60, all_words=16, words_per_length=2)
    assert found.holds
    assert found.precisions["float64"].margin[50] == pytest.approx(8.0)
    tested = [one for one in found.precisions.values() if not one.skipped]
    assert [one.holds_to for one in tested] == [
        made.range[name] for name, one in found.precisions.items() if not one.skipped
    ]


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["group:S3", "group:D5", "tomita-3", "cycle-navigation"])
def test_larger_cascades_hold_to_their_ends(spec: str) -> None:
    assert verify_construction(
        construct(spec, {"rung": "cascade", "longest": 300}), longest=300
    ).holds


def test_ranges_follow_from_the_settings() -> None:
    for amount, bfloat16, float16 in ((0, 256, 256), (1, 32, 256), (2, 16, 128), (11, 3, 24)):
        claim = claim_of_cascade({"longest": 700, "amount": amount})
        assert claim["range"] == {
            "float64": 700,
            "float32": 700,
            "bfloat16": bfloat16,
            "float16": float16,
        }


def test_what_is_not_solvable_is_refused_with_its_group() -> None:
    said = "a group of 60 elements that is not solvable, as commutators generate all of it"
    with pytest.raises(ConstructionError, match=said):
        design_cascade(parse("group:A5"))


@pytest.mark.parametrize(
    ("spec", "length"),
    [
        ("modular-arithmetic", 10),
        pytest.param("modular-arithmetic-left-to-right", 60, marks=pytest.mark.slow),
        pytest.param("chomsky-modular-arithmetic", 61, marks=pytest.mark.slow),
    ],
)
def test_an_automaton_of_all_states_serves_where_merged_ones_have_too_many_images(
    spec: str, length: int
) -> None:
    """Merging leaves 25 of 52 states of modular arithmetic, but these have 20,000 images."""
    language = parse(spec)
    assert len(design_cascade(language).program.memories) == 5
    made = construct(language, {"rung": "cascade", "longest": length})
    found = verify_construction(
        made, longest=length, all_words=50, words_per_length=2, precisions=["float32"]
    )
    assert found.precisions["float32"].holds_to == length
    assert found.holds


def test_the_group_of_a_language_with_a_domain_is_named() -> None:
    with pytest.raises(ConstructionError, match="leads through 5 states in a circle"):
        construct("modular-arithmetic-left-to-right", {"rung": "ltl"})


def test_what_is_out_of_range_is_refused_in_one_line() -> None:
    for spec, chosen, part in (
        ("parity", {"longest": 8_194}, "at most 8,193 symbols, but longest=8194"),
        ("parity", {"longest": 0}, "longest=0"),
        ("parity", {"amount": 2}, "at most 1 to a counter of parity, but amount=2"),
        ("tomita-4", {"amount": 1}, "at most 0 to a counter of tomita-4, but amount=1"),
        ("flare-modular-arithmetic", {}, "25 states have a cascade with more than 20,000 cases"),
    ):
        with pytest.raises(ConstructionError, match=part) as caught:
            design_cascade(parse(spec), **chosen)
        assert "\n" not in str(caught.value)
    assert design_cascade(parse("parity"), longest=8_193).amount == 1
