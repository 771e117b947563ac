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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, NamedTuple

from lengthwise.analysis.figures import Picture
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.languages.spec import parse
from lengthwise.problems.planning import make_plan
from lengthwise.problems.presets import BY_PAPER
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise_papers.chi2023.training import (
    BY_ROW,
    GROUP_ROWS,
    GROWING_BY_MUON,
    LAPTOP,
    SPARSE,
)
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.seeds import interval_of_mean
from lengthwise_papers.trained_experiment import (
    CellRun,
    TrainedExperiment,
    accuracies,
    accuracy_by_length,
    best_and_mean,
    cells,
    curves,
    difference,
    from_to,
    is_learnt,
    one_digit,
    pair,
    reaches,
    scores,
    with_interval,
)

COLUMNS = ("rnn", "transformer", "regular-gpt C=2", "regular-gpt C=3")
"""The columns that are printed."""

_ROWS: dict[str, tuple[tuple[float, float], ...]] = {
    "even-pairs": ((100.0, 100.0), (99.7, 73.2), (100.0, 89.3), (100.0, 96.6)),
    "modular-arithmetic": ((100.0, 100.0), (21.9, 20.3), (96.4, 82.6), (21.2, 20.5)),
    "parity": ((100.0, 98.9), (52.3, 50.1), (100.0, 100.0), (100.0, 88.7)),
    "cycle-navigation": ((100.0, 100.0), (21.7, 20.6), (100.0, 100.0), (100.0, 78.6)),
    "d-2": ((100.0, 100.0), (100.0, 80.1), (100.0, 100.0), (99.8, 96.5)),
    "d-3": ((100.0, 100.0), (100.0, 77.8), (100.0, 99.7), (98.6, 93.0)),
    "d-4": ((100.0, 100.0), (100.0, 82.6), (100.0, 98.7), (97.7, 91.6)),
    "d-12": ((100.0, 100.0), (100.0, 80.3), (100.0, 99.8), (94.1, 90.4)),
    "tomita-3": ((100.0, 100.0), (100.0, 94.4), (100.0, 99.7), (100.0, 99.9)),
    "tomita-4": ((100.0, 100.0), (100.0, 70.0), (100.0, 99.8), (100.0, 99.3)),
    "tomita-5": ((100.0, 100.0), (74.5, 74.5), (100.0, 99.8), (98.2, 84.1)),
    "tomita-6": ((100.0, 100.0), (50.0, 50.0), (100.0, 98.5), (100.0, 65.7)),
}
"""Language to (max, average) for each column."""

_FIRST_GROUP = 4

_TRAINED_LONGER = {"d-12": 80}
"""Rows of the second group that the authors' settings train on longer words than the paper says."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """Accuracy in per cent as printed, over seeds: the best, and the mean."""

    source: str
    best: float
    mean: float
    train_length: int
    """Longest training word."""
    test_lengths: tuple[int, int]
    """First and last tested length."""


def _table() -> dict[tuple[str, str], Published]:
    cells = {}
    for index, (language, row) in enumerate(_ROWS.items()):
        first = index < _FIRST_GROUP
        for column, (best, mean) in zip(COLUMNS, row, strict=True):
            cells[language, column] = Published(
                source="Chi et al. (2023), Table 1",
                best=best,
                mean=mean,
                train_length=40 if first else _TRAINED_LONGER.get(language, 50),
                test_lengths=(41, 500) if first else (51, 100),
            )
    return cells


PUBLISHED: dict[tuple[str, str], Published] = _table()
"""(language, column) to the printed numbers."""


NEAR, FAR = "near", "far"
"""Names of tests: the paper's lengths, and far beyond."""

HARD = "modular-arithmetic"
"""The row that RegularGPT learns last."""

CLEAR = 5
"""Points of accuracy by which one network is ahead of another."""

FITTED = 0.99
"""Accuracy in validation from which a network is said to fit its training lengths."""

FAILING = ("modular-arithmetic", "parity", "cycle-navigation", "tomita-5", "tomita-6")
"""The rows on which the paper's Transformer is at chance, or near it."""


class Column(NamedTuple):
    """Training and test of the runs of a column, in all presets."""

    title: str
    model: str
    settings: Mapping[str, Any] = {}
    only: tuple[str, ...] = ()
    """The rows that it has; all, if none is named."""
    is_far: bool = False
    """Says that it is tested at `Sizes.far`, too."""


