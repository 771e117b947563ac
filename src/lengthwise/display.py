"""Views of results in notebooks: the door through which every class reaches its HTML.

The views need figures and every package, while languages need neither, so a view is imported when
it is first asked for.
"""

from collections.abc import Callable
from typing import Any

from lengthwise.registry import Catalogue

VIEWS: Catalogue[Callable[[Any], str]] = Catalogue(
    "notebook view",
    {
        "Certificate": "lengthwise.notebooks.views:of_certificate",
        "Construction": "lengthwise.notebooks.views:of_construction",
        "Evaluation": "lengthwise.notebooks.views:of_evaluation",
        "Findings": "lengthwise.notebooks.views:of_findings",
        "Inference": "lengthwise.notebooks.views:of_inference",
        "Language": "lengthwise.notebooks.views:of_language",
        "Run": "lengthwise.notebooks.views:of_run",
        "Scores": "lengthwise.notebooks.views:of_scores",
        "StepTask": "lengthwise.notebooks.views:of_step_task",
    },
)
"""The function that writes the HTML of a class, by the name of the class."""


class Viewed:
    """Gives a class the view of its name, or of the class that it derives from, in notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the view as an HTML element that loads nothing from elsewhere."""
        names = (kind.__name__ for kind in type(self).__mro__)
        return VIEWS[next(name for name in names if name in VIEWS)](self)
