"""Training in stages: default training goes on where it ends without a proof, and loses nothing."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import lengthwise as lw
from lengthwise.errors import ClaimError, RunError
from lengthwise.objectives.composition import CompositionLoss
from lengthwise.objectives.maps import MapLoss
from lengthwise.problems import stages
from lengthwise.problems.planning import make_plan, plan_for, plan_from_dict
from lengthwise.problems.recognition import routes
from lengthwise.problems.runs import load_run, train
from lengthwise.proofs.search.certify import certify
from lengthwise.training.loop import Step
from lengthwise.training.runs import RunFolder
from staged import SHORT, files, plan


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose two stages end without a proof."""
    out = tmp_path_factory.mktemp("whole") / "run"
    train(plan(), out=out, device="cpu")
    return out


# ---- which stages there are ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("group:S3", ["composition", "maps"]),
        ("d-4", ["maps"]),
        ("d-12", ["maps"]),
    ],
)
def test_the_stages_begin_with_the_route_that_suits_and_tell_more_each_time(
    spec: str, told: list[str]
) -> None:
    made = make_plan(spec)
    assert [each.supervision for each in made.stages] == told
    assert [each.stage for each in made.stages] == list(range(1, len(told) + 1))
    assert {each.num_stages for each in made.stages} == {len(told)}
    assert all(each.chosen for each in made.stages)
    assert plan_from_dict(json.loads(json.dumps(made.to_dict()))) == made
    assert made.with_seed(4).stages[-1].training.seed == 4


@pytest.mark.parametrize(
    ("model", "settings", "preset"),
    [
        ("regular-gpt-binary", {}, "laptop"),
        (None, {"objective": "composition"}, "laptop"),
        (None, {}, "smoke"),
    ],
)
def test_what_the_user_chose_is_the_only_stage(
    model: str | None, settings: dict[str, Any], preset: str
) -> None:
    made = make_plan("group:S3", model, settings=settings, preset=preset)
    assert made.stages == (made,)
    assert {"stage", "later", "barrier"}.isdisjoint(made.to_dict())
    assert {"stage", "later", "barrier"}.isdisjoint(made.identity())


def test_settings_of_the_user_hold_in_every_stage_or_end_the_list() -> None:
    made = make_plan("group:S3", settings={"d_model": 96, "seed": 3, "max_length": 30})
    assert {each.network.d_model for each in made.stages} == {96}
    assert {each.training.seed for each in made.stages} == {3}
    assert {each.data.max_length for each in made.stages} == {30}
    assert made.barrier == ""
    made = make_plan("group:S3", settings={"num_heads": 4})
    assert made.stages == (made,)
    assert made.chosen == "num_heads is not for regular-gpt-slots"
    made = make_plan("group:S3", settings={"num_bits": 16})
    assert made.stages == (made,)
    assert "num_bits=16 is too large" in made.barrier


def test_a_stage_that_another_follows_has_fewer_steps() -> None:
    made = make_plan("group:S3")
    assert made.training.steps == routes.COMPOSED_STEPS
    assert made.next.training.steps > routes.COMPOSED_STEPS
    alone = make_plan("group:S3", settings={"num_heads": 4})
    assert alone.training.steps > routes.COMPOSED_STEPS
    asked = make_plan("group:S3", settings={"steps": 77})
    assert [each.training.steps for each in asked.stages] == [77, 77]


# ---- what becomes of a run -----------------------------------------------------------------------


def test_every_stage_is_kept_and_the_nearest_one_is_the_run(whole: Path) -> None:
    run = load_run(whole, device="cpu")
    found = run.records.stages
    assert [each["supervision"] for each in found] == ["composition", "maps"]
    assert [each["ended"] for each in found] == ["steps"] * 2
    assert [each["steps"] for each in found] == [20] * 2
    own = [each for each in found if each["kept"]]
    assert [each["stage"] for each in own] == [run.require_plan().stage]
    right = [each["right_to"] for each in found]
    assert own[0]["right_to"] == max(right)
    for number, record in enumerate(found, start=1):
        folder = whole / "stages" / f"{number}-{record['supervision']}"
        stage = load_run(folder, device="cpu")
        made = certify(stage.model, stage.language, max_chunks=300_000)
        assert record["right_to"] == made.checked_length
        word = record["first_wrong"]
        if word is not None:
            given = lw.predict(stage, [word])
            assert given != [
                stage.language.class_names[stage.language.classify(stage.language.encode(word))]
            ]
        if record["kept"]:
            kept, there = run.model.state_dict(), stage.model.state_dict()
            assert all(torch.equal(kept[name], there[name]) for name in there)


