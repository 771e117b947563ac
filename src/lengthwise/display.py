"""Views of results in notebooks: the door through which every class reaches its HTML.

Views need figures and every package, while languages and proofs need neither. So nothing here names
them: `lengthwise/__init__.py` says which module has them, and it is imported when a view is first
asked for.
"""

from importlib import import_module

from lengthwise.errors import MissingLibraryError

views = ""
"""The module with the views, whose `view_of` returns that of a value."""


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
