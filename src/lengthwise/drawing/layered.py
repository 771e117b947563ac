"""Layout of an automaton in columns.

A state is as far to the right as its shortest word is long. Between two columns of states is a
column of labels, in which each arrow has a place of its own, as it has in each column of states
that it passes. So no arrow crosses a state or a label. Arrows between states of one column turn
back in the next one, and arrows from a state to itself are above it.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, radians, sin

from lengthwise.drawing.columns import Item, arrange, connect
from lengthwise.drawing.labels import FONT_SIZE, Pair
from lengthwise.drawing.labels import text_width as width_of
from lengthwise.drawing.shapes import (
    HEAD,
    LOOP,
    RADIUS,
    AutomatonLayout,
    Curve,
    Drawable,
    Label,
    Point,
    direction,
)

_GAP = 8.0
_LINE = FONT_SIZE + 5.0
"""Height of a label above its line."""

_STEEPEST = radians(58)
"""Greatest angle to the horizontal at which an arrow meets a state."""

_MOST_RISE = 5.0
"""How far a line that passes a column may leave its height at both sides of it."""


def in_columns(subject: Drawable) -> AutomatonLayout:
    """Lay out an automaton with few arrows."""
    return _Drawing(subject).finish()


class _Drawing:
    """The steps of a layout: columns of items, their places, then the curves."""

    def __init__(self, subject: Drawable) -> None:
        self.subject = subject
        self.level = _levels(self.subject.states, self.subject.symbols)
        self.columns: list[list[Item]] = [[] for _ in range(2 * max(self.level.values()) + 2)]
        self.room = [0.0] * len(self.columns)
        self.item = {s: self._state(s) for s in self.subject.states}
        self.chains = {pair: self._chain(pair) for pair in subject.lines}
        arrange(self.columns, _GAP)
        self.left = self._left_edges()
        self.angles = self._angles()

    def _add(
        self, column: int, above: float, below: float, stiffness: float, width: float = 0
    ) -> Item:
        item = Item(column, above, below, stiffness, is_bend=width == 0)
        self.columns[column].append(item)
        self.room[column] = max(self.room[column], width)
        return item

    def _state(self, state: int) -> Item:
        width, above = self.subject.widths[state], RADIUS
        if (state, state) in self.subject.labels:
            above += LOOP + _LINE
            width = max(width, width_of(self.subject.labels[state, state]))
        return self._add(2 * self.level[state], above, RADIUS, 1.0, width)

    def _chain(self, pair: Pair) -> list[Item]:
        """Add the items of an arrow, from its source to its target."""
        source, target = pair
        begin, end = 2 * self.level[source], 2 * self.level[target]
        width = width_of(self.subject.labels[pair]) + 4
        if begin == end:
            side = -1 if self._turns_left(pair) else 1
            turn = self._add(begin + side, _LINE / 2, _LINE / 2, 3.0, width + 8)
            for state in pair:
                connect(*((self.item[state], turn)[::side]))
            return [turn]
        step = 1 if end > begin else -1
        middle = (begin + end) // 2
        middle += 1 - middle % 2
        items = [
            self._add(column, _LINE, 4, 1.5, width)
            if column == middle
            else self._add(column, 4, 4, 3.0)
            for column in range(begin + step, end, step)
        ]
        path = [self.item[source], *items, self.item[target]]
        for one, other in pairwise(path):
            connect(*((one, other) if step > 0 else (other, one)))
        return items

    def _turns_left(self, pair: Pair) -> bool:
        """Return whether an arrow within a column is the second one of an opposite pair."""
        source, target = pair
        return source > target and (target, source) in self.subject.symbols

    def _left_edges(self) -> list[float]:
        """Return the left edge of each column; steep lines before it make it further away."""
        edges, x = [], 0.0
        for column, room in zip(self.columns, self.room, strict=True):
            edges.append(x)
            steep = max(
                (abs(item.y - other.y) for item in column for other in item.after), default=0.0
            )
            x += room + (min(64.0, 22 + 0.22 * steep) if any(i.after for i in column) else 0.0)
        return edges

    def _right(self, column: int) -> float:
        return self.left[column] + self.room[column]

    def _middle(self, state: int) -> Point:
        item = self.item[state]
        return self.left[item.column] + self.room[item.column] / 2, item.y

    def _ends(self, pair: Pair) -> tuple[tuple[int, bool, Item], tuple[int, bool, Item]]:
        """Return for both ends of an arrow its state, whether it is to the right, and its item."""
        source, target = pair
        chain, (p, q) = self.chains[pair], (self.level[source], self.level[target])
        if p == q:
            is_right = not self._turns_left(pair)
            return (source, is_right, chain[0]), (target, is_right, chain[0])
        return (source, q > p, chain[0]), (target, q < p, chain[-1])

    def _angles(self) -> dict[tuple[int, Item], float]:
        """Return the angle at which each arrow meets a state, from above to below on each side."""
        sides: dict[tuple[int, bool], list[Item]] = {}
        for pair in self.chains:
            for state, is_right, item in self._ends(pair):
                sides.setdefault((state, is_right), []).append(item)
        angles = {}
        for (state, _), items in sides.items():
            items.sort(key=lambda item: item.place)
            step = min(radians(27), 2 * _STEEPEST / max(1, len(items) - 1))
            for number, item in enumerate(items):
                angles[state, item] = step * (number - (len(items) - 1) / 2)
        return angles

    def _port(
        self, state: int, item: Item, *, is_right: bool, away: float = 0.0
    ) -> tuple[Point, Point]:
        """Return the point at a distance from a state's edge at which an arrow meets it, and the
        direction in which the arrow leaves it.
        """
        slope = self.angles[state, item]
        angle = slope if is_right else pi - slope
        point = self.subject.edge_of(state, self._middle(state), angle, away)
        return point, (cos(angle), sin(angle))

    def _curve(self, pair: Pair) -> Curve:
        (source, is_right, first), (target, arrives_right, last) = self._ends(pair)
        a, out = self._port(source, first, is_right=is_right)
        b, into = self._port(target, last, is_right=arrives_right, away=HEAD)
        text = self.subject.labels[pair]
        if self.level[source] == self.level[target]:
            return self._turn((a, out), (b, into), first, text)
        chain, points, heading = self.chains[pair], [a], out
        sign = 1.0 if is_right else -1.0
        heights = [a[1], *(item.y for item in chain), b[1]]
        for number, item in enumerate(chain):
            near, far = self.left[item.column], self._right(item.column)
            if sign < 0:
                near, far = far, near
            rise = 0.0
            if item.is_bend:
                rise = _rise(*heights[number : number + 3])
            else:
                label = Label((near + far) / 2, item.y - 4, text)
            begin, end = (near, item.y - rise), (far, item.y + rise)
            straight = direction((begin[0] - sign, begin[1]), end) if rise else (sign, 0.0)
            points += _bend(points[-1], heading, begin, straight)
            points += [_part(begin, end, 1 / 3), _part(begin, end, 2 / 3), end]
            heading = straight
        points += _bend(points[-1], heading, b, (-into[0], -into[1]))
        return tuple(points), label

    def _turn(
        self, begin: tuple[Point, Point], end: tuple[Point, Point], item: Item, text: str
    ) -> Curve:
        """Return the curve of an arrow to another state of the same column, which turns back."""
        (a, out), (b, into) = begin, end
        side = 1.0 if out[0] > 0 else -1.0
        low, high = sorted((a[1], b[1]))
        furthest = self.left[item.column] if side > 0 else self._right(item.column)
        column = item.column - int(side)
        edge = self._right(column) if side > 0 else -self.left[column]
        near = edge + min(36.0, max(12.0, 0.4 * (high - low)))
        x = side * min(side * furthest, near)
        y = min(max(item.y, low + 0.3 * (high - low)), high - 0.3 * (high - low))
        before, after = 0.55 * (y - a[1]), 0.55 * (b[1] - y)
        reach = 0.75 * abs(x - a[0]), 0.75 * abs(x - b[0])
        points = (
            a,
            (a[0] + reach[0] * out[0], a[1] + reach[0] * out[1]),
            (x, y - before),
            (x, y),
            (x, y + after),
            (b[0] + reach[1] * into[0], b[1] + reach[1] * into[1]),
            b,
        )
        return points, Label(x + side * (6 + width_of(text) / 2), item.y + 4, text)

    def finish(self) -> AutomatonLayout:
        """Return the drawing."""
        curves = {
            pair: self.subject.loop(pair[0], self._middle(pair[0]))
            if pair[0] == pair[1]
            else self._curve(pair)
            for pair in self.subject.symbols
        }
        return self.subject.finish(self._middle, curves)


def _bend(a: Point, heading: Point, b: Point, arriving: Point) -> list[Point]:
    """Return the curve from one point to another with the directions at both."""
    reach = abs(b[0] - a[0]) * 0.5
    return [
        (a[0] + reach * heading[0], a[1] + reach * heading[1]),
        (b[0] - reach * arriving[0], b[1] - reach * arriving[1]),
        b,
    ]


def _part(a: Point, b: Point, share: float) -> Point:
    """Return the point at a share of the way from one point to another."""
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def _rise(before: float, y: float, after: float) -> float:
    """Return how far a passing line extends on each side of its height."""
    if (y - before) * (after - y) <= 0:
        return 0.0
    rise = min(abs(y - before), abs(after - y), 3 * _MOST_RISE) / 3
    return rise if after > before else -rise


def _levels(states: Sequence[int], arrows: dict[Pair, list[str]]) -> dict[int, int]:
    """Return the length of the shortest word to each state; the first one is the start."""
    level = {states[0]: 0}
    following: dict[int, list[int]] = {}
    for source, target in arrows:
        following.setdefault(source, []).append(target)
    queue = [states[0]]
    for state in queue:
        for target in following[state]:
            if target not in level:
                level[target] = level[state] + 1
                queue.append(target)
    return level
