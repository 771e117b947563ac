"""The first picture of the README: networks that carry parity to longer words, and one that fails.

Each panel is a network of Table 1 of Chi et al. (2023), with a line for the mean over seeds and a
band from the least to the greatest. The check mark is of those whose proof is in the records of
`own/default-proofs`.
"""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lengthwise.analysis.figures import MANY_COLORS, STYLE, Picture
from lengthwise_papers.cells import accuracy_by_length, cells
from lengthwise_papers.experiment import Record

ROW = "parity"
TRAINED_TO = 40
PANELS = {
    "transformer": ("transformer", "labels of words"),
    "rnn": ("recurrent network", "labels of words"),
    "regular-gpt C=3": ("RegularGPT, C = 3", "labels of words"),
    "binary": ("RegularGPT, binary memory", "also products of sub-words"),
}
"""Column of the table, its name, and what training sees."""

GREEN = "#2f8a52"


def hero(table1: Sequence[Record], proofs: Sequence[Record]) -> Picture:
    """Draw accuracy on parity by length, a panel for each network."""
    of_cell = cells(table1)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.8, 4.0), layout="constrained")
        panels = figure.subplots(2, 2, sharex=True, sharey=True).flat
        for axes, color, column in zip(panels, MANY_COLORS, PANELS, strict=False):
            runs = of_cell[ROW, column]
            _draw(axes, [accuracy_by_length(run["tests"]["near"]) for run in runs], color)
            title, supervision = PANELS[column]
            axes.set_title(f"{title}\n", fontsize=9.5)
            axes.text(0.5, 1.04, supervision, ha="center", size=8, transform=axes.transAxes)
            model = runs[0]["model"]
            if _all_proved(proofs, model, runs[0]["supervision"]):
                axes.text(
                    500, 72, "✓ proved at\nevery length", ha="right", color=GREEN, weight="bold"
                )
            if column == "transformer":
                axes.text(
                    500, 36, f"best shortcut: {_shortcut(runs):.0f} %", ha="right", color="#777"
                )
            axes.axhline(_shortcut(runs), color="#777", ls=":", lw=1)
        panels[0].set(ylim=(0, 106), xlim=(0, 510), yticks=(0, 50, 100))
        panels[0].text(22, 3, "trained", ha="center", va="bottom", color="#2f6fa8", rotation=90)
        figure.supylabel("accuracy (%)", fontsize=9)
        figure.supxlabel("length of the word", fontsize=9)
    return figure


def _draw(axes: Axes, curves: Sequence[dict[int, float]], color: str) -> None:
    """Draw the mean of curves and their band, and the lengths of training."""
    axes.axvspan(0, TRAINED_TO, color="#4878a8", alpha=0.15, lw=0)
    lengths = sorted(set.intersection(*(set(curve) for curve in curves)))
    columns = [[100 * curve[n] for curve in curves] for n in lengths]
    low, high = [min(each) for each in columns], [max(each) for each in columns]
    axes.fill_between(lengths, low, high, color=color, alpha=0.25, lw=0)
    axes.plot(lengths, [sum(each) / len(each) for each in columns], color=color, lw=1.8)


def _shortcut(runs: Sequence[Record]) -> float:
    """Return the accuracy of the best rule that does not recognise the language, in per cent."""
    return 100 * max(max(run["tests"]["near"]["shortcuts"].values()) for run in runs)


def _all_proved(proofs: Sequence[Record], model: str, supervision: str) -> bool:
    """Return whether the records have proofs of such runs, and none without."""
    found: list[Any] = [
        one["verdict"]
        for one in proofs
        if (one["language"], one["model"], one["supervision"]) == (ROW, model, supervision)
    ]
    return bool(found) and set(found) == {"equivalent"}
