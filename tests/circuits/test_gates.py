"""Gates: truth tables, fresh names, and what is not a gate."""

from typing import Any

import pytest

from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gates import KINDS, FreshNames, Gate
from lengthwise.errors import CircuitError


def test_every_kind_of_gate_has_its_truth_table() -> None:
    tables = {
        "NOR": [1, 0, 0, 0],
        "AND": [0, 0, 0, 1],
        "OR": [0, 1, 1, 1],
        "XOR": [0, 1, 1, 0],
        "NAND": [1, 1, 1, 0],
    }
    words = [(0, 0), (0, 1), (1, 0), (1, 1)]
    for kind, table in tables.items():
        gate = Gate(name="y", kind=kind, inputs=("a", "b"))
        circuit = Circuit(inputs=("a", "b"), gates=(gate,), outputs=("y",))
        assert [circuit.evaluate(bits)[0] for bits in words] == table
    assert {*tables, "NOT", "CONST0", "CONST1"} == set(KINDS)


def test_fresh_names_are_fresh() -> None:
    fresh = FreshNames(["y.1", "x.not"])
    assert [fresh.take("y"), fresh.take("y"), fresh.take("x", "x.not"), fresh.take("x", "z")] == [
        "y.2",
        "y.3",
        "x.1",
        "z",
    ]
    assert fresh.take("q", "z") == "q.1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"name": "y", "kind": "AND", "inputs": ("a",)},
            "gate 'y' is AND, which takes 2 inputs, but it has 1: ('a',).",
        ),
        (
            {"name": "y", "kind": "NOT", "inputs": ("a", "b")},
            "gate 'y' is NOT, which takes 1 input, but it has 2: ('a', 'b').",
        ),
        (
            {"name": "y", "kind": "CONST1", "inputs": ("a",)},
            "gate 'y' is CONST1, which takes 0 inputs, but it has 1: ('a',).",
        ),
        (
            {"name": "y", "kind": "XNOR", "inputs": ("a", "b")},
            "unknown kind of gate 'y': 'XNOR'. Did you mean 'XOR'? Known: NOR, AND, OR, XOR, NAND, "
            "NOT, CONST0, CONST1.",
        ),
        (
            {"name": "y", "kind": "AND", "inputs": ["a", "b"]},
            "the inputs of gate 'y' are a tuple, but they are ['a', 'b'].",
        ),
        (
            {"name": "y", "kind": "NOT", "inputs": (["a"],)},
            "a signal's name is a string of one line, but one is ['a'].",
        ),
        (
            {"name": "", "kind": "CONST0"},
            "a signal's name is a string of one line, but one is ''.",
        ),
        (
            {"name": "a\nb", "kind": "CONST0"},
            "a signal's name is a string of one line, but one is 'a\\nb'.",
        ),
    ],
)
def test_what_is_no_gate_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CircuitError) as caught:
        Gate(**arguments)
    assert str(caught.value) == message
