"""The shortcuts of functions, where their accuracy is known."""

import pytest

from lengthwise.evaluation.function_shortcuts import rule_accuracies
from lengthwise.languages.functions.by_name import function
from lengthwise.languages.functions.reading import reading_of
from lengthwise.tasks.task import Task


def of(spec: str) -> dict[str, float]:
    made = function(spec)
    task = Task(language=reading_of(made).language, protocol="audited")
    return rule_accuracies(made, task, [10, 11], 200, 0)


def test_a_rule_that_is_the_function_is_always_right() -> None:
    assert of("rule:a -> a / b _") == dict.fromkeys(of("rule:a -> a / b _"), 1.0)
    gray = of("gray")
    assert gray["last two symbols"] == 1.0
    assert gray["copy"] < 0.9


def test_an_adder_needs_its_carry() -> None:
    rules = of("add[base=2]")
    assert rules["symbol alone"] == pytest.approx(0.55, abs=0.1)
    assert rules["symbol alone"] < rules["last two symbols"] < 0.99
