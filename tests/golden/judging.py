"""Judge facts by recorded ones: fail with what differs, or skip what cannot be compared here."""

from collections.abc import Sequence
from typing import Any

import pytest

from golden.compare import TOLERANCE, differences
from golden.record import lacking, machine


def judge(recorded: Any, found: Any, *, on: dict[str, Any]) -> None:
    """Fail with all differences; skip if this machine allows no comparison of bits."""
    here = machine()
    lines = list(differences(recorded, found, exact=here == on))
    assert not lines, "\n".join(["differs from what was recorded:", *lines])
    if here != on:
        other = ", ".join(f"{key} {on[key]}, not {here[key]}" for key in on if on[key] != here[key])
        pytest.skip(
            f"losses agree to {TOLERANCE}; bits were not compared, as they were recorded on {other}"
        )


def require_installed(modules: Sequence[str]) -> None:
    """Skip a test that needs modules which are not installed."""
    if absent := lacking(modules):
        pytest.skip(f"{' and '.join(absent)} is not installed")
