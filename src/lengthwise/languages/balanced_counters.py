r"""Balanced counters, which tell the states of an automaton apart, and the regular languages of
C-RASP.

C-RASP is a language of programs that count (uniform attention without positions) and compare what
they counted. Which regular languages it has is decided part by part (arXiv 2608.13433). Give every
symbol a weight h so that the weights sum to 0 along each cycle of a strongly connected part. Then
the sum over a word that stays in the part depends on its ends alone:

    p(q·a) = p(q) + h(a)         for every edge of the part, with values p of its states,

so a counter of the weights knows p. A program may separate whatever the solutions (h, p) separate:
read the symbols anew, each together with the value before it, and look for weights again, until
nothing new is separated. The language has a program exactly if all states of each part of its
minimal automaton are separated in the end.

Solutions are vectors of a rational space, which is computed by integer elimination: the weights are
those that are 0 on the cycle that each edge closes with a tree of paths from one state. Cycles are
not listed.

A label keeps its symbol: a program sees both. (By the values h(a) + p(q) alone, two symbols that
weigh alike would be taken for one, and languages that have a program would be refused.)

An edge that leaves a part obeys no equation. All edges of a state are labelled by (a, p(q)), and p
does not depend on a, so the sets of labels of two states differ exactly if their values do: that
is how the paper words it, with one sink for the edges that leave.

The answer is read after the word, as at an end mark. A program that answers at the last symbol sees
that symbol, too: `ends with 1` is not in the class, and yet it needs one look at the last symbol.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import LanguageError
from lengthwise.languages.components import parts
from lengthwise.languages.moore_machine import MooreMachine

MAX_WORK = 2 * 10**9
"""Largest product of the edges of a part and the square of its labels."""

_FITS = 1 << 30
"""Products of integers below this bound fit into 64 bits, twice."""

Edge = tuple[int, int, int]
Label = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class BalanceCounter:
    """A balanced counter of a part.

    `weights[symbol, block]` is added when `symbol` is read in a state of `block`; other symbols
    lead out of the part. `values[i]` is the sum from the first state of the part to its state i.
    """

    weights: dict[Label, int]
    values: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """The counters of a part that read symbols together with the block of the state before.

    `blocks[i]` is the block of state i: states of one block have equal values in all earlier
    rounds.
    """

    blocks: tuple[int, ...]
    counters: tuple[BalanceCounter, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedPart:
    """A strongly connected part of an automaton and the counters that tell its states apart."""

    states: tuple[int, ...]
    rounds: tuple[Round, ...]
    blocks: tuple[int, ...]
    """The block of each state in the end."""

    @property
    def is_counted(self) -> bool:
        """Whether counters tell all states apart."""
        return len(set(self.blocks)) == len(self.states)

    @property
    def confused(self) -> tuple[int, int] | None:
        """The first two states that no counters separate, or None."""
        first: dict[int, int] = {}
        for state, block in zip(self.states, self.blocks, strict=True):
            if block in first:
                return first[block], state
            first[block] = state
        return None


def count_parts(machine: MooreMachine) -> list[CountedPart]:
    """Compute the counters of the parts of at least two states, of the automaton as given.

    A part of one state needs no counter. The domain is ignored: take `language.total()` first.

    Raises:
        LanguageError: a part is too large (`MAX_WORK`).
    """
    connected = parts([list(dict.fromkeys(row)) for row in machine.transitions])
    return [_compute_counters(machine, sorted(part)) for part in connected if len(part) > 1]


def is_c_rasp(language: MooreMachine) -> bool:
    """Return whether a C-RASP program decides the language: counting separates its states.

    >>> from lengthwise.languages.spec import parse
    >>> is_c_rasp(parse("d-2")), is_c_rasp(parse("parity"))
    (True, False)

    Raises:
        LanguageError: a part of the automaton is too large (`MAX_WORK`).
    """
    return all(part.is_counted for part in count_parts(language.total().minimise()))


def _compute_counters(machine: MooreMachine, states: Sequence[int]) -> CountedPart:
    """Return the counters of one part, round by round."""
    place = {state: i for i, state in enumerate(states)}
    edges = [
        (i, symbol, place[target])
        for i, state in enumerate(states)
        for symbol, target in enumerate(machine.transitions[state])
        if target in place
    ]
    blocks = np.zeros(len(states), dtype=np.int64)
    rounds = []
    while True:
        counters = _counters(edges, blocks)
        rounds.append(Round(blocks=tuple(blocks.tolist()), counters=tuple(counters)))
        finer = blocks
        for counter in counters:
            finer = _refine(finer, np.array(counter.values))
        if finer.max() in (blocks.max(), len(states) - 1):
            blocks = finer
            break
        blocks = finer
    used = [counter_round for counter_round in rounds if counter_round.counters]
    return CountedPart(states=tuple(states), rounds=tuple(used), blocks=tuple(blocks.tolist()))


def _counters(edges: Sequence[Edge], blocks: NDArray[np.int64]) -> list[BalanceCounter]:
    """Return counters that tell apart, inside the blocks too, whatever balanced weights can."""
    block_of = blocks.tolist()
    steps: dict[Label, dict[int, int]] = {}
    for source, symbol, target in edges:
        steps.setdefault((symbol, block_of[source]), {})[source] = target
    labels = sorted(steps)
    free = [label for label in labels if not _has_cycle(steps[label])]
    index = {label: i for i, label in enumerate(free)}
    if len(edges) * len(free) ** 2 > MAX_WORK:
        raise LanguageError(
            f"balanced weights are computed for parts with edges times squared labels up to "
            f"{MAX_WORK:,}, but this part has {len(edges):,} edges with {len(free):,} labels. "
            f"Take a smaller automaton."
        )
    sums = _sums_along_a_tree(edges, block_of, index)
    marks = np.zeros((len(edges), len(free)), dtype=np.int64)
    sources, targets = (np.array([edge[end] for edge in edges]) for end in (0, 2))
    for row, (source, symbol, _) in enumerate(edges):
        if (symbol, block_of[source]) in index:
            marks[row, index[symbol, block_of[source]]] = 1
    space = null_space(np.unique(sums[sources] + marks - sums[targets], axis=0))
    counters: list[BalanceCounter] = []
    blocks_now = blocks
    for weights in space:
        values = sums.astype(weights.dtype) @ weights
        finer = _refine(blocks_now, values)
        if finer.max() > blocks_now.max():
            blocks_now = finer
            weight_of = dict.fromkeys(labels, 0)
            weight_of |= {label: int(weights[i]) for label, i in index.items()}
            counters.append(BalanceCounter(weights=weight_of, values=tuple(int(v) for v in values)))
    return counters


def _refine(blocks: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the blocks, split by values."""
    ranks = np.unique(values, return_inverse=True)[1].reshape(-1)
    keys = blocks * len(blocks) + ranks
    return np.asarray(np.unique(keys, return_inverse=True)[1].reshape(-1), dtype=np.int64)


