"""Step tasks: what is written is what the circuit or the automaton says, and inputs differ."""

import json
from itertools import permutations, product
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.circuits.adders import adder_circuit, from_bits
from lengthwise.errors import (
    CircuitError,
    ConfigError,
    LanguageError,
    LengthwiseError,
    RunError,
    TaskError,
    WordError,
)
from lengthwise.tasks.step_specs import make_step_task
from lengthwise.tasks.step_tasks import CircuitSteps, StateSteps, StepTask, step_task_of
from strategies import recognisers

TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "addition": ("steps:addition", {"bits": 3}),
    "addition, representation 1": ("steps:addition", {"bits": 3, "order": 1}),
    "carries": ("steps:addition", {"bits": 3, "order": "carries"}),
    "own order": ("steps:addition", {"bits": 2, "order": ["c2", "e2", "e1"]}),
    "multiplication": ("steps:multiplication", {"bits": 2}),
    "states": ("steps:parity", {"length": 5}),
    "group": ("steps:group:S3", {"length": 3}),
}

every_task = pytest.mark.parametrize("name", TASKS)


def task_of(name: str) -> StepTask:
    return make_step_task(*TASKS[name])


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# ---- what is written ---------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, "carries", ["c2", "c3", "e3", "c4", "e1", "e2"]])
def test_sums_and_carries_are_those_of_the_numbers(order: Any) -> None:
    n = 3
    task = make_step_task("steps:addition", {"bits": n, "order": order})
    inputs = torch.tensor(list(product((0, 1), repeat=2 * n)))
    for bits, symbols in zip(inputs.tolist(), task.written(inputs).tolist(), strict=True):
        a, b = from_bits(bits[:n]), from_bits(bits[n:])
        found = dict(zip(task.names, symbols, strict=True))
        assert from_bits([symbols[place] for place in task.outputs]) == (a + b) % 2**n
        for i in range(1, n + 1):
            low = 2**i
            assert found[f"c{i + 1}"] == (a % low + b % low) // low
            assert found[f"e{i}"] == (a + b) >> (i - 1) & 1


def test_the_papers_example_of_each_regime() -> None:
    task = make_step_task("steps:addition", {"bits": 3})
    printed = "d1d2d3f1f2f3c1g1c2g2c3g3c4e1e2e3"
    assert "".join(task.names) == printed
    weak, medium, strong = (task.layout(each) for each in ("weak", "medium", "strong"))
    assert [task.names[i] for i in weak.kept] == ["e1", "e2", "e3"]
    assert weak.supervised == weak.outputs == (0, 1, 2)
    assert medium.kept == strong.kept == tuple(range(4 * 3 + 1 + 3))
    assert [task.names[i] for i in medium.supervised] == ["e1", "e2", "e3"]
    assert strong.supervised == strong.kept
    carries = make_step_task("steps:addition", {"bits": 3, "order": "carries"})
    assert "".join(carries.names) == "c2c3c4e1e2e3"


@given(language=recognisers(), length=st.integers(1, 6))
def test_states_are_those_of_the_smallest_automaton(language: Any, length: int) -> None:
    task = StateSteps(name="random", language=language, length=length)
    machine = language.minimised()
    words = torch.tensor(list(product(range(language.num_symbols), repeat=length)))
    for word, symbols in zip(words.tolist(), task.written(words).tolist(), strict=True):
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
        assert torch.equal(words[:, task.num_inputs :], task.written(inputs)[:, list(layout.kept)])
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


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["c2", "e2"], "has all outputs, but 'e1' is missing"),
        (["c2", "c2", "e1", "e2"], "'c2' stands twice"),
        (["x", "e1", "e2"], "'x' is none of addition"),
        (["a1", "e1", "e2"], "'a1' is none of addition"),
        (["e2", "c2", "e1"], "'e2' stands before 'c2'"),
    ],
)
def test_a_wrong_order_is_told(order: list[str], message: str) -> None:
    with pytest.raises(CircuitError, match=message):
        make_step_task("steps:addition", {"bits": 2, "order": order})


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


