"""Searchers for languages that count modulo a number, alone or beside a few literals."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from lengthwise.inference.rungs.automata import ValueAutomaton
from lengthwise.inference.rungs.classes import PATTERNS, Stage, growing
from lengthwise.inference.rungs.counting import (
    MORE_WORDS,
    PRIME_POWERS,
    all_weights,
    counter,
    linear_weights,
    polynomial_weights,
    symbol_counts,
)
from lengthwise.inference.rungs.fitting import Bench, Chosen, Combine
from lengthwise.inference.rungs.literals import (
    Kind,
    Mask,
    keep_literals,
    order_windows,
    subsequences,
    windows,
)
from lengthwise.inference.rungs.rules import score_literals
from lengthwise.inference.rungs.tiers import LeftEntropy
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import Attempt, Searcher, SearchTask

_MOST_TRIED = 20_000
"""Greatest number of weights that are tried one by one."""

_DECIDED = 1_000
"""Number of words whose classes weights decide that are tried one by one; with noise, as many as
have one wrong label on average, so that often none of them has."""

_MOST_SOLVED = 4_000
"""Greatest number of words of a class that equations are solved for."""

_MOST_UNKNOWNS = 400
"""Greatest number of monomials in an equation."""

_MOST_COUNTERS = 4
"""Greatest number of counts that a rule uses."""

_MOST_VALUES = 256
"""Greatest number of combinations of values of counters; words show few of more."""

_SPLITS = 40
"""Number of literals by which words are split before counts are looked for."""

_DEGREES = ((5, 2), (7, 2), (7, 3), (11, 2))
"""Primes, and numbers of sums that a class has modulo them."""

_DRAWS = 32
"""Number of times that words are drawn in the hope that no label is wrong."""


@dataclass(frozen=True, slots=True)
class _Equations:
    """The words whose weights are looked for."""

    counts: Array
    """The number of each symbol in each word; symbols that occur in none have no weight."""
    classes: Array
    task: SearchTask
    seed: int

    @classmethod
    def of(cls, sample: Sample, task: SearchTask, seed: int = 0) -> "_Equations":
        """Return the equations of the words of a sample, which are some of a task."""
        return cls(symbol_counts(sample), sample.classes, task, seed)

    def of_class(self, number: int, unknowns: int) -> Array:
        """Return the counts of words of a class, drawn at random; where labels may be wrong, no
        more than an equation needs."""
        rows = np.flatnonzero(self.classes == number)
        rows = np.random.default_rng(self.seed).permutation(rows)
        least = unknowns + MORE_WORDS
        return self.counts[rows[: least if self.task.noise else max(least, _MOST_SOLVED)]]

    def linear(self) -> list[ValueAutomaton]:
        """Return the counts that are the same in all words of some class."""
        counters: list[tuple[Array, int]] = []
        seen = self.counts.sum(axis=0) > 0
        symbols = int(seen.sum())
        for number in range(self.task.sample.num_classes):
            words = self.of_class(number, symbols)[:, seen]
            more: dict[int, int] = {}
            for modulus in sorted(PRIME_POWERS, reverse=True):
                weights = linear_weights(words, modulus, self.task.read)
                prime = PRIME_POWERS[modulus]
                if len(weights) > more.get(prime, 0):
                    more[prime] = len(weights)
                    counters += [(weight, modulus) for weight in weights]
        return _different(counters, seen)

    def polynomial(self, prime: int, degree: int) -> list[ValueAutomaton]:
        """Return the counts that have few values in the words of some class."""
        counters = []
        seen = self.counts.sum(axis=0) > 0
        symbols = int(seen.sum())
        unknowns = 1
        for more in range(degree):
            unknowns = unknowns * (symbols + 1 + more) // (more + 1)
        for number in range(self.task.sample.num_classes if unknowns <= _MOST_UNKNOWNS else 0):
            words = self.of_class(number, unknowns)
            if len(words) < unknowns + MORE_WORDS:
                continue
            weights = polynomial_weights(words, prime, degree, self.task.read)
            counters += [(row, prime) for row in weights]
        return _different(counters, seen)


def _different(weighted: list[tuple[Array, int]], seen: Mask) -> list[ValueAutomaton]:
    """Return the counters of weights of the symbols that are seen, without multiples of others."""
    known: dict[tuple[int, bytes], ValueAutomaton] = {}
    for weights, modulus in weighted:
        first = int(weights[np.gcd(weights, modulus) == 1][0])
        plain = weights * pow(first, -1, modulus) % modulus
        every = np.zeros(len(seen), dtype=np.int64)
        every[seen] = plain
        known.setdefault((modulus, plain.tobytes()), counter(every, modulus))
    counters, values = list[ValueAutomaton](), 1
    for (modulus, _), counts in known.items():
        if len(counters) < _MOST_COUNTERS and values * modulus <= _MOST_VALUES:
            counters.append(counts)
            values *= modulus
    return counters


_SOLVED = WeakKeyDictionary[
    Sample, dict[tuple[float, int, int], tuple[list[ValueAutomaton], int]]
]()
"""The counts of samples that were solved for, by noise, prime and degree, and the symbols that were
read for them."""


def _solve(task: SearchTask, prime: int = 0, degree: int = 1) -> list[ValueAutomaton]:
    """Return the counts of all words: linear ones, or those of a degree modulo a prime.

    Each is looked for once in a sample. The work is that of the first time, so that a search does
    not depend on what is known.
    """
    known = _SOLVED.setdefault(task.sample, {})
    key = task.noise, prime, degree
    if key in known:
        counters, work = known[key]
        task.read(work)
        return counters
    work = 0

    def read(symbols: int) -> None:
        nonlocal work
        work += symbols
        task.read(symbols)

    equations = _Equations.of(task.sample, replace(task, read=read))
    counters = equations.polynomial(prime, degree) if prime else equations.linear()
    known[key] = counters, work
    return counters


def _only(bench: Bench) -> Chosen:
    """Return the rule of the counts alone."""
    return Chosen((), np.ones(bench.task.sample.num_symbols, dtype=bool))


class GroupCounts(Searcher):
    """A weighted sum of the symbols modulo a number, or several of them."""

    name = "group"

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Solve equations, try all weights if they are few, then solve equations of higher degree;
        with noise, solve equations of other words."""
        if number == 0:
            return _counting(task, _solve(task))
        if number == 1:
            return self._try_all(task, task.sample.num_symbols)
        if number - 2 < len(_DEGREES):
            return _counting(task, _solve(task, *_DEGREES[number - 2]))
        if task.noise > 0 and number - 2 - len(_DEGREES) < _DRAWS:
            equations = _Equations.of(task.sample, task, seed=number)
            return _counting(task, equations.linear())
        return None

    def _try_all(self, task: SearchTask, symbols: int) -> Attempt:
        bench = Bench(task)
        rows = bench.draw_rows(int(min(_DECIDED, 1 / max(task.noise, 1e-9))), 0)
        rows = np.random.default_rng(0).permutation(rows)
        counts = symbol_counts(bench.sample)[rows]
        classes = bench.sample.classes[rows]
        modulus = 2
        while modulus**symbols <= _MOST_TRIED:
            task.read(100 * modulus**symbols)
            weights = all_weights(counts, classes, modulus, task.sample.num_classes)
            if len(weights):
                simplest = weights[np.lexsort((weights.sum(axis=1), (weights > 0).sum(axis=1)))[0]]
                return _counting(task, [counter(simplest, modulus)])
            modulus += 1
        return Attempt(None)


