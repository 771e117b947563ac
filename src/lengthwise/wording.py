"""Words of messages that several packages share."""

from collections.abc import Mapping
from typing import Any


def counted(number: int, noun: str) -> str:
    """Return a number of things in words: `1 step`, `40 steps`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shorter_words(validation: Mapping[str, Any]) -> str:
    """Return which words a validation judged if they had not grown to their full length, or ""."""
    longest, full = validation.get("longest"), validation.get("grows_to")
    if longest is None or full is None or longest >= full:
        return ""
    return f" of at most {counted(longest, 'symbol')}, since words had not grown to {full:,}"


def shortened(text: str, longest: int) -> str:
    """Return a text of at most so many characters, the last of which is … if some are left out."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
