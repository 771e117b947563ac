"""Splitting: automata in which most symbols change nothing, from many words with wrong labels.

In a log most events leave the state as it is, and what tells two states apart comes long after what
led to them. So a state is split by what marks a visit (`visits`), together with the symbol that
leads elsewhere from the new state; a transition is redirected; and two states are merged. All such
changes are compared by one reading of the words, the best ones by the bits that they save, and the
best one is made, as long as bits are saved.

Bits of the automaton count for less at first: it grows beyond what is needed, until its parts fit
one another and what is superfluous can go.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lengthwise.inference.explaining import ByAlarms, ByEnd, Candidate, LabelExplanation
from lengthwise.inference.hill_climbing import DrawnWords, moves_of
from lengthwise.inference.local_search import drop_states
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import Attempt, Read, Searcher, SearchTask
from lengthwise.inference.visits import Passes, passes_of, split_at
from lengthwise.languages.language import Language

_SYMBOLS = 100_000
"""Symbols of the words by which the first attempts change an automaton."""

_DOUBLINGS = 2
"""Greatest number of times that later attempts double them."""

_PART = 0.75
"""Share of the words that later attempts use at most, so that they do not repeat the first."""

_LIGHT = (0.25, 0.1)
"""Weights, by turns, of the bits of an automaton that may grow beyond what is needed."""

_STATES = 10
"""Greatest number of states."""

_ENTRIES = 2**24
"""Greatest number of counts by which changes are compared."""

_COUNTED_AS_ONE = 8
"""Symbols of packed words that count as one, though they take the time of about 25: splitting has
25 times as much of the time as a searcher of share 1."""

_COMPARED = 2**23
"""Symbols of words, times symbols of the alphabet, up to which all changes of an automaton are
compared by all words."""

_RARE = 0.2
"""A class is rare if its share of the words is below this part of the average share of a class."""

_LEAST_GAIN = 0.5
"""Bits that a change must save."""


class Splitting(Searcher):
    """Grows automata from one state, by the changes that save most bits."""

    name = "splitting"

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """By turns, read classes off the ends of words, and off alarms for one of the classes.

        Without wrong labels, other searchers are faster, unless a class is rare.
        """
        if not task.noise and task.sample.shares.min() > _RARE / task.sample.num_classes:
            return None
        search = _Search.of(number, task)
        if search.most_states < 2:
            return None
        classes = np.argsort(task.sample.shares, kind="stable")
        turn, kind = divmod(number, len(classes) + 1)
        light = _LIGHT[turn % len(_LIGHT)]
        moves = np.zeros((1, task.sample.num_symbols), dtype=np.int64)
        if kind:
            alarms = ByAlarms(search.sample, int(classes[kind - 1]), task.noise)
            moves, _ = search.change(alarms, moves, light)
            moves = alarms.with_alarm(moves)
        elif turn:
            moves, _ = search.change(ByEnd(search.sample), moves, light)
        moves, _ = search.change(ByEnd(search.sample), moves, 1.0)
        return DrawnWords.of(task, np.random.default_rng(number)).result(moves)


def settle(task: SearchTask) -> Language | None:
    """Return what becomes of the best automaton of a task by changes as long as they save bits.

    A change is one that splitting makes, another start, or two redirections, of some that are
    drawn. If none saves bits, that is the automaton itself. If there are too many changes to
    compare all, return None.
    """
    sample = task.sample
    most = min(_STATES, task.max_states, _most_compared(sample))
    work = int(sample.lengths.sum()) * sample.num_symbols
    if task.best is None or task.best.num_states >= most or work > _COMPARED:
        return None
    search, words = _Search(sample, most, task.read), DrawnWords.of(task, np.random.default_rng(0))
    local, moves, bits = words.search(len(sample), np.inf), moves_of(task.best), np.inf
    while True:
        changed, fewer = search.change(ByEnd(sample), moves, 1.0)
        if fewer > bits - _LEAST_GAIN:
            break
        settled, bits, moves = changed, fewer, changed.copy()
        if not (local.restart(moves) or local.redirect_two(moves)):
            break
    return None if len(settled) == most else words.result(settled).language


def _most_compared(sample: Sample) -> int:
    """Return the number of states up to which all changes of an automaton are compared at once."""
    entries_per_state = sample.num_classes * sample.num_symbols**2
    return int(round((_ENTRIES / entries_per_state) ** (1 / 3), 9))


@dataclass(slots=True)
class _Search:
    """The words of an attempt."""

    sample: Sample
    most_states: int
    read: Read

    @classmethod
    def of(cls, number: int, task: SearchTask) -> "_Search":
        draw, sample = np.random.default_rng(number), task.sample
        turn = number // (sample.num_classes + 1)
        symbols = _SYMBOLS * 2 ** min(turn, _DOUBLINGS)
        order = draw.permutation(len(sample))
        enough = np.searchsorted(np.cumsum(sample.lengths[order]), symbols, side="right")
        most_words = len(sample) if turn == 0 else _PART * len(sample)
        part = sample.part(np.sort(order[: max(min(int(enough), int(most_words)), 1)]))
        return cls(part, min(_STATES, task.max_states, _most_compared(sample)), task.read)

    def change(
        self, explanation: LabelExplanation, moves: Array, weight: float
    ) -> tuple[Array, float]:
        """Change an automaton as long as that saves bits; return what it becomes, and its bits with
        those of the labels."""
        now = Candidate(moves, np.arange(len(moves)))
        bits = float(explanation.bits([now], weight)[0])
        explanation.adopt(now)
        while True:
            for kind in (self._changes, self._merges):
                candidates = list(kind(explanation, now.moves))
                candidate_bits = explanation.bits(candidates, weight)
                work = (len(candidates) + len(now.moves)) * int(self.sample.lengths.sum())
                self.read(work // _COUNTED_AS_ONE)
                if len(candidate_bits) and candidate_bits.min() < bits - _LEAST_GAIN:
                    now, bits = (
                        candidates[int(candidate_bits.argmin())],
                        float(candidate_bits.min()),
                    )
                    explanation.adopt(now)
                    break
            else:
                return now.moves, bits

    def _changes(self, explanation: LabelExplanation, moves: Array) -> Iterator[Candidate]:
        """Yield the most promising redirections and splits."""
        states, symbols = moves.shape
        own_states = np.arange(states)
        edges, splits = passes_of(moves, self.sample)
        self.read(0)  # may end the attempt
        for edge, target in _best(explanation, moves, edges, moves.size):
            if target < states and target != moves.ravel()[edge]:
                other = moves.copy()
                other.ravel()[edge] = target
                yield Candidate(other, own_states)
        if states < self.most_states:
            for code, target in _best(explanation, moves, splits, moves.size * symbols):
                edge, symbol = divmod(code, symbols)
                other = split_at(moves, edge)
                if target < states:
                    other[states, symbol] = target
                yield Candidate(other, np.append(own_states, moves.ravel()[edge]))

    def _merges(self, explanation: LabelExplanation, moves: Array) -> Iterator[Candidate]:
        """Yield all automata with a state less."""
        states = np.arange(len(moves))
        left = np.repeat(states[1:], len(moves) - 1)
        for other, state in zip(drop_states(moves), left, strict=True):
            yield Candidate(other, np.delete(states, state))


def _best(
    explanation: LabelExplanation, moves: Array, passes: Passes, count: int
) -> Iterator[tuple[int, int]]:
    """Yield the codes and targets that gain most, about, the best first."""
    gains = explanation.gains(moves, passes, count)
    order = np.argsort(-gains, axis=None, kind="stable")[: explanation.most_candidates]
    for place in order.tolist():
        yield divmod(place, gains.shape[1])
