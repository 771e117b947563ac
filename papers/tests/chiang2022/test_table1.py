"""Table 1 of Chiang and Cholak (2022): its tables and verdicts are functions of records."""

import json
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import TextError
from lengthwise_papers.chiang2022.table1 import (
    ALL,
    BASELINE,
    MATCHED,
    PUBLISHED,
    SCALED,
    SHORT,
    TABLE_1,
    check,
    details_table,
    figures,
    table,
)
from lengthwise_papers.experiment import MeasurementOptions, Record


def _test(bleu: float, spread: float = 0.2, text: str = "bible.tsv (en to vi)") -> Record:
    """The samples of different systems go up and down together, as those of one test do."""
    samples = [bleu + spread * ((7 * n) % 11 - 5) + n % 3 / 10 for n in range(1_000)]
    return {
        "sentences": 100,
        "text": text,
        "test": "a digest",
        "words_per_length": 100,
        "lengths": "10,20",
        "shortcuts": {},
        "bleu": bleu,
        "interval_95": [bleu - 1, bleu + 1],
        "chrf": 2 * bleu,
        "length_ratio": 1.0,
        "seconds": 3.0,
        "samples": samples,
        "by_length": [
            {"first": 0, "last": 10, "sentences": 60, "bleu": bleu + 1},
            {"first": 11, "last": 20, "sentences": 40, "bleu": bleu - 1},
        ],
    }


def _record(row: str, column: str, seed: int, **tests: Record) -> Record:
    return {"row": row, "column": column, "seed": seed, "tests": tests, "trained_on": "pairs"}


def _records(short: float = 2.0, both: float = 0.0) -> list[Record]:
    found = []
    for seed in (0, 1):
        for row, gain in ((ALL, both), (SHORT, short)):
            for column in (BASELINE, SCALED):
                bleu = 20.0 + seed + (gain if column == SCALED else 0.0)
                far = _test(bleu / 4)
                found.append(_record(row, column, seed, test=_test(bleu), ntrex=far))
    return found


def _verdicts(records: list[Record]) -> list[bool | None]:
    return [statement.holds for statement in check(records)]


def test_the_statements_hold_where_scaling_helps_on_long_sentences_alone() -> None:
    assert _verdicts(_records()) == [True, True]
    assert _verdicts(_records(short=-2.0)) == [True, False]
    assert _verdicts(_records(both=2.0)) == [False, True]
    assert _verdicts(_records(short=0.0)) == [True, False]
    assert check([]) == []


@pytest.mark.parametrize(
    ("both", "short", "holds"),
    [(0.0, 2.0, True), (2.0, 2.0, True), (-2.0, 2.0, False), (0.0, 0.0, False), (0.0, -2.0, False)],
)
def test_matched_must_be_no_worse_anywhere_and_better_on_long_sentences(
    both: float, short: float, holds: bool
) -> None:
    records = _records()
    for one in _records(short=short, both=both):
        if one["column"] == SCALED:
            records.append({**one, "column": MATCHED})
    *_, ours = check(records)
    assert (ours.where, ours.holds) == ("ours", holds)
    assert _verdicts(records)[:2] == [True, True]
    rows = [row for row in table(records).rows if row[3] == MATCHED]
    assert len(rows) == 4
    assert all(row[5] == "" for row in rows)


def test_one_seed_that_is_not_significant_fails_the_statement() -> None:
    records = _records()
    for one in records:
        if one["row"] == SHORT and one["seed"] == 1 and one["column"] == SCALED:
            one["tests"]["test"] = _test(21.0)
    (_, long) = check(records)
    assert not long.holds
    assert "1 of 2 seeds" in long.measured


def test_the_table_has_printed_and_measured_of_every_test() -> None:
    columns, rows = table(_records())
    assert columns[3:6] == ["column", "printed baseline", "printed column"]
    assert {row[3] for row in rows} == {SCALED}
    found = {(row[0], row[1].partition(":")[0]): [row[2], *row[4:]] for row in rows}
    assert set(found) == {(row, test) for row in (ALL, SHORT) for test in ("test", "ntrex")}
    short = found[SHORT, "test"]
    assert short[:5] == ["100", "11.4", "12.4", "20.5 (20.0 to 21.0)", "22.5 (22.0 to 23.0)"]
    assert short[5] == "+2.0, +2.0"
    assert found[ALL, "ntrex"][1:3] == ["", ""]
    assert PUBLISHED[SHORT, SCALED] == 12.4


def test_a_seed_without_its_counterpart_is_not_compared() -> None:
    records = _records()[:-1]
    (row,) = [
        row
        for row in table(records).rows
        if row[0] == SHORT and row[1].startswith("test: bible.tsv")
    ]
    assert row[6] == "20.0"
    assert len(details_table(records).rows) == 2 * len(records)


def test_the_figure_has_a_panel_for_each_protocol_and_test() -> None:
    picture: Any = figures(_records())["bleu"]
    titles = {axes.get_title() for axes in picture.axes}
    assert {f"{ALL}, test", f"{SHORT}, ntrex"} <= titles
    (panel,) = [axes for axes in picture.axes if axes.get_title() == f"{SHORT}, test"]
    lines = {line.get_label(): line.get_ydata().tolist() for line in panel.lines}
    assert lines[SCALED] == [23.5, 21.5]
    assert figures([]) == {}


def test_of_numbers_is_said_whether_they_are_right_and_nothing_of_long_sentences() -> None:
    numbers = "numbers (digits to words)"
    for least, holds in ((90.5, True), (89.5, False)):
        tests = {SCALED: _test(least, text=numbers), BASELINE: _test(99.0, text=numbers)}
        records = [_record(ALL, column, 0, test=test) for column, test in tests.items()]
        (statement,) = check(records)
        assert (statement.where, statement.holds) == ("ours", holds)
        (row,) = table(records).rows
        assert row[4:6] == ["", ""]


@pytest.mark.parametrize("preset", ["laptop", "paper"])
def test_a_text_is_asked_for(preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = MeasurementOptions(progress=lambda done, steps: None)
    with pytest.raises(TextError, match=f"pairs-{preset} holds no prepared corpus. Make one"):
        TABLE_1.collect("chiang2022/table1", preset, options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_numbers_are_translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = MeasurementOptions(progress=lambda done, steps: None)
    records = TABLE_1.collect("chiang2022/table1", "smoke", options)
    assert json.loads(json.dumps(records)) == records
    (of_numbers,) = check(records)
    assert of_numbers.says.startswith("numbers that were not in training")
    assert of_numbers.holds, of_numbers.measured
