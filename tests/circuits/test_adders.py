from itertools import product

import numpy as np
import pytest

from lengthwise.circuits.adders import adder, adder_circuit, from_bits, to_bits
from lengthwise.errors import CircuitError

REPRESENTATIONS = pytest.mark.parametrize("representation", [1, 2])


@REPRESENTATIONS
@pytest.mark.parametrize("n", range(1, 6))
def test_all_pairs_of_small_numbers_are_added(n: int, representation: int) -> None:
    sequence = adder(n, representation)
    carry = sequence.names.index(f"c{n + 1}")
    for a, b in product(range(2**n), repeat=2):
        symbols = sequence.complete(to_bits(a, n) + to_bits(b, n))
        total = from_bits([symbols[position] for position in sequence.outputs])
        assert total == (a + b) % 2**n
        assert symbols[carry] == (a + b) >> n


@REPRESENTATIONS
@pytest.mark.parametrize("n", [8, 16, 32, 64])
def test_random_large_numbers_are_added(n: int, representation: int) -> None:
    inputs = np.random.default_rng(n).integers(2, size=(1000, 2 * n)).astype(np.bool_)
    sequence = adder(n, representation)
    rows = sequence.complete_many(inputs)
    carry = sequence.names.index(f"c{n + 1}")
    for row in rows.tolist():
        a, b = from_bits(row[:n]), from_bits(row[n : 2 * n])
        total = from_bits([row[position] for position in sequence.outputs])
        assert total + (row[carry] << n) == a + b


PRINTED_1 = "a1a2a3b1b2b3c1d1e1f1g1c2d2e2f2g2c3d3e3f3g3c4"
"""Representation 1 in section 4 of `steps2022`, but for its first g, which is printed as g2."""

PRINTED_2 = "a1a2a3b1b2b3d1d2d3f1f2f3c1g1c2g2c3g3c4e1e2e3"


@pytest.mark.parametrize(("representation", "printed"), [(1, PRINTED_1), (2, PRINTED_2)])
def test_the_layout_for_three_bits_is_the_printed_one(representation: int, printed: str) -> None:
    assert "".join(adder(3, representation).names) == printed


def test_representation_1_as_it_is_printed_is_no_order_of_the_gates() -> None:
    printed = PRINTED_1.replace("g1", "g2", 1)
    gates = [printed[i : i + 2] for i in range(12, len(printed), 2)]
    with pytest.raises(CircuitError, match="every gate once, but 'g2' appears twice"):
        adder_circuit(3).sequence(gates)


@REPRESENTATIONS
def test_the_gates_are_those_of_the_paper(representation: int) -> None:
    sequence = adder(5, representation)
    names = sequence.names
    read = {
        names[position]: (step.kind, *(names[source] for source in step.sources))
        for position, step in enumerate(sequence.steps, start=sequence.num_inputs)
    }
    right: dict[str, tuple[str, ...]] = {"c1": ("CONST0",)}
    for i in range(1, 6):
        right |= {
            f"d{i}": ("XOR", f"a{i}", f"b{i}"),
            f"e{i}": ("XOR", f"c{i}", f"d{i}"),
            f"f{i}": ("AND", f"a{i}", f"b{i}"),
            f"g{i}": ("AND", f"c{i}", f"d{i}"),
            f"c{i + 1}": ("XOR", f"f{i}", f"g{i}"),
        }
    assert read == right
    assert [names[position] for position in sequence.outputs] == ["e1", "e2", "e3", "e4", "e5"]


def test_what_cannot_be_asked_is_refused() -> None:
    for n in (0, -1, 2.0, True):
        with pytest.raises(CircuitError, match=f"numbers have at least 1 bit, but got {n}"):
            adder(n, 1)  # type: ignore[arg-type]
    with pytest.raises(CircuitError, match="representations 1 and 2, but got 3"):
        adder(4, 3)
    for number in (-1, 16):
        with pytest.raises(CircuitError, match=rf"0 or more and below 2\^4, but it is {number}"):
            to_bits(number, 4)
