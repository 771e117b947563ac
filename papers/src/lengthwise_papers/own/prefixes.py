"""The class after every symbol: networks of the twelve languages of Chi et al. and of three groups.

The function `prefixes:SPEC` writes the class of a language after every symbol: all benchmarks of
state tracking ask for that. Its network is computed, and another one is trained by default with
seed 0, on words of at most 40 symbols; both are certified. Then the trained one writes the outputs
of two random inputs of 10,000 symbols.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import lengthwise as lw
from lengthwise.evaluation.outputs import outputs_of, right_outputs
from lengthwise.languages.functions.reading import reading_of
from lengthwise.training.devices import environment
from lengthwise_papers.chi2023.published import PUBLISHED
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment

LANGUAGES = (
    *("even-pairs", "modular-arithmetic", "parity", "cycle-navigation", "d-2", "d-3", "d-4"),
    *("d-12", "tomita-3", "tomita-4", "tomita-5", "tomita-6", "group:S3", "group:A5", "group:S5"),
)
"""The twelve rows of Table 1 of Chi et al., and the groups."""

INPUTS, LENGTH = 2, 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """The languages, and the preset of training."""

    languages: tuple[str, ...] = LANGUAGES
    preset: str = "laptop"


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language and seed of training."""
    return [
        Part(
            f"prefixes:{name}, seed {seed}",
            {"function": f"prefixes:{name}", "seed": seed, "preset": sizes.preset},
        )
        for seed in seeds or (0,)
        for name in sizes.languages
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Compute a network and train another one, certify both, and run the trained one."""
    function = lw.function(settings["function"])
    computed = lw.compile(settings["function"])
    start = time.process_time()
    run = lw.train(
        settings["function"], preset=settings["preset"], seed=settings["seed"], progress=False
    )
    seconds = time.process_time() - start
    proofs = [lw.certify(model) for model in (computed, run)]
    draw, symbols = np.random.default_rng(0), len(function.alphabet)
    inputs = draw.integers(0, symbols, (INPUTS, LENGTH))
    written = np.stack(outputs_of(run.model, reading_of(function), inputs))
    return [
        {
            **settings,
            "states": len(function.left),
            "symbols": [symbols, len(function.outputs)],
            "told": run.require_plan().trained_on,
            "protocol": "uniform inputs",
            "words_per_length": INPUTS,
            "interval_95": None,
            "computed": computed.architecture,
            "computed_verdict": proofs[0].verdict,
            "computed_strength": proofs[0].strength,
            "model": run.require_plan().model,
            "parameters": sum(weight.numel() for weight in run.model.parameters()),
            "steps": run.metrics[-1]["step"],
            "processor_seconds": round(seconds, 1),
            "verdict": proofs[1].verdict,
            "strength": proofs[1].strength,
            "wrong_symbols": int((written != right_outputs(function, inputs)).sum()),
            "written_symbols": written.size,
            "environment": environment("cpu"),
        }
    ]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each function."""
    columns = ["function", "states", "computed", "trained network", "parameters", "steps"]
    rows = [
        [
            f"`{record['function']}`",
            f"{record['states']:,}",
            _proof(record["computed_verdict"], record["computed_strength"]),
            f"`{record['model']}`",
            f"{record['parameters']:,}",
            f"{record['steps']:,}",
            f"{record['processor_seconds']:.0f}",
            _proof(record["verdict"], record["strength"]),
            f"{record['wrong_symbols']:,} of {record['written_symbols']:,}",
            _printed(record["function"].removeprefix("prefixes:")),
        ]
        for record in records
    ]
    columns += ["seconds", "proof", "wrong symbols at 10,000", "Chi et al.: best, mean %"]
    return Table(columns, rows)


def note(records: Sequence[Record]) -> str:
    """Say what the printed numbers are about, and how training differs."""
    return (
        "Seconds are of one core, until the proof; inputs of the test are uniform. Beside it, what "
        "Chi et al. (2023) print in Table 1 for RegularGPT with C = 2, three seeds: the class of "
        "whole words of 41 to 500 symbols (51 to 100 from d-2 on), from the classes of whole words "
        "of at most 40 (50) symbols alone. Training here also asks what sub-words do to the "
        "states. PD-SSM (Terzic et al. 2025, arXiv 2509.22284) learned from 3 to 40 symbols, and "
        "is published at 40 to 256, with the checkpoint chosen there: 99.9 % on parity, 99.7 on "
        "even-pairs, 99.5 on cycle-navigation, 96.2 on modular-arithmetic, 100 on A5 with 2 to 12 "
        "generators, 100 on S5 with 4 or 8 and 1.07 with 32."
    )


def _printed(language: str) -> str:
    printed = PUBLISHED.get((language, "regular-gpt C=2"))
    return "" if printed is None else f"{printed.best}, {printed.mean}"


def _proof(verdict: str, strength: str) -> str:
    return f"proved ({strength})" if verdict == "equivalent" else "not proved"


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether all networks are proved, and write nothing wrong."""
    verdicts = [record[name] for record in records for name in ("computed_verdict", "verdict")]
    proved = sum(verdict == "equivalent" for verdict in verdicts)
    wrong = sum(record["wrong_symbols"] for record in records)
    return [
        Statement(
            "ours",
            "every network, computed or trained, is proved at every length",
            proved == len(verdicts),
            f"{proved} of {len(verdicts)}",
        ),
        Statement("ours", "no output symbol is wrong at 10,000", wrong == 0, f"{wrong:,} are"),
    ]


PREFIXES = PartsExperiment(
    item="prefixes",
    claim="The class after every symbol is proved for all twelve languages and three groups.",
    presets=preset_catalogue(smoke=Sizes(languages=("tomita-6",), preset="smoke"), laptop=Sizes()),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
