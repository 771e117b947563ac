"""Experiments in parts: what is done is kept, and only what is wanted is measured."""

from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import ConfigError, RunError
from lengthwise.languages.spec import parse
from lengthwise.problems.planning import make_plan
from lengthwise.registry import Catalogue
from lengthwise.sweeps.folder import JobFolder, Spent
from lengthwise.sweeps.processes import LocalProcesses
from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.cells import span
from lengthwise_papers.experiment import MeasurementOptions, Record, Table, choose_places
from lengthwise_papers.parts import Part, PartsExperiment, train_in_folder
from lengthwise_papers.trained_experiment import TrainedExperiment
from measured_parts import square

SQUARES: PartsExperiment[tuple[int, ...]] = PartsExperiment(
    item="squares",
    claim="Squares are squares.",
    presets=Catalogue("preset", {"smoke": (1, 2, 3), "laptop": (1, 13, 2)}),
    parts=lambda sizes, seeds: [Part(f"value {n}", {"value": n}) for n in (*sizes, *seeds)],
    measure=square,
    table=lambda records: Table(["square"], [[str(one["square"])] for one in records]),
)


def collect(tmp_path: Path, preset: str = "smoke", **chosen: Any) -> list[int]:
    chosen = {"progress": lambda done, steps: None, "runs": tmp_path, **chosen}
    records = SQUARES.collect("own/squares", preset, MeasurementOptions(**chosen))
    return [one["square"] for one in records]


def calls(tmp_path: Path) -> int:
    return sum(len(path.read_text()) for path in tmp_path.glob("*/*/calls"))


def test_parts_are_measured_once_and_shown_with_those_that_are_done(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no finished part"):
        collect(tmp_path, finished=True)
    assert collect(tmp_path, only=("VALUE 2",)) == [4]
    assert collect(tmp_path, only=("value 3",)) == [4, 9]
    assert collect(tmp_path, finished=True) == [4, 9]
    seen: list[tuple[int, int]] = []
    assert collect(tmp_path, progress=lambda *step: seen.append(step)) == [1, 4, 9]
    assert seen == [(0, 1), (1, 1)]
    assert collect(tmp_path, seeds=(5,)) == [1, 4, 9, 25]
    assert calls(tmp_path) == 4


def test_records_of_other_seeds_are_kept_if_seeds_are_chosen(tmp_path: Path) -> None:
    earlier: list[Record] = [{"square": 49, "part": Part("value 7", {"value": 7}).digest}]
    unnamed: list[Record] = [{"square": 64}]
    kept: dict[str, Any] = {"only": ("value 2",), "earlier": [*earlier, *unnamed]}
    assert collect(tmp_path, **kept) == [4]
    assert collect(tmp_path, **kept, seeds=(5,)) == [49, 4]
    assert collect(tmp_path, **kept, seeds=(7,)) == [4, 49]  # it is among the parts


def test_a_part_that_fails_leaves_those_before_it(tmp_path: Path) -> None:
    with pytest.raises(ArithmeticError, match="13"):
        collect(tmp_path, "laptop")
    assert collect(tmp_path, "laptop", finished=True) == [1]


@pytest.mark.slow
def test_parts_may_be_measured_in_other_processes(tmp_path: Path) -> None:
    with LocalProcesses(2) as executor:
        assert collect(tmp_path, executor=executor) == [1, 4, 9]


def test_what_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none of the 3 runs .* such as 'value 1'"):
        collect(tmp_path, only=("value 7",))
    with pytest.raises(ConfigError, match="Use --seeds"):
        collect(tmp_path, seed=1)


def test_a_seed_that_the_preset_lacks_names_the_option() -> None:
    names = ["parity, rnn, seed 0", "parity, rnn, seed 1"]
    assert choose_places("a/b", names, ("seed 1",)) == [1]
    with pytest.raises(ConfigError, match=r"Other seeds than the preset's need --seeds\.$"):
        choose_places("a/b", names, ("seed 7",))
    with pytest.raises(ConfigError, match=r"Give parts of such names\.$"):
        choose_places("a/b", names, ("cycle",))


def test_a_part_of_other_settings_has_another_folder(tmp_path: Path) -> None:
    part = Part("value 1", {"value": 1})
    assert part._replace(name="another name").folder(tmp_path) == part.folder(tmp_path)
    assert Part("value 1", {"value": 2}).folder(tmp_path) != part.folder(tmp_path)


def test_a_run_that_is_found_tells_the_time_of_its_training(tmp_path: Path) -> None:
    settings = {"steps": 2, "batch_size": 4, "d_model": 8, "validate_every": 1}
    plan = make_plan(parse("parity"), "elman", preset="smoke", settings=settings)
    folder = tmp_path / "new"
    _, first = train_in_folder(plan, folder)
    JobFolder(folder).save_clock(Spent(seconds=50.0, attempts=1, processor_seconds=40.0))
    _, again = train_in_folder(plan, folder)
    assert 0 < first["seconds_to_train"] < 50
    assert 0 < first["processor_seconds"] < 50
    assert (again["seconds_to_train"], again["processor_seconds"]) == (50.0, 40.0)
    assert again["steps"] == first["steps"] == 2
    assert JobFolder(folder).clock().attempts == 1
    (folder / "clock.json").unlink()
    _, lost = train_in_folder(plan, folder)
    assert (lost["seconds_to_train"], lost["processor_seconds"]) == (None, None)


def test_a_span_is_of_the_runs_that_have_the_figure() -> None:
    runs: list[Record] = [{"seconds": 1.6}, {"seconds": None}, {"seconds": 1_000.2}]
    assert span(runs, "seconds") == "2 to 1,000"
    assert span(runs[1:2], "seconds") == "not measured"
    assert span([], "seconds") == ""


def test_settings_that_are_added_leave_digests_of_runs_on_steps_as_they_were() -> None:
    """So that what was measured before a setting was there is not measured again."""
    experiment = EXPERIMENTS["steps2022/table1"]
    assert isinstance(experiment, TrainedExperiment)
    runs = experiment.runs(experiment.presets["smoke"], ())
    assert [run.job.digest for run in runs] == [
        "5cb72365c69b",
        "ab55002dce07",
        "af01693fab07",
    ]


def test_digests_of_plans_with_adamw_are_those_of_before_there_was_a_choice() -> None:
    plan = make_plan("parity", "regular-gpt").to_dict()
    before = {**plan, "training": {k: v for k, v in plan["training"].items() if k != "optimiser"}}
    muon = {**plan, "training": {**plan["training"], "optimiser": "muon"}}
    digests = [Part("a", {"plan": one, "n": [1]}).digest for one in (plan, before, muon)]
    assert digests[0] == digests[1] != digests[2]
    assert plan["training"]["optimiser"] == "adamw"
