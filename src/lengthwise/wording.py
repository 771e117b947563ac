"""Words of messages that several packages share."""


def counted(number: int, noun: str) -> str:
    """Return a number of things in words: `1 step`, `40 steps`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shortened(text: str, longest: int) -> str:
    """Return a text of at most so many characters, the last of which is … if some are left out."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
