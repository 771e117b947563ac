"""Languages of the user's own in runs: the automaton is kept, whatever becomes of the module."""

import re
import sys
from pathlib import Path

import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise.proofs.check.statement import automaton_digest

SPEC = "py[states=4,alphabet=ab]:users_words:third"
TRAIN = ["train", SPEC, "--out", "run", "--preset", "smoke", "--device", "cpu", "--set", "steps=2"]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of the current folder, where functions of a user stand."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return write(tmp_path / "users_words.py", "word.count('b') % 3 == 1", monkeypatch)


def write(path: Path, value: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the module as a new process would see it."""
    path.write_text(f"def third(word):\n    return {value}\n")
    monkeypatch.delitem(sys.modules, "users_words", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return path


def test_a_run_needs_no_module_and_is_refused_after_a_change(
    shell: Shell, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shell(*TRAIN)
    assert first[0] == 0, first[2]
    assert f"@1 ({SPEC}), composition supervision" in first[1]
    assert shell(*TRAIN)[1] == first[1]

    monkeypatch.delitem(sys.modules, "users_words")
    module.unlink()
    language = lw.load("run", device="cpu").language
    assert (language.spec, language.class_names) == (SPEC, ("0", "1"))
    assert language == lw.language("regex:a*ba*(ba*ba*ba*)*")
    assert shell("predict", "run", stdin="abab\n")[0] == 0
    assert f"@1 ({SPEC}), audited" in shell("evaluate", "run", "--lengths", "3", "--words", "4")[1]
    proof = lw.certify(lw.load("run", device="cpu"))
    digest = automaton_digest(language)
    assert f"the automaton {digest} (claimed name: {SPEC})" in proof.statement
    assert shell(*TRAIN)[2].startswith("lengthwise: function 'users_words:third' cannot be impo")

    write(module, "word.count('b') % 3 == 2", monkeypatch)
    status, out, error = shell(*TRAIN)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert f"run holds a run on {SPEC} as it was, machine-" in error
    assert "which differs on the word 'b'. Use another folder" in error
    write(module, "word.count('b') % 3 == 1", monkeypatch)
    assert shell(*TRAIN)[1] == first[1]


def test_an_automaton_of_a_file_that_changed_is_refused_too(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = [*TRAIN[:1], "att:my.att", *TRAIN[2:]]
    Path("my.att").write_text("0 1 a\n0 0 b\n1 0 a\n1 1 b\n1\n")
    assert shell(*command)[0] == 0
    Path("my.att").write_text("0 1 a\n0 0 b\n1 0 a\n1 1 b\n0\n")
    assert "which differs on the word ''. Use another folder" in shell(*command)[2]
    Path("my.att").write_text("0 1 a\n0 0 b\n1 0 a\n1 1 c\n0\n")
    assert "which differs in its alphabet. Use" in shell(*command)[2]


def test_a_function_labels_words_and_is_compiled(shell: Shell, module: Path) -> None:
    status, out, _ = shell("label", SPEC, stdin="ab\nbb\n")
    assert (status, out) == (0, "1\n0\n")
    status, _, error = shell("compile", SPEC, "--out", "exact")
    assert status == 0, error
    assert shell("predict", "exact", stdin="ab\nbb\n")[1] == "1\n0\n"


def test_what_an_expression_may_mean_otherwise_is_said_once(shell: Shell, tmp_path: Path) -> None:
    status, _, error = shell("describe", "regex:(a+b)*")
    assert status == 0
    assert error.splitlines() == [
        "expression '(a+b)*', column 3: '+' is read as one or more of what comes before it. Write "
        "'|' for 'or'."
    ]
    assert shell("describe", "regex:(a|b)*")[2] == ""
    assert shell("compile", "regex:(a+b)*", "--out", str(tmp_path / "plus"))[2].count(error) == 1


def test_an_alphabet_of_ranges_is_shown_as_ranges(shell: Shell) -> None:
    out = shell("describe", r"regex:[a-z]\d*")[1]
    assert re.search(r"(?m)^alphabet +0-9 a-z \(36 symbols\)$", out)
    assert shell("label", r"regex:\d+", stdin="a\n")[2].endswith(
        "column 1: symbol 'a' is not in the alphabet. Use: 0-9\n"
    )
    status, _, error = shell("describe", "regex:a+A", "--alphabet", "a-z")
    assert status == 2
    assert "column 3: symbol 'A' is not in the alphabet 'a-z'. Add it" in error
    assert shell("describe", "regex:a", "--alphabet", "z-a")[::2] == (
        2,
        "lengthwise: alphabet 'z-a', column 1: the range z-a is empty. Write a-z, or '\\-' for the "
        "symbol.\n",
    )


def test_a_language_over_a_large_alphabet_is_compiled_and_read(
    shell: Shell, tmp_path: Path
) -> None:
    spec = r"regex:[\x00-\u07ff]*\d"
    out = str(tmp_path / "wide")
    status, _, error = shell("compile", spec, "--out", out)
    assert status == 0, error
    assert error.startswith(
        f"expression '{spec[6:]}', column 2: read without 12 spaces, as these are not symbols.\n"
    )
    assert shell("predict", out, stdin="a7\n7§\n")[1] == "1\n0\n"
    assert len(shell("sample", spec, "--length", "4", "--class", "1")[1].rstrip("\n")) == 4
