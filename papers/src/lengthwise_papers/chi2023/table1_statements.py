"""What Chi et al. (2023) say of Table 1, checked in the records of its runs."""

from collections.abc import Iterable, Mapping, Sequence

from lengthwise.problems.presets import BY_PAPER
from lengthwise_papers.cells import (
    accuracies,
    best_and_mean,
    cells,
    is_learnt,
    one_digit,
    pair,
    reaches,
    scores,
    with_interval,
)
from lengthwise_papers.chi2023.published import ROWS, Published
from lengthwise_papers.chi2023.table1_columns import (
    MEASURED,
    NEAR,
    XAVIER,
    find_longest,
    find_printed,
    find_reached_length,
    find_training_length,
    score_longer_lengths,
)
from lengthwise_papers.experiment import Record, Statement
from lengthwise_papers.seeds import interval_of_mean

HARD = "modular-arithmetic"
"""The row that RegularGPT learns last."""

CLEAR = 5
"""Points of accuracy by which one network is ahead of another."""

FITTED = 0.99
"""Accuracy in validation from which a network is said to fit its training lengths."""

FAILING = ("modular-arithmetic", "parity", "cycle-navigation", "tomita-5", "tomita-6")
"""The rows on which the paper's Transformer is at chance, or near it."""


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what the paper prints of each measured cell."""
    of_cells = cells(records)
    statements = []
    ways = {key: (key, "") for key in ("regular-gpt C=2", "regular-gpt C=3", "rnn")}
    ways |= {key: (key.removesuffix(", xavier"), "Xavier weights") for key in XAVIER}
    for key, (of_paper, variant) in ways.items():
        rows = {
            row: (printed, of_cells[row, key])
            for (row, column), printed in find_printed(records).items()
            if column == of_paper and (row, key) in of_cells
        }
        hard = rows.pop(HARD, None) if key.startswith("regular-gpt") else None
        if rows:
            says = f"{MEASURED[of_paper].title} reaches the printed best and mean"
            statements.append(_reaches_print(says, rows, variant))
        if hard:
            statements += _of_hard(of_paper, hard, variant)
    if find_printed(records):
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
    if len(transformers) == len(ROWS):
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
                where="Table 1, section 5.2" if find_printed(records) else "ours",
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
        best, mean = score_longer_lengths(of_cell)
        if reaches(best, printed.best) and reaches(mean, printed.mean):
            continue
        of_paper, longest = pair(printed.best, printed.mean), find_longest(of_cell)
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
    best = [score_longer_lengths(of_cell)[0] for of_cell in (binary, ternary)]
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
            score_longer_lengths(of_cell)[1],
            score_longer_lengths(of_cells[row, "transformer"])[1],
        )
        for (row, key), of_cell in of_cells.items()
        if key == "regular-gpt C=2" and (row, "transformer") in of_cells
    }
    if len(means) < len(ROWS):
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


def _which(rows: Iterable[str]) -> str:
    """Name rows of the table: all of them, or those that there are."""
    names = list(rows)
    return f"all {len(ROWS)} rows" if len(names) == len(ROWS) else ", ".join(names)


def _fits(of_cell: Sequence[Record]) -> bool:
    """Return whether every run is right on nearly all words of its training lengths."""
    return all(
        find_reached_length(run) == find_training_length(run)
        and run["validation_accuracy"] >= FITTED
        for run in of_cell
    )


def _in_validation(of_cell: Sequence[Record]) -> str:
    perfect = any(run["perfect"] for run in of_cell)
    return "" if perfect else " (not perfect at its training lengths)"


def _is_perfect(run: Record) -> bool:
    return bool(run["perfect"]) and all(not test["wrong"] for test in run["tests"].values())
