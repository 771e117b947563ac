"""Default settings by the size of the monoid: which objective, and who wins over them."""

import pytest

from lengthwise.languages.monoid import transition_monoid
from lengthwise.languages.spec import parse
from lengthwise.objectives.sizes import MOST_COMPOSED, MOST_LABELLED, num_elements
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.problems.runs import train
from lengthwise.proofs.search.certify import certify


@pytest.mark.slow_for("group:S5")
@pytest.mark.parametrize("spec", ["parity", "d-3", "d-4", "group:A5", "group:S5"])
def test_the_objective_follows_from_the_number_of_elements(spec: str) -> None:
    language = parse(spec)
    count = len(transition_monoid(language.total().minimise()).maps)
    assert num_elements(language) == count
    plan = make_plan(spec, "regular-gpt-binary")
    is_labelled = MOST_COMPOSED < count <= MOST_LABELLED
    assert plan.objective.name == ("codebook" if is_labelled else "composition")
    assert plan.training.precision == ("double" if is_labelled else "single")
    if is_labelled:
        assert plan.objective.chunk_lengths == "all"
    assert plan_from_dict(plan.to_dict()) == plan


def test_what_the_user_sets_stands() -> None:
    own = "regular-gpt-binary"
    assert make_plan("d-4", own, settings={"objective": "composition"}) == make_plan(
        "d-4", own, settings={"objective": "composition", "d_model": 64, "precision": "single"}
    )
    plan = make_plan("d-4", own, settings={"d_model": 96, "chunk_lengths": "training"})
    assert (plan.network.d_model, plan.objective.chunk_lengths) == (96, "training")
    assert plan.trained_on == "all chunks of codes in words of lengths 1..40"
    assert make_plan("d-4", own).trained_on == "all chunks of codes in words of every length"


@pytest.mark.slow
def test_other_models_and_presets_keep_their_settings() -> None:
    assert make_plan("d-4", "regular-gpt").objective.name == "final"
    assert make_plan("d-4", preset="smoke").network.d_model == 16
    assert make_plan("d-4", "regular-gpt-binary").training.validate_every == 250
    assert make_plan("d-12", "regular-gpt-binary").training.validate_every == 1000
    assert make_plan("d-4", preset="paper").network.d_model == 256


def test_too_many_elements_are_not_counted() -> None:
    assert num_elements(parse("d-99")) is None


@pytest.mark.slow
def test_codebooks_end_with_a_proof_where_chunks_are_in_long_words_only() -> None:
    """`count:a:40` has 40 elements; 770 of 3,280 chunks occur in words of up to 40 symbols."""
    run = train(make_plan("count:a:40", "regular-gpt-binary"), device="cpu")
    assert run.metrics[-1]["proved"]
    assert certify(run.model, run.language).verdict == "equivalent"
