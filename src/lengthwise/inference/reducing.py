"""Reducing: merge states of an automaton that fits, as long as local search makes it fit again.

An automaton that fits all words can have more states than the language: what tells two of its
states apart is then met by few words, or by none. If whatever leads to a state leads to another one
instead, about as many words are misjudged as pass it, times the share of endings on which the two
differ. The half of the states for which this is least are merged, or a smaller part; then
transitions are redirected (`refining`) until all words fit.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.refining import refine
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import Read, SearchTask, count_wrong, to_language
from lengthwise.inference.state_merging import bound_wrong_labels
from lengthwise.languages.language import Language

_WORDS = 2_000
"""Words by which merges are chosen and tried first."""

_ENDING = 200
"""Symbols at most of an ending by which two states are compared."""

_SINGLE = 16
"""Merges of two states that are tried, the least costly first."""

_NEARLY = 0.1
"""Share of misjudged words up to which local search may make an automaton fit again."""


def reduce_states(language: Language, task: SearchTask) -> Iterator[Language]:
    """Yield smaller and smaller automata that fit the words, the first one made from `language`."""
    words = np.arange(len(task.sample))
    if len(words) > _WORDS:
        words = np.sort(np.random.default_rng(0).choice(words, _WORDS, replace=False))
    some, before = task.sample.part(words), math.inf
    while task.least_states < language.num_states < before:
        before = language.num_states
        for merged in _merged(language, some, task.read):
            smaller = _refit(merged, some, task)
            if smaller is not None:
                smaller = _refit(smaller, task.sample, task)
            if smaller is not None and smaller.num_states < before:
                yield smaller
                language = smaller
                break


def _refit(language: Language, sample: Sample, task: SearchTask) -> Language | None:
    """Return an automaton that fits words after local search, or None if it does not."""
    enough = bound_wrong_labels(task.noise, sample.num_lines)
    if count_wrong(language, sample) > enough + _NEARLY * sample.num_lines:
        return None
    refined = refine(language, sample, task.read)
    return refined if count_wrong(refined, sample) <= enough else None


def _merged(language: Language, sample: Sample, read: Read) -> Iterator[Language]:
    """Yield automata with fewer states, those with the fewest first."""
    moves, classes = np.array(language.transitions, dtype=np.int64), np.array(language.classes)
    costs = _costs(language, sample)
    read((len(moves) + 1) * int(np.minimum(sample.lengths, _ENDING).sum()))
    nearest = costs.argmin(axis=1)
    order = np.argsort(costs.min(axis=1), kind="stable")
    merges = []
    while len(order := order[: len(order) // 2]) > 1:
        merges.append([(state, nearest[state]) for state in order])
    singles = np.argsort(costs, axis=None, kind="stable")[: min(_SINGLE, costs.size - len(costs))]
    merges += [[divmod(code, len(moves))] for code in singles]
    for pairs in merges:
        into = np.arange(len(moves))
        for state, other in pairs:
            into[into == state] = into[other]
        yield to_language(into[moves], classes, sample, int(into[language.start]))


def _costs(language: Language, sample: Sample) -> NDArray[np.float64]:
    """Return about how many words are misjudged if the first state is led to the other one."""
    moves, classes = np.array(language.transitions, dtype=np.int64), np.array(language.classes)
    begun = np.minimum(np.random.default_rng(0).integers(0, sample.lengths + 1), _ENDING)
    state = np.full(len(sample), language.start)
    passed = np.zeros((len(sample), len(moves)), dtype=bool)
    passed[:, language.start] = True
    ends = np.repeat(np.arange(len(moves))[:, None], len(sample), axis=1)
    for left in range(int(sample.lengths.max(initial=0)), 0, -1):
        rows = np.flatnonzero(sample.lengths >= left)
        state[rows] = moves[state[rows], sample.symbols[rows, left]]
        passed[rows, state[rows]] = True
        rows = np.flatnonzero(begun >= left)
        ends[:, rows] = moves[ends[:, rows], sample.symbols[rows, left]]
    answers = classes[ends]
    alike = sum(
        (answers == each).astype(np.float64) @ (answers == each).T for each in set(language.classes)
    )
    costs = passed.sum(axis=0)[:, None] * (1 - alike / len(sample))
    np.fill_diagonal(costs, np.inf)
    return costs
