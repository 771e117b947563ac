"""Figures from records; only this module, `notebooks.drawings` and `exports.figure` import
matplotlib."""

import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO
from typing import Any

from lengthwise.data.extra import require_extra
from lengthwise.escapes import printable_lines

require_extra("matplotlib", "figures")

import matplotlib as mpl  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.text import Text  # noqa: E402

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


_PAPER_FONT = 8

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
    svg = buffer.getvalue()
    return svg[svg.index("<svg") :].replace(INK, "currentColor")


def to_png(figure: Figure, notes: str = "") -> bytes:
    """Return the figure as a PNG file; `notes` describe it inside the file."""
    buffer = BytesIO()
    described = {"metadata": {"Description": notes}} if notes else {}
    _save(figure, buffer, format="png", dpi=200, **described)
    return buffer.getvalue()


def to_pdf_as_drawn(figure: Figure, notes: str) -> bytes:
    """Return the figure as a PDF file of its own size; `notes` are its subject inside the file."""
    buffer = BytesIO()
    described = dict.fromkeys(("CreationDate", "Creator", "Producer")) | {"Subject": notes}
    _save(figure, buffer, {"pdf.fonttype": 42}, format="pdf", metadata=described)
    return buffer.getvalue()


def to_pdf(figure: Figure, width: float) -> bytes:
    """Return the figure as a PDF file for a paper: its width in inches, all strings in 8 points."""
    across, down = figure.get_size_inches()
    lines = sum(len(legend.get_texts()) for legend in figure.legends)
    scaled = down * min(1.0, width / across)
    figure.set_size_inches(width, max(scaled, 1.7 + 0.17 * lines))
    for axes in figure.axes:
        axes.tick_params(which="both", labelsize=_PAPER_FONT)
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_fontsize(_PAPER_FONT)
    buffer = BytesIO()
    nothing = dict.fromkeys(("CreationDate", "Creator", "Producer"))
    _save(figure, buffer, {"pdf.fonttype": 42}, format="pdf", metadata=nothing)
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


def clusters_figure(records: Sequence[Mapping[str, Any]]) -> Figure:
    """Plot sub-word vectors on two principal components, coloured by element, a panel a record."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.4 * len(records), 3.6), layout="constrained")
        for axes, record in zip(panels_of(figure, len(records)), records, strict=True):
            names = [element["word"] or "empty word" for element in record["elements"]]
            points = record["drawn"]
            for index, color in enumerate(spread_colors(len(names))):
                rows = [i for i, element in enumerate(points["element"]) if element == index]
                axes.plot(
                    [points["x"][i] for i in rows],
                    [points["y"][i] for i in rows],
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
        for (language, curve), color in zip(curves, spread_colors(len(curves)), strict=True):
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
"""Most curves whose names fit within the plot."""


def deeper_trees_figure(record: Mapping[str, Any]) -> Figure:
    """Plot accuracy in per cent by the number of levels of the tree."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.4, 2.8), layout="constrained")
        axes = figure.subplots()
        curves = record["curves"]
        for curve, color in zip(curves, spread_colors(len(curves)), strict=True):
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
    weights, chunk = record["weights"], record["chunk_size"]
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


_DASHES = ("-", (0, (5, 1.5)), (0, (6, 1.5, 1.2, 1.5)), (0, (1.5, 1.2)))
_MARKERS = "osD^vP"
"""Lines differ by dashes and markers, too, for print without colours."""

FEW_POINTS = 10
"""Number of points below which a curve has markers, so that a single point is visible."""


