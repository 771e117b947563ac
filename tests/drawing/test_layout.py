"""Layouts of automata: no label outside the box, nothing drawn over something else."""

from collections.abc import Iterator
from itertools import combinations, pairwise
from math import hypot
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.drawing.labels import text_width
from lengthwise.drawing.layout import MOST_STATES, is_readable, layout_of
from lengthwise.drawing.shapes import RADIUS, AutomatonLayout, DrawnArrow, Point
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse

Box = tuple[float, float, float, float]
ALPHABETS = ("a", "01", ("login", "logout", "upload"), tuple("abcdefghijklmnopqrstuvwxyz"))


@st.composite
def machines(draw: st.DrawFn, most: int = 14) -> Language:
    count = draw(st.integers(1, most))
    alphabet = tuple(draw(st.sampled_from(ALPHABETS)))
    random = Random(draw(st.integers(0, 10**6)))
    targets = [random.randrange(count) for _ in range(3)]  # few, so that arrows have many symbols
    rows = tuple(
        tuple(random.choice([*targets, random.randrange(count)]) for _ in alphabet)
        for _ in range(count)
    )
    names = draw(st.sampled_from([("0", "1"), ("logged out", "session open"), ("a", "状態")]))
    classes = tuple(random.randrange(2) for _ in range(count))
    return Language(alphabet=alphabet, transitions=rows, classes=classes, class_names=names)


def overlap(a: Box, b: Box) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > 0.01 and min(a[3], b[3]) - max(a[1], b[1]) > 0.01


def boxes_of(layout: AutomatonLayout) -> list[Box]:
    """The boxes of states, and of labels beside them."""
    return [*(s.box for s in layout.states), *(a.label.box for a in layout.arrows)]


def path(arrow: DrawnArrow, steps: int = 12) -> Iterator[Point]:
    """Points of the curves of an arrow."""
    for begin in range(0, len(arrow.points) - 1, 3):
        a, b, c, d = arrow.points[begin : begin + 4]
        for step in range(steps + 1):
            t = step / steps
            w = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            x, y = (w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i] for i in (0, 1))
            yield x, y


@given(machines())
@settings(deadline=None, max_examples=60)
def test_everything_is_within_the_box_and_no_state_or_label_overlaps_another(
    language: Language,
) -> None:
    layout = layout_of(language)
    left, top, right, bottom = layout.box
    for box in boxes_of(layout):
        assert left <= box[0] <= box[2] <= right
        assert top <= box[1] <= box[3] <= bottom
    for arrow in layout.arrows:
        assert all(left <= x <= right and top <= y <= bottom for x, y in path(arrow))
    for a, b in combinations([state.box for state in layout.states], 2):
        assert not overlap(a, b)
    if is_readable(language) and len(layout.arrows) <= 3 * len(layout.states):
        for a, b in combinations(boxes_of(layout), 2):
            assert not overlap(a, b)


@given(machines())
@settings(deadline=None, max_examples=60)
def test_no_arrow_in_columns_passes_a_state_and_loops_are_above_theirs(language: Language) -> None:
    layout = layout_of(language)
    if len(layout.arrows) > 3 * len(layout.states):
        return
    for arrow in layout.arrows:
        ends = {arrow.source, arrow.target}
        for state in layout.states:
            x, y = state.label.x, state.label.y - 4
            flat = state.width / 2 - RADIUS
            for px, py in path(arrow):
                away = hypot(max(0.0, abs(px - x) - flat), py - y)
                assert away > RADIUS - 2 if state.state in ends else away > RADIUS
        if arrow.source == arrow.target:
            own = next(s for s in layout.states if s.state == arrow.source)
            assert arrow.label.box[3] < own.box[1]
            assert min(y for _, y in path(arrow)) < own.box[1] - 15


@given(machines())
@settings(deadline=None, max_examples=30)
def test_arrows_are_those_of_the_automaton_and_lines_do_not_jump(language: Language) -> None:
    layout = layout_of(language)
    states = language.reachable()
    pairs = {(s, t) for s in states for t in language.transitions[s]}
    assert sorted((a.source, a.target) for a in layout.arrows) == sorted(pairs)
    for arrow in layout.arrows:
        steps = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(path(arrow, 40))]
        assert max(steps) < 60
        assert len(arrow.points) % 3 == 1


def test_opposite_arrows_are_apart() -> None:
    layout = layout_of(parse("cycle-navigation"))
    for one, other in combinations(layout.arrows, 2):
        if (one.source, one.target) == (other.target, other.source) and one.source != one.target:
            middle, back = (list(path(each))[len(list(path(each))) // 2] for each in (one, other))
            assert hypot(middle[0] - back[0], middle[1] - back[1]) > 12


def test_forty_states_are_drawn_and_more_or_too_many_arrows_are_not() -> None:
    assert MOST_STATES == 40

    def ring(count: int, symbols: int) -> Language:
        rows = tuple(tuple((s + k + 1) % count for k in range(symbols)) for s in range(count))
        alphabet = tuple(f"x{k}" for k in range(symbols))
        return Language(alphabet=alphabet, transitions=rows, classes=(0,) * (count - 1) + (1,))

    assert is_readable(ring(40, 3))
    assert not is_readable(ring(41, 1))
    assert not is_readable(ring(40, 4))
    assert is_readable(ring(8, 7))
    assert not is_readable(ring(12, 11))
    assert len(layout_of(ring(40, 2)).states) == 40


def test_long_names_make_wide_states_and_are_cut() -> None:
    names = ("session open", "x" * 60)
    language = Language(
        alphabet=("a",), transitions=((1,), (0,)), classes=(0, 1), class_names=names
    )
    first, second = layout_of(language).states
    assert first.label.text == "session open"
    assert first.width > text_width("session open") + RADIUS / 2
    assert second.label.text.endswith("…")
    assert second.width >= text_width(second.label.text)
    assert second.title == f"state 1, class {'x' * 60}"
