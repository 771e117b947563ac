"""Words needed: which languages and words are measured, and what the table says."""

from pathlib import Path

import pytest

from lengthwise_papers.experiment import Record
from lengthwise_papers.own.words_needed import WORDS_NEEDED, measure, parts

SETTINGS = {
    **{"class": "SL", "symbols": 4, "lengths": [1, 10], "words": 200, "seed": 10},
    "budget": 20,
}


def test_every_class_range_and_number_is_a_part_and_long_words_get_more_time() -> None:
    every = parts(WORDS_NEEDED.presets["laptop"], ())
    assert len(every) == len({part.digest for part in every}) == 4 * 3 * 5 * 2
    budgets = {tuple(p.settings["lengths"]): p.settings["budget"] for p in every}
    assert budgets == {(1, 10): 20, (5, 15): 20, (20, 29): 60}
    assert {p.settings["seed"] for p in parts(WORDS_NEEDED.presets["smoke"], (3,))} == {3}


@pytest.mark.parametrize(("count", "is_found"), [(200, True), (2, False)])
def test_a_language_is_found_from_enough_words(count: int, is_found: bool, tmp_path: Path) -> None:
    (record,) = measure({**SETTINGS, "words": count}, tmp_path)
    assert (record["drawn"], record["found"]) == (count, is_found)
    assert (record["states"] == record["true_states"]) is is_found


def record(kind: str, first: int, words: int, found: bool) -> Record:
    return {"class": kind, "lengths": [first, 9], "words": words, "found": found}


def test_the_table_has_a_row_for_each_class_and_range() -> None:
    records = [
        record("Zp", 5, 50, True),
        record("SL", 5, 50, False),
        record("SL", 1, 50, True),
        record("SL", 1, 50, False),
        record("SL", 1, 3_000, True),
    ]
    header, rows = WORDS_NEEDED.table(records)
    assert header == ["class", "symbols of a word", "50 words", "3,000 words"]
    assert rows == [
        ["windows (SL)", "1 to 9", "1 of 2", "1 of 1"],
        ["windows (SL)", "5 to 9", "0 of 1", ""],
        ["counts (Zp)", "5 to 9", "1 of 1", ""],
    ]


def test_short_words_have_to_show_every_language() -> None:
    good = [record("SL", 1, 3_000, True), record("SL", 20, 3_000, False)]
    assert [one.holds for one in WORDS_NEEDED.check(good)] == [True, True]
    bad = [record("SL", 1, 3_000, False), record("SL", 20, 3_000, True)]
    assert [one.holds for one in WORDS_NEEDED.check(bad)] == [False, False]
