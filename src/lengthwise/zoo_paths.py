"""Models and prepared texts that come with the package by a name, `zoo:NAME`."""

from difflib import get_close_matches
from pathlib import Path

from lengthwise.errors import LengthwiseError, RunError, TextError

PREFIX = "zoo:"

ROOT = Path(__file__).parent / "zoo" / "models"
"""The folder of the models that come with the package."""

CORPORA = Path(__file__).parent / "zoo" / "corpora"
"""The folder of the prepared texts that come with the package."""


def list_shipped() -> list[str]:
    """Return the names of all models, in the order of the alphabet."""
    return sorted(path.parent.name for path in ROOT.glob("*/config.json"))


def is_shipped(path: Path | str) -> bool:
    """Return whether a path is written `zoo:NAME`, or lies in the folder of such a model."""
    return str(path).startswith(PREFIX) or Path(path).is_relative_to(ROOT)


def resolve_path(path: Path | str) -> Path:
    """Return the folder of a model that is written `zoo:NAME`, and any other path as it is.

    Raises:
        RunError: there is no model of this name.
    """
    text = str(path)
    if not text.startswith(PREFIX):
        return Path(path)
    if text.removeprefix(PREFIX) in list_shipped():
        return ROOT / text.removeprefix(PREFIX)
    raise _unknown("model", text, list_shipped(), "`lengthwise zoo` lists them.", RunError)


def resolve_corpus(path: Path | str) -> Path:
    """Return the folder of the corpus `zoo:NAME`, and any other path unchanged.

    Raises:
        TextError: there is no text of this name.
    """
    text = str(path)
    if not text.startswith(PREFIX):
        return Path(path)
    known = sorted(path.parent.name for path in CORPORA.glob("*/index.json"))
    if text.removeprefix(PREFIX) in known:
        return CORPORA / text.removeprefix(PREFIX)
    listed = f"There is {', '.join(PREFIX + name for name in known)}."
    raise _unknown("prepared text", text, known, listed, TextError)


def spell_path(folder: Path) -> str:
    """Return how a folder of the package is written, `zoo:NAME`, and any other as its path."""
    return f"{PREFIX}{folder.name}" if folder.parent in (ROOT, CORPORA) else str(folder)


def _unknown(
    kind: str, text: str, known: list[str], listed: str, error: type[LengthwiseError]
) -> LengthwiseError:
    near = get_close_matches(text.removeprefix(PREFIX).lower(), known, n=3)
    guess = f"Did you mean {' or '.join(PREFIX + name for name in near)}? " if near else ""
    return error(f"there is no {kind} {text!a:.60}. {guess}{listed}")
