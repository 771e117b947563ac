"""The sections of `reproducing.md`, from the catalogue of experiments and `results/`."""

import json
from pathlib import Path
from typing import Any

from lengthwise.analysis.figures import to_svg
from lengthwise.experiments.catalogue import EXPERIMENTS
from lengthwise.experiments.experiment import Collected, stem


def measured(results: Path) -> dict[str, Collected]:
    """The experiments whose records are among the results."""
    return {
        name: experiment
        for name, experiment in EXPERIMENTS.items()
        if (results / f"{stem(name)}.json").exists()
    }


def sections(results: Path) -> str:
    """A section for each experiment: what is claimed, printed and measured."""
    parts = []
    for name, experiment in measured(results).items():
        result = json.loads((results / f"{stem(name)}.json").read_text(encoding="utf-8"))
        parts.append(_section(name, experiment, result))
    return "\n\n".join(parts)


def pictures(results: Path) -> dict[str, str]:
    """The figures as SVG, by the names of their files."""
    drawn = {}
    for name, experiment in measured(results).items():
        result = json.loads((results / f"{stem(name)}.json").read_text(encoding="utf-8"))
        for figure, picture in experiment.figures(result["records"]).items():
            drawn[f"{stem(name)}-{figure}.svg"] = to_svg(picture)
    return drawn


def _section(name: str, experiment: Collected, result: dict[str, Any]) -> str:
    records, made_with = result["records"], result["environment"]
    statements = [
        [
            statement.where,
            statement.says,
            "yes" if statement.holds else "**no**",
            statement.measured,
        ]
        for statement in experiment.check(records)
    ]
    figures = [
        f"![{experiment.paper}, {experiment.item}: {figure}](img/{stem(name)}-{figure}.svg)"
        for figure in experiment.figures(records)
    ]
    commits = [result["commit"], *(one["commit"] for one in records if one.get("commit"))]
    made_by = ", ".join(dict.fromkeys(map(str, commits)))  # runs may be of several sittings
    return "\n\n".join(
        [
            f"## {experiment.paper}, {experiment.item}",
            f"**{experiment.claim}** Printed: {experiment.printed}",
            f"`lengthwise reproduce {name}`, preset {result['preset']}, seed {result['seed']}, "
            f"{result['date']}, commit {made_by}, {made_with['processor']}, "
            f"torch {made_with['torch']}.",
            *figures,
            *(
                f"**{title}**\n\n{_table(*table)}" if title else _table(*table)
                for title, table in experiment.tables(records).items()
            ),
            _table(["where", "what the paper says", "holds", "measured"], statements),
        ]
    )


def _table(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
