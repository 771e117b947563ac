"""Tables of `language_models.md`."""

from typing import Any


def long_context_table(rows: list[dict[str, Any]]) -> str:
    """A row for each length: time and memory, and what becomes of perplexity."""
    lines = [
        "| tokens | seconds a window | most MB of the process | perplexity |",
        "|---|---|---|---|",
    ]
    for row in rows:
        seconds = f"{row['seconds'] / row['windows']:.3f}"
        low, high = row["interval_95"]
        lines.append(
            f"| {row['length']:,} | {seconds} | {row['megabytes']:,.0f} | {row['perplexity']:.0f} "
            f"({low:.0f} to {high:.0f}) |"
        )
    return "\n".join(lines)
