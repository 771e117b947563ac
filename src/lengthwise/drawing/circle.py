"""Layout of an automaton with many arrows: states on a circle, where no line passes a third one."""

from collections.abc import Sequence
from math import atan2, cos, hypot, pi, sin

from lengthwise.drawing.labels import FONT_SIZE, Pair
from lengthwise.drawing.labels import text_width as width_of
from lengthwise.drawing.shapes import HEAD, AutomatonLayout, Curve, Drawable, Label, Point

_BEND = 0.12
"""How far a line leaves the straight one, for its length."""

_ALONG = (0.3, 0.25, 0.35, 0.2, 0.4, 0.45, 0.5, 0.55, 0.6)
"""Shares of the way from its source at which an arrow may have its label."""

Box = tuple[float, float, float, float]


def on_circle(subject: Drawable) -> AutomatonLayout:
    """Lay out an automaton clockwise from the left, in the order of the lengths of words."""
    states = subject.states
    apart = max(subject.widths.values()) + 30 + 4 * len(subject.lines) / len(states)
    radius = max(80.0, len(states) * apart / (2 * pi))
    angles = {state: pi + 2 * pi * n / len(states) for n, state in enumerate(states)}
    places = {s: (radius * cos(angle), radius * sin(angle)) for s, angle in angles.items()}
    boxes = [
        (x - subject.widths[s] / 2, y - 17, x + subject.widths[s] / 2, y + 17)
        for s, (x, y) in places.items()
    ]
    curves: dict[Pair, Curve] = {}
    for pair in subject.symbols:
        if pair[0] == pair[1]:
            angle = -pi / 2 if pair[0] == states[0] else angles[pair[0]]
            curves[pair] = subject.loop(pair[0], places[pair[0]], angle)
            boxes.append(curves[pair][1].box)
    for pair in subject.lines:
        curves[pair] = _curve(subject, pair, places, boxes)
    return subject.finish(places.__getitem__, curves)


def _curve(subject: Drawable, pair: Pair, places: dict[int, Point], boxes: list[Box]) -> Curve:
    """Return a bent line with a label where there is room, whose box joins the others."""
    (ax, ay), (bx, by) = places[pair[0]], places[pair[1]]
    length = hypot(bx - ax, by - ay)
    bend = (_BEND * length + 5) / length
    middle = ((ax + bx) / 2 + bend * (by - ay), (ay + by) / 2 - bend * (bx - ax))
    a = subject.edge_of(pair[0], (ax, ay), atan2(middle[1] - ay, middle[0] - ax))
    b = subject.edge_of(pair[1], (bx, by), atan2(middle[1] - by, middle[0] - bx), HEAD)
    points = (
        a,
        *((end[0] / 3 + 2 * middle[0] / 3, end[1] / 3 + 2 * middle[1] / 3) for end in (a, b)),
        b,
    )
    text = subject.labels[pair]
    away = 8 / length
    candidates = []
    for share in _ALONG:
        x, y = _on_curve(points, share)
        for side in (1, -1):
            shift = side * away * (1 + (width_of(text) / 14 - 0.5) * abs(by - ay) / length)
            place = (x + shift * (by - ay), y - shift * (bx - ax) + FONT_SIZE / 2 - 2)
            candidates.append(Label(*place, text))
    label = min(candidates, key=lambda each: sum(_overlap(each.box, box) for box in boxes))
    boxes.append(label.box)
    return points, label


def _on_curve(points: Sequence[Point], share: float) -> Point:
    rest = 1 - share
    weights = (rest**3, 3 * rest**2 * share, 3 * rest * share**2, share**3)
    x, y = (sum(w * p[axis] for w, p in zip(weights, points, strict=True)) for axis in (0, 1))
    return x, y


def _overlap(a: Box, b: Box) -> float:
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    return max(0.0, across) * max(0.0, down)
