"""Pictures of automata: SVG by our own writer, PDF and PNG by matplotlib."""

from html import escape

from lengthwise.drawing.layout import MOST_STATES, is_readable
from lengthwise.drawing.svg import automaton_svg
from lengthwise.errors import ConfigError
from lengthwise.escapes import printable
from lengthwise.exports.format import Exported, Format
from lengthwise.languages.language import Language
from lengthwise.messages import format_count


def require_readable(language: Language) -> None:
    """Refuse an automaton with too many states or arrows for a picture.

    Raises:
        ConfigError: it is too large.
    """
    if not is_readable(language):
        states = language.reachable()
        arrows = len({(s, target) for s in states for target in language.transitions[s]})
        raise ConfigError(
            f"an automaton of {format_count(len(states), 'state')} and "
            f"{format_count(arrows, 'arrow')} is too large to draw (at most {MOST_STATES} states). "
            f"Save it as .dot for Graphviz."
        )


class Svg(Format):
    """Writes a picture that a browser shows."""

    summary = "a picture for web pages"

    def content(self, exported: Exported) -> str:
        """Return the SVG element, with the notes as its description."""
        require_readable(exported.language)
        svg = automaton_svg(exported.language)
        notes = escape(printable(" ".join(exported.notes)))
        return svg.replace(">", f"><desc>{notes}</desc>", 1) if notes else svg
