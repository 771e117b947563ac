"""Tables of `constructions.md` from `results/ranges.json` and `results/constructions.json`."""

from typing import Any


def ranges_table(rows: list[dict[str, Any]]) -> str:
    """A row for each construction: how far each precision is right, and the margin in float64."""
    precisions = list(dict.fromkeys(row["precision"] for row in rows))
    lines = [
        f"| construction | parameters | {' | '.join(f'{name}: right to' for name in precisions)} "
        "| least margin in float64 | asked to |",
        "|---|---|" + "---|" * len(precisions) + "---|---|",
    ]
    cells: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        cells.setdefault(_title(row), []).append(row)
    for title, found in cells.items():
        length, margin = found[0]["least_margin"]
        lines.append(
            f"| {title} | {found[0]['parameters']:,} | {' | '.join(map(_right, found))} "
            f"| {margin:.3g} at {length:,} | {found[0]['longest']:,} |"
        )
    claims = [row for row in rows if row["claimed"] and not row.get("skipped")]
    kept = sum(row["holds"] for row in claims)
    lines += ["", f"Of {len(claims)} claims (a construction and a precision) {kept} hold."]
    lines += [f"{name} was skipped: {why}." for name, why in _skipped(rows).items()]
    return "\n".join(lines)


def automata_table(rows: list[dict[str, Any]]) -> str:
    """A row for each family of languages: words asked, wrong answers, the largest network."""
    lines = [
        "| languages | how many | left out | chunk | words of 1..64 symbols | words of 100,000 "
        "| wrong | largest network, parameters |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['family']} | {row['languages']} | {row['left_out']} | {row['chunk']} "
            f"| {row['words']:,} "
            f"| {row['long_words']:,} | {row['wrong']:,} | {row['largest_parameters']:,} |"
        )
    lines += ["", "“Left out” are networks that were too large, or for which there was no time."]
    return "\n".join(lines)


def _title(row: dict[str, Any]) -> str:
    plain = {"chunk": 2, "norm": "none", "error": 1e-6, "epsilon": None}
    shown = {"bits", "chunk", "norm"}
    settings = [
        f"{name}={value}"
        for name, value in row["settings"].items()
        if name in shown and plain.get(name) != value
    ]
    return f"`{row['construction']}`" + (f" {', '.join(settings)}" if settings else "")


def _skipped(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Why precisions were skipped; those of half precision alone can be."""
    return {row["precision"]: row["skipped"] for row in rows if row.get("skipped")}


def _right(row: dict[str, Any]) -> str:
    if row.get("skipped"):
        return "skipped"
    if row["first_wrong"] is None:
        return "all"
    return "nothing" if row["right_to"] is None else f"{row['right_to']:,}"
