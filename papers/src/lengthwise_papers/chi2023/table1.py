"""Chi et al. (2023), Table 1: length generalisation on regular languages.

The paper trains each model on words of at most 40 symbols (50 in the second group), tests it on
41..500 (51..100), 512 words of each length, and prints the best and the mean over 3 seeds of the
mean accuracy over lengths. So do we, with words drawn as its authors drew them (`published`);
`COLUMNS` and the table of runs say how else our runs differ. Words of D_12 have up to 80 symbols in
training, as in the authors' code, so that its scores are those of 81..100.

Three columns are ours. With *binary memory* the network is trained until it is proved right, on
compositions of sub-words (`training.composition`) or, where these are too many, on the codes of all
chunks (`objectives.codebook`), and is tested at 1,000 and 10,000 symbols, too; with *final
supervision* it is given no more than the paper's networks are. With *transition supervision* every
node of the tree is given what its sub-word does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from lengthwise.analysis.figures import Picture
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.languages.spec import parse
from lengthwise.problems.planning import make_plan
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise_papers.cells import (
    accuracy_by_length,
    cells,
    curves,
    difference,
    from_to,
    one_digit,
    pair,
    scores,
)
from lengthwise_papers.chi2023.published import ROWS, Published, find_lengths
from lengthwise_papers.chi2023.table1_columns import (
    FAR,
    MEASURED,
    NEAR,
    USUAL,
    XAVIER,
    find_longest,
    find_printed,
    find_reached_length,
    score_longer_lengths,
)
from lengthwise_papers.chi2023.table1_statements import check
from lengthwise_papers.chi2023.training import BY_ROW, GROUP_ROWS, LAPTOP, SPARSE
from lengthwise_papers.experiment import Record, Table, preset_catalogue
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Rows, seeds, and how long and on how many words."""

    preset: str
    """Names the preset of training."""
    seeds: tuple[int, ...]
    seeds_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Columns with other seeds."""
    rows: tuple[str, ...] = tuple(ROWS)
    columns: tuple[str, ...] = USUAL
    protocol: str = "published"
    """Names how words of training are drawn."""
    tested: str = "published"
    """Names how words of tests are drawn."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings of training by column, or by `row, column`."""
    words: int = 512
    stride: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """(k, n) of columns that are tested at every k-th length only, on n words of each."""
    far: tuple[int, ...] = (1_000, 10_000)
    far_words: int = 512


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return all runs of the table."""
    cell_runs = []
    for row in sizes.rows:
        language, (longest, (first, last)) = parse(row), find_lengths(row)
        for key in sizes.columns:
            column = MEASURED[key]
            if column.only and row not in column.only:
                continue
            plan = make_plan(
                language,
                column.model,
                preset=sizes.preset,
                options={"protocol": None if column.is_far else sizes.protocol},
                settings={
                    "max_length": longest,
                    **column.settings,
                    **sizes.settings.get(key, {}),
                    **sizes.settings.get(f"{row}, {key}", {}),
                },
            )
            step, words = sizes.stride.get(key, (1, sizes.words))
            step = max(1, step * (last - first + 1) // 460) | 1  # odd, so that both parities come
            near = parse_lengths(f"{first}:{last}:{step}")
            tests_of_run = {NEAR: (tuple(near), words)}
            if column.is_far and sizes.far:
                tests_of_run[FAR] = (sizes.far, sizes.far_words)
            tests = [
                Test(name=name, lengths=lengths, words_per_length=num_words, protocol=sizes.tested)
                for name, (lengths, num_words) in tests_of_run.items()
            ]
            jobs = jobs_over_seeds(plan, seeds or sizes.seeds_of.get(key, sizes.seeds), tests)
            cell_runs += [CellRun(row, key, job) for job in jobs]
    return cell_runs


def table(records: Sequence[Record]) -> Table:
    """Return the paper's layout: best / mean over seeds, printed, measured, and the difference."""
    of_cells, published, rows = cells(records), find_printed(records), []
    columns = {record["column"] for record in records}
    keys = [key for key in MEASURED if key in columns]
    for row in dict.fromkeys(record["row"] for record in records):
        printed = [published.get((row, key.removesuffix(", xavier"))) for key in keys]
        measured = [of_cells.get((row, key)) for key in keys]
        lines = {
            "printed": [pair(p.best, p.mean) if p else "" for p in printed],
            "measured": [
                scores(runs, NEAR, beyond=find_longest(runs)) if runs else "" for runs in measured
            ],
            "difference": [
                _difference(p, runs) if p and runs else ""
                for p, runs in zip(printed, measured, strict=True)
            ],
        }
        rows += [[row, kind, *line] for kind, line in lines.items() if any(line)]
    return Table(["language", "", *(MEASURED[key].title for key in keys)], rows)


