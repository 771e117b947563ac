"""Sensitivity is that of all words."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.languages.language import Language
from lengthwise.languages.sensitivity import average_sensitivity, greatest_sensitivity
from lengthwise.languages.verdicts import LadderSubject
from strategies import machines, recognisers


@given(st.one_of(recognisers(max_states=4), machines(alphabet="abc", max_states=3)))
def test_sensitivity_is_that_of_all_words(language: Language) -> None:
    subject = LadderSubject(language)
    machine, size = subject.machine, 4
    average = average_sensitivity(subject, [size])
    greatest = greatest_sensitivity(subject, [size])
    assert average is not None
    assert greatest is not None
    totals, most = 0.0, 0
    for word in itertools.product(range(machine.num_symbols), repeat=size):
        c = machine.classes[machine.run(word)]
        changed = [
            [
                machine.classes[machine.run((*word[:i], b, *word[i + 1 :]))] != c
                for b in range(machine.num_symbols)
                if b != word[i]
            ]
            for i in range(size)
        ]
        totals += sum(sum(row) / max(1, len(row)) for row in changed)
        most = max(most, sum(map(any, changed)))
    assert average[size] == pytest.approx(totals / machine.num_symbols**size)
    assert greatest[size] == most
