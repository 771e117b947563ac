"""The tables of `speed.md`, from the figures that `benchmarks/training_steps.py --save` stored."""

import json
from pathlib import Path
from typing import Any

from lengthwise.experiments.experiment import Table
from lengthwise.experiments.page import markdown

COLUMNS = (
    *("case", "threads", "ms", "GFLOP", "of a product's rate"),
    *("products", "attention", "optimiser", "outside"),
)


def table(figures: Path) -> str:
    """Return a row for each case and number of threads, each cell before and after."""
    stored = json.loads(figures.read_text(encoding="utf-8"))
    rows = [
        [before["case"], str(before["threads"]), *_cells(before, after)]
        for before, after in zip(stored["before"], stored["after"], strict=True)
    ]
    return markdown(Table(list(COLUMNS), rows))


HALF_COLUMNS = ("case", "threads", "ms, single precision", "ms, bfloat16", "times as fast")


def half(figures: Path) -> str:
    """Return a row for each case and number of threads, in single precision and in bfloat16."""
    stored = json.loads(figures.read_text(encoding="utf-8"))["half"]
    rows = [
        [
            one["case"],
            str(one["threads"]),
            f"{one['milliseconds']:.1f}",
            f"{one['milliseconds_half']:.1f}",
            f"{one['times_as_fast']:.2f}",
        ]
        for one in stored
    ]
    return markdown(Table(list(HALF_COLUMNS), rows))


THERE_COLUMNS = ("case", "ms, a thread of its processor", "ms there", "times as fast")


def there(figures: Path) -> str:
    """Return a row for each case, on a processor and on the accelerator beside it."""
    stored = json.loads(figures.read_text(encoding="utf-8"))["there"]
    rows = [
        [
            one["case"],
            f"{one['milliseconds_processor']:.1f}",
            f"{one['milliseconds']:.1f}",
            f"{one['times_as_fast']:.2f}",
        ]
        for one in stored
    ]
    return markdown(Table(list(THERE_COLUMNS), rows))


def _cells(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    assert all(before[name] == after[name] for name in ("case", "threads"))

    def both(name: str, form: str, factor: float = 1.0) -> str:
        return f"{factor * before[name]:{form}} to {factor * after[name]:{form}}"

    return [
        both("milliseconds", ".1f"),
        both("megaflops", ".2f", 1e-3),
        both("of_product_rate", ".2f"),
        *(both(name, ".0f", 100) for name in ("products", "attention", "optimiser", "outside")),
    ]
