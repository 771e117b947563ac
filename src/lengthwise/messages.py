"""Words of messages that several packages share."""

from collections.abc import Mapping
from typing import Any


def format_count(number: int, noun: str) -> str:
    """Return a number of things in words: `1 step`, `40 steps`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shorter_words(validation: Mapping[str, Any]) -> str:
    """Return which words a validation judged if they had not grown to their full length, or ""."""
    if not shorter_mark(validation):
        return ""
    longest, full = validation["longest"], validation["grows_to"]
    return f" of at most {format_count(longest, 'symbol')} (words had not grown to {full:,})"


def shorter_mark(validation: Mapping[str, Any]) -> str:
    """Return the same for a cell of a table, such as ` (to 3)`."""
    longest, full = validation.get("longest"), validation.get("grows_to")
    return "" if longest is None or full is None or longest >= full else f" (to {longest})"


def shorten(text: str, longest: int) -> str:
    """Return the string cut to `longest` characters; a cut one ends in …."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
