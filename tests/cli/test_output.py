"""What all commands print in one way."""

import re
import sys

import pytest
from rich.cells import cell_len

from hostile_strings import HOSTILE
from lengthwise.cli.output import print_answers, print_facts, print_table, say
from lengthwise.escapes import printable

NAMES = [f"network.num_{name}_{'x' * 20}" for name in ("heads", "layers")]
MEANING = "a long explanation of what this setting does, by which nothing else may be cut"


def _be_terminal(monkeypatch: pytest.MonkeyPatch, columns: int = 80) -> None:
    """Make standard output a terminal."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.parametrize("columns", [20, 80, 200])
def test_a_name_is_never_cut(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _be_terminal(monkeypatch, columns)
    folders = [f"runs/a folder with spaces/{'long' * 20}/{n}" for n in range(2)]
    rows = [[folder, MEANING, name] for folder, name in zip(folders, NAMES, strict=True)]
    print_table(["folder", "meaning", "setting"], rows)
    shown = capsys.readouterr().out
    assert [each in shown for each in (*folders, *NAMES)] == [True] * 4
    assert "…" not in shown
    assert set(MEANING.split()) <= set(shown.split())


def test_other_columns_give_way_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _be_terminal(monkeypatch)
    print_table(["setting", "meaning"], [[name, MEANING] for name in NAMES])
    lines = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert 60 < max(map(cell_len, lines)) <= 80


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_framed_table_is_markup(
    text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _be_terminal(monkeypatch)
    print_table([text, "b"], [[f"x{text}", text]], title=text)
    shown = capsys.readouterr().out
    plain = re.sub("\x1b\\[[0-9;]*m", "", shown)  # the head is bold
    assert plain.count(printable(text).strip()) >= 4
    assert plain.replace("\n", "").isprintable()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_cell_of_a_table_in_a_pipe_ends_neither_cell_nor_line(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_table(["a", "b"], [[text, text]])
    row = capsys.readouterr().out.removesuffix("\n").split("\n")[1]
    assert row.split("\t") == [printable(text)] * 2


@pytest.mark.parametrize("text", HOSTILE)
def test_facts_and_results_move_no_cursor(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_facts([(text, text), ("b", "c")])
    say(text)
    shown = capsys.readouterr().out
    assert shown.replace("\n", "").isprintable()
    assert shown.startswith(f"{printable(text)}")


def test_answers_are_as_they_are_for_a_program_and_printable_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    print_answers(["\x1b[31m"])
    assert capsys.readouterr().out == "\x1b[31m\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_answers(["\x1b[31m"])
    assert capsys.readouterr().out == "\\u001b[31m\n"
