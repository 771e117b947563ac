"""Chi et al. (2023), Table 2: PARITY with other shares of ones, P(1) in .1, .3, .5, .7, .9.

The paper alters "the probability used to sample 1s". That can be read in two ways, so each cell has
two numbers: networks trained and tested with the same P(1), and networks that are trained with P(1)
= .5 and tested with another. Words of training have at most 40 symbols; tests have 40 symbols
("same length") and 41..500 ("extrapolation"). The paper prints the mean over 3 seeds.

`laptop` trains RegularGPT on words that grow, by Muon, which longer words of training chose
(`own-blind-choice.json`). With its usual settings a run or two of 15 lose some words beyond
100 symbols, for other seeds and shares of ones after 5,000 steps (99.0 %) than after 10,000 (99.6
and 99.9 %).
The RNN is trained as in Table 1. With 8,000 steps and no decay of weights a run in thirty
misses some words: they hold stretches that training hardly ever shows, from which the state does
not recover. The number of steps and the decay were chosen by other seeds, at lengths of training
alone.
The Transformer has the settings of Parity in Table 1, with one seed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from lengthwise.analysis.figures import Picture
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.languages.spec import parse
from lengthwise.problems.planning import make_plan
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise_papers.cells import (
    best_and_mean,
    cells,
    curves,
    difference,
    is_learnt,
    of_seeds,
    one_digit,
)
from lengthwise_papers.chi2023.table1_columns import MEASURED
from lengthwise_papers.chi2023.table1_statements import CLEAR
from lengthwise_papers.chi2023.training import GROWING_BY_MUON, LAPTOP, SPARSE
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
SAME, FARTHER = "same length", "extrapolation"

HALF = 0.5
"""The P(1) of training in the second reading."""

ELSEWHERE = f"trained at P(1) = {HALF}"
"""Names the second reading, in the table and as a variant of statements."""

LEARNED = 75
"""Per cent of words of 40 symbols, halfway from chance, below which longer words say nothing."""

PUBLISHED: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    SAME: {
        "regular-gpt C=2": (100, 100, 100, 100, 100),
        "rnn": (100, 100, 100, 100, 100),
        "transformer": (98.4, 99.8, 99.6, 97.8, 77.2),
    },
    FARTHER: {
        "regular-gpt C=2": (100, 100, 100, 100, 100),
        "rnn": (100, 100, 100, 100, 100),
        "transformer": (50.1, 49.7, 50.3, 49.9, 50.0),
    },
}
"""Test and model to the means, for each of `SHARES`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Seeds, how long is trained, and on how many words is tested."""

    preset: str
    seeds: tuple[int, ...]
    seeds_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Models with other seeds."""
    words: int = 512
    words_of_same_length: int = 16_384
    stride: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """(k, n) of models that are tested at every k-th length only, on n words of each."""
    stride_elsewhere: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The same where P(1) is another than in training."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return all runs of the table."""
    cell_runs = []
    for key in PUBLISHED[SAME]:
        for share in SHARES:
            column = MEASURED[key]
            plan = make_plan(
                parse("parity"),
                column.model,
                preset=sizes.preset,
                options={"protocol": "published"},
                settings={"p_one": share, **column.settings, **sizes.settings.get(key, {})},
            )
            tests = [*_tests(sizes, sizes.stride.get(key, (1, sizes.words)))]
            if share == HALF:
                stride = sizes.stride_elsewhere.get(key, (1, sizes.words))
                for other in (each for each in SHARES if each != HALF):
                    tests += _tests(sizes, stride, other)
            jobs = jobs_over_seeds(plan, seeds or sizes.seeds_of.get(key, sizes.seeds), tests)
            cell_runs += [CellRun(key, f"P(1) = {share}", job) for job in jobs]
    return cell_runs


def _tests(sizes: Sizes, stride: tuple[int, int], p_one: float | None = None) -> Iterator[Test]:
    """Yield the tests at the length of training and beyond, of another P(1) if one is given."""
    step, words = stride
    asked = {
        SAME: ((40,), sizes.words_of_same_length),
        FARTHER: (tuple(parse_lengths(f"41:500:{step}")), words),
    }
    for name, (lengths, each) in asked.items():
        yield Test(name=_name(name, p_one), lengths=lengths, words_per_length=each, p_one=p_one)


def _name(test: str, p_one: float | None) -> str:
    return test if p_one is None else f"{test}, P(1) = {p_one}"


class Cell(NamedTuple):
    """The runs that a cell of the table shows, and the share of ones of their tests."""

    runs: Sequence[Record]
    p_one: float | None = None
    """None: that of training."""

    def mean(self, test: str) -> float:
        """Return the mean over seeds of the accuracy, in per cent."""
        return best_and_mean(self.runs, _name(test, self.p_one))[1]


Cells = Mapping[tuple[str, float], Cell]
"""Model and share of ones to the cell."""


def readings(records: Sequence[Record]) -> dict[str, Cells]:
    """Return the cells as trained and tested alike, and as trained with P(1) = .5 alone."""
    found = cells(records)
    alike = {
        (key, share): Cell(found[key, f"P(1) = {share}"])
        for key in PUBLISHED[SAME]
        for share in SHARES
        if (key, f"P(1) = {share}") in found
    }
    elsewhere = dict[tuple[str, float], Cell]()
    for (key, of_training), trained in alike.items():
        runs_ = [one for one in trained.runs if _name(SAME, SHARES[0]) in one["tests"]]
        if of_training == HALF and runs_:
            for share in SHARES:
                elsewhere[key, share] = Cell(runs_, None if share == HALF else share)
    return {"": alike, ELSEWHERE: elsewhere}


