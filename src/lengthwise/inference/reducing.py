"""Reducing: merge states of an automaton that fits, as long as local search makes it fit again.

An automaton that fits all words can have more states than the language: what tells two of its
states apart is then met by few words, or by none. If whatever leads to a state leads to another one
instead, about as many words are misjudged as pass it, times the share of endings on which the two
differ. The half of the states for which this is least are merged, or a smaller part; then
transitions are redirected (`refining`) until all words fit.

Of many words a part is used, until no smaller automaton fits it; then the smallest of these that
fits all. Where labels may be wrong, one that is too small can fit, too; so each step fits all.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.refining import refine
from lengthwise.inference.sample import Array, Sample
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

_ENTRIES = 2**29
"""Greatest number of words, times transitions, by which transitions are redirected."""


def reduce_states(language: Language, task: SearchTask) -> Iterator[Language]:
    """Yield smaller and smaller automata that fit the words, the first one made from `language`."""
    samples, rows = [task.sample], np.arange(len(task.sample))
    if len(rows) > _WORDS:
        part = np.sort(np.random.default_rng(0).choice(rows, _WORDS, replace=False))
        samples.insert(0, task.sample.part(part))
        if task.noise == 0:
            for smaller in reversed(list(_descend(language, samples[:1], task))):
                fitting = _refit(smaller, samples[1:], task)
                if fitting is not None:
                    yield (language := fitting)
                    break
    yield from _descend(language, samples, task)


def _descend(language: Language, samples: Sequence[Sample], task: SearchTask) -> Iterator[Language]:
    """Yield smaller and smaller automata, each made from the one before, that fit all samples."""
    smaller: Language | None = language
    while smaller is not None and smaller.num_states > task.least_states:
        merged = _merged(smaller, samples[0], task.read)
        refitted = (_refit(each, samples, task) for each in merged)
        smaller = next((each for each in refitted if each is not None), None)
        if smaller is not None:
            yield smaller


def _refit(language: Language, samples: Sequence[Sample], task: SearchTask) -> Language | None:
    """Return an automaton that fits words after local search, or None if it does not; it has to
    fit each sample before the next one is tried."""
    for sample in samples:
        if len(sample) * language.num_states * language.num_symbols > _ENTRIES:
            return None
        task.read(int(sample.lengths.sum()))
        enough = bound_wrong_labels(task.noise, sample.num_lines)
        if count_wrong(language, sample) > enough + _NEARLY * sample.num_lines:
            return None
        language = refine(language, sample, task.read)
        if count_wrong(language, sample) > enough:
            return None
    return language


def _merged(language: Language, sample: Sample, read: Read) -> Iterator[Language]:
    """Yield automata with fewer states, those with the fewest first."""
    moves, classes = np.array(language.transitions, dtype=np.int64), np.array(language.classes)
    costs = _costs(moves, classes, language.start, sample, read)
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


def _costs(
    moves: Array, classes: Array, start: int, sample: Sample, read: Read
) -> NDArray[np.float64]:
    """Return about how many words are misjudged if the first state is led to the other one."""
    begun = np.minimum(np.random.default_rng(0).integers(0, sample.lengths + 1), _ENDING)
    state = np.full(len(sample), start)
    passed = np.zeros((len(sample), len(moves)), dtype=bool)
    passed[:, start] = True
    ends = np.repeat(np.arange(len(moves))[:, None], len(sample), axis=1)
    for left in range(int(sample.lengths.max(initial=0)), 0, -1):
        rows = np.flatnonzero(sample.lengths >= left)
        state[rows] = moves[state[rows], sample.symbols[rows, left]]
        passed[rows, state[rows]] = True
        ending = np.flatnonzero(begun >= left)
        ends[:, ending] = moves[ends[:, ending], sample.symbols[ending, left]]
        read(len(rows) + len(moves) * len(ending))
    answers = classes[ends]
    alike = sum((answers == each).astype(np.float64) @ (answers == each).T for each in set(classes))
    costs = passed.sum(axis=0)[:, None] * (1 - alike / len(sample))
    np.fill_diagonal(costs, np.inf)
    return costs
