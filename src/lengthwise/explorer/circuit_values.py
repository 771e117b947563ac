"""What the page shows of a circuit: its gates in order, each with its truth table."""

from typing import Any

from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gates import KINDS
from lengthwise.errors import CircuitError

MOST_GATES = 500
"""Largest number of gates of a circuit that the page draws."""


def circuit_values(circuit: Circuit, name: str) -> dict[str, Any]:
    """Return the signals by number, inputs first, then gates in topological order.

    `table` has the value of a gate for each number that its inputs write, the first being the
    highest bit.

    Raises:
        CircuitError: there are more than `MOST_GATES` gates.
    """
    if len(circuit.gates) > MOST_GATES:
        raise CircuitError(
            f"a page draws at most {MOST_GATES} gates, but this circuit has {len(circuit.gates)}. "
            f"Use predict."
        )
    number = {name: at for at, name in enumerate(circuit.inputs)}
    gates = []
    for gate in circuit.ordered:
        sources = [number[source] for source in gate.inputs]
        number[gate.name] = len(number)
        gates.append(
            {
                "name": gate.name,
                "kind": gate.kind,
                "table": list(KINDS[gate.kind]),
                "sources": sources,
            }
        )
    return {
        "name": name,
        "inputs": list(circuit.inputs),
        "gates": gates,
        "outputs": [number[signal] for signal in circuit.outputs],
        "output_names": list(circuit.output_names),
    }
