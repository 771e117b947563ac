"""Pictures of automata: SVG by our own writer, PDF and PNG by matplotlib (`exports.figure`)."""

from html import escape

from lengthwise.drawing.layout import require_readable
from lengthwise.drawing.svg import automaton_svg
from lengthwise.escapes import printable
from lengthwise.exports.format import Exported, Format


class Svg(Format):
    """Writes a picture that a browser shows."""

    summary = "a picture for web pages"

    def content(self, exported: Exported) -> str:
        """Return the SVG element, with the notes as its description."""
        require_readable(exported.language)
        svg = automaton_svg(exported.language)
        notes = escape(_notes(exported))
        return svg.replace(">", f"><desc>{notes}</desc>", 1) if notes else svg


class Pdf(Format):
    """Writes a picture for a paper; strings have 9 points at most."""

    summary = "a picture for papers"

    def content(self, exported: Exported) -> bytes:
        """Return the file, with the notes as its subject."""
        require_readable(exported.language)
        from lengthwise.analysis.figures import to_pdf_as_drawn
        from lengthwise.exports.figure import automaton_figure

        return to_pdf_as_drawn(automaton_figure(exported.language), _notes(exported))


class Png(Format):
    """Writes a picture of pixels on white."""

    summary = "a picture of pixels"

    def content(self, exported: Exported) -> bytes:
        """Return the file, with the notes as its description."""
        require_readable(exported.language)
        from lengthwise.analysis.figures import to_png
        from lengthwise.exports.figure import automaton_figure

        return to_png(automaton_figure(exported.language), _notes(exported))


def _notes(exported: Exported) -> str:
    return printable(" ".join(exported.notes))
