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
from lengthwise_papers.chi2023 import scratchpad, table1, table2
from lengthwise_papers.chi2023.table1 import FAR, NEAR, TABLE_1
from lengthwise_papers.chiang2022 import figure4, parity
from lengthwise_papers.experiment import CORPORA, MeasurementOptions, Record
from lengthwise_papers.trained import (
    CellRun,
    TrainedExperiment,
    accuracy_by_length,
    best_and_mean,
    difference,
    flops_of,
    mean_accuracy,
    mean_curve,
    one_digit,
    reaches,
)

TRAINED = [name for name, found in EXPERIMENTS.items() if isinstance(found, TrainedExperiment)]
SLOW = pytest.mark.slow


def found_by_test(wrong: dict[str, int], **more: Any) -> dict[str, Any]:
    """A test of 10 words at each of 41..44."""
    values = {
        "lengths": "41:44",
        "missing": [],
        "words_per_length": 10,
        "protocol": "published",
        "wrong": wrong,
        "shortcuts": {"majority": 0.5},
        **more,
    }
    curve = accuracy_by_length(values)
    values["mean_accuracy"] = sum(curve.values()) / len(curve)
    values["worst_accuracy"] = min(curve.values())
    return values


def record(row: str, column: str, seed: int, wrong: dict[str, int], **more: Any) -> Record:
    return {
        "row": row,
        "column": column,
        "seed": seed,
        "supervision": "final",
        "trained_on": "published, lengths 1..40",
        "steps": 10 + seed,
        "perfect": True,
        "seconds": 2.0,
        "parameters": 1234,
        "flops": 2_000_000,
        "tests": {NEAR: found_by_test(wrong)},
        **more,
    }


RECORDS = [
    record("parity", "regular-gpt C=2", 0, {}),
    record("parity", "regular-gpt C=2", 1, {}),
    record("parity", "rnn", 0, {"41": 1}),
    record("parity", "rnn", 1, {"41": 4, "44": 4}),
    record("parity", "transformer", 0, {str(n): 5 for n in range(41, 45)}),
    record(
        "parity",
        "binary",
        0,
        {},
        tests={
            NEAR: found_by_test({"42": 1}),
            FAR: found_by_test({"10000": 3}, lengths="1000,10000"),
        },
    ),
]


def test_accuracy_is_that_of_the_lengths_that_have_words() -> None:
    test = found_by_test({"42": 3, "44": 10}, missing=[43])
    assert accuracy_by_length(test) == {41: 1.0, 42: 0.7, 44: 0.0}


def test_best_and_mean_are_over_seeds_of_the_mean_over_lengths() -> None:
    runs = [one for one in RECORDS if one["column"] == "rnn"]
    assert best_and_mean(runs, NEAR) == pytest.approx((97.5, 88.75))
    assert mean_curve(runs, NEAR) == pytest.approx({41: 0.75, 42: 1.0, 43: 1.0, 44: 0.8})


def test_table_1_has_the_papers_layout() -> None:
    columns, rows = table1.table(RECORDS)
    lines = {row[1]: dict(zip(columns, row, strict=True)) for row in rows}
    assert {row[0] for row in rows} == {"parity"}
    assert lines["printed"]["RNN"] == "100.0 / 98.9"
    assert lines["measured"]["RNN"] == "97.5 / 88.7 (2 seeds)"
    assert lines["difference"]["RNN"] == "-2.5 / -10.2"
    assert lines["difference"]["RegularGPT C=2"] == "+0.0 / +0.0"
    assert "RegularGPT C=3" not in columns  # no run of it is there
    assert lines["printed"]["RegularGPT, binary memory"] == ""
    assert lines["measured"]["RegularGPT, binary memory"] == "97.5 (1 seed)"
    third = record("parity", "rnn", 2, {})
    columns, rows = table1.table([*RECORDS, third])
    assert "97.5 / " not in str(rows)
    assert "100.0 / 92.5'" in str(rows)


def test_words_of_another_kind_are_not_set_beside_the_print() -> None:
    audited = copy.deepcopy(RECORDS)
    for one in audited:
        one["tests"][NEAR]["protocol"] = "audited"
    assert {row[1] for row in table1.table(audited)[1]} == {"measured"}
    assert not any("printed" in one.says for one in table1.check(audited))


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