def bands_figure(
    groups: Mapping[str, Sequence[Mapping[int, float]]],
    *,
    xlabel: str,
    ylabel: str,
    trained_to: int | None = None,
    shortcuts: Mapping[str, float] | None = None,
) -> Figure:
    """Plot the mean of each group's curves by length, with a band from the least to the greatest.

    The curves of a group have the same lengths. `trained_to` is the end of the training range. The
    best shortcut is a dotted line.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.0 + 0.22 * len(groups)), layout="constrained")
        axes = figure.subplots()
        if trained_to is not None:
            axes.axvspan(0, trained_to, color="#4878a8", alpha=0.15, lw=0)
            axes.annotate(
                f" trained to {trained_to:,}", (0, 0.02), xycoords=("data", "axes fraction")
            )
        colors = spread_colors(len(groups))
        for number, (name, curves) in enumerate(groups.items()):
            color, lengths = colors[number], sorted(curves[0])
            columns = [[curve[n] for curve in curves] for n in lengths]
            means = [sum(column) / len(column) for column in columns]
            every = max(1, len(lengths) // 8)
            axes.plot(
                lengths,
                means,
                color=color,
                lw=1.6,
                ls=_DASHES[number % len(_DASHES)],
                marker=_MARKERS[number % len(_MARKERS)],
                ms=4,
                markevery=(number * every // 4 % every, every),
                label=name,
            )
            if len(curves) > 1:
                low, high = [min(column) for column in columns], [max(column) for column in columns]
                axes.fill_between(lengths, low, high, color=color, alpha=0.2, lw=0)
        if shortcuts:
            best = max(shortcuts, key=lambda name: shortcuts[name])
            axes.axhline(
                shortcuts[best], color="#777", ls=":", lw=1, label=f"best shortcut: {best}"
            )
        limits = (0, 104) if ylabel.endswith("(%)") else None
        axes.set(xlabel=xlabel, ylabel=ylabel, ylim=limits, xlim=(0, None))
        axes.ticklabel_format(axis="y", useOffset=False)
        figure.legend(loc="outside upper center", ncols=1)
    return figure


def arena_figure(
    shares: Mapping[str, tuple[int, int]],
    curves: Mapping[str, Mapping[int, float]],
    *,
    trained_to: int,
) -> Figure:
    """Plot shares of networks by their kind as bars, beside the accuracy of each by length.

    `shares` are numbers and totals; lengths are on a logarithmic axis. Left of each bar stands a
    piece of its line.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.2, 2.6 + 0.2 * len(shares)), layout="constrained")
        bars, lines = panels_of(figure, 2)
        colors = spread_colors(len(shares))
        places = range(len(shares))
        heights = [100 * part / total if total else 0.0 for part, total in shares.values()]
        bars.barh(places, heights, color=colors)
        looks = [
            {
                "color": colors[place],
                "lw": 1.6,
                "ls": _DASHES[place % len(_DASHES)],
                "marker": _MARKERS[place % len(_MARKERS)],
                "ms": 3,
            }
            for place in places
        ]
        for place, (part, total) in zip(places, shares.values(), strict=True):
            bars.text(heights[place] + 1, place, f"{part} of {total}", va="center")
            bars.plot([-16, -10, -4], [place] * 3, **looks[place])
        bars.set(xlabel="proved snapped, of those that learned (%)", xlim=(-20, 120))
        bars.set_xticks([0, 20, 40, 60, 80, 100])
        bars.set_yticks(list(places), list(shares))
        bars.invert_yaxis()
        lines.axvspan(1, trained_to, color="#4878a8", alpha=0.15, lw=0)
        for number, (name, curve) in enumerate(curves.items()):
            lines.plot(list(curve), list(curve.values()), label=name, **looks[number])
        lines.set(xlabel="length (symbols)", ylabel="accuracy (%)", ylim=(0, 104), xscale="log")
    return figure


def panels_of(figure: Figure, count: int) -> list[Any]:
    """Return `count` axes in a row."""
    return list(figure.subplots(1, count, squeeze=False).flat)


def spread_colors(count: int) -> list[Any]:
    """Return `count` colours: distinct ones for a few, along a scale for many."""
    if count <= len(MANY_COLORS):
        return list(MANY_COLORS[:count])
    return [mpl.colormaps["turbo"](index / (count - 1)) for index in range(count)]
