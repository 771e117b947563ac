"""Tests are skipped for the lack of a library only where it is not installed."""

import pytest

from extras import missing_library, skip_if_refused, skipping
from lengthwise.data.extra import require_extra
from lengthwise.errors import ConfigError, MissingLibraryError

REFUSAL = "this needs the library absent_one, which is not installed. Use pip install ..."


@pytest.mark.parametrize(
    ("error", "library"),
    [
        (MissingLibraryError(REFUSAL), "absent_one"),
        (ModuleNotFoundError("No module named 'absent_one.part'"), "absent_one"),
        (MissingLibraryError(REFUSAL.replace("absent_one", "torch")), None),
        (ModuleNotFoundError("No module named 'lengthwise.missing'"), None),
        (ConfigError(REFUSAL), None),
        (AssertionError("x"), None),
    ],
)
def test_the_library_is_found_in_the_error_and_in_its_cause(
    error: Exception, library: str | None
) -> None:
    assert missing_library(error) == library
    outer = RuntimeError("fixture")
    outer.__cause__ = error
    assert missing_library(outer) == library


def test_only_such_errors_are_skipped() -> None:
    with pytest.raises(pytest.skip.Exception, match="needs absent_one"):
        skip_if_refused(2, f"lengthwise: {REFUSAL}")
    skip_if_refused(0, REFUSAL)
    skip_if_refused(2, "lengthwise: another slip")
    for error, outcome in (
        (MissingLibraryError(REFUSAL), pytest.skip.Exception),
        (AssertionError("x"), AssertionError),
    ):
        wrapper = skipping()
        next(wrapper)
        with pytest.raises(outcome):
            wrapper.throw(error)


def test_the_refusal_names_the_extra() -> None:
    with pytest.raises(MissingLibraryError, match=r"absent_one.*'lengthwise\[figures\]'"):
        require_extra("absent_one", "figures")
