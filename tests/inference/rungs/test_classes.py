"""Each searcher finds languages of its class from words of 20 to 29 symbols alone."""

from dataclasses import replace

import numpy as np
import pytest

from inference.samples import Readings, balance, number_symbols
from lengthwise.inference import portfolio
from lengthwise.inference.rungs.catalogue import RUNGS
from lengthwise.inference.sample import Sample, answers_of
from lengthwise.inference.searcher import Searcher, SearchTask, count_wrong
from lengthwise.languages.builders import from_step_function
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.languages.subregular import subregular


def sample_of(language: Language, count: int = 2_000) -> Sample:
    return balance(language, count, shortest=20, longest=29, seed=0)


def find_first(searcher: Searcher, task: SearchTask) -> Language | None:
    """The first hypothesis that fits all words."""
    number, readings = 0, Readings()
    task = replace(task, read=readings.read)
    while (attempt := searcher.attempt(number, task)) is not None:
        number += 1
        assert readings.symbols > 0
        readings.symbols = 0
        if attempt.language is not None and count_wrong(attempt.language, task.sample) == 0:
            return attempt.language
    return None


def test_a_long_subsequence_is_found_before_what_takes_long() -> None:
    language = parse("regex[a-p]:.*" + ".*".join("abcd") + ".*")
    readings = Readings()
    task = SearchTask(sample_of(language), read=readings.read)
    made = [RUNGS["PT"].attempt(number, task) for number in (0, 1)][-1]
    assert made is not None
    assert made.language is not None
    assert count_wrong(made.language, task.sample) == 0
    assert readings.symbols < portfolio._TURN


@pytest.mark.parametrize(
    ("name", "symbols", "seed"),
    [
        ("SL", 4, 1),
        ("SL", 16, 0),
        ("coSL", 4, 0),
        ("TSL", 4, 0),
        ("TcoSL", 4, 1),
        ("SP", 4, 0),
        ("coSP", 4, 1),
        ("LT", 4, 0),
        ("TLT", 4, 1),
        ("TLT", 16, 0),
        ("LTT", 4, 0),
        ("TLTT", 4, 1),
        ("PT", 16, 1),
        ("PLT", 4, 0),
        ("TPLT", 4, 1),
    ],
)
def test_a_language_of_its_class_is_found(name: str, symbols: int, seed: int) -> None:
    language = subregular(name, seed=seed, symbols=symbols)
    sample = sample_of(language)
    found = find_first(RUNGS[name], SearchTask(sample))
    assert found is not None
    assert found.difference(number_symbols(language)) is None


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("SL", "~(.*(a{6}|b{6}).*)"),
        ("SP", "~(.*a.*b.*a.*b.*a.*b.*)"),
        ("PT", ".*c.*d.*c.*d.*c.*d.*"),
        ("PLT", "a.*ab.*baba.*"),
        ("TPLT", "~([abcd]*a[d]*a[d]*a[d]*a[d]*a[d]*a[abcd]*b[abcd]*)"),
    ],
)
def test_rules_about_many_symbols_are_found(name: str, spec: str) -> None:
    is_not, body = spec.startswith("~"), spec.strip("~")
    language = parse(f"regex[abcd]:{body}")
    language = ~language if is_not else language
    found = find_first(RUNGS[name], SearchTask(sample_of(language, 2_000)))
    assert found is not None
    assert found.difference(number_symbols(language)) is None


def test_a_function_of_both_of_two_literals_is_found_where_neither_says_much() -> None:
    language = parse("regex[abc]:.*bb.*") ^ parse("regex[abc]:.*ca.*")
    found = find_first(RUNGS["LT"], SearchTask(sample_of(language)))
    assert found is not None
    assert found.difference(number_symbols(language)) is None


def test_an_attempt_depends_on_its_number_alone() -> None:
    task = SearchTask(sample_of(subregular("TLT", seed=0), 600))
    for number in (0, 3, 6):
        one, two = (RUNGS["TLT"].attempt(number, task) for _ in range(2))
        assert one == two


def test_three_classes_are_told_apart() -> None:
    language = from_step_function(
        "abc",
        ("", False, False),
        lambda seen, symbol: (
            symbol,
            seen[1] or seen[0] + symbol == "bb",
            seen[2] or seen[0] + symbol == "ca",
        ),
        lambda seen: int(seen[1]) + int(seen[1] and seen[2]),
    )
    sample = balance(language, 1_500, shortest=20, longest=29, seed=0)
    assert np.bincount(sample.classes).tolist() == [500] * 3
    found = find_first(RUNGS["LT"], SearchTask(sample))
    assert found is not None
    assert answers_of(found, sample).tolist() == sample.classes.tolist()
