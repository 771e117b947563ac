"""Guiding transformers to process in steps (2022), Table 1, Figures 3 and 4: step supervision.

A decoder of one layer and one head adds two n-bit numbers under weak, medium and strong
supervision. The paper takes, for every n, the best of a grid: 5 widths, 2 numbers of examples, 3
kinds of positions, 4 trials. `paper` is that grid; `laptop` is what two cores can do of it in
hours: five choices with strong supervision, two of them with weak, one with medium. So its best
is of more runs where supervision is strong. For 32 and 40 bits it has one choice, for 48 two, with
strong supervision alone; for 40 and 48 of widths between the paper's. The second for 48 has a
greater rate and decay, chosen by validation: with the usual decay half of the exclusive ors of two
inputs stay at chance (docs/reproducing/steps2022.md says why), so that no sum is right.

Learned positions go with what is minGPT's own: small weights, a rate of 3e-4, and a beta2 of 0.95
for Adam (not its weight decay and dropout). With them weak supervision learns n = 8
(docs/steps.md). One-hot positions have a greater rate, weight decay, and norms of the embeddings
and after the branches, as equations 9 and 13 are printed (minGPT has them before). Sinusoids, with
which minGPT's small weights are slow, have other weights and the usual Adam (`TRAINING_OF`): kinds
of positions are not compared with all else alike.

The paper's hand-coded positions have a coordinate for each of 7 n places. It does not say what they
are where the width is less than that and 3; ours share coordinates there (`one-hot`). `laptop` has
widths that suffice: 256 up to 32 bits, and the next multiples of 64 for 40 and 48.

Examples of training, validation and test are the same in all regimes, and no input is in two of
them. Checkpoints are chosen on the validation inputs; the best of the grid is chosen, as in the
paper, on the test inputs, so its maximum flatters: the table of runs has every run that is
recorded, and docs/reproducing/steps2022.md says what else was tried.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product, starmap
from typing import Any, NamedTuple

from lengthwise.analysis.figures import Picture
from lengthwise.problems.planning import make_plan
from lengthwise.problems.step_by_step.problem import select_test_inputs
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise.tasks.step_tasks import Regime
from lengthwise_papers.experiment import Record, Statement, Table, decide, preset_catalogue
from lengthwise_papers.figures import curves_figure
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment

REGIMES: tuple[Regime, ...] = ("weak", "medium", "strong")

PUBLISHED: dict[tuple[str, int], float] = {
    (regime, n): value
    for regime, row in {
        "weak": (1.0000, 0.2529, 0.1773, 0.1961, 0.0720, 0.0000),
        "medium": (0.0473, 0.0003, 0.0000, 0.0000, 0.0000, 0.0000),
        "strong": (1.0000, 1.0000, 1.0000, 1.0000, 0.8916, 0.9873),
    }.items()
    for n, value in zip((8, 16, 24, 32, 40, 48), row, strict=True)
}
"""Regime and n to the best exact match of the paper's grid."""


TRAINING_OF: Mapping[str, Mapping[str, Any]] = {
    "learned": {},
    "one-hot": {"learning_rate": 5e-4, "norm": "post-embedded", "weight_decay": 0.5},
    "sinusoidal": {"initial": "xavier", "learning_rate": 1e-3, "beta2": 0.999},
}
"""Position to settings of training that are not the step decoder's usual ones."""


