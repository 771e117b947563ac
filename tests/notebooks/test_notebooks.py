"""The notebooks of the docs: they run, and what is stored is what they say."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from notebook_pages import OUTPUT, markdown
from notebook_runs import NOTEBOOKS, digest, format_notebook, read, run_notebook

import lengthwise as lw

DOCS = NOTEBOOKS.parent
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))

QUICK = ("labelled_words",)
"""Notebooks that run in ordinary tests; all do in slow ones."""

CLAIMS: dict[str, dict[str, int]] = {
    "audit": {
        r">proved<": 1,
        r">wrong<": 1,
        r"^not-closed$": 1,
        r"^(published|audited) +100\.0%$": 2,
        r"^0 of 16,383 short words are wrong$": 1,
        r"^checked: every step follows": 1,
    },
    "course": {r"^right$": 8, r"^not yet: ": 8, r">proved<": 1, r"^\['0'\] 1$": 1},
    "language": {
        r">proved<": 2,
        r">training ended with a proof<": 1,
        r">wrong<": 1,
        r"^\['1', '0'\] \[1, 0\]$": 1,
        r"^checked: every step follows": 1,
        r"^right on ([\d,]+) of \1 shorter words$": 1,
    },
    "parity": {
        r">proved<": 3,
        r"accuracy at worst 100%": 3,
        r"^strong 1\.000": 1,
        r"^100,000 symbols, 60,000 ones: class 0$": 1,
    },
    "proved_adder": {
        r">proved<": 2,
        r"^21 of 21 sums are right$": 1,
        r"^999\.\.\.9 \+ 1 = 0000000000 ": 1,
        r"^1111 sequential, 4 states$": 1,
    },
    "labelled_words": {
        r'<div class="lengthwise">': 3,
        r"<svg": 2,
        r">proved<": 1,
        r">training ended with a proof<": 1,
        r"The words force A": 2,
        r"The words do not force A": 1,
        r"^the language meant$": 1,
        r"^report\.html$": 1,
    },
}
"""What must stand in the outputs of a notebook however it was run, and how often."""

ELSEWHERE = re.compile(
    r"""<(?:script|link|iframe)\b|(?:src|href)=["']?(?:https?:)?//|@import|url\(h"""
)
"""What would load something from elsewhere, or run it."""


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    """The file of a notebook."""
    found: Path = request.param
    return found


def outputs(notebook: Any) -> Iterator[Any]:
    for cell in notebook.cells:
        yield from cell.get("outputs", ())


def texts(notebook: Any) -> str:
    """All that the outputs of a notebook show, in their order."""
    parts = list[str]()
    for each in outputs(notebook):
        data = each.get("data", {})
        parts.append(data.get("text/html", data.get("text/plain", each.get("text", ""))))
    return "\n".join(parts)


def kinds(notebook: Any) -> list[list[tuple[str, ...]]]:
    """The kinds of the outputs of each cell, and nothing that depends on the machine."""
    return [
        [(each.output_type, *sorted(each.get("data", ()))) for each in cell.get("outputs", ())]
        for cell in notebook.cells
    ]


def check_claims(name: str, notebook: Any) -> None:
    said = texts(notebook)
    for claim, times in CLAIMS.get(name, {}).items():
        assert len(re.findall(claim, said, re.M)) == times, claim


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else pytest.mark.slow)
        for path in PATHS
    ],
)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    notebook = read(path)
    fresh = tmp_path / path.name
    fresh.write_text(format_notebook(run_notebook(notebook)), encoding="utf-8")
    assert kinds(read(fresh)) == kinds(notebook)
    check_claims(path.stem, read(fresh))


def test_what_is_stored_was_said_by_these_cells(path: Path) -> None:
    notebook = read(path)
    assert notebook.metadata.executed == digest(notebook), f"run docs/notebook_runs.py {path.stem}"
    assert path.read_text(encoding="utf-8") == format_notebook(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    check_claims(path.stem, notebook)


def test_outputs_have_no_errors_and_nothing_of_a_machine(path: Path) -> None:
    found = list(outputs(read(path)))
    assert len(found) > 5
    for each in found:
        assert each.output_type != "error"
        assert each.get("name") != "stderr", each.text
    said = path.read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|tmp|work|Users)/|\b0x[0-9a-f]{6,}|words/s", said)
    assert not ELSEWHERE.search(texts(read(path)))
    assert len(said) < 500_000


def test_prose_names_what_there_is(path: Path) -> None:
    for cell in read(path).cells:
        if cell.cell_type != "markdown":
            assert set(re.findall(r"\blw\.(\w+)", cell.source)) <= {*lw.__all__, "text"}
            assert all(hasattr(lw.text, n) for n in re.findall(r"\blw\.text\.(\w+)", cell.source))
            continue
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", cell.source):
            assert (NOTEBOOKS / target).exists(), target


def test_the_page_of_a_notebook_has_all_of_it(path: Path) -> None:
    notebook, page = read(path), markdown(path)
    assert page.startswith("# ")
    assert page.count("```python") == sum(cell.cell_type == "code" for cell in notebook.cells)
    assert len(OUTPUT.findall(page)) == len(list(outputs(notebook)))
    folded = page.count('??? success "Solution"')
    assert folded <= sum("tags" in cell.metadata for cell in notebook.cells)


def test_every_notebook_is_in_the_list_and_in_the_navigation() -> None:
    names = {path.stem for path in PATHS}
    listed = re.findall(r"\]\(notebooks/(\w+)\.ipynb\)", (DOCS / "notebooks.md").read_text("utf-8"))
    assert sorted(listed) == sorted(names)
    settings = (DOCS.parent / "mkdocs.yml").read_text("utf-8")
    assert sorted(re.findall(r": notebooks/(\w+)\.md", settings)) == sorted(names)


@pytest.mark.parametrize(
    ("code", "fault"),
    [("raise ValueError('no such word')", "no such word"), ("1 +", "SyntaxError")],
)
def test_a_cell_that_fails_fails_the_run(code: str, fault: str) -> None:
    notebook = read(PATHS[0])
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"][:1]
    notebook.cells[0].source = code
    with pytest.raises(Exception, match=fault):
        run_notebook(notebook)
