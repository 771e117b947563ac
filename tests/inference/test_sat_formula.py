"""Formulas, by all assignments of small automata instead of a solver."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.samples import samples
from lengthwise.inference.sample import Sample
from lengthwise.inference.sat_formula import ColouringFormula, PrefixTree

Word = tuple[int, ...]


def tree_of(sample: Sample, first: int = 0, last: int | None = None) -> PrefixTree:
    tree = PrefixTree()
    for row in range(len(sample))[first:last]:
        tree.add(sample.word(row), int(sample.classes[row]))
    return tree


def solution(
    formula: ColouringFormula, tree: PrefixTree, moves: tuple[tuple[int, ...], ...], classes: Word
) -> set[int]:
    """Return the variables that are true of an automaton: `moves[state][symbol]`."""
    states, true = range(formula.states), set[int]()
    runs = {0: 0}
    for node, symbol, after in tree.edges:
        runs[after] = moves[runs[node]][symbol]
    true |= {formula._node(node) + state for node, state in runs.items()}
    for i in states:
        true.add(int(formula._classes[i, classes[i]]))
        for symbol, j in enumerate(moves[i]):
            true |= {int(formula.moves[symbol, i, j])}
            if i < j:
                true.add(int(formula._leads[i, j]))
    for j in states:
        before = [i for i in range(j) if j in moves[i]]
        if before:
            true.add(int(formula._parent[before[0], j]))
    return true


def is_in_order(moves: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether a breadth-first search meets all states in the order of their numbers."""
    met = [0]
    for state in met:
        met += [j for j in dict.fromkeys(moves[state]) if j not in met]
    return met == list(range(len(moves)))


@settings(max_examples=12)
@given(samples(longest=4), st.integers(1, 3), st.integers(0, 25))
def test_the_clauses_hold_of_what_fits_and_is_in_order(
    sample: Sample, states: int, first: int
) -> None:
    formula = ColouringFormula(states, 2, 2)
    tree = tree_of(sample, 0, first)
    clauses = [*formula.of_automata(), *formula.of_tree(tree)]
    for row in range(len(sample))[first:]:
        tree.add(sample.word(row), int(sample.classes[row]))
    clauses += formula.of_tree(tree)
    for flat in product(range(states), repeat=2 * states):
        moves = tuple(zip(flat[::2], flat[1::2], strict=True))
        for classes in product(range(2), repeat=states):
            fits = all(
                classes[end(moves, sample.word(row))] == sample.classes[row]
                for row in range(len(sample))
            )
            true = solution(formula, tree, moves, classes)
            holds = all(any((each > 0) == (abs(each) in true) for each in c) for c in clauses)
            assert holds == (fits and is_in_order(moves))


def end(moves: tuple[tuple[int, ...], ...], word: Word) -> int:
    state = 0
    for symbol in word:
        state = moves[state][symbol]
    return state


def test_a_solution_is_read_as_it_was_written() -> None:
    formula, tree = ColouringFormula(3, 2, 4), PrefixTree()
    tree.add((0, 1), 2)
    moves, classes = ((1, 2), (2, 0), (0, 2)), (3, 0, 2)
    true = solution(formula, tree, moves, classes)
    last = formula._node(tree.num_nodes)
    model = [each if each in true else -each for each in range(1, last)]
    read = formula.read(model)
    assert tuple(map(tuple, read[0].tolist())) == moves
    assert tuple(read[1].tolist()) == classes


@given(samples())
def test_a_tree_has_a_node_for_each_beginning(sample: Sample) -> None:
    tree = tree_of(sample)
    words = [sample.word(row) for row in range(len(sample))]
    assert tree.num_nodes == len({word[:n] for word in words for n in range(len(word) + 1)} | {()})
    formula = ColouringFormula(4, 2, 2)
    made = len(list(formula.of_automata())) and len(list(formula.of_tree(tree)))
    assert made <= ColouringFormula(4, 2, 2).growth(tree) + 4 * len(sample)
    assert formula.growth(tree) == 0
    assert np.all(formula.moves > 0)