def test_binary_memory_is_told_by_its_worst_seed_and_length() -> None:
    columns, rows = table1.binary_table(RECORDS)
    line = dict(zip(columns, rows[0], strict=True))
    assert line["worst length %"] == "90.0"
    assert line["far beyond %"] == "1,000: 100.0, 10,000: 70.0"
    assert line["perfect in validation"] == "1 of 1"


def test_statements_fall_with_the_records() -> None:
    verdicts = {one.says: one.holds for one in table1.check(RECORDS)}
    reaches = "reaches what is printed, best and mean"
    (binary,) = (says for says in verdicts if says.startswith("with binary memory"))
    assert verdicts == {
        f"RegularGPT C=2 {reaches}": True,
        f"RNN {reaches}": False,
        binary: False,
    }
    worse: list[Record] = copy.deepcopy(RECORDS)
    worse[1]["tests"][NEAR] = found_by_test({"41": 1})
    worse[4]["tests"][NEAR] = found_by_test({})
    assert not any(one.holds for one in table1.check(worse))
    assert table1.check([]) == []


def test_a_transformer_fails_only_where_there_was_something_to_learn() -> None:
    """Which an RNN shows, from the same data."""

    def says(
        rnn: dict[str, int], transformer: dict[str, int], **more: Any
    ) -> list[tuple[bool, str]]:
        found = [
            record("parity", "rnn", 0, rnn),
            record("parity", "transformer", 0, transformer, **more),
        ]
        return [
            (one.holds, one.measured) for one in table1.check(found) if "Transformer" in one.says
        ]

    half = {str(n): 5 for n in range(41, 45)}
    assert says({"41": 5}, half) == []
    assert says({}, half, perfect=True) == [(True, "parity 50.0 (1 seed)")]
    assert says({}, half, perfect=False) == [
        (True, "parity 50.0 (1 seed) (not perfect at its training lengths)")
    ]
    assert says({}, {"41": 1}, perfect=True) == [(False, "parity 97.5 (1 seed)")]


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


def test_table_2_sets_means_beside_the_print() -> None:
    tests = {table2.SAME: found_by_test({}), table2.FARTHER: found_by_test({"41": 2})}
    records = [record("rnn", "P(1) = 0.3", seed, {}, tests=tests) for seed in (0, 1)]
    columns, rows = table2.table(records)
    measured = [dict(zip(columns, row, strict=True)) for row in rows if row[2] == "measured"]
    cells = {(row["test"], row["model"]): row["P(1) = 0.3"] for row in measured}
    assert cells[table2.SAME, "RNN"] == "100.0 (2 seeds)"
    assert cells[table2.FARTHER, "RNN"] == "95.0 (2 seeds)"
    differences = {row[4] for row in rows if row[1:3] == ["RNN", "difference"]}
    assert differences == {"+0.0", "-5.0"}
    (statement,) = table2.check(records)
    assert not statement.holds
    assert statement.measured == "least 95.0 (P(1) = 0.3, extrapolation), of 2 cells"


@pytest.mark.slow
def test_table_2_trains_its_rnn_as_table_1_does_on_parity() -> None:
    runs = table2.TABLE_2.runs(table2.TABLE_2.presets["laptop"], ())
    loops = {run.job.plan.training for run in runs if run.row == "rnn"}
    found = {(loop.steps, loop.learning_rate, loop.beta2, loop.weight_decay) for loop in loops}
    assert found == {(20_000, 3e-3, 0.95, 0.1)}
    of_table_1 = TABLE_1.runs(TABLE_1.presets["laptop"], ())
    [same] = [run for run in of_table_1 if (run.row, run.column) == ("parity", "rnn")][:1]
    assert same.job.plan.training in loops


def test_a_transformer_is_set_beside_an_rnn_that_is_right() -> None:
    def run(model: str, same: dict[str, int], farther: dict[str, int]) -> Record:
        tests = {table2.SAME: found_by_test(same), table2.FARTHER: found_by_test(farther)}
        return record(model, "P(1) = 0.3", 0, {}, tests=tests)

    def says(rnn: dict[str, int], other: dict[str, int]) -> list[tuple[bool, str]]:
        found = table2.check([run("rnn", {}, rnn), run("transformer", {"41": 4}, other)])
        return [(one.holds, one.measured) for one in found if "Transformer" in one.says]

    half = {str(n): 5 for n in range(41, 45)}
    assert says({"41": 2}, half) == []
    assert says({}, half) == [(True, "50.0 to 50.0, and at 40 symbols 90.0 to 90.0")]
    assert says({}, {"41": 5}) == [(False, "87.5 to 87.5, and at 40 symbols 90.0 to 90.0")]
    found = table2.check([run("rnn", {}, {}), run("transformer", half, half)])  # it learned nothing
    assert [one.holds for one in found if "Transformer" in one.says] == [False]


