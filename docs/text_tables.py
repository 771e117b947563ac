"""Tables of `language_models.md`."""

from typing import Any


def long_context_table(rows: list[dict[str, Any]]) -> str:
    """A row for each length: time and memory, and what becomes of perplexity."""
    titles = ("tokens", "seconds a window", "MB while it reads", "perplexity")
    first = f"times that at {rows[0]['length']:,}"
    lines = [f"| {' | '.join([*titles, first])} |", "|---" * (len(titles) + 1) + "|"]
    for row in rows:
        low, high = row["ratio_95"]
        cells = [
            f"{row['length']:,}",
            f"{row['seconds']:.3f}",
            f"{row['megabytes']:,.0f}",
            f"{row['perplexity']:.1f}",
            "" if row is rows[0] else f"{low:.3f} to {high:.3f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", f"Perplexity of the last tokens of {rows[0]['windows']} windows, 95 % intervals."]
    return "\n".join(lines)
