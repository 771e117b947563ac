from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given

from circuit_strategies import all_inputs, as_tables, circuits, truth_tables
from circuits.written import as_aiger, column
from lengthwise.circuits.aiger import from_aiger
from lengthwise.circuits.bench import from_bench
from lengthwise.circuits.blif import from_blif
from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.circuit_files import read_circuit
from lengthwise.circuits.gates import KINDS

READ = {"blif": from_blif, "bench": from_bench, "aag": from_aiger}


# ---- written and read again ------------------------------------------------------------------


def as_blif(circuit: Circuit) -> str:
    rows = {
        kind: [
            f"{''.join(bits)} 1".strip()
            for bits, value in zip(
                product("01", repeat=len(table).bit_length() - 1), table, strict=True
            )
            if value
        ]
        for kind, table in KINDS.items()
    }
    lines = [".model random", ".inputs " + " ".join(circuit.inputs)]
    lines.append(".outputs " + " ".join(circuit.outputs))
    for gate in circuit.gates:
        lines += [" ".join([".names", *gate.inputs, gate.name]), *rows[gate.kind]]
    return "\n".join([*lines, ".end", ""])


def as_bench(circuit: Circuit) -> str:
    lines = [f"INPUT({name})" for name in circuit.inputs]
    lines += [f"OUTPUT({name})" for name in circuit.outputs]
    for gate in circuit.gates:
        constant = {"CONST0": "gnd", "CONST1": "vdd"}.get(gate.kind)
        call = f"{gate.kind}({', '.join(gate.inputs)})"
        lines.append(f"{gate.name} = {constant or call}")
    return "\n".join([*lines, ""])


WRITE: dict[str, Callable[[Circuit], str]] = {
    "blif": as_blif,
    "bench": as_bench,
    "aag": as_aiger,
}


@pytest.mark.parametrize("suffix", ["blif", "bench", "aag"])
@given(circuit=circuits(max_inputs=7))
def test_what_is_written_computes_the_same_when_read(suffix: str, circuit: Circuit) -> None:
    again = READ[suffix](WRITE[suffix](circuit), "random")
    assert again.inputs == circuit.inputs
    assert again.output_names == circuit.outputs
    tables = truth_tables(circuit)
    assert truth_tables(again) == tables
    assert as_tables(again.evaluate_many(all_inputs(len(circuit.inputs)))) == tables
    if suffix == "bench":
        assert set(again.gates) == set(circuit.gates)


# ---- by hand ---------------------------------------------------------------------------------

MAJORITY = "00010111"

BY_HAND = {
    "blif": """# majority, and the parity of a and c
.model majority # of three
.inputs a \\
  b
.inputs c
.outputs y \\
parity
.names a b c y
11- 1
1-1 1

-11 1
.names c a parity
00 0
11 0
.end
""",
    "bench": """# majority
INPUT(a)
input( b )
INPUT(c)
OUTPUT(y)
OUTPUT(parity)

y = or(ab, ac, bc)   # defined below
ab = AND(a, b)
ac = AND( a ,c )
bc=And(b,c)
parity = XOR(a,c)
""",
}


@pytest.mark.parametrize("suffix", ["blif", "bench"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_files_by_hand_compute_what_they_say(suffix: str, ends: str, tmp_path: Path) -> None:
    path = tmp_path / f"majority.{suffix.upper()}"
    path.write_bytes(("\ufeff" + BY_HAND[suffix].replace("\n", ends)).encode())
    circuit = read_circuit(path)
    assert circuit.inputs == ("a", "b", "c")
    assert circuit.output_names == ("y", "parity")
    assert column(circuit) == [MAJORITY, "01011010"]
