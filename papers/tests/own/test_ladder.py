"""The languages of `own/ladder` stand where they are said to, and theory says what it says."""

import json
from pathlib import Path

import pytest

from lengthwise.languages.spec import language
from lengthwise_papers.own.ladder import (
    EACH,
    NAMED,
    WINDOW,
    Sizes,
    check,
    expectation,
    parts,
)
from lengthwise_papers.own.random_languages import random_of_rung

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


def test_two_layers_lose_balanced_words_at_even_lengths() -> None:
    """What the page says of the exceptions, by the records."""
    records = json.loads((RESULTS / "own-ladder.json").read_text())["records"]
    named = {"regex:(ab)*", "regex:(a(ab)*b)*", "d-2", "d-3", "d-4"}
    runs = [one for one in records if one["network"] == "2 layers" and one["language"] in named]
    lost = [one["accuracy_by_length"] for one in runs if not one["carries"]]
    assert lost
    for shares in lost:
        odd, even = ([n for n in shares if int(n) % 2 == rest] for rest in (1, 0))
        assert all(shares[n] >= 0.98 for n in odd)
        assert all(shares[n] < 0.95 for n in even if int(n) >= 194)
    early = sorted(shares["92"] for shares in lost)
    assert early[0] == 0.5
    assert early[1] >= 0.89
