"""Hidden functions from 2,000 pairs of words: how many are found and proved.

Of 50 functions of at most 8 states 35 are sequential, with 2 to 8 states, and 15 are bimachines,
with 2 to 6 states on each side and 8 in all; both have 2 to 4 input and output symbols. Transitions
and outputs are uniform, and all states are needed. Inputs have 1 to 20 symbols, each number equally
often. `lw.infer` sees the file of pairs alone, once with right outputs, and once with each output
symbol wrong with a probability of 1 %. A function is found if it is the hidden one for all inputs.
A network is then trained by default, and is proved to compute it; the network for both files is the
same one, since what it learns is.
"""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import lengthwise as lw
from lengthwise.files import write_text
from lengthwise.languages.functions.function import Function
from lengthwise.problems.paired_words.inference import FunctionInference
from lengthwise.training.devices import environment
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.drawn_functions import draw_of_size
from lengthwise_papers.parts import Part, PartsExperiment, group_records

MOST = 8
"""Most states, of both automata together; a sequential function has no second one."""

BUDGET = 600
"""Seconds of a search at most; beside other work they are longer."""

_SEQUENTIAL = 7
"""Sequential functions among ten."""

GOALS: Mapping[float, float] = {0.0: 0.9, 0.01: 0.8}
"""Share of the functions that should be found and proved, by the share of wrong outputs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How many functions are drawn, and the pairs of each."""

    functions: int = 50
    pairs: int = 2_000
    longest: int = 20
    preset: str = "laptop"


def draw_hidden(number: int) -> Function:
    """Draw a function whose states are all needed: a bimachine if the last digit is 7, 8 or 9."""
    draw = random.Random(f"hidden function {number}")
    is_sequential = number % 10 < _SEQUENTIAL
    left = draw.randint(2, MOST if is_sequential else MOST - 2)
    right = 1 if is_sequential else draw.randint(2, MOST - left)
    return draw_of_size(draw, left, right)


def draw_pairs(function: Function, settings: Mapping[str, Any], noise: float) -> str:
    """Return lines of pairs; with noise, a wrong output is one of the others."""
    draw = random.Random(f"pairs of hidden function {settings['number']}, noise {noise}")
    symbols, outputs = range(len(function.alphabet)), len(function.outputs)
    lines = []
    for _ in range(settings["pairs"]):
        word = tuple(draw.choices(symbols, k=draw.randint(1, settings["longest"])))
        written = [
            (y + draw.randrange(1, outputs)) % outputs if draw.random() < noise else y
            for y in function.run(word)
        ]
        lines.append(f"{function.reader.decode(word)}\t{function.decode(written)}\n")
    return "".join(lines)


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each function; `seeds` are their numbers."""
    return [
        Part(
            f"function {number}",
            {
                "number": number,
                "pairs": sizes.pairs,
                "longest": sizes.longest,
                "preset": sizes.preset,
            },
        )
        for number in seeds or range(sizes.functions)
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Infer a function from its pairs, without and with wrong outputs, and train a network."""
    hidden, records = draw_hidden(settings["number"]), list[Record]()
    proof: dict[str, Any] | None = None
    for noise in GOALS:
        file = folder / f"pairs-{noise:g}.tsv"
        write_text(file, draw_pairs(hidden, settings, noise))
        start = time.process_time()
        found = lw.infer(f"pairs:{file}", label_noise=noise, budget=BUDGET, progress=False)
        seconds = time.process_time() - start
        assert isinstance(found, FunctionInference)
        is_found = found.function.difference(hidden) is None
        if is_found and proof is None:
            proof = _prove(found, settings["preset"])
        statement = found.statement
        records.append(
            {
                **settings,
                "kind": "sequential" if hidden.is_sequential else "bimachine",
                "states": [len(hidden.left), len(hidden.right)],
                "symbols": [len(hidden.alphabet), len(hidden.outputs)],
                "noise": noise,
                "told": "outputs of whole words",
                "protocol": f"lengths 1 to {settings['longest']} equally often, symbols uniform",
                "words_per_length": None,
                "interval_95": None,
                "found": is_found,
                "inferred": [len(found.function.left), len(found.function.right)],
                "end": found.end,
                "verdict": statement.verdict,
                "held_out": statement.held_out.words,
                "held_out_right": statement.held_out.words - statement.held_out.wrong,
                "shortcut_right": statement.shortcut_right,
                "processor_seconds": round(seconds, 2),
                **(proof if is_found and proof else {"seed": 0, "proved": False}),
                "environment": environment("cpu"),
            }
        )
    return records


def _prove(found: FunctionInference, preset: str) -> dict[str, Any]:
    """Train a network on an inferred function; return what its certificate says."""
    run = lw.train(found, preset=preset, progress=False)
    certificate = lw.certify(run)
    plan = run.require_plan()
    return {
        "seed": plan.training.seed,
        "model": plan.model,
        "parameters": sum(weight.numel() for weight in run.model.parameters()),
        "steps": run.metrics[-1]["step"],
        "strength": certificate.strength,
        "proved": certificate.verdict == "equivalent",
    }


_SHOWN = {0.0: "right", 0.01: "1 % wrong"}


def table(records: Sequence[Record]) -> Table:
    """Return a row for each kind of function and share of wrong outputs."""
    rows = []
    for (kind, noise), group in group_records(records, "kind", "noise").items():
        found, proved = (sum(record[name] for record in group) for name in ("found", "proved"))
        right, held, shortcut = (
            sum(record[name] for record in group)
            for name in ("held_out_right", "held_out", "shortcut_right")
        )
        seconds = [record["processor_seconds"] for record in group]
        rows.append(
            [
                kind,
                _SHOWN[noise],
                f"{found} of {len(group)}",
                f"{proved} of {len(group)}",
                f"{right:,} of {held:,}",
                f"{shortcut:,}",
                f"{median(seconds):.1f}, {max(seconds):.1f}",
            ]
        )
    columns = ["function", "outputs", "found", "proved", "pairs held out right", "best shortcut"]
    return Table([*columns, "seconds to find: median, most"], rows)


def note(records: Sequence[Record]) -> str:
    """Say what was seen and how it was counted."""
    first = records[0]
    return (
        f"{first['pairs']:,} pairs of each function, inputs of 1 to {first['longest']} symbols, of "
        f"which 5 % are held out. Where outputs are wrong, a pair with a wrong symbol counts as "
        f"wrong, so most of these are. Training has seed 0; seconds are of one core."
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether as many functions as asked are found and proved."""
    statements = []
    for noise, goal in GOALS.items():
        group = [record for record in records if record["noise"] == noise]
        proved = sum(record["proved"] for record in group)
        statements.append(
            Statement(
                "ours",
                f"at least {100 * goal:g} % of the functions are found and proved, outputs "
                f"{_SHOWN[noise]}",
                bool(group) and proved >= goal * len(group),
                f"{proved} of {len(group)}",
            )
        )
    return statements


HIDDEN_FUNCTIONS = PartsExperiment(
    item="hidden functions",
    claim="2,000 pairs of words show a function of at most 8 states.",
    presets=preset_catalogue(
        smoke=Sizes(functions=1, pairs=300, preset="smoke"),
        laptop=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
