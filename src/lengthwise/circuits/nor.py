"""Conversion of gates to NOR gates.

With n(x) = NOR(x, x), which is NOT x:

    OR(x, y)   = n(NOR(x, y))           AND(x, y)  = NOR(n(x), n(y))
    NAND(x, y) = n(AND(x, y))           XOR(x, y)  = NOR(NOR(x, y), AND(x, y))
    0          = NOR(x, n(x))           1          = n(0)

The constants use the first input as x.
"""

from collections.abc import Iterable, Sequence

from lengthwise.circuits.gates import FreshNames, Gate


def nor_gates(inputs: Sequence[str], gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """Return NOR gates that compute the given gates, which are in topological order.

    Signals keep their names. Intermediate gates get new names, such as `y.1` for one first needed
    for `y`; a NOR of the same two signals is shared by all gates that need it.
    """
    nors = _Nors(inputs[0], [*inputs, *(gate.name for gate in gates)])
    for gate in gates:
        nors.add(gate)
    return tuple(nors.gates)


class _Nors:
    """The NOR gates so far, and an index of them by their two signals."""

    def __init__(self, first: str, names: Iterable[str]) -> None:
        self.gates: list[Gate] = []
        self._first = first
        self._fresh = FreshNames(names)
        self._made: dict[frozenset[str], str] = {}

    def add(self, gate: Gate) -> None:
        """Add NOR gates that compute a gate."""
        sources = self._sources(gate)
        self.gates.append(Gate(name=gate.name, kind="NOR", inputs=sources))
        self._made.setdefault(frozenset(sources), gate.name)

    def _sources(self, gate: Gate) -> tuple[str, str]:
        """Return two signals whose NOR is the gate."""

        def nor(left: str, right: str) -> str:
            return self._nor(gate.name, left, right)

        if gate.kind in ("CONST0", "CONST1"):
            zero = self._first, nor(self._first, self._first)
            return zero if gate.kind == "CONST0" else (nor(*zero), nor(*zero))
        left, right = gate.inputs[0], gate.inputs[-1]
        if gate.kind in ("NOR", "NOT"):
            return left, right
        if gate.kind == "OR":
            return nor(left, right), nor(left, right)
        inverted = nor(left, left), nor(right, right)
        if gate.kind == "AND":
            return inverted
        if gate.kind == "NAND":
            return nor(*inverted), nor(*inverted)
        assert gate.kind == "XOR"  # neither both 0 nor both 1
        return nor(left, right), nor(*inverted)

    def _nor(self, owner: str, left: str, right: str) -> str:
        key = frozenset((left, right))
        if key not in self._made:
            name = self._fresh.take(owner)
            self.gates.append(Gate(name=name, kind="NOR", inputs=(left, right)))
            self._made[key] = name
        return self._made[key]
