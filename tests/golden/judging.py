"""Judge facts by recorded ones: fail with what differs, or skip what cannot be compared here."""

from collections.abc import Sequence
from typing import Any

import pytest

from golden.compare import TOLERANCE, differences
from golden.record import lacking, machine


def judge(recorded: Any, found: Any, *, on: dict[str, Any], has_dropout: bool = False) -> None:
    """Fail with all differences; skip if this machine allows no comparison of bits.

    On Intel's processors torch draws the masks of dropout by another library (MKL) than elsewhere,
    so that losses of what `has_dropout` cannot be compared between the two.
    """
    here = machine()
    other_masks = has_dropout and _draws_by_mkl(here) != _draws_by_mkl(on)
    lines = [
        line
        for line in differences(recorded, found, exact=here == on)
        if not (other_masks and line.partition(":")[0].rpartition("/")[2].startswith(_LOSSES))
    ]
    assert not lines, "\n".join(["differs from what was recorded:", *lines])
    if here != on:
        other = ", ".join(f"{key} {on[key]}, not {here[key]}" for key in on if on[key] != here[key])
        if other_masks:
            pytest.skip(f"statuses agree; masks of dropout were drawn otherwise on {other}")
        pytest.skip(
            f"losses agree to {TOLERANCE}; bits were not compared, as they were recorded on {other}"
        )


_LOSSES = ("loss", "validation_loss", "mean_loss")


def _draws_by_mkl(machine: dict[str, Any]) -> bool:
    return "Intel" in machine["processor"]


def require_installed(modules: Sequence[str]) -> None:
    """Skip a test that needs modules which are not installed."""
    if absent := lacking(modules):
        pytest.skip(f"{' and '.join(absent)} is not installed")
