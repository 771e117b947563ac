"""Figures from records; this module and `points_figure` alone import matplotlib."""

import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from lengthwise.escapes import printable_lines

Picture = Figure
"""A figure, for modules that do not import matplotlib."""

COLORS = ("#d1812c", "#2f6fa8", "#4a9a62", "#9b5fa5")

MANY_COLORS = (
    "#2f6fa8",
    "#d1812c",
    "#4a9a62",
    "#9b5fa5",
    "#b5484b",
    "#58a9b3",
    "#8a7a45",
    "#444b54",
)

INK = "#1c2430"
"""Stands for the colour of the page's text while a figure is drawn."""

_HEADS_IN_A_ROW = 8

STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "svg.hashsalt": "lengthwise",
    "svg.fonttype": "path",
}


def accuracy_figure(
    curves: Mapping[str, Mapping[int, float]], trained: int | None, shortcuts: Mapping[str, float]
) -> Figure:
    """Plot accuracy in per cent by length, the best shortcut, and lengths of training if known."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 2.8), layout="constrained")
        axes = figure.subplots()
        if trained is not None:
            color = "#4878a8"
            axes.axvspan(0, trained, color=color, alpha=0.15, lw=0)
            axes.text(trained, 3, f" trained on 1..{trained}", ha="left", va="bottom", color=color)
        for name, curve in curves.items():
            lengths = sorted(curve)
            axes.plot(lengths, [100 * curve[n] for n in lengths], label=name, lw=1.6)
        if shortcuts:
            best = max(shortcuts, key=lambda name: shortcuts[name])
            axes.axhline(
                100 * shortcuts[best], color="#888", ls="--", lw=1, label=f"shortcut: {best}"
            )
        axes.set(xlabel="length", ylabel="accuracy (%)", ylim=(0, 104), xlim=(0, None))
        axes.legend(loc="lower right")
    return figure


def loss_figure(metrics: Sequence[Mapping[str, Any]]) -> Figure:
    """Plot training and validation loss by step, on a logarithmic axis."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 2.2), layout="constrained")
        axes = figure.subplots()
        steps = [record["step"] for record in metrics]
        for key, name in (("loss", "training"), ("validation_loss", "validation")):
            axes.plot(steps, [record[key] for record in metrics], label=name, lw=1.4, marker=".")
        smallest = min((r[k] for r in metrics for k in ("loss", "validation_loss")), default=1.0)
        scale = "log" if smallest > 0 else "linear"  # a language of one class has no loss
        axes.set(xlabel="step", ylabel="loss (nats)", yscale=scale)
        axes.legend(loc="upper right")
    return figure


