"""Circuits in BENCH."""

from itertools import product

import pytest

from lengthwise.circuits.bench import from_bench
from lengthwise.circuits.circuit import Circuit


def column(circuit: Circuit) -> list[str]:
    """Each output over all words in the order of counting, the first input first."""
    words = list(product((0, 1), repeat=len(circuit.inputs)))
    values = [circuit.evaluate(word) for word in words]
    return ["".join(map(str, output)) for output in zip(*values, strict=True)]


ODD = "0110100110010110"


@pytest.mark.parametrize(
    ("gate", "one", "two", "four"),
    [
        ("AND", "01", "0001", "0" * 15 + "1"),
        ("NAND", "10", "1110", "1" * 15 + "0"),
        ("OR", "01", "0111", "0" + "1" * 15),
        ("NOR", "10", "1000", "1" + "0" * 15),
        ("XOR", "01", "0110", ODD),
        ("XNOR", "10", "1001", ODD.translate({48: "1", 49: "0"})),
    ],
)
def test_gates_of_any_number_of_inputs_become_gates_of_two(
    gate: str, one: str, two: str, four: str
) -> None:
    head = "OUTPUT(y)\nINPUT(a)\n"
    circuit = from_bench(f"{head}INPUT(b)\nINPUT(c)\nINPUT(y.1)\ny = {gate}(a, b, c, y.1)\n")
    assert column(circuit) == [four]
    assert circuit.outputs == ("y",)
    assert len(circuit.gates) == (4 if gate == "XNOR" else 3)
    assert column(from_bench(f"{head}INPUT(b)\ny = {gate}(a, b)\n")) == [two]
    assert column(from_bench(f"{head}y = {gate}(a)\n")) == [one]


def test_a_buffer_is_another_name_of_its_signal() -> None:
    circuit = from_bench(
        "OUTPUT(z)\nOUTPUT(a)\nOUTPUT(w)\nOUTPUT(y)\nINPUT(a)\n"
        "z = BUF(y)\ny = BUFF(x)\nx = NOT(w)\nw = buff(a)\n"
    )
    assert circuit.outputs == ("x", "a", "a", "x")
    assert circuit.output_names == ("z", "a", "w", "y")
    assert [(gate.name, gate.kind, gate.inputs) for gate in circuit.gates] == [("x", "NOT", ("a",))]
