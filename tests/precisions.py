"""Which precisions tests may compute in on this machine."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import torch

from lengthwise.precision import why_unavailable

FORMATS = {
    "float64": torch.float64,
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}
"""The formats of claims, by name."""

HALF = (torch.bfloat16, torch.float16)


def usable(precisions: Iterable[torch.dtype]) -> list[torch.dtype]:
    """Those of some precisions that this machine computes in."""
    return [each for each in precisions if why_unavailable(_name(each)) is None]


def skip_if_it_needs_another_machine(item: pytest.Item) -> None:
    """Skip a test that is about a precision in which this machine cannot compute.

    A test says so by `@pytest.mark.needs_precision("bfloat16")`, or has the precision
    as a parameter.
    """
    for name in dict.fromkeys(_need(item)):
        if reason := why_unavailable(name):
            pytest.skip(reason)


def _need(item: pytest.Item) -> Iterator[str]:
    for marker in item.iter_markers("needs_precision"):
        yield from marker.args
    parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    for value in parameters.values():
        if isinstance(value, torch.dtype) and value in HALF:
            yield _name(value)


def _name(precision: torch.dtype) -> str:
    return str(precision).removeprefix("torch.")
