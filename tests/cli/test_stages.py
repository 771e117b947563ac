"""What the commands say of a run with several stages."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.problems.runs import load_run, train
from lengthwise.report.report import read_run, render
from lengthwise.training.run_listing import list_runs
from staged import SHORT, plan

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose two stages end without a proof."""
    out = tmp_path_factory.mktemp("whole") / "run"
    train(plan(), out=out, device="cpu")
    return out


def run_and_read(whole: Path, *more: str) -> list[str]:
    settings = [part for name, value in SHORT.items() for part in ("--set", f"{name}={value}")]
    return ["train", "group:S3", "--out", str(whole), "--device", "cpu", *settings, *more]


def test_the_outcome_has_the_numbers_of_every_stage_and_what_to_try(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = load_run(whole, device="cpu")
    own = run.require_plan()
    assert main(run_and_read(whole)) == 0
    out, err = capsys.readouterr()
    rows = dict(line.split("  ", 1) for line in out.splitlines()[1:])
    assert rows["stage"].strip() == f"{own.stage} of 2, {own.supervision}"
    assert "stages without a proof" in rows
    for told in ("composition (after 20 steps", "maps (after 20 steps"):
        assert told in out
    assert f"nearest came {own.supervision}, which is kept" in out
    assert f"next: lengthwise train group:S3 --model gru-binary --out {whole}-gru" in err
    assert main(run_and_read(whole, "--json")) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["stage"] == own.stage
    assert facts["stages"] == run.records.stages
    kept = facts["stages"][own.stage - 1]
    for name in ("proved", "right_to", "first_wrong", "wrong_chunks", "reason"):
        assert facts[name] == kept[name]


def test_a_setting_that_no_later_stage_has_is_named_where_there_is_no_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(run_and_read(tmp_path / "run", "--set", "num_bits=16")) == 0
    out = capsys.readouterr().out
    assert "no further route was tried, since num_bits=16 is too large" in out
    assert not (tmp_path / "run/stages").exists()


def test_the_list_has_the_run_with_its_stage_and_not_the_stages(whole: Path) -> None:
    (listed,) = list_runs(whole.parent)
    assert (listed.folder, listed.stages) == (str(whole), 2)
    assert listed.stage == load_run(whole, device="cpu").require_plan().stage
    assert replace(listed, state="stopped", step=5, steps=20, stage=2).state_in_words == (
        "stopped at step 5 of 20, stage 2 of 2"
    )


def test_the_report_has_the_stages(whole: Path) -> None:
    page = render([read_run(whole), read_run(whole / "stages/2-maps")])
    assert "stages without a proof" in page
    assert "maps (after 20 steps" in page
    assert "2 of 2, maps" in page


@pytest.mark.slow
def test_progress_says_which_stage_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    lw.train("group:S3", device="cpu", progress=True, **SHORT)
    lines = capsys.readouterr().err.splitlines()
    where = [line.partition("stage ")[2].partition(" (")[0] for line in lines]
    assert list(dict.fromkeys(where)) == ["1 of 2", "2 of 2"]
    last = [line for line in lines if "step 20/20" in line]
    assert len(last) == 2
    assert "codes so far" in last[0] or "1 code so far" in last[0]
    assert "table entries wrong" in last[1]
    assert last[1].startswith("group:S3: stage 2 of 2 (regular-gpt-slots, maps), step ")


@pytest.mark.slow
def test_figures_of_stages_follow_each_other(tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []

    class Watch:
        def update(self, step: int, record: Mapping[str, Any]) -> None:
            seen.append((record["stage"], record["steps_before"], step))

    train(plan(), device="cpu", progress=Watch())
    assert seen == [(n, 20 * (n - 1), step) for n in (1, 2) for step in range(1, 21)]