MEASURED: Mapping[str, Column] = {
    "rnn": Column("RNN", "elman", {"patience": 0}),
    "transformer": Column("Transformer", "chomsky-transformer", {"patience": 0}),
    "regular-gpt C=2": Column("RegularGPT C=2", "regular-gpt", {"chunk_size": 2}),
    "regular-gpt C=3": Column("RegularGPT C=3", "regular-gpt", {"chunk_size": 3}),
    "regular-gpt C=3, growing": Column(
        "RegularGPT C=3, growing words", "regular-gpt", {"chunk_size": 3, **GROWING_BY_MUON}
    ),
    **{
        f"regular-gpt C={chunk}, xavier": Column(
            f"RegularGPT C={chunk}, Xavier weights",
            "regular-gpt",
            {"chunk_size": chunk, "initial": "xavier"},
        )
        for chunk in (2, 3)
    },
    "transitions": Column(
        "RegularGPT C=2, transition supervision",
        "regular-gpt",
        {"chunk_size": 2, "objective": "transition"},
        only=("modular-arithmetic",),
    ),
    "binary": Column("RegularGPT, binary memory", "regular-gpt-binary", is_far=True),
    "binary-final": Column(
        "RegularGPT, binary memory, final supervision",
        "regular-gpt-binary",
        {"objective": "final", "patience": 0, "learning_rate": 2e-3, "schedule": "cosine"},
    ),
}


XAVIER = tuple(key for key in MEASURED if key.endswith(", xavier"))
"""Columns with the initial weights that `laptop` has everywhere, beside those of the authors."""

USUAL = tuple(key for key in MEASURED if key not in XAVIER)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Rows, seeds, and how long and on how many words."""

    preset: str
    """Names the preset of training."""
    seeds: tuple[int, ...]
    seeds_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Columns with other seeds."""
    rows: tuple[str, ...] = tuple(_ROWS)
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


def find_lengths(row: str) -> tuple[int, tuple[int, int]]:
    """Return the longest word of training, and the first and last length of the test."""
    cell = PUBLISHED.get((row, COLUMNS[0]))
    return (cell.train_length, cell.test_lengths) if cell else (40, (41, 500))


