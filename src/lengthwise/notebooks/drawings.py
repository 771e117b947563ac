"""Drawings of views as SVG elements: curves of training, accuracy by length.

Lines and texts take the colour of the page (`currentColor`), and the background is transparent.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from lengthwise.analysis.figures import INK, STYLE, to_page_svg
from lengthwise.messages import shorter_mark

_BLUE, _ORANGE = "#4a8fd0", "#d1812c"
"""Readable on white and on black."""

_STYLE = {
    **STYLE,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.parse_math": False,
    "svg.fonttype": "none",
}


def training_drawing(metrics: Sequence[Mapping[str, Any]]) -> str:
    """Draw loss and validation accuracy by step, one above the other."""
    steps = [record["step"] for record in metrics]
    marker = "o" if len(steps) < 30 else ""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(5.6, 3.2), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        for key, name, color in (
            ("loss", "training", _ORANGE),
            ("validation_loss", "validation", _BLUE),
        ):
            values = [record[key] for record in metrics]
            above.plot(steps, values, label=name, color=color, marker=marker, ms=3)
        least = min(min(record["loss"], record["validation_loss"]) for record in metrics)
        above.set(ylabel="loss (nats)", yscale="log" if least > 0 else "linear")
        above.yaxis.set_major_formatter("{x:g}")  # powers would be mathematical text
        above.yaxis.set_minor_formatter("")
        above.legend(loc="upper right")
        shares = [100 * record["validation_accuracy"] for record in metrics]
        below.plot(steps, shares, color=_BLUE, marker=marker, ms=3)
        grow = any(shorter_mark(record) for record in metrics)
        label = "accuracy, words so far (%)" if grow else "accuracy (%)"
        below.set(xlabel="step", ylabel=label, ylim=(-4, 104))
        return to_page_svg(figure)


def accuracy_drawing(accuracy: Mapping[int, float]) -> str:
    """Draw accuracy by length."""
    lengths = sorted(accuracy)
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(5.6, 2.2), layout="constrained")
        axes = figure.subplots()
        shares = [100 * accuracy[length] for length in lengths]
        axes.plot(lengths, shares, color=_BLUE, marker="o" if len(lengths) < 30 else "", ms=3)
        axes.set(xlabel="length", ylabel="accuracy (%)", ylim=(-4, 104))
        return to_page_svg(figure)
