"""A RegularGPT trained on windows of 128 tokens reads 32,768 tokens on two cores.

The model is that of `chi2023/table3` with C = 32, K = 2 and norms before the branches; its run is
taken from there, if it has been trained. It is asked for the last tokens of the same windows at
each length, with exactly the tokens before as context. Time and memory are those of one window at a
time, of each length in a process of its own on Linux: the most memory that it had while it read,
less what it had before.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from lengthwise.data.text_corpus import TEST
from lengthwise.evaluation.perplexity import last_token_perplexity
from lengthwise.models.regular_gpt_lm import RegularGPTLM
from lengthwise.models.threads import processor_threads
from lengthwise.problems.language_modelling.problem import LanguageModelling
from lengthwise.problems.runs import load_run
from lengthwise.sweeps.folder import JobFolder
from lengthwise.sweeps.job import Job
from lengthwise.sweeps.processes import LocalProcesses
from lengthwise_papers.chi2023.table3 import TABLE_3
from lengthwise_papers.experiment import Record, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment, trained
from lengthwise_papers.shared import take_over

THREADS = 2
TIMED = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Network and lengths."""

    preset: str = "laptop"
    column: str = "32 / 2"
    """C and K: a column of `chi2023/table3`."""
    seeds: tuple[int, ...] = (0,)
    lengths: tuple[int, ...] = (128, 2_048, 4_096, 8_192, 16_384, 32_768)
    windows: int = 100


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each seed."""
    runs = TABLE_3.runs(TABLE_3.presets[sizes.preset], seeds or sizes.seeds)
    numbers = {"lengths": sizes.lengths, "windows": sizes.windows}
    return [
        Part(run.name, {"job": run.job.to_dict(), **numbers})
        for run in runs
        if run.column == sizes.column
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Return a record for each length."""
    job = Job.from_dict(settings["job"])
    take_over([job], folder.parent)
    own = JobFolder.of(job, folder.parent).path
    run, record = trained(job.plan, own)
    assert isinstance(run.problem, LanguageModelling)
    text = run.problem.load().part(TEST)
    with processor_threads(THREADS):
        scores = last_token_perplexity(
            run.model, text, settings["lengths"], windows=settings["windows"], seed=record["seed"]
        )
    return [
        {
            **score.to_record(),
            **cost(own / "run", score.length),
            "words_per_length": settings["windows"],
            "protocol": "last token",
            "seed": record["seed"],
            "settings": job.plan.stored_settings(),
        }
        for score in scores
    ]


def cost(run: Path, length: int) -> dict[str, float]:
    """Measure seconds and megabytes of one window, in a process of its own."""
    with LocalProcesses(1) as process:
        return process.submit(_cost, str(run), length).result()


def _cost(run: str, length: int) -> dict[str, float]:
    model = load_run(run, device="cpu").model.eval()
    assert isinstance(model, RegularGPTLM)
    tokens = torch.randint(model.config.vocab_size, (1, length))
    torch.set_num_threads(THREADS)
    before, times = _megabytes("VmRSS"), []
    Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew
    with torch.no_grad():
        for _ in range(TIMED):
            start = time.perf_counter()
            model.last(tokens)
            times.append(time.perf_counter() - start)
    used = _megabytes("VmHWM") - before
    return {"seconds": round(min(times), 4), "megabytes": round(used, 1)}


def _megabytes(name: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def table(records: Sequence[Record]) -> Table:
    """Return a row for each length: time and memory, and what becomes of perplexity."""
    shortest = min(one["length"] for one in records)
    rows = []
    for one in records:
        low, high = one["ratio_95"]
        rows.append(
            [
                f"{one['length']:,}",
                f"{one['seconds']:.3f}",
                f"{one['megabytes']:,.0f}",
                f"{one['perplexity']:.1f}",
                "" if one["length"] == shortest else f"{low:.3f} to {high:.3f}",
            ]
        )
    columns = ["tokens", "seconds a window", "MB while it reads", "perplexity"]
    return Table([*columns, f"times that at {shortest:,}"], rows)


def note(records: Sequence[Record]) -> str:
    """Say how many windows were read."""
    return f"Perplexity of the last tokens of {records[0]['windows']} windows, 95 % intervals."


LONG_CONTEXT = PartsExperiment(
    item="long context",
    claim="A RegularGPT reads far longer texts than it was trained on, in time nearly linear.",
    presets=preset_catalogue(
        smoke=Sizes(preset="smoke", column="4 / 1", lengths=(8, 16), windows=4),
        laptop=Sizes(),
        paper=Sizes(preset="paper", column="32 / 6", lengths=(512, 8_192, 32_768)),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
)
