"""Figures of the papers, by the data in their axes."""

from typing import Any

import numpy as np

from lengthwise_papers.figures import (
    addition_attention_figure,
    cross_entropy_figure,
    sensitivity_figure,
)


def test_attention_of_decoders_has_a_row_for_each_gate_and_a_column_for_each_symbol() -> None:
    record: dict[str, Any] = {
        "symbols": ["a", "b", "g"],
        "gates": ["g", "h"],
        "weights": [[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]],
    }
    figure = addition_attention_figure({"trained": record, "hand-coded": record})
    panels = figure.axes[:2]
    assert [axes.get_title() for axes in panels] == ["trained", "hand-coded"]
    for axes in panels:
        (image,) = axes.images
        assert np.asarray(image.get_array()).tolist() == record["weights"]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b", "g"]
        assert [label.get_text() for label in axes.get_yticklabels()] == ["g", "h"]
        (line,) = axes.lines
        assert np.asarray(line.get_xdata()).tolist() == [1.5, 1.5]  # between b and g


def test_cross_entropy_is_drawn_over_length_with_its_bound_and_one_key_for_all_panels() -> None:
    one = {"no norm": {10: 0.9, 1: 0.75}, "norm": {1: 0.25, 10: 0.25}}
    figure = cross_entropy_figure({"PARITY": one, "FIRST": {**one, "norm": {1: 0.5, 10: 0.75}}})
    parity, first = figure.axes
    assert [axes.get_title() for axes in (parity, first)] == ["PARITY", "FIRST"]
    assert parity.get_xscale() == "log"
    bound, plain, normed = (np.asarray(line.get_xydata()).tolist() for line in parity.lines)
    assert [height for _, height in bound] == [1, 1]
    assert plain == [[1, 0.75], [10, 0.9]]
    assert normed == [[1, 0.25], [10, 0.25]]
    assert np.asarray(first.lines[2].get_ydata()).tolist() == [0.5, 0.75]
    (key,) = figure.legends
    assert [text.get_text() for text in key.get_texts()] == ["no norm", "norm"]
    colors = [line.get_color() for line in first.lines[1:]]
    assert [handle.get_color() for handle in key.get_lines()] == colors


def test_sensitivity_is_bits_above_per_cent_with_what_a_guess_has() -> None:
    points = [
        {"weight": 0.5, "bits": 10.0, "accuracy": 0.25},
        {"weight": 1.0, "bits": 0.0, "accuracy": 1.0},
    ]
    figure = sensitivity_figure({"10 symbols": points, "20 symbols": points[1:]})
    above, other, below, _ = figure.axes
    assert [axes.get_title() for axes in (above, other)] == ["10 symbols", "20 symbols"]
    for axes, guess, heights in ((above, 1, [10, 0]), (below, 50, [25, 100])):
        level, curve, one = axes.lines
        assert np.asarray(level.get_ydata()).tolist() == [guess, guess]
        assert np.asarray(curve.get_xdata()).tolist() == [0.5, 1.0]
        assert np.asarray(curve.get_ydata()).tolist() == heights
        assert np.asarray(one.get_xdata()).tolist() == [1, 1]
    assert np.asarray(other.lines[1].get_xdata()).tolist() == [1.0]
