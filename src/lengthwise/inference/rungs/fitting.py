"""Fit a rule to some of the words, look at all of them, and fit it again with those it misjudges.

Choosing among thousands of literals takes time in proportion to the words, and a few hundred words
tell most of them apart. What is rare shows among the misjudged words.

Axes:
    row  words of the sample
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from lengthwise.inference.rungs.automata import ValueAutomaton, product_language, reader
from lengthwise.inference.rungs.literals import Kind, Literal, MarkedWords, Mask, keep_literals
from lengthwise.inference.rungs.rules import combine_literals, covering
from lengthwise.inference.rungs.tiers import Judge, search_tier
from lengthwise.inference.rungs.truth_table import complete_table
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import Attempt, SearchTask, log_choices

MOST_JUDGED = 20_000
"""Greatest number of words that judge a rule while it is searched."""

_MOST_SYMBOLS = 2**20
"""Greatest number of symbols of these words."""

_ROUNDS = 4
"""Number of times that a rule is fitted."""


_NAMING = 4.0
"""Bits that name one of the classes, or the kind of a literal with its lengths."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Literals of a rule on a tier."""

    literals: tuple[Literal, ...]
    tier: Mask


@dataclass(slots=True)
class Bench:
    """The words of a task that an attempt uses, and the work so far."""

    task: SearchTask
    counters: Sequence[ValueAutomaton] = ()
    """Counts whose values are known of each word; literals are added to them."""
    work: int = 0
    words: MarkedWords = field(init=False)
    sample: Sample = field(init=False)
    cells: Array = field(init=False)
    num_cells: int = field(init=False)

    def __post_init__(self) -> None:
        sample = self.task.sample
        if len(sample) > MOST_JUDGED or sample.lengths.sum() > _MOST_SYMBOLS:
            rows = np.random.default_rng(0).permutation(len(sample))[:MOST_JUDGED]
            few = np.searchsorted(np.cumsum(sample.lengths[rows]), _MOST_SYMBOLS, side="right")
            sample = sample.part(np.sort(rows[: max(int(few), 1)]))
        self.sample = sample
        self.words = MarkedWords.of(sample, self.task.check)
        values = [counter.values(sample) for counter in self.counters]
        sizes = [int(counter.value.max()) + 1 for counter in self.counters]
        self.num_cells = int(np.prod(sizes))
        self.cells = (
            np.ravel_multi_index(tuple(values), tuple(sizes))
            if sizes
            else np.zeros(len(sample), dtype=np.int64)
        )
        self.work += (len(sizes) + 1) * sample.symbols.size

    def draw_rows(self, count: int, seed: int) -> Array:
        """Return rows of each class, up to the share of the class in `count`."""
        generator = np.random.default_rng(seed)
        rows = generator.permutation(len(self.sample))
        class_size = max(1, count // self.sample.num_classes)
        classes = self.sample.classes[rows]
        return np.concatenate(
            [rows[classes == c][:class_size] for c in range(self.sample.num_classes)]
        )

    def count_allowed_errors(self, count: int) -> int:
        """Return the number of wrong labels that noise explains among a number of words."""
        noise = self.task.noise
        return int(noise * count + 3 * np.sqrt(noise * (1 - noise) * count))

    def readers(self, rule: Chosen) -> list[ValueAutomaton]:
        """Return the automata of a rule."""
        return [*self.counters, *(reader(literal, rule.tier) for literal in rule.literals)]

    def wrong(self, chosen: Chosen) -> Array:
        """Return the rows that a rule misjudges, with the table that suits all words best."""
        readers = self.readers(chosen)
        values = [automaton.values(self.sample) for automaton in readers]
        sizes = [int(automaton.value.max()) + 1 for automaton in readers]
        classes, number = self.sample.classes, self.sample.num_classes
        answers = complete_table(values, sizes, classes, number)[tuple(values)]
        self.work += (len(readers) + 1) * self.sample.symbols.size
        return np.flatnonzero(answers != classes)

    def attempt(self, chosen: Chosen | None) -> Attempt:
        """Return the end of an attempt: the automaton of a rule."""
        if chosen is None:
            return Attempt(None, self.work)
        readers = self.readers(chosen)
        values = [automaton.values(self.sample) for automaton in readers]
        sizes = [int(automaton.value.max()) + 1 for automaton in readers]
        table = complete_table(values, sizes, self.sample.classes, self.sample.num_classes)
        language = product_language(readers, table, self.task.sample)
        if language is not None and language.num_states > self.task.max_states:
            language = None
        return Attempt(language, self.work, self._bits(chosen, table))

    def _bits(self, rule: Chosen, table: Array) -> float:
        """Return the bits of a class, a tier, literals, counts, and the table of their values."""
        symbols = self.task.sample.num_symbols
        symbol = math.log2(symbols + 1)
        bits = _NAMING + sum(_NAMING + literal.size * symbol for literal in rule.literals)
        if not rule.tier.all():
            bits += math.log2(symbols) + log_choices(symbols, int(rule.tier.sum()))
        for counter in self.counters:
            modulus = int(counter.value.max()) + 1
            bits += _NAMING + int((counter.moves[0, :-1] != 0).sum()) * (
                symbol + math.log2(modulus)
            )
        counts = np.bincount(table.ravel())
        rare = table.size - int(counts.max())
        exceptions = rare * math.log2(max(len(counts) - 1, 1))
        return bits + math.log2(table.size + 1) + log_choices(table.size, rare) + exceptions


Choose: TypeAlias = Callable[[Bench, MarkedWords, Array, Mask], list[Chosen]]
"""Returns rules for words on a tier, the most likely first; the array has the rows of the words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Combine:
    """Choose few literals of a kind, with any Boolean function of them."""

    kind: Kind
    most: int = 3
    width: int = 16
    least: int = 3
    """Number of words that a literal has to hold of, and to fail at."""

    def __call__(self, bench: Bench, words: MarkedWords, rows: Array, tier: Mask) -> list[Chosen]:
        """Return the best rules."""
        pool = keep_literals(self.kind(words.on_tier(tier)), self.least)
        if not len(pool):
            return []
        rules, work = combine_literals(
            pool,
            words.groups,
            words.num_classes,
            most=self.most,
            widths=[self.width] * self.most,
            cells=bench.cells[rows],
            num_cells=bench.num_cells,
            enough=bench.count_allowed_errors(len(rows)),
        )
        bench.work += work + 3 * words.digits.size + 2 * len(pool.literal)
        return [Chosen(tuple(map(pool.get, rule.chosen)), tier) for rule in rules]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cover:
    """Choose literals that hold of all words of one class, and of no word of the other."""

    kind: Kind
    covered: int
    most: int = 12

    def __call__(self, bench: Bench, words: MarkedWords, rows: Array, tier: Mask) -> list[Chosen]:
        """Return the rule, if there is one."""
        pool = keep_literals(self.kind(words.on_tier(tier)), 1)
        if not len(pool):
            return []
        is_covered = (words.groups == self.covered).astype(np.int64)
        exceptions = bench.count_allowed_errors(len(rows))
        literals = covering(pool, is_covered, most=self.most, exceptions=exceptions)
        bench.work += 3 * words.digits.size + len(pool.literal) * (3 + len(literals))
        return [Chosen(tuple(map(pool.get, literals)), tier)] if literals else []


def fit_rule(
    bench: Bench,
    choose: Choose,
    *,
    count: int,
    seed: int = 0,
    judge: Judge | None = None,
    judging: int = 600,
    start: Mask | None = None,
) -> Attempt:
    """Return the automaton of the rule that misjudges fewest words.

    With `judge`, the tier is searched, too, from `start` on, by `judging` words.
    """
    task = bench.task
    tier = np.ones(task.sample.num_symbols, dtype=bool) if start is None else start
    rows = bench.draw_rows(count, seed)
    best: tuple[int, int] | None = None
    best_rule: Chosen | None = None
    for _ in range(_ROUNDS):
        task.check()
        words = bench.words.part(rows)
        if judge is not None:
            generator = np.random.default_rng(seed)
            order = generator.permutation(len(tier)) if seed else None
            sample = bench.words.part(generator.permutation(rows)[:judging])
            climb = search_tier(sample, judge, tier, check=task.check, order=order)
            tier = climb.symbols
            bench.work += climb.work
        misjudged = None
        for rule in choose(bench, words, rows, tier):
            task.check()
            wrong = bench.wrong(rule)
            rank = len(wrong), sum(literal.size for literal in rule.literals)
            if misjudged is None or len(wrong) < len(misjudged):
                misjudged = wrong
            if best is None or rank < best:
                best, best_rule = rank, rule
        if misjudged is None or len(misjudged) <= bench.count_allowed_errors(len(bench.sample)):
            break
        if task.noise > 0:
            break
        more = np.setdiff1d(misjudged, rows)
        if not len(more):
            break
        rows = np.concatenate([rows, np.random.default_rng(seed).permutation(more)[:count]])
    return bench.attempt(best_rule)
