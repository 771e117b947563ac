"""Every exact construction, verified in each precision.

Every construction of `known_constructions` with its default settings, a few automata, and the
addition of numbers of 8 to 64 bits, verified against the independent definition.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lengthwise.constructions.known_constructions import ADDITIONS, CONSTRUCTIONS, construct
from lengthwise.constructions.verify import verify_construction
from lengthwise.evaluation.scores import wilson
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment

AUTOMATA = ("parity", "tomita-4", "d-3")
NETWORKS: tuple[Mapping[str, Any], ...] = ({}, {"norm": "post"}, {"chunk_size": 3})
BITS = (8, 16, 32, 64)

ALL: tuple[tuple[str, Mapping[str, Any]], ...] = (
    *((name, {}) for name in CONSTRUCTIONS),
    *((spec, settings) for spec in AUTOMATA for settings in NETWORKS),
    ("group:S3", {}),
    *(
        (name, {"bits": bits})
        for name in ADDITIONS
        for bits in BITS[: 2 if name.endswith("nor") else None]
    ),
)
"""The constructions and their settings."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Constructions, and number of words of the tests."""

    constructions: tuple[tuple[str, Mapping[str, Any]], ...] = ALL
    longest: int = 10_000
    words_per_length: int = 16
    all_words: int = 1 << 12
    """Lengths with at most this number of words are verified on all of them."""


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each construction."""
    numbers = {k: v for k, v in asdict(sizes).items() if k != "constructions"}
    return [
        Part(
            ", ".join([name, *(f"{key}={value}" for key, value in settings.items())]),
            {"name": name, "settings": dict(settings), "verify": {**numbers, "seed": seed}},
        )
        for seed in seeds or (0,)
        for name, settings in sizes.constructions
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Return a record for each precision; of one that this machine cannot compute in, only why."""
    start = time.monotonic()
    construction = construct(settings["name"], settings["settings"])
    result = verify_construction(construction, **settings["verify"])
    seconds = round(time.monotonic() - start, 1)
    records = []
    for precision, verification in result.precisions.items():
        common = {
            "construction": settings["name"],
            "asked_for": settings["settings"],
            "settings": dict(construction.settings),
            "precision": precision,
            "claimed": verification.claimed,
            "claimed_to": verification.claimed_to,
            "parameters": construction.num_parameters,
        }
        if verification.skipped:
            records.append({**common, "holds": None, "skipped": verification.skipped})
            continue
        lengths = [n for n in verification.margin if n > 0]
        least = min(lengths, key=lambda n: verification.margin[n])
        is_right = verification.first_wrong is None
        records.append(
            {
                **common,
                "holds": verification.holds,
                "exhaustive_to": result.exhaustive_to,
                "longest": result.longest,
                "right_to": verification.right_to,
                "first_wrong": verification.first_wrong,
                "least_margin": [least, verification.margin[least]],
                "last_margin": [max(lengths), verification.margin[max(lengths)]],
                "required_margin": result.required_margin,
                "words": verification.words,
                "interval_95": list(wilson(verification.words, verification.words))
                if is_right
                else None,
                "seed": settings["verify"]["seed"],
                "words_per_length": settings["verify"]["words_per_length"],
                "protocol": "all short words; drawn words, repeated symbols, one edit of each",
                "seconds": seconds,
            }
        )
    return records


def table(records: Sequence[Record]) -> Table:
    """Return the length to which each precision is right, and the margin in float64."""
    precisions = list(dict.fromkeys(record["precision"] for record in records))
    cells: dict[str, list[Record]] = {}
    for record in records:
        cells.setdefault(_title(record), []).append(record)
    rows = []
    for title, of_title in cells.items():
        length, margin = of_title[0]["least_margin"]
        right, least = [_right(record) for record in of_title], f"{margin:.3g} at {length:,}"
        rows.append(
            [title, f"{of_title[0]['parameters']:,}", *right, least, f"{of_title[0]['longest']:,}"]
        )
    right_to = [f"{name}: right to" for name in precisions]
    columns = ["construction", "parameters", *right_to, "least margin in float64", "asked to"]
    return Table(columns, rows)


def _title(record: Record) -> str:
    plain = {"chunk_size": 2, "norm": "none"}
    settings = [
        f"{name}={value}"
        for name, value in record["settings"].items()
        if name in ("bits", "chunk_size", "norm") and plain.get(name) != value
    ]
    return f"`{record['construction']}`" + (f" {', '.join(settings)}" if settings else "")


def _right(record: Record) -> str:
    if record.get("skipped"):
        return "skipped"
    if record["first_wrong"] is None:
        return "all"
    return "nothing" if record["right_to"] is None else f"{record['right_to']:,}"


def _claims(records: Sequence[Record]) -> tuple[int, int]:
    """Count the claims that were verified, and those that hold."""
    claims = [record for record in records if record["claimed"] and not record.get("skipped")]
    return len(claims), sum(claim["holds"] for claim in claims)


def note(records: Sequence[Record]) -> str:
    """Count the claims, and say which precisions were skipped; those of half precision can be."""
    claims, num_kept = _claims(records)
    skipped = {
        record["precision"]: record["skipped"] for record in records if record.get("skipped")
    }
    lines = [f"Of {claims} claims (a construction and a precision) {num_kept} hold."]
    return "\n".join([*lines, *(f"{name} was skipped: {why}." for name, why in skipped.items())])


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether every claim holds."""
    claims, num_kept = _claims(records)
    return [Statement("ours", "every claim holds", num_kept == claims, f"{num_kept} of {claims}")]


RANGES = PartsExperiment(
    item="ranges",
    claim="Each exact construction is right as far as it claims to be, in each precision.",
    presets=preset_catalogue(
        smoke=Sizes(constructions=(("parity", {}),), longest=40, words_per_length=2, all_words=16),
        laptop=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
