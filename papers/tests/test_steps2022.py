"""Tables and figures of what steps buy, from records that are written down here."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.layers.encodings import OWN_COORDINATES
from lengthwise.models.decoder import DecoderConfig
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan
from lengthwise.sweeps.job import Job
from lengthwise.sweeps.sweep import Progress
from lengthwise_papers.experiment import MeasurementOptions, Record, Table
from lengthwise_papers.own import body_sizes
from lengthwise_papers.steps2022 import figure2, table1, table2, tasks
from lengthwise_papers.steps2022.table1 import FIGURE_3, FIGURE_4, TABLE_1, Choice


def record(regime: str, bits: int, choice: Choice, exact: float, seed: int = 0) -> Record:
    test = {
        "lengths": str(2 * bits),
        "missing": [],
        "words_per_length": 10_000,
        "mean_accuracy": exact,
        "shortcuts": {},
        "wrong": {},
    }
    return {
        "row": f"{regime}, n = {bits}",
        "column": str(choice),
        "seed": seed,
        "supervision": regime,
        "trained_on": "10,000 examples",
        "steps": 10,
        "seconds": 1.0,
        "parameters": 5,
        "flops": 7,
        "tests": {"unseen": test},
    }


SINE, HOT = Choice(128, 10_000, "sinusoidal"), Choice(128, 10_000, "one-hot")
FEW = Choice(128, 1_000, "sinusoidal")
RECORDS = [
    record("strong", 8, SINE, 0.9999),
    record("strong", 8, SINE, 1.0, seed=1),
    record("strong", 8, HOT, 0.5),
    record("strong", 8, FEW, 0.995),
    record("weak", 16, SINE, 0.4),
    record("medium", 16, SINE, 0.01),
    {**record("strong", 16, SINE, 0.0), "error": "ClaimError: the loss is nan"},
]


def by_name(table: Table) -> dict[tuple[str, str], dict[str, str]]:
    """The cells of a table, by the first two columns and by column."""
    columns, rows = table
    return {(row[0], row[1]): dict(zip(columns, row, strict=True)) for row in rows}


def test_the_best_of_the_grid_stands_beside_the_print() -> None:
    lines = by_name(table1.table(RECORDS))
    assert lines["strong", "printed"]["n = 8"] == "1.0000"
    assert lines["strong", "measured"]["n = 8"] == "1.0000"
    assert lines["strong", "runs"]["n = 8"] == "4"
    assert lines["strong", "measured"]["n = 16"] == "not run"
    assert lines["weak", "measured"]["n = 16"] == "0.4000"
    assert lines["weak", "printed"]["n = 48"] == "0.0000"
    _, found = table1.best_table(RECORDS)
    assert ["strong", "8", "width 128, 10,000 examples, sinusoidal", "1.0000"] in found


def test_statements_of_table_1_fall_with_the_records() -> None:
    assert [one.holds for one in TABLE_1.judge(RECORDS)] == [True, True, True]
    worse = [
        record("strong", 8, SINE, 0.99),
        record("weak", 16, SINE, 0.5),
        record("medium", 24, SINE, 0.06),
    ]
    assert [one.holds for one in TABLE_1.judge(worse)] == [False, False, False]
    for exact in (1.0, 0.0044):
        (printed,) = TABLE_1.judge([record("weak", 8, SINE, exact), record("medium", 8, SINE, 0.0)])
        assert printed.says == "at n = 8 weak supervision is enough, as is printed"
        assert printed.holds == (exact == 1.0)
    assert TABLE_1.judge([record("strong", 3, SINE, 1.0)]) == []  # nothing is printed of it


def test_figures_3_and_4_compare_what_they_say() -> None:
    (positions,) = FIGURE_3.judge(RECORDS)
    assert positions.holds
    assert positions.measured == "n = 8: 1.0000, others 0.5000"
    (examples,) = FIGURE_4.judge(RECORDS)
    assert examples.holds
    assert examples.measured == "n = 8: 0.9950, others 1.0000"
    (positions,) = FIGURE_3.judge([*RECORDS, record("strong", 16, HOT, 1.0), RECORDS[0]])
    assert positions.holds
    both = [*RECORDS, record("strong", 16, HOT, 0.9), record("strong", 16, SINE, 0.8)]
    assert not FIGURE_3.judge(both)[0].holds
    short = [record("strong", 8, SINE, 1.0), record("strong", 8, FEW, 0.98)]
    assert not FIGURE_4.judge(short)[0].holds
    wide = [record("strong", 8, Choice(256, 10_000, "sinusoidal"), 1.0)]
    narrow = [record("strong", 8, SINE, 0.5), record("strong", 8, HOT, 0.8)]
    assert not FIGURE_3.judge([*wide, *narrow])[0].holds  # the width is no merit of the positions
    learned = [record("strong", 8, Choice(128, 1_000, "learned"), 0.99)]
    assert not FIGURE_4.judge([*wide, record("strong", 8, FEW, 0.9), *RECORDS[:1]])[0].holds
    assert FIGURE_4.judge([*wide, *learned]) == []
    assert set(FIGURE_3.figures(RECORDS)) == {"exact-match"}
    assert FIGURE_3.figures([]) == {}


def test_figures_3_and_4_have_a_line_for_each_kind() -> None:
    assert FIGURE_3.table(RECORDS) == (
        ["supervision", "best of", "n = 8", "n = 16"],
        [
            ["weak", "sinusoidal", "not run", "0.4000"],
            ["medium", "sinusoidal", "not run", "0.0100"],
            ["strong", "sinusoidal", "1.0000", "not run"],
            ["strong", "one-hot", "0.5000", "not run"],
        ],
    )
    lines = by_name(FIGURE_4.table(RECORDS))
    assert lines["strong", "10,000 examples"]["n = 8"] == "1.0000"
    assert lines["strong", "1,000 examples"]["n = 8"] == "0.9950"


@pytest.mark.slow
def test_the_laptops_grid_is_a_part_of_the_papers() -> None:
    presets = TABLE_1.presets
    for regime, choices in presets["laptop"].choices.items():
        usual = {choice._replace(rate=None) for choice in choices}
        assert usual <= set(presets["paper"].choices[regime])
        assert len(presets["paper"].choices[regime]) == 5 * 2 * 3
    assert len(TABLE_1.runs(presets["paper"], ())) == 6 * 3 * 30 * 4


def test_each_kind_of_positions_has_its_own_training() -> None:
    for run in TABLE_1.runs(TABLE_1.presets["laptop"], ()):
        plan = run.job.plan
        assert isinstance(plan, Plan)
        network = plan.network
        assert isinstance(network, DecoderConfig)
        found = (network.initial, plan.training.learning_rate, plan.training.beta2)
        one_hot = "one-hot" in run.column
        assert network.norm == ("post-embedded" if one_hot else "pre")
        usual_decay = 0.5 if one_hot else 0.0
        assert plan.training.weight_decay == (5.0 if "decay 5" in run.column else usual_decay)
        if "learned" in run.column:
            rate = 6e-4 if run.column.endswith("rate 0.0006") else 3e-4
            assert found == ("mingpt", rate, 0.95)
        elif one_hot:
            assert found == ("mingpt", 1e-3 if "rate 0.001" in run.column else 5e-4, 0.95)
        else:
            assert found == ("xavier", 1e-3, 0.999)
    plan = make_plan("steps:addition")
    assert (plan.network.to_dict()["position"], plan.training.beta2) == ("learned", 0.95)


def test_longer_numbers_have_a_coordinate_for_each_place() -> None:
    every = TABLE_1.runs(TABLE_1.presets["laptop"], ())
    found = {
        run: int(run.row.removeprefix("strong, n = ")) for run in every if "one-hot" in run.column
    }
    assert set(found.values()) == {8, 16, 24, 32, 40, 48}
    for run, n in found.items():
        plan = run.job.plan
        assert isinstance(plan, Plan)
        network = plan.network
        assert isinstance(network, DecoderConfig)
        assert network.max_length == 7 * n
        assert network.d_model - OWN_COORDINATES >= network.max_length


def test_figures_show_the_runs_of_the_table(tmp_path: Any) -> None:
    def collect(name: str, **chosen: Any) -> list[Record]:
        options = MeasurementOptions(progress=lambda *_: None, runs=tmp_path, **chosen)
        experiment = {"steps2022/table1": TABLE_1, "steps2022/figure3": FIGURE_3}[name]
        return experiment.collect(name, "smoke", options)

    made = collect("steps2022/table1", only=("strong",))
    assert collect("steps2022/figure3", finished=True) == made


def test_what_runs_need_is_made_for_those_that_are_not_done(tmp_path: Path) -> None:
    asked: list[set[str]] = []

    def note(sizes: table1.Sizes, jobs: Sequence[Job], progress: Progress) -> None:
        asked.append({job.plan.supervision for job in jobs})

    experiment = replace(TABLE_1, prepare=note)
    for only in (("strong",), (), ("weak",)):
        options = MeasurementOptions(progress=lambda *_: None, runs=tmp_path, only=only)
        experiment.collect("steps2022/table1", "smoke", options)
    assert asked == [{"strong"}, {"weak", "medium"}]


@pytest.mark.parametrize("moved", [0, 1, 2])
def test_agreement_is_the_share_of_rows_whose_greatest_weights_are_on_the_sources(
    moved: int,
) -> None:
    targets = np.zeros((4, 9))
    targets[1, [0, 1]] = targets[2, [2, 3]] = targets[3, [4, 5]] = 0.5
    weights = np.roll(targets, moved, axis=1)
    common = {"symbols": [""] * 9, "gates": [""] * 4, "gates_with_sources": [1, 2, 3], "bits": 3}
    records = [
        {**common, "decoder": name, "exact_match": 1.0, "on_sources": 1 - moved / 2}
        | {"weights": matrix.tolist(), "targets": targets.tolist()}
        for name, matrix in (
            (figure2.HAND_CODED, targets),
            *zip(figure2.TRAINED, (weights, targets), strict=True),
        )
    ]
    a_source, all_sources = float(moved < 2), float(moved == 0)
    assert figure2.agreement(records[1], 1) == a_source
    assert figure2.agreement(records[1]) == all_sources
    assert [one.holds for one in figure2.check(records)] == [not moved, True, True, True]
    _, rows = figure2.table(records)
    assert rows[1][-2:] == [f"{a_source:.4f}", f"{all_sources:.4f}"]


def test_the_decoders_of_figure_2_are_trained_as_in_table_1() -> None:
    sizes = figure2.FIGURE_2.presets["laptop"]
    plans = [figure2.plan_of(sizes, 0, settings) for settings in figure2.TRAINED.values()]
    networks = [plan.network.to_dict() for plan in plans]
    assert [network["position"] for network in networks] == ["learned", "one-hot"]
    assert [network["norm"] for network in networks] == ["pre", "post-embedded"]
    assert [plan.training.weight_decay for plan in plans] == [0.0, 0.5]


def test_table_2_has_a_line_for_each_body() -> None:
    def run(kind: str, regime: str, bits: int, exact: float) -> Record:
        plan = make_plan("steps:addition", "gpt2", settings={"body": "python-small"})
        return {
            **record(regime, bits, SINE, exact),
            "column": f"{kind}: python-small",
            "settings": {"network": plan.network.to_dict()},
            "environment": {"body": "random" if kind.startswith("random") else "sha256 012345"},
        }

    records = [
        run("pretrained, frozen", "strong", 8, 1.0),
        run("pretrained, frozen", "weak", 16, 0.01),
        run("random, frozen", "strong", 8, 0.3),
    ]
    lines = by_name(table2.table(records))
    assert lines["strong", "printed: frozen gpt2"]["n = 128"] == "1.0000"
    assert lines["strong", "pretrained, frozen: python-small"]["n = 8"] == "1.0000"
    assert lines["strong", "random, frozen: python-small"]["n = 8"] == "0.3000"
    assert lines["medium", "random, frozen: python-small"]["n = 8"] == "not run"
    assert [one.holds for one in table2.check(records)] == [True, True]
    lacks = [*records, run("pretrained, frozen", "weak", 8, 0.5)]
    assert [one.holds for one in table2.check(lacks)] == [True, False, True]
    worse = [run("pretrained, frozen", "strong", 8, 0.9)]
    worse += [run("pretrained, frozen", "medium", 16, 0.1)]
    assert [one.holds for one in table2.check(worse)] == [False, False]
    assert table2.check([run("random, frozen", "strong", 8, 0.0)]) == []
    freer = run("pretrained, positions trained", "strong", 8, 1.0)
    assert [one.holds for one in table2.check([*worse, freer])] == [False, False, True]
    assert "positions trained" in table2.check([freer])[0].says
    failed = {**run("random, frozen", "weak", 8, 0.0), "error": "ClaimError: the loss is nan"}
    del failed["parameters"]
    _, bodies = table2.bodies_table([*records, failed])
    count = 4 * (12 * 128**2 + 13 * 128) + 2 * 128 + 512 * 128 + 2 * 128 + 128 * 2 + 2
    assert [row[1] for row in bodies] == [f"4 x 128 wide, {count:,} parameters"] * 2
    assert [row[2:] for row in bodies] == [["sha256 012345", "5"], ["random", "5"]]


def test_bodies_are_compared_by_their_size() -> None:
    def run(body: str, kind: str, exact: float, seed: int = 0) -> Record:
        plan = make_plan("steps:addition", "gpt2", settings={"body": body})
        named = {"row": body, "column": kind, "settings": {"network": plan.network.to_dict()}}
        return {**record("weak", 8, SINE, exact, seed), **named}

    frozen = "pretrained, frozen"
    records = [
        run("text-large", frozen, 0.5),
        run("text-large", frozen, 0.7, seed=1),
        run("text-small", frozen, 0.6),
        run("text-small", "random, frozen", 0.1),
    ]
    lines = by_name(body_sizes.table(records))
    parameters = 8 * (12 * 512**2 + 13 * 512) + 2 * 512 + 512 * 512 + 2 * 512 + 512 * 2 + 2
    large = lines["text-large", "8 x 512 wide"]
    assert large["parameters"] == f"{parameters:,}"
    assert (large[frozen], large["random, frozen"]) == ("0.7000", "no record")
    assert lines["text-small", "4 x 128 wide"]["random, frozen"] == "0.1000"
    (statement,) = body_sizes.check(records)
    assert statement.holds
    assert statement.says.startswith("text-large (pretrained, frozen)")
    assert statement.says.endswith("than text-small")
    (axes,) = body_sizes.figures(records)["exact-match"].axes
    line = next(line for line in axes.lines if line.get_label() == frozen)
    assert np.asarray(line.get_ydata()).tolist() == [0.6, 0.7]
    assert not body_sizes.check([run("text-large", frozen, 0.6), records[2]])[0].holds
    assert body_sizes.check(records[2:]) == []
    assert body_sizes.figures([]) == {}


@pytest.mark.parametrize("is_there", [True, False])
def test_bodies_are_made_of_the_corpus_that_is_there(
    is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, tuple[Path | None, str]] = {}

    def make(body: str, *, corpus: Path | None, half: str, progress: object) -> None:
        made[body] = corpus, half

    monkeypatch.setattr(table2, "make_named", make)
    if is_there:
        (tmp_path / "index.json").touch()
    bodies = ("text-small", "text-large")
    sizes = body_sizes.Sizes(preset="smoke", bodies=bodies, corpus=tmp_path, half=bodies[1:])
    jobs = [run.job for run in body_sizes.runs(sizes, ()) if "random" not in run.column]
    body_sizes.prepare(sizes, jobs, lambda done, steps: None)
    corpus = tmp_path if is_there else None
    assert made == {"text-small": (corpus, "none"), "text-large": (corpus, "bfloat16")}


def test_bodies_are_trained_in_half_precision_if_they_were_pretrained_in_it() -> None:
    sizes = body_sizes.BODY_SIZES.presets["laptop"]
    halves = {
        (run.row, run.column)
        for run in body_sizes.runs(sizes, ())
        if run.job.plan.training.autocast == "bfloat16"
    }
    assert halves == {("text-large", table2.FROZEN), ("text-large", table2.POSITIONS)}


def test_a_body_is_made_only_for_runs_that_begin_with_its_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    monkeypatch.setattr(table2, "make_named", lambda body, **others: made.append(body))
    sizes = body_sizes.BODY_SIZES.presets["laptop"]

    def makes(*parts: str) -> list[str]:
        made.clear()
        runs = [run for run in body_sizes.runs(sizes, ()) if all(p in run.name for p in parts)]
        assert runs
        body_sizes.prepare(sizes, [run.job for run in runs], lambda done, steps: None)
        return list(made)

    assert makes("random") == []
    assert makes("text-medium", "positions trained") == ["text-medium"]
    assert makes() == list(sizes.bodies)


def test_a_choice_may_have_steps_of_its_own() -> None:
    sizes = replace(
        TABLE_1.presets["laptop"], bits=(), longer={8: (HOT,), 16: (HOT._replace(steps=70),)}
    )
    steps = {run.name: run.job.plan.training.steps for run in table1.runs(sizes, ())}
    assert steps == {
        f"strong, n = 8, {HOT}, seed 0": 6_000,
        f"strong, n = 16, {HOT}, 70 steps, seed 0": 70,
    }


def test_other_tasks_are_judged_by_what_telling_the_steps_brings() -> None:
    def run(regime: str, exact: float) -> Record:
        return {**record(regime, 8, SINE, exact), "row": "parity of 16 symbols", "column": regime}

    records = [run("weak", 0.5), run("medium", 0.25), run("strong", 0.995)]
    columns, rows = tasks.table(records)
    assert rows == [["parity of 16 symbols", "0.5000", "0.2500", "0.9950", "10,000"]]
    assert len(columns) == len(rows[0])
    for weak, strong, learned, worse in (
        (0.5, 0.995, True, True),
        (1.0, 1.0, True, True),
        (0.0, 0.0001, False, True),
        (0.5, 0.5, False, False),
    ):
        first, second = tasks.check([run("weak", weak), run("strong", strong)])
        assert (first.holds, second.holds) == (learned, worse)
    assert tasks.check(records)[0].measured == "parity of 16 symbols 99.5 % and 50.0 %"
    assert tasks.check([run("strong", 0.75)]) == []
