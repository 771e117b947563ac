"""The tables of `speed.md`, from the figures that `benchmarks/training_steps.py --save` stored."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lengthwise.escapes import table_in_markdown

COLUMNS = (
    *("case", "threads", "ms before", "ms", "GFLOP", "of a product's rate"),
    *("products", "attention", "optimiser", "outside"),
)


def table(figures: Path) -> str:
    """Return a row for each case and number of threads, with the time of the version before."""
    stored = json.loads(figures.read_text(encoding="utf-8"))
    rows = [
        [before["case"], str(before["threads"]), *_cells(before, after)]
        for before, after in zip(stored["before"], stored["after"], strict=True)
    ]
    return table_in_markdown(list(COLUMNS), rows)


COMPARED: Mapping[str, Mapping[str, str]] = {
    "half": {
        "case": "{case}",
        "threads": "{threads}",
        "ms, single precision": "{milliseconds:.1f}",
        "ms, bfloat16": "{milliseconds_half:.1f}",
        "times as fast": "{times_as_fast:.2f}",
    },
    "there": {
        "case": "{case}",
        "ms, a thread of its processor": "{milliseconds_processor:.1f}",
        "ms there": "{milliseconds:.1f}",
        "times as fast": "{times_as_fast:.2f}",
    },
}
"""Figures that compare two ways to take a step: the form of each column."""


def tabulate_comparison(figures: Path, name: str) -> str:
    """Return a row for each case of a comparison."""
    columns = COMPARED[name]
    stored = json.loads(figures.read_text(encoding="utf-8"))[name]
    rows = [[form.format(**one) for form in columns.values()] for one in stored]
    return table_in_markdown(list(columns), rows)


def _cells(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    assert all(before[name] == after[name] for name in ("case", "threads"))
    return [
        f"{before['milliseconds']:.1f}",
        f"{after['milliseconds']:.1f}",
        f"{after['megaflops'] / 1e3:.2f}",
        f"{after['of_product_rate']:.2f}",
        *(f"{100 * after[name]:.0f}" for name in ("products", "attention", "optimiser", "outside")),
    ]
