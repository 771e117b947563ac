"""Points on which the sub-words of a language act, such that their images give the class.

- `StatePoints`: the states. The class of a word follows from the image of the start state.
- `BlockPoints`: blocks of states, where every class has one state. Sub-words move blocks of a right
  congruence as they move states; with a few congruences all images together can tell the states
  apart, with far fewer points. The 120 elements of S5 act on 5 points so, and those of Z60 on
  3 + 4 + 5.

A read-out is linear in the coordinates of a `Numbering`. Its numbers, at most `MOST` in size, are
whole.
"""

import math
from collections.abc import Iterator
from itertools import permutations
from typing import Protocol, runtime_checkable

import numpy as np

from lengthwise.constructions.numbering import Action, Numbering
from lengthwise.constructions.units import Floats, Integers
from lengthwise.languages.language import Language
from lengthwise.languages.minimise import reachable

MOST = 256
"""Largest number: integers up to it are exact in bfloat16."""

ReadOut = tuple[Floats, Floats]
"""Weights `[class, coordinate]`, and biases."""

_MOST_CLASSES = 4
"""Number of classes up to which every order is tried."""

_TRIED = 400
"""Number of congruences that are drawn."""

_KEPT = 40
"""Number of congruences that are looked at: those with the fewest blocks."""


@runtime_checkable
class Points(Protocol):
    """Points with an action, and what their images say about the class."""

    action: Action

    def orders(self) -> Iterator[Integers]:
        """Yield orders of the points in which they may be numbered."""
        ...

    def read_out(self, numbering: Numbering) -> ReadOut | None:
        """Return a read-out that is largest at the class, by 1 or more; None if its numbers are too
        large.
        """
        ...


def points_of(machine: Language) -> list[Points]:
    """Return all choices of points for a minimised automaton over all words."""
    choices: list[Points] = [StatePoints(machine)]
    if machine.num_states == len(set(machine.classes)):
        congruences = _find_congruences(machine)
        if congruences and sum(blocks.max() + 1 for blocks in congruences) < machine.num_states:
            choices.append(BlockPoints(machine, congruences))
    return choices


