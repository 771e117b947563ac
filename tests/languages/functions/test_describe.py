"""The summary of a function."""

import json

from lengthwise.languages.functions.by_name import function
from lengthwise.languages.functions.describe import describe_function, facts_of_function
from lengthwise.languages.functions.function import Function


def test_the_carries_of_an_adder_are_drawn() -> None:
    facts = [text for name, text in facts_of_function(function("add")) if name == "from the left"]
    assert len(facts) == 2
    assert facts[0].endswith("1+9 2+8 2+9 3+7 3+8 3+9 ... to 1")


def test_both_automata_of_a_bimachine_are_drawn() -> None:
    rule = function("rule:a -> b / c _ d")
    names = [name for name, _ in facts_of_function(rule)]
    assert names.count("from the left") == names.count("from the right") == 2


def test_a_summary_is_plain_and_its_examples_hold() -> None:
    gray = function("gray")
    summary = json.loads(json.dumps(describe_function(gray)))
    assert Function.from_dict(summary) == gray
    assert summary["samples"]
    assert all(gray(word) == output for word, output in summary["samples"].items())


def test_many_states_are_counted() -> None:
    assert facts_of_function(function("times:20"))[-1][1] == "... (20 states in all, see --json)"
