"""The outcome of training towards a proof, in words."""

from collections.abc import Mapping
from typing import Any

from lengthwise.wording import counted

_SHOWN = 60
"""Greatest number of characters that are shown of a wrong word."""


def proof_in_words(facts: Mapping[str, Any]) -> str:
    """Say whether a proof closed, where training tries one, or how far a model is right."""
    if facts["proved"] is None:
        return ""
    if facts["proved"]:
        return "proved at every length; "
    if facts["wrong_chunks"]:
        wrong = facts["wrong_chunks"]
        return f"not proved: wrong on {counted(wrong, 'chunk')} of codes; "
    if facts["wrong_chunks"] == 0:
        return "not proved: no chunk of codes is wrong, but rounding could change an answer; "
    right, word = facts["right_to"], facts["first_wrong"]
    if right is None:
        return "not proved: right as far as explored, but rounding could change an answer; "
    if right < 0:
        return "not proved: the empty word is wrong; "
    if word is None:
        return f"not proved: right to length {right}; "
    brief = word if len(word) <= _SHOWN else f"{word[:_SHOWN]}..."
    return f"not proved: right to length {right}, first wrong word {brief}; "
