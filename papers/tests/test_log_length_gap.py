"""What scaling by log n does by the length of training: tables and verdicts of records."""

from pathlib import Path
from typing import Any

import pytest

from lengthwise_papers.chiang2022 import table1
from lengthwise_papers.chiang2022.table1 import BASELINE, MATCHED, SCALED, SHORT, Sizes
from lengthwise_papers.experiment import Record
from lengthwise_papers.own.log_length_gap import (
    LOG_LENGTH_GAP,
    check,
    figures,
    gaps,
    table,
)

BASELINES = {600: 3.0, 1_200: 5.0, 2_400: 6.0}


def record(steps: int, column: str, bleu: float, seed: int = 0) -> Record:
    test = {
        **{"sentences": 100, "text": "bible.tsv (en to vi)", "test": "a digest"},
        **{"bleu": bleu, "samples": [bleu + (7 * n) % 11 / 50 for n in range(1_000)]},
    }
    row = f"after {steps:,} steps"
    return {"row": row, "column": column, "seed": seed, "tests": {"test": test}}


def records(**differences: list[float]) -> list[Record]:
    """Records of seed 0 in which columns differ from the baseline so, steps after steps."""
    found = [record(steps, BASELINE, bleu) for steps, bleu in BASELINES.items()]
    for column, given in differences.items():
        for (steps, bleu), difference in zip(BASELINES.items(), given, strict=False):
            found.append(record(steps, column, bleu + difference))
    return found


def test_steps_are_read_from_rows_and_sorted() -> None:
    found = gaps(list(reversed(records(scaled=[-1.0, -0.5, 0.25]))), SCALED)
    assert list(found) == [600, 1_200, 2_400]
    assert [of[0].difference for of in found.values()] == pytest.approx([-1.0, -0.5, 0.25])
    assert gaps(records(scaled=[1.0]), MATCHED) == {}


def test_a_row_has_the_mean_and_the_difference_of_each_seed() -> None:
    more = [record(600, BASELINE, 4.0, seed=1), record(600, SCALED, 4.5, seed=1)]
    shown = table([*records(scaled=[-1.0]), *more])
    assert shown.rows[0][:6] == ["scaled", "600", "2", "3.5", "3.2", "-1.00, +0.50"]
    assert len(shown.rows) == 1


@pytest.mark.parametrize(("last", "holds"), [(-0.9, True), (-1.0, False), (-1.1, False)])
def test_a_column_gains_if_it_stands_better_at_the_end(last: float, holds: bool) -> None:
    found = check(records(scaled=[-1.0, 0.5, last], matched=[0.0]))
    assert [one.holds for one in found] == [holds]
    assert found[0].measured == f"600: -1.00, 2,400: {last:+.2f} BLEU, seed 0"


def test_ends_are_compared_by_the_seeds_of_both() -> None:
    more = [record(600, BASELINE, 3.0, seed=1), record(600, SCALED, 9.0, seed=1)]
    given = records(scaled=[-1.0, 0.5, -0.5])
    assert check([*given, *more]) == check(given)
    assert check(given)[0].holds
    last = [one for one in given if one["row"] == "after 2,400 steps"]
    assert check([*more, *last]) == []


def test_means_are_of_the_seeds_that_are_compared() -> None:
    more = [record(600, BASELINE, 30.0, seed=1)]
    assert table([*records(scaled=[-1.0]), *more]) == table(records(scaled=[-1.0]))


def test_a_run_that_failed_is_left_out() -> None:
    given = records(scaled=[-1.0, -0.5])
    failed = {"row": "after 1,200 steps", "column": SCALED, "seed": 1, "error": "it diverged"}
    assert check([*given, failed]) == check(given)
    assert table([*given, failed]) == table(given)


def test_nothing_is_said_of_numbers() -> None:
    given = records(scaled=[-1.0, -0.5])
    for one in given:
        one["tests"]["test"]["text"] = "numbers (digits to words)"
    assert table1.is_of_numbers(given[0]["tests"]["test"])
    assert check(given) == []


def test_the_figure_has_a_line_for_each_column_that_was_run() -> None:
    (axes,) = figures(records(scaled=[-1.0, -0.5, 0.25], matched=[0.5]))["gap"].axes
    lines: dict[str, Any] = {str(line.get_label()): line for line in axes.get_lines()}
    assert list(lines["scaled"].get_xdata()) == [600, 1_200, 2_400]
    assert list(lines["scaled"].get_ydata()) == pytest.approx([-1.0, -0.5, 0.25])
    assert list(lines["matched"].get_xdata()) == [600]
    assert figures(records()) == {}


@pytest.mark.parametrize("preset", ["laptop", "paper"])
def test_only_the_length_of_training_differs_from_the_table(
    preset: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With the table's own number of steps the runs are the table's."""
    of_table = table1.TABLE_1.presets[preset]
    monkeypatch.chdir(tmp_path)
    corpus = table1.TABLE_1.presets["smoke"].corpus()
    monkeypatch.setattr(Sizes, "corpus", lambda self: corpus)
    found = LOG_LENGTH_GAP.runs(LOG_LENGTH_GAP.presets[preset], ())
    steps = of_table.settings["steps"]
    own = {run.job.digest for run in found if run.row == f"after {steps:,} steps"}
    theirs = {run.job.digest for run in table1.runs(of_table, ()) if run.row == SHORT}
    assert own == theirs
    for run in found:
        training = run.job.plan.training
        assert training.warmup * steps == training.steps * of_table.settings["warmup"]
        assert run.row == f"after {training.steps:,} steps"
