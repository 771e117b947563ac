"""Default training ends with a proof, whatever kind the language is of."""

import pytest

from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.proofs.search.certify import certify
from lengthwise_papers.own.hostile_words import find_misjudged, hostile_words
from lengthwise_papers.own.kinds import KINDS, language_of_kind


@pytest.mark.slow_except("domain")
@pytest.mark.parametrize("kind", KINDS)
def test_the_default_is_proved_on_every_kind_of_language(kind: str) -> None:
    language = language_of_kind(kind, "tests", 0)
    run = train(make_plan(language), device="cpu")
    assert certify(run.model, language).verdict == "equivalent"
    words = hostile_words(language, 40, longest=300, seed=0)
    assert find_misjudged(run.model, language, words) == []
