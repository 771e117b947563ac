"""The table of adders of `functions.md`, from the lines that `benchmarks/adders.py` wrote."""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

from lengthwise.escapes import table_in_markdown

_CHAINS = 3
"""Pairs of 100,000 digits with long carries that each adder adds."""


def table(file: Path) -> str:
    """Return a row for each adder, trained ones first."""
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    records.sort(key=_kind)
    rows = [_row(list(same)) for _, same in groupby(records, _kind)]
    columns = ["adder", "", "network", "parameters", "seconds", "proved"]
    return table_in_markdown([*columns, "wrong sums", "wrong chains"], rows)


def _kind(record: dict[str, Any]) -> tuple[bool, int, bool]:
    spec = record["adder"]
    return record["seed"] is None, 10 if "base=10" in spec else 2, "high" in spec


def _row(records: list[dict[str, Any]]) -> list[str]:
    first, count = records[0], len(records)
    proved = sum(record["verdict"] == "equivalent" for record in records)
    sums, chains = (
        sum(record[name] for record in records) for name in ("wrong_sums", "wrong_chains")
    )
    return [
        f"`{first['adder']}`",
        "computed" if first["seed"] is None else "trained",
        f"`{first['model']}`",
        f"{first['parameters']:,}",
        ", ".join(f"{record['cpu_seconds']:.0f}" for record in records),
        f"{proved} of {count}",
        f"{sums:,} of {sum(record['sums'] for record in records):,}",
        f"{chains} of {_CHAINS * count}",
    ]