def binary_table(records: Sequence[Record]) -> Table:
    """Return the worst of all seeds with binary memory, at each length and far beyond."""
    rows = []
    for (row, key), of_cell in cells(records).items():
        if not MEASURED[key].is_far:
            continue
        near = [run["tests"][NEAR] for run in of_cell]
        far = [accuracy_by_length(run["tests"][FAR]) for run in of_cell if FAR in run["tests"]]
        lengths = sorted(far[0]) if far else []
        rows.append(
            [
                row,
                f"{of_cell[0]['supervision']}, on {of_cell[0]['trained_on']}",
                f"{sum(run['perfect'] for run in of_cell)} of {len(of_cell)}",
                near[0]["lengths"],
                one_digit(100 * min(test["mean_accuracy"] for test in near)),
                one_digit(100 * min(test["worst_accuracy"] for test in near)),
                ", ".join(
                    f"{n:,}: {one_digit(100 * min(curve[n] for curve in far))}" for n in lengths
                ),
                f"{max(run['seconds'] for run in of_cell):.0f}",
            ]
        )
    columns = ["language", "trained", "perfect in validation", "lengths", "least mean %"]
    return Table([*columns, "worst length %", "far beyond %", "most seconds to train"], rows)


def fit_table(records: Sequence[Record]) -> Table:
    """Return how well runs fit their training lengths, by cell, beside how far all of them carry.

    Records of earlier versions do not tell how many words of validation were right.
    """
    rows = []
    for (row, key), of_cell in cells(records).items():
        known = [run for run in of_cell if "validation_accuracy" in run]
        if not known:
            continue
        right = [100 * run["validation_accuracy"] for run in known]
        rows.append(
            [
                row,
                MEASURED[key].title,
                str(len(known)),
                from_to([find_reached_length(run) for run in known]),
                pair(max(right), fmean(right)),
                f"{sum(run['perfect'] for run in known)} of {len(known)}",
                pair(*score_longer_lengths(of_cell)),
            ]
        )
    columns = ["language", "network", "seeds with known validation", "longest words reached"]
    columns += ["% right in validation, best / mean", "perfect in validation"]
    return Table([*columns, "% at tested lengths, best / mean of all seeds"], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw accuracy by length, the mean over seeds: a panel a language, a line a model."""
    return curves(records, [NEAR], lambda row, key: (row, MEASURED[key].title))


def _difference(printed: Published, runs_: Sequence[Record]) -> str:
    best, mean = score_longer_lengths(runs_)
    first = difference(best, printed.best)
    return first if len(runs_) == 1 else f"{first} / {difference(mean, printed.mean)}"


_SMOKE = Sizes(
    preset="smoke",
    seeds=(0,),
    rows=("parity",),
    columns=("rnn", "transformer", "binary"),
    stride=dict.fromkeys(MEASURED, (200, 8)),
    far=(600,),
    far_words=4,
    settings={key: {"steps": 4, "validate_every": 2} for key in MEASURED},
)


def _experiment(
    item: str,
    claim: str,
    printed: str,
    *,
    sparse: Mapping[str, tuple[int, int]] = SPARSE,
    **sizes: Any,
) -> TrainedExperiment[Sizes]:
    """Return the table with these rows and words; on a laptop, tested as `sparse` says."""
    return TrainedExperiment(
        paper="Chi et al. (2023)",
        item=item,
        claim=claim,
        printed=printed,
        presets=preset_catalogue(
            smoke=replace(_SMOKE, **{**sizes, "rows": sizes.get("rows", _SMOKE.rows)[:1]}),
            laptop=Sizes(
                preset="laptop",
                seeds=(0, 1, 2),
                seeds_of={"binary-final": (0,)},
                settings=LAPTOP,
                stride=sparse,
                **sizes,
            ),
            paper=Sizes(
                **{"columns": (*USUAL, *XAVIER), **sizes},
                preset="paper",
                seeds=(0, 1, 2),
                settings=BY_ROW,
            ),
        ),
        runs=runs,
        table=table,
        more={"Binary memory": binary_table, "At training lengths": fit_table},
        figures=figures,
        judge=check,
    )


TABLE_1 = _experiment(
    "Table 1",
    "On regular languages RegularGPT generalises to lengths it was not trained on.",
    "Best and mean over 3 seeds of the accuracy at 41..500 symbols (51..100 in the second group).",
)

FEWER_COLUMNS = ("rnn", "transformer", "regular-gpt C=2", "regular-gpt C=3", "binary")
"""The columns of the tables beside the paper's own."""

TABLE_1_AUDITED = _experiment(
    "Table 1, audited words",
    "The same models, tested on harder words: uniform ones, and words one edit away from these.",
    "Nothing: the paper's words are those of `chi2023/table1`.",
    columns=FEWER_COLUMNS,
    tested="audited",
)

GROUPS = _experiment(
    "Table 1, with groups",
    "Groups up to S5. With 32 generators, no published model that trains in parallel extrapolates "
    "on S5.",
    "Nothing.",
    rows=GROUP_ROWS,
    columns=FEWER_COLUMNS,
    far=(1_000,),
    sparse={**dict.fromkeys(FEWER_COLUMNS, (9, 512)), **SPARSE},
    protocol="audited",
    tested="audited",
)
