"""Clauses grow while a literal saves more than it has."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.rungs.oracles import in_cells, samples
from inference.rungs.test_rules import entropy, misjudge
from inference.samples import balance
from lengthwise.inference.rungs.clauses import Clauses
from lengthwise.inference.rungs.literals import Literal, MarkedWords, Pool, windows
from lengthwise.inference.rungs.rules import Rule, combine_literals
from lengthwise.inference.sample import Sample
from lengthwise.languages.spec import parse

Split = list[list[int]]


def split(pool: Pool, clauses: tuple[tuple[int, ...], ...], words: MarkedWords) -> Split:
    """The classes of the words of each cell and each combination of truth values."""
    cells: dict[tuple[int, ...], list[int]] = {}
    for row, group in enumerate(words.groups.tolist()):
        cell, label = divmod(group, words.num_classes)
        values = (any(pool.column(each)[row] for each in clause) for clause in clauses)
        cells.setdefault((cell, *values), []).append(label)
    return list(cells.values())


@st.composite
def clauses_of_words(draw: st.DrawFn) -> tuple[Pool, MarkedWords, tuple[tuple[int, ...], ...]]:
    """Words in cells, their windows, and some clauses of these."""
    words = in_cells(draw(samples(least=6)), draw(st.integers(1, 3)))
    pool = windows(2)(words)
    clause = st.lists(st.integers(0, len(pool) - 1), min_size=1, max_size=3).map(tuple)
    return pool, words, draw(st.lists(clause, min_size=1, max_size=3).map(tuple))


@settings(max_examples=60)
@given(clauses_of_words())
def test_a_rule_is_judged_by_the_truth_values_of_its_clauses(
    case: tuple[Pool, MarkedWords, tuple[tuple[int, ...], ...]],
) -> None:
    pool, words, chosen = case
    clauses = Clauses(pool, words)
    rule, cells = clauses.judge(chosen), split(pool, chosen, words)
    assert rule.clauses == chosen
    assert rule.wrong == misjudge(cells)
    assert rule.bits == pytest.approx(entropy(cells), abs=1e-6)
    assert rule.size == sum(pool.get(literal).size for each in chosen for literal in each)
    distinguished = clauses.split_words(rule)
    assert sorted(map(sorted, split(pool, (), distinguished))) == sorted(map(sorted, cells))
    assert distinguished.groups.max() < 2 * distinguished.num_cells


@settings(max_examples=40)
@given(samples(least=6), st.integers(1, 2))
def test_each_literal_that_stays_saves_at_least_its_bits(sample: Sample, num_cells: int) -> None:
    words = in_cells(sample, num_cells)
    pool = windows(2)(words)
    if not len(pool):
        return
    clauses = Clauses(pool, words)
    start, wide = clauses.judge([[0]]), clauses.widen(clauses.judge([[0]]))
    price = {number: np.log2(4) * (pool.get(number).size + 1) for number in range(len(pool))}

    def cost(rule: Rule) -> float:
        return rule.bits + sum(price[literal] for clause in rule.clauses for literal in clause)

    assert cost(wide) <= cost(start) + len(start.clauses) * np.log2(4) + 1e-6
    if wide.wrong == 0:
        return
    grown = [literal for clause in wide.clauses for literal in clause]
    if len(set(grown)) == len(grown) > 1:
        for literal in grown:  # each saves what it has
            rest = [[each for each in clause if each != literal] for clause in wide.clauses]
            lost = clauses.judge([clause for clause in rest if clause]).bits - wide.bits
            assert lost >= price[literal] - 1e-6


@settings(max_examples=40)
@given(clauses_of_words())
def test_the_literal_that_saves_most_joins_a_clause_or_begins_one(
    case: tuple[Pool, MarkedWords, tuple[tuple[int, ...], ...]],
) -> None:
    pool, words, chosen = case
    symbol, clauses = np.log2(4), Clauses(pool, words)
    now = clauses.judge(chosen).bits
    saved = {}
    for literal in range(len(pool)):
        for place in range(len(chosen) + 1):
            more = [*chosen, ()]
            more[place] = (*more[place], literal)
            left = entropy(split(pool, tuple(filter(None, more)), words))
            table = symbol * words.num_cells * 2 ** len(chosen) if place == len(chosen) else 0
            price = symbol * (pool.get(literal).size + 1)
            saved[place, literal] = now - left - price - table
    place, literal = clauses._best_move(chosen)
    most = max(saved.values())
    if literal < 0:
        assert most <= 1e-6
    else:
        assert saved[place, literal] == pytest.approx(most, abs=1e-6)


def test_literals_that_do_not_pay_for_themselves_are_removed() -> None:
    language = parse("regex[abcd]:.*aab.*")
    words = MarkedWords.of(balance(language, 400, shortest=8, longest=12, seed=0))
    pool = windows(3)(words)
    number = {pool.get(each): each for each in range(len(pool))}
    target, part, other = (number[Literal((block,))] for block in ((0, 0, 1), (0, 0), (3, 2, 3)))
    clauses = Clauses(pool, words)
    for idle in (((part,), (target,)), ((target, other),)):
        start = clauses.judge(idle)
        assert clauses.widen(start, enough=len(words.groups)).clauses == ((target,),)


def test_a_function_of_two_clauses_is_found() -> None:
    language = parse("regex[abcd]:.*(aab|bba).*") & parse("regex[abcd]:.*(ccd|ddc).*")
    sample = balance(language, 1_500, shortest=20, longest=29, seed=0)
    words = MarkedWords.of(sample)
    pool = windows(3)(words)
    rules = combine_literals(pool, words, most=2, widths=[20] * 2)
    assert rules[0].wrong > 0
    clauses = Clauses(pool, words)
    best = min((clauses.widen(rule) for rule in rules), key=Rule.rank)
    assert best.wrong == 0
    found = {frozenset(map(pool.get, clause)) for clause in best.clauses}
    one, two = Literal(((0, 0, 1),)), Literal(((1, 1, 0),))
    three, four = Literal(((2, 2, 3),)), Literal(((3, 3, 2),))
    assert found == {frozenset({one, two}), frozenset({three, four})}


def test_a_literal_begins_a_clause_where_it_says_more_than_in_another() -> None:
    language = parse("regex[abc]:.*bb.*") ^ parse("regex[abc]:.*ca.*")
    words = MarkedWords.of(balance(language, 600, shortest=8, longest=12, seed=0))
    pool = windows(2)(words)
    number = {pool.get(each): each for each in range(len(pool))}
    one, two = (number[Literal((block,))] for block in ((1, 1), (2, 0)))
    clauses = Clauses(pool, words)
    assert clauses.widen(clauses.judge([[one]])).clauses == ((one,), (two,))


def test_words_that_are_few_enough_stay_misjudged() -> None:
    sample = Sample.of_words([(0,), (1,), (2,), (0, 1), (1, 1)], [0, 1, 1, 0, 0], 3, 2)
    words = MarkedWords.of(sample)
    clauses = Clauses(windows(1)(words), words)
    start = clauses.judge([[0]])
    assert clauses.widen(start, enough=start.wrong) == start
