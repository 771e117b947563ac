"""Comparison of runs: those that are of one problem and one test, grouped by their settings."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

from lengthwise.errors import ConfigError, RunError
from lengthwise.files import values_of
from lengthwise.messages import format_count
from lengthwise.problems.base import Plan, Run
from lengthwise.problems.capabilities import Plotted
from lengthwise.problems.planning import plan_from_dict
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.results import Curve
from lengthwise.report.comparison import BAND, Compared, Comparison, SeedGroup
from lengthwise.settings import flatten
from lengthwise.training.construction_files import is_compiled
from lengthwise.training.runs import RunFolder
from lengthwise.zoo_paths import PREFIX, is_shipped


def compare(runs: Sequence[Run | Path | str], *, labels: Sequence[str] | None = None) -> Comparison:
    """Compare evaluated runs of one problem at the lengths that all of them were tested on.

    Args:
        runs: run folders, or runs that have one, each evaluated (`lw.evaluate(run)`).
        labels: names of the rows of the table, and of the lines in the figure; runs that differ in
            the seed only share one.

    Returns:
        `.table`, `.figure` and `.save(file)`. The measure is that of the problem: accuracy of
        recognisers (%), perplexity of language models, BLEU of translators.

    Examples:
        >>> import lengthwise as lw
        >>> for model in ("gru", "lstm"):
        ...     run = lw.train("parity", model, preset="smoke", steps=2, out=f"runs/{model}")
        ...     scores = lw.evaluate(run, lengths=[50], words_per_length=20)
        >>> len(lw.compare(["runs/gru", "runs/lstm"]).runs)
        2

    Raises:
        ConfigError: there are no runs, one is given twice, or they are of different problems or
            were tested under different conditions; or there is not one label for each row.
        RunError: a folder is not a run, is damaged, or is not evaluated.
    """
    if isinstance(runs, Run | Path | str):
        runs = [runs]
    if not isinstance(runs, Sequence):
        raise ConfigError(f"runs or their folders are compared, but got {runs!r:.40}.")
    paths = [_path(run) for run in runs]
    if not paths:
        raise ConfigError("a comparison needs runs, but got none. Give run folders.")
    resolved = [path.resolve() for path in paths]
    for number, path in enumerate(resolved):
        if path in resolved[:number]:
            raise ConfigError(f"compare needs different runs, but {paths[number]} is given twice.")
    plans = [_plan(path) for path in paths]
    _require_one_subject(paths, plans)
    read = [load_last_curve(path, plan) for path, plan in zip(paths, plans, strict=True)]
    tested = next((sorted(curve.points) for curve in read if curve), None)
    option = f" --lengths {_format_lengths(tested)}" if tested and _takes_lengths(plans[0]) else ""
    for path, curve in zip(paths, read, strict=True):
        if curve is None:
            if "by_length" in (RunFolder(path).evaluation() or {}):
                raise ConfigError(
                    f"runs are compared at single lengths, but {path} was tested on the words that "
                    f"a file has. Use lengthwise report {shlex.quote(str(path))}"
                )
            if is_shipped(path):
                name = path.name.removeprefix(PREFIX)
                raise RunError(
                    f"{PREFIX}{name} comes with the package, and its evaluation is not kept. Copy "
                    f"it (lengthwise zoo {name} --out DIR), and evaluate DIR."
                )
            raise RunError(
                f"{path} is not evaluated yet. Run lengthwise evaluate {shlex.quote(str(path))}"
                f"{option}, or lw.evaluate(run)"
            )
    curves = [curve for curve in read if curve]
    _require_one_test(paths, curves, option)
    comparison = _group_runs(paths, plans, curves)
    return comparison if labels is None else _rename(comparison, labels)


def _rename(comparison: Comparison, labels: Sequence[str]) -> Comparison:
    names = [group.name for group in comparison.groups]
    if isinstance(labels, str) or len(labels) != len(names) or len({*labels} - {""}) != len(names):
        raise ConfigError(
            f"each row has a label of its own: {format_count(len(names), 'row')} "
            f"({', '.join(names)}), but got {labels!r:.60}."
        )
    groups = [replace(g, name=label) for g, label in zip(comparison.groups, labels, strict=True)]
    return replace(comparison, groups=groups)


def _path(run: Run | Path | str) -> Path:
    if isinstance(run, Path | str):
        return Path(run)
    if not isinstance(run, Run):
        raise ConfigError(f"a run or its folder is compared, but got {run!r:.40}.")
    if run.folder is None:
        raise RunError("a run without a folder is not stored. Train it with out=DIR, and evaluate.")
    return run.folder.path


def _plan(path: Path) -> Plan:
    config = RunFolder(path).config()
    if is_compiled(config):
        raise RunError(f"{path} holds computed weights, which learned nothing. Use verify.")
    try:
        return plan_from_dict(config)
    except RunError as error:
        raise RunError(f"{path}: {error}") from None


def load_last_curve(path: Path, plan: Plan) -> Curve | None:
    """Return the last evaluation of a run as a curve; None if there is none, or it has no points.

    Raises:
        RunError: it is damaged.
    """
    with values_of(path / "evaluation.json", remedy="Evaluate again."):
        problem, curve = plan.problem, None
        if isinstance(problem, Plotted):
            curve = problem.curve(RunFolder(path), plan)
        if curve is not None:
            shares = [share for share in (curve.overall, curve.trained_to) if share is not None]
            if not all(map(isfinite, [*curve.points.values(), *shares])):
                raise ValueError("a number is not finite")
    return curve if curve is None or curve.points else None


def _require_one_subject(paths: Sequence[Path], plans: Sequence[Plan]) -> None:
    first = find_subject(plans[0])
    for path, plan in zip(paths, plans, strict=True):
        if find_subject(plan) != first:
            names = plans[0].problem.name, plan.problem.name
            other = f"{path} about {names[1]}"
            if names[0] == names[1]:
                other = f"{path} is, too, but with other settings or another corpus"
            raise ConfigError(
                f"compare needs runs of one problem, but {paths[0]} is about {names[0]} and "
                f"{other}. Use report."
            )


def find_subject(plan: Plan) -> Any:
    """Return what a plan is about: its minimal automaton, whatever its name, or its corpus."""
    if plan.problem.kind == Recognition.kind:
        return plan.task.language.minimise()
    return plan.problem.kind, plan.problem.identity()


def _require_one_test(paths: Sequence[Path], curves: Sequence[Curve], lengths: str) -> None:
    """Refuse runs that were tested under unlike conditions.

    `lengths` is the option of `evaluate` that asks for the lengths of the first run.
    """
    options = " ".join(condition.options for condition in curves[0].conditions) + lengths
    for path, curve in zip(paths, curves, strict=True):
        for expected, condition in zip(curves[0].conditions, curve.conditions, strict=True):
            if condition.value != expected.value:
                raise ConfigError(
                    f"runs are compared on one test, but {paths[0]} was evaluated with "
                    f"{expected.shown}, and {path} with {condition.shown}. Run lengthwise evaluate "
                    f"{shlex.quote(str(path))} {options}"
                )


def _takes_lengths(plan: Plan) -> bool:
    return "lengths" in plan.problem.setup.evaluate_options


def _format_lengths(lengths: Sequence[int]) -> str:
    """Return lengths as `--lengths` takes them: `41:500:10` if they are evenly spaced."""
    steps = {after - before for before, after in pairwise(lengths)}
    if len(lengths) < 3 or len(steps) > 1:
        return ",".join(map(str, lengths))
    step = steps.pop()
    return f"{lengths[0]}:{lengths[-1]}" + (f":{step}" if step > 1 else "")


def _group_runs(
    paths: Sequence[Path], plans: Sequence[Plan], curves: Sequence[Curve]
) -> Comparison:
    """Restrict the curves to the lengths that all have, and group the runs."""
    common = sorted(set.intersection(*(set(curve.points) for curve in curves)))
    if not common:
        other = next(n for n, c in enumerate(curves) if not set(c.points) & set(curves[0].points))
        tested = f"{curves[0].sample} and {curves[other].sample}"
        remedy = (
            f"Run lengthwise evaluate {shlex.quote(str(paths[other]))} --lengths "
            f"{_format_lengths(sorted(curves[0].points))}"
        )
        if not _takes_lengths(plans[0]):
            remedy = f"They were tested on {tested}. Train both on the same lengths."
        raise ConfigError(
            f"{paths[0]} and {paths[other]} were evaluated at no length in common. {remedy}"
        )
    most = max(len(curve.points) for curve in curves)
    shared = [replace(curve, points={n: curve.points[n] for n in common}) for curve in curves]
    parts: dict[str, list[Compared]] = {}
    for path, plan, curve in zip(paths, plans, shared, strict=True):
        key = json.dumps(_settings(plan), sort_keys=True)
        parts.setdefault(key, []).append(Compared(path=path, plan=plan, curve=curve))
    members = [sorted(group, key=lambda run: run.plan.training.seed) for group in parts.values()]
    names = _names([group[0].plan for group in members])
    groups = [SeedGroup(name=name, runs=runs) for name, runs in zip(names, members, strict=True)]
    notes = []
    if any(len(group.runs) > 1 for group in groups):
        notes.append(BAND)
    if len(common) < most:
        notes.append(
            f"The figure shows the {format_count(len(common), 'length')} that all runs were "
            f"tested on, of up to {most:,}."
        )
    samples = sorted({curve.sample for curve in curves})
    if len(samples) > 1:
        notes.append(f"The runs were not tested on the same: {'; '.join(samples)}.")
    if any(
        len({run.plan.training.seed for run in group.runs}) < len(group.runs) for group in groups
    ):
        notes.append(
            "Some runs have the same settings and the same seed: they may be copies of one run, "
            "but each is counted."
        )
    if len({group.supervised["supervision"] for group in groups}) > 1:
        notes.append("The runs had different supervision: compare with care.")
    if len({group.supervised["trained_on"] for group in groups}) > 1:
        notes.append("The runs were trained on different words or lengths.")
    return Comparison(subject=plans[0].problem.name, groups=groups, notes=notes)


def _settings(plan: Plan) -> dict[str, Any]:
    """Return the settings that tell plans apart, without the seed."""
    settings = flatten(plan.alone.with_seed(0).to_dict())
    return {
        name: value for name, value in settings.items() if not name.startswith(("problem.", "pre"))
    }


def _names(plans: Sequence[Plan]) -> list[str]:
    """Return a different name for each plan: model, supervision, and differing settings."""
    names = [plan.model for plan in plans]
    supervisions = {plan.supervision for plan in plans}
    if len(supervisions) > 1:
        names = [f"{plan.model} ({plan.supervision})" for plan in plans]
    all_names = []
    for name, plan in zip(names, plans, strict=True):
        alike = [_settings(other) for n, other in zip(names, plans, strict=True) if n == name]
        settings = _settings(plan)
        differing = [
            f"{key.partition('.')[2]}={settings[key]}"
            for key in settings
            if any(other.get(key) != settings[key] for other in alike)
        ]
        all_names.append(", ".join([name, *differing]))
    return all_names
