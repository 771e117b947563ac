"""Orders of gates: which are possible, and how they are stored."""

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from circuit_strategies import all_inputs, as_tables, circuits, truth_tables
from circuits.drawn_gates import HALF_ADDER, SEQUENCE
from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gate_sequence import GateSequence, GateStep
from lengthwise.circuits.gates import Gate
from lengthwise.errors import CircuitError


@given(circuits(max_inputs=4, max_gates=12), st.randoms(use_true_random=False))
def test_any_topological_order_is_a_sequence_of_the_circuit(circuit: Circuit, chance: Any) -> None:
    left, done, order = list(circuit.gates), set(circuit.inputs), list[str]()
    while left:
        gate = chance.choice([gate for gate in left if done.issuperset(gate.inputs)])
        left.remove(gate)
        done.add(gate.name)
        order.append(gate.name)
    sequence = circuit.sequence(order)
    assert sequence.names == (*circuit.inputs, *order)
    assert sequence.length == len(circuit.inputs) + len(circuit.gates)
    completed = sequence.complete_many(all_inputs(len(circuit.inputs)))
    tables = as_tables(completed[:, sequence.outputs].astype(np.bool_))
    assert tables == truth_tables(circuit)


@given(circuits())
def test_the_default_order_takes_the_first_gate_that_can_come_next(circuit: Circuit) -> None:
    done, left = set(circuit.inputs), list(circuit.gates)
    for gate in circuit.ordered:
        assert gate == next(gate for gate in left if done.issuperset(gate.inputs))
        left.remove(gate)
        done.add(gate.name)
    assert not left


def test_a_long_chain_given_backwards_is_put_in_order() -> None:
    names = ["a", *(f"g{i}" for i in range(20_000))]
    gates = [Gate(name=name, kind="NOT", inputs=(source,)) for source, name in pairwise(names)]
    circuit = Circuit(inputs=("a",), gates=tuple(reversed(gates)), outputs=(names[-1],))
    assert circuit.ordered == tuple(gates)
    assert circuit.evaluate((1,)) == (1,)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["carry"], "an order has every gate once, but 'sum' is missing."),
        (["sum", "carry", "a"], "an order has every gate once, but 'a' is not a gate."),
        (["sum", "carry", 3], "an order has every gate once, but 3 is not a gate."),
        (["sum", "carry", "sum"], "an order has every gate once, but 'sum' appears twice."),
    ],
)
def test_an_order_with_other_names_is_refused(order: list[str], message: str) -> None:
    with pytest.raises(CircuitError) as caught:
        HALF_ADDER.sequence(order)
    assert str(caught.value) == message


def test_an_order_with_a_gate_before_its_input_is_refused() -> None:
    circuit = Circuit(
        inputs=("a",),
        gates=(
            Gate(name="y", kind="NOT", inputs=("a",)),
            Gate(name="z", kind="NOT", inputs=("y",)),
        ),
        outputs=("z",),
    )
    with pytest.raises(CircuitError, match="but 'z' comes before its input 'y'"):
        circuit.sequence(["z", "y"])


@given(circuits())
def test_a_stored_sequence_comes_back(circuit: Circuit) -> None:
    sequence = circuit.sequence()
    assert GateSequence.from_dict(json.loads(json.dumps(sequence.to_dict()))) == sequence


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_inputs": 0}, "a sequence begins with at least one input, but num_inputs is 0."),
        (
            {"num_inputs": True},
            "a sequence begins with at least one input, but num_inputs is True.",
        ),
        ({"steps": 3}, "the stored steps are a list, but they are 3."),
        ({"steps": [3]}, "a stored step has the entries kind, sources, but it is 3."),
        (
            {"steps": [{"kind": "AND"}]},
            "a stored step has an entry 'sources', but it is missing.",
        ),
        (
            {"steps": [{"kind": "AND", "sources": [0, 2]}]},
            "step 2 reads one of the positions 0..1, but it is 2.",
        ),
        (
            {"steps": [{"kind": "AND", "sources": [-1, 0]}]},
            "step 2 reads one of the positions 0..1, but it is -1.",
        ),
        (
            {"steps": [{"kind": "AND", "sources": [0, True]}]},
            "step 2 reads one of the positions 0..1, but it is True.",
        ),
        (
            {"steps": [{"kind": "AND", "sources": [0]}]},
            "step 2 is AND, which takes 2 inputs, but it has 1: (0,).",
        ),
        (
            {"steps": [{"kind": 3, "sources": [0]}]},
            "unknown kind of step 2: '3'. Known: NOR, AND, OR, XOR, NAND, NOT, CONST0, CONST1.",
        ),
        ({"outputs": []}, "a sequence has a tuple of at least one output, but it is ()."),
        ({"outputs": [4]}, "an output is one of the positions 0..3, but it is 4."),
        ({"names": ["a"]}, "every position has a name, but there are 4 positions and 1 names."),
        ({"names": ["a", "b", "c", "a"]}, "every signal has a name of its own, but 'a' appears tw"),
        ({"name": ["a"]}, "unknown entry of a stored gate sequence: 'name'. Did you mean 'names'?"),
    ],
)
def test_a_broken_stored_sequence_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(CircuitError) as caught:
        GateSequence.from_dict(SEQUENCE.to_dict() | change)
    assert str(caught.value).startswith(message)


def test_an_incomplete_stored_sequence_is_refused() -> None:
    values = SEQUENCE.to_dict()
    del values["outputs"]
    with pytest.raises(CircuitError, match="gate sequence has an entry 'outputs', but it is miss"):
        GateSequence.from_dict(values)
    with pytest.raises(CircuitError, match="the steps are a tuple of Step, but they are"):
        GateSequence(num_inputs=1, steps=(GateStep, 1), outputs=(0,), names=("a",))  # type: ignore[arg-type]
