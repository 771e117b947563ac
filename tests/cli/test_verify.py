"""`verify`, and what other commands say of computed weights, as a user runs them."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from cli.shell import Shell


def compile_folder(shell: Shell, folder: Path, spec: str, *settings: str) -> str:
    options = [part for setting in settings for part in ("--set", setting)]
    status, _, error = shell("compile", spec, "--out", str(folder), *options)
    assert status == 0, error
    return str(folder)


def complaint(result: tuple[int, str, str]) -> str:
    status, out, error = result
    assert (status, out) == (2, ""), error
    assert error.count("\n") == 1, error
    return error


def change(folder: str, name: str, place: tuple[int, ...], value: float) -> None:
    file = Path(folder) / "model.safetensors"
    weights = load_file(file)
    assert float(weights[name][place]) != value
    weights[name][place] = value
    save_file(weights, file)


QUICK = ("--longest", "12", "--all", "16", "--words", "2")


@pytest.mark.needs_precision("bfloat16", "float16")
def test_all_that_was_found_is_printed_and_stored(shell: Shell, tmp_path: Path) -> None:
    folder = compile_folder(shell, tmp_path / "made", "parity")
    found = shell.json("verify", folder, *QUICK)
    assert found == json.loads((tmp_path / "made" / "verification.json").read_text())
    assert (found["exhaustive_to"], found["longest"], found["is_circuit"]) == (4, 12, False)
    assert set(found["precisions"]) == {"float64", "float32", "bfloat16", "float16"}
    assert all(some["margin"]["12"] == 16 for some in found["precisions"].values())
    status, out, _ = shell("verify", folder, *QUICK)
    assert status == 0
    assert "all words to length 4, some to 12" in out
    assert out.splitlines()[0].split() == ["construction", "parity"]
    rows = [line.split("\t") for line in out.splitlines() if "\t" in line]
    verdict = "holds to 12 of every length"
    assert [row[:2] for row in rows[1:]] == [[name, verdict] for name in found["precisions"]]
    assert {tuple(row[3:]) for row in rows[1:]} == {("12", "none", "16 at 1", "16 at 12")}


@pytest.mark.slow_except("parity-weight1")
@pytest.mark.needs_precision("bfloat16", "float16")
@pytest.mark.parametrize(
    ("spec", "weight"),
    [
        ("parity", ("layers.0.contract.weight", (0, 4), 0.0)),
        ("parity", ("pad", (0,), 0.0)),
        ("tomita-2", ("answer.weight", (1, 0), -1.0)),
    ],
)
def test_one_changed_weight_is_found(
    shell: Shell, tmp_path: Path, spec: str, weight: tuple[str, tuple[int, ...], float]
) -> None:
    folder = compile_folder(shell, tmp_path / "made", spec, "target=elements")
    change(folder, *weight)
    status, out, error = shell("verify", folder, *QUICK)
    assert status == 1
    assert error.splitlines()[-1] == (
        "lengthwise: the claim does not hold in float64, float32, bfloat16, float16."
    )
    assert out.count("FAILS") == 4
    assert json.loads((tmp_path / "made" / "verification.json").read_text())["holds"] is False
    assert shell("verify", folder, *QUICK, "--precision", "float32")[0] == 1


def test_weights_that_are_no_numbers_fail(shell: Shell, tmp_path: Path) -> None:
    folder = compile_folder(shell, tmp_path / "made", "parity")
    change(folder, "answer.bias", (0,), float("nan"))
    status, out, _ = shell("verify", folder, *QUICK)
    assert status == 1
    assert "NaN" in out
    status, out, _ = shell("verify", folder, *QUICK, "--json")
    assert status == 1
    assert json.loads(out)["precisions"]["float64"]["right_to"] is None


def test_one_changed_gate_of_a_circuit_is_found(shell: Shell, tmp_path: Path) -> None:
    folder = compile_folder(shell, tmp_path / "made", "steps2022/addition-1", "bits=2")
    assert "all inputs" in shell("verify", folder)[1]
    assert "random inputs" in shell("verify", folder, "--all", "3", "--words", "2")[1]
    weights = load_file(Path(folder) / "model.safetensors")
    vectors = weights["position.vectors"]
    weights["position.vectors"] = vectors[torch.tensor([0, 1, 2, 3, 5, 4, *range(6, len(vectors))])]
    save_file(weights, Path(folder) / "model.safetensors")
    status, _, error = shell("verify", folder)
    assert status == 1
    assert "does not hold" in error


def test_only_what_is_asked_is_asked(shell: Shell) -> None:
    found = shell.json("verify", "chiang2022/first", *QUICK, "--precision", "float32")
    assert list(found["precisions"]) == ["float32"]
    again = shell.json("verify", "chiang2022/first", *QUICK, "--precision", "float32")
    assert again == found
    other = shell.json(
        "verify", "chiang2022/first", *QUICK, "--precision", "float32", "--seed", "1"
    )
    assert other["precisions"]["float32"]["words"] == found["precisions"]["float32"]["words"]


def test_an_encoder_answers_and_is_no_tree(shell: Shell, tmp_path: Path) -> None:
    folder = compile_folder(shell, tmp_path / "made", "chiang2022/parity")
    assert shell("predict", folder, stdin="011\n\n1\n" + "1" * 101 + "\n")[1] == "0\n0\n1\n1\n"
    scores = shell.json("evaluate", folder, "--lengths", "3:9", "--words", "8")
    assert scores["mean_accuracy"] == 1.0
    for command in ("certify", "snap", "extract", "analyse"):
        needed = "regular-gpt-binary" if command == "certify" else "RegularGPT"
        assert needed in complaint(shell(command, folder))
    assert "symbol '2'" in complaint(shell("predict", folder, stdin="0\n02\n"))


@pytest.mark.parametrize("spec", ["parity", "steps2022/addition-1"])
def test_nothing_is_trained_in_a_folder_of_computed_weights(
    shell: Shell, tmp_path: Path, spec: str
) -> None:
    folder = compile_folder(shell, tmp_path / "made", spec)
    before = {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()}
    assert "Use another folder" in complaint(
        shell("train", "parity", "--out", folder, "--preset", "smoke")
    )
    assert {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()} == before


def test_a_certificate_of_computed_weights_names_another_language(
    shell: Shell, tmp_path: Path
) -> None:
    """The weights of one language, and the description of another."""
    folder = compile_folder(shell, tmp_path / "made", "parity", "target=elements")
    config = Path(folder) / "config.json"
    stored = json.loads(config.read_text())
    stored["language"]["classes"] = [1, 0]
    config.write_text(json.dumps(stored))
    status, out, _ = shell("certify", folder, "--strength", "robust", "--json")
    assert status == 1
    assert json.loads(out)["verdict"] == "counterexample"
    assert "Compile again" in complaint(shell("verify", folder, *QUICK))


@pytest.mark.parametrize("snapped", [False, True])
def test_predictions_of_a_folder_are_those_of_the_language(
    shell: Shell, tmp_path: Path, snapped: bool
) -> None:
    folder = compile_folder(shell, tmp_path / "made", "group:S3", "norm=post")
    names = ["123", "132", "213", "231", "312", "321"]
    lines = "\n".join(" ".join(names[(i * j) % 6] for j in range(i)) for i in range(30))
    extra = []
    if snapped:
        assert shell("snap", folder)[0] == 0
        extra = ["--snapped"]
    status, out, _ = shell("predict", folder, *extra, stdin=lines)
    assert status == 0
    assert out == shell("label", "group:S3", stdin=lines)[1]


def test_a_mistyped_folder_is_no_unknown_language(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shell("verify", "runs/exct")[2] == (
        "lengthwise: runs/exct is not a folder. Give one that compile wrote.\n"
    )
    assert "Did you mean 'parity'" in shell("verify", "party")[2]
