"""A figure of single measurements; like `figures`, a function from records to a picture."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.figure import Figure

from lengthwise.analysis.figures import COLORS, MANY_COLORS, STYLE
from lengthwise.evaluation.scores import wilson

_MARKERS = "osD^v"


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


def shares_figure(shares: Mapping[str, Mapping[str, tuple[int, int]]], *, ylabel: str) -> Figure:
    """Plot shares in per cent with Wilson's 95 % intervals: a colour and a marker for each name.

    `shares[name][group]` are how many, and of how many. Groups are side by side.
    """
    groups = list(dict.fromkeys(group for points in shares.values() for group in points))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7.2, 3.2), layout="constrained")
        axes = figure.subplots()
        for number, (name, points) in enumerate(shares.items()):
            places = [groups.index(group) for group in points]
            heights = [100 * count / total for count, total in points.values()]
            ends = [wilson(count, total) for count, total in points.values()]
            spans = [
                (max(0.0, height - 100 * low), max(0.0, 100 * high - height))  # but for rounding
                for height, (low, high) in zip(heights, ends, strict=True)
            ]
            axes.errorbar(
                [place + 0.14 * (number - (len(shares) - 1) / 2) for place in places],
                heights,
                yerr=tuple(zip(*spans, strict=True)),
                color=MANY_COLORS[number % len(MANY_COLORS)],
                marker=_MARKERS[number % len(_MARKERS)],
                ms=4,
                lw=0,
                elinewidth=1,
                label=name,
            )
        axes.set_xticks(range(len(groups)), groups)
        axes.grid(visible=False, axis="x")
        axes.set(ylabel=ylabel, ylim=(-4, 104))
        figure.legend(loc="outside upper center", ncols=len(shares))
    return figure
