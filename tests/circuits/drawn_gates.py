"""A half adder and its sequence, and gates by hand."""

from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gates import Gate

HALF_ADDER = Circuit(
    inputs=("a", "b"),
    gates=(
        Gate(name="sum", kind="XOR", inputs=("a", "b")),
        Gate(name="carry", kind="AND", inputs=("a", "b")),
    ),
    outputs=("carry", "sum"),
)

SEQUENCE = HALF_ADDER.sequence()


def gates(**sources: str) -> tuple[Gate, ...]:
    """NOT of one signal, NOR of two."""
    return tuple(
        Gate(name=name, kind=["NOT", "NOR"][len(text.split()) - 1], inputs=tuple(text.split()))
        for name, text in sources.items()
    )
