"""Layout of an automaton: in columns, or on a circle if it has many arrows for its states."""

from lengthwise.drawing.circle import on_circle
from lengthwise.drawing.layered import in_columns
from lengthwise.drawing.shapes import AutomatonLayout, Drawable
from lengthwise.languages.language import Language

MOST_STATES = 40
MOST_ARROWS = 120

_DENSE = 3.5
"""Arrows for each state from which on columns would have too many to follow."""

_MOST_ON_CIRCLE = 70


def layout_of(language: Language, num_classes: int | None = None) -> AutomatonLayout:
    """Lay out the reachable states of the automaton over all words.

    States of class 1 of two-class languages are double circles, and states outside the domain are
    dashed: those of class `num_classes` and beyond, if it is given. Each state has the name of its
    class.
    """
    subject = Drawable(language, num_classes)
    return on_circle(subject) if _is_dense(subject) else in_columns(subject)


def is_readable(language: Language) -> bool:
    """Return whether an automaton has few enough states and arrows to be drawn."""
    if len(language.total().reachable()) > MOST_STATES:
        return False
    subject = Drawable(language)
    return len(subject.symbols) <= (_MOST_ON_CIRCLE if _is_dense(subject) else MOST_ARROWS)


def _is_dense(subject: Drawable) -> bool:
    return len(subject.lines) > _DENSE * len(subject.states)
