"""A thousand planted faults: does a verifier say of any that it holds?

The cases of `lengthwise_papers.soundness`, asked of ours and of verifiers that are unsound on
purpose. That each fault is there is confirmed without a verifier.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from lengthwise.evaluation.scores import wilson
from lengthwise_papers import soundness
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment
from lengthwise_papers.soundness import KINDS, VERIFIERS, is_confirmed

OURS = "lengthwise"
SOUND = "sound"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Number of cases of each kind, and how many of them unsound verifiers are asked about."""

    each: int
    each_of_unsound: int
    seeds: tuple[int, ...] = (0,)


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each verifier and kind, ours first."""
    all_parts = []
    for seed, verifier, kind in product(seeds or sizes.seeds, VERIFIERS, KINDS):
        num_cases = sizes.each if verifier == OURS else sizes.each_of_unsound
        settings = {"verifier": verifier, "kind": kind, "each": num_cases, "seed": seed}
        all_parts.append(Part(f"{verifier}, {kind}, seed {seed}", settings))
    return all_parts


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Ask a verifier about the cases of a kind; with ours, confirm them, too."""
    kind, verifier = settings["kind"], settings["verifier"]
    cases = list(soundness.cases(settings["seed"], each=settings["each"], kinds=[kind]))
    start = time.process_time()
    tally = soundness.run(VERIFIERS[verifier], cases)[kind]
    seconds = round(time.process_time() - start, 1)
    confirmed = sum(map(is_confirmed, cases)) if verifier == OURS else None
    return [
        {
            **settings,
            **asdict(tally),
            "confirmed": confirmed,
            "processor_seconds": seconds,
            "words_per_length": None,
            "protocol": "planted cases of the benchmark, drawn from the seed",
            "interval_95": list(wilson(tally.cases - tally.wrongly_holds, tally.cases)),
        }
    ]


def _of(records: Sequence[Record], verifier: str) -> Mapping[str, Record]:
    """Return the records of a verifier by kind, summed over seeds."""
    by_kind: dict[str, Record] = {}
    for record in records:
        if record["verifier"] == verifier:
            before = by_kind.get(record["kind"], dict.fromkeys(_COUNTS, 0))
            by_kind[record["kind"]] = {name: before[name] + (record[name] or 0) for name in _COUNTS}
    return by_kind


def table(records: Sequence[Record]) -> Table:
    """Return a row for each kind: the answers of `certify` and `certify --check`."""
    rows = [
        [kind, KINDS[kind], *(str(record[name]) for name in _COUNTS)]
        for kind, record in _of(records, OURS).items()
    ]
    columns = ["kind", "the fault", "cases", "confirmed", "wrongly holds", "wrongly fails"]
    return Table([*columns, "right", "undecided"], rows)


_COUNTS = ("cases", "confirmed", "wrongly_holds", "wrongly_fails", "right", "undecided")


def unsound(records: Sequence[Record]) -> Table:
    """Return how many cases of each kind every verifier wrongly said to hold."""
    names = list(dict.fromkeys(record["verifier"] for record in records))
    by_name = [_of(records, name) for name in names]
    rows = [
        [kind, *(_share(counts.get(kind)) for counts in by_name)]
        for kind in by_name[0]
        if kind != SOUND
    ]
    return Table(["kind", *names], rows)


def _share(record: Record | None) -> str:
    return "" if record is None else f"{record['wrongly_holds']} of {record['cases']}"


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether ours is wrong of a case, whether all cases are what they say, and whether every
    kind catches an unsound verifier that tests or computes."""
    by_kind = _of(records, OURS)
    of_kinds = by_kind.values()
    cases = sum(record["cases"] for record in of_kinds)
    other_verifiers = [
        record for record in records if record["verifier"] not in (OURS, "believes everything")
    ]
    caught = {record["kind"] for record in other_verifiers if record["wrongly_holds"]}
    kinds = [kind for kind in by_kind if kind != SOUND]
    wrong = sum(record["wrongly_holds"] for record in of_kinds)
    refused = sum(record["wrongly_fails"] for record in of_kinds)
    seen = sum(record["confirmed"] for record in of_kinds)
    return [
        Statement("ours", "no fault is said to hold", wrong == 0, f"{wrong} of {cases:,} cases"),
        Statement("ours", "nothing sound is said to fail", refused == 0, f"{refused} cases"),
        Statement(
            "the cases",
            "every fault is seen where it is planted, without a verifier",
            seen == cases,
            f"{seen:,} of {cases:,}",
        ),
        Statement(
            "the cases",
            "every kind catches an unsound verifier",
            caught == set(kinds),
            f"{len(caught)} of {len(kinds)} kinds",
        ),
    ]


SOUNDNESS = PartsExperiment(
    item="soundness",
    claim="Of 1,000 planted faults none is said to hold.",
    presets=preset_catalogue(
        smoke=Sizes(each=1, each_of_unsound=1),
        laptop=Sizes(each=soundness.EACH, each_of_unsound=20),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"Unsound verifiers": unsound},
    check=check,
)
"""The score of `certify` and `certify --check` on the benchmark of soundness."""
