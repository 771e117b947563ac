"""The line on how training on a language ended."""

from collections.abc import Mapping
from typing import Any

from lengthwise.wording import counted

_SHOWN = 60
"""Greatest number of characters that are shown of a wrong word."""


def proof_told(facts: Mapping[str, Any]) -> str:
    """Say whether a proof closed, where training tries one, or how far a model is right.

    Of a network that was told labels alone, say how many states its own automaton has.
    """
    if facts["states"] is not None:
        return f"settled on an automaton of {counted(facts['states'], 'state')}; "
    if facts["proved"] is None:
        return ""
    return "proved at every length; " if facts["proved"] else f"not proved: {_fault(facts)}; "


def _fault(facts: Mapping[str, Any]) -> str:
    if facts["wrong_chunks"]:
        wrong = facts["wrong_chunks"]
        return f"wrong on {counted(wrong, 'chunk')} of codes"
    if facts["wrong_chunks"] == 0:
        return "no chunk of codes is wrong, but rounding could change an answer"
    right, word = facts["right_to"], facts["first_wrong"]
    if right is None:
        return "right as far as explored, but rounding could change an answer"
    if right < 0:
        return "the empty word is wrong"
    if word is None:
        return f"right to length {right}"
    brief = word if len(word) <= _SHOWN else f"{word[:_SHOWN]}..."
    return f"right to length {right}, first wrong word {brief}"
