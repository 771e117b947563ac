"""Drawn words refute what exact decisions refute, and only that."""

import random

import pytest

from ladder_checks import check_witnesses, draw_automaton, with_idle_symbol
from lengthwise.languages import locally_testable, random_refutation
from lengthwise.languages.ladder import ladder
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse


def test_drawn_words_refute_what_the_monoid_refutes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_refutation, "MOST_DRAWS", 60)
    generator = random.Random(6)
    for _ in range(8):
        language = draw_automaton(generator)
        exact, found = ladder(language), ladder(language, max_elements=0)
        check_witnesses(language, found)
        for key in exact:
            if (
                found[key].holds is None
                and key in random_refutation.EQUATIONS
                and exact.monoid_size != 1
            ):
                assert exact[key].holds, (key, language)
                assert "(and 60 draws of words show nothing)" in found[key].says
            elif found[key].holds is not None:
                assert found[key].holds is exact[key].holds


def test_all_maps_of_seven_states_are_refuted_though_they_are_too_many() -> None:
    maps = [(1, 2, 3, 4, 5, 6, 0), (1, 0, 2, 3, 4, 5, 6), (0, 0, 2, 3, 4, 5, 6)]
    full = Language(
        alphabet=("a", "b", "c"),
        transitions=tuple(zip(*maps, strict=True)),
        classes=(1, 0, 0, 0, 0, 0, 0),
    )
    found = ladder(full)
    assert found.monoid_size is None
    undecided = [key for key in found if found[key].holds is None]
    assert undecided == ["solvable"]
    check_witnesses(full, found)


def test_large_monoids_with_an_idle_symbol_are_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """An idle symbol puts the identity among the idempotents, so all triples are asked about."""
    language = with_idle_symbol(parse("d-12"))
    exact = ladder(language)["threshold_testable"]
    assert exact.holds is False
    monkeypatch.setattr(locally_testable, "MAX_WORK", 0)
    by_draws = ladder(language)
    assert by_draws["threshold_testable"].holds is False
    assert by_draws["threshold_testable"].words != exact.words
    check_witnesses(language, by_draws)


def test_draws_end_by_counted_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_refutation, "MAX_MOVES", 1)
    verdict = ladder(parse("regex:.*a.*b.*"), max_elements=1)["star_free"]
    assert verdict.holds is None
    assert "(and 1 draw of words shows nothing)" in verdict.says
