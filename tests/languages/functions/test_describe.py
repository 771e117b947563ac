"""The summary of a function."""

import json

from lengthwise.languages.functions.by_name import function
from lengthwise.languages.functions.describe import (
    describe_function,
    facts_of_function,
    output_table,
)
from lengthwise.languages.functions.function import Function


def test_the_carries_of_an_adder_are_drawn() -> None:
    facts = [text for name, text in facts_of_function(function("add")) if name == "from the left"]
    assert len(facts) == 2
    assert facts[0].endswith("1+9/0 2+8/0 2+9/1 3+7/0 3+8/1 3+9/2 ... to 1")


def test_both_automata_of_a_bimachine_are_drawn() -> None:
    rule = function("rule:a -> b / c _ d")
    names = [name for name, _ in facts_of_function(rule)]
    assert names.count("from the left") == names.count("from the right") == 2
    assert ("output", "state 1, a: a before state 0, b before state 1") in facts_of_function(rule)
    assert "from the left" not in [name for name, _ in facts_of_function(rule, arcs=False)]


def test_the_table_has_every_output_of_a_bimachine() -> None:
    add = function("add[base=2,first=high]")
    columns, rows = output_table(add)
    assert columns == ["from the left", "symbol", "from the right 0", "from the right 1"]
    assert rows == [
        ["0", "0+0", "0", "1"],
        ["0", "0+1", "1", "0"],
        ["0", "1+0", "1", "0"],
        ["0", "1+1", "0", "1"],
    ]
    assert output_table(function("add")) == ([], [])
    large = function("rule[abcdefghijklmnopqrst]:a -> b / c _ d")
    assert facts_of_function(large)[-1] == ("output", "... (40 rows in all, see --json)")


def test_a_summary_is_plain_and_its_examples_hold() -> None:
    gray = function("gray")
    summary = json.loads(json.dumps(describe_function(gray)))
    assert Function.from_dict(summary) == gray
    assert summary["samples"]
    assert all(gray(word) == output for word, output in summary["samples"].items())


def test_many_states_are_counted() -> None:
    assert facts_of_function(function("times:20"))[-1][1] == "... (20 states in all, see --json)"
