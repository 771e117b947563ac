"""The class and the level that words of one label show."""

import pytest

from inference.positives.oracles import RULES, SHORT, list_accepted, words_of
from inference.samples import sample_of
from lengthwise.inference.positives.choice import choose
from lengthwise.inference.sample import join_samples
from lengthwise.inference.searcher import AttemptLostError


@pytest.mark.parametrize("name", RULES)
def test_the_rule_of_the_words_is_chosen(name: str) -> None:
    found, end = choose(*words_of(RULES[name]))
    assert found is not None
    assert (end, found.rejected, found.is_agreed) == ("exhausted", 0, True)
    assert found.assumed.at(found.level).endswith(name)
    assert list_accepted(found.language) == set(filter(RULES[name], SHORT))


def test_a_class_that_is_assumed_is_the_only_one_that_is_tried() -> None:
    train, valid = words_of(RULES["0-reversible"])
    found, _ = choose(train, valid, assume="k-testable")
    assert found is not None
    assert found.assumed.name == "k-testable"
    assert list_accepted(found.language) > set(filter(RULES["0-reversible"], SHORT))


def test_validation_joins_the_words_at_the_end() -> None:
    train, valid = sample_of([(0,), (0, 0)], [1, 1]), sample_of([(1,)], [1])
    found, _ = choose(train, valid)
    assert found is not None
    assert found.rejected == 1
    assert not found.is_agreed
    assert (1,) in list_accepted(found.language)
    assert found.language == found.assumed.smallest(join_samples(train, valid), found.level)


def test_what_there_is_is_the_result_when_the_time_is_up() -> None:
    calls = iter(range(100))

    def check() -> None:
        if next(calls) > 2:
            raise AttemptLostError

    found, end = choose(*words_of(RULES["2-testable"]), check=check)
    assert found is not None
    assert end == "out of time"
    assert choose(*words_of(RULES["2-testable"]), max_states=0) == (None, "exhausted")
