"""Boolean circuits: named gates of at most two inputs, in any order, without cycles.

>>> half_adder = Circuit(
...     inputs=("a", "b"),
...     gates=(
...         Gate(name="sum", kind="XOR", inputs=("a", "b")),
...         Gate(name="carry", kind="AND", inputs=("a", "b")),
...     ),
...     outputs=("carry", "sum"),
... )
>>> half_adder.evaluate((1, 1))
(1, 0)

`steps2022`, section 4, lays a circuit out as a sequence; `Circuit.sequence` does so for any
topological order of the gates.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from lengthwise.circuits.gate_sequence import GateSequence, GateStep
from lengthwise.circuits.gates import Gate, check_bits, check_name, check_names, gate_value
from lengthwise.circuits.nor import nor_gates
from lengthwise.errors import CircuitError
from lengthwise.languages.validation import short


@dataclass(frozen=True, kw_only=True, slots=True)
class Circuit:
    """A Boolean circuit. Signals are inputs or gates; outputs name signals.

    A signal may be several outputs, and an input may be an output. `output_names` are the names of
    the outputs in the source file; by default they are the names of their signals. There is at
    least one input, because a transformer completes a non-empty sequence.

    Raises:
        CircuitError: there are no inputs or no outputs, a name occurs twice, a signal is undefined,
            or there is a cycle, which the message shows.
    """

    inputs: tuple[str, ...]
    gates: tuple[Gate, ...]
    outputs: tuple[str, ...]
    output_names: tuple[str, ...] = ()
    ordered: tuple[Gate, ...] = field(init=False, repr=False, compare=False)
    """The gates in topological order, otherwise in the given order."""

    def __post_init__(self) -> None:
        if not isinstance(self.gates, tuple) or not all(isinstance(g, Gate) for g in self.gates):
            raise CircuitError(f"the gates are a tuple of Gate, but they are {short(self.gates)}.")
        for kind, names in (("input", self.inputs), ("output", self.outputs)):
            if not isinstance(names, tuple):
                raise CircuitError(
                    f"the {kind}s are a tuple of strings, but they are {short(names)}."
                )
            if not names:
                raise CircuitError(f"a circuit has at least one {kind}, but this one has none.")
        check_names("signals", self.inputs + tuple(gate.name for gate in self.gates))
        signals = {*self.inputs, *(gate.name for gate in self.gates)}
        for gate in self.gates:
            for name in gate.inputs:
                _check_defined(f"gate {gate.name!r} reads", name, signals)
        for name in self.outputs:
            _check_defined("an output is", name, signals)
        object.__setattr__(self, "output_names", self.output_names or self.outputs)
        if not isinstance(self.output_names, tuple) or len(self.output_names) != len(self.outputs):
            raise CircuitError(
                f"every output has a name, but there are {len(self.outputs)} outputs, and their "
                f"names are {short(self.output_names)}."
            )
        for name in self.output_names:
            check_name(name)
        object.__setattr__(self, "ordered", _sort_gates(self.gates))

    def evaluate(self, bits: Sequence[int]) -> tuple[int, ...]:
        """Evaluate the circuit on one word of inputs, gate by gate.

        Raises:
            CircuitError: there are too few or too many bits, or one is neither 0 nor 1.
        """
        values = dict(zip(self.inputs, check_bits(bits, self.inputs), strict=True))
        for gate in self.ordered:
            values[gate.name] = gate_value(gate.kind, [values[source] for source in gate.inputs])
        return tuple(values[name] for name in self.outputs)

    def evaluate_many(self, inputs: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Evaluate many words at once: inputs [word, input] to outputs [word, output].

        Raises:
            CircuitError: the array is not boolean, or has not one column for each input.
        """
        sequence = self.sequence()
        return sequence.complete_many(inputs)[:, sequence.outputs].astype(np.bool_)

    def sequence(self, order: Sequence[str] | None = None) -> GateSequence:
        """Lay the circuit out as a sequence: inputs, then gates in this order (default: `ordered`).

        Raises:
            CircuitError: the order leaves a gate out, repeats a name, names something else, or
                puts a gate before one of its inputs.
        """
        gates = {gate.name: gate for gate in self.ordered}
        names = tuple(gates if order is None else order)
        _check_complete(names, gates)
        position = {name: i for i, name in enumerate(self.inputs + names)}
        for name in names:
            for source in gates[name].inputs:
                if position[source] >= position[name]:
                    raise CircuitError(
                        f"an order has every gate after its inputs, but {name!r} comes before "
                        f"its input {source!r}."
                    )
        return GateSequence(
            num_inputs=len(self.inputs),
            steps=tuple(
                GateStep(
                    kind=gates[name].kind,
                    sources=tuple(position[source] for source in gates[name].inputs),
                )
                for name in names
            ),
            outputs=tuple(position[name] for name in self.outputs),
            names=self.inputs + names,
        )

    def as_nor(self) -> "Circuit":
        """Convert to NOR gates alone, as in step (1) of `steps2022`, section 4.

        Signals keep their names; intermediate gates get new ones (`lengthwise.circuits.nor`).
        """
        return replace(self, gates=nor_gates(self.inputs, self.ordered))


def cycle_error(names: Sequence[str]) -> CircuitError:
    """Return the error for a cycle of signals, with the first one repeated at the end."""
    signals = names if len(names) <= 10 else [*names[:8], "...", names[-1]]
    return CircuitError(
        f"a circuit has no cycles, but this one has {' -> '.join(signals)}. "
        f"Cut it: no gate may need its own value."
    )


def _sort_gates(gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """Sort gates topologically; among gates that are ready, the first given comes first.

    Raises:
        CircuitError: there is a cycle.
    """
    index = {gate.name: i for i, gate in enumerate(gates)}
    waiting = [{index[name] for name in gate.inputs if name in index} for gate in gates]
    readers: list[list[int]] = [[] for _ in gates]
    for i, sources in enumerate(waiting):
        for source in sources:
            readers[source].append(i)
    ready = [i for i, sources in enumerate(waiting) if not sources]
    ordered = []
    while ready:
        done = heapq.heappop(ready)
        ordered.append(gates[done])
        for reader in readers[done]:
            waiting[reader].remove(done)
            if not waiting[reader]:
                heapq.heappush(ready, reader)
    if len(ordered) < len(gates):
        raise cycle_error([gates[i].name for i in _cycle(waiting)])
    return tuple(ordered)


def _cycle(waiting: Sequence[set[int]]) -> list[int]:
    """Return a cycle among gates that wait for each other, in signal direction."""
    path: dict[int, None] = {}
    current = next(i for i, sources in enumerate(waiting) if sources)
    while current not in path:
        path[current] = None
        current = min(waiting[current])
    walked = list(path)
    cycle = walked[walked.index(current) :]
    return [*cycle[:1], *reversed(cycle)]


def _check_defined(subject: str, name: str, signals: set[str]) -> None:
    check_name(name)
    if name not in signals:
        raise CircuitError(
            f"{subject} {name!r}, but there is no such signal. Make it an input or a gate."
        )


def _check_complete(names: Sequence[str], gates: Mapping[str, Gate]) -> None:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or name not in gates:
            raise CircuitError(f"an order has every gate once, but {short(name)} is not a gate.")
        if name in seen:
            raise CircuitError(f"an order has every gate once, but {name!r} appears twice.")
        seen.add(name)
    for name in gates:
        if name not in seen:
            raise CircuitError(f"an order has every gate once, but {name!r} is missing.")
