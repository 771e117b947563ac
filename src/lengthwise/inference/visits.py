"""Visits: what happens to words if one transition leads elsewhere, or a state becomes two.

A visit is a stretch of a word that stays in one state. A transition marks it if the visit began
with it, or has read it since, as a loop. So a state can become two: the new one continues as the
old one does, loops of its own included, and is where a word is once the transition has marked its
visit. That alone changes no answer. With one symbol that leads elsewhere from the new state it
does, and what it does first is read off: the word continues elsewhere where it first reads the
symbol in a marked visit.

Axes:
    word    words of a sample, shortest first
    edge    transitions, `state * symbols + symbol`
    split   transitions that mark, each with a symbol, `edge * symbols + symbol`
"""

from dataclasses import dataclass

import numpy as np

from lengthwise.inference.sample import Array, Sample


@dataclass(frozen=True, slots=True)
class Passes:
    """Where words first pass something: each of these once for each word."""

    codes: Array
    """What is passed, an edge or a split."""
    words: Array
    left: Array
    """Symbols that are left to read there, the one that is read included."""
    states: Array
    """State in which it is read."""

    @classmethod
    def first(cls, parts: list[tuple[Array, Array, Array, Array]]) -> "Passes":
        """Keep the first pass of each word; parts are in the order in which words are read."""
        codes, words, left, states = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        keys = codes * (int(words.max(initial=0)) + 1) + words
        _, rows = np.unique(keys, return_index=True)
        return cls(codes[rows], words[rows], left[rows], states[rows])


def passes_of(moves: Array, sample: Sample) -> tuple[Passes, Passes]:
    """Return where words first pass each edge, and each split; the start is state 0."""
    symbols = moves.shape[1]
    nothing = np.zeros(0, dtype=np.int64)
    edges, splits = [(nothing,) * 4], [(nothing,) * 4]
    state = np.zeros(len(sample), dtype=np.int64)
    entered = np.full(len(sample), -1)
    looped = np.zeros((len(sample), symbols), dtype=bool)
    for left in range(sample.symbols.shape[1] - 1, 0, -1):
        first = int(np.searchsorted(sample.lengths, left))
        words = np.arange(first, len(sample))
        at, read = state[first:], sample.symbols[first:, left].astype(np.int64)
        edge = at * symbols + read
        edges.append((edge, words, np.full(len(words), left), at.copy()))
        rows, marks = np.nonzero(looped[first:])
        starting = np.flatnonzero(entered[first:] >= 0)
        rows, marks = (
            np.concatenate([rows, starting]),
            np.concatenate([at[rows] * symbols + marks, entered[first:][starting]]),
        )
        codes = marks * symbols + read[rows]
        splits.append((codes, words[rows], np.full(len(rows), left), at[rows]))
        target = moves.ravel()[edge]
        moved = target != at
        looped[words[~moved], read[~moved]] = True
        looped[words[moved]] = False
        entered[words[moved]] = edge[moved]
        state[first:] = target
    return Passes.first(edges), Passes.first(splits)


def split_at(moves: Array, edge: int) -> Array:
    """Return an automaton in which an edge leads to a new state, which continues as its target
    does, with loops of its own."""
    states, target = len(moves), int(moves.ravel()[edge])
    larger = np.concatenate([moves, moves[target][None]])
    larger.ravel()[edge] = states
    is_redirected = larger[states] == target
    larger[states, is_redirected] = states
    return larger