class Choice(NamedTuple):
    """Settings that the grid varies besides the regime and the trial."""

    width: int
    examples: int
    position: str
    rate: float | None = None
    """The learning rate, where it is not the usual one."""
    steps: int | None = None
    """The number of steps, where it is not that of the preset."""
    decay: float | None = None
    """Weight decay, where it is not the usual one."""
    half: bool = False
    """True: matrix products of training are computed in bfloat16."""

    def __str__(self) -> str:
        rate = f", rate {self.rate:g}" if self.rate else ""
        decay = f", decay {self.decay:g}" if self.decay else ""
        steps = f", {self.steps:,} steps" if self.steps else ""
        changed = f"{rate}{decay}{steps}{', bfloat16' if self.half else ''}"
        return f"width {self.width}, {self.examples:,} examples, {self.position}{changed}"

    @property
    def training(self) -> dict[str, Any]:
        """Return the settings of training that differ from the defaults of the step decoder."""
        rate = {"learning_rate": self.rate} if self.rate else {}
        decay = {"weight_decay": self.decay} if self.decay else {}
        half = {"autocast": "bfloat16"} if self.half else {}
        return {**TRAINING_OF[self.position], **rate, **decay, **half}


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """The grid, and how long is trained."""

    preset: str
    bits: tuple[int, ...]
    choices: Mapping[Regime, tuple[Choice, ...]]
    trials: tuple[int, ...]
    steps: int = 6_000
    longer: Mapping[int, tuple[Choice, ...]] = field(default_factory=dict)
    """The choices for each of these n, with strong supervision alone."""
    trials_of_longer: tuple[int, ...] = ()
    """Seeds for these n; those of `trials`, if there are none."""

    @property
    def cells(self) -> list[tuple[int, Regime, Choice]]:
        """Bits, regime and choice of all runs."""
        short = [
            (bits, regime, choice)
            for bits in self.bits
            for regime in REGIMES
            for choice in self.choices[regime]
        ]
        return short + [
            (bits, STRONG, choice) for bits, choices in self.longer.items() for choice in choices
        ]


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return all runs of the grid."""
    cell_runs = []
    for bits, regime, choice in sizes.cells:
        plan = make_plan(
            "steps:addition",
            preset=sizes.preset,
            settings={
                "bits": bits,
                "supervision": regime,
                "d_model": choice.width,
                "examples": choice.examples,
                "position": choice.position,
                **choice.training,
                **schedule(choice.steps or sizes.steps),
            },
        )
        of_longer = sizes.trials_of_longer if bits in sizes.longer else ()
        of_cell = seeds or of_longer or sizes.trials
        jobs = jobs_over_seeds(plan, of_cell, select_test_inputs(plan))
        cell_runs += [CellRun(f"{regime}, n = {bits}", str(choice), job) for job in jobs]
    return cell_runs


def schedule(steps: int) -> dict[str, int]:
    """Return the settings of a run with this number of steps."""
    return {"steps": steps, "warmup": steps // 20, "validate_every": min(500, steps)}


class Trial(NamedTuple):
    """The result of one run."""

    regime: str
    bits: int
    choice: Choice
    exact: float


def trials(records: Sequence[Record]) -> list[Trial]:
    """Return the runs that ended."""
    return [
        Trial(*_ROWS[run["row"]], _CHOICES[run["column"]], run["tests"][UNSEEN]["mean_accuracy"])
        for run in records
        if "error" not in run
    ]


def best(all_trials: Sequence[Trial]) -> dict[tuple[str, int], Trial]:
    """Return the best run by regime and n."""
    result: dict[tuple[str, int], Trial] = {}
    for trial in all_trials:
        before = result.setdefault((trial.regime, trial.bits), trial)
        if trial.exact > before.exact:
            result[trial.regime, trial.bits] = trial
    return result


def table(records: Sequence[Record]) -> Table:
    """Return the paper's layout: the best of the grid, printed and measured, with runs."""
    ended_runs = trials(records)
    most, rows = best(ended_runs), []
    columns = sorted({bits for _, bits in PUBLISHED} | {trial.bits for trial in ended_runs})
    for regime in REGIMES:
        line = [PUBLISHED.get((regime, n)) for n in columns]
        rows.append([regime, "printed", *("" if p is None else f"{p:.4f}" for p in line)])
        cells = [most.get((regime, n)) for n in columns]
        rows.append([regime, "measured", *(f"{c.exact:.4f}" if c else "not run" for c in cells)])
        runs_of = [sum((t.regime, t.bits) == (regime, n) for t in ended_runs) for n in columns]
        rows.append([regime, "runs", *(str(count) for count in runs_of)])
    return Table(["supervision", "", *(f"n = {n}" for n in columns)], rows)


def best_table(records: Sequence[Record]) -> Table:
    """Return the best run of every cell."""
    rows = [
        [regime, str(bits), str(trial.choice), f"{trial.exact:.4f}"]
        for (regime, bits), trial in best(trials(records)).items()
    ]
    return Table(["supervision", "n", "best run", "exact match"], rows)


def positions_of(choice: Choice) -> str:
    """Return what a line of Figure 3 is named by."""
    return choice.position


def examples_of(choice: Choice) -> str:
    """Return what a line of Figure 4 is named by."""
    return f"{choice.examples:,} examples"


def curves_picture(of: Callable[[Choice], str], records: Sequence[Record]) -> dict[str, Picture]:
    """Draw the best by n, a panel for each regime, a line for each kind of choices."""
    panels: dict[str, dict[str, dict[int, float]]] = {}
    for (regime, kind), curve in _curves(of, records).items():
        panels.setdefault(f"{regime} supervision", {})[kind] = curve
    return exact_match_figure(panels)


def curves_table(kind_of: Callable[[Choice], str], records: Sequence[Record]) -> Table:
    """Return the best by n, a row for each regime and kind of choices."""
    curves = _curves(kind_of, records)
    columns = sorted({n for curve in curves.values() for n in curve})
    rows = []
    for (regime, kind), curve in curves.items():
        cells = [f"{curve[n]:.4f}" if n in curve else "not run" for n in columns]
        rows.append([regime, kind, *cells])
    return Table(["supervision", "best of", *(f"n = {n}" for n in columns)], rows)


