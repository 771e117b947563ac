"""The English text that ships with Python, which is there on every machine."""

import ast
import inspect
import platform
import sysconfig
from collections.abc import Iterator
from pathlib import Path

PYTHON_TEXT = f"the English text that ships with Python {platform.python_version()}"
"""Description of `python_text`."""

_NOT_PROSE = {"site-packages", "test", "tests", "idle_test", "pydoc_data", "lib2to3"}


def python_text() -> str:
    """Return the topics of Python's help and the docstrings of its library: 2M characters.

    Which they are depends on the version of Python.
    """
    return "\n\n".join(python_documents())


def python_documents() -> Iterator[str]:
    """Yield the same, one topic or docstring at a time."""
    yield from python_topics()
    yield from _docstrings()


def python_topics() -> Iterator[str]:
    """Return the topics of Python's help: half a million characters."""
    from pydoc_data.topics import topics  # noqa: PLC0415  half a megabyte

    for name in sorted(topics):
        yield topics[name]


def _docstrings() -> Iterator[str]:
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.rglob("*.py")):
        if _NOT_PROSE & set(path.relative_to(library).parts):
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):  # templates of modules, not modules
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node, clean=False)
                if text:
                    yield inspect.cleandoc(text)