def to_svg(figure: Figure) -> str:
    """Return the figure as an SVG element for an HTML page."""
    buffer = StringIO()
    _save(figure, buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def to_page_svg(figure: Figure) -> str:
    """Return the figure as an SVG element that takes the colour of the page's text.

    The background is transparent; black lines and texts become `currentColor`.
    """
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
        axes.tick_params(which="both", color=INK, labelcolor=INK)
        for spine in axes.spines.values():
            spine.set_edgecolor(INK)
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if to_hex(text.get_color()) == "#000000":
            text.set_color(INK)
    buffer = StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    _save(figure, buffer, {"svg.fonttype": "none"}, format="svg", metadata=nothing)
    found = buffer.getvalue()
    return found[found.index("<svg") :].replace(INK, "currentColor")


def to_png(figure: Figure) -> bytes:
    """Return the figure as a PNG file."""
    buffer = BytesIO()
    _save(figure, buffer, format="png", dpi=200)
    return buffer.getvalue()


def _save(figure: Figure, to: StringIO | BytesIO, style: Any = None, **more: Any) -> None:
    """Write a figure, in whose texts a user's `$` begins no formula and all can be printed.

    Labels of ticks are numbers, which matplotlib writes as formulas.
    """
    ticks = {
        id(text)
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for text in (tick.label1, tick.label2)
    }
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if id(text) not in ticks:
            text.set_text(printable_lines(text.get_text()))
            text.set_parse_math(False)
    with mpl.rc_context({**STYLE, **(style or {})}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the page's font may have it
        figure.savefig(to, **more)


def accuracy_by_language_figure(
    curves: Mapping[str, Mapping[str, Sequence[Mapping[int, float]]]], trained: int
) -> Figure:
    """Plot accuracy by length for each language: one line per model, the worst of its seeds."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 2.6), layout="constrained")
        panels = figure.subplots(1, len(curves), sharey=True, squeeze=False)[0]
        for axes, (language, models) in zip(panels, curves.items(), strict=True):
            axes.axvspan(0, trained, color="#4878a8", alpha=0.15, lw=0)
            for (model, seeds), color in zip(models.items(), COLORS, strict=False):
                lengths = sorted(seeds[0])
                worst = [100 * min(seed[n] for seed in seeds) for n in lengths]
                axes.plot(lengths, worst, label=model, lw=1.5, color=color)
            axes.set(title=language, xlabel="length", xlim=(0, None), ylim=(79, 101))
        panels[0].set_ylabel("accuracy (%), worst seed")
        panels[0].text(trained, 79.5, " trained on 1..40", color="#4878a8")
        panels[-1].legend(loc="lower right")
    return figure


def clusters_figure(records: Sequence[Mapping[str, Any]]) -> Figure:
    """Plot sub-word vectors on two principal components, coloured by element, a panel a record."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.4 * len(records), 3.6), layout="constrained")
        for axes, record in zip(_panels(figure, len(records)), records, strict=True):
            names = [element["word"] or "empty word" for element in record["elements"]]
            drawn = record["drawn"]
            for index, color in enumerate(_spread_colors(len(names))):
                rows = [i for i, element in enumerate(drawn["element"]) if element == index]
                axes.plot(
                    [drawn["x"][i] for i in rows],
                    [drawn["y"][i] for i in rows],
                    ls="",
                    marker="o",
                    ms=4,
                    mew=0,
                    alpha=0.55,
                    color=color,
                    label=names[index],
                )
            first, second = (100 * share for share in record["explained"][:2])
            axes.set(
                title=record["language"],
                xlabel=f"component 1 ({first:.1f} % of variance)",
                ylabel=f"component 2 ({second:.1f} %)",
            )
            axes.axis("equal")
            if len(names) <= len(MANY_COLORS):
                axes.legend(title="acts like", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def receptive_field_figure(records: Sequence[Mapping[str, Any]]) -> Figure:
    """Plot cumulated gradient norms, from the end of the word (right) to its start (left).

    Lengths are named where they differ, and that of a single curve. More than four curves are named
    beside the plot.
    """
    curves = [(record["language"], curve) for record in records for curve in record["curves"]]
    lengths = sorted({curve["length"] for _, curve in curves})
    many, alike = len(curves) > _MOST_WITHIN, len(lengths) == 1 and len(curves) > 1
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.2, 3.8) if many else (5.4, 3.2), layout="constrained")
        axes = figure.subplots()
        for length in lengths:
            axes.plot([-length, 0], [1, 0], color="#999", ls="--", lw=1)
        for (language, curve), color in zip(curves, _spread_colors(len(curves)), strict=True):
            length = curve["length"]
            axes.plot(
                range(0, -length - 1, -1),
                [0, *curve["cumulated"]],
                color=color,
                lw=1.8,
                label=language if alike else f"{language}, {length} symbols",
            )
        axes.plot([], [], color="#999", ls="--", lw=1, label="all positions alike")
        axes.set(
            xlabel="position, counted from the end of the word",
            ylabel="cumulated share of the gradient",
            ylim=(0, 1.02),
        )
        axes.margins(x=0.01)
        if many:
            figure.legend(loc="outside right center")
        else:
            axes.legend(loc="lower left")
    return figure


_MOST_WITHIN = 4
"""Most curves of which the names have room within the plot."""


def deeper_trees_figure(record: Mapping[str, Any]) -> Figure:
    """Plot accuracy in per cent by the number of levels of the tree."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.4, 2.8), layout="constrained")
        axes = figure.subplots()
        curves = record["curves"]
        for curve, color in zip(curves, _spread_colors(len(curves)), strict=True):
            levels = [point["levels"] for point in curve["points"]]
            right = [100 * point["accuracy"] for point in curve["points"]]
            label = f"{curve['length']} symbols"
            axes.plot(levels, right, color=color, marker="o", lw=1.8, label=label)
        ticks = sorted({point["levels"] for curve in curves for point in curve["points"]})
        axes.set(xlabel="levels of the tree", ylabel="accuracy (%)", ylim=(0, 104), xticks=ticks)
        axes.legend(loc="lower left")
    return figure


def attention_figure(record: Mapping[str, Any]) -> Figure:
    """Plot mean attention weights: a panel for each head, a row for a level, a column a child."""
    weights, chunk = record["weights"], record["chunk"]
    num_levels, num_heads = len(weights), len(record["focus"])
    rows = -(-num_heads // _HEADS_IN_A_ROW)
    columns = min(num_heads, _HEADS_IN_A_ROW)
    with mpl.rc_context({**STYLE, "axes.grid": False}):
        size = (1.2 + 0.85 * columns, rows * (1.0 + 0.2 * num_levels))
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for head, axes in enumerate(panels.flat):
            if head >= num_heads:
                axes.set_axis_off()
                continue
            image = axes.imshow(
                [level[head] for level in weights],
                vmin=0,
                vmax=1,
                cmap="Blues",
                aspect="auto",
                origin="lower",
                extent=(0.5, chunk + 0.5, 0.5, num_levels + 0.5),
            )
            axes.set_title(f"head {head + 1}", fontsize=9)
            axes.set_xticks([1, chunk])
            axes.set_yticks([1, num_levels] if num_levels > 1 else [1])
        figure.colorbar(image, ax=panels, label="weight", ticks=[0, 0.5, 1])
        figure.supxlabel("child", fontsize=9)
        figure.supylabel("level", fontsize=9)
    return figure


def addition_attention_figure(records: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Plot mean attention weights of decoders, a panel each: a row for each predicted gate, a
    column for each symbol before it; the line marks the end of the inputs.
    """
    with mpl.rc_context({**STYLE, "axes.grid": False}):
        figure = Figure(figsize=(4.6 * len(records), 3.6), layout="constrained")
        panels = _panels(figure, len(records))
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
            colors = _spread_colors(len(curves))
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

_FEW_POINTS = 10
"""Number of points below which a curve has markers, so that a single point is visible."""


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
    colors = dict(zip(names, _spread_colors(len(names)), strict=True))
    across = min(4, len(panels))
    down = -(-len(panels) // across)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(2.6 * across, 0.6 + 1.9 * down), layout="constrained")
        grid = figure.subplots(down, across, sharey=True, squeeze=False).flat
        for axes, (title, curves) in zip(grid, panels.items(), strict=False):
            for name, curve in curves.items():
                lengths = sorted(curve)
                heights = [curve[n] for n in lengths]
                marker = "." if len(lengths) < _FEW_POINTS else None
                style = {"color": colors[name], "lw": 1.2, "marker": marker}
                axes.plot(lengths, heights, label=name, **style)
            axes.set_title(title, fontsize="large" if len(title) < _LONG_TITLE else 7)
            axes.set_ylim(limits)
        for axes in figure.axes[len(panels) :]:
            axes.set_visible(False)
        figure.supxlabel(xlabel, fontsize=9)
        figure.supylabel(ylabel, fontsize=9)
        lines = {line.get_label(): line for axes in figure.axes for line in axes.lines}
        fit = int(2.6 * across / (0.5 + 0.07 * max(map(len, names), default=1)))
        figure.legend(
            handles=[lines[name] for name in names],
            loc="outside upper center",
            ncols=min(3, max(1, fit)),
        )
    return figure


def lines_figure(curves: Mapping[str, Mapping[int, float]], *, xlabel: str, ylabel: str) -> Figure:
    """Plot positive numbers by length, on logarithmic axes, a line for each model."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        axes = figure.subplots()
        for (name, curve), color in zip(curves.items(), _spread_colors(len(curves)), strict=True):
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
            colors = _spread_colors(len(curves))
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


def bands_figure(
    groups: Mapping[str, Sequence[Mapping[int, float]]],
    *,
    xlabel: str,
    ylabel: str,
    trained_to: int | None = None,
) -> Figure:
    """Plot the mean of each group's curves by length, with a band from the least to the greatest.

    The curves of a group have the same lengths. `trained_to` is the end of the training range.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.0 + 0.22 * len(groups)), layout="constrained")
        axes = figure.subplots()
        if trained_to is not None:
            axes.axvspan(0, trained_to, color="#4878a8", alpha=0.15, lw=0)
            axes.annotate(
                f" trained to {trained_to:,}", (0, 0.02), xycoords=("data", "axes fraction")
            )
        for (name, curves), color in zip(groups.items(), _spread_colors(len(groups)), strict=True):
            lengths = sorted(curves[0])
            columns = [[curve[n] for curve in curves] for n in lengths]
            means = [sum(column) / len(column) for column in columns]
            marker = "." if len(lengths) < _FEW_POINTS else None
            axes.plot(lengths, means, color=color, lw=1.6, marker=marker, label=name)
            if len(curves) > 1:
                low, high = [min(each) for each in columns], [max(each) for each in columns]
                axes.fill_between(lengths, low, high, color=color, alpha=0.2, lw=0)
        limits = (0, 104) if ylabel.endswith("(%)") else None
        axes.set(xlabel=xlabel, ylabel=ylabel, ylim=limits, xlim=(0, None))
        axes.ticklabel_format(axis="y", useOffset=False)
        figure.legend(loc="outside upper center", ncols=1)
    return figure


def _panels(figure: Figure, count: int) -> list[Any]:
    return list(figure.subplots(1, count, squeeze=False).flat)


def _spread_colors(count: int) -> list[Any]:
    """Return `count` colours: distinct ones for a few, along a scale for many."""
    if count <= len(MANY_COLORS):
        return list(MANY_COLORS[:count])
    return [mpl.colormaps["turbo"](index / (count - 1)) for index in range(count)]
