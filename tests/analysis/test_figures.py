"""Figures, by the data in their axes."""

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from lengthwise.analysis.figures import (
    MANY_COLORS,
    accuracy_figure,
    attention_figure,
    bands_figure,
    clusters_figure,
    loss_figure,
    receptive_field_figure,
    to_pdf,
    to_png,
    to_svg,
)


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


def cluster_record(kinds: int) -> dict[str, Any]:
    return {
        "language": "parity",
        "explained": [0.75, 0.2, 0.05],
        "elements": [{"word": "1" * kind} for kind in range(kinds)],
        "drawn": {"x": [1, 2, 3], "y": [4, 5, 6], "element": [1, 0, 1], "level": [1, 1, 2]},
    }


def test_clusters_are_points_of_one_colour_for_each_element() -> None:
    figure = clusters_figure([cluster_record(2), cluster_record(len(MANY_COLORS) + 1)])
    few, many = figure.axes
    assert [line.get_xydata().tolist() for line in few.lines] == [  # type: ignore[union-attr]
        [[2, 5]],
        [[1, 4], [3, 6]],
    ]
    assert [line.get_label() for line in few.lines] == ["empty word", "1"]
    assert "75.0 %" in few.get_xlabel()
    assert "20.0 %" in few.get_ylabel()
    assert few.get_legend() is not None
    assert many.get_legend() is None
    assert len({line.get_color() for line in many.lines}) == len(MANY_COLORS) + 1


def test_receptive_field_runs_from_the_end_at_the_right_to_the_start_at_the_left() -> None:
    records = [
        {"language": "parity", "curves": [{"length": 2, "cumulated": [0.75, 1.0]}]},
        {"language": "first", "curves": [{"length": 3, "cumulated": [0.0, 0.5, 1.0]}]},
    ]
    (axes,) = receptive_field_figure(records).axes
    curves = {line.get_label(): line for line in axes.lines}
    parity, first = curves["parity, 2 symbols"], curves["first, 3 symbols"]
    assert np.asarray(parity.get_xydata()).tolist() == [[0, 0], [-1, 0.75], [-2, 1]]
    assert np.asarray(first.get_xydata()).tolist() == [[0, 0], [-1, 0], [-2, 0.5], [-3, 1]]
    assert parity.get_color() != first.get_color()
    straight = [np.asarray(line.get_xydata()).tolist() for line in axes.lines[:2]]
    assert straight == [[[-2, 1], [0, 0]], [[-3, 1], [0, 0]]]


@pytest.mark.parametrize("networks", [1, 2, 4, 5, 15])
def test_names_of_receptive_fields_have_room_and_tell_the_length_of_one(networks: int) -> None:
    curve = {"length": 2, "cumulated": [0.75, 1.0]}
    names = [f"network {number}" for number in range(networks)]
    figure = receptive_field_figure([{"language": name, "curves": [curve]} for name in names])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    beside = figure.legends
    legend = beside[0] if beside else axes.get_legend()
    assert legend is not None
    named = [f"{name}, 2 symbols" for name in names] if networks == 1 else names
    assert [text.get_text() for text in legend.get_texts()] == [*named, "all positions alike"]
    assert bool(beside) == (networks > 4)
    assert not beside or not legend.get_window_extent().overlaps(axes.get_window_extent())


@pytest.mark.slow_for("9-16")
@pytest.mark.parametrize(("heads", "panels"), [(1, 1), (3, 3), (9, 16)])
def test_attention_has_a_panel_for_each_head_with_a_row_for_each_level(
    heads: int, panels: int
) -> None:
    weights = [[[0.25, 0.75]] * heads, [[0.5, 0.5]] * heads]
    figure = attention_figure({"weights": weights, "chunk_size": 2, "focus": [1.0] * heads})
    maps = [axes.images[0] for axes in figure.axes if axes.images]
    assert len(figure.axes) == panels + 1  # and the scale
    assert len(maps) == heads
    assert np.asarray(maps[-1].get_array()).tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert maps[0].get_clim() == (0, 1)
    assert to_png(figure).startswith(b"\x89PNG")


def test_a_figure_becomes_the_same_svg_each_time() -> None:
    def make() -> str:
        return to_svg(accuracy_figure({"run": {41: 1.0}}, 40, {}))

    assert make().startswith("<svg")
    assert make() == make()


def bands() -> Figure:
    flat = dict.fromkeys(range(41, 100, 3), 100.0)
    groups = {name: [flat, dict.fromkeys(flat, 80.0)] for name in ("lstm", "transformer", "gru")}
    shortcuts = {"majority": 50.0, "symbol counts": 54.0}
    return bands_figure(groups, xlabel="length", ylabel="accuracy (%)", shortcuts=shortcuts)


def test_lines_differ_without_colours_and_the_best_shortcut_is_dotted() -> None:
    *lines, shortcut = bands().axes[0].lines
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines}) == len(lines) == 3
    assert shortcut.get_label() == "best shortcut: symbol counts"
    assert shortcut.get_linestyle() == ":"
    assert np.asarray(shortcut.get_ydata()).tolist() == [54.0, 54.0]


@pytest.mark.parametrize("width", [3.3, 6.9])
def test_a_pdf_is_as_wide_as_a_column_and_its_strings_have_eight_points(width: float) -> None:
    figure = bands()
    made = to_pdf(figure, width)
    assert f"/MediaBox [ 0 0 {72 * width:.1f}".encode() in made
    assert {text.get_fontsize() for text in figure.findobj(Text) if text.get_text()} == {8}
    assert made == to_pdf(bands(), width)
    axes = figure.axes[0].get_window_extent()
    legend = figure.legends[0].get_window_extent()
    assert not axes.overlaps(legend)
    assert axes.height > 0.4 * figure.bbox.height
