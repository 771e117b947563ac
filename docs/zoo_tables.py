"""Tables of `zoo.md` and `board.md`, from what the package holds."""

from collections.abc import Sequence

from lengthwise.board.entries import Entry, load_entries
from lengthwise.zoo.records import UNPROVED, read_records

ON_BOARD = 3
"""Entries of a language that the page shows."""


def zoo_table(made: str) -> str:
    """Return a row for each model that was made in this way."""
    lines = [
        "| name | language | model | parameters | bits | told, seed, steps | proof |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in read_records():
        if one["made"] != made:
            continue
        numbers = [str(one[key]) for key in ("seed", "steps") if one[key] is not None]
        cells = [
            f"`zoo:{one['name']}`",
            f"`{one['language']}`",
            f"`{one['model']}`",
            f"{one['parameters']:,}",
            "" if one["bits"] is None else str(one["bits"]),
            ", ".join([one["told"], *numbers]),
            one["strength"] or UNPROVED,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def board_table(made: str) -> str:
    """Return the smallest entries of each language that were made in this way."""
    entries = [one for one in load_entries() if one.made == made]
    lines = [
        "| language | | parameters | bits | depth | type | proof | network | told | seed | name |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for language in dict.fromkeys(one.language for one in entries):
        own = [one for one in entries if one.language == language][:ON_BOARD]
        lines += _rows(own)
    return "\n".join(lines)


def _rows(entries: Sequence[Entry]) -> list[str]:
    rows = []
    for place, one in enumerate(entries, start=1):
        cells = [
            one.language if place == 1 else "",
            str(place),
            f"**{one.parameters:,}**" if place == 1 else f"{one.parameters:,}",
            "" if one.bits is None else str(one.bits),
            one.depth,
            one.arithmetic,
            one.strength,
            f"`{one.model}`",
            one.told,
            "" if one.seed is None else str(one.seed),
            f"`{one.name}`",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def unproved() -> str:
    """Return a row for each construction that the package holds without a certificate."""
    lines = ["| name | language | network | parameters | claim |", "|---|---|---|---|---|"]
    for one in read_records():
        if one["strength"] is None:
            lines.append(
                f"| `zoo:{one['name']}` | `{one['language']}` | `{one['model']}` | "
                f"{one['parameters']:,} | {one['claim']} |"
            )
    return "\n".join(lines)