def of_figure_4(position: str, scale: str, length: int, seed: int, **end: float) -> Record:
    """A run that is at chance after the first tested epoch, and comes to `end` after the second."""
    begin = {"accuracy": 0.5, "bits": 9.0, "attention": 0.0}
    return {
        **{"position": position, "scale": scale, "length": length, "seed": seed},
        **{"test_words": 8, "test_length": 100, "epochs": [5, 10]},
        **{what: [begin[what], value] for what, value in end.items()},
    }


FIGURE_4_ENDS = {
    ("standard", 10): {"accuracy": 0.5, "bits": 1.0, "attention": 0.2},
    ("standard", 30): {"accuracy": 0.9, "bits": 0.5, "attention": 0.2},
    ("log-length", 10): {"accuracy": 1.0, "bits": 0.01, "attention": 0.9},
    ("log-length", 30): {"accuracy": 1.0, "bits": 0.01, "attention": 0.9},
}


def test_figure_4_is_judged_by_the_end_of_its_curves() -> None:
    def check(key: tuple[str, int] = ("standard", 10), **other: float) -> list[bool]:
        found = {**FIGURE_4_ENDS, key: {**FIGURE_4_ENDS[key], **other}}
        runs = [
            of_figure_4("first", scale, n, seed, **(end if seed else FIGURE_4_ENDS[scale, n]))
            for (scale, n), end in found.items()
            for seed in range(2)
        ]
        return [one.holds for one in figure4.check(runs)]

    assert check() == [True] * 5
    assert check(("standard", 30), accuracy=1.1) == [False, True, True, True, True]
    assert check(accuracy=0.9) == [True, False, True, True, True]
    assert check(("log-length", 30), accuracy=0.998) == [True, True, False, True, True]
    assert check(("log-length", 30), bits=0.1) == [True, True, True, False, True]
    assert check(("log-length", 10), attention=-0.6) == [True, True, True, True, False]


def test_figure_4_is_judged_for_each_kind_of_positions() -> None:
    both = [
        of_figure_4(position, scale, n, 0, **{**end, **worse})
        for position, worse in (("first", {"bits": 0.1}), ("first-early", {}))
        for (scale, n), end in FIGURE_4_ENDS.items()
    ]
    assert [one.holds for one in figure4.check(both)] == [*([True] * 3), False, *([True] * 6)]
    assert len(figure4.curves(both)) == 8
    assert len(figure4.check(both[:6])) == 5  # early positions lack their scaled curves yet
    assert len(figure4.check(both[:7])) == 10


def test_the_table_of_figure_4_counts_runs_without_an_error() -> None:
    end = FIGURE_4_ENDS["standard", 30]
    runs = [of_figure_4("first", "standard", 30, 0, **{**end, "accuracy": 1.0})]
    runs += [of_figure_4("first", "standard", 30, seed, **end) for seed in (1, 2, 3)]
    columns, [row] = figure4.table(runs)
    cells = dict(zip(columns, row, strict=True))
    assert cells["accuracy %"] == "92.5"
    assert (cells["runs without an error"], cells["worst run %"]) == ("1 of 4", "90.0")
    assert (cells["bits"], cells["epochs"]) == ("0.5000", "10")


@SLOW
def test_figure_4_is_reached_with_the_positions_of_the_early_code_alone(tmp_path: Path) -> None:
    """With n = 10 and scaling: some of 20 runs fail with the fixed positions of section 5.1."""
    sizes = figure4.Sizes(lengths=(10,), epochs=20, epochs_between_tests=20, test_words=50)
    runs = [
        found
        for part in figure4.parts(sizes, ())
        if part.settings["scale"] == "log-length"
        for found in figure4.measure(part.settings, tmp_path)
    ]
    ends = {key[0]: curve.ends("accuracy") for key, curve in figure4.curves(runs).items()}
    assert {name: len(right) for name, right in ends.items()} == {"first": 20, "first-early": 20}
    assert min(ends["first"]) < 0.8
    assert min(ends["first-early"]) == 1.0


