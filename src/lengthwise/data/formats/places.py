"""Places in files, as messages name them."""

from pathlib import Path
from typing import NamedTuple


class Place(NamedTuple):
    """A line, row or trace of a file.

    >>> str(Place(Path("own.tsv"), "line", 3))
    'own.tsv, line 3'
    """

    path: Path
    unit: str
    number: int

    def __str__(self) -> str:
        return f"{self.path}, {self.unit} {self.number}"
