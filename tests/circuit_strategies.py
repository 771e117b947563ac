"""Random circuits, and another way to compute them: the whole truth table of a signal at once.

A truth table is an integer with one bit for each word of inputs; in word w, input i is bit i of w.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gates import Gate

TWO_INPUTS = ("NOR", "AND", "OR", "XOR", "NAND")
ALL_KINDS = (*TWO_INPUTS, "NOT", "CONST0", "CONST1")

COMPUTED: Mapping[str, Callable[..., int]] = {
    "NOR": lambda ones, a, b: ones & ~(a | b),
    "AND": lambda ones, a, b: a & b,
    "OR": lambda ones, a, b: a | b,
    "XOR": lambda ones, a, b: a ^ b,
    "NAND": lambda ones, a, b: ones & ~(a & b),
    "NOT": lambda ones, a: ones & ~a,
    "CONST0": lambda ones: 0,
    "CONST1": lambda ones: ones,
}
"""The truth table of each kind of gate, from the table of all ones and those of its inputs."""


@st.composite
def circuits(
    draw: st.DrawFn,
    *,
    max_inputs: int = 10,
    min_gates: int = 1,
    max_gates: int = 60,
    kinds: Sequence[str] = ALL_KINDS,
) -> Circuit:
    """Circuits without cycles, with gates in any order and any signals as outputs."""
    num_inputs = draw(st.integers(1, max_inputs))
    num_gates = draw(st.integers(min_gates, max_gates))
    num_outputs = draw(st.integers(1, 8))
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    inputs = [f"x{i}" for i in range(num_inputs)]
    signals, gates = list(inputs), []
    for i in range(num_gates):
        kind = chance.choice(kinds)
        count = {"NOT": 1, "CONST0": 0, "CONST1": 0}.get(kind, 2)
        # Near signals, so that circuits are deep, or any signals.
        near = signals[-4:] if chance.random() < 0.5 else signals
        gates.append(Gate(name=f"g{i}", kind=kind, inputs=tuple(chance.choices(near, k=count))))
        signals.append(f"g{i}")
    chance.shuffle(gates)
    return Circuit(
        inputs=tuple(inputs),
        gates=tuple(gates),
        outputs=tuple(chance.choices(signals, k=num_outputs)),
    )


def all_inputs(num_inputs: int) -> NDArray[np.bool_]:
    """Every word of inputs, [word, input]."""
    words = np.arange(2**num_inputs)
    return (words[:, None] >> np.arange(num_inputs) & 1).astype(np.bool_)


def truth_tables(circuit: Circuit) -> list[int]:
    """The truth table of every output."""
    size = 2 ** len(circuit.inputs)
    ones = 2**size - 1
    gates = {gate.name: gate for gate in circuit.gates}

    @cache
    def table(name: str) -> int:
        if name in circuit.inputs:
            i = circuit.inputs.index(name)
            return sum(1 << word for word in range(size) if word >> i & 1)
        gate = gates[name]
        return COMPUTED[gate.kind](ones, *map(table, gate.inputs))

    return [table(name) for name in circuit.outputs]


def as_tables(columns: NDArray[np.bool_]) -> list[int]:
    """The columns of all words, [word, output], as truth tables."""
    return [
        int.from_bytes(np.packbits(column, bitorder="little").tobytes(), "little")
        for column in columns.T
    ]
