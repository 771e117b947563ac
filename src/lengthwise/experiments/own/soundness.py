"""A thousand planted faults: does a verifier say of any that it holds?

The cases of `lengthwise.verification.benchmark`, asked of ours and of verifiers that are unsound on
purpose. That each fault is there is confirmed without a verifier.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from lengthwise.experiments.experiment import (
    MeasuredExperiment,
    Record,
    Statement,
    Table,
    preset_catalogue,
)
from lengthwise.sweeps.sweep import Progress
from lengthwise.verification import benchmark
from lengthwise.verification.benchmark import KINDS, VERIFIERS, Answer, Case, is_confirmed

OURS = "lengthwise"
SOUND = "sound"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Number of cases of each kind, and how many of them unsound verifiers are asked about."""

    each: int
    each_of_unsound: int


def measure(sizes: Sizes, seed: int, progress: Progress) -> list[Record]:
    """Return a record for each verifier and kind of case."""
    asked = list(benchmark.cases(seed, each=sizes.each))
    confirmed: dict[str, int] = dict.fromkeys(KINDS, 0)
    for case in asked:
        confirmed[case.kind] += is_confirmed(case)
    few = list(benchmark.cases(seed, each=sizes.each_of_unsound))
    done, count = 0, len(asked) + len(few) * (len(VERIFIERS) - 1)
    records: list[Record] = []

    def watch(case: Case, answer: Answer) -> None:
        nonlocal done
        done += 1
        progress(done, count)

    for name, verifier in VERIFIERS.items():
        start = time.process_time()
        tallies = benchmark.run(verifier, asked if name == OURS else few, watch=watch)
        seconds = round(time.process_time() - start, 1)
        records += [
            {
                "verifier": name,
                "kind": kind,
                **asdict(tally),
                "confirmed": confirmed[kind] if name == OURS else None,
                "processor_seconds_in_all": seconds,
            }
            for kind, tally in tallies.items()
        ]
    return records


def _of(records: Sequence[Record], verifier: str) -> Mapping[str, Record]:
    return {one["kind"]: one for one in records if one["verifier"] == verifier}


def table(records: Sequence[Record]) -> Table:
    """Return a row for each kind: the answers of `certify` and `certify --check`."""
    rows = [
        [kind, KINDS[kind], *(str(one[name]) for name in _COUNTS)]
        for kind, one in _of(records, OURS).items()
    ]
    columns = ["kind", "the fault", "cases", "confirmed", "wrongly holds", "wrongly fails"]
    return Table([*columns, "right", "undecided"], rows)


_COUNTS = ("cases", "confirmed", "wrongly_holds", "wrongly_fails", "right", "undecided")


def unsound(records: Sequence[Record]) -> Table:
    """Return how many cases of each kind every verifier wrongly said to hold."""
    names = list(dict.fromkeys(one["verifier"] for one in records))
    by_name = [_of(records, name) for name in names]
    rows = [
        [kind, *(f"{found[kind]['wrongly_holds']} of {found[kind]['cases']}" for found in by_name)]
        for kind in by_name[0]
        if kind != SOUND
    ]
    return Table(["kind", *names], rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether ours is wrong of a case, whether all cases are what they say, and whether every
    kind catches an unsound verifier that tests or computes."""
    own = _of(records, OURS).values()
    cases = sum(one["cases"] for one in own)
    others = [one for one in records if one["verifier"] not in (OURS, "believes everything")]
    caught = {one["kind"] for one in others if one["wrongly_holds"]}
    kinds = [one["kind"] for one in own if one["kind"] != SOUND]
    wrong = sum(one["wrongly_holds"] for one in own)
    refused = sum(one["wrongly_fails"] for one in own)
    seen = sum(one["confirmed"] for one in own)
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


SOUNDNESS = MeasuredExperiment(
    paper="lengthwise",
    item="soundness",
    claim="Of 1,000 planted faults none is said to hold.",
    printed="Nothing: the experiment is our own.",
    presets=preset_catalogue(
        smoke=Sizes(each=1, each_of_unsound=1),
        laptop=Sizes(each=benchmark.EACH, each_of_unsound=20),
    ),
    measure=measure,
    table=table,
    more={"Unsound verifiers": unsound},
    check=check,
)
"""The score of `certify` and `certify --check` on the benchmark of soundness."""
