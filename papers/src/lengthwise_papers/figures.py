"""Figures of the papers from records: by language, by weight, by epoch, and of attention."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from lengthwise.analysis.figures import COLORS, FEW_POINTS, STYLE, panels_of, spread_colors


def addition_attention_figure(records: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Plot mean attention weights of decoders, a panel each: a row for each predicted gate, a
    column for each symbol before it; the line marks the end of the inputs.
    """
    with mpl.rc_context({**STYLE, "axes.grid": False}):
        figure = Figure(figsize=(4.6 * len(records), 3.6), layout="constrained")
        panels = panels_of(figure, len(records))
        for axes, (name, record) in zip(panels, records.items(), strict=True):
            weights = record["weights"]
            image = axes.imshow(weights, vmin=0, vmax=1, cmap="Blues", interpolation="nearest")
            num_inputs = len(record["symbols"]) + 1 - len(record["gates"])
            axes.axvline(num_inputs - 0.5, color="#999", lw=0.8)
            axes.set_title(name, fontsize=9)
            for axis, names in ((axes.xaxis, record["symbols"]), (axes.yaxis, record["gates"])):
                axis.set_ticks(range(len(names)), names, fontsize=4)
            axes.tick_params(length=1.5, pad=1)
            axes.tick_params(axis="x", rotation=90)
            axes.set(xlabel="attended symbol", ylabel="predicted symbol")
        figure.colorbar(image, ax=panels, label="weight", ticks=[0, 0.5, 1])
    return figure


def cross_entropy_figure(panels: Mapping[str, Mapping[str, Mapping[int, float]]]) -> Figure:
    """Plot cross-entropy by length, a panel for each language, with the same kinds of networks."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(1.4 + 3.5 * len(panels), 2.9), layout="constrained")
        columns = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (title, curves) in zip(columns, panels.items(), strict=True):
            axes.axhline(1, color="#999", ls="--", lw=1)
            colors = spread_colors(len(curves))
            for (name, curve), color in zip(curves.items(), colors, strict=True):
                lengths = sorted(curve)
                axes.plot(lengths, [curve[n] for n in lengths], color=color, lw=1.6, label=name)
            axes.set(title=title, xlabel="symbols", xscale="log", ylim=(-0.04, 1.06))
        columns[0].set_ylabel("cross-entropy (bits)")
        lines = [line for line in columns[0].lines if not str(line.get_label()).startswith("_")]
        figure.legend(handles=lines, loc="outside right center")
    return figure


def sensitivity_figure(panels: Mapping[str, Sequence[Mapping[str, Any]]]) -> Figure:
    """Plot cross-entropy above accuracy, both over a weight; a column for each length."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.2 * len(panels), 4.0), layout="constrained")
        above, below = figure.subplots(2, len(panels), sharex="col", sharey="row", squeeze=False)
        for index, (title, points) in enumerate(panels.items()):
            weights = [point["weight"] for point in points]
            for axes, heights, guess in (
                (above[index], [point["bits"] for point in points], 1),
                (below[index], [100 * point["accuracy"] for point in points], 50),
            ):
                axes.axhline(guess, color="#999", ls="--", lw=1)
                axes.plot(weights, heights, color=COLORS[1], lw=1.2)
                axes.axvline(1, color=COLORS[0], lw=1, alpha=0.6)
            above[index].set(title=title, ylim=(-0.4, None))
            below[index].set(xlabel="count weight w", ylim=(-4, 104))
            below[index].locator_params(axis="x", nbins=5)
        above[0].set_ylabel("cross-entropy (bits)")
        below[0].set_ylabel("accuracy (%)")
        for axes, guess in ((above[-1], 1), (below[-1], 50)):
            place = {"xy": (1, guess), "xycoords": ("axes fraction", "data")}
            axes.annotate(" guess", **place, color="#777", va="center")
    return figure


def curves_figure(
    panels: Mapping[str, Mapping[str, Mapping[int, float]]],
    *,
    xlabel: str = "length",
    ylabel: str = "accuracy (%)",
) -> Figure:
    """Plot shares in per cent, such as accuracy, by length: a panel a language, a line a model."""
    percent = {
        title: {
            name: {n: 100 * share for n, share in curve.items()} for name, curve in curves.items()
        }
        for title, curves in panels.items()
    }
    return panels_figure(percent, xlabel=xlabel, ylabel=ylabel, limits=(-4, 104))


