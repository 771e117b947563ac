"""The support of an automaton: the words that each transition and each class of it rests on.

Merging leads an edge that no word passes back to its own state, and gives a state in which no word
ends the commonest class. Both are guesses, and so is each answer that rests on one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lengthwise.inference.distinguish import words_at_transitions
from lengthwise.inference.sample import Sample, states_of
from lengthwise.languages.language import Language
from lengthwise.languages.validation import short


@dataclass(frozen=True, slots=True)
class Support:
    """The number of different words behind each part of an automaton."""

    passed: tuple[tuple[int, ...], ...]
    """Words that pass each transition, `[state][symbol]`."""
    ended: tuple[int, ...]
    """Words that end in each state."""

    @classmethod
    def of(cls, language: Language, sample: Sample) -> "Support":
        """Count labelled words."""
        ended = np.bincount(states_of(language, sample), minlength=language.num_states)
        passed = words_at_transitions(language, sample)
        return cls(tuple(map(tuple, passed.tolist())), tuple(ended.tolist()))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Support":
        """Return what `to_dict` stored."""
        return cls(tuple(map(tuple, values["passed"])), tuple(values["ended"]))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    def least(self, language: Language, word: Sequence[int]) -> tuple[int, str]:
        """Return the least number of words that a part of a word's path rests on, and that part."""
        state, counts = language.start, []
        for symbol in word:
            counts.append(self.passed[state][symbol])
            state = language.transitions[state][symbol]
        counts.append(self.ended[state])
        least = min(counts)
        at = counts.index(least)
        before = language.decode(tuple(word[:at]))
        place = f"after {short(before)}" if before else "at the start"
        if at == len(word):
            return least, f"ends in the state {place}"
        return least, f"passes {short(language.alphabet[word[at]])} {place}"