def _counting(task: SearchTask, counters: list[ValueAutomaton]) -> Attempt:
    """Return the automaton of counts alone."""
    if not counters:
        return Attempt(None)
    bench = Bench(task, counters)
    return bench.attempt(_only(bench))


class Counted(Searcher):
    """A weighted sum of the symbols modulo a number, combined with a few literals."""

    name = "counted"

    _KINDS = windows(2), windows(3), subsequences(3), order_windows(2)
    _STAGES = (
        *(Stage(choose=Combine(kind=kind, width=12)) for kind in _KINDS),
        Stage(choose=Combine(kind=windows(2), width=8), judge=LeftEntropy(kind=windows(2))),
        growing(PATTERNS),
    )

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Find counts in the words of a class, then in those of a class and a truth value of a
        literal, and add literals; then the same with polynomials."""
        turns = len(self._STAGES), len(self._KINDS)
        turn, place = divmod(number, sum(turns))
        if turn > 1:
            return None
        prime, degree = (0, 1) if turn == 0 else _DEGREES[0]
        if place >= turns[0]:
            return self._split(task, self._KINDS[place - turns[0]], prime=prime)
        counters = _solve(task, prime, degree)
        if not counters:
            return Attempt(None)
        return self._STAGES[place].fit(Bench(task, counters))

    def _split(self, task: SearchTask, kind: Kind, *, prime: int) -> Attempt:
        """Look for counts among the words for which a literal holds, or does not hold."""
        bench = Bench(task)
        rows = bench.draw_rows(4_000, 0)
        stage = Stage(choose=Combine(kind=kind, width=12))
        for part in _parts(bench, kind, rows):
            equations = _Equations.of(bench.sample.part(np.sort(part)), task)
            counters = equations.polynomial(prime, 2) if prime else equations.linear()
            for counting in counters:
                attempt = stage.fit(Bench(task, [counting]))
                if attempt.language is not None:
                    return attempt
        return Attempt(None)


def _parts(bench: Bench, kind: Kind, rows: Array) -> Iterator[Array]:
    """Yield the words for which a literal holds, and those for which it does not, for the most
    informative literals."""
    words = bench.words.part(rows)
    pool = keep_literals(kind(words), 24)
    if not len(pool):
        return
    score = score_literals(pool, words)
    for literal in np.argsort(score.bits, kind="stable")[:_SPLITS].tolist():
        holds = pool.column(literal)
        yield rows[holds]
        yield rows[~holds]