def _curves(
    kind_of: Callable[[Choice], str], records: Sequence[Record]
) -> dict[tuple[str, str], dict[int, float]]:
    """Return the best exact match by regime and kind of choices, and by n."""
    curves: dict[tuple[str, str], dict[int, float]] = {}
    for trial in trials(records):
        curve = curves.setdefault((trial.regime, kind_of(trial.choice)), {})
        curve[trial.bits] = max(trial.exact, curve.get(trial.bits, 0.0))
    return dict(sorted(curves.items(), key=lambda item: REGIMES.index(item[0][0])))


def exact_match_figure(
    panels: Mapping[str, Mapping[str, Mapping[int, float]]],
) -> dict[str, Picture]:
    """Draw exact match by n; without records there is no figure."""
    if not panels:
        return {}
    return {"exact-match": curves_figure(panels, xlabel="bits n", ylabel="exact match (%)")}


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what section 5 says, as far as it was measured."""
    most = best(trials(records))
    cells: dict[str, dict[int, float]] = {regime: {} for regime in REGIMES}
    for (regime, n), trial in most.items():
        cells[regime][n] = trial.exact
    lines = {regime: _list(line) for regime, line in cells.items()}
    statements = []
    if reached := {n: value for n, value in cells[STRONG].items() if (STRONG, n) in PUBLISHED}:
        statements.append(
            Statement(
                where="Table 1",
                says="strong supervision reaches the printed numbers, to 0.001",
                holds=all(value >= PUBLISHED[STRONG, n] - 0.001 for n, value in reached.items()),
                measured=_list(reached),
                runs=_fewest(records, STRONG, reached),
            )
        )
    if (short := cells[WEAK].get(8)) is not None:
        statements.append(weak_suffices("Table 1", short, _fewest(records, WEAK, [8])))
    for regime, bound in (("weak", 0.5), ("medium", 0.05)):
        if long := {n: value for n, value in cells[regime].items() if n >= 16}:
            printed = {n for kind, n in PUBLISHED if kind == regime and n >= 16}
            missing = ", ".join(f"n = {n}" for n in sorted(printed - long.keys()))
            statements.append(
                Statement(
                    where="section 5",
                    says=f"from n = 16 the decoder does not learn addition from {regime} "
                    f"supervision (below {bound})",
                    holds=decide(max(long.values()) < bound, missing=bool(missing)),
                    measured=f"{lines[regime]}; not run: {missing}" if missing else lines[regime],
                    runs=_fewest(records, regime, long),
                )
            )
    return statements


def _fewest(records: Sequence[Record], regime: str, bits: Iterable[int]) -> int:
    """Return the fewest runs that a cell of a regime has."""
    cells = [(trial.regime, trial.bits) for trial in trials(records)]
    return min(cells.count((regime, n)) for n in bits)


def weak_suffices(section: str, exact: float, runs: int, variant: str = "") -> Statement:
    """Check 1.0000 at n = 8, which both tables print; `variant` names the body, if any."""
    return Statement(
        where=section,
        says="at n = 8 weak supervision is enough, as printed",
        holds=exact >= PUBLISHED[WEAK, 8] - 0.001,
        measured=f"{exact:.4f}",
        variant=variant,
        runs=runs,
    )


def _list(line: Mapping[int, float]) -> str:
    return ", ".join(f"n = {n}: {value:.4f}" for n, value in line.items())


UNSEEN = "unseen"
WEAK: Regime = "weak"
STRONG: Regime = "strong"

WIDTHS, EXAMPLES = (32, 64, 128, 256, 512), (1_000, 10_000)
POSITIONS = ("sinusoidal", "one-hot", "learned")
GRID = tuple(starmap(Choice, product(WIDTHS, EXAMPLES, POSITIONS)))
"""The paper's choices; `one-hot` are its hand-coded positions, where the width suffices."""

_TINY = Choice(16, 40, "sinusoidal")

_USUAL, _FEW = Choice(128, 10_000, "learned"), Choice(128, 1_000, "learned")
_LAPTOP: dict[Regime, tuple[Choice, ...]] = {
    "weak": (_USUAL, _FEW),
    "medium": (_USUAL,),
    "strong": (
        _USUAL,
        _FEW,
        Choice(128, 10_000, "learned", 6e-4),
        Choice(128, 10_000, "sinusoidal"),
        Choice(256, 10_000, "one-hot"),
    ),
}

