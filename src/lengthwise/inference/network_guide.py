"""Networks as guides: a recurrence learns the words, and local search begins with its result.

The recurrence is a `SoftAutomaton`. Each attempt trains one with another number of states for a
fixed number of steps, reads the automaton that its transitions are nearest to, and corrects that by
the words. Few attempts succeed, and one takes about a second; what succeeds is often what climbing
from one state does not reach.
"""

import math

import numpy as np

from lengthwise.inference.hill_climbing import DrawnWords, correct
from lengthwise.inference.packed_words import count_misjudged
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import Attempt, Searcher, SearchTask
from lengthwise.inference.soft_automaton import SoftAutomaton, WordBatch

_STATES = (16, 5, 12, 6, 24, 8, 4)
"""Numbers of states of the recurrences, by turns; as many classes need as many states."""

_SHARE = 1 / 3
"""Share of the bits of the labels that the transitions of a snapped automaton may have: with more
states a recurrence learns the words by heart."""

_FEWEST = 3
"""Least number of states, whatever the bits."""

_STEPS, _BATCH = 500, 256
_STAY = (2.0, 0.0)
"""Weights of staying in a state at first, by turns of all sizes."""

_MOST = 1_500_000_000
"""Symbols that training may read, as `_step_work` counts; with more, the words are too long."""

_CORRECTING = (30_000_000, 150_000_000)
"""Blocks of words that local search reads after training, and then again if few are misjudged."""

_NEARLY = 0.1
"""Share of the words, beyond wrong labels, that are few."""


class Guide(Searcher):
    """Trains a recurrence, snaps it to an automaton, and corrects that by local search."""

    name = "network"
    share = 8.0
    late = 200_000_000
    """At least the portfolio's patience: the search does not wait for the network once an automaton
    explains the words."""

    @property
    def most_classes(self) -> float:
        """Greatest number of states."""
        return max(_STATES)

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Train, each time with another number of states or another draw."""
        sample = task.sample
        if len(sample) < _BATCH:
            return None
        sizes = [size for size in _STATES if size >= sample.num_classes]
        turn, place = divmod(number, len(sizes))
        states = min(sizes[place], task.max_states, _most_states(sample))
        step_work = _step_work(sample, states)
        if states < 2 or _STEPS * step_work > _MOST:
            return None
        draw = np.random.default_rng(number)
        network = SoftAutomaton(
            num_symbols=sample.num_symbols,
            num_states=states,
            num_classes=sample.num_classes,
            stay=_STAY[turn % len(_STAY)],
            draw=draw,
        )
        words = WordBatch.of(sample)
        for step in range(_STEPS):
            task.read(step_work)
            rows = draw.integers(0, len(sample), _BATCH)
            network.train_step(words.part(rows), rate=min(1.0, 2 - 2 * step / _STEPS))
        return _correct(DrawnWords.of(task, draw), network.snap())


def _correct(words: DrawnWords, moves: Array) -> Attempt:
    """Return the automaton that local search makes of another one, which takes longer the second
    time, and is worth it only if the first left few words misjudged."""
    count = len(words.packed)
    for most_work in _CORRECTING:
        search = words.search(count, most_work)
        moves = correct(words, moves, search, most_work)
        wrong = int(count_misjudged(words.packed.counts(moves[None], words.task.read))[0])
        if not search.enough < wrong <= search.enough + _NEARLY * count:
            break
    return words.result(moves)


def _most_states(sample: Sample) -> int:
    """Return the greatest number of states whose transitions have few bits beside the labels."""
    bits = _SHARE * len(sample) * sample.entropy
    states = _FEWEST
    while sample.num_symbols * (states + 1) * math.log2(states + 1) <= bits:
        states += 1
    return states


def _step_work(sample: Sample, states: int) -> int:
    """Return the symbols that plain reading would read in the time of a step of training."""
    symbols_per_word = 5 + (sample.num_symbols + 1) * states // 5
    return _BATCH * (sample.symbols.shape[1] - 1) * symbols_per_word
