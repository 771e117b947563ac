"""The benchmark of soundness: faults are where they are said to be, and each kind finds some."""

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.short_words import wrong_words
from lengthwise_papers import soundness
from lengthwise_papers.soundness.case import runs_as
from lengthwise_papers.soundness.plants import PLANTS, draw_member


@settings(max_examples=8, deadline=None)
@given(
    kind=st.sampled_from(sorted(PLANTS)),
    seed=st.integers(0, 1_000),
    fault=st.booleans(),
    words=st.lists(st.lists(st.integers(0, 1), max_size=130), min_size=30, max_size=30),
)
def test_networks_compute_their_machines(
    kind: str, seed: int, fault: bool, words: list[list[int]]
) -> None:
    planted = PLANTS[kind](random.Random(seed), fault=fault)
    for word in words:
        assert runs_as(planted.model, tuple(word)) == planted.machine.classify(word)
    if planted.word:
        assert runs_as(planted.model, planted.word) == planted.machine.classify(planted.word)


@pytest.mark.slow_except("powers")
@pytest.mark.parametrize("kind", ["one length", "powers"])
def test_they_are_wrong_at_no_other_length(kind: str) -> None:
    draw = random.Random(4)
    planted = PLANTS[kind](random.Random(1), fault=True)
    own = len(planted.word)
    wrong = {own} if kind == "one length" else {2**k + 1 for k in range(own.bit_length() - 1, 16)}
    asked = {
        *range(1, 9),
        own - 1,
        own,
        own + 1,
        2 * own,
        *(2**k + d for k in range(3, 14) for d in (0, 1, 2)),
    }
    for length in sorted(each for each in asked if kind == "powers" or each < 2_200):
        word = draw_member(planted.language, length, draw)
        if word:
            assert (runs_as(planted.model, word) == 1) == (length not in wrong), length


def test_a_domain_corner_is_right_on_the_rest_of_the_domain() -> None:
    planted = PLANTS["domain corner"](random.Random(0), fault=True)
    domain = planted.language.domain
    assert domain is not None
    words = [w for n in range(9) for w in product(range(2), repeat=n) if domain.classify(w) == 1]
    right = [runs_as(planted.model, w) == planted.language.classify(w) for w in words]
    assert sum(right) >= len(right) - 3


@pytest.mark.slow
def test_what_is_said_of_words_without_a_proof_is_true_of_the_model_as_it_ran() -> None:
    """Where signs are not certain, words that were explored in float64 may be wrong as it runs, and
    in one batch, but not in another."""
    told = wrong_ones = 0
    for case in soundness.cases(each=12, kinds=["margin"]):
        model, language = case.question.model, case.question.language
        if model is None:
            continue
        made = certify(model, language)
        if made.verdict != "not-closed" or not made.checked_length:
            continue
        told += 1
        wrong = wrong_words(model, language)[1]
        assert all(len(word) > made.checked_length for word in wrong)
        assert (f"Run once, the model was right on all words of at most {made.checked_length}") in (
            made.statement
        )
        wrong_ones += bool(wrong)
    assert told > 3
    assert wrong_ones > 0
