"""The section of an experiment in Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lengthwise.escapes import table_in_markdown
from lengthwise_papers.experiment import Experiment, Record

_NAMED = 3
"""The most commits that a section names."""


def section(name: str, experiment: Experiment, result: Mapping[str, Any], pictures: str) -> str:
    """Write what is claimed, printed and measured; paths of figures begin with `pictures`.

    `result` is what `reproduced` gives.
    """
    preset = result["preset"]
    records = [{"commit": result["commit"], **one} for one in result["records"]]
    title = f"{experiment.paper}, {experiment.item}"
    title += "" if preset == "laptop" else f" (preset {preset})"
    figures = [
        f"![{title}: {figure}]({pictures}-{figure}.svg)" for figure in experiment.figures(records)
    ]
    parts = [
        f"## {title}",
        f"**{experiment.claim}** Printed: {experiment.printed}",
        _describe_origin(name, result),
        *figures,
    ]
    for title, table in experiment.tables(records).items():
        parts.append(
            f"**{title}**\n\n{table_in_markdown(table.columns, table.rows)}"
            if title
            else table_in_markdown(table.columns, table.rows)
        )
    verdicts = [
        [verdict.where, verdict.text, verdict.shown, verdict.measured]
        for verdict in experiment.verdicts(result["preset"], records)
    ]
    columns = ["where", "what the paper says", "holds", "measured"]
    if verdicts:
        parts.append(table_in_markdown(columns, verdicts))
    return "\n\n".join(parts)


def _describe_origin(name: str, result: Mapping[str, Any]) -> str:
    """Name the command, preset, dates, machines and versions of all measurements."""
    records: Sequence[Record] = result["records"]
    trained = [record for record in records if "digest" in record]
    facts = [f"`lengthwise reproduce {name}`", f"preset {result['preset']}"]
    if not any("seed" in record for record in records):
        facts.append(f"seed {result['seed']}")
    measured = list(records) or [dict(result)]
    facts.append(_range(record.get("date", result["date"]) for record in measured))
    facts.append(_commits({record.get("commit", result["commit"]): None for record in measured}))
    made_with = [record["environment"] for record in trained if "environment" in record]
    for key, before in (("processor", ""), ("torch", "torch ")):
        facts.append(
            before + _each(environment[key] for environment in made_with or [result["environment"]])
        )
    if accelerators := [
        environment["accelerator"] for environment in made_with if "accelerator" in environment
    ]:
        facts.append(f"{len(accelerators)} of {len(trained)} runs on {_each(accelerators)}")
    return f"{', '.join(facts)}."


def _commits(commits: Iterable[str | None]) -> str:
    """Name up to three commits, and count more; the records have them all."""
    known = [commit or "unknown" for commit in commits]
    return f"{len(known)} commits" if len(known) > _NAMED else f"commit {', '.join(known)}"


def _range(values: Iterable[str]) -> str:
    ordered = sorted(values)
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def _each(values: Iterable[Any]) -> str:
    return ", ".join(dict.fromkeys(map(str, values)))
