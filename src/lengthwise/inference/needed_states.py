"""Needed states: beginnings of words that lead to different states prove that so many are needed.

It makes no automaton. What it proves ends a search for fewer states than are needed, and exact
search begins with it.
"""

import numpy as np

from lengthwise.inference.distinguish import choose_distinguished
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import Attempt, Searcher, SearchTask

_TELLING = 2_000
"""Number of the shortest words that are searched for distinguished beginnings."""


class NeededStates(Searcher):
    """Proves that a number of states is needed; labels must be right."""

    name = "needed states"

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Compare beginnings of the shortest words, once."""
        if number or task.noise > 0:
            return None
        words = shortest_words(task.sample)
        beginnings = choose_distinguished(words, task.max_states + 1, task.read)
        return Attempt(None, least_states=max(len(beginnings), len(np.unique(words.classes)), 1))


def shortest_words(sample: Sample) -> Sample:
    """Return the shortest words, as many as are searched for distinguished beginnings."""
    return sample.part(np.arange(min(len(sample), _TELLING)))
