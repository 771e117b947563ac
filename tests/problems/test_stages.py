"""Training in stages: default training goes on where it ends without a proof, and loses nothing."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.errors import ClaimError, ConfigError, RunError
from lengthwise.problems import stages
from lengthwise.problems.recognition import routes
from lengthwise.problems.recognition.composition import Composition
from lengthwise.problems.recognition.state_products import StateProducts
from lengthwise.problems.runs import load_run, make_plan, plan_for, plan_from_dict, train
from lengthwise.problems.stages import stage_records
from lengthwise.report.report import read_run, render
from lengthwise.training.listing import list_runs
from lengthwise.training.loop import Step
from lengthwise.verification.certify import certify

SHORT: Mapping[str, Any] = {"steps": 20, "validate_every": 10, "d_model": 16, "batch_size": 16}
"""Too little for a proof of S3 in any stage."""


def plan(**more: Any) -> Any:
    return make_plan("group:S3", settings={**SHORT, **more})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose three stages end without a proof."""
    out = tmp_path_factory.mktemp("whole") / "run"
    train(plan(), out=out, device="cpu")
    return out


def files(folder: Path) -> dict[str, bytes]:
    """The content of each file; of records without the speed, which is not the same twice."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            if path.name == "metrics.jsonl":
                records = [json.loads(line) for line in content.splitlines()]
                content = json.dumps([{**r, "words_per_second": 0} for r in records]).encode()
            found[str(path.relative_to(folder))] = content
    return found


# ---- which stages there are ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("group:S3", ["composition", "codebook", "maps"]),
        ("d-4", ["codebook", "maps"]),
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
    assert plan_from_dict(json.loads(json.dumps(made.to_dict()))) == made
    assert made.with_seed(4).stages[-1].training.seed == 4


@pytest.mark.parametrize(
    ("model", "settings", "preset"),
    [
        ("regular-gpt-binary", {}, "laptop"),
        (None, {"supervision": "composition"}, "laptop"),
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
    assert [each.supervision for each in made.stages] == ["composition", "codebook"]
    assert made.barrier == "num_heads is no setting of regular-gpt-slots"
    made = make_plan("group:S3", settings={"num_bits": 16})
    assert made.stages == (made,)
    assert "num_bits=16 does not fit" in made.barrier


def test_an_automaton_too_large_for_every_route_is_refused_with_its_numbers() -> None:
    long = "regex:(0|1)*1" + "(0|1)" * 12
    with pytest.raises(
        ConfigError,
        match=r"up to 4,096 states, and this one has at least 8,192; .* up to 1,000 state maps, "
        r"and there are more than 5,000. Use --model gru-binary, which learns its 16,384 trans",
    ):
        make_plan(long)


# ---- when a stage is given up --------------------------------------------------------------------


def records(*right_to: int | None, every: int = 250) -> list[dict[str, Any]]:
    return [{"step": every * (i + 1), "right_to": far} for i, far in enumerate(right_to)]


def test_a_stage_is_given_up_after_enough_steps_without_longer_right_words() -> None:
    assert not routes.is_stalled([])
    assert not routes.is_stalled(records(*range(40)))
    still = [3] * (routes.PATIENCE_STEPS // 250)
    assert not routes.is_stalled(records(2, *still))
    assert routes.is_stalled(records(2, *still, 1))
    assert not routes.is_stalled(records(2, *still, 4))
    assert not routes.is_stalled(records(*still, None))  # right as far as explored
    assert routes.is_stalled(records(None, None, *still))
    few = routes.PATIENCE_VALIDATIONS
    assert not routes.is_stalled(records(*[3] * few, every=10_000))
    assert routes.is_stalled(records(*[3] * (few + 1), every=10_000))
    assert not routes.is_stalled([{"step": 250 * i, "wrong": 5} for i in range(90)])


def test_a_stalled_stage_ends_and_is_recorded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(routes, "PATIENCE_STEPS", 10)
    monkeypatch.setattr(routes, "PATIENCE_VALIDATIONS", 2)
    run = train(plan(steps=200), out=tmp_path / "run", device="cpu")
    assert run.stages[0]["ended"] == "stalled"
    assert 20 < run.stages[0]["steps"] < 200


# ---- what becomes of a run -----------------------------------------------------------------------


def test_every_stage_is_kept_and_the_nearest_one_is_the_run(whole: Path) -> None:
    run = load_run(whole, device="cpu")
    found = stage_records(run)
    assert [each["supervision"] for each in found] == ["composition", "codebook", "maps"]
    assert [each["ended"] for each in found] == ["steps"] * 3
    assert [each["steps"] for each in found] == [20] * 3
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


def test_a_folder_from_before_there_were_stages_stays_as_it_is(tmp_path: Path) -> None:
    train(plan().alone, out=tmp_path / "old", device="cpu")
    before = files(tmp_path / "old")
    run = train(plan(), out=tmp_path / "old", device="cpu")
    assert run.plan == plan().alone
    assert files(tmp_path / "old") == before


def test_a_stage_that_is_proved_is_the_last(tmp_path: Path) -> None:
    settings = {"steps": 250, "validate_every": 50, "max_length": 10}
    made = make_plan("group:S3", settings=settings)
    made = replace(made, training=replace(made.training, steps=10, validate_every=10))
    run = train(made, out=tmp_path / "run", device="cpu")
    assert run.require_plan().supervision == "codebook"
    assert [each["supervision"] for each in run.stages] == ["composition"]
    assert [each["ended"] for each in stage_records(run)] == ["steps", "perfect"]
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


@pytest.mark.parametrize("after", [0, 15])
def test_a_stage_that_diverges_is_followed_by_the_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, after: int
) -> None:
    breaking(monkeypatch, Composition, after)
    run = train(plan(), out=tmp_path / "run", device="cpu")
    first = run.stages[0]
    assert first["ended"] == "diverged"
    assert first["error"].startswith(f"the loss is inf at step {after + 1}")
    assert first["steps"] == (10 if after else 0)
    has_weights = (tmp_path / "run/stages/1-composition/model.safetensors").exists()
    assert has_weights == bool(after)
    assert len(run.stages) == 3


def test_a_last_stage_that_diverges_costs_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    breaking(monkeypatch, StateProducts, 0)
    run = train(plan(), out=tmp_path / "run", device="cpu")
    assert [each["ended"] for each in run.stages] == ["steps", "steps", "diverged"]
    assert run.require_plan().stage < 3


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

    def counted(honest: Any) -> Any:
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
            patch.setattr(owner, name, counted(getattr(owner, name)))
        train(plan(), out=out, device="cpu")
    return count


@pytest.mark.parametrize("share", [0.02, pytest.param(1.0, marks=pytest.mark.slow)])
def test_a_run_that_is_cut_off_at_any_change_of_a_file_ends_the_same(
    whole: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, share: float
) -> None:
    every = writes(monkeypatch, tmp_path / "count", None)
    expected = files(whole)
    assert every > 20
    for last in random.Random(0).sample(range(every), max(3, round(share * every))):
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


# ---- what is said of a run -----------------------------------------------------------------------


def said(whole: Path, *more: str) -> list[str]:
    settings = [part for name, value in SHORT.items() for part in ("--set", f"{name}={value}")]
    return ["train", "group:S3", "--out", str(whole), "--device", "cpu", *settings, *more]


def test_the_outcome_has_the_numbers_of_every_stage_and_what_to_try(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = load_run(whole, device="cpu")
    own = run.require_plan()
    assert main(said(whole)) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert f"after 20 steps of stage {own.stage} of 3; without a proof ended" in out or (
        f"after 10 steps of stage {own.stage} of 3; without a proof ended" in out
    )
    for told in ("composition (after 20 steps", "codebook (after 20 steps", "maps (after 20 steps"):
        assert told in out
    assert f"nearest came {own.supervision}, which is kept" in out
    assert f"next: lengthwise train group:S3 --model gru-binary --out {whole}-gru" in err
    assert main(said(whole, "--json")) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["stage"] == own.stage
    assert facts["stages"] == stage_records(run)
    kept = facts["stages"][own.stage - 1]
    for name in ("proved", "right_to", "first_wrong", "wrong_chunks", "reason"):
        assert facts[name] == kept[name]


def test_a_setting_that_no_later_stage_has_is_named_where_there_is_no_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(said(tmp_path / "run", "--set", "num_bits=16")) == 0
    out = capsys.readouterr().out
    assert "no further route was tried, since with supervision='codebook' the codes" in out
    assert not (tmp_path / "run/stages").exists()


def test_the_list_has_the_run_with_its_stage_and_not_the_stages(whole: Path) -> None:
    (listed,) = list_runs(whole.parent)
    assert (listed.folder, listed.stages) == (str(whole), 3)
    assert listed.stage == load_run(whole, device="cpu").require_plan().stage
    assert replace(listed, state="stopped", step=5, steps=20, stage=2).state_in_words == (
        "stopped at step 5 of 20, stage 2 of 3"
    )


def test_the_report_has_the_stages(whole: Path) -> None:
    page = render([read_run(whole), read_run(whole / "stages/2-codebook")])
    assert "stages without a proof" in page
    assert "maps (after 20 steps" in page
    assert "2 of 3, codebook" in page


def test_progress_says_which_stage_it_is_and_bounds_what_is_left_of_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lw.train("group:S3", device="cpu", progress=True, **SHORT)
    lines = capsys.readouterr().err.splitlines()
    where = [line.partition("stage ")[2].partition(" (")[0] for line in lines]
    assert list(dict.fromkeys(where)) == ["1 of 3", "2 of 3", "3 of 3"]
    last = [line for line in lines if "step 20/20" in line]
    assert len(last) == 3
    assert all(line.endswith("s left in this stage") for line in last)
    assert "codes so far" in last[0] or "1 code so far" in last[0]
    assert "chunks wrong" in last[1]


def test_figures_of_stages_follow_each_other(tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []

    class Watch:
        def update(self, step: int, record: Mapping[str, Any]) -> None:
            seen.append((record["stage"], record["steps_before"], step))

    train(plan(), device="cpu", progress=Watch())
    assert seen == [(n, 20 * (n - 1), step) for n in (1, 2, 3) for step in range(1, 21)]
