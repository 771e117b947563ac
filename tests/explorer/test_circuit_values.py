"""What the page is told of a circuit, against the circuit's own evaluation."""

from itertools import product

import pytest
from hypothesis import given

from circuit_strategies import circuits
from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.multipliers import multiplier_circuit
from lengthwise.errors import CircuitError
from lengthwise.explorer.circuit_values import circuit_values


@given(circuits())
def test_gates_in_order_give_the_outputs(circuit: Circuit) -> None:
    found = circuit_values(circuit, "name")
    for bits in list(product((0, 1), repeat=len(circuit.inputs)))[:64]:
        values = list(bits)
        for gate in found["gates"]:
            place = 0
            for source in gate["sources"]:
                place = 2 * place + values[source]
            values.append(gate["table"][place])
        assert tuple(values[number] for number in found["outputs"]) == circuit.evaluate(bits)


def test_a_circuit_of_too_many_gates_is_refused() -> None:
    with pytest.raises(CircuitError, match="at most 500 gates"):
        circuit_values(multiplier_circuit(16), "multiplier")
