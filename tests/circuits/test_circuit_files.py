from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from circuit_strategies import all_inputs, as_tables, circuits, truth_tables
from lengthwise.circuits.aiger import from_aiger
from lengthwise.circuits.bench import from_bench
from lengthwise.circuits.blif import from_blif
from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.circuit_files import read_circuit
from lengthwise.circuits.gates import KINDS

READ = {"blif": from_blif, "bench": from_bench, "aag": from_aiger}


def column(circuit: Circuit) -> list[str]:
    """Each output over all words in the order of counting, the first input first."""
    words = list(product((0, 1), repeat=len(circuit.inputs)))
    values = [circuit.evaluate(word) for word in words]
    return ["".join(map(str, output)) for output in zip(*values, strict=True)]


def kinds(circuit: Circuit) -> list[str]:
    return sorted(gate.kind for gate in circuit.gates)


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


def as_aiger(circuit: Circuit) -> str:
    """AND gates alone: an XOR is AND of NAND(a, b) and NAND(not a, not b)."""
    literal = {name: 2 * i for i, name in enumerate(circuit.inputs, start=1)}
    lines: list[str] = []
    maximum = len(circuit.inputs)

    def conjunction(a: int, b: int) -> int:
        nonlocal maximum
        maximum += 1
        lines.append(f"{2 * maximum} {a} {b}")
        return 2 * maximum

    for gate in circuit.ordered:
        sources = [literal[name] for name in gate.inputs]
        if gate.kind == "NOT":
            value = sources[0] ^ 1
        elif gate.kind.startswith("CONST"):
            value = int(gate.kind[-1])
        elif gate.kind == "XOR":
            a, b = sources
            value = conjunction(conjunction(a, b) ^ 1, conjunction(a ^ 1, b ^ 1) ^ 1)
        else:
            inward = gate.kind in ("OR", "NOR")
            outward = gate.kind in ("OR", "NAND")
            value = conjunction(*(source ^ inward for source in sources)) ^ outward
        literal[gate.name] = value
    counts = f"{maximum} {len(circuit.inputs)} 0 {len(circuit.outputs)} {len(lines)}"
    return "\n".join(
        [
            f"aag {counts}",
            *(str(literal[name]) for name in circuit.inputs),
            *(str(literal[name]) for name in circuit.outputs),
            *reversed(lines),
            *(f"i{i} {name}" for i, name in enumerate(circuit.inputs)),
            *(f"o{i} {name}" for i, name in enumerate(circuit.outputs)),
            "c",
            "written by a test",
            "",
        ]
    )


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


@pytest.mark.parametrize("suffix", ["blif", "bench"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_files_by_hand_compute_what_they_say(suffix: str, ends: str, tmp_path: Path) -> None:
    path = tmp_path / f"majority.{suffix.upper()}"
    path.write_bytes(("\ufeff" + BY_HAND[suffix].replace("\n", ends)).encode())
    circuit = read_circuit(path)
    assert circuit.inputs == ("a", "b", "c")
    assert circuit.output_names == ("y", "parity")
    assert column(circuit) == [MAJORITY, "01011010"]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_half_adder_of_the_aiger_report_is_read(ends: str, tmp_path: Path) -> None:
    path = tmp_path / "half.aag"
    path.write_bytes(HALF_ADDER.replace("\n", ends).encode())
    circuit = read_circuit(str(path))
    assert circuit.inputs == ("x", "the other")
    assert circuit.outputs == ("n6", "n12")
    assert circuit.output_names == ("s", "c")
    assert column(circuit) == ["0110", "0001"]


@pytest.mark.parametrize(
    ("cover", "table", "made"),
    [
        (".names y", "0000", ["CONST0"]),
        (".names y\n0", "0000", ["CONST0"]),
        (".names y\n1", "1111", ["CONST1"]),
        (".names a y", "0000", ["CONST0"]),
        (".names a y\n- 1", "1111", ["CONST1"]),
        (".names a y\n- 0", "0000", ["CONST0"]),
        (".names a y\n1 1", "0011", []),
        (".names a y\n0 0", "0011", []),
        (".names a y\n0 1", "1100", ["NOT"]),
        (".names a y\n1 0", "1100", ["NOT"]),
        (".names a y\n1 1\n0 1", "1111", ["NOT", "OR"]),
        (".names a b y\n1- 1\n-1 1", "0111", ["OR"]),
        (".names a b y\n00 0", "0111", ["OR"]),
        (".names a b y\n1- 0\n-1 0", "1000", ["NOR"]),
        (".names a b y\n11 0", "1110", ["NAND"]),
        (".names a b y\n01 1\n10 1", "0110", ["XOR"]),
        (".names a b y\n10 1", "0010", ["AND", "NOT"]),
        (".names b a y\n10 1", "0100", ["AND", "NOT"]),
        (".names a b y\n-0 1", "1010", ["NOT"]),
        (".names a b y\n-0 0", "0101", []),
        (".names a b y\n0 0 1\n1 1 1", "1001", ["AND", "AND", "NOT", "NOT", "OR"]),
        (".names a b a y\n101 0", "1101", ["AND", "NAND", "NOT"]),
        (".names a b a y\n101 1\n0-0 1\n101 1", "1110", ["AND", "AND", "AND", "NOT", "NOT", "OR"]),
        (".names a b a y\n1-- 0\n-01 0\n0-1 0", "1100", ["AND", "AND", "NOR", "NOT", "NOT", "OR"]),
    ],
)
def test_covers_become_gates(cover: str, table: str, made: list[str]) -> None:
    circuit = from_blif(f".inputs a\n.inputs b\n.outputs y\n{cover}\n")
    assert column(circuit) == [table]
    assert kinds(circuit) == made


def test_a_blif_may_end_in_a_continuation() -> None:
    assert from_blif(".inputs a\n.outputs a \\").outputs == ("a",)
    assert from_blif(".inputs a \\\n\n.outputs a").outputs == ("a",)


@given(st.lists(st.text("01-", min_size=3, max_size=3), max_size=5), st.sampled_from("01"))
def test_any_cover_is_1_where_a_row_fits_or_where_none_does(rows: list[str], bit: str) -> None:
    text = "".join(f"{row} {bit}\n" for row in rows)
    circuit = from_blif(f".inputs a b c\n.outputs y\n.names a b c y\n{text}")
    for word in product((0, 1), repeat=3):
        fits = any(all(r in ("-", str(b)) for r, b in zip(row, word, strict=True)) for row in rows)
        right = fits == (bit == "1") if rows else False
        assert circuit.evaluate(word) == (int(right),)


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
