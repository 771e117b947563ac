"""Hooks of the docs site: a page for each notebook.

The page is Markdown, so that links, equations, code and colours are those of every other page. An
output stands in a shadow root, whose style and the page's do not meet. Cells tagged `solution` are
folded.
"""

import html
import re
import textwrap
from itertools import groupby
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File

NOTEBOOKS = Path(__file__).parent / "notebooks"

LINK = re.compile(r"(\]\([\w./]*\w)\.ipynb\b")
"""A link to a notebook, up to its suffix."""

OUTPUT = re.compile(r'<div data-output="(\d+)-(\d+)"></div>')
"""The place of an output: numbers of cell and output."""

COLOURS = re.compile(r"\x1b\[[\d;]*m")
"""What makes text coloured on a terminal."""

_STYLE = """<style>
pre { margin: 0; font: .64rem/1.5 var(--md-code-font-family, monospace) }
svg, img { max-width: 100% }
</style>"""


def on_files(files: Any, config: Any) -> Any:
    """Add the page of each notebook beside the notebook itself, which can be downloaded."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=markdown(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links to notebooks into links to their pages."""
    return LINK.sub(r"\1.md", markdown)


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """Put the outputs of a notebook in their places."""
    path = NOTEBOOKS.parent / Path(page.file.src_uri).with_suffix(".ipynb")
    if path.parent != NOTEBOOKS:
        return content
    cells = _read(path).cells
    return OUTPUT.sub(
        lambda found: _render_output(cells[int(found[1])].outputs[int(found[2])]), content
    )


def markdown(path: Path) -> str:
    """Return a notebook as Markdown, with places for its outputs."""
    parts = list[str]()
    numbered = enumerate(_read(path).cells)
    for is_solution, cells in groupby(numbered, lambda each: _is_solution(each[1])):
        text = "\n\n".join(_cell(number, cell) for number, cell in cells)
        if is_solution:
            text = '??? success "Solution"\n\n' + textwrap.indent(text, "    ")
        parts.append(text)
    title, _, rest = "\n\n".join(parts).partition("\n")
    return f"{title}\n\n[Download this notebook](<{path.name}>){{ download }}\n{rest}\n"


def _read(path: Path) -> Any:
    return nbformat.read(path, 4)  # type: ignore[no-untyped-call]


def _is_solution(cell: Any) -> bool:
    return "solution" in cell.metadata.get("tags", ())


def _cell(number: int, cell: Any) -> str:
    if cell.cell_type == "markdown":
        return str(cell.source)
    places = [f'<div data-output="{number}-{i}"></div>' for i in range(len(cell.outputs))]
    return "\n\n".join([f"```python\n{cell.source}\n```", *places])


def _render_output(output: Any) -> str:
    """Return an output as an element: the richest form that it has."""
    data = output.get("data", {})
    if "text/html" in data:
        inside = data["text/html"]
    elif "image/svg+xml" in data:
        inside = data["image/svg+xml"]
    elif "image/png" in data:
        inside = f'<img alt="figure" src="data:image/png;base64,{data["image/png"].strip()}">'
    else:
        text = data.get("text/plain", output.get("text", ""))
        inside = f"<pre>{html.escape(COLOURS.sub('', text).rstrip())}</pre>"
    shadow = f'<template shadowrootmode="open">{_STYLE}{inside}</template>'
    return f'<div class="output" tabindex="0">{shadow}</div>'  # keys can scroll it
