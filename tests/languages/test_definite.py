"""Pairs of states that windows tell apart."""

import pytest
from hypothesis import given

import ladder_oracles as oracles
from lengthwise.languages import definite
from lengthwise.languages.ladder import ladder
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.languages.verdicts import LadderSubject
from strategies import recognisers


@given(recognisers(alphabet="abc", max_states=5))
def test_drawn_pairs_refute_what_all_pairs_refute(language: Language) -> None:
    with pytest.MonkeyPatch.context() as patch:
        exact = [ladder(language)[key] for key in ("strictly_local", "co_strictly_local")]
        patch.setattr(definite, "MAX_PAIRS", -1)
        subject = LadderSubject(language)
        for before, wanted in zip(exact, (1, 0), strict=True):
            verdict = definite.strictly_local(subject, wanted)
            assert verdict.holds is (None if before.holds else False)
            if verdict.holds is False:
                classes = [language.classify(word.at(3)) for word in verdict.words]
                assert classes == [wanted, wanted, 1 - wanted]
                one, two, wrong = (oracles.windows_of(word.at(5), 4)[2] for word in verdict.words)
                assert wrong <= one | two


def test_too_many_pairs_of_states_are_refuted_by_draws() -> None:
    """Lengths modulo 400: no number of symbols merges two states."""
    found = ladder(parse("regex[ab]:((a|b){400})*"))
    for key in ("strictly_local", "co_strictly_local", "tier_strictly_local"):
        assert found[key].holds is False
