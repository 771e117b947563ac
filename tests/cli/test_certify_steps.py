"""`certify` on step tasks: the certificate in `rule.json`, its check, and bad input."""

from pathlib import Path

import pytest
from safetensors.numpy import save_file

from lengthwise.cli.main import main
from pointer_adder import adder_weights
from problems.step_by_step.test_sizes import adder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("adder")
    adder(path)
    save_file(adder_weights(), path / "run" / "model.safetensors")
    return path / "run"


def test_a_run_is_certified_and_the_certificate_checked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certify", str(folder)]) == 0
    assert "112 of 112 are certain" in capsys.readouterr().out
    rule = str(folder / "rule.json")
    assert main(["certify", "--check", rule]) == 0
    assert main(["certify", str(folder), "--check", rule, "--json"]) == 0
    assert '"verdict": "equivalent"' in capsys.readouterr().out


def test_a_certificate_of_other_weights_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certify", str(folder)]) == 0
    weights = adder_weights()
    weights["read"][2, 1] = 0.0
    save_file(weights, folder / "model.safetensors")
    try:
        assert main(["certify", "--check", str(folder / "rule.json")]) == 2
        assert "DIFFERS" in capsys.readouterr().err
        assert main(["certify", str(folder)]) == 1
        assert "a wrong carry or a wrong sum for" in capsys.readouterr().err
    finally:
        save_file(adder_weights(), folder / "model.safetensors")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--against", "parity"], "a step task has one kind of proof"),
        (["--max-chunks", "5"], "a step task has one kind of proof"),
        (["--strength", "snapped"], "a step task has one kind of proof"),
        (["--precision", "bfloat16"], "no proof of steps in bfloat16"),
        (["--out", "other.json"], "such a certificate is called rule.json"),
        (["--check", "nowhere/rule.json"], "cannot be read"),
    ],
)
def test_what_is_not_for_steps_is_refused_in_a_line(
    options: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certify", str(folder), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
