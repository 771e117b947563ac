"""Run folders of an old layout load, go on to the same bits, and give the recorded numbers."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import lengthwise as lw
from golden.judging import judge, require_installed
from golden.make_runs import RUNS, copied, facts_of, load
from golden.old_runs import OLD_RUNS

RECORDED = load()


@pytest.mark.slow_for("recurrent-stopped")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if OLD_RUNS[name].quick else pytest.mark.slow)
        for name in OLD_RUNS
    ],
)
def test_old_runs_give_the_recorded_numbers(name: str, tmp_path: Path) -> None:
    require_installed(OLD_RUNS[name].needs)
    copied(name, tmp_path.resolve())

    found = facts_of(OLD_RUNS[name], tmp_path.resolve())

    judge(RECORDED["runs"][name], found, on=RECORDED["machine"])


@pytest.mark.parametrize("name", [name for name, old in OLD_RUNS.items() if not old.stopped])
def test_old_runs_load(name: str, tmp_path: Path) -> None:
    copied(name, tmp_path)

    run = lw.load(tmp_path / "run", device="cpu")

    assert not run.model.training
    stored = load_file(tmp_path / "run" / "model.safetensors")
    loaded = run.model.state_dict()
    assert set(loaded) == set(stored)
    assert all(torch.equal(loaded[key], stored[key]) for key in stored)


def test_the_folders_are_small_and_name_no_place() -> None:
    files = [path for path in RUNS.rglob("*") if path.is_file()]
    assert {path.relative_to(RUNS).parts[0] for path in files} == {*OLD_RUNS, "corpora"}
    for name in OLD_RUNS:
        assert sum(path.stat().st_size for path in (RUNS / name).iterdir()) < 64_000
    assert not any(b"/tmp/" in path.read_bytes() for path in files)
