"""Weights with a slot for each state: exact at every length, and proved whatever the monoid is."""

import pytest
import torch

from kinds import KINDS, automaton, hostile_words
from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.slots import build_slots, design_slots
from lengthwise.constructions.verify import verify_construction
from lengthwise.errors import ConstructionError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import logits_of
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.search.certify import certify


def require_proved(language: Language, longest: int, seed: int) -> str:
    """Compile by default, certify as it is stored, and judge words; return the network's name."""
    made = construct(language)
    model = made.model.float()
    assert certify(model, language).verdict == "equivalent"
    words = hostile_words(language, longest, seed)
    for word in words:  # one by one: their trees are large
        given = int(answer_of(logits_of(model, [word]))[0])
        assert given == language.classify(word), (len(word), word[:40])
    return made.architecture


@pytest.mark.parametrize(
    ("kind", "states", "symbols"),
    [("random", 32, 2), ("cyclic", 31, 2), ("threshold", 12, 1), ("random", 9, 80)],
)
def test_what_is_compiled_by_default_is_proved(kind: str, states: int, symbols: int) -> None:
    require_proved(automaton(kind, states, symbols, seed=3), longest=1_000, seed=0)


def test_small_monoids_have_the_tree_by_default() -> None:
    assert require_proved(parse("group:S3"), longest=100, seed=0) == "regular-gpt"


@pytest.mark.slow
@pytest.mark.parametrize("number", range(64))
def test_automata_of_every_kind_are_proved_by_default(number: int) -> None:
    kind = list(KINDS)[number % len(KINDS)]
    states = (4, 7, 12, 20, 33, 64, 100, 128, 150, 200)[number % 10]
    symbols = (2, 1, 3, 16, 2, 65, 300)[number % 7]
    require_proved(automaton(kind, states, symbols, seed=number), longest=100_000, seed=number)


@pytest.mark.parametrize("states", [1, 17])
def test_its_claim_holds_in_every_precision(states: int) -> None:
    language = automaton("permutations", states, 2, seed=states)
    made = construct(language, {"rung": "slots"})
    assert verify_construction(made, longest=30, all_words=32, words_per_length=4).holds
    with torch.no_grad():
        codes = torch.arange(design_slots(language).config.num_slots)
        chosen = made.model.scores(codes).argmax(dim=1)  # type: ignore[operator]
    assert torch.equal(chosen, codes)


def test_chunks_of_any_size_are_composed() -> None:
    language = automaton("random", 10, 3, seed=1)
    model = build_slots(design_slots(language, chunk_size=5)).float()
    assert certify(model, language).verdict == "equivalent"
    words = hostile_words(language, 200, seed=1)
    assert answer_of(logits_of(model, words)).tolist() == [language.classify(w) for w in words]


def test_the_proof_fails_where_a_slot_is_wrong() -> None:
    language = automaton("random", 20, 2, seed=1)
    model = build_slots(design_slots(language)).float()
    with torch.no_grad():
        model.symbols[1, 3] = -model.symbols[1, 3]
    assert certify(model, language).verdict != "equivalent"


def test_settings_of_trees_ask_for_a_tree() -> None:
    language = automaton("random", 6, 2, seed=1)
    assert construct(language).settings == {"rung": "slots", "chunk_size": 2}
    assert construct(language, {"chunk_size": 3}).settings == {"rung": "slots", "chunk_size": 3}
    assert construct(language, {"target": "images"}).architecture == "regular-gpt"


@pytest.mark.parametrize(
    ("language", "chunk_size", "part"),
    [
        (parse("regex:(a{5000})*"), 2, "at most 4,096 states, but .* has 5,000 when minimised"),
        (parse("parity"), 1, "a chunk has 2 to 16 places, but chunk_size=1"),
    ],
)
def test_what_is_too_large_is_refused(language: Language, chunk_size: int, part: str) -> None:
    with pytest.raises(ConstructionError, match=part):
        design_slots(language, chunk_size=chunk_size)