_LONG_TITLE = 26
"""Number of letters from which on a title would run into the next panel's."""

_LEAST_WIDTH, _LINE = 4.6, 0.2
"""Least width of a figure of panels, and height of a line of its legend beyond two, in inches."""


def panels_figure(
    panels: Mapping[str, Mapping[str, Mapping[int, float]]],
    *,
    xlabel: str,
    ylabel: str,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """Plot numbers by length: a panel for each title, a line for each name, on one scale.

    `limits` are the limits of the vertical axis; by default they fit the data.
    """
    names = list(dict.fromkeys(name for curves in panels.values() for name in curves))
    colors = dict(zip(names, spread_colors(len(names)), strict=True))
    across = min(4, len(panels))
    down = -(-len(panels) // across)
    width = max(_LEAST_WIDTH, 2.6 * across)
    fit = min(3, max(1, int(width / (0.5 + 0.07 * max(map(len, names), default=1)))))
    legend = _LINE * max(0, -(-len(names) // fit) - 2)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, 0.6 + 1.9 * down + legend), layout="constrained")
        grid = figure.subplots(down, across, sharey=True, squeeze=False).flat
        for axes, (title, curves) in zip(grid, panels.items(), strict=False):
            for name, curve in curves.items():
                lengths = sorted(curve)
                heights = [curve[n] for n in lengths]
                marker = "." if len(lengths) < FEW_POINTS else None
                style = {"color": colors[name], "lw": 1.2, "marker": marker}
                axes.plot(lengths, heights, label=name, **style)
            axes.set_title(title, fontsize="large" if len(title) < _LONG_TITLE else 7)
            axes.set_ylim(limits)
        for axes in figure.axes[len(panels) :]:
            axes.set_visible(False)
        figure.supxlabel(xlabel, fontsize=9)
        figure.supylabel(ylabel, fontsize=9)
        lines = {line.get_label(): line for axes in figure.axes for line in axes.lines}
        figure.legend(
            handles=[lines[name] for name in names],
            loc="outside upper center",
            ncols=fit,
        )
    return figure


def lines_figure(curves: Mapping[str, Mapping[int, float]], *, xlabel: str, ylabel: str) -> Figure:
    """Plot positive numbers by length, on logarithmic axes, a line for each model."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        axes = figure.subplots()
        for (name, curve), color in zip(curves.items(), spread_colors(len(curves)), strict=True):
            lengths = sorted(curve)
            heights = [curve[n] for n in lengths]
            axes.plot(lengths, heights, color=color, lw=1.4, marker="o", ms=3, label=name)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        ticks = sorted({n for curve in curves.values() for n in curve})
        axes.set_xticks(ticks, [f"{n:,}" for n in ticks], minor=False)
        axes.set(xlabel=xlabel, ylabel=ylabel)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def learning_figure(panels: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]) -> Figure:
    """Plot bits, accuracy and attention by epoch, one below the other; a column a kind of model."""
    kinds = {"bits": "cross-entropy (bits)", "accuracy": "accuracy (%)", "attention": "weight"}
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(1.2 + 3.2 * len(panels), 5.6), layout="constrained")
        grid = figure.subplots(len(kinds), len(panels), sharex=True, sharey="row", squeeze=False)
        for column, (title, curves) in enumerate(panels.items()):
            colors = spread_colors(len(curves))
            for row, (key, label) in enumerate(kinds.items()):
                axes = grid[row][column]
                for (name, points), color in zip(curves.items(), colors, strict=True):
                    factor = 100 if key == "accuracy" else 1
                    heights = [factor * point[key] for point in points]
                    epochs = [point["epoch"] for point in points]
                    axes.plot(epochs, heights, color=color, lw=1.4, label=name)
                if column == 0:
                    axes.set_ylabel(label)
            grid[0][column].set_title(title)
            grid[-1][column].set_xlabel("epoch")
        figure.legend(handles=list(grid[0][0].lines), loc="outside right center")
    return figure
