"""The commands give the numbers that they gave when `numbers.json` was recorded."""

from pathlib import Path
from typing import Any

import pytest

from golden.cases import CASES, Case
from golden.compare import differences
from golden.judging import judge, require_installed
from golden.record import facts_of, load

RECORDED = load()


@pytest.mark.slow_except("gru/prefix", "languages/words", "regular-gpt/node", "steps/medium")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if CASES[name].quick else pytest.mark.slow) for name in CASES],
)
def test_commands_give_the_recorded_numbers(name: str, tmp_path: Path) -> None:
    require_installed(CASES[name].needs)

    found = facts_of(CASES[name], tmp_path.resolve())

    case = CASES[name]
    judge(RECORDED["cases"][name], found, on=RECORDED["machine"], has_dropout=case.has_dropout)


def test_every_case_is_recorded_and_no_other() -> None:
    assert set(RECORDED["cases"]) == set(CASES)


def test_another_seed_is_named_with_its_fields(tmp_path: Path) -> None:
    first, *others = CASES["gru/prefix"].lines
    assert "seed=3" in first
    lines = (first.replace("seed=3", "seed=4"), *others)

    found = facts_of(Case(lines=lines), tmp_path.resolve())

    named = {
        line.partition(":")[0]
        for line in differences(RECORDED["cases"]["gru/prefix"], found, exact=True)
    }
    assert {
        "1 train/json/validation_loss",
        "2 evaluate/json/mean_loss",
        "3 predict/json/words/probability[0]",
        "files/run/metrics.jsonl/loss[0]",
        "files/run/model.safetensors",
        "files/run/scores.jsonl",
    } <= named


OLD: dict[str, Any] = {"status": 0, "json": {"loss": 0.5, "proved": True, "list": [1, 2]}}


@pytest.mark.parametrize(
    ("new", "says"),
    [
        ({"status": 0, "json": {**OLD["json"], "loss": 0.5000001}}, ["json/loss"]),
        ({"status": 0, "json": {**OLD["json"], "proved": 1}}, ["json/proved"]),
        ({"status": 0, "json": {**OLD["json"], "list": [1, 3]}}, ["json/list[1]"]),
        ({"status": 0, "json": {**OLD["json"], "list": [1]}}, ["json/list"]),
        ({"status": 0, "json": {**OLD["json"], "more": 1}}, []),
        ({"status": 0, "json": None}, ["json"]),
        ({"json": OLD["json"]}, ["status"]),
    ],
)
def test_bits_are_compared_field_by_field(new: Any, says: list[str]) -> None:
    assert [line.partition(":")[0] for line in differences(OLD, new, exact=True)] == says


@pytest.mark.parametrize(
    ("loss", "status", "says"), [(0.5009, 0, []), (0.502, 0, ["json/loss"]), (0.5, 2, ["status"])]
)
def test_elsewhere_losses_and_statuses_are_compared(
    loss: float, status: int, says: list[str]
) -> None:
    new = {"status": status, "json": {"loss": loss, "proved": False, "list": [9]}}
    assert [line.partition(":")[0] for line in differences(OLD, new, exact=False)] == says
