"""Chi et al. (2023), sections 2.2 and 2.3: RegularGPT beside a scratchpad that writes down states.

A scratchpad writes the state of the automaton after every symbol, so T predictions wait for each
other; RegularGPT has ceil(log2 T) levels. The paper counts 2T steps of sequential decoding, one for
each place of the interleaved symbols and states. The symbols are given, and ours reads each of them
in the step that reads the state before it, so we count T. Both models are trained on words of at
most 40 symbols, each in its own way, and tested on the same longer ones. Time is that of the whole
test, on one thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from lengthwise.analysis.figures import Picture
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.languages.spec import parse
from lengthwise.layers.chunks import depth
from lengthwise.models.scratchpad import Scratchpad
from lengthwise.problems.planning import make_plan
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise_papers.cells import best_and_mean, cells, curves, one_digit, scores, span
from lengthwise_papers.chi2023.training import LAPTOP
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment

NEAR, FAR = "near", "far"
LONGEST = 500

MODELS = {"scratchpad": "scratchpad", "regular-gpt-binary": "RegularGPT, binary memory"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, seeds, and on what is tested."""

    preset: str
    seeds: tuple[int, ...] = (0,)
    rows: tuple[str, ...] = ("parity", "cycle-navigation", "group:S5")
    lengths: str = f"41:{LONGEST}:51"
    words: int = 128
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By model, or by `row, model`."""


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return all runs of the table."""
    cell_runs = []
    near = tuple(parse_lengths(sizes.lengths))
    tests = [
        Test(name=NEAR, lengths=near, words_per_length=sizes.words, protocol="audited"),
        Test(name=FAR, lengths=(LONGEST,), words_per_length=sizes.words, protocol="audited"),
    ]
    for row in sizes.rows:
        for model in MODELS:
            settings = {
                **sizes.settings.get(model, {}),
                **sizes.settings.get(f"{row}, {model}", {}),
            }
            plan = make_plan(
                parse(row),
                model,
                preset=sizes.preset,
                options={"protocol": "audited"},
                settings=settings,
            )
            jobs = jobs_over_seeds(plan, seeds or sizes.seeds, tests)
            cell_runs += [CellRun(row, model, job) for job in jobs]
    return cell_runs


def steps_that_wait(model: str, length: int) -> int:
    """Return the number of predictions, or levels, that must wait for each other on a word."""
    return Scratchpad.steps(length) if model == "scratchpad" else depth(length, 2)


def table(records: Sequence[Record]) -> Table:
    """Return a row for each language and model: accuracy, steps, time."""
    rows = []
    for (row, model), of_cell in cells(records).items():
        words = of_cell[0]["tests"][FAR]["words_per_length"]
        rows.append(
            [
                row,
                MODELS[model],
                of_cell[0]["supervision"],
                scores(of_cell, NEAR),
                scores(of_cell, FAR),
                f"{steps_that_wait(model, LONGEST):,}",
                f"{1e3 * _mean_seconds(of_cell) / words:.2f}",
                f"{of_cell[0]['parameters']:,}",
                span(of_cell, "seconds"),
            ]
        )
    lengths = next(
        (record["tests"][NEAR]["lengths"] for record in records if "tests" in record), ""
    )
    columns = ["language", "model", "supervision", f"accuracy at {lengths} %"]
    columns += [f"at {LONGEST} %", f"steps that wait, T = {LONGEST}", f"ms a word, T = {LONGEST}"]
    return Table([*columns, "parameters", "seconds to train"], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw accuracy by length: a panel for each language, a line for each model."""
    return curves(records, [NEAR], lambda row, model: (row, MODELS[model]))


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what the paper says, where both models are right; other rows are named."""
    of_cells = cells(records)
    complete = (row for row, _ in of_cells if all((row, model) in of_cells for model in MODELS))
    rows = list(dict.fromkeys(complete))
    amiss = {row: _not_right(of_cells, row) for row in rows}
    right = [row for row in rows if not amiss[row]]
    if not right:
        return []
    ratios = {
        row: _mean_seconds(of_cells[row, "scratchpad"])
        / _mean_seconds(of_cells[row, "regular-gpt-binary"])
        for row in right
    }
    waits = steps_that_wait("scratchpad", LONGEST), steps_that_wait("regular-gpt-binary", LONGEST)
    ratio_lines = [
        f"for {LONGEST} symbols {waits[0]} steps in turn, of two tokens, and {waits[1]} levels",
        f"faster: {', '.join(f'{row} {_about(ratio)} times' for row, ratio in ratios.items())}",
        *(f"{row} is left out, as it was not learned: {amiss[row]}" for row in rows if amiss[row]),
    ]
    return [
        Statement(
            where="section 2.3",
            says="log_C T layers of parallel computations are more efficient than a scratchpad's "
            "2T steps of sequential decoding",
            holds=min(ratios.values()) > 1,
            measured="; ".join(ratio_lines),
        )
    ]


def _about(ratio: float) -> str:
    """Write two digits of a ratio of times that were measured once: `270`."""
    return f"{float(f'{ratio:.2g}'):,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _not_right(of_cells: Mapping[tuple[str, str], Sequence[Record]], row: str) -> str:
    """Name the models with a wrong answer, and their accuracies; nothing if there is none."""
    return ", ".join(
        f"{title} "
        f"{one_digit(min(best_and_mean(of_cells[row, model], t)[1] for t in (NEAR, FAR)))} % right"
        for model, title in MODELS.items()
        if any(test["wrong"] for run in of_cells[row, model] for test in run["tests"].values())
    )


def _mean_seconds(of_cell: Sequence[Record]) -> float:
    """Return the mean seconds of the test at one length."""
    return fmean(run["tests"][FAR]["seconds"] for run in of_cell)


_BINARY_GROUP = LAPTOP["group:S5, binary"]

SCRATCHPAD: TrainedExperiment[Sizes] = TrainedExperiment(
    paper="Chi et al. (2023)",
    item="Sections 2.2 and 2.3, scratchpad",
    claim="RegularGPT answers in a logarithm of the steps that a scratchpad takes.",
    printed="That a scratchpad needs 2T steps of sequential decoding, where log_C T layers of "
    "parallel computations do.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            rows=("parity",),
            lengths="41:43",
            words=2,
            settings={key: {"steps": 4, "validate_every": 2} for key in MODELS},
        ),
        laptop=Sizes(
            preset="laptop", settings={"group:S5, regular-gpt-binary": dict(_BINARY_GROUP)}
        ),
        paper=Sizes(
            preset="paper",
            seeds=(0, 1, 2),
            words=512,
            settings={"group:S5, regular-gpt-binary": dict(_BINARY_GROUP)},
        ),
    ),
    runs=runs,
    table=table,
    figures=figures,
    judge=check,
)
