"""Second definitions of the classes of the ladder: equations over all elements of a monoid that is
listed naively, and definitions by words. They share no code with the package beyond `Language`.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.builders import determinise
from lengthwise.languages.language import Language

Map = tuple[int, ...]
Word = tuple[int, ...]


class Naive:
    """The transition monoid of a minimal automaton by composing maps until nothing new comes."""

    def __init__(self, language: Language, most: int = 10**6) -> None:
        self.machine = language.total().minimise()
        steps = [tuple(row[a] for row in self.machine.transitions) for a in self.symbols]
        identity = tuple(range(self.machine.num_states))
        found = {identity: 0}
        for x in (queue := [identity]):
            for a in steps:
                y = tuple(a[s] for s in x)
                if y not in found:
                    found[y] = len(found)
                    queue.append(y)
            if len(queue) > most:
                raise OverflowError
        self.maps = queue
        self.index = found
        words = {tuple(steps[a]) for a in self.symbols}
        while new := {tuple(y[s] for s in x) for x in words for y in steps} - words:
            words |= new
        self.semigroup = np.array(sorted(found[x] for x in words))

    @property
    def symbols(self) -> range:
        return range(self.machine.num_symbols)

    @cached_property
    def table(self) -> NDArray[np.int64]:
        return np.array(
            [[self.index[tuple(y[s] for s in x)] for y in self.maps] for x in self.maps]
        )

    @cached_property
    def omega(self) -> NDArray[np.int64]:
        """The idempotent power of each element."""
        found = []
        for x in range(len(self.maps)):
            power = x
            while self.table[power, power] != power:
                power = self.table[power, x]
            found.append(power)
        return np.array(found)

    @cached_property
    def idempotents(self) -> list[int]:
        """Those of the semigroup."""
        return [int(x) for x in self.semigroup if self.table[x, x] == x]

    def between(self, e: int, f: int) -> NDArray[np.int64]:
        return np.unique(self.table[self.table[e, self.semigroup], f])


def aperiodic(naive: Naive) -> bool:
    for x in naive.maps:
        power, seen = x, [x]
        while (power := tuple(x[s] for s in power)) not in seen:
            seen.append(power)
        if power != seen[-1]:
            return False
    return True


def definite(naive: Naive) -> bool:
    """se = e"""
    return all((naive.table[naive.semigroup, e] == e).all() for e in naive.idempotents)


def reverse_definite(naive: Naive) -> bool:
    """es = e"""
    return all((naive.table[e, naive.semigroup] == e).all() for e in naive.idempotents)


def generalised_definite(naive: Naive) -> bool:
    """ese = e"""
    return all((naive.between(e, e) == e).all() for e in naive.idempotents)


def locally_testable(naive: Naive) -> bool:
    """eSe is a semilattice."""
    for e in naive.idempotents:
        local = naive.between(e, e)
        products = naive.table[np.ix_(local, local)]
        if (products != products.T).any() or (np.diag(products) != local).any():
            return False
    return True


def threshold_testable(naive: Naive) -> bool:
    """Aperiodic, and exf fye ezf = ezf fye exf."""
    if not aperiodic(naive):
        return False
    t = naive.table
    for e, f in itertools.product(naive.idempotents, repeat=2):
        there, back = naive.between(e, f), naive.between(f, e)
        left = t[t[there[:, None, None], back[None, :, None]], there[None, None, :]]
        if (left != left.transpose(2, 1, 0)).any():
            return False
    return True


def r_trivial(naive: Naive) -> bool:
    """(xy)^w x = (xy)^w"""
    t = naive.table
    return bool((t[naive.omega[t], np.arange(len(t))[:, None]] == naive.omega[t]).all())


def l_trivial(naive: Naive) -> bool:
    """y (xy)^w = (xy)^w"""
    t = naive.table
    return bool((t[np.arange(len(t))[None, :], naive.omega[t]] == naive.omega[t]).all())


def j_trivial(naive: Naive) -> bool:
    """Simon: (xy)^w x = (xy)^w = y (xy)^w"""
    return r_trivial(naive) and l_trivial(naive)


def da(naive: Naive) -> bool:
    """(xyz)^w y (xyz)^w = (xyz)^w"""
    t, every = naive.table, np.arange(len(naive.table))
    for x in every:
        power = naive.omega[t[t[x][:, None], every[None, :]]]  # [y, z]
        if (t[t[power, every[:, None]], power] != power).any():
            return False
    return True


def r_infinity(naive: Naive) -> bool:
    """Aperiodic, and idempotents e, f with ef = f and fe = e are equal."""
    t = naive.table
    idempotents = np.flatnonzero(t.diagonal() == np.arange(len(t)))
    products = t[np.ix_(idempotents, idempotents)]
    related = (products == idempotents) & (idempotents[:, None] == products.T)
    return aperiodic(naive) and int(related.sum()) == len(idempotents)


def dot_depth_one(naive: Naive) -> bool:
    """Knast: (exfy)^w exft (ezft)^w = (exfy)^w e (ezft)^w"""
    t, w = naive.table, naive.omega
    for e, f in itertools.product(naive.idempotents, repeat=2):
        there, back = naive.between(e, f), naive.between(f, e)  # exf; fy and ft, times e
        x, y, z, s = np.ix_(there, back, there, back)
        first, last = w[t[x, y]], w[t[z, s]]
        if (t[t[t[first, x], s], last] != t[first, last]).any():
            return False
    return True


def knast_work(naive: Naive) -> int:
    pairs = itertools.product(naive.idempotents, repeat=2)
    return sum((len(naive.between(e, f)) * len(naive.between(f, e))) ** 2 for e, f in pairs)


def group(naive: Naive) -> bool:
    return all(len(set(x)) == len(x) for x in naive.maps)


def finite(naive: Naive, wanted: int = 1) -> bool:
    """No word of n to 2n - 1 symbols has the class: a longer one could be cut to such a length."""
    n = naive.machine.num_states
    return all(naive.machine.counts(length)[wanted] == 0 for length in range(n, 2 * n))


def reversal_is_r_trivial(language: Language) -> bool:
    """L-trivial, by the automaton of the reversed words."""
    machine = language.minimise()
    arcs: list[dict[str, list[int]]] = [{} for _ in range(machine.num_states + 1)]
    for state, row in enumerate(machine.transitions):
        for symbol, target in enumerate(row):
            arcs[target].setdefault(machine.alphabet[symbol], []).append(state)
    arcs[-1][""] = [state for state, c in enumerate(machine.classes) if c == 1]
    reversed_ = determinise(machine.alphabet, arcs, machine.num_states, [machine.start])
    return loops_only(reversed_.minimise())


def loops_only(machine: Language) -> bool:
    """All cycles are self-loops: no state is reached from another one that it reaches."""
    reach = [set(row) for row in machine.transitions]
    for _ in reach:
        reach = [r | set().union(*(reach[t] for t in r)) for r in reach]
    return not any(
        a in reach[b] and b in reach[a] and a != b for a in range(len(reach)) for b in range(a)
    )


def strictly_piecewise(language: Language) -> bool:
    """Removing symbols makes no new words: an acceptor that may skip any symbol of a word."""
    machine = language.minimise()
    arcs = [
        {
            **{machine.alphabet[a]: [t] for a, t in enumerate(row)},
            "": sorted(set(row)),
        }
        for row in machine.transitions
    ]
    final = [state for state, c in enumerate(machine.classes) if c == 1]
    closed = determinise(machine.alphabet, arcs, machine.start, final)
    return closed.difference(machine) is None


def strictly_local(language: Language, k: int) -> bool:
    """The language is the words whose windows of k symbols, with k - 1 marks at both ends, all
    stand in some member.
    """
    machine = language.minimise()
    mark = machine.num_symbols
    windows: set[Word] = set()
    seen = set()
    stack = [(machine.start, (mark,) * (k - 1), False)]
    useful = machine.reaching(lambda c: c == 1)
    while stack:
        state, last, _ = stack.pop()
        if (state, last) in seen or state not in useful:
            continue
        seen.add((state, last))
        if machine.classes[state] == 1:
            ended = (*last, *(mark,) * (k - 1))
            windows |= {ended[i : i + k] for i in range(len(ended) - k + 1)}
            if k == 1:
                windows.add(())
        for symbol, target in enumerate(machine.transitions[state]):
            if target in useful:
                window = (*last, symbol)
                windows.add(window)
                stack.append((target, window[1:], True))
    start = (mark,) * (k - 1)
    index: dict[Word | None, int] = {start: 0}
    rows, classes = [], []
    queue: list[Word | None] = [start]
    for recent in queue:
        row = []
        if recent is None:
            classes.append(0)
        else:
            ended = (*recent, *(mark,) * (k - 1))
            fine = all(ended[i : i + k] in windows for i in range(len(ended) - k + 1))
            classes.append(int(fine and (k > 1 or () in windows)))
        for symbol in range(machine.num_symbols):
            after = (
                None
                if recent is None or (*recent, symbol) not in windows
                else (*recent, symbol)[1:]
            )
            if after not in index:
                index[after] = len(queue)
                queue.append(after)
            row.append(index[after])
        rows.append(tuple(row))
    built = Language(alphabet=machine.alphabet, transitions=tuple(rows), classes=tuple(classes))
    return built.difference(machine) is None


def on_some_tier(language: Language, holds: Callable[[Language], bool]) -> bool:
    """By definition: for some set of symbols the words that keep them alone make a language of the
    class, and a word is in exactly if it is so after the other symbols are removed.
    """
    machine = language.total().minimise()
    every = range(machine.num_symbols)
    for size in range(1, len(every) + 1):
        for tier in itertools.combinations(every, size):
            rows = machine.transitions
            kept = replace(
                machine,
                alphabet=tuple(machine.alphabet[a] for a in tier),
                transitions=tuple(tuple(row[a] for a in tier) for row in rows),
            )
            skipping = replace(
                machine,
                transitions=tuple(
                    tuple(row[a] if a in tier else state for a in every)
                    for state, row in enumerate(rows)
                ),
            )
            if skipping.difference(machine) is None and holds(kept.minimise()):
                return True
    return False


def windows_of(word: Word, k: int) -> tuple[Word, Word, frozenset[Word]]:
    """The first and the last k - 1 symbols, and the windows of k symbols."""
    width = max(k - 1, 0)
    inside = frozenset(word[i : i + k] for i in range(len(word) - k + 1))
    return word[:width], word[max(0, len(word) - width) :], inside


def subsequences_of(word: Word, k: int) -> frozenset[Word]:
    return frozenset(piece for size in range(k + 1) for piece in itertools.combinations(word, size))


# ---- C-RASP, by listing cycles ----------------------------------------------------------------


def c_rasp(language: Language, *, keep_symbols: bool = True) -> bool:
    """Every part passes; weights are those with sum 0 on each simple cycle, listed one by one.

    Without `keep_symbols`, an edge is relabelled by h(a) + p(q) alone.
    """
    machine = language.total().minimise()
    reach = [{state} | set(row) for state, row in enumerate(machine.transitions)]
    for _ in reach:
        reach = [set().union(*(reach[t] for t in r)) for r in reach]
    parts = {
        frozenset(b for b in range(len(reach)) if b in reach[a] and a in reach[b])
        for a in range(len(reach))
    }
    return all(_part_passes(machine, part, keep_symbols) for part in parts)


def _part_passes(machine: Language, part: frozenset[int], keep_symbols: bool) -> bool:
    label: dict[tuple[int, int], object] = {
        (state, a): a for state in part for a in range(machine.num_symbols)
    }
    count = 0
    while True:
        names = sorted({label[edge] for edge in label}, key=repr)
        place = {name: i for i, name in enumerate(names)}
        equations = []
        for cycle in _simple_cycles(machine, part):
            row = [Fraction(0)] * len(names)
            for edge in cycle:
                row[place[label[edge]]] += 1
            equations.append(row)
        solutions = _kernel(equations, len(names))
        new: dict[tuple[int, int], object] = {}
        for (state, a), before in label.items():
            sums = []
            for weights in solutions:
                path = _some_path(machine, part, min(part), state)
                total = sum((weights[place[label[edge]]] for edge in path), Fraction(0))
                sums.append(total + weights[place[before]])
            new[state, a] = (before, tuple(sums)) if keep_symbols else tuple(sums)
        sets = [frozenset(new[s, a] for a in range(machine.num_symbols)) for s in sorted(part)]
        if len(set(new.values())) == count:
            return len(set(sets)) == len(sets)
        count, label = len(set(new.values())), new


def _simple_cycles(machine: Language, part: frozenset[int]) -> Iterator[list[tuple[int, int]]]:
    def extend(
        first: int, state: int, seen: frozenset[int], edges: list[tuple[int, int]]
    ) -> Iterator[list[tuple[int, int]]]:
        for a, target in enumerate(machine.transitions[state]):
            if target == first:
                yield [*edges, (state, a)]
            elif target in part and target not in seen and target > first:
                yield from extend(first, target, seen | {target}, [*edges, (state, a)])

    for first in part:
        yield from extend(first, first, frozenset([first]), [])


def _some_path(
    machine: Language, part: frozenset[int], source: int, target: int
) -> list[tuple[int, int]]:
    paths: dict[int, list[tuple[int, int]]] = {source: []}
    for state in (queue := [source]):
        for a, after in enumerate(machine.transitions[state]):
            if after in part and after not in paths:
                paths[after] = [*paths[state], (state, a)]
                queue.append(after)
    return paths[target]


def _kernel(rows: list[list[Fraction]], size: int) -> list[list[Fraction]]:
    """Gauss and Jordan over fractions."""
    rows = [list(row) for row in rows]
    pivots: list[int] = []
    for column in range(size):
        found = next((r for r in range(len(pivots), len(rows)) if rows[r][column] != 0), None)
        if found is None:
            continue
        top = len(pivots)
        rows[top], rows[found] = rows[found], rows[top]
        rows[top] = [value / rows[top][column] for value in rows[top]]
        for r, row in enumerate(rows):
            if r != top and row[column] != 0:
                rows[r] = [a - row[column] * b for a, b in zip(row, rows[top], strict=True)]
        pivots.append(column)
    basis = []
    for free in (c for c in range(size) if c not in pivots):
        vector = [Fraction(0)] * size
        vector[free] = Fraction(1)
        for row, pivot in zip(rows, pivots, strict=False):
            vector[pivot] = -row[free]
        basis.append(vector)
    return basis
