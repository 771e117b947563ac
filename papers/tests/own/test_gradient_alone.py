"""Trees that a recurrent network teaches: who is judged, and by what."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import VerificationError
from lengthwise.problems.base import Plan, Run
from lengthwise_papers.experiment import Record
from lengthwise_papers.own import gradient_alone
from lengthwise_papers.own.gradient_alone import (
    GRADIENT_ALONE,
    PUPIL,
    TAUGHT,
    UNTAUGHT,
    check,
    measure,
    parts,
    tabulate_taught,
)
from lengthwise_papers.parts import train_in_folder

SMOKE = replace(
    GRADIENT_ALONE.presets["smoke"], languages=(), changed=(), trees=(), taught=("parity",)
)


def record(seed: int, *, settled: bool, verdict: str) -> Record:
    found: Record = {
        **{"language": "parity", "variant": TAUGHT, "seed": seed, "settled": settled},
        **{
            "verdict": verdict,
            "reason": "the teacher did not settle",
            "wrong_length": None,
            "words": 100,
            "processor_seconds": 2.0,
        },
        **{"codes": 3, "longest": 40, "validation_accuracy": 1.0},
    }
    if settled:
        found["pupil"] = {"processor_seconds": 5.0}
    return found


def test_a_teacher_that_did_not_settle_is_not_counted_but_told() -> None:
    proved = record(0, settled=True, verdict="equivalent")
    untaught = record(1, settled=False, verdict=UNTAUGHT)
    (statement,) = check([proved, untaught])
    assert (statement.holds, statement.measured) == (True, "1 of 1")
    (row,) = tabulate_taught([proved, untaught]).rows
    assert row == ["parity", "1 of 2", "100", "2", "5", "3", "the teacher did not settle (seed 1)"]
    assert check([untaught]) == []


def test_a_tree_that_is_wrong_is_named() -> None:
    wrong = {**record(2, settled=True, verdict="counterexample"), "wrong_length": 4}
    (statement,) = check([record(0, settled=True, verdict="equivalent"), wrong])
    assert (statement.holds, statement.measured) == (False, "1 of 2; not parity, seed 2")
    (row,) = tabulate_taught([wrong]).rows
    assert row[-1] == "wrong at length 4, but settled (seed 2)"


def test_the_part_holds_what_the_tree_is_trained_with() -> None:
    (part,) = parts(SMOKE, ())
    told = part.settings["pupil"]
    assert told["plan"]["model"] == PUPIL
    assert "problem" not in told["plan"]
    other = parts(replace(SMOKE, pupil={"d_model": 32}), ())[0]
    assert other.digest != part.digest


def test_an_unsettled_teacher_trains_no_tree(tmp_path: Path) -> None:
    (part,) = parts(SMOKE, ())
    (found,) = measure(part.settings, tmp_path)
    assert (found["settled"], found["verdict"]) == (False, UNTAUGHT)
    assert not (tmp_path / "pupil").exists()


def test_a_teacher_too_large_to_explore_ends_its_own_part_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def settle(plan: Plan, folder: Path) -> tuple[Run, Record]:
        run, record = train_in_folder(plan, folder)
        return replace(run, metrics=[{**run.metrics[-1], "perfect": True}]), record

    def endless(*given: object) -> None:
        raise VerificationError("codes never close")

    monkeypatch.setattr(gradient_alone, "train_in_folder", settle)
    monkeypatch.setattr(gradient_alone, "extract_automaton", endless)
    (part,) = parts(SMOKE, ())
    (found,) = measure(part.settings, tmp_path / "new")
    assert (found["verdict"], found["wrong_length"]) == (UNTAUGHT, None)
    (row,) = tabulate_taught([found]).rows
    assert row[-1] == "the teacher's automaton was not found: codes never close (seed 0)"


@pytest.mark.slow
def test_a_settled_teacher_has_a_tree_that_is_proved(tmp_path: Path) -> None:
    (part,) = parts(replace(SMOKE, preset="laptop"), ())
    (found,) = measure(part.settings, tmp_path)
    pupil: Any = found["pupil"]
    assert (found["settled"], found["verdict"], found["model"]) == (
        True,
        "equivalent",
        "gru-binary",
    )
    assert (pupil["model"], pupil["automaton_states"]) == (PUPIL, 2)
    assert pupil["settings"]["network"] != found["settings"]["network"]
