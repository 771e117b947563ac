"""Evaluated runs side by side: a table, and a figure with a band for each set of seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from lengthwise.evaluation.scores import percent
from lengthwise.files import require_name, write_bytes, write_text
from lengthwise.problems.base import Plan
from lengthwise.problems.results import Curve
from lengthwise.templates import template

if TYPE_CHECKING:
    from lengthwise.analysis.figures import Picture

COLUMNS = ["learner", "supervision", "trained on", "seeds", "mean", "worst", "at", "runs"]
"""With measures that have one, such as BLEU, `overall` replaces the mean over lengths."""

BAND = "A line is the mean over seeds, its band goes from the least to the greatest of them."


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """One run of a comparison, with its curve at the lengths that all runs have."""

    path: Path
    plan: Plan
    curve: Curve

    @property
    def mean(self) -> float:
        """Mean of the measure over lengths."""
        return fmean(self.curve.points.values())

    @property
    def worst_length(self) -> int:
        """Length at which the measure is worst."""
        sign = -1 if self.curve.is_less_better else 1
        return min(self.curve.points, key=lambda n: (sign * self.curve.points[n], n))


@dataclass(frozen=True, kw_only=True, slots=True)
class SeedGroup:
    """Runs whose plans differ in the seed only."""

    name: str
    """Name in the table and the legend, different for each group."""
    runs: Sequence[Compared]

    @property
    def supervised(self) -> dict[str, str]:
        """The labels and the examples that training sees."""
        plan = self.runs[0].plan
        return {"supervision": plan.supervision, "trained_on": plan.trained_on}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Evaluated runs of one problem, side by side.

    Examples:
        >>> import lengthwise as lw
        >>> small = {"preset": "smoke", "steps": 2}
        >>> runs = [lw.train("parity", "gru", seed=s, out=f"gru-{s}", **small) for s in (0, 1)]
        >>> scores = [lw.evaluate(run, lengths=[50], words_per_length=20) for run in runs]
        >>> comparison = lw.compare(runs)
        >>> columns, rows = comparison.table
        >>> len(comparison.runs), columns[:2]
        (2, ['learner', 'supervision'])
        >>> comparison.save("comparison.svg")
    """

    subject: str
    groups: Sequence[SeedGroup]
    notes: Sequence[str]

    @property
    def runs(self) -> list[Compared]:
        """All runs."""
        return [run for group in self.groups for run in group.runs]

    @property
    def curve(self) -> Curve:
        """The first run's curve, whose measure and axes are those of all."""
        return self.runs[0].curve

    @property
    def table(self) -> tuple[list[str], list[list[str]]]:
        """Column names, and a row of cells for each group."""
        names = ["overall" if name == "mean" and self.has_overall else name for name in COLUMNS]
        return names, [self._row(group) for group in self.groups]

    @property
    def has_overall(self) -> bool:
        """True if there is a measure of all that was tested, which was the same for all runs."""
        curves = [run.curve for run in self.runs]
        known = all(curve.overall is not None for curve in curves)
        return known and len({curve.sample for curve in curves}) == 1

    @cached_property
    def figure(self) -> "Picture":
        """The measure by length: a line for each group, and a band if it has several seeds."""
        return self._draw()

    def _draw(self) -> "Picture":
        from lengthwise.analysis.figures import bands_figure  # noqa: PLC0415  the table needs none

        ends = {run.curve.trained_to for run in self.runs}
        return bands_figure(
            {group.name: [run.curve.points for run in group.runs] for group in self.groups},
            xlabel=self.curve.horizontal,
            ylabel=self.curve.measure,
            trained_to=ends.pop() if len(ends) == 1 else None,
            shortcuts=self.curve.shortcuts,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return groups, runs and their curves as plain values."""
        return {
            "subject": self.subject,
            "measure": self.curve.measure,
            "lengths": sorted(self.curve.points),
            "notes": list(self.notes),
            "groups": [
                {
                    "name": group.name,
                    **group.supervised,
                    "mean": fmean(run.mean for run in group.runs),
                    **self._overall(group.runs),
                    "runs": [
                        {
                            "run": str(run.path),
                            "seed": run.plan.training.seed,
                            "mean": run.mean,
                            **self._overall([run]),
                            "worst_length": run.worst_length,
                            "worst": run.curve.points[run.worst_length],
                            "by_length": {str(n): y for n, y in run.curve.points.items()},
                        }
                        for run in group.runs
                    ],
                }
                for group in self.groups
            ],
        }

    def to_svg(self) -> str:
        """Return the figure as an SVG element."""
        from lengthwise.analysis.figures import to_svg  # noqa: PLC0415

        return to_svg(self.figure)

    def to_html(self) -> str:
        """Return a page that loads nothing from elsewhere."""
        return self._render("compare.html")

    def _repr_html_(self) -> str:
        return self._render("comparison.html")

    def save(self, path: Path | str, *, width: float = 3.3) -> None:
        """Write the page, or the figure alone if the name ends in `.svg` or `.pdf`.

        A PDF is for a paper: `width` is in inches, and its strings have 8 points.

        Args:
            path: the file.

        Raises:
            ConfigError: the name ends otherwise.
        """
        path = require_name(Path(path), ".html", ".svg", ".pdf")
        if path.suffix == ".pdf":
            from lengthwise.analysis.figures import to_pdf  # noqa: PLC0415

            write_bytes(path, to_pdf(self._draw(), width))
        else:
            write_text(path, self.to_svg() if path.suffix == ".svg" else self.to_html())

    def _overall(self, runs: Sequence[Compared]) -> dict[str, float]:
        """Return the mean over runs of the measure of all that was tested, if there is one."""
        every = [run.curve.overall for run in runs if run.curve.overall is not None]
        return {"overall": fmean(every)} if self.has_overall else {}

    def _row(self, group: SeedGroup) -> list[str]:
        means = [self._overall([run]).get("overall", run.mean) for run in group.runs]
        sign = -1 if self.curve.is_less_better else 1
        worst = min(group.runs, key=lambda run: sign * run.curve.points[run.worst_length])
        in_words = self._format_value
        spread = f" ({in_words(min(means))} to {in_words(max(means))})" if len(means) > 1 else ""
        return [
            group.name,
            *group.supervised.values(),
            ", ".join(str(run.plan.training.seed) for run in group.runs),
            f"{in_words(fmean(means))}{spread}",
            in_words(worst.curve.points[worst.worst_length]),
            str(worst.worst_length),
            ", ".join(str(run.path) for run in group.runs),
        ]

    def _format_value(self, value: float) -> str:
        """Return a value with two decimals; per cent are rounded down, so that 100.00 means all."""
        return percent(value / 100) if "%" in self.curve.measure else f"{value:.2f}"

    def _render(self, name: str) -> str:
        from lengthwise.analysis.figures import to_page_svg  # noqa: PLC0415

        lengths = sorted(self.curve.points)
        return template("lengthwise.report", name).render(
            comparison=self,
            figure=to_page_svg(self._draw()),
            band=BAND,
            first=lengths[0],
            last=lengths[-1],
            count=len(lengths),
        )