@every_task
def test_a_task_comes_back_from_json_and_its_inputs_from_text(name: str) -> None:
    task = task_of(name)
    again = step_task_of(json.loads(json.dumps(task.to_dict())))
    assert again == task
    inputs = task.draw(5, generator())
    assert torch.equal(again.written(inputs), task.written(inputs))
    lines = [task.spell(word) for word in inputs.tolist()]
    assert [task.read(line) for line in lines] == [tuple(word) for word in inputs.tolist()]


def test_lines_that_are_no_inputs_are_refused() -> None:
    addition, states = task_of("addition"), task_of("states")
    with pytest.raises(WordError, match="inputs are bits, but there is '2'"):
        addition.read("2")
    with pytest.raises(WordError, match="there are 6 inputs, but the line has 2"):
        addition.read("10")
    with pytest.raises(WordError, match=r"'a'"):
        states.read("0a000")
    with pytest.raises(RunError, match="stored step task is damaged"):
        step_task_of({"name": "x"})


@pytest.mark.parametrize(
    ("spec", "settings", "kind", "message"),
    [
        ("addition", {}, ConfigError, "is written steps:addition"),
        ("steps:addition", {"bits": 0}, ConfigError, "bits=0 must be a whole number"),
        ("steps:addition", {"bits": True}, ConfigError, "bits=True must be a whole number"),
        ("steps:addition", {"order": 3}, ConfigError, "order=3 is no order of addition"),
        ("steps:addition", {"order": 1.0}, ConfigError, "order=1.0 is no order of addition"),
        ("steps:addition", {"order": "up"}, ConfigError, "order='up' is no order of addition"),
        ("steps:addition", {"length": 3}, ConfigError, "unknown setting 'length'"),
        ("steps:multiplication", {"order": [1]}, ConfigError, "neither gates nor a list"),
        ("steps:parity", {"length": 0}, ConfigError, "length=0 must be a whole number"),
        ("steps:modular-arithmetic", {}, TaskError, "have a domain"),
        ("steps:nothing", {}, LanguageError, "unknown task of steps:TASK, 'nothing'"),
        ("steps:circuit:none.blif", {}, CircuitError, "cannot be read"),
    ],
)
def test_what_is_no_task_is_refused(
    spec: str, settings: dict[str, Any], kind: type[LengthwiseError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        make_step_task(spec, settings)


def test_a_circuit_of_a_file_is_written_whole_or_in_part(tmp_path: Any) -> None:
    path = tmp_path / "half.bench"
    path.write_text("INPUT(a)\nINPUT(b)\nOUTPUT(s)\nOUTPUT(c)\ns = XOR(a, b)\nc = AND(a, b)\n")
    task = make_step_task(f"steps:circuit:{path}")
    assert (task.names, task.outputs) == (("s", "c"), (0, 1))
    assert task.written(torch.tensor([[1, 1], [0, 1]])).tolist() == [[0, 1], [1, 0]]
    assert make_step_task(f"steps:circuit:{path}", {"order": ["c", "s"]}).names == ("c", "s")


def test_outputs_that_are_inputs_are_refused(tmp_path: Any) -> None:
    path = tmp_path / "wire.bench"
    path.write_text("INPUT(a)\nINPUT(b)\nOUTPUT(a)\nOUTPUT(s)\ns = XOR(a, b)\n")
    with pytest.raises(CircuitError, match="has the input 'a' as an output"):
        make_step_task(f"steps:circuit:{path}")


@pytest.mark.parametrize(
    ("inputs", "came"),
    [
        ("1001", "got '1001'"),
        ([1, 0, 0, 1], r"got \[1, 0, 0, 1\]"),
        (torch.tensor([1, 0, 0, 1]), r"got one of int64 \[4\]"),
        (torch.zeros(1, 3, dtype=torch.long), r"got one of int64 \[1, 3\]"),
        (torch.zeros(1, 4), r"got one of float32 \[1, 4\]"),
        (torch.full((1, 4), 2), r"got a number outside 0\.\.1"),
    ],
)
def test_what_are_no_inputs_are_told_how_to_be_read(inputs: Any, came: str) -> None:
    task = make_step_task("steps:addition", {"bits": 2})
    with pytest.raises(WordError, match=f"{came}.*task.read"):
        task.written(inputs)
    assert task.written(torch.tensor([task.read("1001")])).shape == (1, len(task.names))
