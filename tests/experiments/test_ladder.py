"""The languages of `own/ladder` stand where they are said to, and theory says what it says."""

import json
from pathlib import Path

import pytest

from lengthwise.experiments.own.ladder import (
    EACH,
    NAMED,
    WINDOW,
    Sizes,
    check,
    expectation,
    parts,
)
from lengthwise.experiments.own.random_languages import random_of_rung
from lengthwise.languages.spec import language

RESULTS = Path(__file__).parents[2] / "results"


@pytest.mark.slow_except("generalised_definite", "solvable")
@pytest.mark.parametrize("rung", NAMED)
def test_languages_stand_on_their_rung(rung: str) -> None:
    for spec in NAMED[rung]:
        assert language(spec).ladder().rung.key == rung
    drawn = random_of_rung(rung, 100)
    found = drawn.ladder()
    assert found.rung.key == rung
    assert not found["finite"].holds
    assert not found["co_finite"].holds
    assert (found["solvable"].holds is False) == (rung == "regular")
    again = random_of_rung(rung, 100)
    assert (drawn.transitions, drawn.classes) == (again.transitions, again.classes)


def test_every_rung_has_as_many_languages() -> None:
    names = [part.name for part in parts(Sizes(), ()) if ", rnn, seed 0" in part.name]
    assert len(set(names)) == len(names) == EACH * len(NAMED)


@pytest.mark.parametrize(
    ("spec", "decoder", "window"),
    [
        ("regex:(ab)*", "yes", "yes"),
        ("tomita-4", "open", "open"),
        ("even-pairs", "open", "yes"),
        ("parity", "no", "no"),
        ("group:S3", "no", "no"),
    ],
)
def test_theory_says_yes_no_or_nothing(spec: str, decoder: str, window: str) -> None:
    ladder = language(spec).ladder()
    assert expectation("1 layer", ladder) == expectation("2 layers", ladder) == decoder
    assert expectation(WINDOW, ladder) == window
    assert expectation("rnn", ladder) == expectation("regular-gpt", ladder) == "yes"


def test_what_no_network_was_asked_is_no_statement() -> None:
    records = json.loads((RESULTS / "own-ladder.json").read_text(encoding="utf-8"))["records"]
    assert [statement.where for statement in check(records)] == ["ours", "ours"]
    for record in records[:40]:
        said = check([record])
        assert len(said) <= 1
        assert {statement.measured for statement in said} <= {"0 of 1", "1 of 1"}
