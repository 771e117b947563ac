"""One self-contained page about runs: settings, curves, shortcuts, published beside measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from lengthwise.analysis.figures import accuracy_figure, loss_figure, to_svg
from lengthwise.evaluation.scores import Scores
from lengthwise.experiments.chi2023.table1 import PUBLISHED
from lengthwise.experiments.published import Published
from lengthwise.files import write_text
from lengthwise.training.runs import RunFolder


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPage:
    """What the page shows of one run."""

    name: str
    config: dict[str, Any]
    metrics: list[dict[str, Any]]
    evaluation: dict[str, Any] | None
    accuracy: dict[int, float]
    published: Published | None

    @property
    def settings(self) -> list[tuple[str, str]]:
        """All settings, by part."""
        rows = []
        for part, values in self.config.items():
            if part == "language":
                rows.append((part, values["spec"]))
            elif isinstance(values, dict):
                rows.extend((f"{part}.{key}", str(value)) for key, value in values.items())
            else:
                rows.append((part, str(values)))
        return rows

    @property
    def trained_to(self) -> int:
        """Longest training word."""
        return int(self.config["recognition"]["max_length"])

    @property
    def curve(self) -> Markup | None:
        """Accuracy by length as an SVG element."""
        if self.evaluation is None:
            return None
        figure = accuracy_figure(
            {self.name: self.accuracy}, self.trained_to, self.evaluation["shortcuts"]
        )
        return Markup(to_svg(figure))

    @property
    def losses(self) -> Markup:
        """Loss by step as an SVG element."""
        return Markup(to_svg(loss_figure(self.metrics)))


def read_run(path: Path) -> RunPage:
    """The records of a run folder.

    Raises:
        RunError: it is not one, or a record is damaged.
    """
    folder = RunFolder(path)
    config = folder.config()
    scores = Scores.from_records(folder.scores())
    return RunPage(
        name=f"{config['language']['spec'] or 'a machine'}, {config['model']}",
        config=config,
        metrics=folder.metrics(),
        evaluation=folder.evaluation(),
        accuracy=scores.accuracy_by_length(),
        published=published(config),
    )


def published(config: dict[str, Any]) -> Published | None:
    """The printed number for the language and chunk of a run, if the paper has one."""
    return PUBLISHED.get(
        (config["language"]["spec"], f"regular-gpt C={config['network']['chunk']}")
    )


def render(pages: Sequence[RunPage], title: str = "lengthwise report") -> str:
    """The page as HTML, with nothing to load from elsewhere."""
    environment = Environment(
        loader=PackageLoader("lengthwise", "report"),
        autoescape=select_autoescape(),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = _percent
    return environment.get_template("report.html").render(pages=pages, title=escape(title))


def write_report(paths: Sequence[Path], out: Path) -> None:
    """Read the run folders and write the page.

    Raises:
        RunError: a folder is not a run.
    """
    write_text(out, render([read_run(path) for path in paths]))


def _percent(share: float) -> str:
    text = f"{100 * share:.2f}"
    return "99.99+" if share < 1 and text == "100.00" else text
