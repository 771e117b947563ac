"""Results of each experiment as small as can be, and how they fail."""

import contextlib
import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.experiment import MeasurementOptions, Record, reproduce

MEASURED: dict[str, dict[str, Any]] = {}


@pytest.fixture
def results() -> dict[str, dict[str, Any]]:
    """What the smallest preset gives, measured once in a process, when it is first asked for."""
    return MEASURED


def smoke(results: dict[str, dict[str, Any]], name: str) -> list[Record]:
    """The records of an experiment, as they come back from a file."""
    if name not in results:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            options = MeasurementOptions(progress=_ignore, runs=Path(folder))
            found = reproduce(name, EXPERIMENTS[name], preset="smoke", options=options)
        results[name] = json.loads(json.dumps(found, allow_nan=False))
    return copy.deepcopy(results[name]["records"])


def _ignore(done: int, steps: int) -> None:
    pass


def failing(name: str, records: list[Record]) -> list[str]:
    """The first words of the statements that do not hold."""
    statements = EXPERIMENTS[name].check(records)
    return [" ".join(s.says.split()[:4]) for s in statements if not s.holds]


def change(records: list[Record], change: Record, **only: Any) -> list[Record]:
    """The records, those that have all values of `only` with other values."""
    assert any(only.items() <= record.items() for record in records)
    return [record | (change if only.items() <= record.items() else {}) for record in records]
