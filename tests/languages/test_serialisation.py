"""Stored languages come back, damaged ones are refused, and equal automata have one name."""

import json
from dataclasses import replace
from typing import Any

import pytest

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict, machine_name, to_dict
from lengthwise.languages.spec import language

EVEN = Language(
    alphabet=("a", "b"),
    transitions=((1, 0), (0, 1)),
    classes=(0, 1),
    start=1,
    class_names=("odd", "even"),
    domain=language("regex:(ab)*"),
)


def test_what_is_stored_comes_back() -> None:
    assert from_dict(json.loads(json.dumps(to_dict(EVEN)))) == EVEN


@pytest.mark.parametrize("name", ["alphabet", "transitions", "classes", "start", "domain", "spec"])
def test_a_stored_language_that_lacks_something_is_refused(name: str) -> None:
    stored = {key: each for key, each in to_dict(EVEN).items() if key != name}
    with pytest.raises(LanguageError, match=r"a stored language is damaged.*Make it again"):
        from_dict(stored)


@pytest.mark.parametrize("change", [{"transitions": 3}, {"alphabet": None}, {"domain": [1]}])
def test_a_stored_language_of_other_values_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(LanguageError, match=r"a stored language is damaged.*Make it again"):
        from_dict({**to_dict(EVEN), **change})


def test_automata_of_the_same_words_have_one_name_whatever_they_are_called() -> None:
    doubled = Language(
        alphabet=("a", "b"),
        transitions=((1, 0), (2, 1), (3, 2), (0, 3)),
        classes=(0, 1, 0, 1),
        start=1,
    )
    plain = replace(EVEN, domain=None)
    assert machine_name(doubled) == machine_name(plain) == machine_name(replace(plain, spec="x"))
    assert machine_name(replace(plain, start=0)) != machine_name(plain)
    assert machine_name(EVEN) != machine_name(plain)