def test_memory_and_folder_give_the_same(whole: Path) -> None:
    run, stored = train(plan(), device="cpu"), load_run(whole, device="cpu")
    assert run.stages == stored.stages
    assert run.plan == stored.plan
    for name, weight in stored.model.state_dict().items():
        assert torch.equal(run.model.state_dict()[name], weight)


def test_the_command_is_accepted_again_and_another_is_not(whole: Path) -> None:
    before = files(whole)
    again = plan_for(whole, "group:S3", settings=[dict(SHORT)])
    assert again == load_run(whole, device="cpu").plan
    train(again, out=whole, device="cpu")
    train(plan(), out=whole, device="cpu")  # as from Python
    assert files(whole) == before
    with pytest.raises(RunError, match=r"training.seed=0, but now training.seed=1"):
        plan_for(whole, "group:S3", settings=[{**SHORT, "seed": 1}])
    with pytest.raises(RunError, match=r"training.seed=0, but now training.seed=1"):
        train(plan(seed=1), out=whole, device="cpu")


def test_another_setting_is_named_whatever_the_stage_of_the_folder(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.claim({**plan().to_dict(), "environment": {}})
    folder.begin_stage({**plan().stages[1].to_dict(), "environment": {}})
    with pytest.raises(RunError, match=r"training.seed=0, but now training.seed=1"):
        train(plan(seed=1), out=folder.path, device="cpu")


def test_a_folder_from_before_there_were_stages_stays_as_it_is(tmp_path: Path) -> None:
    train(plan().alone, out=tmp_path / "old", device="cpu")
    before = files(tmp_path / "old")
    run = train(plan(), out=tmp_path / "old", device="cpu")
    assert run.plan == plan().alone
    assert files(tmp_path / "old") == before


@pytest.mark.slow
def test_a_stage_that_is_proved_is_the_last(tmp_path: Path) -> None:
    settings = {"steps": 5_000, "validate_every": 50, "max_length": 10}
    made = make_plan("group:S3", settings=settings)
    made = replace(made, training=replace(made.training, steps=10, validate_every=10))
    run = train(made, out=tmp_path / "run", device="cpu")
    assert run.require_plan().supervision == "maps"
    assert [each["supervision"] for each in run.stages] == ["composition"]
    assert [each["ended"] for each in run.records.stages] == ["steps", "perfect"]
    assert certify(run.model, run.language).verdict == "equivalent"
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        *("config.json", "metrics.jsonl", "model.safetensors", "stages")
    }
    alone = train(make_plan("group:S3", settings=settings).stages[1].alone, device="cpu")
    for name, weight in alone.model.state_dict().items():
        assert torch.equal(run.model.state_dict()[name], weight)


def breaking(monkeypatch: pytest.MonkeyPatch, objective: Any, after: int) -> None:
    """Make the loss of an objective infinite from some step on."""
    honest, count = objective.step, iter(range(10**6))

    def step(self: Any, *arguments: Any) -> Step:
        found: Step = honest(self, *arguments)
        return replace(found, loss=found.loss * torch.inf) if next(count) >= after else found

    monkeypatch.setattr(objective, "step", step)


@pytest.mark.slow_except("0")
@pytest.mark.parametrize("after", [0, 15])
def test_a_stage_that_diverges_is_followed_by_the_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, after: int
) -> None:
    breaking(monkeypatch, CompositionLoss, after)
    run = train(plan(), out=tmp_path / "run", device="cpu")
    first = run.stages[0]
    assert first["ended"] == "diverged"
    assert first["error"].startswith(f"the loss is inf at step {after + 1}")
    assert first["steps"] == (10 if after else 0)
    has_weights = (tmp_path / "run/stages/1-composition/model.safetensors").exists()
    assert has_weights == bool(after)
    assert len(run.stages) == 2


