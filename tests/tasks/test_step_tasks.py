"""Step tasks: what is written is what the circuit or the automaton says, and inputs differ."""

from itertools import permutations, product
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.circuits.adders import adder_circuit, from_bits
from lengthwise.errors import (
    CircuitError,
    TaskError,
)
from lengthwise.tasks.step_specs import make_step_task
from lengthwise.tasks.step_tasks import CircuitSteps, StateSteps
from strategies import recognisers
from tasks.drawn_steps import every_task, generator, task_of

# ---- what is written ---------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, "carries", ["c2", "c3", "e3", "c4", "e1", "e2"]])
def test_sums_and_carries_are_those_of_the_numbers(order: Any) -> None:
    n = 3
    task = make_step_task("steps:addition", {"bits": n, "order": order})
    inputs = torch.tensor(list(product((0, 1), repeat=2 * n)))
    for bits, symbols in zip(inputs.tolist(), task.write_steps(inputs).tolist(), strict=True):
        a, b = from_bits(bits[:n]), from_bits(bits[n:])
        found = dict(zip(task.names, symbols, strict=True))
        assert from_bits([symbols[place] for place in task.outputs]) == (a + b) % 2**n
        for i in range(1, n + 1):
            low = 2**i
            assert found[f"c{i + 1}"] == (a % low + b % low) // low
            assert found[f"e{i}"] == (a + b) >> (i - 1) & 1


@given(language=recognisers(), length=st.integers(1, 6))
def test_states_are_those_of_the_smallest_automaton(language: Any, length: int) -> None:
    task = StateSteps(name="random", language=language, length=length)
    machine = language.minimise()
    words = torch.tensor(list(product(range(language.num_symbols), repeat=length)))
    for word, symbols in zip(words.tolist(), task.write_steps(words).tolist(), strict=True):
        states = [machine.run(word[: t + 1]) for t in range(length)]
        expected = [machine.num_symbols + state for state in states]
        c = machine.num_symbols + machine.num_states + language.classify(word)
        assert symbols == [*expected, c]
        assert task.show([symbols[-1]]) == language.class_names[language.classify(word)]
        assert task.show([0]) == "?"
    assert task.num_symbols == machine.num_symbols + machine.num_states + machine.num_classes


@every_task
def test_sequences_are_the_inputs_and_what_is_kept(name: str) -> None:
    task = task_of(name)
    inputs = task.draw(7, generator())
    for supervision in ("weak", "medium", "strong"):
        layout = task.layout(supervision)
        words = task.sequences(inputs, layout)
        assert words.shape == (7, task.num_inputs + len(layout.kept))
        assert torch.equal(words[:, : task.num_inputs], inputs)
        assert torch.equal(
            words[:, task.num_inputs :], task.write_steps(inputs)[:, list(layout.kept)]
        )
        outputs = [layout.kept[place] for place in layout.outputs]
        assert outputs == list(task.outputs)
        assert set(layout.outputs) <= set(layout.supervised) <= set(range(len(layout.kept)))
        assert words.min() >= 0
        assert words.max() < task.num_symbols


# ---- orders ------------------------------------------------------------------------------------


def test_an_order_is_refused_exactly_if_a_gate_stands_before_one_that_it_needs() -> None:
    sequence = adder_circuit(2).sequence()
    needs = {"d2": [], "c2": [], "c3": ["c2", "d2"], "e1": [], "e2": ["c2", "d2"]}
    refused = 0
    for order in permutations(needs):
        place = {name: i for i, name in enumerate(order)}
        wrong = any(place[other] > place[name] for name in needs for other in needs[name])
        if wrong:
            refused += 1
            with pytest.raises(CircuitError, match="an order is topological"):
                CircuitSteps("addition", sequence, order)
        else:
            assert CircuitSteps("addition", sequence, order).names == order
    assert 0 < refused < 120


# ---- inputs ------------------------------------------------------------------------------------


@every_task
def test_inputs_differ_and_more_of_them_begin_with_the_same(name: str) -> None:
    task = task_of(name)
    total = task.num_words
    every = task.draw(total, generator())
    assert len(set(map(tuple, every.tolist()))) == total
    assert torch.equal(task.draw(total // 2, generator()), every[: total // 2])
    sizes = torch.tensor(task.input_sizes)
    assert ((every >= 0) & (every < sizes)).all()
    with pytest.raises(TaskError, match=f"has {total:,} inputs"):
        task.draw(total + 1, generator())


def test_inputs_of_large_tasks_differ_and_begin_with_the_same_too() -> None:
    task = make_step_task("steps:addition", {"bits": 11})  # four million inputs
    every = task.draw(60_000, generator(3))
    assert len(set(map(tuple, every.tolist()))) == 60_000
    assert torch.equal(task.draw(20_000, generator(3)), every[:20_000])
    assert not torch.equal(task.draw(10, generator(4)), every[:10])
    assert (every.double().mean(dim=0) - 0.5).abs().max() < 6 * 0.5 / 60_000**0.5
    blank = make_step_task("steps:group:S5", {"length": 40})
    assert blank.draw(100, generator()).shape == (100, 40)


# ---- text and storage --------------------------------------------------------------------------
