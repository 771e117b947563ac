"""Automata as SVG elements that need nothing else: no fonts, no style sheet, no library."""

from html import escape

from lengthwise.drawing.labels import FONT_SIZE, Written
from lengthwise.drawing.layout import layout_of
from lengthwise.drawing.shapes import HEAD, RADIUS, AutomatonLayout, DrawnArrow, DrawnState, Label
from lengthwise.escapes import printable
from lengthwise.languages.language import Language

BLUE = "#4a8fd0"
"""Colour of arrows: readable on white and on black."""

_SMALLEST = 0.75
"""Scale down to which a drawing shrinks on a narrow page, which then scrolls."""


def automaton_svg(language: Language, written: Written | None = None) -> str:
    """Draw the automaton over all words; lines and names take the colour of the page's text.

    With `written`, arrows of an automaton of a function show its outputs.

    >>> from lengthwise.languages.regex import from_regex
    >>> automaton_svg(from_regex("(aa)*")).count("<circle")
    0
    """
    layout = layout_of(language, written=written)
    left, top, right, bottom = layout.box
    width, height = right - left, bottom - top
    states = "state" if len(layout.states) == 1 else "states"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" role="img" '
            f'aria-label="Automaton with {len(layout.states)} {states}" class="automaton" '
            f'font-family="system-ui, sans-serif" font-size="{FONT_SIZE}" text-anchor="middle" '
            f'fill="none" stroke-width="1.3" style="width: 100%; height: auto; '
            f'max-width: {width:.0f}px; min-width: {_SMALLEST * width:.0f}px">',
            *map(_arrow, layout.arrows),
            _start(layout),
            *map(_state, layout.states),
            "</svg>\n",
        ]
    )


def svg_path(arrow: DrawnArrow) -> str:
    """Return the curve of an arrow, without its head, as the `d` of a path."""
    first, *others = (f"{x:.1f},{y:.1f}" for x, y in arrow.points)
    return f"M{first} C{' '.join(others)}"


def head_of(arrow: DrawnArrow) -> str:
    """Return the head of an arrow as the `d` of a path."""
    return _head(arrow.points[-1], arrow.tip)


def start_of(layout: AutomatonLayout) -> tuple[str, str]:
    """Return the line that points to the start state, and its head, each as the `d` of a path."""
    x, y = layout.start
    tip = (layout.states[0].box[0], y)
    return f"M{x:.1f},{y:.1f} H{tip[0] - HEAD:.1f}", _head((tip[0] - HEAD, y), tip)


def _head(base: tuple[float, float], tip: tuple[float, float]) -> str:
    dx, dy = 0.42 * (tip[0] - base[0]), 0.42 * (tip[1] - base[1])
    corners = (base[0] - dy, base[1] + dx), tip, (base[0] + dy, base[1] - dx)
    return f"M{' L'.join(f'{x:.1f},{y:.1f}' for x, y in corners)} z"


def _arrow(arrow: DrawnArrow) -> str:
    return (
        f"<g><title>{_text(arrow.title)}</title>"
        f'<path d="{svg_path(arrow)}" stroke="{BLUE}"/><path d="{head_of(arrow)}" fill="{BLUE}"/>'
        f"{_label(arrow.label)}</g>"
    )


def _start(layout: AutomatonLayout) -> str:
    line, head = start_of(layout)
    return f'<path d="{line}" stroke="currentColor"/><path d="{head}" fill="currentColor"/>'


def _state(state: DrawnState) -> str:
    left, top, right, _ = state.box
    dashes = ' stroke-dasharray="4 3"' if state.is_dashed else ""
    outlines = ""
    for inset in (0.0, 3.5) if state.is_double else (0.0,):
        x, y, width, height = left + inset, top + inset, right - left, 2 * (RADIUS - inset)
        outlines += (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 2 * inset:.1f}" height="{height:g}" '
            f'rx="{height / 2:g}" stroke="currentColor"{dashes}/>'
        )
    return f"<g><title>{_text(state.title)}</title>{outlines}{_label(state.label)}</g>"


def _label(label: Label) -> str:
    return (
        f'<text x="{label.x:.1f}" y="{label.y:.1f}" fill="currentColor">{_text(label.text)}</text>'
    )


def _text(text: str) -> str:
    return escape(printable(text))
