"""The model beside a certificate: whether it is the certified one, and what is said."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load, save

import lengthwise as lw
from lengthwise.problems.functions.problem import FunctionProblem
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.run_folder import compare_with_folder
from lengthwise.zoo_paths import resolve_path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with a certificate of its model."""
    return Path(shutil.copytree(resolve_path("zoo:parity-tiny"), tmp_path / "run"))


def flip(run: Path) -> None:
    weights = load((run / "model.safetensors").read_bytes())
    (run / "model.safetensors").write_bytes(save({k: -w for k, w in weights.items()}))


def truncate(run: Path) -> None:
    content = (run / "model.safetensors").read_bytes()
    (run / "model.safetensors").write_bytes(content[: len(content) // 2])


def in_another_type(run: Path) -> None:
    weights = load((run / "model.safetensors").read_bytes())
    other = {k: w.astype("f8" if w.dtype == "f4" else "f4") for k, w in weights.items()}
    (run / "model.safetensors").write_bytes(save(other))


def with_other_settings(run: Path) -> None:
    change_config(run, lambda config: config["network"].update(noise=0.25))


def of_another_kind(run: Path) -> None:
    change_config(run, lambda config: config.update(network={"hidden": 3}))


def without_settings(run: Path) -> None:
    change_config(run, lambda config: config.pop("network"))


def no_config(run: Path) -> None:
    (run / "config.json").write_text("[]")


def without_weights(run: Path) -> None:
    (run / "model.safetensors").unlink()


def with_a_folder_for_weights(run: Path) -> None:
    without_weights(run)
    (run / "model.safetensors").mkdir()


def with_exchanged_symbols(run: Path) -> None:
    change_config(run, lambda config: config["problem"]["language"]["alphabet"].reverse())


def with_exchanged_classes(run: Path) -> None:
    change_config(run, lambda config: config["problem"]["language"]["class_names"].reverse())


def change_config(run: Path, how: Any) -> None:
    config = json.loads((run / "config.json").read_bytes())
    how(config)
    (run / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (flip, "its settings or weights are others"),
        (truncate, "it cannot be read ("),
        (in_another_type, "its settings or weights are others"),
        (with_other_settings, "its settings or weights are others"),
        (of_another_kind, "it is a network of another kind"),
        (without_settings, "it cannot be read ("),
        (no_config, "it cannot be read ("),
        (without_weights, "it cannot be read ("),
        (with_a_folder_for_weights, "it cannot be read ("),
        (with_exchanged_symbols, "its symbols or classes have other names"),
        (with_exchanged_classes, "its symbols or classes have other names"),
    ],
)
def test_a_model_that_differs_is_told(change: Any, why: str, run: Path) -> None:
    made = Certificate.load(run / "certificate.json")
    assert compare_with_folder(made, run).is_same is True
    change(run)
    found = compare_with_folder(made, run)
    assert found.is_same is False
    assert f"{run / 'model.safetensors'}, which DIFFERS: {why}" in found.said


def test_the_symbols_of_a_function_are_compared(tmp_path: Path) -> None:
    function = lw.function("gray")
    run = lw.train(
        FunctionProblem.of(function),
        "gru-binary",
        preset="smoke",
        steps=2,
        out=tmp_path / "run",
        progress=False,
    )
    certificate = lw.certify(run)
    certificate.save(tmp_path / "run" / "certificate.json")
    assert compare_with_folder(certificate, tmp_path / "run").is_same is True
    change_config(
        tmp_path / "run", lambda config: config["problem"]["function"]["outputs"].reverse()
    )
    assert (
        "the outputs of another function" in compare_with_folder(certificate, tmp_path / "run").said
    )
    change_config(tmp_path / "run", lambda config: config["problem"]["function"].pop("left"))
    assert "it cannot be read (" in compare_with_folder(certificate, tmp_path / "run").said


def test_a_file_beside_no_run_says_that_no_model_was_looked_at(run: Path) -> None:
    made = Certificate.load(run / "certificate.json")
    (run / "model.safetensors").unlink()
    (run / "config.json").unlink()
    found = compare_with_folder(made, run)
    assert (found.model, found.is_same) == (None, None)
    assert "only the weights in the file were looked at" in found.said


def test_checking_beside_a_run_loads_no_torch(run: Path) -> None:
    script = (
        "import sys; from lengthwise.cli.main import main\n"
        "status = main(['certify', '--check', sys.argv[1]])\n"
        "assert 'torch' not in sys.modules; sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, run / "certificate.json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "the same settings, weights and symbols" in done.stdout
