from itertools import product

import numpy as np
import pytest

from lengthwise.circuits.adders import from_bits, to_bits
from lengthwise.circuits.multipliers import multiplier_circuit
from lengthwise.errors import CircuitError


@pytest.mark.parametrize("n", range(1, 6))
def test_all_pairs_of_small_numbers_are_multiplied(n: int) -> None:
    circuit = multiplier_circuit(n)
    pairs = list(product(range(2**n), repeat=2))
    inputs = np.array([to_bits(a, n) + to_bits(b, n) for a, b in pairs], dtype=np.bool_)
    outputs = circuit.evaluate_many(inputs).astype(int).tolist()
    assert [from_bits(bits) for bits in outputs] == [a * b for a, b in pairs]
    assert len(circuit.outputs) == 2 * n


def test_random_large_numbers_are_multiplied() -> None:
    n = 24
    inputs = np.random.default_rng(0).integers(2, size=(200, 2 * n)).astype(np.bool_)
    outputs = multiplier_circuit(n).evaluate_many(inputs).astype(int).tolist()
    for row, bits in zip(inputs.astype(int).tolist(), outputs, strict=True):
        assert from_bits(bits) == from_bits(row[:n]) * from_bits(row[n:])


@pytest.mark.parametrize("n", [0, -1, True, 2.0])
def test_numbers_have_bits(n: int) -> None:
    with pytest.raises(CircuitError, match="at least 1 bit"):
        multiplier_circuit(n)
