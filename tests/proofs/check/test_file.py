"""`lw.check` says of a file what the command says, in the same sentences."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise.errors import CertificateError, ClaimError, LanguageError, LengthwiseError
from lengthwise.zoo_paths import resolve_path

NAME = "zoo:parity-tiny"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a run that is proved."""
    return Path(shutil.copytree(resolve_path(NAME), tmp_path / "run"))


def test_what_holds_is_returned_with_its_figures(folder: Path, shell: Shell) -> None:
    made = lw.check(folder / "certificate.json")
    assert made.is_checked
    assert (made.verdict, made.reason, made.made_with) == ("equivalent", "", {})
    assert made.summary() == lw.check(NAME).summary()
    told = shell.json("certify", "--check", str(folder / "certificate.json"))
    assert {name: told[name] for name in ("statement", "model_digest", "levels")} == {
        name: made.summary()[name] for name in ("statement", "model_digest", "levels")
    }


def test_a_counterexample_that_holds_is_returned(tmp_path: Path, shell: Shell) -> None:
    found = lw.certify(lw.load(NAME, device="cpu"), language="regex:(0|1)*1")
    found.save(tmp_path / "wrong.json")
    made = lw.check(tmp_path / "wrong.json")
    assert (made.verdict, made.counterexample) == ("counterexample", found.counterexample)
    assert shell("certify", "--check", str(tmp_path / "wrong.json"))[0] == 1


def test_the_language_may_be_asked_for(folder: Path) -> None:
    file = folder / "certificate.json"
    assert lw.check(file, language="regex:(0|10*1)*10*").verdict == "equivalent"
    assert lw.check(file, language=lw.language("parity")).verdict == "equivalent"
    for other in ("tomita-4", lw.language("tomita-4")):
        with pytest.raises(CertificateError, match="is for another language than tomita-4"):
            lw.check(file, language=other)
    with pytest.raises(LanguageError, match="Did you mean 'parity'"):
        lw.check(file, language="parit")


def _change(folder: Path) -> Path:
    file = folder / "certificate.json"
    file.write_bytes(file.read_bytes().replace(b'"start":0', b'"start":1', 1))
    return file


def _beside_another(folder: Path) -> Path:
    shutil.copy(resolve_path("zoo:parity") / "model.safetensors", folder)
    return folder / "certificate.json"


SLIPS: list[tuple[Callable[[Path], Path], type[LengthwiseError]]] = [
    (lambda folder: folder, CertificateError),
    (lambda folder: folder / "config.json", CertificateError),
    (lambda folder: folder / "none.json", CertificateError),
    (lambda folder: Path("zoo:chiang-parity"), CertificateError),
    (_change, CertificateError),
    (_beside_another, ClaimError),
]


@pytest.mark.parametrize(("damage", "error"), SLIPS)
def test_what_does_not_hold_is_refused_as_by_the_command(
    damage: Callable[[Path], Path], error: type[LengthwiseError], folder: Path, shell: Shell
) -> None:
    file = damage(folder)
    with pytest.raises(error) as found:
        lw.check(file)
    status, _, said = shell("certify", "--check", str(file))
    assert status == (1 if error is ClaimError else 2)
    assert said.splitlines()[-1] == f"lengthwise: {found.value}"
