"""The card that every view is: a title, facts, pictures, bars and a list, in one style."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from lengthwise.templates import template

Tone: TypeAlias = Literal["good", "bad", "open"]
"""The colour of a badge."""


class Bar(NamedTuple):
    """A row of a table with a bar."""

    name: str
    value: str
    share: float
    """Length of the bar, from 0 to 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """The content of a view; all texts are escaped, pictures are SVG elements."""

    title: str
    badge: str = ""
    """A verdict in a word or two, beside the title."""
    tone: Tone = "open"
    """Colour of the badge."""
    subtitle: str = ""
    pictures: tuple[str, ...] = ()
    facts: list[tuple[str, str]] = field(default_factory=list)
    columns: tuple[str, ...] = ()
    """Names of the columns of the bars, or of the rows."""
    bars: list[Bar] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    """Cells of a table without bars."""
    summary: str = ""
    """Heading of the points."""
    points: tuple[str, ...] = ()
    """Lines below a heading that can be opened."""


def html(card: Card) -> str:
    """Return a card as an HTML element, readable on light and on dark pages."""
    return template("lengthwise.notebooks", "card.html").render(card=card)
