"""Judge two of the smallest published adders of ten-digit numbers on all 10^20 pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from lengthwise.evaluation.scores import percent_interval, wilson
from lengthwise.sweeps.sweep import Progress
from lengthwise_papers.experiment import (
    MeasuredExperiment,
    Record,
    Statement,
    Table,
    preset_catalogue,
)
from lengthwise_papers.own.adder_proof import HandMadeProof
from lengthwise_papers.own.tiny_adders import (
    DIGITS,
    Adder,
    Array,
    HandMade,
    Trained,
    digits_of,
    right_sums,
)

NETWORKS: dict[str, type[Adder]] = {"hand-made": HandMade, "trained": Trained}
KINDS: tuple[type[np.floating[Any]], ...] = (np.float32, np.float64)
_AT_ONCE = 5_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How many pairs are drawn, and the digits of numbers all of whose pairs are tried."""

    pairs: int = 20_000
    digits: int = 3


def wrong_pairs(network: Adder, a: Array, b: Array) -> Array:
    """Return the numbers of the pairs that a network adds wrong."""
    found = []
    for start in range(0, len(a), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        is_wrong = (network.add(a[part], b[part]) != right_sums(a[part], b[part])).any(axis=1)
        found.append(start + np.flatnonzero(is_wrong))
    return np.concatenate(found)


def first_wrong(
    network: Adder, digits: int, progress: Progress
) -> tuple[int, tuple[int, int] | None]:
    """Return the most digits of numbers whose pairs are tried, and a wrong pair of the fewest.

    All pairs of fewer digits are right. Pairs begin with the largest ones.
    """
    for width in range(1, digits + 1):
        every = 100**width
        for end in range(every, 0, -_AT_ONCE):
            numbers = np.arange(max(end - _AT_ONCE, 0), end)[::-1]
            a, b = numbers // 10**width, numbers % 10**width
            wrong = wrong_pairs(network, digits_of(a.tolist()), digits_of(b.tolist()))
            progress(every - end + len(numbers), every)
            if len(wrong):
                return width, (int(a[wrong[0]]), int(b[wrong[0]]))
    return digits, None


def measure(sizes: Sizes, seed: int, progress: Progress) -> list[Record]:
    """Add random pairs in two types, prove the hand-made network, refute the trained one."""
    draw = np.random.default_rng(seed)
    a, b = (draw.integers(0, 10, (sizes.pairs, DIGITS)) for _ in range(2))
    records = []
    for name, network in NETWORKS.items():
        width = 0
        pair: tuple[int, int] | None = None
        for kind in KINDS:
            record: Record = {
                "network": name,
                "parameters": network.parameters,
                "type": kind.__name__,
                "seed": seed,
                "date": datetime.now(UTC).date().isoformat(),
                "protocol": "uniform pairs of ten digits",
                "words_per_length": sizes.pairs,
                "pairs": sizes.pairs,
                "wrong": len(wrong_pairs(network(kind), a, b)),
            }
            right = sizes.pairs - record["wrong"]
            record["interval_95"] = list(wilson(right, sizes.pairs))
            if name == "hand-made":
                proof = HandMadeProof(kind)
                record["margins"] = [proof.margin(t) for t in range(DIGITS + 1)]
            else:
                if kind is KINDS[0]:  # the pair is looked for in one type, and tried in both
                    width, pair = first_wrong(network(kind), sizes.digits, progress)
                record |= {"digits": width, "wrong_pair": pair}
                if pair is not None:
                    written = network(kind).add(*(digits_of([number]) for number in pair))[0]
                    record["written"] = sum(int(d) * 10**i for i, d in enumerate(written))
            records.append(record)
    return records


def _is_wrong_pair(record: Record) -> bool:
    """Return whether a pair was found, and the network adds it wrong in this type, too."""
    pair = record.get("wrong_pair")
    return pair is not None and record["written"] != sum(pair)


def is_proved(record: Record) -> bool:
    """Return whether the right digit is ahead in every case."""
    return "margins" in record and min(record["margins"]) > 0


def table(records: Sequence[Record]) -> Table:
    """Return a row for each network and type."""
    rows = []
    for record in records:
        right = record["pairs"] - record["wrong"]
        verdict = "open"
        if is_proved(record):
            verdict = f"right on all 10^20 pairs; least margin {min(record['margins']):.2g}"
        elif _is_wrong_pair(record):
            first, second = record["wrong_pair"]
            verdict = f"wrong: {first} + {second} = {record['written']}"
        rows.append(
            [
                record["network"],
                str(record["parameters"]),
                record["type"],
                f"{right:,} of {record['pairs']:,}",
                f"{percent_interval(*wilson(right, record['pairs']))}",
                verdict,
            ]
        )
    return Table(
        ["network", "parameters", "type", "random pairs right", "95 % interval %", "verdict"], rows
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say which of the networks are adders."""
    statements = []
    for name, network in NETWORKS.items():
        of_network = [record for record in records if record["network"] == name]
        proved = bool(of_network) and all(map(is_proved, of_network))
        refuted = any(record["wrong"] or _is_wrong_pair(record) for record in of_network)
        wrong = ", ".join(f"{record['wrong']:,}" for record in of_network)
        statements.append(
            Statement(
                "AdderBoard",
                f"the {name} network of {network.parameters} parameters adds all pairs (100 %)",
                False if refuted else (True if proved else None),
                "proved by intervals, in float32, float64 and real arithmetic"
                if proved
                else f"{wrong} of {of_network[0]['pairs']:,} random pairs are wrong",
            )
        )
    return statements


SMALLEST_ADDERS = MeasuredExperiment(
    paper="AdderBoard (2026)",
    item="Leaderboard",
    claim="Transformers of 8 and 49 parameters add all pairs of ten-digit numbers.",
    printed="100 % of 10,010 pairs, for both.",
    presets=preset_catalogue(smoke=Sizes(pairs=20, digits=1), laptop=Sizes()),
    measure=measure,
    table=table,
    check=check,
)
"""A hand-made network and a trained one, on all pairs."""