_PRESETS = preset_catalogue(
    smoke=Sizes(
        preset="smoke", bits=(3,), choices=dict.fromkeys(REGIMES, (_TINY,)), trials=(0,), steps=4
    ),
    laptop=Sizes(
        preset="laptop",
        bits=(8, 16, 24),
        choices=_LAPTOP,
        trials=(0,),
        trials_of_longer=(0, 1, 2),
        longer={
            32: (Choice(256, 10_000, "one-hot"),),
            40: (Choice(320, 10_000, "one-hot"),),
            48: (
                Choice(384, 10_000, "one-hot", steps=10_000),
                Choice(384, 10_000, "one-hot", 1e-3, steps=4_000, decay=5.0, half=True),
            ),
        },
    ),
    paper=Sizes(
        preset="paper",
        bits=(8, 16, 24, 32, 40, 48),
        choices=dict.fromkeys(REGIMES, GRID),
        trials=(0, 1, 2, 3),
        steps=30_000,
    ),
)

_CHOICES = {str(choice): choice for sizes in _PRESETS.values() for *_, choice in sizes.cells}
_ROWS: dict[str, tuple[str, int]] = {
    f"{regime}, n = {n}": (regime, n) for sizes in _PRESETS.values() for n, regime, _ in sizes.cells
}

TABLE_1: TrainedExperiment[Sizes] = TrainedExperiment(
    paper="Guiding transformers to process in steps (2022)",
    item="Table 1",
    claim="A decoder of one layer and one head learns to add from the steps; from 16 bits on it "
    "needs them.",
    printed="The best exact match on 10,000 unseen pairs, of 120 runs for each cell.",
    presets=_PRESETS,
    runs=runs,
    table=table,
    more={"Best runs": best_table},
    judge=check,
)


def _judge_positions(records: Sequence[Record]) -> list[Statement]:
    """Check what section 5 says of Figure 3."""
    return _better(
        "Figure 3",
        "the best is reached with sinusoidal positions (each kind is trained in its own way)",
        records,
        chosen=lambda choice: choice.position == "sinusoidal",
        alike=lambda choice: (choice.width, choice.examples, choice.rate),
        slack=0.0,
    )


def _judge_examples(records: Sequence[Record]) -> list[Statement]:
    """Check what section 5 says of Figure 4, except for n = 40, as it says."""
    return _better(
        "Figure 4",
        "1,000 examples suffice for the best, except at n = 40 (to 0.01)",
        [record for record in records if _ROWS[record["row"]][1] != 40],
        chosen=lambda choice: choice.examples == min(EXAMPLES),
        alike=lambda choice: (choice.width, choice.position, choice.rate),
        slack=0.01,
    )


def _better(
    section: str,
    says: str,
    records: Sequence[Record],
    *,
    chosen: Callable[[Choice], bool],
    alike: Callable[[Choice], tuple[int, int | str, float | None]],
    slack: float,
) -> list[Statement]:
    """Compare choices that differ in one thing, with strong supervision, for each n."""
    pairs, runs_ = {}, len(records)
    strong = [trial for trial in trials(records) if trial.regime == STRONG]
    for n in sorted({trial.bits for trial in strong}):
        of_n = [trial for trial in strong if trial.bits == n]
        ours = [trial for trial in of_n if chosen(trial.choice)]
        rest = [trial for trial in of_n if not chosen(trial.choice)]
        common = {alike(t.choice) for t in ours} & {alike(t.choice) for t in rest}
        if common:
            fair = [[t.exact for t in kind if alike(t.choice) in common] for kind in (ours, rest)]
            pairs[n] = (max(fair[0]), max(fair[1]))
            runs_ = min(runs_, *map(len, fair))
    if not pairs:
        return []
    text = ", ".join(f"n = {n}: {our:.4f}, others {other:.4f}" for n, (our, other) in pairs.items())
    holds = all(our >= other - slack for our, other in pairs.values())
    return [Statement(where=section, says=says, holds=holds, measured=text, runs=runs_)]


_same_runs = partial(replace, TABLE_1, more={}, runs_of="steps2022/table1")

FIGURE_3 = _same_runs(
    item="Figure 3",
    claim="Sinusoidal positions do best.",
    printed="Curves over n of the best exact match with each kind of position.",
    table=partial(curves_table, positions_of),
    figures=partial(curves_picture, positions_of),
    judge=_judge_positions,
)
FIGURE_4 = _same_runs(
    item="Figure 4",
    claim="1,000 examples are nearly as good as 10,000.",
    printed="Curves over n of the best exact match with each number of examples.",
    table=partial(curves_table, examples_of),
    figures=partial(curves_picture, examples_of),
    judge=_judge_examples,
)
