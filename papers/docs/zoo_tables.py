"""Tables of `zoo.md` and `board.md`, from what the package holds."""

from lengthwise.board.entries import BoardEntry, load_entries
from lengthwise.escapes import table_in_markdown
from lengthwise.zoo.records import UNPROVED, read_records

ON_BOARD = 3
"""Entries of a language that the page shows."""


def zoo_table(made: str) -> str:
    """Return a row for each model that was made in this way."""
    rows = []
    for one in read_records():
        if one["made"] != made or "perplexity" in one:
            continue
        numbers = [str(one[key]) for key in ("seed", "steps") if one[key] is not None]
        rows.append(
            [
                f"`zoo:{one['name']}`",
                f"`{one['language']}`",
                f"`{one['model']}`",
                f"{one['parameters']:,}",
                "" if one["bits"] is None else str(one["bits"]),
                ", ".join([one["told"], *numbers]),
                one["strength"] or UNPROVED,
            ]
        )
    columns = [
        "name",
        "language",
        "model",
        "parameters",
        "bits",
        "supervision, seed, steps",
        "proof",
    ]
    return table_in_markdown(columns, rows)


def language_models_table() -> str:
    """Return a row for each language model, with its perplexity by length."""
    found = [one for one in read_records() if "perplexity" in one]
    lengths = list(found[0]["perplexity"])
    rows = [
        [
            f"`zoo:{one['name']}`",
            f"`{one['model']}`",
            f"{one['parameters']:,}",
            *(f"{one['perplexity'][n]:.1f}" for n in lengths),
        ]
        for one in found
    ]
    columns = ["name", "model", "parameters", *(f"{int(n):,}" for n in lengths)]
    return table_in_markdown(columns, rows)


def board_table(made: str) -> str:
    """Return the smallest entries of each language that were made in this way."""
    entries = [one for one in load_entries() if one.made == made]
    rows = []
    for language in dict.fromkeys(one.language for one in entries):
        own = [one for one in entries if one.language == language][:ON_BOARD]
        rows += [_row(place, one) for place, one in enumerate(own, start=1)]
    columns = ["language", "", "parameters", "bits", "type", "proof", "network", "supervision"]
    return table_in_markdown([*columns, "seed", "name"], rows)


def _row(place: int, one: BoardEntry) -> list[str]:
    return [
        one.language if place == 1 else "",
        str(place),
        f"**{one.parameters:,}**" if place == 1 else f"{one.parameters:,}",
        "" if one.bits is None else str(one.bits),
        one.arithmetic,
        one.strength,
        f"`{one.model}`",
        one.told,
        "" if one.seed is None else str(one.seed),
        f"`{one.name}`",
    ]


def list_unproved() -> str:
    """Return a row for each construction that the package holds without a certificate."""
    rows = [
        [
            f"`zoo:{one['name']}`",
            f"`{one['language']}`",
            f"`{one['model']}`",
            f"{one['parameters']:,}",
            one["claim"],
        ]
        for one in read_records()
        if one["strength"] is None and "perplexity" not in one
    ]
    return table_in_markdown(["name", "language", "network", "parameters", "claim"], rows)
