"""Tables of `steps.md`."""

from statistics import fmean
from typing import Any

from lengthwise.experiments.experiment import Table
from lengthwise.experiments.page import markdown
from lengthwise.experiments.steps2022 import table1, tasks


def weak_table(rows: list[dict[str, Any]]) -> str:
    """A row for each setting: exact match of the seeds, and the mean loss at the end."""
    seeds = sorted({row["seed"] for row in rows})
    lines = []
    for name in dict.fromkeys(row["variant"] for row in rows):
        of_name = {row["seed"]: row for row in rows if row["variant"] == name}
        exact = [f"{of_name[seed]['exact_match']:.4f}" if seed in of_name else "" for seed in seeds]
        loss = fmean(row["validation_loss"] for row in of_name.values())
        lines.append([name if name == "as it is" else f"`{name}`", *exact, f"{loss:.3f}"])
    titles = ["settings", *(f"seed {seed}" for seed in seeds), "validation loss, mean"]
    words = min(row["words_per_length"] for row in rows)
    told = f"Exact match on {words:,} unseen inputs, after {rows[0]['steps']:,} steps."
    return f"{markdown(Table(titles, lines))}\n\n{told}"


def grid_table(records: list[dict[str, Any]]) -> str:
    """Table 1: printed, measured, and of how many runs."""
    return markdown(table1.table(records))


def tasks_table(records: list[dict[str, Any]]) -> str:
    """Other tasks than addition: exact match by supervision."""
    return markdown(tasks.table(records))
