"""Shapes of a drawn automaton, and what all layouts have in common."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import cos, pi, sin

from lengthwise.drawing.labels import (
    FONT_SIZE,
    Pair,
    Written,
    arrow_labels,
    fit_label,
    symbols_of_arrows,
)
from lengthwise.drawing.labels import text_width as width_of
from lengthwise.languages.language import Language

RADIUS = 17.0
"""Half the height of a state."""

_MARGIN = 8.0
HEAD = 8.0
"""Length of an arrow's head."""

LOOP = 26.0
"""Height of an arrow from a state to itself, above the state."""

_START = 30.0
_WIDEST_NAME = 90.0
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Label:
    """A string; `x` is its middle, and `y` its base line."""

    x: float
    y: float
    text: str

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        half = width_of(self.text) / 2
        return self.x - half, self.y - FONT_SIZE, self.x + half, self.y + 3


@dataclass(frozen=True, slots=True)
class DrawnState:
    """A state: a circle, made longer for a long name."""

    state: int
    label: Label
    width: float
    is_double: bool
    """Class 1 of a recogniser."""
    is_dashed: bool
    """Outside the domain."""
    title: str

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        x, y, half = self.label.x, self.label.y - 4, self.width / 2
        return x - half, y - RADIUS, x + half, y + RADIUS


@dataclass(frozen=True, slots=True)
class DrawnArrow:
    """An arrow: points of cubic Bézier curves, three after the first for each, and its label."""

    source: int
    target: int
    points: tuple[Point, ...]
    label: Label
    title: str

    @property
    def tip(self) -> Point:
        """The place at which the head ends, on the edge of the target."""
        (x, y), (dx, dy) = self.points[-1], direction(self.points[-2], self.points[-1])
        return x + HEAD * dx, y + HEAD * dy


@dataclass(frozen=True, slots=True)
class AutomatonLayout:
    """A drawing of an automaton, in pixels."""

    box: tuple[float, float, float, float]
    """Left, top, right and bottom of all of it."""
    states: tuple[DrawnState, ...]
    arrows: tuple[DrawnArrow, ...]
    start: Point
    """Where the line that points to the start state begins; it runs to the right."""


Curve = tuple[tuple[Point, ...], Label]
"""Points of an arrow, and its label."""


class Drawable:
    """The reachable states of the automaton over all words, with names and labels.

    Classes from `num_classes` on are outside the domain; by default they are those that
    `language.total()` adds. An automaton of a function has what it has `written` for each state
    and symbol, and is no recogniser.
    """

    def __init__(
        self, language: Language, num_classes: int | None = None, written: Written | None = None
    ) -> None:
        machine = language.total()
        num_classes = language.num_classes if num_classes is None else num_classes
        self.states = list(machine.reachable())
        self.symbols = symbols_of_arrows(machine, self.states, written)
        self.labels = arrow_labels(
            self.symbols, writes=written is not None and any(map(any, written))
        )
        self.names = {s: machine.class_names[machine.classes[s]] for s in self.states}
        self.shown = {s: fit_label(self.names[s], _WIDEST_NAME) for s in self.states}
        self.dashed = {s for s in self.states if machine.classes[s] >= num_classes}
        is_recogniser = written is None and machine.class_names[:num_classes] == ("0", "1")
        self.double = {s for s in self.states if is_recogniser and machine.classes[s] == 1}
        self.widths = {
            s: max(2 * RADIUS, width_of(self.shown[s]) + RADIUS + 2 * (s in self.double))
            for s in self.states
        }

    @property
    def lines(self) -> list[Pair]:
        """The arrows between different states."""
        return [pair for pair in self.symbols if pair[0] != pair[1]]

    def edge_of(self, state: int, middle: Point, angle: float, away: float = 0.0) -> Point:
        """Return the point at a distance from a state's edge in a direction from its middle."""
        dx, dy = cos(angle), sin(angle)
        flat = self.widths[state] / 2 - RADIUS
        shift = flat if dx > 0.2 else -flat if dx < -0.2 else 0.0
        return middle[0] + shift + (RADIUS + away) * dx, middle[1] + (RADIUS + away) * dy

    def loop(self, state: int, middle: Point, angle: float = -pi / 2) -> Curve:
        """Return the curve of an arrow from a state to itself, outside of it in a direction."""
        text, dx, dy = self.labels[state, state], cos(angle), sin(angle)
        flat = self.widths[state] / 2 - RADIUS
        x, y = middle[0] + (flat * dx if abs(dx) > abs(dy) else 0.0), middle[1]
        foot = RADIUS if flat and abs(dx) < abs(dy) else 0.91 * RADIUS

        def at(along: float, aside: float) -> Point:
            return x + along * dx - aside * dy, y + along * dy + aside * dx

        high = RADIUS + 1.3 * LOOP
        points = (at(foot, -7), at(high, -19), at(high, 19), at(foot + HEAD * 0.96, 9.5))
        away = RADIUS + LOOP + 4
        label_x = x + dx * (away + width_of(text) / 2)
        return points, Label(label_x, y + away * dy + FONT_SIZE / 2 * (1 + dy) - 2, text)

    def finish(
        self, middle: Callable[[int], Point], curves: Mapping[Pair, Curve]
    ) -> AutomatonLayout:
        """Return the drawing, with a box that contains all of it."""
        first, y = middle(self.states[0])
        start = (first - self.widths[self.states[0]] / 2 - _START, y)
        states = [
            DrawnState(
                s,
                Label(middle(s)[0], middle(s)[1] + 4, self.shown[s]),
                self.widths[s],
                s in self.double,
                s in self.dashed,
                f"state {s}, class {self.names[s]}",
            )
            for s in self.states
        ]
        arrows = [
            DrawnArrow(*pair, points, label, ", ".join(self.symbols[pair]))
            for pair, (points, label) in curves.items()
        ]
        boxes = [
            *(each.box for each in states),
            *(arrow.label.box for arrow in arrows),
            *((px, py, px, py) for arrow in arrows for px, py in arrow.points),
            (*start, *start),
        ]
        left, top = (min(box[side] for box in boxes) - _MARGIN for side in (0, 1))
        right, bottom = (max(box[side] for box in boxes) + _MARGIN for side in (2, 3))
        return AutomatonLayout((left, top, right, bottom), tuple(states), tuple(arrows), start)


def direction(a: Point, b: Point) -> Point:
    """Return the direction from one point to another, as a vector of length 1."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    return dx / length, dy / length
