"""Make `long_context.json`: a trained RegularGPT reads 32,768 tokens on two cores.

    lengthwise reproduce chi2023/table3 --only "32 / 2, seed"  (its run is the model)
    .venv/bin/python results/long_context.py runs/chi2023-table3-laptop/*/run

Of the runs that are named, the first RegularGPT with C = 32, K = 2 and norms before the branches is
asked for the last tokens of the same windows at each length, with exactly the tokens before as
context. Time and memory are those of one window at a time, of each length in a process of its own
on Linux: the most memory that it had while it read, less what it had before.
"""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lengthwise.evaluation.perplexity import last_token_perplexity
from lengthwise.experiments.experiment import commit
from lengthwise.files import write_json
from lengthwise.models.threads import processor_threads
from lengthwise.text.prepared import TEST, Corpus
from lengthwise.training.language_plan import LanguagePlan
from lengthwise.training.train import Run, load_run, processor

HERE = Path(__file__).parent
LENGTHS = (128, 2_048, 4_096, 8_192, 16_384, 32_768)
WINDOWS, TIMED = 100, 3
THREADS = 2
SEED = 0
SHAPE = {"chunk": 32, "thickness": 2, "norm": "pre"}

_ONE = f"""
import json, pathlib, sys, time, torch
from lengthwise.training.train import load_run
torch.set_num_threads({THREADS})

def megabytes(name):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024

model = load_run(sys.argv[1], device="cpu").model.eval()
tokens = torch.randint(model.config.vocab_size, (1, int(sys.argv[2])))
before, times = megabytes("VmRSS"), []
pathlib.Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew
with torch.no_grad():
    for _ in range({TIMED}):
        start = time.perf_counter()
        model.last(tokens)
        times.append(time.perf_counter() - start)
print(json.dumps({{"seconds": min(times), "megabytes": megabytes("VmHWM") - before}}))
"""


def run_of(folders: list[str]) -> tuple[Path, Run, LanguagePlan]:
    """The first run of the wanted shape."""
    for folder in folders:
        run = load_run(folder, device="cpu")
        if isinstance(run.plan, LanguagePlan) and run.plan.model == "regular-gpt-lm":
            shape = run.plan.network.to_dict()
            if all(shape[name] == value for name, value in SHAPE.items()):
                return Path(folder), run, run.plan
    sys.exit("none of these is a run of RegularGPT with C = 32 and K = 2")


def cost(folder: Path, length: int) -> dict[str, float]:
    """Seconds and megabytes of one window."""
    command = [sys.executable, "-c", _ONE, str(folder), str(length)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure and write the file."""
    folder, run, plan = run_of(sys.argv[1:])
    text = plan.corpus.load(Corpus).part(TEST)
    with processor_threads(THREADS):
        scores = last_token_perplexity(run.model, text, LENGTHS, windows=WINDOWS, seed=SEED)
    rows = []
    for score in scores:
        one = cost(folder, score.length)
        row: dict[str, Any] = {
            **score.to_record(),
            "seconds": round(one["seconds"], 4),
            "megabytes": round(one["megabytes"], 1),
            "words_per_length": WINDOWS,
            "protocol": "last token",
            "seed": SEED,
            "date": datetime.now(UTC).date().isoformat(),
        }
        rows.append(row)
        print(
            f"{score.length:6}: {row['seconds']:.3f} s, {row['megabytes']:.0f} MB, perplexity "
            f"{score.perplexity:.1f}, {score.ratio_95[0]:.3f} to {score.ratio_95[1]:.3f} times",
            flush=True,
        )
    write_json(
        HERE / "long_context.json",
        {
            "what": "a RegularGPT trained on windows of 128 tokens, asked after far longer ones",
            "preset": plan.preset,
            "commit": commit(),
            "processor": f"{processor()}, {THREADS} threads",
            "settings": {name: part.to_dict() for name, part in plan.settings().items()},
            "rows": rows,
        },
    )


if __name__ == "__main__":
    main()
