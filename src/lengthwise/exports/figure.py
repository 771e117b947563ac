"""Automata drawn by matplotlib in the layout of the SVG drawings; a unit is 1/96 inch."""

import numpy as np

from lengthwise.analysis.figures import Picture
from lengthwise.drawing.labels import FONT_SIZE
from lengthwise.drawing.layout import layout_of
from lengthwise.drawing.shapes import HEAD, RADIUS, DrawnArrow, DrawnState, Label, Point
from lengthwise.drawing.svg import BLUE
from lengthwise.languages.language import Language

import matplotlib as mpl  # isort: skip  the figures' module says what is missing without it
from matplotlib.axes import Axes  # isort: skip
from matplotlib.patches import PathPatch, Polygon  # isort: skip
from matplotlib.path import Path  # isort: skip

_PIXELS = 96
_POINTS = 72 / _PIXELS
_LINE = 1.3 * _POINTS
_SCALE = 0.9
"""Matplotlib's font is wider than that of the layout."""

_INSET = 3.5
"""Distance between the two lines of a double circle."""


def automaton_figure(language: Language) -> Picture:
    """Draw the automaton over all words."""
    layout = layout_of(language)
    left, top, right, bottom = layout.box
    with mpl.rc_context({"text.parse_math": False}):
        figure = Picture(figsize=((right - left) / _PIXELS, (bottom - top) / _PIXELS))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(left, right), ylim=(bottom, top))
        axes.set_axis_off()
        for arrow in layout.arrows:
            _add_arrow(axes, arrow)
        x, y = layout.start
        end = layout.states[0].box[0]
        axes.plot([x, end - HEAD], [y, y], color="black", lw=_LINE, solid_capstyle="butt")
        _add_head(axes, (end - HEAD, y), (end, y), "black")
        for state in layout.states:
            _add_state(axes, state)
    return figure


def _add_arrow(axes: Axes, arrow: DrawnArrow) -> None:
    codes = [Path.MOVETO, *[Path.CURVE4] * (len(arrow.points) - 1)]
    path = Path(list(arrow.points), codes)
    axes.add_patch(PathPatch(path, fill=False, edgecolor=BLUE, lw=_LINE, capstyle="butt"))
    _add_head(axes, arrow.points[-1], arrow.tip, BLUE)
    _add_label(axes, arrow.label)


def _add_head(axes: Axes, base: Point, tip: Point, color: str) -> None:
    dx, dy = 0.42 * (tip[0] - base[0]), 0.42 * (tip[1] - base[1])
    corners = (base[0] - dy, base[1] + dx), tip, (base[0] + dy, base[1] - dx)
    axes.add_patch(Polygon(corners, facecolor=color, lw=0))


def _add_state(axes: Axes, state: DrawnState) -> None:
    for inset in (0.0, _INSET) if state.is_double else (0.0,):
        dashes = (0, (4, 3)) if state.is_dashed else "-"
        axes.add_patch(PathPatch(_outline(state, inset), fill=False, lw=_LINE, ls=dashes))
    _add_label(axes, state.label)


def _outline(state: DrawnState, inset: float) -> Path:
    """Return a circle, which a long name stretches to two halves with lines between them."""
    left, top, right, _ = state.box
    points: list[Point] = []
    for middle, begin in ((left + RADIUS, 90.0), (right - RADIUS, 270.0)):
        half = np.asarray(Path.arc(begin, begin + 180).vertices) * (RADIUS - inset)
        points += [(x + middle, y + top + RADIUS) for x, y in half]
    codes = np.tile(np.asarray(Path.arc(90, 270).codes), 2)
    codes[len(codes) // 2] = Path.LINETO
    return Path([*points, points[0]], [*codes, Path.CLOSEPOLY])


def _add_label(axes: Axes, label: Label) -> None:
    size = FONT_SIZE * _POINTS * _SCALE
    axes.text(label.x, label.y, label.text, ha="center", va="baseline", fontsize=size)
