"""Fit a rule to some of the words, look at all of them, and fit it again with those it misjudges.

Choosing among thousands of literals takes time in proportion to the words, and a few hundred words
tell most of them apart. What is rare shows among the misjudged words.

Axes:
    row  words of the sample
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from lengthwise.inference.rungs.automata import (
    ValueAutomaton,
    either,
    product_language,
    reader,
)
from lengthwise.inference.rungs.clauses import Clauses
from lengthwise.inference.rungs.literals import (
    Kind,
    Literal,
    MarkedWords,
    Mask,
    Pool,
    keep_literals,
)
from lengthwise.inference.rungs.rules import Rule, combine_literals, covering
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

_WIDENED = 2
"""Rules whose clauses are widened."""

_FEW, _LIKELY = 2_000, 3
"""Words that judge rules first, and the number of the best ones, which all words judge."""

_NAMING = 4.0
"""Bits that name one of the classes, or the kind of a literal with its lengths."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Clauses of a rule on a tier; a clause holds if one of its literals does."""

    clauses: tuple[tuple[Literal, ...], ...]
    tier: Mask

    @property
    def size(self) -> int:
        """Number of symbols that its literals name."""
        return sum(literal.size for clause in self.clauses for literal in clause)


@dataclass(slots=True)
class Bench:
    """The words of a task that an attempt uses."""

    task: SearchTask
    counters: Sequence[ValueAutomaton] = ()
    """Counts whose values are known of each word; literals are added to them."""
    words: MarkedWords = field(init=False)
    """The words of `sample`; their cells are the values of the counts."""
    sample: Sample = field(init=False)

    def __post_init__(self) -> None:
        sample = self.task.sample
        if len(sample) > MOST_JUDGED or sample.lengths.sum() > _MOST_SYMBOLS:
            rows = np.random.default_rng(0).permutation(len(sample))[:MOST_JUDGED]
            few = np.searchsorted(np.cumsum(sample.lengths[rows]), _MOST_SYMBOLS, side="right")
            sample = sample.part(np.sort(rows[: max(int(few), 1)]))
        self.sample = sample
        words = MarkedWords.of(sample, self.task.read)
        values = [counter.values(sample) for counter in self.counters]
        sizes = [int(counter.value.max()) + 1 for counter in self.counters]
        cells = np.ravel_multi_index(tuple(values), tuple(sizes)) if sizes else 0
        self.words = replace(
            words,
            groups=cells * words.num_classes + words.groups,
            num_cells=math.prod(sizes),
        )
        self.task.read((len(sizes) + 1) * sample.symbols.size)

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

    def likely(self, rules: list[Chosen]) -> list[Chosen]:
        """Return the rules worth judging by all words: if these are many, the different rules that
        misjudge fewest of some words."""
        rules = list({frozenset(map(frozenset, rule.clauses)): rule for rule in rules}.values())
        if len(self.sample) < 2 * _FEW or len(rules) <= _LIKELY:
            return rules
        some = self.sample.part(np.sort(self.draw_rows(_FEW, 0)))
        number = [len(self._misjudge(rule, some)) for rule in rules]
        best = np.lexsort(([rule.size for rule in rules], number))[:_LIKELY]
        return [rules[place] for place in best.tolist()]

    def wrong(self, chosen: Chosen) -> Array:
        """Return the rows that a rule misjudges, with the table that suits all words best."""
        return self._misjudge(chosen, self.sample)

    def _misjudge(self, chosen: Chosen, sample: Sample) -> Array:
        num_literals = sum(map(len, chosen.clauses))
        self.task.read((len(self.counters) + num_literals + 1) * sample.symbols.size)
        values, table = self._decide(chosen, sample)
        return np.flatnonzero(table[tuple(values)] != sample.classes)

    def attempt(self, chosen: Chosen | None) -> Attempt:
        """Return the end of an attempt: the automaton of a rule."""
        if chosen is None:
            return Attempt(None)
        _, table = self._decide(chosen, self.sample)
        readers = list(self.counters)
        for clause in chosen.clauses:
            joined = either([reader(literal, chosen.tier) for literal in clause], self.sample)
            if joined is None:
                return Attempt(None)
            readers.append(joined)
        language = product_language(readers, table, self.task.sample)
        if language is not None and language.num_states > self.task.max_states:
            language = None
        return Attempt(language, self._bits(chosen, table))

    def _decide(self, chosen: Chosen, sample: Sample) -> tuple[list[Array], Array]:
        """Return the values of counts and clauses in each word, and the class of each combination
        of them."""
        values = [counter.values(sample) for counter in self.counters]
        sizes = [int(counter.value.max()) + 1 for counter in self.counters]
        for clause in chosen.clauses:
            holds = [reader(literal, chosen.tier).values(sample) for literal in clause]
            values.append(np.maximum.reduce(holds))
        sizes += [2] * len(chosen.clauses)
        return values, complete_table(values, sizes, sample.classes, sample.num_classes)

    def _bits(self, rule: Chosen, table: Array) -> float:
        """Return the bits of a class, a tier, literals, counts, and the table of their values."""
        symbols = self.task.sample.num_symbols
        symbol = math.log2(symbols + 1)
        bits = _NAMING + sum(
            _NAMING + literal.size * symbol for clause in rule.clauses for literal in clause
        )
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


