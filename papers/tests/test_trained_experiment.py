"""Tables of trained models, from records that are written down here: what they say, and judge."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import ConfigError, RunError
from lengthwise.languages.spec import parse
from lengthwise.problems.planning import make_plan
from lengthwise.text.data.numbers import DIGITS, WORDS
from lengthwise.text.data.parallel_corpus import PairsConfig, prepare_parallel
from lengthwise.text.data.text_corpus import PrepareConfig, prepare_corpus
from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.cells import (
    accuracy_by_length,
    difference,
    mean_accuracy,
    one_digit,
    reaches,
)
from lengthwise_papers.chi2023 import table1
from lengthwise_papers.chi2023.table1 import TABLE_1
from lengthwise_papers.chi2023.table1_columns import NEAR
from lengthwise_papers.chi2023.table1_statements import check
from lengthwise_papers.experiment import CORPORA, MeasurementOptions, Record
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment, flops_of
from trained_records import RECORDS, make_test_record, record

TRAINED = [name for name, found in EXPERIMENTS.items() if isinstance(found, TrainedExperiment)]
SLOW = pytest.mark.slow


@pytest.mark.parametrize("name", TRAINED)
def test_seeds_are_counted_from_0_so_that_no_run_is_counted_twice(name: str) -> None:
    found = EXPERIMENTS[name]
    assert isinstance(found, TrainedExperiment)
    for preset in found.presets:
        sizes = found.presets[preset]
        [seeds] = [getattr(sizes, each) for each in ("seeds", "trials") if hasattr(sizes, each)]
        for each in (seeds, *getattr(sizes, "seeds_of", {}).values()):
            assert tuple(each) == tuple(range(len(each)))


def test_accuracy_is_that_of_the_lengths_that_have_words() -> None:
    test = make_test_record({"42": 3, "44": 10}, missing=[43])
    assert accuracy_by_length(test) == {41: 1.0, 42: 0.7, 44: 0.0}


def test_all_means_all() -> None:
    assert [one_digit(value) for value in (100.0, 99.99, 99.95, 0.0)] == [
        "100.0",
        "99.9",
        "99.9",
        "0.0",
    ]


def test_what_rounds_to_the_print_reaches_it() -> None:
    assert [reaches(value, 100.0) for value in (100.0, 99.9986, 99.951, 99.949)] == [
        *([True] * 3),
        False,
    ]
    assert [difference(value, 100.0) for value in (100.0, 99.9986, 99.9, 99.84)] == [
        "+0.0",
        "+0.0",
        "-0.1",
        "-0.2",
    ]


def test_even_and_odd_lengths_weigh_alike() -> None:
    """Of 51, 54, ..., 99 nine are odd; a constant answer to D_2 is right on these."""
    lengths = range(51, 100, 3)
    wrong = {str(n): 4 for n in lengths if n % 2 == 0}
    test = {"lengths": "51:99:3", "words_per_length": 8, "missing": [], "wrong": wrong}
    assert mean_accuracy(test) == 0.75
    assert mean_accuracy({**test, "lengths": "51:96:3"}) == 0.75
    assert mean_accuracy({**test, "lengths": "51:99:2"}) == 1.0
    assert mean_accuracy({**test, "missing": [*range(51, 100, 6)]}) == 0.5


@given(
    data=st.data(),
    first=st.integers(1, 60),
    step=st.integers(1, 30),
    count=st.integers(2, 12),
)
def test_lengths_that_are_not_tested_count_as_those_around_them(
    data: st.DataObject, first: int, step: int, count: int
) -> None:
    """The oracle interpolates between tested lengths, of even and of odd ones for themselves."""
    asked = range(first, first + step * count, step)
    wrong = {str(n): data.draw(st.integers(0, 8)) for n in asked}
    found = mean_accuracy(
        {
            "lengths": f"{asked[0]}:{asked[-1]}:{step}",
            **{"words_per_length": 8, "missing": [], "wrong": wrong},
        }
    )
    means = []
    for rest in (0, 1):
        if alike := [n for n in asked if n % 2 == rest]:
            right = [1 - wrong[str(n)] / 8 for n in alike]
            means.append(np.interp(range(alike[0], alike[-1] + 1, 2), alike, right).mean())
    assert found == pytest.approx(sum(means) / len(means), rel=1e-12)
    if step == 1 and count % 2 == 0:
        assert found == pytest.approx(1 - sum(wrong.values()) / (8 * count))


def test_statements_fall_with_the_records() -> None:
    verdicts = {one.says: one.holds for one in check(RECORDS)}
    reaches = "reaches the printed best and mean"
    (binary,) = (says for says in verdicts if says.startswith("with binary memory"))
    assert verdicts == {
        f"RegularGPT C=2 {reaches}": True,
        f"RNN {reaches}": False,
        binary: False,
    }
    worse: list[Record] = copy.deepcopy(RECORDS)
    worse[1]["tests"][NEAR] = make_test_record({"41": 1})
    worse[4]["tests"][NEAR] = make_test_record({})
    assert not any(one.holds for one in check(worse))
    assert check([]) == []


def test_a_failed_run_is_shown_and_counts_nowhere() -> None:
    failed = {**record("parity", "rnn", 2, {}), "error": "ClaimError: the loss is nan"}
    columns, rows = TABLE_1.tables([*RECORDS, failed])["Runs"]
    assert rows[-1][:3] == ["parity", "rnn", "failed: ClaimError: the loss is nan"]
    assert rows[-1][4] == "2"
    (ended, *others) = TABLE_1.check([*RECORDS, failed])
    assert (ended.says, ended.holds) == ("every run ends", False)
    assert others == TABLE_1.check(RECORDS)
    assert {len(row) for row in rows} == {len(columns)}
    assert table1.table([*RECORDS, failed]) == table1.table(RECORDS)


def test_tables_without_a_row_are_left_out() -> None:
    assert "At training lengths" not in TABLE_1.tables(RECORDS)
    recurrent = [one for one in RECORDS if one["column"] == "rnn"]
    assert list(TABLE_1.tables(recurrent)) == ["", "Runs"]


def test_runs_are_told_with_what_they_cost() -> None:
    columns, rows = TABLE_1.tables(RECORDS)["Runs"]
    line = dict(zip(columns, rows[0], strict=True))
    assert line["seeds"] == "0, 1"
    assert line["steps"] == "10 to 11"
    assert line["parameters trained"] == "1,234"
    assert line["Mflop a word (languages: of 500 symbols)"] == "2.0"
    assert line["words at each of"] == "10 at 41:44"


def test_the_cost_of_learned_positions_is_that_of_a_word_they_have_room_for() -> None:
    def cost(position: str, max_length: int) -> int:
        settings = {"position": position, "max_length": max_length}
        plan = make_plan(parse("parity"), "encoder-cls", preset="smoke", settings=settings)
        return flops_of(plan)

    assert cost("learned", 40) < cost("learned", 500) == cost("sinusoidal", 40)


# ---- runs that are chosen ----------------------------------------------------------------------


@pytest.mark.slow_for(
    "laptop-chi2023/figure4",
    "laptop-chi2023/table1-groups",
    "laptop-chi2023/table3",
    "laptop-chiang2022/table1",
    "smoke-chi2023/table3",
    "smoke-chiang2022/table1",
)
@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("preset", ["smoke", "laptop", pytest.param("paper", marks=SLOW)])
def test_no_two_runs_are_the_same(
    name: str, preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if name in ("chi2023/table3", "chi2023/figure4"):  # they read a corpus; any will do
        small = PrepareConfig(vocab_size=257)
        prepare_corpus(CORPORA / preset, {"train": ["python-topics"]}, small)
    if name == "chiang2022/table1":
        pairs = PairsConfig(vocab_size=300)
        folder = CORPORA / f"pairs-{preset}"
        prepare_parallel(folder, {"train": ["numbers"]}, (DIGITS, WORDS), pairs)
    experiment = EXPERIMENTS[name]
    assert isinstance(experiment, TrainedExperiment)
    runs: list[CellRun] = experiment.runs(experiment.presets[preset], ())
    assert len({run.name for run in runs}) == len({run.job.digest for run in runs}) == len(runs)


def _quiet(done: int, steps: int) -> None:
    pass


def test_what_cannot_be_chosen_is_refused(tmp_path: Any) -> None:
    def collect(**chosen: Any) -> list[Record]:
        options = MeasurementOptions(progress=_quiet, runs=tmp_path, **chosen)
        return TABLE_1.collect("chi2023/table1", "smoke", options)

    with pytest.raises(ConfigError, match="none of the 3 runs of chi2023/table1 has lstm"):
        collect(only=("lstm",))
    with pytest.raises(ConfigError, match="seed 1 is given twice"):
        collect(seeds=(1, 1))
    with pytest.raises(RunError, match="has no finished run of these"):
        collect(finished=True)
    (made,) = collect(only=("rnn", "seed 7"), seeds=(7, 8))
    assert (made["row"], made["column"], made["seed"]) == ("parity", "rnn", 7)
    assert collect(seeds=(7, 8), finished=True) == [made]
    figure = EXPERIMENTS["chiang2022/figure3"]
    with pytest.raises(ConfigError, match="has no runs to choose"):
        figure.collect(
            "chiang2022/figure3", "smoke", MeasurementOptions(progress=_quiet, seeds=(1,))
        )