def test_a_last_stage_that_diverges_costs_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    breaking(monkeypatch, MapLoss, 0)
    run = train(plan(), out=tmp_path / "run", device="cpu")
    assert [each["ended"] for each in run.stages] == ["steps", "diverged"]
    assert run.require_plan().stage == 1


def test_stages_that_all_diverge_at_once_are_an_error_and_stay_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(stages, "fit_stage", lambda *a, **k: ([], "diverged", "the loss is nan"))
    for _ in range(2):
        with pytest.raises(ClaimError, match="no stage reached a validation: the loss is nan"):
            train(plan(), out=tmp_path / "run", device="cpu")
    assert not (tmp_path / "run/model.safetensors").exists()


# ---- interruptions -------------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for a process that ends at once."""


def writes(monkeypatch: pytest.MonkeyPatch, out: Path, last: int | None) -> int:
    """Train until the file system was changed `last` times; return the number of changes."""
    count = 0

    def count_calls(honest: Any) -> Any:
        def change(*arguments: Any, **more: Any) -> Any:
            nonlocal count
            if str(arguments[0]).startswith(str(out)):
                if count == last:
                    raise Killed
                count += 1
            return honest(*arguments, **more)

        return change

    with monkeypatch.context() as patch:
        for owner, name in (
            (Path, "replace"),
            (Path, "rename"),
            (Path, "unlink"),
        ):
            patch.setattr(owner, name, count_calls(getattr(owner, name)))
        train(plan(), out=out, device="cpu")
    return count


@pytest.mark.parametrize("share", [0.02, pytest.param(1.0, marks=pytest.mark.slow)])
def test_a_run_that_is_cut_off_at_any_change_of_a_file_ends_the_same(
    whole: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, share: float
) -> None:
    every = writes(monkeypatch, tmp_path / "count", None)
    expected = files(whole)
    assert every > 20
    for last in random.Random(0).sample(range(every), max(2, round(share * every))):
        out = tmp_path / str(last)
        with pytest.raises(Killed):
            writes(monkeypatch, out, last)
        if (out / "config.json").exists():
            assert plan_for(out, "group:S3", settings=[dict(SHORT)]).alone in [
                each.alone for each in plan().stages
            ]
        train(plan(), out=out, device="cpu")
        assert files(out) == expected, last


def start(errors: Path, *command: str) -> "subprocess.Popen[bytes]":
    with errors.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "lengthwise.cli.main", *command],
            stdout=subprocess.DEVNULL,
            stderr=file,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )


@pytest.mark.slow
def test_a_run_that_is_killed_ten_times_ends_with_the_same_bytes(tmp_path: Path) -> None:
    settings = ["steps=100", "validate_every=5", "d_model=16", "batch_size=16"]
    command = ["train", "group:S3", "--device", "cpu"]
    command += [part for each in settings for part in ("--set", each)]
    whole, broken, draw = tmp_path / "whole", tmp_path / "broken", random.Random(0)
    errors = tmp_path / "errors"
    assert start(errors, *command, "--out", str(whole)).wait() == 0
    kills, places = 0, []
    while not (broken / "model.safetensors").exists():
        resumed = kills % 2 and (broken / "config.json").exists()
        again = ["resume", str(broken), "--device", "cpu"]
        process = start(errors, *(again if resumed else [*command, "--out", str(broken)]))
        seen, wanted = latest(broken), draw.randint(4, 20)
        while process.poll() is None and wanted and kills < 12:
            if (now := latest(broken)) != seen:
                seen, wanted = now, wanted - 1
            time.sleep(0.001)
        if kills < 12:
            time.sleep(draw.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
        if process.wait():
            kills += 1
            places.append((len(list(broken.glob("stages/*"))), steps_of(broken)))
    print(kills, places)
    assert kills >= 10
    assert "Traceback" not in errors.read_text()
    found, expected = files(broken), files(whole)
    assert found == expected


def latest(folder: Path) -> tuple[str, ...]:
    """What tells that a run has gone on: the names and times of its files."""
    found = []
    for path in folder.rglob("*"):
        try:
            found.append(f"{path} {path.stat().st_mtime_ns}")
        except OSError:
            continue
    return tuple(sorted(found))


def steps_of(folder: Path) -> int:
    path = folder / "metrics.jsonl"
    return len(path.read_text().splitlines()) if path.exists() else 0
