"""Default training on languages of every kind: how many end with a proof, and how fast.

The languages are drawn by `own.kinds`, from seeds with which nothing was tuned. Each is trained in
a process of its own, which is timed from its start to its end; then it is certified, and judged on
hostile words. One processor thread.
"""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from lengthwise.errors import RunError
from lengthwise.evaluation.scores import wilson
from lengthwise.files import write_json
from lengthwise.languages.serialisation import to_dict
from lengthwise.problems.runs import load_run
from lengthwise.proofs.search.certify import certify
from lengthwise.training.devices import environment
from lengthwise_papers.cells import from_to
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.hostile_words import find_misjudged, hostile_words
from lengthwise_papers.own.kinds import language_of_kind
from lengthwise_papers.parts import Part, PartsExperiment, group_records

HELD_OUT: Mapping[str, int] = {
    "uniform": 40,
    "small uniform": 20,
    "one symbol": 10,
    "cyclic": 14,
    "dihedral": 10,
    "symmetric": 12,
    "threshold": 12,
    "threshold and modulus": 10,
    "single word": 10,
    "word inside": 8,
    "backwards": 10,
    "chain": 10,
    "lattice": 10,
    "several classes": 12,
    "domain": 12,
}
"""Number of languages of each kind, 200 together."""

MEDIAN_SECONDS, MOST_SECONDS = 5.0, 60.0
"""Seconds of the processor that training may take, start-up included."""

_TRAIN = """
import json, sys
import lengthwise as lw
from lengthwise.languages.serialisation import from_dict
with open(sys.argv[1]) as file:
    language = from_dict(json.load(file))
lw.train(language, out=sys.argv[2], preset=sys.argv[3], device="cpu", progress=False)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages and words."""

    preset: str
    draws: str = "held out"
    """Name of the set of draws."""
    languages: Mapping[str, int] = field(default_factory=lambda: HELD_OUT)
    words: int = 1_000
    longest: int = 100_000


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language; `seeds` are the numbers of those of each kind."""
    return [
        Part(
            f"{kind} {number}",
            {
                "kind": kind,
                "draws": sizes.draws,
                "number": number,
                "preset": sizes.preset,
                "words": sizes.words,
                "longest": sizes.longest,
            },
        )
        for kind, count in sizes.languages.items()
        for number in seeds or range(count)
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train on a language, certify the model, and judge it on hostile words."""
    number = settings["number"]
    language = language_of_kind(settings["kind"], settings["draws"], number)
    machine = language.total().minimise()
    out = folder / "run"
    shutil.rmtree(out, ignore_errors=True)  # seconds are those of one training
    write_json(folder / "language.json", to_dict(language))
    spent = _time_training([str(folder / "language.json"), str(out), settings["preset"]])
    run = load_run(out, device="cpu")
    certificate, stages = certify(run.model, language), run.records.stages
    words = hostile_words(language, settings["words"], longest=settings["longest"], seed=number)
    wrong = len(find_misjudged(run.model, language, words))
    names = ("model", "supervision", "ended", "steps", "right_to")
    return [
        {
            **settings,
            "seed": number,
            "states": machine.num_states,
            "symbols": machine.num_symbols,
            "classes": language.num_classes,
            "domain": language.domain is not None,
            "model": run.require_plan().model,
            "chosen": run.require_plan().chosen,
            "stages": [{name: stage[name] for name in names} for stage in stages],
            **spent,
            "verdict": certificate.verdict,
            "strength": certificate.strength,
            "reason": certificate.reason,
            "longest_word": max(map(len, words)),
            "wrong_words": wrong,
            "words_per_length": None,
            "protocol": "hostile words",
            "interval_95": list(wilson(len(words) - wrong, len(words))),
            "environment": environment("cpu"),
        }
    ]


def _time_training(arguments: Sequence[str]) -> Record:
    """Train in a process of its own; return the seconds that it took.

    Raises:
        RunError: it failed.
    """
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    variables.pop(
        "PYTHONDONTWRITEBYTECODE", None
    )  # imports are compiled once, as where it is installed
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _TRAIN, *arguments], env=variables, capture_output=True, check=False
    )
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RunError(f"training failed: {done.stderr.decode(errors='replace')[-300:]}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": round(seconds, 2), "processor_seconds": round(spent, 2)}


def _is_proved(record: Record) -> bool:
    return bool(record["verdict"] == "equivalent")


def table(records: Sequence[Record]) -> Table:
    """Return a row for each kind, and one for all."""
    groups = {kind: of_kind for (kind,), of_kind in group_records(records, "kind").items()}
    rows = [_row(kind, of_kind) for kind, of_kind in {**groups, "all": list(records)}.items()]
    header = ["kind", "states", "symbols", "proved by", "proved", "wrong words"]
    return Table([*header, "median seconds", "worst"], rows)


def _row(kind: str, of_kind: Sequence[Record]) -> list[str]:
    proved = [record for record in of_kind if _is_proved(record)]
    by = {(model,): len(those) for (model,), those in group_records(proved, "model").items()}
    seconds = [record["processor_seconds"] for record in of_kind]
    return [
        kind,
        from_to([record["states"] for record in of_kind]),
        from_to([record["symbols"] for record in of_kind]),
        ", ".join(f"`{model}` {count}" for (model,), count in sorted(by.items())),
        f"{len(proved)} of {len(of_kind)}",
        str(sum(record["wrong_words"] for record in proved)),
        f"{median(seconds):.1f}",
        f"{max(seconds):.1f}",
    ]


def note(records: Sequence[Record]) -> str:
    """Say what the seconds are, and what the first stage left open."""
    later = [record for record in records if len(record["stages"]) > 1]
    wall = [record["seconds"] for record in records]
    return (
        f"Seconds are those of the processor, from the start of the process to its end; on the "
        f"clock the median was {median(wall):.1f} and the worst {max(wall):.1f}, beside whatever "
        f"else ran. {len(later)} of {len(records)} went on to their second stage. Each proved "
        f"network was judged on {records[0]['words']:,} hostile words of up to "
        f"{records[0]['longest']:,} symbols."
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether all are proved, whether one that is proved was wrong, and how long it takes."""
    proved = [record for record in records if _is_proved(record)]
    wrong = sum(record["wrong_words"] for record in proved)
    seconds = [record["processor_seconds"] for record in records]
    return [
        Statement(
            "ours",
            "every language is proved by default",
            len(proved) == len(records),
            f"{len(proved)} of {len(records)}",
        ),
        Statement(
            "ours",
            "no run that is proved misses a hostile word",
            wrong == 0,
            f"{wrong} of {sum(record['words'] for record in proved):,} words",
        ),
        Statement(
            "ours",
            f"the median takes at most {MEDIAN_SECONDS:.0f} seconds of the processor, and each at "
            f"most {MOST_SECONDS:.0f}",
            median(seconds) <= MEDIAN_SECONDS and max(seconds) <= MOST_SECONDS,
            f"{median(seconds):.1f} and {max(seconds):.1f}",
        ),
    ]


EVERY_KIND = PartsExperiment(
    item="every kind",
    claim="Default training ends with a proof on languages of every kind, within a minute.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="laptop",
            draws="smoke",
            languages=dict.fromkeys(("chain", "domain"), 1),
            words=20,
            longest=200,
        ),
        laptop=Sizes(preset="laptop"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
