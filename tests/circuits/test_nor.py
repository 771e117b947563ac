"""Circuits of NOR gates alone."""

from hypothesis import given

from circuit_strategies import circuits, truth_tables
from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gates import Gate


@given(circuits(max_inputs=7))
def test_nor_gates_alone_compute_the_same_under_the_same_names(circuit: Circuit) -> None:
    everything = Circuit(
        inputs=circuit.inputs,
        gates=circuit.gates,
        outputs=(*circuit.inputs, *(gate.name for gate in circuit.gates)),
    )
    nors = everything.as_nor()
    assert {gate.kind for gate in nors.gates} == {"NOR"}
    assert (nors.inputs, nors.outputs) == (everything.inputs, everything.outputs)
    assert truth_tables(nors) == truth_tables(everything)


@given(circuits(kinds=["NOR"]))
def test_a_circuit_of_nor_gates_stays_as_it_is(circuit: Circuit) -> None:
    assert circuit.as_nor().gates == circuit.ordered


def test_gates_between_are_named_apart_and_made_once() -> None:
    circuit = Circuit(
        inputs=("a", "y.1"),
        gates=(
            Gate(name="y", kind="AND", inputs=("a", "y.1")),
            Gate(name="y.2", kind="NAND", inputs=("y.1", "a")),
        ),
        outputs=("y", "y.2"),
        output_names=("and", "nand"),
    )
    nors = circuit.as_nor()
    assert [(gate.name, *gate.inputs) for gate in nors.gates] == [
        ("y.3", "a", "a"),
        ("y.4", "y.1", "y.1"),
        ("y", "y.3", "y.4"),
        ("y.2", "y", "y"),
    ]
    assert nors.output_names == ("and", "nand")
