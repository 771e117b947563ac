"""The notebooks among the examples: their cells run in order, and are stored without output."""

import ast
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from lengthwise.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGES = sorted(EXAMPLES.glob("*.ipynb"))


@pytest.fixture(params=PAGES, ids=lambda path: path.name)
def notebook(request: pytest.FixtureRequest) -> dict[str, Any]:
    """A notebook as it is stored."""
    found: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))
    return found


def shown(cell: str, names: dict[str, Any]) -> Any:
    """Run a cell; return its last value, as a notebook shows it, or None."""
    if cell.startswith("!"):  # a command of the shell
        program, *arguments = shlex.split(cell[1:])
        assert program == "lengthwise"
        assert main(arguments) == 0
        return None
    body = ast.parse(cell).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_every_cell_runs(
    notebook: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names: dict[str, Any] = {}
    cards = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            value = shown("".join(cell["source"]), names)
            cards += [] if value is None else [value._repr_html_()]
    said = capsys.readouterr().out
    assert len(cards) == 3
    assert "<svg" in cards[1]  # the automaton
    assert "proved" in cards[2]
    assert "The words force A" in said
    assert "The words do not force A" in said
    assert "the language meant\n" in said
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_a_notebook_is_stored_without_output(notebook: dict[str, Any]) -> None:
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids) > 10
    for cell in notebook["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        assert all(line.endswith("\n") for line in cell["source"][:-1])
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
