"""Drawings of views as SVG elements: automata, curves of training, accuracy by length.

Lines and texts take the colour of the page (`currentColor`), and the background is transparent.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from lengthwise.analysis.figures import INK, STYLE, to_page_svg
from lengthwise.data.extra import require_extra
from lengthwise.languages.characters import listed
from lengthwise.languages.language import Language
from lengthwise.wording import shortened, shorter_mark

require_extra("networkx", "figures")

import matplotlib as mpl  # noqa: E402
import networkx as nx  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

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

_NODE, _RING = 640, 420
"""Areas of a state's circle and of the inner circle of class 1, in square points."""

_LONGEST_LABEL = 14

_ABOVE_LOOP = 29
"""Distance of a label of an arrow from a state to itself, in points above the centre."""


def automaton_drawing(language: Language) -> str:
    """Draw the reachable states on a circle, in breadth-first order from the start state.

    No line between two points of a circle passes through a third one. Each state has the name of
    its class. As in `languages.dot`, states of class 1 of two-class languages are double circles,
    and states outside the domain are dashed.
    """
    machine = language.total()
    states = machine.reachable()
    graph = nx.DiGraph()
    graph.add_nodes_from(states)
    for state in states:
        for symbol, target in zip(machine.alphabet, machine.transitions[state], strict=True):
            if not graph.has_edge(state, target):
                graph.add_edge(state, target, symbols=[])
            graph.edges[state, target]["symbols"].append(symbol)
    places = _places(states)
    inside = [s for s in states if machine.classes[s] < language.num_classes]
    outside = [s for s in states if machine.classes[s] >= language.num_classes]
    doubled = [s for s in inside if language.class_names == ("0", "1") and machine.classes[s] == 1]
    with mpl.rc_context(_STYLE):
        size = 2.2 + 0.28 * len(states)
        figure = Figure(figsize=(max(4.4, size), min(size, 2.2) if len(states) < 3 else size))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        for group, style, area in (
            (inside, "solid", _NODE),
            (outside, "dashed", _NODE),
            (doubled, "solid", _RING),
        ):
            nodes = nx.draw_networkx_nodes(
                graph, places, group, node_size=area, node_color="none", edgecolors=INK, ax=axes
            )
            if group:
                nodes.set_linestyle(style)
        names = {s: shortened(machine.class_names[machine.classes[s]], 8) for s in states}
        nx.draw_networkx_labels(graph, places, names, font_size=9, font_color=INK, ax=axes)
        _draw_arrows(graph, places, axes)
        _draw_start(places[states[0]], axes)
        axes.margins(0.22)
        return to_page_svg(figure)


def _places(states: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Return places on a circle, clockwise from the left."""
    around = nx.circular_layout(nx.path_graph(len(states)))
    return {state: (-x, y) for state, (x, y) in zip(states, around.values(), strict=True)}


def _draw_arrows(
    graph: "nx.DiGraph[int]", places: Mapping[int, tuple[float, float]], axes: Axes
) -> None:
    curved = "arc3,rad=0.18"
    nx.draw_networkx_edges(
        graph,
        places,
        node_size=_NODE,
        edge_color=_BLUE,
        connectionstyle=curved,
        arrowsize=12,
        ax=axes,
    )
    labels = {
        (a, b): shortened(listed(s, joint=", "), _LONGEST_LABEL)
        for a, b, s in graph.edges(data="symbols")
    }
    for state in places:
        if (label := labels.pop((state, state), None)) is not None:
            axes.annotate(
                label,
                xy=places[state],
                xytext=(0, _ABOVE_LOOP),
                textcoords="offset points",
                ha="center",
                fontsize=9,
                color=INK,
            )
    nx.draw_networkx_edge_labels(
        graph,
        places,
        labels,
        font_size=9,
        font_color=INK,
        connectionstyle=curved,
        rotate=False,
        bbox={"alpha": 0},
        ax=axes,
    )


def _draw_start(place: tuple[float, float], axes: Axes) -> None:
    axes.annotate(
        "",
        xy=place,
        xytext=(-46, 0),
        textcoords="offset points",
        arrowprops={"arrowstyle": "-|>", "color": INK, "shrinkB": 13},
    )


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