def test_parity_is_learned_or_not_by_the_best_seed_at_the_lengths_of_training() -> None:
    def run(key: str, seed: int, near: dict[str, int], longest: int = 100) -> Record:
        tests = {parity.TRAINED: found_by_test(near), parity.FARTHER: found_by_test({"41": 5})}
        return record(f"1..{longest} symbols", key, seed, {}, tests=tests)

    half = {str(n): 5 for n in range(41, 45)}
    records = [run("standard", 0, half), run("standard", 1, half), run("rnn", 0, {}, 10)]
    assert parity.check(records) == []  # nothing shows that there was something to learn
    records.append(run("rnn", 0, {}))
    columns, rows = parity.table(records)
    cells = {tuple(row[:2]): dict(zip(columns, row, strict=True)) for row in rows}
    assert cells["1..100 symbols", "trained lengths"]["encoder"] == "50.0 / 50.0 (2 seeds)"
    assert cells["1..100 symbols", "trained lengths"]["RNN"] == "100.0 (1 seed)"
    assert cells["1..10 symbols", "farther"]["RNN"] == "87.5 (1 seed)"
    (statement,) = parity.check(records)
    assert statement.holds
    (statement,) = parity.check([*records, run("log-length", 0, {"41": 1})])
    assert not statement.holds
    assert "encoder 50.0 %, encoder, scaled by log n 97.5 %" in statement.measured
    assert statement.measured.endswith("RNN on the same words 100.0 %")
    assert parity.check([run("standard", 0, {}, 10), *records[3:]]) == []


def test_the_scratchpad_waits_for_every_symbol_and_regular_gpt_for_every_level() -> None:
    def run(model: str, seconds: float) -> Record:
        tests = {scratchpad.NEAR: found_by_test({}), scratchpad.FAR: found_by_test({})}
        tests[scratchpad.FAR]["seconds"] = seconds
        return record("parity", model, 0, {}, tests=tests)

    records = [run("scratchpad", 5.0), run("regular-gpt-binary", 0.5)]
    columns, rows = scratchpad.table(records)
    lines = {row[1]: dict(zip(columns, row, strict=True)) for row in rows}
    assert lines["scratchpad"]["steps that wait, T = 500"] == "500"
    assert lines["scratchpad"]["ms a word, T = 500"] == "500.00"
    assert lines["RegularGPT, binary memory"]["steps that wait, T = 500"] == "9"
    (statement,) = scratchpad.check(records)
    assert statement.holds
    assert statement.measured == (
        "500 steps that wait, at two places each, and 9 levels for 500 symbols; "
        "less time: parity 10 times"
    )
    assert not scratchpad.check([records[0], run("regular-gpt-binary", 6.0)])[0].holds
    assert scratchpad.check(records[:1]) == []
    wrong = copy.deepcopy(records)
    wrong[0]["tests"][scratchpad.NEAR] = found_by_test({"42": 1})
    assert scratchpad.check(wrong) == []  # their time says nothing
    others = copy.deepcopy(wrong)
    for one in others:
        one["row"] = "group:S5"
    others[1]["row"] = "d-2"  # of which there is no scratchpad
    (statement,) = scratchpad.check([*records, *others, {**others[1], "row": "group:S5"}])
    assert statement.holds
    assert statement.measured.endswith(
        "parity 10 times; group:S5 is left out, as it was not learned: scratchpad 97.5 % right"
    )


def test_the_scratchpad_is_printed_with_the_steps_of_the_paper() -> None:
    """Section 2.3 counts a step for each place of the interleaved symbols and states."""
    assert "2T steps of sequential decoding" in EXPERIMENTS["chi2023/scratchpad"].printed


def test_the_cost_of_learned_positions_is_that_of_a_word_they_have_room_for() -> None:
    def cost(position: str, max_length: int) -> int:
        settings = {"position": position, "max_length": max_length}
        plan = make_plan(parse("parity"), "encoder-cls", preset="smoke", settings=settings)
        return flops_of(plan)

    assert cost("learned", 40) < cost("learned", 500) == cost("sinusoidal", 40)


# ---- runs that are chosen ----------------------------------------------------------------------


@pytest.mark.slow_for(
    "laptop-chi2023/table1-groups",
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
    with pytest.raises(ConfigError, match="seed 1 comes twice"):
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
