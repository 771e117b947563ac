"""A run is said to be proved only by a certificate of its own, about the model as it runs."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

import lengthwise as lw
from cli.shell import Shell
from lengthwise.board.submission import judge_submission
from lengthwise.errors import CertificateError, LengthwiseError
from lengthwise.interpret import knowledge_of
from lengthwise.languages.att import to_att
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.entry import Architecture
from lengthwise.models.recognisers import MODELS
from lengthwise.problems.run_certificate import read_proof, verdict_about
from lengthwise.problems.runs import load_run
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.zoo_paths import resolve_path
from proofs.search.test_robust import parity_by_hand

pytestmark = pytest.mark.usefixtures("undrawn")

SMALL: dict[str, Any] = {"preset": "smoke", "steps": 1, "validate_every": 1}


@pytest.fixture
def leaking(tmp_path: Path) -> Path:
    """A run whose model is wrong on long words, while its snapped vectors compute parity."""
    folder = tmp_path / "leaking"
    settings: dict[str, Any] = {"d_model": 4, "num_heads": 1, "norm": "none"}
    run = lw.train("parity", "regular-gpt", out=folder, **SMALL, **settings)
    weights = {**run.model.state_dict(), **parity_by_hand(leak=0.15).state_dict()}
    save_file({name: each.contiguous() for name, each in weights.items()}, folder / SAVED)
    return folder


SAVED = "model.safetensors"


def _edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    values = json.loads(path.read_text(encoding="utf-8"))
    change(values)
    path.write_text(json.dumps(values), encoding="utf-8")


def test_a_proof_of_snapped_vectors_is_not_one_of_the_model(leaking: Path, shell: Shell) -> None:
    status, out, _ = shell("certify", str(leaking))
    assert status == 0
    assert "equivalent (snapped)" in out
    run = load_run(leaking, device="cpu")
    assert lw.predict(run, ["1" * 8]) == ["1"], "the model as it runs is wrong"
    assert knowledge_of(run).verdict is None
    asked = ("--lengths", "12", "--words", "16")
    _, out, _ = shell("analyse", str(leaking), *asked)
    assert "meaning" in out
    assert "proved right" not in out
    page = leaking.parent / "page.html"
    assert shell("report", str(leaking), "--out", str(page))[0] == 0
    said = page.read_text(encoding="utf-8")
    assert "proved right" not in said
    assert "equivalent (snapped)" in said
    assert "claims equivalent (snapped)" in shell("ls", str(leaking.parent))[1]


def test_a_proof_in_bfloat16_is_not_one_of_the_weights(tmp_path: Path, shell: Shell) -> None:
    folder = tmp_path / "run"
    run = lw.train("parity", "elman-binary", out=folder)
    made = lw.certify(run, precision="bfloat16")
    assert (made.verdict, verdict_about(made, run.language)) == ("equivalent", None)
    made.save(folder / "certificate.json")
    assert run.folder is not None
    proof = read_proof(run.folder, run.language)
    assert proof is not None
    assert proof.brief(run.language) == "equivalent (bfloat16)"
    _, out, _ = shell("certify", "--check", str(folder / "certificate.json"), str(folder))
    assert f"that of {folder} cast to bfloat16" in out
    assert "claims equivalent (bfloat16)" in shell("ls", str(tmp_path))[1]


def test_a_proof_for_another_language_says_so(tmp_path: Path, shell: Shell) -> None:
    folder = tmp_path / "run"
    run = lw.train("parity", "elman-binary", out=folder, objective="final", **SMALL)
    assert run.folder is not None
    file = tmp_path / "own.att"
    file.write_text(to_att(lw.extract(run).automaton), encoding="utf-8")
    own = lw.language(f"att:{file}")
    made = lw.certify(run, language=own)
    assert made.verdict == "equivalent"
    assert verdict_about(made, run.language) is None
    made.save(run.folder.certificate)
    proof = read_proof(run.folder, run.language)
    assert proof is not None
    assert proof.brief(run.language) == "equivalent (another language)"
    assert proof.brief(own) == "equivalent"
    page = tmp_path / "page.html"
    assert shell("report", str(folder), "--out", str(page))[0] == 0
    assert "equivalent (another language)" in page.read_text(encoding="utf-8")
    assert "claims equivalent (att:" in shell("ls", str(tmp_path))[1]
    lw.certify(run, language=replace(own, spec="")).save(run.folder.certificate)
    assert "claims equivalent (another language)" in shell("ls", str(tmp_path))[1]


def test_another_name_of_the_same_language_is_no_other_language(
    tmp_path: Path, shell: Shell
) -> None:
    folder = Path(shutil.copytree(resolve_path("zoo:parity-tiny"), tmp_path / "run"))
    run = load_run(folder, device="cpu")
    lw.certify(run, language="regex:(0|10*1)*10*").save(folder / "certificate.json")
    out = shell("ls", str(tmp_path))[1]
    assert "claims equivalent" in out
    assert "claims equivalent (" not in out
    (folder / "certificate.json").unlink()
    assert "no certificate yet, proved in training" in shell("ls", str(tmp_path))[1]
    metrics = (folder / "metrics.jsonl").read_text()
    (folder / "metrics.jsonl").write_text(metrics.replace('"proved": true', '"proved": false'))
    assert "\tnone" in shell("ls", str(tmp_path))[1]


def test_what_training_proved_is_not_believed_of_stored_weights(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(resolve_path("zoo:parity-tiny"), tmp_path / "run"))
    (folder / "certificate.json").unlink()
    weights = load_file(folder / SAVED)
    save_file({name: -each for name, each in weights.items()}, folder / SAVED)
    run = load_run(folder, device="cpu")
    assert run.metrics[-1]["proved"]
    assert knowledge_of(run).verdict is None


def test_a_forged_verdict_is_not_believed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = lw.train("parity", out=folder, d_model=8, num_bits=3, seed=1, **SMALL)
    made = lw.certify(run)
    assert made.verdict != "equivalent"
    forged = replace(made, verdict="equivalent", counterexample=None, checked_length=None)
    assert run.folder is not None
    forged.save(run.folder.certificate)
    assert knowledge_of(run).verdict is None
    proof = read_proof(run.folder, run.language)
    assert proof is not None
    assert proof.refused
    assert proof.brief(run.language) == "not proved"


# ---- whose certificate it is ---------------------------------------------------------------------


class Flipped(BinaryRecurrent):
    """Gives words of more than 30 symbols the wrong class."""

    def forward(self, tokens: Any, lengths: Any = None, **more: Any) -> Any:
        logits = super().forward(tokens, lengths, **more)
        turned = 1 - 2 * (lengths > 30).to(logits.dtype)
        return logits * turned[:, None]


flipped = replace(
    MODELS["elman-binary"], architecture=Architecture(config=BinaryRecurrentConfig, module=Flipped)
)


def _other_code(config: dict[str, Any]) -> None:
    config["model"] = f"{__name__}:flipped"


def _keep_symbols_elsewhere(config: dict[str, Any]) -> None:
    """The run writes its symbols the other way round, and keeps the right ones where none reads."""
    config["problem"] = {"kind": "recognition", "language": dict(config["language"])}
    config["language"] |= {"alphabet": ["1", "0"], "spec": ""}


def _mask_words(config: dict[str, Any]) -> None:
    """A run of labelled words, with a language beside them that it does not read."""
    own = config["problem"]["language"]
    words = {"file": "w.tsv", "digest": "0", "alphabet": ["1", "0"], "class_names": ["0", "1"]}
    stored = {"words": {**words, "is_stated": False}, "language": own}
    config["problem"] = {"kind": "labelled-words", **stored}


@pytest.mark.parametrize(
    ("model", "change", "why"),
    [
        ("parity-tiny", _other_code, "another kind of network"),
        ("parity-exact", _keep_symbols_elsewhere, "other symbols or classes"),
        ("parity-tiny", _mask_words, "other symbols or classes"),
    ],
    ids=["code", "symbols", "words"],
)
def test_a_certificate_of_another_run_is_refused(
    model: str, change: Callable[[dict[str, Any]], object], why: str, tmp_path: Path, shell: Shell
) -> None:
    folder = Path(shutil.copytree(resolve_path(f"zoo:{model}"), tmp_path / "run"))
    file = folder / "certificate.json"
    assert shell("certify", "--check", str(file), str(folder))[0] == 0
    assert judge_submission(folder)
    _edit(folder / "config.json", change)
    status, _, error = shell("certify", "--check", str(file), str(folder))
    assert (status, error.count("\n")) == (2, 1)
    assert why in error
    with pytest.raises(LengthwiseError):
        judge_submission(folder)


def test_code_of_a_user_has_no_proof_in_any_page(tmp_path: Path, shell: Shell) -> None:
    folder = Path(shutil.copytree(resolve_path("zoo:parity-tiny"), tmp_path / "run"))
    _edit(folder / "config.json", _other_code)
    run = load_run(folder, device="cpu")
    assert lw.predict(run, ["1" * 29, "1" * 31]) == ["1", "0"]
    with pytest.raises(CertificateError, match="another kind of network"):
        knowledge_of(run)
    status, _, error = shell("report", str(folder), "--out", str(tmp_path / "page.html"))
    assert (status, error.count("\n")) == (2, 1)


def test_symbols_are_those_that_the_run_reads(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(resolve_path("zoo:parity-exact"), tmp_path / "run"))
    _edit(folder / "config.json", _keep_symbols_elsewhere)
    run = load_run(folder, device="cpu")
    assert run.folder is not None
    with pytest.raises(CertificateError, match="other symbols"):
        read_proof(run.folder, run.language)


def test_the_card_of_a_file_claims_and_that_of_a_check_says_proved() -> None:
    file = resolve_path("zoo:parity-tiny") / "certificate.json"
    loaded = Certificate.load(file)
    assert "a claim, not checked" in loaded._repr_html_()
    assert ">proved<" not in loaded._repr_html_()
    assert ">proved<" in check(loaded)._repr_html_()
    assert loaded.to_bytes() == file.read_bytes()
    changed = replace(check(loaded), reason="another")
    assert "a claim, not checked" in changed._repr_html_()