def table(records: Sequence[Record]) -> Table:
    """Return the paper's layout, with what is printed above what is measured."""
    found, rows = readings(records), []
    for test, models in PUBLISHED.items():
        for key, printed in models.items():
            name = MEASURED[key].title
            rows.append([test, name, "printed", *(f"{value:.1f}" for value in printed)])
            for reading, of_cells in found.items():
                measured = [of_cells.get((key, share)) for share in SHARES]
                if reading and not any(measured):
                    continue
                means = [one_digit(c.mean(test)) + of_seeds(c.runs) if c else "" for c in measured]
                pairs = zip(printed, measured, strict=True)
                differences = [difference(c.mean(test), value) if c else "" for value, c in pairs]
                rows.append([test, name, reading or "measured", *means])
                rows.append([test, name, "difference", *differences])
    return Table(["test", "model", "", *(f"P(1) = {share}" for share in SHARES)], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw accuracy by length, the mean over seeds: a panel a share, a line a model."""
    return curves(records, [FARTHER], lambda key, share: (share, MEASURED[key].title))


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what section 5.4 says, in both readings."""
    found = readings(records)
    judges = (
        partial(_all_right, key="regular-gpt C=2"),
        partial(_all_right, key="rnn"),
        _far_from_right,
        _poor_with_most_ones,
    )
    return [
        statement._replace(variant=reading)
        for judge in judges
        for reading, of_cells in found.items()
        for statement in judge(of_cells)
    ]


def _all_right(found: Cells, key: str) -> list[Statement]:
    """Check whether a model is right on every word of every cell."""
    of_model = {share: cell for (row, share), cell in found.items() if row == key}
    means = {
        f"P(1) = {share}, {test}": cell.mean(test)
        for share, cell in of_model.items()
        for test in PUBLISHED
    }
    if not means:
        return []
    least = min(means, key=lambda name: means[name])
    return [
        Statement(
            where="Table 2",
            says=f"{MEASURED[key].title} has 100 in every cell",
            holds=one_digit(means[least]) == "100.0",
            measured=f"least {one_digit(means[least])} ({least}), of {len(means)} cells",
            runs=min(len(cell.runs) for cell in of_model.values()),
        )
    ]


def _far_from_right(found: Cells) -> list[Statement]:
    """Check whether a Transformer that learned its words is lost on longer ones."""
    right = [share for (row, share), cell in found.items() if row == "rnn" and _is_right(cell)]
    says = "a Transformer is far from right beyond 40 symbols, where an RNN is right"
    cells_ = [found["transformer", share] for share in right if ("transformer", share) in found]
    if not cells_:
        return _not_run(found, "section 5.4", says)
    far, near = ([cell.mean(test) for cell in cells_] for test in (FARTHER, SAME))
    learned = [accuracy for cell, accuracy in zip(cells_, near, strict=True) if cell.p_one is None]
    return [
        Statement(
            where="section 5.4",
            says=says,
            holds=bool(learned) and min(learned) >= LEARNED and max(far) < 60,
            measured=f"{one_digit(min(far))} to {one_digit(max(far))}, and at 40 symbols "
            f"{one_digit(min(near))} to {one_digit(max(near))}",
            runs=min(len(cell.runs) for cell in cells_),
        )
    ]


def _not_run(found: Cells, where: str, says: str) -> list[Statement]:
    """Leave a statement open if the RNN has every cell, and the Transformer has none."""
    is_missing = all(("rnn", share) in found for share in SHARES)
    is_missing &= all(("transformer", share) not in found for share in SHARES)
    return [Statement(where, says, None, "the Transformer was not run")] if is_missing else []


def _is_right(cell: Cell) -> bool:
    return is_learnt(cell.runs, _name(FARTHER, cell.p_one))


def _poor_with_most_ones(found: Cells) -> list[Statement]:
    """Check whether many ones are hard for a Transformer at the length of training, too."""
    *others, most = (found.get(("transformer", share)) for share in SHARES)
    says = (
        f"a Transformer is poor at 40 symbols, too, where P(1) = {SHARES[-1]} "
        f"(below {PUBLISHED[SAME]['transformer'][-1]:.0f} + {CLEAR})"
    )
    if most is None or None in others:
        return _not_run(found, "Table 2", says)
    hard, least = most.mean(SAME), min(cell.mean(SAME) for cell in others if cell)
    return [
        Statement(
            where="Table 2",
            says=says,
            holds=hard < PUBLISHED[SAME]["transformer"][-1] + CLEAR,
            measured=f"{one_digit(hard)}, for other shares of ones {one_digit(least)} and more",
            runs=len(most.runs),
        )
    ]


_LAPTOP = {
    **LAPTOP,
    "regular-gpt C=2": GROWING_BY_MUON,
    "transformer": LAPTOP["parity, transformer"],
}
"""Settings of training by model."""

TABLE_2 = TrainedExperiment(
    paper="Chi et al. (2023)",
    item="Table 2",
    claim="RegularGPT learns PARITY whatever the share of ones.",
    printed="Means over 3 seeds, at the training length of 40 and at 41..500 symbols.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            seeds=(0,),
            words_of_same_length=16,
            stride=dict.fromkeys(MEASURED, (400, 4)),
            stride_elsewhere=dict.fromkeys(MEASURED, (400, 4)),
            settings={key: {"steps": 4, "validate_every": 2} for key in MEASURED},
        ),
        laptop=Sizes(
            preset="laptop",
            seeds=(0, 1, 2),
            seeds_of={"transformer": (0,)},
            settings=_LAPTOP,
            stride=SPARSE,
            stride_elsewhere={**dict.fromkeys(MEASURED, (9, 512)), "transformer": (51, 64)},
        ),
        paper=Sizes(preset="paper", seeds=(0, 1, 2)),
    ),
    runs=runs,
    table=table,
    figures=figures,
    judge=check,
)
