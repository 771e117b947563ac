"""Tasks named in a line, and their inputs as text."""

import json
from typing import Any

import pytest
import torch

from lengthwise.errors import (
    CircuitError,
    ConfigError,
    LanguageError,
    LengthwiseError,
    RunError,
    TaskError,
    WordError,
)
from lengthwise.tasks.step_specs import make_step_task, resize
from lengthwise.tasks.step_tasks import step_task_of
from tasks.drawn_steps import every_task, generator, task_of


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


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["c2", "e2"], "has all outputs, but 'e1' is missing"),
        (["c2", "c2", "e1", "e2"], "'c2' appears twice"),
        (["x", "e1", "e2"], "'x' is none of addition"),
        (["a1", "e1", "e2"], "'a1' is none of addition"),
        (["e2", "c2", "e1"], "'e2' comes before 'c2'"),
    ],
)
def test_a_wrong_order_is_told(order: list[str], message: str) -> None:
    with pytest.raises(CircuitError, match=message):
        make_step_task("steps:addition", {"bits": 2, "order": order})


@every_task
def test_a_task_comes_back_from_json_and_its_inputs_from_text(name: str) -> None:
    task = task_of(name)
    again = step_task_of(json.loads(json.dumps(task.to_dict())))
    assert again == task
    inputs = task.draw(5, generator())
    assert torch.equal(again.write_steps(inputs), task.write_steps(inputs))
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
        ("addition", {}, ConfigError, "is written like steps:addition"),
        ("steps:addition", {"bits": 0}, ConfigError, "bits=0 must be an integer"),
        ("steps:addition", {"bits": True}, ConfigError, "bits=True must be an integer"),
        ("steps:addition", {"order": 3}, ConfigError, "order=3 is not an order of addition"),
        ("steps:addition", {"order": 1.0}, ConfigError, "order=1.0 is not an order of addition"),
        ("steps:addition", {"order": "up"}, ConfigError, "order='up' is not an order of addition"),
        ("steps:addition", {"length": 3}, ConfigError, "unknown setting 'length'"),
        ("steps:multiplication", {"order": [1]}, ConfigError, "neither gates nor a list"),
        ("steps:parity", {"length": 0}, ConfigError, "length=0 must be an integer"),
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
    assert task.write_steps(torch.tensor([[1, 1], [0, 1]])).tolist() == [[0, 1], [1, 0]]
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
        task.write_steps(inputs)
    assert task.write_steps(torch.tensor([task.read("1001")])).shape == (1, len(task.names))


@pytest.mark.parametrize(
    ("spec", "settings", "size"),
    [
        ("steps:addition", {"bits": 3, "order": "carries"}, {"bits": 5}),
        ("steps:addition", {"bits": 8, "order": 1}, {"bits": 1}),
        ("steps:multiplication", {"bits": 2}, {"bits": 3}),
        ("steps:parity", {"length": 4}, {"length": 30}),
    ],
)
def test_a_task_of_another_size_is_the_task_made_at_that_size(
    spec: str, settings: dict[str, Any], size: dict[str, int]
) -> None:
    made = resize(make_step_task(spec, settings), *size.values())
    assert made == make_step_task(spec, {**settings, **size})


def test_a_list_of_gates_has_one_size() -> None:
    order = ["c2", "e1", "c3", "e2"]
    task = make_step_task("steps:addition", {"bits": 2, "order": order})
    with pytest.raises(TaskError, match="has one size"):
        resize(task, 3)


def test_cells_name_inputs_and_what_is_kept() -> None:
    task = make_step_task("steps:addition", {"bits": 2, "order": "carries"})
    assert task.cells(task.layout("strong")) == ("a1", "a2", "b1", "b2", "c2", "c3", "e1", "e2")
    assert task.cells(task.layout("weak")) == ("a1", "a2", "b1", "b2", "e1", "e2")
    states = make_step_task("steps:parity", {"length": 2})
    assert states.cells(states.layout("strong")) == ("w1", "w2", "q1", "q2", "class2")
    assert states.cells(states.layout("weak")) == ("w1", "w2", "class2")
