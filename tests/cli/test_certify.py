"""The command `certify`: what it prints and saves, how it ends, and what it refuses."""

import errno
import hashlib
import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import lengthwise as lw
from extras import skip_if_refused
from lengthwise.cli.certify import _describe_unsnapped
from lengthwise.cli.main import main
from lengthwise.errors import RunError
from lengthwise.files import require_file_place
from proofs.trained import train_proved

FACTS = {
    "verdict",
    "strength",
    "precision",
    "language",
    "claimed_name",
    "domain",
    "statement",
    "terms",
    "counterexample",
    "counterexample_length",
    "checked_length",
    "reason",
    "levels",
    "repeats",
    "elements",
    "interior_pairs",
    "edge_pairs",
    "monoid_elements_met",
    "margins",
    "moved",
    "automaton_digest",
    "model_digest",
}


class Shell:
    """Runs `certify` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> tuple[int, str, str]:
        """Exit status, standard output, standard error."""
        status = main(["certify", *map(str, arguments)])
        captured = self._capsys.readouterr()
        return status, captured.out, captured.err

    def json(self, expected: int, *arguments: str | Path) -> dict[str, Any]:
        """The one JSON object that it prints, with the exit status that is expected."""
        status, out, _ = self(*arguments, "--json")
        assert status == expected
        assert out.count("\n") == 1
        found: dict[str, Any] = json.loads(out)
        return found

    def refuse(self, *arguments: str | Path) -> str:
        """The one line of a command that is refused."""
        status, out, err = self(*arguments)
        assert (status, out) == (2, "")
        assert err.startswith("lengthwise: ")
        assert err.count("\n") == 1
        return err


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


def copy(factory: pytest.TempPathFactory, spec: str, to: Path) -> Path:
    run = train_proved(factory, spec)
    assert run.folder is not None
    shutil.copytree(run.folder.path, to)
    (to / "certificate.json").unlink(missing_ok=True)
    return to


@pytest.fixture
def run_folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is right at every length, not yet certified."""
    return copy(tmp_path_factory, "parity", tmp_path / "run")


