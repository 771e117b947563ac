"""Make `weak_supervision.json`: what decides whether 8-bit addition is learned from outputs alone?

    .venv/bin/python results/weak_supervision.py          (a quarter of an hour; resumes)

The step decoder as it is, and with one thing otherwise; three seeds of each, all steps taken. Exact
match is that of the best weights on the 10,000 inputs that no run has seen.
"""

import json
import sys
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from lengthwise.experiments.experiment import commit
from lengthwise.files import write_json
from lengthwise.measurement.measure import measure_steps
from lengthwise.training.step_plan import make_step_plan
from lengthwise.training.train import processor, train

HERE = Path(__file__).parent
RUNS = HERE.parent / "runs" / "weak-supervision"
SEEDS = (0, 1, 2)
TRAINING = {"supervision": "weak", "steps": 3_000, "warmup": 150, "patience": 0}
VARIANTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "initial=xavier": {"initial": "xavier"},
    "beta2=0.999": {"beta2": 0.999},
    "learning_rate=1e-3": {"learning_rate": 1e-3},
    "position=sinusoidal": {"position": "sinusoidal"},
}


def main() -> None:
    """Train and test what the file does not have, and write it after each run."""
    path = HERE / "weak_supervision.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    have = {(row["variant"], row["seed"]) for row in rows}
    for seed, (name, settings) in product(SEEDS, VARIANTS.items()):
        if (name, seed) in have:
            continue
        plan = make_step_plan("steps:addition", settings={**TRAINING, **settings, "seed": seed})
        run = train(plan, out=RUNS / f"{name}, seed {seed}", device="cpu")
        found = measure_steps(run)
        row = {
            "variant": name,
            "seed": seed,
            "steps": run.metrics[-1]["step"],
            "validation_loss": run.metrics[-1]["validation_loss"],
            **found,
            "words_per_length": found["words"],
            "protocol": "unseen inputs",
            "date": datetime.now(UTC).date().isoformat(),
        }
        rows.append(row)
        print(f"{name}, seed {seed}: {row['exact_match']:.4f}", file=sys.stderr, flush=True)
        content = {
            "what": "8-bit addition from weak supervision, with one setting otherwise",
            "preset": plan.preset,
            "commit": commit(),
            "processor": processor(),
            "settings": TRAINING,
            "rows": rows,
        }
        write_json(path, content)


if __name__ == "__main__":
    main()
