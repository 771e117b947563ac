"""Make `long_context.json`: a trained RegularGPT reads 32,768 tokens on two cores.

    lengthwise reproduce chi2023/table3 --only "32 / 2"        (its run is the model)
    OMP_NUM_THREADS=2 .venv/bin/python results/long_context.py runs/chi2023-table3-laptop/*/run

Of the runs that are named, the first RegularGPT with C = 32 and K = 2 is asked for the last token
of the same windows at each length, with exactly the tokens before it as context. Each length is
measured in a process of its own, so that the most memory it ever had is that of its length.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from lengthwise.experiments.experiment import commit
from lengthwise.files import write_json
from lengthwise.training.language_plan import LanguagePlan
from lengthwise.training.train import load_run, processor

HERE = Path(__file__).parent
LENGTHS = (128, 2_048, 4_096, 8_192, 16_384, 32_768)
WINDOWS = 100
SHAPE = {"chunk": 32, "thickness": 2}

_ONE = """
import json, resource, sys
from lengthwise.experiments.measure import measure_perplexity
from lengthwise.training.train import load_run
(found,), _ = measure_perplexity(load_run(sys.argv[1]), [{length}], windows={windows})
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{**found, "megabytes": round(most, 1)}}))
"""


def model_of(runs: list[str]) -> tuple[Path, dict[str, Any]]:
    """The first run of the wanted shape, and its plan."""
    for folder in runs:
        plan = load_run(folder).plan
        if isinstance(plan, LanguagePlan) and plan.model == "regular-gpt-lm":
            shape = plan.network.to_dict()
            if all(shape[name] == value for name, value in SHAPE.items()):
                return Path(folder), plan.to_dict()
    sys.exit("none of these is a run of RegularGPT with C = 32 and K = 2")


def main() -> None:
    """Measure each length and write the file."""
    run, plan = model_of(sys.argv[1:])
    rows = []
    for length in LENGTHS:
        code = _ONE.format(length=length, windows=WINDOWS)
        done = subprocess.run(
            [sys.executable, "-c", code, str(run)], check=True, capture_output=True, text=True
        )
        rows.append(json.loads(done.stdout))
        row = rows[-1]
        print(
            f"{length:6}: perplexity {row['perplexity']:.2f}, {row['seconds'] / WINDOWS:.3f} s a "
            f"window, {row['megabytes']:.0f} MB",
            flush=True,
        )
    write_json(
        HERE / "long_context.json",
        {
            "what": "a RegularGPT trained on windows of 128 tokens, asked after far longer ones",
            "commit": commit(),
            "processor": processor(),
            "plan": plan,
            "rows": rows,
        },
    )


if __name__ == "__main__":
    main()