class StatePoints:
    """The states of an automaton, numbered class by class.

    Class j of k has the numbers from t_j to t_{j+1} - 1, and the read-out at number a is the line
    2 j a - sum_{i <= j} (2 t_i - 1): lines j - 1 and j meet at t_j - 1/2.
    """

    def __init__(self, machine: Language) -> None:
        self._machine = machine
        self.action = Action(machine.transitions)

    def orders(self) -> Iterator[Integers]:
        """Yield orders class by class; in a class, states that reach many others come first."""
        classes = np.array(self._machine.classes)
        present = tuple(np.unique(classes).tolist())
        ways = [present, present[::-1]]
        if len(present) <= _MOST_CLASSES:
            ways = list(permutations(present))
        within = np.argsort(-self.action.reach.sum(axis=1), kind="stable")
        for way in ways:
            rank = np.zeros(max(present) + 1, dtype=np.int64)
            rank[list(way)] = np.arange(len(way))
            yield within[np.argsort(rank[classes[within]], kind="stable")]

    def read_out(self, numbering: Numbering) -> ReadOut | None:
        """Return a line for each class."""
        machine = self._machine
        order = np.argsort([numbering.number(state) for state in range(machine.num_states)])
        classes = np.array(machine.classes)[order]
        first = np.flatnonzero(np.diff(classes, prepend=-1))
        rank = np.arange(len(first)) - len(first) // 2
        sums = np.cumsum(np.append(0, 2 * first[1:] - 1))
        start = numbering.number(machine.start)
        middle, varies = numbering.middle[start], numbering.varies[start]
        biases = 2.0 * rank * middle - (sums - sums[len(first) // 2])
        place = np.zeros(max(1, numbering.size))
        place[numbering.coordinate[start][varies]] = numbering.powers[varies]
        weights = 2.0 * rank[:, None] * place
        numbers = np.arange(numbering.least[start], numbering.greatest[start] + 1)
        logits = 2 * rank[:, None] * (numbers - middle) + biases[:, None]
        return _of_classes(machine, classes[first], weights, biases, logits)


class BlockPoints:
    """The blocks of right congruences of an automaton that together tell its states apart.

    With the vector v of the word that leads to each state, the read-out at x is 2 v·x - |v|^2,
    which is |x|^2 - |x - v|^2, largest at x = v.
    """

    def __init__(self, machine: Language, congruences: list[Integers]) -> None:
        self._machine = machine
        self.action = Action(_steps(np.array(machine.transitions), congruences))

    def orders(self) -> Iterator[Integers]:
        """Yield the order of the blocks."""
        yield np.arange(len(self.action.steps))

    def read_out(self, numbering: Numbering) -> ReadOut | None:
        """Return the nearness to the vector of each class."""
        moves = np.array(self._machine.transitions)
        maps = _maps(moves, self._machine.start, self.action.steps)
        assert maps is not None, "a state has one map"
        vectors = np.array([numbering.vector(images) for images in maps])
        sizes = (vectors**2).sum(axis=1)
        logits = 2 * vectors @ vectors.T - sizes[:, None]
        classes = np.array(self._machine.classes)
        return _of_classes(self._machine, classes, 2 * vectors, -sizes, logits)


def _of_classes(
    machine: Language, classes: Integers, weights: Floats, biases: Floats, logits: Floats
) -> ReadOut | None:
    """Return rows of classes as a read-out; classes that no word has get less than all others."""
    if max(np.abs(numbers).max() for numbers in (weights, biases, logits)) > MOST:
        return None
    every = np.zeros((machine.num_classes, weights.shape[1]))
    lowest = np.full(machine.num_classes, min(0.0, logits.max(axis=0).min()) - 1.0)
    every[classes], lowest[classes] = weights, biases
    return every, lowest


def _steps(moves: Integers, congruences: list[Integers]) -> Integers:
    """Return the action of symbols on the blocks of congruences, one after the other."""
    offset = 0
    parts = []
    for blocks in congruences:
        first = np.unique(blocks, return_index=True)[1]
        parts.append(offset + blocks[moves[first]])
        offset += len(first)
    return np.concatenate(parts)


def _maps(moves: Integers, start: int, steps: Integers) -> Integers | None:
    """Return the map of the points that words to each state have; None if they have several."""
    maps = np.full((len(moves), len(steps)), -1)
    maps[start] = np.arange(len(steps))
    for state in (queue := [start]):
        for target, symbol in zip(*np.unique(moves[state], return_index=True), strict=True):
            if maps[target, 0] < 0:
                maps[target] = steps[maps[state], symbol]
                queue.append(int(target))
    for symbol, targets in enumerate(moves.T):
        if (steps[maps, symbol] != maps[targets]).any():
            return None
    return maps


def _find_congruences(machine: Language) -> list[Integers]:
    """Return right congruences, with few blocks, whose blocks' images tell all states apart.

    They are chosen by the information that they give for each block. None are returned if all that
    are tried together do not.
    """
    count = machine.num_states
    few, moves = _few_symbols(machine), np.array(machine.transitions)
    congruences: dict[bytes, Integers] = {}
    draw = np.random.default_rng(0)
    pairs = [(q, q) for q in range(count)] + draw.integers(count, size=(_TRIED, 2)).tolist()
    for pair in pairs:
        blocks = _congruence(few, [(machine.start, int(q)) for q in pair])
        if blocks.tobytes() not in congruences and _is_congruence(moves, blocks):
            congruences[blocks.tobytes()] = blocks
    known: list[tuple[Integers, Integers]] = []
    """Congruences, each with what the images of its blocks say of a state."""
    for blocks in sorted(congruences.values(), key=lambda blocks: int(blocks.max()))[:_KEPT]:
        maps = _maps(moves, machine.start, _steps(moves, [blocks]))
        if maps is not None:
            known.append((blocks, np.unique(maps, axis=0, return_inverse=True)[1].reshape(-1)))
    selected: list[tuple[Integers, Integers]] = []
    distinguished = np.zeros(count, dtype=np.int64)
    while (kinds := len(np.unique(distinguished))) < count:
        best, gain, after = None, 0.0, distinguished
        for blocks, block_of in known:
            joined = np.unique(np.stack([distinguished, block_of]), axis=1, return_inverse=True)[
                1
            ].reshape(-1)
            more = math.log((joined.max() + 1) / kinds) / (blocks.max() + 1)
            if more > gain:
                best, gain, after = (blocks, block_of), more, joined
        if best is None:
            return []
        selected.append(best)
        distinguished = after
    for candidate in sorted(selected, key=lambda pair: -pair[0].max()):
        rest = [other for other in selected if other is not candidate]
        if rest and len(np.unique(np.stack([block_of for _, block_of in rest]), axis=1).T) == count:
            selected = rest
    return [blocks for blocks, _ in selected]


def _few_symbols(machine: Language) -> list[tuple[int, ...]]:
    """Return the transitions of a few symbols that lead from the start to all states."""
    columns = np.array(machine.transitions).T
    symbols: list[int] = []
    reached = {machine.start}
    for symbol, column in enumerate(columns):
        if int(column[machine.start]) not in reached:
            symbols.append(symbol)
            reached = set(reachable(tuple(map(tuple, columns[symbols].T.tolist())), machine.start))
    return [tuple(row) for row in columns[symbols].T.tolist()]


def _is_congruence(moves: Integers, blocks: Integers) -> bool:
    """Return whether every symbol moves blocks as wholes."""
    moved = blocks[moves]
    first = np.unique(blocks, return_index=True)[1]
    return bool((moved == moved[first[blocks]]).all())


def _congruence(transitions: list[tuple[int, ...]], pairs: list[tuple[int, int]]) -> Integers:
    """Return the block of each state in the least right congruence that joins pairs of states."""
    parent = list(range(len(transitions)))

    def root(state: int) -> int:
        while parent[state] != state:
            state = parent[state]
        return state

    waiting = list(pairs)
    while waiting:
        first, two = sorted(map(root, waiting.pop()))
        if first != two:
            parent[two] = first
            waiting += zip(transitions[first], transitions[two], strict=True)
    roots = [root(state) for state in range(len(parent))]
    return np.unique(roots, return_inverse=True)[1].reshape(-1).astype(np.int64)
