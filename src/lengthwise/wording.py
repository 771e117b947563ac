"""Words of messages that several packages share."""


def counted(number: int, noun: str) -> str:
    """Return a number of things in words: `1 step`, `40 steps`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
