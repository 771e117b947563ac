"""A figure of single measurements; like `figures`, a function from records to a picture."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.figure import Figure

from lengthwise.analysis.figures import COLORS, STYLE

_MARKERS = "osD^"


def points_figure(
    points: Mapping[str, Sequence[tuple[float, float]]], *, xlabel: str, ylabel: str
) -> Figure:
    """Plot pairs of positive numbers on logarithmic axes, a colour and a marker for each name."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.2), layout="constrained")
        axes = figure.subplots()
        for number, (name, pairs) in enumerate(points.items()):
            axes.plot(
                [x for x, _ in pairs],
                [y for _, y in pairs],
                color=COLORS[number % len(COLORS)],
                marker=_MARKERS[number % len(_MARKERS)],
                ms=4,
                lw=0,
                label=name,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set(xlabel=xlabel, ylabel=ylabel)
        if points:
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
