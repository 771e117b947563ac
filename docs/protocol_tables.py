"""Tables of `tasks.md`: what networks make of the words of both protocols."""

from statistics import fmean
from typing import Any

from lengthwise.experiments.chi2023.table1 import FEWER_COLUMNS, MEASURED, NEAR
from lengthwise.experiments.trained import one_digit


def protocols_table(published: list[dict[str, Any]], audited: list[dict[str, Any]]) -> str:
    """A row for each language: the same runs, tested on the words of both protocols."""
    before, after = _by_run(published), _by_run(audited)
    seeds = {seed for *_, seed in after.keys() & before.keys()}
    lines = [
        f"| language | {' | '.join(MEASURED[column].title for column in FEWER_COLUMNS)} |",
        "|---|" + "---|" * len(FEWER_COLUMNS),
    ]
    for language in dict.fromkeys(row for row, *_ in after):
        every = [[(language, column, seed) for seed in sorted(seeds)] for column in FEWER_COLUMNS]
        runs = [[run for run in cell if run in before and run in after] for cell in every]
        cells = [f"{_mean(before, names)} / {_mean(after, names)}" for names in runs]
        lines.append(f"| {language} | {' | '.join(cells)} |")
    lines += ["", f"Mean accuracy over lengths %, published / audited; seed {_listed(seeds)}."]
    return "\n".join(lines)


def classes_table(rows: list[dict[str, Any]]) -> str:
    """A row for each language and kind of words: the share that is judged right, by model."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    spans = list(dict.fromkeys(_span(row) for row in rows))
    titles = [f"{MEASURED[model].title}, {span}" for model in models for span in spans]
    lines = [
        f"| language | words | neighbours alike % | {' | '.join(f'{t} %' for t in titles)} |",
        "|---|---|---|" + "---|" * len(titles),
    ]
    groups: dict[tuple[str, str], dict[tuple[str, str], dict[str, Any]]] = {}
    for row in rows:
        cell = groups.setdefault((row["language"], row["kind"]), {})
        cell[row["model"], _span(row)] = row
    for (language, kind), cell in groups.items():
        longer = cell[models[0], spans[-1]]
        low, high = (round(100 * end) for end in longer["alike_from_to"])
        alike = f"{100 * longer['alike_neighbours']:.0f} ({low} to {high})"
        shares = [_share([cell[model, span]]) for model in models for span in spans]
        lines.append(f"| {language} | {kind} | {alike} | {' | '.join(shares)} |")
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    long = [row for row in rows if _span(row) == spans[-1]]
    totals = [f"{_share([row for row in long if row['kind'] == kind])} ({kind})" for kind in kinds]
    words = sum(row["words"] for row in rows)
    lines += [
        "",
        f"Right at lengths {spans[-1]}, all networks together, %: {', '.join(totals)}. "
        f"{words:,} words; seed {_listed({row['seed'] for row in rows})}.",
    ]
    return "\n".join(lines)


def _span(row: dict[str, Any]) -> str:
    first, last = row["range"]
    return f"{first}..{last}"


def _share(rows: list[dict[str, Any]]) -> str:
    return one_digit(100 * sum(row["right"] for row in rows) / sum(row["words"] for row in rows))


def _by_run(records: list[dict[str, Any]]) -> dict[tuple[str, str, int], float]:
    """Mean accuracy over lengths, by row, column and seed."""
    return {
        (one["row"], one["column"], one["seed"]): one["tests"][NEAR]["mean_accuracy"]
        for one in records
        if "tests" in one
    }


def _mean(found: dict[tuple[str, str, int], float], runs: list[tuple[str, str, int]]) -> str:
    return one_digit(100 * fmean(found[run] for run in runs))


def _listed(seeds: set[int]) -> str:
    return ", ".join(map(str, sorted(seeds)))
