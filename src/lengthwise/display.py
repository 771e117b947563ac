"""Views of results in notebooks: the door through which a class reaches its HTML or its drawing.

Views need figures and every package, while languages and proofs need neither. So nothing here names
them: `lengthwise/__init__.py` says which module has them, and it is imported when a view is first
asked for.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from lengthwise.arguments import path_of
from lengthwise.errors import MissingLibraryError
from lengthwise.files import require_name, write_text

views = ""
"""The module with the views: `view_of` returns that of a value, `draw_automaton` a drawing."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing that a notebook shows, and `save` writes."""

    svg: str
    """The SVG element; its lines take the colour of the page."""

    def __repr__(self) -> str:
        return f"Drawing({len(self.svg):,} characters of SVG; save it as FILE.svg)"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Path | str) -> None:
        """Write the drawing.

        Raises:
            ConfigError: the name does not end in `.svg`.
        """
        write_text(require_name(path_of("a drawing", path), ".svg"), self.svg)


def drawing_of(value: object) -> Drawing:
    """Return the drawing of a value.

    Raises:
        ConfigError: it is too large to be drawn.
        MissingLibraryError: a library that draws is not installed.
    """
    return Drawing(import_module(views).draw_automaton(value))


def html_of(value: object) -> str:
    """Return the view of a value as an HTML element that loads nothing from elsewhere."""
    html: str = import_module(views).view_of(value)
    return html


class Viewed:
    """Gives a class the view of its own, or of the class that it derives from, in notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """Return the view as an HTML element that loads nothing from elsewhere, or None without the
        libraries that draw: a notebook then shows the `repr`.
        """
        try:
            return html_of(self)
        except MissingLibraryError:
            return None
