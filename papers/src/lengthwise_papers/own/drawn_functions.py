"""Default training on functions drawn at random: how many end with a proof, and how fast.

Sequential functions have 2 to 12 states, bimachines 2 to 5 on each side, all of them needed; both
have 2 to 4 input and output symbols. Transitions and outputs are uniform. Nothing is set by hand.
Every network is certified, and writes the outputs of random inputs.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from lengthwise.evaluation.outputs import outputs_of, right_outputs
from lengthwise.evaluation.scores import wilson
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.reading import reading_of
from lengthwise.problems.functions.problem import FunctionProblem
from lengthwise.problems.planning import make_plan
from lengthwise.proofs.search.certify import certify
from lengthwise.training.devices import environment
from lengthwise_papers.cells import from_to
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment, group_records, route, train_in_folder

MOST_STATES: Mapping[str, tuple[int, int]] = {"sequential": (12, 1), "bimachine": (5, 5)}
"""Most states from the left and from the right, by kind."""

GOALS: Mapping[str, float] = {"sequential": 0.95, "bimachine": 0.9}
"""Share of the functions of a kind that default training should prove."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How many functions of each kind are drawn, and the inputs of the test."""

    preset: str
    functions: Mapping[str, int]
    inputs: Mapping[int, int]
    """Number of inputs by length."""


LAPTOP = Sizes(
    preset="laptop",
    functions={"sequential": 100, "bimachine": 50},
    inputs={10: 500, 1_000: 100, 100_000: 1},
)


def draw_function(kind: str, number: int) -> Function:
    """Draw a function of a kind whose states are all needed."""
    draw = random.Random(f"{kind} function {number}")
    most_left, most_right = MOST_STATES[kind]
    left = draw.randint(2, most_left)
    return draw_of_size(draw, left, draw.randint(min(2, most_right), most_right))


def draw_of_size(draw: random.Random, left: int, right: int) -> Function:
    """Draw a function with these numbers of states, all needed; symbols and outputs are 2 to 4."""
    symbols, outputs = draw.randint(2, 4), draw.randint(2, 4)

    def automaton(states: int) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(draw.randrange(states) for _ in range(symbols)) for _ in range(states))

    while True:
        made = Function(
            alphabet=tuple("abcd"[:symbols]),
            outputs=tuple("wxyz"[:outputs]),
            left=automaton(left),
            right=automaton(right),
            table=tuple(
                tuple(tuple(draw.randrange(outputs) for _ in range(right)) for _ in range(symbols))
                for _ in range(left)
            ),
        )
        if (len(made.left), len(made.right)) == (left, right):
            return made


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each function; `seeds` are the numbers of those of each kind."""
    return [
        Part(
            f"{kind} {number}",
            {
                "kind": kind,
                "number": number,
                "preset": sizes.preset,
                "inputs": {str(length): count for length, count in sizes.inputs.items()},
            },
        )
        for kind, count in sizes.functions.items()
        for number in seeds or range(count)
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train on a function, certify the network, and compare outputs of random inputs."""
    function = draw_function(settings["kind"], settings["number"])
    reading, plan = (
        reading_of(function),
        make_plan(FunctionProblem.of(function), preset=settings["preset"]),
    )
    run, training = train_in_folder(plan, folder)
    certificate = certify(run.model, reading.language)
    draw, wrong = np.random.default_rng(settings["number"]), 0
    for length, count in settings["inputs"].items():
        inputs = draw.integers(len(function.alphabet), size=(count, int(length)))
        written = np.stack(outputs_of(run.model, reading, inputs.tolist()))
        wrong += int((written != right_outputs(function, inputs)).any(axis=1).sum())
    words = sum(settings["inputs"].values())
    return [
        {
            **training,
            "settings": dict(settings),
            "kind": settings["kind"],
            "number": settings["number"],
            "left": len(function.left),
            "right": len(function.right),
            "symbols": len(function.alphabet),
            "outputs": len(function.outputs),
            "model": run.require_plan().model,
            "parameters": sum(weight.numel() for weight in run.model.parameters()),
            "verdict": certificate.verdict,
            "strength": certificate.strength,
            "reason": certificate.reason,
            "words": words,
            "wrong_outputs": wrong,
            "words_per_length": settings["inputs"],
            "protocol": "uniform inputs",
            "interval_95": list(wilson(words - wrong, words)),
            "environment": environment("cpu"),
        }
    ]


def _is_proved(record: Record) -> bool:
    return bool(record["verdict"] == "equivalent")


def table(records: Sequence[Record]) -> Table:
    """Return a row for each kind of function: how many are proved, by what, and how fast."""
    rows = []
    for (kind,), of_kind in group_records(records, "kind").items():
        proved = [record for record in of_kind if _is_proved(record)]
        routes = [route(record) for record in proved]
        by = ", ".join(f"{name} ({routes.count(name)})" for name in dict.fromkeys(sorted(routes)))
        seconds = [record["processor_seconds"] or 0.0 for record in of_kind]
        rows.append(
            [
                kind,
                from_to([record["left"] for record in of_kind]),
                from_to([record["right"] for record in of_kind]),
                f"{len(proved)} of {len(of_kind)}",
                by,
                f"{sum(r['wrong_outputs'] for r in proved)} of {sum(r['words'] for r in proved):,}",
                f"{median(seconds):.0f}",
                f"{max(seconds):.0f}",
            ]
        )
    header = ["functions", "states from the left", "from the right", "proved", "by"]
    return Table([*header, "wrong outputs", "median seconds", "worst"], rows)


def note(records: Sequence[Record]) -> str:
    """Say how many functions are measured, and what the seconds are."""
    drawn = sum(LAPTOP.functions.values())
    return (
        f"Measured: {len(records)} of {drawn} functions. Seconds are those of the processor, until "
        f"training ends. Each proved network was given {records[0]['words']:,} random inputs of up "
        f"to {max(map(int, records[0]['words_per_length'])):,} symbols."
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether enough are proved, and whether one that is proved was wrong."""
    statements = []
    for (kind,), of_kind in group_records(records, "kind").items():
        proved, drawn = sum(map(_is_proved, of_kind)), LAPTOP.functions[kind]
        missing = len(of_kind) < drawn and proved < GOALS[kind] * drawn
        can_fail = len(of_kind) - proved > (1 - GOALS[kind]) * drawn
        statements.append(
            Statement(
                "ours",
                f"default training proves {100 * GOALS[kind]:.0f} % of the functions: {kind}",
                None if missing and not can_fail else proved >= GOALS[kind] * drawn,
                f"{proved} of {len(of_kind)} so far" if missing else f"{proved} of {len(of_kind)}",
            )
        )
    wrong = sum(record["wrong_outputs"] for record in records if _is_proved(record))
    words = sum(record["words"] for record in records if _is_proved(record))
    says = "no network that is proved writes a wrong output"
    statements.append(Statement("ours", says, wrong == 0, f"{wrong} of {words:,} inputs"))
    return statements


DRAWN_FUNCTIONS = PartsExperiment(
    item="drawn functions",
    claim="Default training ends with a proof on functions that are drawn at random.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke", functions={"sequential": 1, "bimachine": 1}, inputs={1: 4, 50: 4}
        ),
        laptop=LAPTOP,
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
