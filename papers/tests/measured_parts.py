"""A measurement of a part, in a module that the processes of a test can import, too."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lengthwise_papers.experiment import Record


def square(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Fails for 13; otherwise counts how often it is called."""
    if settings["value"] == 13:
        raise ArithmeticError("13")
    with (folder / "calls").open("a") as file:
        file.write("x")
    return [{"value": settings["value"], "square": settings["value"] ** 2}]
