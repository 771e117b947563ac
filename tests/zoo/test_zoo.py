"""The models that come with the package: they open by name, and hold their proofs."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise import zoo_paths
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.zoo.records import read_records
from lengthwise.zoo_paths import ROOT, list_shipped

PROVED = [name for name in list_shipped() if (ROOT / name / "certificate.json").exists()]

MOST_BYTES = 20_000_000
"""Largest size of all models together."""

QUICK = 200_000
"""Size of certificates up to which a check takes moments."""


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    """Whatever a test does with them, the models stay as they are."""
    files = [path for path in ROOT.rglob("*") if path.is_file()]
    before = {path: path.stat().st_mtime_ns for path in files}
    yield
    assert {path: path.stat().st_mtime_ns for path in ROOT.rglob("*") if path.is_file()} == before


def _check(name: str) -> Certificate:
    certificate = check(Certificate.load(ROOT / name / "certificate.json"))
    run = lw.load(f"zoo:{name}", device="cpu")
    assert run.folder is not None
    certificate.require_model(run.folder.network(), run.folder.arrays())
    return certificate


@pytest.mark.slow_for(
    *(f"add-base-{adder}" for adder in ("2", "2-high", "2-high-exact", "10", "10-high")),
    *("add-base-10-exact", "add-base-10-high-exact"),
    "a5-tiny",
    "cycle-navigation",
    "d-2",
    "d-2-exact",
    "d-3",
    "d-4",
    "even-pairs",
    "parity",
    "s3",
    "s3-exact",
    "s3-tiny",
    "tomita-3",
    "tomita-3-exact",
    "tomita-4",
    "tomita-4-exact",
    "tomita-5",
    "tomita-6",
    "z60-tiny",
)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=[pytest.mark.slow] * ((ROOT / name / "certificate.json").stat().st_size > QUICK),
        )
        for name in PROVED
    ],
)
def test_the_proof_of_a_model_is_checked(name: str) -> None:
    assert _check(name).verdict == "equivalent"


def test_all_models_together_are_small() -> None:
    assert sum(path.stat().st_size for path in ROOT.parent.rglob("*")) < MOST_BYTES


# ---- commands ------------------------------------------------------------------------------------


def test_the_table_and_the_cards(shell: Shell) -> None:
    status, out, error = shell("zoo")
    assert status == 0
    assert len(out.splitlines()) == len(list_shipped()) + 1
    assert "zoo:NAME" in error
    models = shell.json("zoo")["models"]
    assert {one["name"] for one in models} == set(list_shipped())
    assert shell("zoo", "parity")[1] == (ROOT / "parity" / "README.md").read_text(encoding="utf-8")
    assert shell.json("zoo", "zoo:parity")["folder"] == str(ROOT / "parity")


def test_a_copy_is_a_run_of_ones_own(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    assert shell("zoo", "parity", "--out", str(out))[0] == 0
    assert shell("evaluate", str(out), "--lengths", "5", "--words", "8")[0] == 0
    assert (out / "evaluation.json").exists()
    status, _, error = shell("zoo", "parity", "--out", str(out))
    assert (status, error.count("\n")) == (2, 1)


@pytest.mark.parametrize("name", ["parity", "parity-exact", "chiang-parity"])
def test_a_model_answers(shell: Shell, name: str) -> None:
    assert shell("predict", f"zoo:{name}", stdin="0110\n1\n")[:2] == (0, "0\n1\n")
    assert lw.predict(lw.load(f"zoo:{name}"), ["0110", "1"]) == ["0", "1"]


def test_commands_take_a_model_by_name(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shell("certify", "--check", "zoo:parity", "zoo:parity", "--against", "parity")[0] == 0
    told = shell.json("certify", "zoo:parity")
    assert (told["verdict"], told["certificate"]) == ("equivalent", None)
    assert shell("certify", "zoo:parity", "--against", "tomita-6", "--out", "no.json")[0] == 1
    assert shell.json("evaluate", "zoo:parity", "--lengths", "7", "--words", "8")["words"] == 8
    assert shell.json("extract", "zoo:parity")["is_language"]
    assert shell("report", "zoo:parity", "--out", "page.html")[0] == 0
    assert shell("verify", "zoo:parity-exact", "--longest", "20", "--precision", "float64")[0] == 0
    assert shell("explain", "zoo:parity-exact")[0] == 0
    assert shell.json("board", "check", "zoo:parity")["is_on_board"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["no.json", "page.html"]


@pytest.mark.parametrize("command", ["snap", "analyse"])
def test_what_would_be_written_into_a_model_is_refused(
    shell: Shell, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, error = shell(command, "zoo:parity")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "lengthwise zoo parity --out DIR" in error
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command", ["certify", "certify --check", "evaluate", "predict", "extract", "report", "zoo"]
)
def test_an_unknown_name_is_told_with_near_ones(shell: Shell, command: str) -> None:
    status, out, error = shell(*command.split(), "zoo:tomita-9", stdin="")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "no model 'zoo:tomita-9'" in error
    assert "zoo:tomita-6" in error


def test_a_name_is_no_path(shell: Shell) -> None:
    for name in ("zoo:../models/parity", "zoo:", "zoo:/etc", "zoo:."):
        assert shell("predict", name)[0] == 2


# ---- language models -----------------------------------------------------------------------------


def test_language_models_are_measured_and_read_on(shell: Shell) -> None:
    """Windows of the longest length are drawn first, so those of one length alone are others."""
    models = [one for one in read_records() if "perplexity" in one]
    assert {one["model"] for one in models} == {"regular-gpt-lm", "gpt-lm"}
    for one in models:
        found = shell.json("evaluate", f"zoo:{one['name']}", "--lengths", "64", "--words", "1000")
        assert found["perplexity"]["64"] == pytest.approx(one["perplexity"]["64"], rel=0.1)
        assert found["corpus"] == "zoo:python-english"
        asked = ("predict", f"zoo:{one['name']}", "--tokens", "5")
        status, out, _ = shell(*asked, stdin="The value of the\n")
        assert (status, out.startswith("The value of the")) == (0, True)


def test_a_text_of_the_package_is_learned_by_name(shell: Shell, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    given = ("--preset", "smoke", "--set", "steps=1", "--set", "validate_every=1", "--out", out)
    assert shell("train", "text:zoo:python-english", *given)[0] == 0
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["problem"]["corpus"]["folder"] == "zoo:python-english"
    assert shell("evaluate", out, "--lengths", "9", "--words", "2")[0] == 0
    text = ("--text", "zoo:python-english")
    assert shell("evaluate", out, *text, "--lengths", "9", "--words", "2")[0] == 0


def test_an_unknown_text_is_told_with_those_that_there_are(shell: Shell, tmp_path: Path) -> None:
    for name in ("pyton-english", "", "../models"):
        given = ("train", f"text:zoo:{name}", "--out", str(tmp_path / "run"))
        status, out, error = shell(*given)
        assert (status, out, error.count("\n")) == (2, "", 1)
        assert "zoo:python-english" in error
    assert not list(tmp_path.iterdir())


# ---- damage --------------------------------------------------------------------------------------


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a model, which stands in the place of the original."""
    copy = tmp_path / "parity"
    shutil.copytree(ROOT / "parity", copy)
    monkeypatch.setattr(zoo_paths, "ROOT", tmp_path)
    return copy


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("certificate.json", "certify --check zoo:parity"),
        ("record.json", "zoo"),
        ("config.json", "predict zoo:parity"),
        ("model.safetensors", "predict zoo:parity"),
    ],
)
def test_a_damaged_file_is_told_in_a_line(
    shell: Shell, damaged: Path, file: str, command: str
) -> None:
    content = (damaged / file).read_bytes()
    (damaged / file).write_bytes(content[: len(content) // 2])
    status, out, error = shell(*command.split(), stdin="01\n")
    assert (status, out, error.count("\n")) == (2, "", 1), error


def test_a_certificate_of_other_weights_is_refused(shell: Shell, damaged: Path) -> None:
    shutil.copy(ROOT / "tomita-6" / "certificate.json", damaged)
    status, _, error = shell("certify", "--check", "zoo:parity", "zoo:parity")
    assert status == 2
    assert "for another model" in error
