"""Make `certificates.json`: how often and how fast does training end with a proof?

    .venv/bin/python results/certificates.py --jobs 2          (hours on two cores; resumes)

All languages of Table 1 of Chi et al. (2023), five seeds each, with the default training of
`regular-gpt-binary`; and for some of them the same without one of its parts. Every run is
certified, and tested on words of 41 to 500 symbols that it was neither trained nor selected on.
"""

import argparse
import json
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from lengthwise.errors import LanguageError
from lengthwise.files import write_json
from lengthwise.languages.monoid import transition_monoid
from lengthwise.languages.spec import parse
from lengthwise.measurement.measure import measure
from lengthwise.training.train import make_plan, processor, train
from lengthwise.verification.certify import certify

HERE = Path(__file__).parent
RUNS = HERE.parent / "runs" / "certificates"
MODEL = "regular-gpt-binary"
SEEDS = (0, 1, 2, 3, 4)
TEST_LENGTHS = range(41, 501, 20)

LANGUAGES: Mapping[str, Mapping[str, Any]] = {
    "even-pairs": {},
    "parity": {},
    "cycle-navigation": {},
    "d-2": {},
    "d-3": {},
    "d-4": {},
    "tomita-3": {},
    "tomita-4": {},
    "tomita-5": {},
    "tomita-6": {},
}
"""Those that the default settings reach, and what differs from them."""

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "without lessons": {"lessons": False},
    "without pull": {"pull": 0.0},
    "without noise": {"noise": 0.0},
    "more noise": {"noise": 0.5},
    "fewer bits": {"num_bits": 12},
    "words, transition supervision": {
        "supervision": "transition",
        "patience": 2,
        "noise": 0.5,
        "num_bits": 16,
    },
}
"""The default, and what it would be without each of its parts."""

COMPARED = ("cycle-navigation", "tomita-5", "d-2", "tomita-3")
"""Languages on which the variants are compared, over at most `MOST_STEPS` steps."""

MOST_STEPS = 4_000

TESTED = ("mean_accuracy", "worst_accuracy", "interval_95", "words_per_length", "protocol")
"""What is kept of the test of each run."""


def measured(spec: str, variant: str, seed: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    """One run, trained, certified and tested; its row is kept beside it, so the script resumes."""
    name = variant.replace(" ", "-").replace(",", "")
    out = RUNS / f"{spec}-{name}-{seed}"
    row_file = out.with_suffix(".json")
    language = parse(spec)
    plan = make_plan(language, MODEL, settings={**settings, "seed": seed})
    stored = plan.to_dict() | {"language": spec}
    if row_file.exists():
        row: dict[str, Any] = json.loads(row_file.read_text())
        if row["settings"] == stored:
            return row
    start = time.perf_counter()
    run = train(plan, out=out, device="cpu")
    trained = time.perf_counter() - start
    start = time.perf_counter()
    certificate = certify(run.model, language)
    certified = time.perf_counter() - start
    certificate.save(out / "certificate.json")
    _, summary = measure(run, TEST_LENGTHS)
    proof = certificate.summary()
    row = {
        "language": spec,
        "variant": variant,
        "seed": seed,
        "steps": run.metrics[-1]["step"],
        "seconds_to_train": round(trained, 1),
        "seconds_to_certify": round(certified, 2),
        "monoid": monoid_size(spec),
        **{key: value for key, value in proof.items() if key not in ("counterexample", "language")},
        **{name: summary[name] for name in TESTED},
        "settings": stored,
        "environment": summary["environment"],
        "date": summary["date"],
        "commit": commit(),
    }
    write_json(row_file, row)
    return row


def monoid_size(spec: str) -> int | None:
    """Elements of the transition monoid of the minimised machine over all words."""
    try:
        return transition_monoid(parse(spec).total().minimised()).size
    except LanguageError:
        return None


def commit() -> str:
    """The version of the code that measured a row."""
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE)
    return done.stdout.strip()


def jobs() -> list[tuple[str, str, int, dict[str, Any]]]:
    """Everything that is to be measured: the default first."""
    result: list[tuple[str, str, int, dict[str, Any]]] = []
    for seed in SEEDS:
        result += [(spec, "default", seed, dict(own)) for spec, own in LANGUAGES.items()]
    for variant, change in VARIANTS.items():
        for seed in SEEDS[:3]:
            for spec in COMPARED:
                if variant != "default":
                    own = {**LANGUAGES[spec], **change, "steps": MOST_STEPS}
                    result.append((spec, variant, seed, own))
    return result


def main() -> None:
    """Run what is missing and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    arguments = parser.parse_args()
    wanted = jobs()
    rows = {}
    with ProcessPoolExecutor(arguments.jobs) as pool:
        pending = {pool.submit(measured, *job): job[:3] for job in wanted}
        for done in as_completed(pending):
            row = rows[pending[done]] = done.result()
            print(
                f"{row['language']:18} {row['variant']:30} seed {row['seed']}: {row['verdict']:14} "
                f"{row['steps']} steps, {row['seconds_to_train']} s, {row['reason']}",
                flush=True,
            )
    write_json(
        HERE / "certificates.json",
        {
            "what": "regular-gpt-binary, laptop preset, trained until a proof closes",
            "preset": "laptop",
            "commit": ", ".join(sorted({row["commit"] for row in rows.values()})),
            "processor": f"{processor()}, 1 thread, {arguments.jobs} runs at a time",
            "test_lengths": [TEST_LENGTHS[0], TEST_LENGTHS[-1], TEST_LENGTHS.step],
            "most_steps_of_variants": MOST_STEPS,
            "rows": [rows[job[:3]] for job in wanted],
        },
    )


if __name__ == "__main__":
    main()