def table(records: Sequence[Record]) -> Table:
    """Return the paper's layout: best / mean over seeds, printed, measured, and the difference."""
    of_cells, published, rows = cells(records), _find_printed(records), []
    columns = {record["column"] for record in records}
    keys = [key for key in MEASURED if key in columns]
    for row in dict.fromkeys(record["row"] for record in records):
        printed = [published.get((row, key.removesuffix(", xavier"))) for key in keys]
        measured = [of_cells.get((row, key)) for key in keys]
        lines = {
            "printed": [pair(p.best, p.mean) if p else "" for p in printed],
            "measured": [
                scores(runs, NEAR, beyond=_longest(runs)) if runs else "" for runs in measured
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
                from_to([_find_reached_length(run) for run in known]),
                pair(max(right), fmean(right)),
                f"{sum(run['perfect'] for run in known)} of {len(known)}",
                pair(*_score_longer_lengths(of_cell)),
            ]
        )
    columns = ["language", "network", "seeds with known validation", "longest words reached"]
    columns += ["% right in validation, best / mean", "perfect in validation"]
    return Table([*columns, "% at tested lengths, best / mean of all seeds"], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw accuracy by length, the mean over seeds: a panel a language, a line a model."""
    return curves(records, [NEAR], lambda row, key: (row, MEASURED[key].title))


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what the paper prints of each measured cell."""
    of_cells = cells(records)
    statements = []
    ways = {key: (key, "") for key in ("regular-gpt C=2", "regular-gpt C=3", "rnn")}
    ways |= {key: (key.removesuffix(", xavier"), "Xavier weights") for key in XAVIER}
    for key, (of_paper, variant) in ways.items():
        rows = {
            row: (printed, of_cells[row, key])
            for (row, column), printed in _find_printed(records).items()
            if column == of_paper and (row, key) in of_cells
        }
        hard = rows.pop(HARD, None) if key.startswith("regular-gpt") else None
        if rows:
            says = f"{MEASURED[of_paper].title} reaches the printed best and mean"
            statements.append(_reaches_print(says, rows, variant))
        if hard:
            statements += _of_hard(of_paper, hard, variant)
    if _find_printed(records):
        statements += [*_of_larger_chunk(of_cells), *_of_ahead(of_cells)]
    binary = {row: of_cell for (row, key), of_cell in of_cells.items() if key == "binary"}
    if binary:
        amiss = [row for row, of_cell in binary.items() if not all(map(_is_perfect, of_cell))]
        statements.append(
            Statement(
                where="ours",
                says="with binary memory every word is right at every tested length, for every "
                "seed, and validation is perfect",
                holds=not amiss,
                measured=f"not so: {', '.join(amiss)}" if amiss else f"in {_which(binary)}",
            )
        )
    transformers = {
        row: of_cell
        for (row, key), of_cell in of_cells.items()
        if key == "transformer" and all("validation_accuracy" in run for run in of_cell)
    }
    if len(transformers) == len(_ROWS):
        fitted = [row for row, of_cell in transformers.items() if _fits(of_cell)]
        statements.append(
            Statement(
                where="ours",
                says="every seed of the Transformer fits its training lengths "
                f"({100 * FITTED:.0f} % of validation) in three rows of four",
                holds=4 * len(fitted) >= 3 * len(transformers),
                measured=f"{len(fitted)} of {len(transformers)}: {', '.join(fitted) or 'none'}",
            )
        )
    failing = {
        row: of_cells[row, "transformer"]
        for row in FAILING
        if (row, "transformer") in of_cells and is_learnt(of_cells.get((row, "rnn"), ()), NEAR)
    }
    if failing:
        statements.append(
            Statement(
                where="Table 1, section 5.2" if _find_printed(records) else "ours",
                says="a Transformer is far from right on rows where the paper's is at chance or "
                "near it, and an RNN is right, from the same data",
                runs=min(map(len, failing.values())),
                holds=all(best_and_mean(of_cell, NEAR)[1] < 80 for of_cell in failing.values()),
                measured="; ".join(
                    f"{row} {scores(of_cell, NEAR)}{_in_validation(of_cell)}"
                    for row, of_cell in failing.items()
                ),
            )
        )
    return statements


def _reaches_print(
    says: str, rows: Mapping[str, tuple[Published, Sequence[Record]]], variant: str = ""
) -> Statement:
    """Check whether rows are as good as printed: the best of the seeds, and their mean.

    A mean that is below the printed one, but not by more than other seeds may do, decides nothing.
    """
    below, is_clear = dict[str, str](), False
    for row, (printed, of_cell) in rows.items():
        best, mean = _score_longer_lengths(of_cell)
        if reaches(best, printed.best) and reaches(mean, printed.mean):
            continue
        of_paper, longest = pair(printed.best, printed.mean), _longest(of_cell)
        _, high = interval_of_mean(accuracies(of_cell, NEAR, beyond=longest))
        is_clear |= not (reaches(best, printed.best) and reaches(high, printed.mean))
        seeds = with_interval(of_cell, NEAR, beyond=longest)
        below[row] = f"{row} {pair(best, mean)} (printed {of_paper}; {seeds})"
    return Statement(
        where="Table 1",
        says=says,
        holds=False if is_clear else None if below else True,
        measured="; ".join(below.values()) or f"in {_which(rows)}",
        variant=variant,
        runs=min(len(rows[row][1]) for row in below or rows),
    )


def _of_hard(key: str, hard: tuple[Published, Sequence[Record]], variant: str) -> list[Statement]:
    """Check Modular Arithmetic, which needs 1,000,000 steps as its authors train it."""
    says = f"{MEASURED[key].title} reaches the printed best and mean in Modular Arithmetic"
    training = hard[1][0]["settings"]["training"]
    of_paper = int(BY_PAPER[HARD]["steps"])
    if training["steps"] >= of_paper:
        return [_reaches_print(says, {HARD: hard}, variant)]
    not_run = f"the authors' {of_paper:,} steps were not run (`--preset paper`)"
    variant = f"trained in another way, {training['steps']:,} steps"
    return [
        Statement("Table 1", says, None, not_run),
        _reaches_print(says, {HARD: hard}, variant),
    ]


def _of_larger_chunk(of_cells: Mapping[tuple[str, str], Sequence[Record]]) -> list[Statement]:
    """Check section 5.2 on C = 3, if it had no fewer steps than C = 2."""
    binary, ternary = (of_cells.get((HARD, f"regular-gpt C={chunk}"), ()) for chunk in (2, 3))
    if not (binary and ternary):
        return []
    steps = [
        max(run["settings"]["training"]["steps"] for run in of_cell)
        for of_cell in (binary, ternary)
    ]
    best = [_score_longer_lengths(of_cell)[0] for of_cell in (binary, ternary)]
    fair = steps[1] >= steps[0]
    return [
        Statement(
            where="section 5.2",
            says="a larger C makes Modular Arithmetic hard to learn",
            holds=best[1] < best[0] - CLEAR if fair else None,
            measured=f"C=2 {one_digit(best[0])} after {steps[0]:,} steps, C=3 "
            f"{one_digit(best[1])} after {steps[1]:,}",
            runs=min(len(binary), len(ternary)),
        )
    ]


def _of_ahead(of_cells: Mapping[tuple[str, str], Sequence[Record]]) -> list[Statement]:
    """Check whether RegularGPT is ahead of a Transformer in every row."""
    means = {
        row: (
            _score_longer_lengths(of_cell)[1],
            _score_longer_lengths(of_cells[row, "transformer"])[1],
        )
        for (row, key), of_cell in of_cells.items()
        if key == "regular-gpt C=2" and (row, "transformer") in of_cells
    }
    if len(means) < len(_ROWS):
        return []
    close = [
        f"{row} {one_digit(ours)} and {one_digit(transformer)}"
        for row, (ours, transformer) in means.items()
        if ours < transformer + CLEAR
    ]
    return [
        Statement(
            where="section 5.2",
            says="RegularGPT substantially outperforms a vanilla Transformer "
            f"(C=2, its mean by {CLEAR} points in every row)",
            holds=not close,
            measured=f"{len(means) - len(close)} of {len(means)} rows; not {', '.join(close)}"
            if close
            else f"in {_which(means)}",
            runs=min(
                len(of_cell) for (_, key), of_cell in of_cells.items() if key == "transformer"
            ),
        )
    ]


def _score_longer_lengths(runs_: Sequence[Record]) -> tuple[float, float]:
    """Return best and mean over seeds at the tested lengths that training never had."""
    return best_and_mean(runs_, NEAR, beyond=_longest(runs_))


def _longest(runs_: Sequence[Record]) -> int:
    """Return the greatest length of words of training of any run."""
    return max(map(_find_training_length, runs_))


def _which(rows: Iterable[str]) -> str:
    """Name rows of the table: all of them, or those that there are."""
    names = list(rows)
    return f"all {len(_ROWS)} rows" if len(names) == len(_ROWS) else ", ".join(names)


def _find_reached_length(run: Record) -> int:
    """Return the greatest length of the words that training came to."""
    return int(run.get("longest", _find_training_length(run)))


def _find_training_length(run: Record) -> int:
    """Return the greatest length of the words of training."""
    return int(run["settings"]["data"]["max_length"])


def _fits(of_cell: Sequence[Record]) -> bool:
    """Return whether every run is right on nearly all words of its training lengths."""
    return all(
        _find_reached_length(run) == _find_training_length(run)
        and run["validation_accuracy"] >= FITTED
        for run in of_cell
    )


def _in_validation(of_cell: Sequence[Record]) -> str:
    perfect = any(run["perfect"] for run in of_cell)
    return "" if perfect else " (not perfect at its training lengths)"


def _is_perfect(run: Record) -> bool:
    return bool(run["perfect"]) and all(not test["wrong"] for test in run["tests"].values())


def _difference(printed: Published, runs_: Sequence[Record]) -> str:
    best, mean = _score_longer_lengths(runs_)
    first = difference(best, printed.best)
    return first if len(runs_) == 1 else f"{first} / {difference(mean, printed.mean)}"


def _find_printed(records: Sequence[Record]) -> Mapping[tuple[str, str], Published]:
    """Return the paper's numbers, if the records are of the paper's words."""
    tests = [record["tests"][NEAR] for record in records if "tests" in record]
    return PUBLISHED if all(test["protocol"] == "published" for test in tests) else {}


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
