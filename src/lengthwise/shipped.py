"""The models that come with the package: run folders that are named `zoo:NAME`."""

from difflib import get_close_matches
from pathlib import Path

from lengthwise.errors import RunError

PREFIX = "zoo:"

ROOT = Path(__file__).parent / "zoo" / "models"
"""The folder of the models that come with the package."""


def shipped_names() -> list[str]:
    """Return the names of all models, in the order of the alphabet."""
    return sorted(path.parent.name for path in ROOT.glob("*/config.json"))


def is_shipped(path: Path | str) -> bool:
    """Return whether a path is written `zoo:NAME`, or lies in the folder of such a model."""
    return str(path).startswith(PREFIX) or Path(path).is_relative_to(ROOT)


def resolved(path: Path | str) -> Path:
    """Return the folder of a model that is written `zoo:NAME`, and any other path as it is.

    Raises:
        RunError: there is no model of this name.
    """
    text = str(path)
    if not text.startswith(PREFIX):
        return Path(path)
    name, known = text.removeprefix(PREFIX), shipped_names()
    if name in known:
        return ROOT / name
    near = get_close_matches(name.lower(), known, n=3)
    guess = f"Did you mean {' or '.join(PREFIX + each for each in near)}? " if near else ""
    raise RunError(f"there is no model {text!a:.60}. {guess}`lengthwise zoo` lists them.")
