"""The report: one self-contained page about runs, with settings, curves and problems' sections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lengthwise.analysis.figures import Picture, bands_figure, loss_figure, to_page_svg, to_pdf
from lengthwise.errors import ConfigError, RunError
from lengthwise.files import values_of, write_bytes, write_text
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import origins_of, plan_from_dict
from lengthwise.problems.results import Section
from lengthwise.report.compare import compare, find_subject, load_last_curve
from lengthwise.templates import template
from lengthwise.training.construction_files import is_compiled
from lengthwise.training.devices import commit, environment
from lengthwise.training.runs import RunFolder

AT_COMMON = "Runs are shown at the lengths that all of them were tested on."


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPage:
    """The part of the page that shows one run."""

    path: Path
    plan: Plan
    made: str
    """When and with which versions and processor the run was made."""
    settings: list[tuple[str, str, str]]
    """Name, value and origin of each."""
    metrics: Sequence[Mapping[str, Any]]
    said: Account
    section: Section

    @property
    def losses(self) -> str:
        """The loss by step as an SVG element."""
        return to_page_svg(loss_figure(self.metrics))

    @property
    def curve(self) -> str:
        """The last evaluation by length as an SVG element, if the section does not draw it.

        It is empty if there are not two lengths at least.
        """
        figure = None if self.section.body else self.picture
        return "" if figure is None else to_page_svg(figure)

    @property
    def picture(self) -> Picture | None:
        """The last evaluation by length, if there are two lengths at least."""
        found = load_last_curve(self.path, self.plan)
        if found is None or len(found.points) < 2:
            return None
        return bands_figure(
            {self.said.title: [found.points]},
            xlabel=found.horizontal,
            ylabel=found.measure,
            trained_to=found.trained_to,
            shortcuts=found.shortcuts,
        )

    @property
    def kind(self) -> str:
        """The problem of the run."""
        return self.plan.problem.kind


@dataclass(frozen=True, kw_only=True, slots=True)
class Together:
    """Evaluated runs on one subject, drawn in one figure."""

    subject: str
    picture: Picture
    notes: Sequence[str]

    @property
    def figure(self) -> str:
        """The figure as an SVG element."""
        return to_page_svg(self.picture)


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
    records, environment = Records.of(folder, plan), config.get("environment", {})
    origins = origins_of(plan)
    if folder.is_finished and not records.metrics:
        raise RunError(f"{path}/metrics.jsonl is empty or missing. Train again in a new folder.")
    account = plan.problem.account(records)
    return RunPage(
        path=path,
        plan=plan,
        made=_describe_origin(folder, environment),
        settings=[
            (name, value, origins.get(name, ""))
            for name, value in _settings({**plan.to_dict(), "environment": environment})
        ],
        metrics=records.metrics,
        said=account,
        section=account.section(account) if account.section else _section(folder, plan, account),
    )


def _section(folder: RunFolder, plan: Plan, account: Account) -> Section:
    """Return the section of a problem that draws none of its own.

    Raises:
        RunError: a record is damaged.
    """
    evaluation = folder.evaluation()
    with values_of(folder.path / "evaluation.json", remedy="Evaluate again."):
        facts = account.tested(evaluation) if evaluation else [("evaluation", "not evaluated yet")]
    by, result = account.rows[0]
    return Section(columns=["run", "trained on", by], cells=[plan.trained_on, result], facts=facts)


def _describe_origin(folder: RunFolder, environment: Mapping[str, Any]) -> str:
    """Return when a run last wrote its weights or records, and what made it, in words."""
    files = [path for path in folder.path.iterdir() if path.is_file()]
    when = datetime.fromtimestamp(max(file.stat().st_mtime for file in files), tz=UTC)
    parts = [f"{name} {value}" for name, value in environment.items()]
    return ", ".join([f"{when:%Y-%m-%d %H:%M} UTC", *parts])


def _describe_page() -> str:
    """Return date, version, commit and machine of the page, in words."""
    code = f"lengthwise {version('lengthwise')}"
    if (at := commit()) is not None:
        code += f" (commit {at})"
    versions = environment("cpu")
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC by {code}, Python {versions['python']}, torch "
        f"{versions['torch']}, on {versions['processor']}"
    )


def compare_subjects(pages: Sequence[RunPage]) -> list[Together]:
    """Compare the evaluated runs of each subject that has several."""
    subjects: list[tuple[Any, list[RunPage]]] = []
    for page in pages:
        if load_last_curve(page.path, page.plan) is None:
            continue
        subject = find_subject(page.plan)
        group = next((members for known, members in subjects if known == subject), None)
        if group is None:
            subjects.append((subject, [page]))
        elif page.path.resolve() not in [other.path.resolve() for other in group]:
            group.append(page)
    return [_draw_runs(members) for _, members in subjects if len(members) > 1]


def _draw_runs(members: Sequence[RunPage]) -> Together:
    """Draw runs on one subject: compared if that is possible, else each at its own lengths."""
    name = members[0].plan.problem.name
    try:
        comparison = compare([page.path for page in members])
        return Together(
            subject=name, picture=comparison.figure, notes=[AT_COMMON, *comparison.notes]
        )
    except ConfigError as error:
        note = f"Each run is shown as it was tested: {error}"
    curves_or_none = [load_last_curve(page.path, page.plan) for page in members]
    curves = [curve for curve in curves_or_none if curve is not None]
    lines = {
        f"{page.plan.model}, {page.path}": [c.points]
        for page, c in zip(members, curves, strict=True)
    }
    picture = bands_figure(lines, xlabel=curves[0].horizontal, ylabel=curves[0].measure)
    return Together(subject=name, picture=picture, notes=[note])


def _settings(config: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return all settings with their sections; an automaton or a function is shown by its
    specification only.
    """
    rows: list[tuple[str, str]] = []
    for name, value in config.items():
        if name in ("language", "function"):
            rows.append((f"{prefix}{name}", value["spec"] or "without a specification"))
        elif isinstance(value, Mapping):
            rows.extend(_settings(value, f"{prefix}{name}."))
        else:
            rows.append((f"{prefix}{name}", str(value)))
    return rows


def render(pages: Sequence[RunPage], title: str = "lengthwise report") -> str:
    """Return the page as HTML that loads nothing from elsewhere."""
    numbered = list(enumerate(pages, start=1))
    groups = [
        [(number, page) for number, page in numbered if page.kind == kind]
        for kind in dict.fromkeys(page.kind for page in pages)
    ]
    return template("lengthwise.report", "report.html").render(
        groups=groups,
        pages=numbered,
        title=title,
        comparisons=compare_subjects(pages),
        written=_describe_page(),
    )


def write_report(paths: Sequence[Path], out: Path) -> None:
    """Read the run folders and write the page.

    Raises:
        RunError: a folder is not a run.
    """
    write_text(out, render([read_run(path) for path in paths]))


def write_figures(paths: Sequence[Path], folder: Path, width: float) -> list[Path]:
    """Write the figures of evaluated runs as PDF files of a width in inches; return their paths.

    A run has `run-1.pdf`, by its number on the page, and runs on one subject have `together-1.pdf`.

    Raises:
        RunError: a folder is not a run.
    """
    pages = [read_run(path) for path in paths]
    pictures = {f"run-{number}": page.picture for number, page in enumerate(pages, start=1)}
    shared = enumerate(compare_subjects(pages), start=1)
    pictures |= {f"together-{number}": each.picture for number, each in shared}
    files = []
    for name, picture in pictures.items():
        if picture is not None:
            files.append(folder / f"{name}.pdf")
            write_bytes(files[-1], to_pdf(picture, width))
    return files
