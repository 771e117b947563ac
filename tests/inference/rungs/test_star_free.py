"""Star-free languages are found from words of 20 to 29 symbols alone, and no others."""

from dataclasses import replace

import numpy as np

from inference.rungs.test_classes import find_first, sample_of
from inference.samples import number_symbols
from lengthwise.inference.rungs.star_free import Chain, StarFree
from lengthwise.inference.searcher import Attempt, SearchTask
from lengthwise.languages.spec import parse
from lengthwise.languages.subregular import subregular


def test_a_star_free_language_of_no_smaller_class_is_found() -> None:
    language = subregular("SF", seed=0)
    found = find_first(StarFree(), SearchTask(sample_of(language)))
    assert found is not None
    assert found.difference(number_symbols(language)) is None


def test_what_smaller_classes_have_is_found() -> None:
    language = parse("regex[abc]:.*bb.*") ^ parse("regex[abc]:.*ca.*")
    found = find_first(StarFree(), SearchTask(sample_of(language)))
    assert found is not None
    assert found.difference(number_symbols(language)) is None


def test_a_line_that_turns_states_in_a_circle_is_not_star_free() -> None:
    """A line has the parity of `a` in two states that change places."""
    task = SearchTask(sample_of(parse("count:a:2:ab"), 400))
    line = Chain().attempt(0, task)
    assert line is not None
    assert line.language is not None
    assert line.language.ladder()["star_free"].holds is False
    found = StarFree().attempt(1, task)
    assert found is not None
    assert found.language is None


def test_no_line_has_fewer_states_than_there_are_classes() -> None:
    sample = sample_of(parse("count:a:2:ab"), 20)
    many = replace(sample, classes=np.arange(len(sample)) % 4, num_classes=4)
    few, enough = (Chain().attempt(number, SearchTask(many)) for number in (0, 1))
    assert few == Attempt(None)
    assert enough is not None
    assert enough.language is not None


def test_the_attempts_end() -> None:
    task = SearchTask(sample_of(parse("count:a:2:ab"), 20))
    assert StarFree().attempt(10**6, task) is None
    assert Chain().attempt(10**6, task) is None