def _has_cycle(step: dict[int, int]) -> bool:
    """Return whether a label alone, which leads from states to states, closes a cycle: then its
    weight is 0.
    """
    done: set[int] = set()
    for start in step:
        path: dict[int, None] = {}
        state = start
        while state in step and state not in done:
            if state in path:
                return True
            path[state] = None
            state = step[state]
        done.update(path)
    return False


def _sums_along_a_tree(
    edges: Sequence[Edge], blocks: Sequence[int], index: dict[Label, int]
) -> NDArray[np.int64]:
    """Return how often each label occurs on a shortest path from state 0 to each state."""
    leaving: list[list[Edge]] = [[] for _ in blocks]
    for edge in edges:
        leaving[edge[0]].append(edge)
    sums = np.zeros((len(blocks), len(index)), dtype=np.int64)
    seen = {0}
    for state in (queue := [0]):
        for source, symbol, target in leaving[state]:
            if target not in seen:
                seen.add(target)
                queue.append(target)
                sums[target] = sums[source]
                if (symbol, blocks[source]) in index:
                    sums[target, index[symbol, blocks[source]]] += 1
    return sums


def null_space(equations: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Return a basis of the integer vectors x with `equations @ x = 0`, exactly.

    The space starts as everything and is restricted by one equation at a time: of a basis whose
    vectors have the products c_i with it, one vector j with c_j != 0 is dropped, and the others
    become c_j x_i - c_i x_j, divided by the greatest common divisor of their entries.

    >>> null_space(np.array([[1, 1, 0], [2, 2, 0]]))
    [array([ 1, -1,  0]), array([0, 0, 1])]
    """
    count = equations.shape[1]
    basis: NDArray[Any] = np.eye(count, dtype=np.int64)  # rows
    products: NDArray[Any] = equations.T.copy()  # products[i] = equations @ basis[i]
    while True:
        unsolved = np.flatnonzero((products != 0).any(axis=0))
        if not len(unsolved):
            return list(basis)
        if max(np.abs(basis).max(), np.abs(products).max()) >= _FITS:
            basis, products = basis.astype(object), products.astype(object)
        column = products[:, unsolved[0]]
        pivot = min(np.flatnonzero(column != 0), key=lambda i: abs(column[i]))
        other_rows = np.arange(len(basis)) != pivot
        mixed = [
            matrix[other_rows] * column[pivot]
            - np.multiply.outer(column[other_rows], matrix[pivot])
            for matrix in (basis, products)
        ]
        if not len(mixed[0]):
            return []
        divisors = np.gcd.reduce(mixed[0], axis=1)
        signs = np.array([1 if row[np.flatnonzero(row)[0]] > 0 else -1 for row in mixed[0]])
        basis, products = (matrix // (divisors * signs)[:, None] for matrix in mixed)
