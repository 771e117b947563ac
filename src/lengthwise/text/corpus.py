"""Which text is there to read? Files of the user's, or the English that ships with Python."""

import ast
import inspect
import platform
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from lengthwise.errors import TextError

PYTHON_TEXT = f"the English text that ships with Python {platform.python_version()}"
"""What `python_text` is, in words."""

_NOT_PROSE = {"site-packages", "test", "tests", "idle_test", "pydoc_data", "lib2to3"}


def read_files(paths: Sequence[Path]) -> str:
    """The text of all files, one after the other.

    Raises:
        TextError: a file cannot be read, or is not UTF-8; the message has the line.
    """
    parts = []
    for path in paths:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise TextError(f"{path} cannot be read: {error.strerror}. Give a file.") from None
        try:
            parts.append(content.decode("utf-8"))
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise TextError(
                f"{path}: a text is UTF-8, but line {line} is not. Convert the file."
            ) from None
    return "\n".join(parts)


def python_text() -> str:
    """The topics of Python's help, and the docstrings of its library: two million characters.

    Which they are depends on the version of Python.
    """
    return "\n\n".join([*_topics(), *_docstrings()])


def _topics() -> Iterator[str]:
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
