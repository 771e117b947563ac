"""Formulas that say of words whether an automaton of n states fits them, as clauses.

Each node of a prefix tree of the words is in a state; there are variables for the states of nodes,
for transitions, and for the classes of states (Heule and Verwer, 2013). The states are numbered in
the order in which a breadth-first search from the start meets them, so that of n! automata that
differ in the names of states one is left (Ulyantsev, Zakirzyanov and Shalyto, 2015). All n states
are reached. This excludes no language of fewer states: an automaton can be unrolled.

A clause is a list of variables, from 1, with a minus before those that are to be false.

Axes:
    symbol  symbols
    state   states; the start is state 0
    node    nodes of the prefix tree; the root is node 0
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from lengthwise.inference.sample import Array

Clause = list[int]


class PrefixTree:
    """The prefix tree of some words."""

    def __init__(self) -> None:
        self.edges: list[tuple[int, int, int]] = []
        """A node, a symbol and the next node, whose number is the place in this list plus 1."""
        self.ends: list[tuple[int, int]] = []
        """A node where a word ends, and its class."""
        self._next: dict[tuple[int, int], int] = {}

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.edges) + 1

    def add(self, word: tuple[int, ...], label: int) -> None:
        """Add a word."""
        node = 0
        for symbol in word:
            if (node, symbol) not in self._next:
                self._next[node, symbol] = self.num_nodes
                self.edges.append((node, symbol, self.num_nodes))
            node = self._next[node, symbol]
        self.ends.append((node, label))


class ColouringFormula:
    """The clauses for automata of `states` states that fit the words of a tree, which may grow."""

    def __init__(self, states: int, symbols: int, classes: int) -> None:
        self.states = states
        shapes = ((symbols, states, states), (states, classes), (states, states), (states, states))
        sizes = np.cumsum([1, *(int(np.prod(shape)) for shape in shapes)])
        self.moves, self._classes, self._leads, self._parent = (
            np.arange(first, last).reshape(shape)
            for first, last, shape in zip(sizes[:-1], sizes[1:], shapes, strict=True)
        )
        """Variables: `moves[symbol, state, target]`; classes of states; whether some symbol leads
        from a state to another; the first state that leads to one."""
        self._first_node = int(sizes[-1])
        self._edges = self._ends = 0

    def growth(self, tree: PrefixTree) -> int:
        """Return about how many clauses the new nodes of a tree need."""
        return 3 * self.states**2 * (len(tree.edges) - self._edges)

    def of_automata(self) -> Iterator[Clause]:
        """Yield the clauses for automata with states in order, and for the root."""
        for targets in self.moves.reshape(-1, self.states).tolist():
            yield targets
            yield from _at_most_one(targets)
        for names in self._classes.tolist():
            yield from _at_most_one(names)
        yield from self._in_order()
        yield [self._first_node]

    def _in_order(self) -> Iterator[Clause]:
        leads, parent = self._leads.tolist(), self._parent.tolist()
        moves = self.moves.transpose(1, 2, 0).tolist()
        for before, state in combinations(range(self.states), 2):
            lead = leads[before][state]
            yield [-lead, *moves[before][state]]
            yield from ([-move, lead] for move in moves[before][state])
            earlier = [leads[k][state] for k in range(before)]
            yield [parent[before][state], -lead, *earlier]
            yield [-parent[before][state], lead]
            yield from ([-parent[before][state], -other] for other in earlier)
        for state in range(1, self.states):
            yield [parent[before][state] for before in range(state)]
        for state in range(1, self.states - 1):
            for before in range(state):
                is_parent = parent[before][state]
                yield from ([-is_parent, -parent[k][state + 1]] for k in range(before))
                clause = [-is_parent, -parent[before][state + 1]]
                for symbol, move in enumerate(moves[before][state + 1]):
                    yield [*clause, -move, *moves[before][state][:symbol]]

    def of_tree(self, tree: PrefixTree) -> Iterator[Clause]:
        """Yield the clauses for the nodes and the words that joined a tree since the last call."""
        moves = self.moves.tolist()
        pairs = [(i, j) for i in range(self.states) for j in range(self.states)]
        for node, symbol, after in tree.edges[self._edges :]:
            at, to, move = self._node(node), self._node(after), moves[symbol]
            states = list(range(to, to + self.states))
            yield states
            yield from _at_most_one(states)
            for i, j in pairs:
                yield [-at - i, -move[i][j], to + j]
                yield [-at - i, -to - j, move[i][j]]
        names = self._classes.tolist()
        for node, label in tree.ends[self._ends :]:
            at = self._node(node)
            yield from ([-at - i, names[i][label]] for i in range(self.states))
        self._edges, self._ends = len(tree.edges), len(tree.ends)

    def _node(self, node: int) -> int:
        """Return the variable that says that a node is in state 0; those of others follow."""
        return self._first_node + node * self.states

    def read(self, solution: list[int]) -> tuple[Array, Array]:
        """Return the transitions `[state, symbol]` and the classes of a solution, which lists all
        variables, in their order."""
        true = np.concatenate([[False], np.array(solution[: self._first_node - 1]) > 0])
        return true[self.moves].argmax(axis=2).T, true[self._classes].argmax(axis=1)


def _at_most_one(variables: list[int]) -> Iterator[Clause]:
    for first, other in combinations(variables, 2):
        yield [-first, -other]
