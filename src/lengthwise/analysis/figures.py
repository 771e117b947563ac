"""Figures from records. The one module that knows matplotlib."""

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

COLORS = ("#d1812c", "#2f6fa8", "#4a9a62", "#9b5fa5")

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
    curves: Mapping[str, Mapping[int, float]], trained: int, shortcuts: Mapping[str, float]
) -> Figure:
    """Accuracy in per cent by length, the training range shaded, the best shortcut as a line."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 2.8), layout="constrained")
        axes = figure.subplots()
        axes.axvspan(0, trained, color="#4878a8", alpha=0.15, lw=0)
        axes.text(trained, 3, f" trained on 1..{trained}", ha="left", va="bottom", color="#4878a8")
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
    """Training and validation loss by step, on a logarithmic axis."""
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
    """The figure as an SVG element to put into a page."""
    buffer = StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def main_job_figure(
    curves: Mapping[str, Mapping[str, Sequence[Mapping[int, float]]]], trained: int
) -> Figure:
    """Accuracy by length for each language, one line per model: the worst of its seeds."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 2.6), layout="constrained")
        panels = figure.subplots(1, len(curves), sharey=True)
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
