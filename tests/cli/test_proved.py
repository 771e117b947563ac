"""What the summary of training says of a proof, and what it recommends next."""

import json
import shutil
from pathlib import Path

import pytest

from cli.shell import Shell
from proofs.trained import SMALL, train_proved

SETTINGS = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
CPU = ["--device", "cpu"]


def train(shell: Shell, out: Path, *settings: str) -> tuple[str, str]:
    """The summary and the last line on standard error."""
    own = [word for setting in settings for word in ("--set", setting)]
    status, said, notes = shell("train", "parity", "--out", str(out), *CPU, *SETTINGS, *own)
    assert status == 0
    return said, notes.splitlines()[-1]


def test_a_run_that_ends_proved_says_so(
    shell: Shell, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The command finds its run already trained; the next test has one that trains."""
    run, out = train_proved(tmp_path_factory, "parity"), tmp_path / "run"
    assert run.folder is not None
    shutil.copytree(run.folder.path, out)
    said, hint = train(shell, out)
    proof = "training ended with a proof at every length"
    assert said.splitlines()[1] == f"proof          {proof}"
    assert "in validation  100.00 % on fresh words of length 1..40 after " in said
    assert hint == f"next: lengthwise certify {out}"
    command = ["train", "parity", "--out", str(out), *CPU, *SETTINGS]
    facts = shell.json(*command)
    assert (facts["proved"], facts["right_to"], facts["first_wrong"]) == (True, None, None)


@pytest.mark.slow_except("1")
@pytest.mark.parametrize("steps", [1, 40])
def test_a_run_that_ends_unproved_says_how_far_it_is_right(
    shell: Shell, tmp_path: Path, steps: int
) -> None:
    out = tmp_path / "run"
    said, hint = train(shell, out, f"steps={steps}", f"validate_every={steps}")
    (record,) = map(json.loads, (out / "metrics.jsonl").read_text().splitlines())
    wrong, right_to = record["first_wrong"], record["right_to"]
    assert len(wrong) == right_to + 1
    far = f"right to length {right_to}, first wrong word {wrong}" if wrong else "the empty word is"
    assert f"\nproof          not proved: {far}" in said
    after = "1 step" if steps == 1 else f"{steps} steps"
    assert said.endswith(f" after {after}\n")
    assert (
        json.loads((out / "config.json").read_text())["chosen"]
        == "num_heads is not for regular-gpt-slots"
    )
    assert hint == f"next: lengthwise certify {out}"
    status, found, error = shell("certify", str(out))
    assert status == 1
    assert (f"a word of length {right_to + 1} " if wrong else "the empty word") in found
    assert error == "lengthwise: counterexample, as the statement above says.\n"


def test_codes_that_are_told_and_not_proved_say_how_many_chunks_are_wrong(
    shell: Shell, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    arguments = ["--model", "regular-gpt-binary", "--preset", "smoke", *CPU]
    own = ("steps=1", "objective=codebook")
    arguments += [word for setting in own for word in ("--set", setting)]
    status, said, notes = shell("train", "parity", "--out", str(out), *arguments)
    assert status == 0
    hint = notes.splitlines()[-1]
    assert "\nproof          not proved: wrong on " in said
    assert hint == f"next: lengthwise certify {out}"


def test_a_run_without_a_proof_to_try_is_told_of_as_before(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = ["--model", "lstm", "--preset", "smoke", "--set", "max_length=9", *CPU]
    status, said, notes = shell("train", "parity", "--out", str(out), *arguments)
    assert status == 0
    assert "prove" not in said
    assert " % on fresh words of length 1..9 after " in said
    assert notes.splitlines()[-1] == f"next: lengthwise evaluate {out} --lengths 10:500"
    assert shell.json("train", "parity", "--out", str(out), *arguments)["proved"] is None