class Choose(Protocol):
    """Chooses rules."""

    @property
    def num_values(self) -> int:
        """Greatest number of classes that the truth values of a rule tell apart."""

    def __call__(self, bench: Bench, words: MarkedWords, tier: Mask) -> list[Chosen]:
        """Return rules for words on a tier, the most likely first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Combine:
    """Choose few literals of a kind and any Boolean function of them, and widen them to clauses.

    Up to `again` times the pool is made anew, of words with cells by the best rule, and the rule is
    widened once more. Patterns need that: which of them grow depends on what is known of the words.
    """

    kind: Kind
    most: int = 3
    width: int = 16
    least: int = 3
    """Number of words that a literal has to hold of, and to fail at."""
    again: int = 0

    @property
    def num_values(self) -> int:
        """Number of combinations of truth values."""
        return 2**self.most

    def __call__(self, bench: Bench, words: MarkedWords, tier: Mask) -> list[Chosen]:
        """Return the best rules."""
        words = words.on_tier(tier)
        enough = bench.count_allowed_errors(len(words.groups))
        pool = keep_literals(self.kind(words), self.least)
        if not len(pool):
            return []
        rules = combine_literals(
            pool,
            words,
            most=self.most,
            widths=[self.width] * self.most,
            enough=enough,
        )
        clauses = Clauses(pool, words)
        rules += [clauses.widen(rule, enough) for rule in rules[:_WIDENED] if rule.wrong > enough]
        rules.sort(key=Rule.rank)
        chosen = [_name_literals(pool, rule, tier) for rule in rules]
        rule = rules[0]
        for _ in range(self.again):
            if rule.wrong <= enough:
                break
            more = keep_literals(self.kind(clauses.split_words(rule)), self.least)
            literals = list(dict.fromkeys(sum(rule.clauses, ())))  # one may be in several clauses
            number = {literal: len(more) + place for place, literal in enumerate(literals)}
            pool = more.with_others(pool, literals)
            clauses = Clauses(pool, words)
            old = clauses.judge([[number[each] for each in clause] for clause in rule.clauses])
            rule = clauses.widen(old, enough)
            if rule.clauses == old.clauses:
                break
            chosen.insert(0, _name_literals(pool, rule, tier))
        return chosen


def _name_literals(pool: Pool, rule: Rule, tier: Mask) -> Chosen:
    """Return a rule with its literals instead of their numbers in a pool."""
    return Chosen(tuple(tuple(map(pool.get, clause)) for clause in rule.clauses), tier)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cover:
    """Choose literals that hold of all words of one class, and of no word of the other."""

    kind: Kind
    covered: int
    most: int = 12

    @property
    def num_values(self) -> int:
        """Number of truth values of the clause."""
        return 2

    def __call__(self, bench: Bench, words: MarkedWords, tier: Mask) -> list[Chosen]:
        """Return the rule, if there is one."""
        pool = keep_literals(self.kind(words.on_tier(tier)), 1)
        if not len(pool):
            return []
        is_covered = words.are_of(self.covered)
        exceptions = bench.count_allowed_errors(len(words.groups))
        literals = covering(pool, is_covered, most=self.most, exceptions=exceptions)
        words.read(len(pool.literal) * (3 + len(literals)))
        return [Chosen((tuple(map(pool.get, literals)),), tier)] if literals else []


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

    With `judge`, the tier is searched, too, from `start` on, by `judging` words. Where there are
    more classes than a rule can tell apart, none is fitted.
    """
    task = bench.task
    if bench.words.num_classes > bench.words.num_cells * choose.num_values:
        return Attempt(None)
    tier = np.ones(task.sample.num_symbols, dtype=bool) if start is None else start
    rows = bench.draw_rows(count, seed)
    best: tuple[int, int] | None = None
    best_rule: Chosen | None = None
    for _ in range(_ROUNDS):
        words = bench.words.part(rows)
        if judge is not None:
            generator = np.random.default_rng(seed)
            order = generator.permutation(len(tier)) if seed else None
            sample = bench.words.part(generator.permutation(rows)[:judging])
            tier = search_tier(sample, judge, tier, order=order)
        misjudged = None
        for rule in bench.likely(choose(bench, words, tier)):
            wrong = bench.wrong(rule)
            rank = len(wrong), rule.size
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
