"""The report: one self-contained page about runs, with settings, curves and problems' sections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape

from lengthwise.analysis.figures import loss_figure, to_svg
from lengthwise.errors import RunError
from lengthwise.files import write_text
from lengthwise.problems.results import Section
from lengthwise.problems.runs import plan_from_dict
from lengthwise.training.compiled import is_compiled
from lengthwise.training.runs import RunFolder


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPage:
    """The part of the page that shows one run."""

    kind: str
    """The problem of the run."""
    settings: list[tuple[str, str]]
    metrics: list[dict[str, Any]]
    section: Section

    @property
    def losses(self) -> str:
        """The loss by step as an SVG element."""
        return to_svg(loss_figure(self.metrics))


def read_run(path: Path) -> RunPage:
    """Read the records of a run folder.

    Raises:
        RunError: it is not one, or a record is damaged.
    """
    folder = RunFolder(path)
    config = folder.config()
    if is_compiled(config):
        raise RunError(
            f"{path} holds computed weights, and a report is about training. Use verify."
        )
    plan = plan_from_dict(config)
    metrics = folder.metrics()
    if folder.is_finished and not metrics:
        raise RunError(f"{path}/metrics.jsonl is empty or missing. Train again in a new folder.")
    return RunPage(
        kind=plan.problem.kind,
        settings=_settings({**plan.to_dict(), "environment": config.get("environment", {})}),
        metrics=metrics,
        section=plan.problem.section(folder, plan),
    )


def _settings(config: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return all settings with their sections; an automaton is shown by its specification only."""
    rows: list[tuple[str, str]] = []
    for name, value in config.items():
        if name == "language":
            rows.append((f"{prefix}language", value["spec"]))
        elif isinstance(value, Mapping):
            rows.extend(_settings(value, f"{prefix}{name}."))
        else:
            rows.append((f"{prefix}{name}", str(value)))
    return rows


def render(pages: Sequence[RunPage], title: str = "lengthwise report") -> str:
    """Return the page as HTML that loads nothing from elsewhere."""
    environment = Environment(
        loader=PackageLoader("lengthwise", "report"),
        autoescape=select_autoescape(),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    numbered = list(enumerate(pages, start=1))
    groups = [
        [(number, page) for number, page in numbered if page.kind == kind]
        for kind in dict.fromkeys(page.kind for page in pages)
    ]
    template = environment.get_template("report.html")
    return template.render(groups=groups, pages=numbered, title=title)


def write_report(paths: Sequence[Path], out: Path) -> None:
    """Read the run folders and write the page.

    Raises:
        RunError: a folder is not a run.
    """
    write_text(out, render([read_run(path) for path in paths]))
