"""Make `main_job.json`: the three languages of the demo, with both memories, over three seeds.

    .venv/bin/python results/main_job.py          (about 15 minutes on two cores; resumes)

Every number in the file is measured here, on words that no run was trained or selected on.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from lengthwise.experiments.demo import LANGUAGES, TEST_LENGTHS
from lengthwise.files import write_json
from lengthwise.languages.spec import parse
from lengthwise.measurement.measure import measure
from lengthwise.models.catalogue import MODELS
from lengthwise.training.train import make_plan, processor, train

HERE = Path(__file__).parent
RUNS = HERE.parent / "runs" / "main_job"
SEEDS = (0, 1, 2)
PRESET = "laptop"


def measured(spec: str, model: str, seed: int) -> dict[str, Any]:
    """One run, trained and tested; its row is kept beside it, so that the script resumes."""
    out = RUNS / f"{spec}-{model}-{seed}"
    row_file = out.with_suffix(".json")
    plan = make_plan(parse(spec), model, preset=PRESET, settings={"seed": seed})
    settings = plan.to_dict() | {"language": spec}
    if row_file.exists():
        row: dict[str, Any] = json.loads(row_file.read_text())
        if row["settings"] == settings:
            return row
    start = time.perf_counter()
    run = train(plan, out=out, device="cpu")
    trained = time.perf_counter() - start
    scores, summary = measure(run, TEST_LENGTHS)
    row = {
        "language": spec,
        "model": model,
        "seed": seed,
        "supervision": plan.recognition.supervision,
        "steps": run.metrics[-1]["step"],
        "seconds_to_train": round(trained, 1),
        **{key: value for key, value in summary.items() if key not in ("environment", "date")},
        "accuracy_by_length": scores.accuracy_by_length(),
        "settings": settings,
        "environment": summary["environment"],
        "date": summary["date"],
        "commit": COMMIT,
    }
    write_json(row_file, row)
    return row


def commit() -> str:
    """The version of the code that measured a row."""
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE)
    return done.stdout.strip()


COMMIT = commit()


def main() -> None:
    """Run what is missing and write the file."""
    rows = []
    for model in MODELS:
        for spec in LANGUAGES:
            for seed in SEEDS:
                row = measured(spec, model, seed)
                rows.append(row)
                print(
                    f"{spec:18} {model:20} seed {seed}: mean {100 * row['mean_accuracy']:.3f} %, "
                    f"worst {100 * row['worst_accuracy']:.2f} %, {row['seconds_to_train']} s",
                    file=sys.stderr,
                )
    write_json(
        HERE / "main_job.json",
        {
            "what": "train on lengths 1..40, test on 41..500",
            "preset": PRESET,
            "commit": ", ".join(sorted({row["commit"] for row in rows})),
            "processor": f"{processor()}, {rows[0]['settings']['loop']['threads']} thread",
            "rows": rows,
        },
    )


if __name__ == "__main__":
    main()
