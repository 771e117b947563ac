"""Which tests are left out where the libraries of an extra are not installed.

The core installs and is tested without them. A test that asks for a library of an extra is skipped
there, whether it imports the library itself, or the package or a command refuses for its lack.
"""

import re
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest

from lengthwise.errors import MissingLibraryError

_REFUSED = re.compile(r"this needs the library (\w+), which is not installed\.")
_ABSENT = re.compile(r"No module named '(\w+)")


def missing_library(error: BaseException | None) -> str | None:
    """Return the library that an error is about, if it is not installed here."""
    while error is not None:
        match = None
        if isinstance(error, MissingLibraryError):
            match = _REFUSED.search(str(error))
        elif isinstance(error, ImportError):
            match = _ABSENT.search(str(error))
        if match and match[1] != "lengthwise" and find_spec(match[1]) is None:
            return match[1]
        error = error.__cause__ or error.__context__
    return None


def skipping() -> Generator[None, None, None]:
    """Skip a test, in a wrapper of a hook, if it fails for lack of a library."""
    try:
        yield
    except Exception as error:
        if library := missing_library(error):
            pytest.skip(f"needs {library}")
        raise


def skip_if_refused(status: int, error: str) -> None:
    """Skip a test whose command was refused for lack of a library that is not installed."""
    if status == 2 and (match := _REFUSED.search(error)) and find_spec(match[1]) is None:
        pytest.skip(f"needs {match[1]}")


def skip_report(report: pytest.CollectReport, path: Path) -> None:
    """Turn the failure to import a test module into a skip if a library of an extra is missing."""
    call: pytest.CallInfo[object] | None = getattr(report, "call", None)
    error = None if call is None or call.excinfo is None else call.excinfo.value
    if library := missing_library(error):
        report.outcome = "skipped"
        report.longrepr = (str(path), 0, f"Skipped: needs {library}")
