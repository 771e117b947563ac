"""Counts modulo a number are found from words of 20 to 29 symbols alone, beside literals too."""

import itertools

import numpy as np
import pytest

from inference.rungs.test_classes import find_first, sample_of
from inference.samples import Readings, number_symbols
from lengthwise.inference.rungs.counting_searchers import Counted, GroupCounts, _Equations, _parts
from lengthwise.inference.rungs.fitting import Bench
from lengthwise.inference.rungs.literals import windows
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import SearchTask
from lengthwise.languages.builders import from_step_function
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.languages.subregular import SYMBOLS, subregular


def counting(modulus: int, symbols: int, sums: set[int], seed: int) -> Language:
    weights = np.random.default_rng(seed).integers(0, modulus, size=symbols).tolist()
    weights[0] = 1
    by_symbol = dict(zip(SYMBOLS[:symbols], weights, strict=True))
    return from_step_function(
        SYMBOLS[:symbols],
        0,
        lambda total, symbol: (total + by_symbol[symbol]) % modulus,
        lambda total: int(total in sums),
        class_names=("0", "1"),
    )


@pytest.mark.parametrize(
    ("modulus", "symbols", "sums"),
    [
        (2, 64, {1}),
        (3, 16, {0, 2}),
        (4, 16, {1}),
        (6, 16, {5}),
        (6, 4, {0, 2, 3}),
        (4, 2, {0, 1}),
        (5, 4, {1, 2}),
        (5, 8, {1, 3, 4}),
        (7, 4, {0, 1, 4}),
        (9, 12, {4}),
    ],
)
def test_weighted_sums_modulo_a_number_are_found(
    modulus: int, symbols: int, sums: set[int]
) -> None:
    language = counting(modulus, symbols, sums, seed=modulus)
    found = find_first(GroupCounts(), SearchTask(sample_of(language, 1_000)))
    assert found is not None
    assert found.difference(number_symbols(language)) is None


def test_a_symbol_is_counted_that_few_words_have_twice() -> None:
    """Without the few, the number of the symbol itself decides the class, modulo any number."""
    draw = np.random.default_rng(0)
    numbers = np.array([0, 1] * 500 + [2, 3] * 5)
    lengths = draw.integers(20, 30, len(numbers))
    words = [
        (*draw.integers(1, 64, length).tolist(), *[0] * number)
        for length, number in zip(lengths.tolist(), numbers.tolist(), strict=True)
    ]
    sample = Sample.of_words(words, (numbers % 2).tolist(), 64, 2)
    (found,) = _Equations.of(sample, SearchTask(sample)).linear()
    assert (found.values(sample) == sample.classes).all()
    assert found.value.tolist() == [0, 1]


def test_the_sum_itself_can_be_the_class() -> None:
    language = parse("group:Z12,generators=5,seed=0")
    found = find_first(GroupCounts(), SearchTask(sample_of(language, 1_200)))
    assert found is not None
    assert found.difference(number_symbols(language)) is None


def test_counts_are_found_beside_wrong_labels() -> None:
    language = counting(3, 8, {1}, seed=0)
    sample = sample_of(language, 1_000)
    classes = sample.classes.copy()
    classes[::50] ^= 1
    words = [sample.word(row) for row in range(len(sample))]
    task = SearchTask(Sample.of_words(words, classes.tolist(), 8, 2), noise=0.02)
    made = (GroupCounts().attempt(number, task) for number in itertools.count())
    languages = [each.language for each in itertools.takewhile(bool, made) if each]
    assert any(
        each is not None and each.difference(number_symbols(language)) is None for each in languages
    )


@pytest.mark.parametrize(("symbols", "seed"), [(4, 0), (4, 1), (4, 2), (16, 0), (16, 1)])
def test_a_count_and_a_literal_are_found(symbols: int, seed: int) -> None:
    language = subregular("Reg", seed=seed, symbols=symbols)
    found = find_first(Counted(), SearchTask(sample_of(language)))
    assert found is not None
    assert found.difference(number_symbols(language)) is None


def test_a_count_that_only_some_words_need_is_found() -> None:
    """Where `bb` occurs the count decides, and else `ca`; no class has one sum."""
    count, one, other = (
        parse(spec) for spec in ("count:a:2:abc", "regex[abc]:.*bb.*", "regex[abc]:.*ca.*")
    )
    language = (one & count) | (other - one)
    found = find_first(Counted(), SearchTask(sample_of(language)))
    assert found is not None
    assert found.difference(number_symbols(language)) is None


def test_words_are_split_by_the_literals_that_say_most_first() -> None:
    sample = sample_of(parse("regex[abc]:.*bb.*"), 400)
    bench = Bench(SearchTask(sample))
    rows = bench.draw_rows(400, 0)
    parts = list(_parts(bench, windows(2), rows))
    for there, rest in zip(parts[::2], parts[1::2], strict=True):
        assert sorted([*there.tolist(), *rest.tolist()]) == sorted(rows.tolist())
    first, rest = parts[:2]
    assert set(sample.classes[first].tolist()) == {1}
    assert set(sample.classes[rest].tolist()) == {0}


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_a_symbol_that_no_word_has_takes_no_part_in_a_count(noise: float) -> None:
    draw = np.random.default_rng(0)
    words = sorted(
        {tuple(draw.integers(2, size=draw.integers(1, 13)).tolist()) for _ in range(700)}
    )
    sample = Sample.of_words(words, [word.count(0) % 3 for word in words], 3, 3)
    found = GroupCounts().attempt(0, SearchTask(sample, noise=noise))
    assert found is not None
    assert found.language is not None
    assert found.language.num_states == 3
    assert [row[2] for row in found.language.transitions] == [0, 1, 2]


def test_equations_are_solved_once_and_count_as_work_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readings = Readings()
    task = SearchTask(sample_of(counting(3, 4, {0}, seed=1), 200), read=readings.read)
    first, before = GroupCounts().attempt(0, task), readings.symbols
    assert first is not None
    assert before > 0
    monkeypatch.setattr(_Equations, "linear", lambda self: pytest.fail("solved again"))
    again = GroupCounts().attempt(0, task)
    assert again is not None
    assert (again.language, readings.symbols) == (first.language, 2 * before)
    assert Counted().attempt(0, task) is not None
    with pytest.raises(pytest.fail.Exception):
        GroupCounts().attempt(0, SearchTask(task.sample.part(np.arange(150))))
