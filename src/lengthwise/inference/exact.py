"""Exact search: decide by a SAT solver whether an automaton of n states fits the words.

The search begins with some of the words, and with as many states as are proved to be needed. Words
that a solution misjudges join them. If no solution exists (`sat_formula`), these words refute all
automata of up to n states, and n grows. So the first automaton that fits all words is a smallest
one, and the search has proved that no automaton with fewer states does.

The library python-sat decides. Without it, or where labels may be wrong, there is no such search.
"""

from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from lengthwise.inference.distinguish import words_at_transitions
from lengthwise.inference.sample import Sample, answers_of
from lengthwise.inference.sat_formula import ColouringFormula, PrefixTree
from lengthwise.inference.searcher import Attempt, Searcher, SearchTask, count_wrong, to_language
from lengthwise.languages.language import Language

if TYPE_CHECKING:
    from pysat.solvers import Glucose4

_PROPAGATIONS = 4_000_000
"""Propagations of the first attempt; each attempt has twice as many as the one before."""

_ATTEMPTS = 4
"""Number of attempts."""

_CONFLICTS = 100
"""Conflicts between two moments at which the search can be ended."""

_CLAUSES = 500_000
"""Greatest number of clauses of a formula."""

_READ = 8
"""Approximate number of symbols read in the time of a propagation, or of making a clause."""

_FIRST, _MORE = 40, 10
"""Words with which an attempt begins, and misjudged words that join them each time."""


class Exact(Searcher):
    """Finds an automaton with the fewest states, and proves that none has fewer."""

    name = "exact"
    late = 20_000_000

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Decide as much as some propagations allow."""
        if number == _ATTEMPTS or task.noise > 0 or find_spec("pysat") is None:
            return None
        best, most = task.best, task.max_states
        if best is not None and not count_wrong(best, task.sample):
            most = min(most, best.num_states - 1)
        search = _Search(task, _PROPAGATIONS * 2**number)
        states, language = max(task.least_states, len(np.unique(task.sample.classes)), 1), None
        with suppress(_UndecidedError):
            while language is None and states <= most:
                language = search.automaton(states)
                states += language is None
        return Attempt(language, least_states=states)


class _UndecidedError(Exception):
    """The propagations are used up, or the formula is too large."""


class _Search:
    """Decides for more and more states, by a tree that grows."""

    def __init__(self, task: SearchTask, propagations: int) -> None:
        self.task = task
        self._propagations = propagations
        self._tree = PrefixTree()
        self._add(np.arange(min(len(task.sample), _FIRST)))

    def _add(self, rows: np.ndarray) -> None:
        for row in rows.tolist():
            self._tree.add(self.task.sample.word(row), int(self.task.sample.classes[row]))

    def automaton(self, states: int) -> Language | None:
        """Return an automaton with the given number of states that fits all words, or None.

        Raises:
            _UndecidedError: this was not decided.
        """
        from pysat.solvers import Glucose4

        sample = self.task.sample
        formula = ColouringFormula(states, sample.num_symbols, sample.num_classes)
        size = formula.moves.size * (states + sample.num_symbols) // 2
        with Glucose4() as solver:
            if size < _CLAUSES:
                solver.append_formula(formula.of_automata())
            while True:
                growth = formula.growth(self._tree)
                size += growth
                if size >= _CLAUSES:
                    raise _UndecidedError
                self.task.read(_READ * growth)
                solver.append_formula(formula.of_tree(self._tree))
                if not self._solve(solver):
                    return None
                language = to_language(*formula.read(solver.get_model()), sample)
                self.task.read(int(sample.lengths.sum()))
                wrong = np.flatnonzero(answers_of(language, sample) != sample.classes)
                if not len(wrong):
                    return _without_guesses(language, sample)
                self._add(wrong[:_MORE])

    def _solve(self, solver: "Glucose4") -> bool:
        """Return whether the clauses so far have a solution.

        Raises:
            _UndecidedError: the propagations are used up.
        """
        while True:
            before = solver.accum_stats()["propagations"]
            solver.conf_budget(_CONFLICTS)
            is_solved: bool | None = solver.solve_limited(expect_interrupt=True)
            spent = solver.accum_stats()["propagations"] - before
            self.task.read(_READ * spent)
            self._propagations -= spent
            if is_solved is not None:
                return is_solved
            if self._propagations < 0:
                raise _UndecidedError


def _without_guesses(language: Language, sample: Sample) -> Language:
    """Return an automaton in which transitions that no word passes lead to their own states."""
    passed = words_at_transitions(language, sample) > 0
    moves, own_state = np.array(language.transitions), np.arange(language.num_states)[:, None]
    moves = np.where(passed, moves, own_state)
    return to_language(moves, np.array(language.classes), sample, language.start)
