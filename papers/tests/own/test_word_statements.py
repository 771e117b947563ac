"""Statements about words are true, by the law that the words were drawn by."""

from pathlib import Path

import numpy as np
import pytest

from lengthwise_papers.own.word_statements import KINDS, WORD_STATEMENTS, Source, measure


@pytest.mark.slow
def test_at_most_one_statement_of_a_thousand_is_false(tmp_path: Path) -> None:
    made = false = 0
    for kind in KINDS:
        settings = {"kind": kind, "statements": 2_000, "files": 10, "seed": 1}
        (record,) = measure(settings, tmp_path)
        made += record["made"] + record["searched"]
        false += record["false"] + record["false_of_searched"]
        assert record["wrongly_refuted"] == 0, kind
    assert made > 20_000
    assert false <= made / 1_000


@pytest.mark.parametrize("kind", ["one word is 50 % of the lines", "Zipf's law, 5 % wrong"])
def test_few_statements_are_true(kind: str, tmp_path: Path) -> None:
    settings = {"kind": kind, "statements": 60, "files": 0, "seed": 2}
    (record,) = measure(settings, tmp_path)
    assert (record["made"], record["false"]) == (60, 0)


@pytest.mark.parametrize("name", ["Zipf's law, bursts of 8", "Zipf's law, 5 % wrong"])
def test_the_law_says_how_many_words_are_there(name: str) -> None:
    """The chances of a word against many files."""
    kind, draw = KINDS[name], np.random.default_rng(0)
    source = Source.of(kind, 0, draw)
    wrong, right = source.chances(kind, 400)
    seen = np.zeros((2, len(source.written)))
    for _ in range(300):
        lines, flipped = source.lines(kind, 400, draw)
        seen[0] += 2 * flipped > lines
        seen[1] += 2 * flipped < lines
    for found, law in zip(seen, (wrong, right), strict=True):
        assert found.sum() == pytest.approx(300 * law.sum(), rel=0.05, abs=1)
        spread = np.sqrt(300 * law * (1 - law)) + 1
        assert (np.abs(found - 300 * law) < 6 * spread).all()


def test_a_row_for_each_kind_and_one_for_all() -> None:
    record = {
        **{"kind": "own", "made": 5, "false": 1, "false_of_draws": [3, 2], "searched": 2},
        **{"false_of_searched": 0, "wrongly_refuted": 0},
    }
    rows = WORD_STATEMENTS.table([record, {**record, "kind": "other"}]).rows
    assert rows == [
        ["own", "5", "1", "3", "2", "0", "0"],
        ["other", "5", "1", "3", "2", "0", "0"],
        ["all", "10", "2", "6", "4", "0", "0"],
    ]
    assert [one.holds for one in WORD_STATEMENTS.check([record])] == [False, True]