@pytest.fixture
def other_folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another one, over the same alphabet and classes."""
    return copy(tmp_path_factory, "tomita-5", tmp_path / "other")


def test_a_proof_ends_with_0_and_is_kept_in_the_run(shell: Shell, run_folder: Path) -> None:
    status, out, _ = shell(run_folder)
    assert status == 0
    assert "equivalent" in out
    assert "every word of parity" in out
    assert str(run_folder / "certificate.json") in out
    status, out, err = shell("--check", run_folder / "certificate.json")
    assert status == 0
    assert "checked" in err
    assert "equivalent" in out


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "metrics.jsonl"])
def test_a_certificate_takes_the_place_of_no_other_file(
    name: str, shell: Shell, run_folder: Path, tmp_path: Path
) -> None:
    run, other = run_folder, shutil.copytree(run_folder, tmp_path / "other")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for out in (run / name, other / "certificate.json"):
        status, _, error = shell(run, "--out", out)
        assert status == 2
        assert "is the folder of a run, which keeps a file of its own as" in error
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_certificate_may_stand_beside_other_files(
    shell: Shell, run_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text('{"steps": 5}')  # a settings file, not a run
    for out in (tmp_path / "certificate.json", tmp_path / "proof.json", run_folder / "proof.json"):
        assert shell(run_folder, "--out", out)[0] == 0
        assert out.exists()


def test_a_device_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RunError, match="pipe is not a file that can be replaced"):
        require_file_place(tmp_path / "pipe")


def test_json_has_all_facts_and_nothing_else_on_standard_output(
    shell: Shell, run_folder: Path
) -> None:
    found = shell.json(0, run_folder)
    assert set(found) == FACTS | {"certificate", "run"}
    assert (found["verdict"], found["strength"]) == ("equivalent", "discrete")
    assert found["language"] == "parity"
    assert (found["counterexample"], found["counterexample_length"]) == (None, None)
    assert found["checked_length"] is None
    assert found["repeats"] < found["levels"]
    assert found["margins"]["is_certain"] is True
    assert found["run"] == str(run_folder)
    checked = shell.json(0, "--check", found["certificate"])
    assert checked.pop("checked") is True
    sure, again = found["margins"], checked["margins"]
    assert again.pop("measured") is None  # the model is not run
    sure.pop("measured")
    assert again == pytest.approx(sure, rel=1e-6)
    same = FACTS - {"margins"}
    assert {k: checked[k] for k in same} == {k: found[k] for k in same}


def test_the_model_beside_a_certificate_is_compared(
    shell: Shell, run_folder: Path, tmp_path: Path
) -> None:
    """One that was changed ends with 1, though the certificate holds for its own weights."""
    assert shell(run_folder)[0] == 0
    file, model = run_folder / "certificate.json", run_folder / "model.safetensors"
    assert shell.json(0, "--check", file)["matches_model_beside"] is True
    content = model.read_bytes()
    shutil.copy(file, tmp_path / "alone.json")
    assert shell.json(0, "--check", tmp_path / "alone.json")["matches_model_beside"] is None
    assert "only the weights in the file" in " ".join(
        shell("--check", tmp_path / "alone.json")[1].split()
    )
    for changed in (content[:-40], bytes(content[:-1]) + bytes([content[-1] ^ 0x80])):
        model.write_bytes(changed)
        status, out, err = shell("--check", file)
        assert status == 1
        assert "DIFFERS" in out
        assert f"holds for its own weights, but {model} beside it DIFFERS" in err
        assert shell.json(1, "--check", file)["matches_model_beside"] is False


def test_a_wrong_word_ends_with_1_and_is_told(
    shell: Shell, run_folder: Path, tmp_path: Path
) -> None:
    """Against another language, nothing is written into the run unless asked."""
    status, out, err = shell(run_folder, "--against", "tomita-5")
    assert status == 1
    assert "counterexample" in err
    assert "counterexample" in out
    assert not (run_folder / "certificate.json").exists()
    found = shell.json(1, run_folder, "--against", "tomita-5", "--out", tmp_path / "c.json")
    assert found["verdict"] == "counterexample"
    assert found["counterexample_length"] == len(found["counterexample"]["word"])
    assert found["checked_length"] == found["counterexample_length"] - 1
    assert {found["counterexample"]["model"], found["counterexample"]["language"]} == {"0", "1"}
    assert found["certificate"] == str(tmp_path / "c.json")
    # the evidence holds, and what it shows is still that the model is wrong
    checked = shell.json(1, "--check", tmp_path / "c.json")
    assert checked["verdict"] == "counterexample"
    assert checked["checked"] is True
    assert not (run_folder / "certificate.json").exists()


def test_a_late_wrong_word_is_the_shortest(shell: Shell, run_folder: Path) -> None:
    """An odd number of ones, or just four of them."""
    found = shell.json(1, run_folder, "--against", "regex:0*10*(10*10*)*|1111")
    assert found["counterexample"] == {"word": "1111", "model": "0", "language": "1"}
    assert "length 4" in found["statement"] or "4 symbols" in found["statement"]


def test_past_the_bound_it_ends_with_1_and_a_certificate_that_proves_nothing(
    shell: Shell, run_folder: Path
) -> None:
    found = shell.json(1, run_folder, "--max-chunks", "3")
    assert found["verdict"] == "not-closed"
    assert "3" in found["reason"]
    err = shell.refuse("--check", found["certificate"])
    assert "proves nothing" in err


def test_a_certificate_of_another_model_is_refused(
    shell: Shell, run_folder: Path, other_folder: Path
) -> None:
    assert shell(run_folder)[0] == 0
    file = run_folder / "certificate.json"
    assert shell(run_folder, "--check", file)[0] == 0
    assert "another model" in shell.refuse(other_folder, "--check", file)
    config = json.loads((run_folder / "config.json").read_text())
    config["network"]["noise"] = 0.3
    (run_folder / "config.json").write_text(json.dumps(config))
    assert "another model" in shell.refuse(run_folder, "--check", file)


def test_weights_that_change_after_the_proof_are_noticed(
    shell: Shell, run_folder: Path, other_folder: Path
) -> None:
    assert shell(run_folder)[0] == 0
    weights = run_folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    err = shell.refuse(run_folder, "--check", run_folder / "certificate.json")
    assert "another model" in err


@pytest.mark.parametrize("against", ["cycle-navigation", "count:a:2", "modular-arithmetic"])
def test_another_alphabet_is_refused(shell: Shell, run_folder: Path, against: str) -> None:
    err = shell.refuse(run_folder, "--against", against)
    assert "symbols '0 1'" in err
    assert against in err
    assert not (run_folder / "certificate.json").exists()


def test_a_file_that_was_changed_is_refused(shell: Shell, run_folder: Path) -> None:
    assert shell(run_folder)[0] == 0
    file = run_folder / "certificate.json"
    content = file.read_bytes()
    for old, new in ((b'"verdict":"equivalent"', b'"verdict":"robust"'), (b"parity", b"pariti")):
        file.write_bytes(content.replace(old, new, 1))
        assert "changed" in shell.refuse("--check", file)
        assert "changed" in shell.refuse(run_folder, "--check", file)


def test_a_certificate_of_another_format_is_refused(shell: Shell, run_folder: Path) -> None:
    assert shell(run_folder)[0] == 0
    file = run_folder / "certificate.json"
    body = json.loads(file.read_bytes())
    body.pop("digest")
    body["format"] = body["format"] + 1

    def canonical(values: dict[str, Any]) -> bytes:
        return (json.dumps(values, separators=(",", ":"), ensure_ascii=False) + "\n").encode()

    file.write_bytes(canonical({**body, "digest": hashlib.sha256(canonical(body)).hexdigest()}))
    assert "format" in shell.refuse("--check", file)


def test_what_a_certificate_was_compared_with_is_told(shell: Shell, run_folder: Path) -> None:
    path = run_folder / "certificate.json"
    shell(run_folder)
    status, out, _ = shell("--check", path, run_folder, "--against", "parity")
    assert status == 0
    assert f"that of {run_folder}" in out
    assert "the language is" in out
    found = shell.json(0, "--check", path, run_folder)
    assert (found["run"], found["against"]) == (str(run_folder), None)
    assert "for another language than tomita-3" in shell.refuse(
        "--check", path, "--against", "tomita-3"
    )
    assert "leave out the others" in shell.refuse("--check", path, "--max-chunks", "5")


def test_a_run_without_a_network_is_told(shell: Shell, run_folder: Path, tmp_path: Path) -> None:
    shell(run_folder)
    folder = tmp_path / "changed"
    shutil.copytree(run_folder, folder)
    config = json.loads((folder / "config.json").read_text())
    for network in (None, [1], {"cell": "elman"}):
        changed = {**config, "network": network} if network else dict(config)
        if network is None:
            changed.pop("network")
        (folder / "config.json").write_text(json.dumps(changed))
        shell.refuse("--check", run_folder / "certificate.json", folder)


def test_in_a_folder_that_cannot_be_written_to_the_proof_is_printed(
    shell: Shell,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = train_proved(tmp_path_factory, "parity")
    assert run.folder is not None
    before = sorted(run.folder.path.iterdir())
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    status, out, _ = shell(run.folder.path)
    assert status == 0
    assert "not saved, since DIR cannot be written to; give --out FILE" in out
    assert shell.json(0, run.folder.path)["certificate"] is None
    assert main(["evaluate", str(run.folder.path), "--lengths", "5", "--words", "4"]) == 0
    assert "the scores are not kept, since" in capsys.readouterr().err
    lw.evaluate(run, lengths=[5], words=4)
    assert sorted(run.folder.path.iterdir()) == before
    folder = str(run.folder.path)
    places = (["certify", folder, "--export", "rocq", f"{folder}/proof.v"], ["snap", folder])
    for command in (*places, ["train", "parity", "--out", f"{folder}/new"], ["analyse", folder]):
        status = main(command)
        told = capsys.readouterr()
        skip_if_refused(status, told.err)
        assert status == 2
        assert told.err.count("\n") == 1
        assert f"{folder} cannot be written to. Change its permissions" in told.err
        assert not told.out  # nothing is computed first
    assert sorted(run.folder.path.iterdir()) == before


def test_a_place_that_cannot_be_written_is_named_as_people_know_it(
    shell: Shell, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = train_proved(tmp_path_factory, "parity")
    assert run.folder is not None

    def refuse(self: Path, *mode: Any, **more: Any) -> Any:
        if self.name.endswith(".tmp"):
            raise PermissionError(errno.EACCES, "Permission denied", str(self))
        return opened(self, *mode, **more)

    def fail(self: Path, **more: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(self))

    opened = Path.open
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "unlink", fail)
    said = shell.refuse(run.folder.path, "--out", "proof.json")
    assert said.endswith(
        "proof.json: Permission denied. Change its permissions, or use another place.\n"
    )
    assert ".tmp" not in said


def test_a_wrong_word_of_the_snapped_model_is_tried_on_the_model_itself(shell: Shell) -> None:
    status, out, _ = shell(Path("zoo:parity-exact"), "--against", "tomita-3")
    assert status == 1
    assert "gives this word the class 0, which is wrong, too" in out
    told = shell.json(1, Path("zoo:parity-exact"), "--against", "tomita-3")
    assert (told["model_as_it_runs"], told["counterexample"]["language"]) == ("0", "1")
    made = SimpleNamespace(counterexample=SimpleNamespace(language="1"))
    assert "class 1, which is right" in _describe_unsnapped(made, "1")  # type: ignore[arg-type]
    assert "model_as_it_runs" not in shell.json(0, Path("zoo:parity-exact"))
