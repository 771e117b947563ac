"""Figures, by the data in their axes."""

import numpy as np
import pytest

from lengthwise.analysis.figures import accuracy_figure, loss_figure, main_job_figure, to_svg


def test_accuracy_is_drawn_in_per_cent_over_length_with_the_best_shortcut() -> None:
    figure = accuracy_figure({"run": {50: 0.5, 41: 1.0}}, 40, {"a": 0.25, "b": 0.75})
    (axes,) = figure.axes
    curve, shortcut = axes.lines
    assert [np.asarray(curve.get_xdata()).tolist(), np.asarray(curve.get_ydata()).tolist()] == [
        [41, 50],
        [100.0, 50.0],
    ]
    assert np.asarray(shortcut.get_ydata()).tolist() == [75.0, 75.0]
    assert shortcut.get_label() == "shortcut: b"
    (shade,) = axes.patches
    assert (shade.get_x(), shade.get_width()) == (0, 40)  # type: ignore[attr-defined]


def test_loss_is_drawn_over_steps_on_a_logarithmic_axis() -> None:
    metrics = [{"step": s, "loss": 1 / s, "validation_loss": 2 / s} for s in (1, 2, 4)]
    (axes,) = loss_figure(metrics).axes
    assert axes.get_yscale() == "log"
    assert [np.asarray(line.get_ydata()).tolist() for line in axes.lines] == [
        [1, 0.5, 0.25],
        [2, 1, 0.5],
    ]


def test_worst_seed_is_what_the_main_figure_shows() -> None:
    curves: dict[str, dict[str, list[dict[int, float]]]] = {
        "parity": {"m": [{41: 1.0, 42: 0.9}, {41: 0.95, 42: 1.0}]},
        "first": {"m": [{41: 1.0}]},
    }
    figure = main_job_figure(curves, 40)
    assert [axes.get_title() for axes in figure.axes] == ["parity", "first"]
    assert np.asarray(figure.axes[0].lines[0].get_ydata()).tolist() == pytest.approx([95.0, 90.0])


def test_a_figure_becomes_the_same_svg_each_time() -> None:
    def make() -> str:
        return to_svg(accuracy_figure({"run": {41: 1.0}}, 40, {}))

    assert make().startswith("<svg")
    assert make() == make()
