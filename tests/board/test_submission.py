"""What a submission has to be: an honest one is judged by its proof, and forgeries are refused."""

import json
import os
import pickle
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise.board.entries import LANGUAGES, load_entries
from lengthwise.board.submission import MOST_BYTES, _bits_of, judge_submission
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from lengthwise.zoo_paths import resolve_path
from proofs.snapped import parity_network


@pytest.fixture
def honest(tmp_path: Path) -> Path:
    return Path(shutil.copytree(resolve_path("zoo:parity"), tmp_path / "run"))


def test_an_honest_submission_gets_its_place(shell: Shell, honest: Path) -> None:
    told = shell.json("board", "check", str(honest))
    run = lw.load(honest)
    assert told["language"] == "parity"
    assert told["parameters"] == sum(each.numel() for each in run.model.parameters())
    assert (told["bits"], told["made"], told["model"]) == (24, "trained", "regular-gpt-binary")
    assert told["is_on_board"]
    rivals = [
        each for each in load_entries() if (each.language, each.made) == ("parity", "trained")
    ]
    smaller = [each for each in rivals if each.parameters < told["parameters"]]
    assert told["place"] == 1 + len(smaller)
    assert "not shown by it" in shell("board", "check", str(honest))[1]


def test_its_name_is_not_believed(honest: Path) -> None:
    """The language is found by its automaton, also where the certificate and the run name none."""
    certificate = Certificate.load(honest / "certificate.json")
    replace(certificate, language=replace(certificate.language, spec="")).save(
        honest / "certificate.json"
    )
    assert judge_submission(honest).language == "parity"


def _rename_language(folder: Path) -> None:
    certificate = Certificate.load(folder / "certificate.json")
    language = replace(certificate.language, spec="tomita-3")
    replace(certificate, language=language).save(folder / "certificate.json")


_THIRDS = "regex:(0*10*10*1)*0*"


def _another_language(folder: Path) -> None:
    """A proved network for another language, in files that call it parity."""
    made = lw.compile(_THIRDS)
    found = lw.certify(made.model, language=_THIRDS)
    assert found.verdict == "equivalent"
    config = json.loads((folder / "config.json").read_text())
    config["network"] = made.compiled.network.to_dict()
    (folder / "config.json").write_text(json.dumps(config))
    from safetensors.torch import save_file  # noqa: PLC0415

    save_file(made.model.state_dict(), folder / "model.safetensors")
    replace(found, language=replace(found.language, spec="")).save(folder / "certificate.json")


def _swap_weights(folder: Path) -> None:
    shutil.copy(resolve_path("zoo:tomita-6") / "model.safetensors", folder)


def _swap_one_weight(folder: Path) -> None:
    from safetensors.torch import load_file, save_file  # noqa: PLC0415

    weights = load_file(folder / "model.safetensors")
    weights["answer.bias"][0] += 1.0
    save_file(weights, folder / "model.safetensors")


def _halve_weights(folder: Path) -> None:
    from safetensors.torch import load_file, save_file  # noqa: PLC0415

    path = folder / "model.safetensors"
    save_file({name: w.bfloat16() for name, w in load_file(path).items()}, path)


def _swap_certificate(folder: Path) -> None:
    shutil.copy(resolve_path("zoo:tomita-6") / "certificate.json", folder)


def _add_pickle(folder: Path) -> None:
    (folder / "model.pt").write_bytes(pickle.dumps({"weights": [1.0]}))


def _pickle_for_weights(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(pickle.dumps(_Trap()))


class _Trap:
    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, ("unpickled",)


def _add_code(folder: Path) -> None:
    (folder / "modelling.py").write_text("raise SystemExit")


def _link_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to(resolve_path("zoo:parity") / "model.safetensors")


def _folder_for_a_file(folder: Path) -> None:
    (folder / "evaluation.json").mkdir()


def _pipe_for_a_file(folder: Path) -> None:
    os.mkfifo(folder / "scores.jsonl")


def _huge(folder: Path) -> None:
    with (folder / "certificate.json").open("r+b") as file:
        file.truncate(MOST_BYTES["certificate.json"] + 1)


def _not_closed(folder: Path) -> None:
    certificate = Certificate.load(folder / "certificate.json")
    replace(certificate, verdict="not-closed", reason="stopped").save(folder / "certificate.json")


def _change_a_byte(folder: Path) -> None:
    text = (folder / "certificate.json").read_text()
    (folder / "certificate.json").write_text(text.replace('"repeats":1', '"repeats":0'))


def _claim_a_wrong_level(folder: Path) -> None:
    certificate = Certificate.load(folder / "certificate.json")
    replace(certificate, levels=certificate.levels[:-1]).save(folder / "certificate.json")


def _no_certificate(folder: Path) -> None:
    (folder / "certificate.json").unlink()


def _other_symbols(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config["problem"]["language"]["alphabet"] = ["1", "0"]
    (folder / "config.json").write_text(json.dumps(config))


FORGERIES: dict[Callable[[Path], None], str] = {
    _rename_language: "the certificate does not hold",
    _another_language: "not about a language of the board",
    _swap_weights: "for another model",
    _swap_one_weight: "for another model",
    _halve_weights: "weights of a type that no run",
    _swap_certificate: "for another model",
    _add_pickle: "no other files",
    _pickle_for_weights: "cannot be read",
    _add_code: "no other files",
    _link_weights: "is not a plain file",
    _folder_for_a_file: "is not a plain file",
    _pipe_for_a_file: "is not a plain file",
    _huge: "at most",
    _not_closed: "proves nothing",
    _change_a_byte: "was changed",
    _claim_a_wrong_level: "does not hold",
    _no_certificate: "has no certificate.json",
    _other_symbols: "other symbols",
}


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__.strip("_"))
def test_a_forgery_is_refused_in_one_line(
    shell: Shell, honest: Path, forge: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(honest.parent)
    forge(honest)
    status, out, error = shell("board", "check", str(honest))
    assert (status, out) == (2, "")
    assert error.startswith("lengthwise: ")
    assert error.count("\n") == 1
    assert FORGERIES[forge] in error
    assert not Path("unpickled").exists()


def test_a_proof_that_the_network_is_wrong_is_a_failed_claim(shell: Shell, honest: Path) -> None:
    run = lw.load(honest)
    lw.certify(run, language="tomita-6").save(honest / "certificate.json")
    status, _, error = shell("board", "check", str(honest))
    assert status == 1
    assert "counterexample" in error


def test_a_link_to_a_folder_is_no_folder(shell: Shell, honest: Path) -> None:
    (honest.parent / "link").symlink_to(honest)
    assert shell("board", "check", str(honest.parent / "link"))[0] == 2


def test_a_recurrence_that_was_snapped_has_no_bits() -> None:
    assert _bits_of(certify(parity_network(), lw.language("parity"))) is None


def test_the_languages_of_the_board_differ() -> None:
    """So that a proof is about one of them alone: by short words, fewer where symbols are many."""

    def answers(spec: str) -> tuple[object, ...]:
        language = parse(spec)
        words = language.words(max_length=10 if language.num_symbols == 2 else 2)
        return language.alphabet, tuple((word, language.classify(word)) for word in words)

    found = [answers(spec) for spec in LANGUAGES.values()]
    assert len(set(found)) == len(found)
