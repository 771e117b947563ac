"""Circuits in BLIF."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.circuits.blif import from_blif
from lengthwise.circuits.circuit import Circuit


def column(circuit: Circuit) -> list[str]:
    """Each output over all words in the order of counting, the first input first."""
    words = list(product((0, 1), repeat=len(circuit.inputs)))
    values = [circuit.evaluate(word) for word in words]
    return ["".join(map(str, output)) for output in zip(*values, strict=True)]


def kinds(circuit: Circuit) -> list[str]:
    return sorted(gate.kind for gate in circuit.gates)


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
