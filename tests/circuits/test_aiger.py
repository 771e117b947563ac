"""Circuits in AIGER."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given

from circuit_strategies import circuits
from circuits.written import as_aiger, column
from lengthwise.circuits.aiger import from_aiger
from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.circuit_files import read_circuit


def kinds(circuit: Circuit) -> list[str]:
    return sorted(gate.kind for gate in circuit.gates)


@given(circuit=circuits(max_inputs=5))
def test_py_aiger_reads_the_same_function(circuit: Circuit) -> None:
    """It is no dependency: `pip install py-aiger` where this is to run."""
    aiger = pytest.importorskip("aiger.parser")
    text = as_aiger(
        Circuit(inputs=circuit.inputs, gates=circuit.gates, outputs=circuit.outputs[:1])
    )
    theirs, ours = aiger.parse(text), from_aiger(text)
    for word in product((False, True), repeat=len(circuit.inputs)):
        outputs, _ = theirs(dict(zip(circuit.inputs, word, strict=True)))
        assert ours.evaluate(word) == (outputs[circuit.outputs[0]],)


HALF_ADDER = """aag 7 2 0 2 3
2
4
6
12
6 13 15
12 2 4
14 3 5
i0 x
i1 the other
o0 s
o1 c
c
o0 is the sum
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_half_adder_of_the_aiger_report_is_read(ends: str, tmp_path: Path) -> None:
    path = tmp_path / "half.aag"
    path.write_bytes(HALF_ADDER.replace("\n", ends).encode())
    circuit = read_circuit(str(path))
    assert circuit.inputs == ("x", "the other")
    assert circuit.outputs == ("n6", "n12")
    assert circuit.output_names == ("s", "c")
    assert column(circuit) == ["0110", "0001"]


def test_constants_and_inverses_of_aiger_are_made_once() -> None:
    circuit = from_aiger("aag 2 1 0 6 1 0 0 0\n2\n0\n1\n3\n3\n0\n4\n4 3 1\n")
    assert column(circuit) == ["00", "11", "10", "10", "00", "10"]
    assert circuit.inputs == ("i0",)
    assert circuit.output_names == ("o0", "o1", "o2", "o3", "o4", "o5")
    assert kinds(circuit) == ["AND", "CONST0", "CONST1", "NOT"]
    assert len(set(circuit.outputs)) == 4


def test_names_in_aiger_do_not_meet_the_names_that_are_made() -> None:
    circuit = from_aiger("aag 4 3 0 1 1\n2\n4\n6\n9\n8 3 7\ni0 i1\ni2 n8\n")
    assert circuit.inputs == ("i1", "i1.1", "n8")
    assert column(circuit) == ["01011111"]
