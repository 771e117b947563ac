"""The automaton as data of Rocq is that of a certificate's file, and is named as Rocq demands."""

from pathlib import Path

import lengthwise as lw
from cli.shell import Shell
from proofs.rocq_reader import Exported
from proofs.rocq_shipped import find_text


def test_the_language_of_a_run_is_that_of_its_certificate(tmp_path: Path) -> None:
    path, start = tmp_path / "parity.v", "Definition language"
    lw.export("zoo:parity", path)
    text, certificate = path.read_text(), find_text("parity")
    assert text[text.index(start) :].strip() in certificate
    assert "Certificate " in text


def test_it_is_the_language_with_its_domain(tmp_path: Path) -> None:
    path, language = tmp_path / "m.v", lw.language("regex[ab]:(ab)*b?")
    lw.export(language, path)
    read = Exported(path.read_text() + "Definition the_machine", tables=False)
    for word in ((), (0,), (1,), (0, 1), (0, 1, 1), (0, 1, 1, 0)):
        assert read.answers.class_of(word) == language.classify(word)
        assert read.domain.class_of(word) == 1


def test_names_that_rocq_does_not_take_are_refused(shell: Shell, tmp_path: Path) -> None:
    status, out, error = shell("export", "parity", "--out", str(tmp_path / "a-b.v"))
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "Use a_b.v." in error
    assert not [*tmp_path.iterdir()]
