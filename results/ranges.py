"""Make `ranges.json`: how far is each exact construction right, in each precision?

    .venv/bin/python results/ranges.py          (half an hour on one core; resumes)

Every construction of `constructions.known_constructions` with its default settings, a few automata,
and the addition of numbers of 8 to 64 bits, verified against the independent definition.
"""

import json
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lengthwise.constructions.known_constructions import ADDITIONS, CONSTRUCTIONS, construct
from lengthwise.constructions.verify import verify
from lengthwise.evaluation.scores import wilson
from lengthwise.experiments.experiment import commit
from lengthwise.files import write_json
from lengthwise.training.train import processor

HERE = Path(__file__).parent
LONGEST = 10_000
WORDS = 16
SEED = 0

AUTOMATA = ("parity", "tomita-4", "d-3")
FORMS: tuple[Mapping[str, Any], ...] = ({}, {"norm": "post"}, {"chunk": 3})
BITS = (8, 16, 32, 64)


def wanted() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The constructions and their settings."""
    for name in CONSTRUCTIONS:
        yield name, {}
    for spec in AUTOMATA:
        for form in FORMS:
            yield spec, form
    yield "group:S3", {}
    for name in ADDITIONS:
        for bits in BITS[: 2 if name.endswith("nor") else None]:
            yield name, {"bits": bits}


def rows(name: str, settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A row for each precision; of one that this machine cannot compute in, only why."""
    start = time.monotonic()
    made = construct(name, settings)
    result = verify(made, longest=LONGEST, words_per_length=WORDS, all_words=1 << 12, seed=SEED)
    seconds = time.monotonic() - start
    print(f"{name} {dict(settings)}: {result.holds}, {seconds:.0f} s", flush=True)
    for precision, found in result.precisions.items():
        asked = {
            "construction": name,
            "asked_for": dict(settings),
            "settings": dict(made.settings),
            "precision": precision,
            "claimed": found.claimed,
            "claimed_to": found.claimed_to,
        }
        if found.skipped:
            print(f"{precision} was skipped: {found.skipped}", flush=True)
            yield {
                **asked,
                "holds": None,
                "skipped": found.skipped,
                "parameters": made.num_parameters,
            }
            continue
        lengths = [n for n in found.margin if n > 0]
        least = min(lengths, key=lambda n: found.margin[n])
        yield {
            **asked,
            "holds": found.holds,
            "exhaustive_to": result.exhaustive_to,
            "longest": result.longest,
            "right_to": found.right_to,
            "first_wrong": found.first_wrong,
            "least_margin": [least, found.margin[least]],
            "last_margin": [max(lengths), found.margin[max(lengths)]],
            "required_margin": result.required_margin,
            "parameters": made.num_parameters,
            "words": found.words,
            "interval_95": list(wilson(found.words, found.words))
            if found.first_wrong is None
            else None,
            "seed": SEED,
            "words_per_length": WORDS,
            "protocol": "all short words; drawn words, repeated symbols, one edit of each",
            "seconds": round(seconds, 1),
            "commit": commit(),
            "date": datetime.now(UTC).date().isoformat(),
        }


def main() -> None:
    """Verify what is missing, and write the result after each construction."""
    path = HERE / "ranges.json"
    known = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    done = [(row["construction"], row["asked_for"]) for row in known]
    for name, settings in wanted():
        if (name, settings) in done:
            continue
        known.extend(rows(name, settings))
        result = {
            "preset": "none: nothing is trained",
            "commit": known[-1]["commit"],
            "processor": processor(),
            "rows": known,
        }
        write_json(path, result)


if __name__ == "__main__":
    main()
