"""Run the notebooks of the docs as Jupyter would, and store them with their outputs.

.venv/bin/python docs/notebook_runs.py              all of them
.venv/bin/python docs/notebook_runs.py parity       one
"""

import copy
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from lengthwise.files import write_text

NOTEBOOKS = Path(__file__).parent / "notebooks"

SECONDS = 300
"""Time that one cell may take on a busy machine."""

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_SOLUTION = {"jupyter": {"source_hidden": True}, "tags": ["solution"]}


def read(path: Path) -> Any:
    """Return a notebook from a file, in version 4 of the format."""
    return nbformat.read(path, 4)  # type: ignore[no-untyped-call]


def run_notebook(notebook: Any) -> Any:
    """Return a notebook with the outputs of its cells, run in a kernel and a folder of their own.

    Nothing is left of the folder. The kernel finds the programs of this Python before others, as
    in an activated environment, and sees no settings or caches of the user.

    Raises:
        CellExecutionError: a cell raised.
    """
    fresh = copy.deepcopy(notebook)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "folder")
        folder.mkdir()
        manager = AsyncKernelManager(
            kernel_name="python3",
            transport="ipc",  # nobody else can reach it
            connection_file=str(Path(place, "kernel.json")),
        )
        client = NotebookClient(
            fresh,
            km=manager,
            timeout=SECONDS,
            record_timing=False,
            resources={"metadata": {"path": str(folder)}},
        )
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        client.execute(
            cleanup_kc=True,  # the kernel ends with the last cell
            env={
                **os.environ,
                "PATH": programs,
                "IPYTHONDIR": str(Path(place, "ipython")),
                "XDG_CACHE_HOME": str(Path(place, "cache")),
            },
        )
    return fresh


def format_notebook(notebook: Any) -> str:
    """Return the one text in which a notebook is stored.

    Cells are named by their places, bars of progress are left out, and the digest of the code
    says which sources the outputs are of.
    """
    kept = copy.deepcopy(notebook)
    kept.nbformat, kept.nbformat_minor = 4, 5
    kept.metadata = nbformat.from_dict({**_METADATA, "executed": digest(notebook)})  # type: ignore[no-untyped-call]
    for number, cell in enumerate(kept.cells, 1):
        cell.id = f"cell-{number}"
        is_solution = "solution" in cell.metadata.get("tags", ())
        cell.metadata = nbformat.from_dict(_SOLUTION if is_solution else {})  # type: ignore[no-untyped-call]
        if cell.cell_type == "code":
            cell.outputs = _keep_output(cell.outputs)
    return str(nbformat.writes(kept, 4)) + "\n"  # type: ignore[no-untyped-call]


def digest(notebook: Any) -> str:
    """Return twelve hex digits that change with the source of any cell of code."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:12]


def _keep_output(outputs: list[Any]) -> list[Any]:
    """Leave bars of progress out, and put texts together that were written one after the other."""
    kept = list[Any]()
    for each in outputs:
        if "<progress" in each.get("data", {}).get("text/html", ""):
            continue
        if each.output_type == "stream":
            each.text = each.text.replace("\r\n", "\n")  # of commands, which see a terminal
            if kept and kept[-1].get("name") == each.name:
                kept[-1].text += each.text
                continue
        kept.append(each)
    return kept


def main(names: list[str]) -> None:
    """Run notebooks, store them, and print how long each took."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if names and path.stem not in names:
            continue
        start = time.monotonic()
        write_text(path, format_notebook(run_notebook(read(path))))
        print(f"{path.stem}: {time.monotonic() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
