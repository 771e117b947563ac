"""Tables of `steps.md`."""

from statistics import fmean
from typing import Any

from lengthwise.experiments.page import markdown
from lengthwise.experiments.steps2022 import table1


def weak_table(rows: list[dict[str, Any]]) -> str:
    """A row for each setting: exact match of the seeds, and the mean loss at the end."""
    seeds = sorted({row["seed"] for row in rows})
    titles = ("settings", *(f"seed {seed}" for seed in seeds), "validation loss, mean")
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for name in dict.fromkeys(row["variant"] for row in rows):
        of_name = {row["seed"]: row for row in rows if row["variant"] == name}
        exact = (f"{of_name[seed]['exact_match']:.4f}" if seed in of_name else "" for seed in seeds)
        loss = fmean(row["validation_loss"] for row in of_name.values())
        title = name if name == "as it is" else f"`{name}`"
        lines.append(f"| {title} | {' | '.join(exact)} | {loss:.3f} |")
    words = min(row["words"] for row in rows)
    lines += ["", f"Exact match on {words:,} unseen inputs, after {rows[0]['steps']:,} steps."]
    return "\n".join(lines)


def grid_table(records: list[dict[str, Any]]) -> str:
    """Table 1: printed, measured, and of how many runs."""
    return markdown(table1.table(records))
