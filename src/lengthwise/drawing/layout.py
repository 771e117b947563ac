"""Layout of an automaton: in columns, or on a circle if it has many arrows for its states."""

from lengthwise.drawing.circle import on_circle
from lengthwise.drawing.labels import Written
from lengthwise.drawing.layered import in_columns
from lengthwise.drawing.shapes import AutomatonLayout, Drawable
from lengthwise.errors import ConfigError
from lengthwise.languages.language import Language
from lengthwise.messages import format_count

MOST_STATES = 40
MOST_ARROWS = 120

_DENSE = 3.5
"""Arrows for each state from which on columns would have too many to follow."""

_MOST_ON_CIRCLE = 70


def layout_of(
    language: Language, num_classes: int | None = None, written: Written | None = None
) -> AutomatonLayout:
    """Lay out the reachable states of the automaton over all words.

    States of class 1 of two-class languages are double circles, and states outside the domain are
    dashed: those of class `num_classes` and beyond, if it is given. Each state has the name of its
    class. Arrows of an automaton of a function also show what it has `written`.
    """
    subject = Drawable(language, num_classes, written)
    return on_circle(subject) if _is_dense(subject) else in_columns(subject)


def is_readable(language: Language) -> bool:
    """Return whether an automaton has few enough states and arrows to be drawn."""
    if len(language.total().reachable()) > MOST_STATES:
        return False
    subject = Drawable(language)
    return len(subject.symbols) <= (_MOST_ON_CIRCLE if _is_dense(subject) else MOST_ARROWS)


def require_readable(language: Language) -> None:
    """Refuse an automaton with too many states or arrows for a drawing.

    Raises:
        ConfigError: it is too large.
    """
    if is_readable(language):
        return
    states = language.reachable()
    arrows = {(state, target) for state in states for target in language.transitions[state]}
    raise ConfigError(
        f"an automaton of {format_count(len(states), 'state')} and "
        f"{format_count(len(arrows), 'arrow')} is too large to draw. Save it as .dot for Graphviz."
    )


def _is_dense(subject: Drawable) -> bool:
    return len(subject.lines) > _DENSE * len(subject.states)
