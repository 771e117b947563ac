"""What is a Boolean circuit here? Named gates of at most two inputs, in any order, without cycles.

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

`steps2022`, section 4, lays a circuit out as a sequence; `Circuit.sequence` does so for any order
of the gates in which each stands after its inputs.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from lengthwise.circuits.gate_sequence import GateSequence, Step
from lengthwise.circuits.gates import Gate, check_bits, check_name, check_names, gate_value
from lengthwise.circuits.nor import nor_gates
from lengthwise.errors import CircuitError
from lengthwise.languages.validation import short


@dataclass(frozen=True, kw_only=True, slots=True)
class Circuit:
    """A function from bits to bits. Signals are inputs or gates; outputs name signals.

    A signal may be several outputs, and an input may be an output. `output_names` is how the
    outputs are called where they come from; without it, they are called as their signals are. There
    is at least one input, because a transformer completes a sequence that has begun.

    Raises:
        CircuitError: there are no inputs or no outputs, a name stands twice, a signal is undefined,
            or there is a cycle, which the message shows.
    """

    inputs: tuple[str, ...]
    gates: tuple[Gate, ...]
    outputs: tuple[str, ...]
    output_names: tuple[str, ...] = ()
    ordered: tuple[Gate, ...] = field(init=False, repr=False, compare=False)
    """The gates, each after its inputs, and otherwise in the order in which they were given."""

    def __post_init__(self) -> None:
        if not isinstance(self.gates, tuple) or not all(isinstance(g, Gate) for g in self.gates):
            raise CircuitError(f"the gates are a tuple of Gate, but they are {short(self.gates)}.")
        for what, names in (("input", self.inputs), ("output", self.outputs)):
            if not isinstance(names, tuple):
                raise CircuitError(
                    f"the {what}s are a tuple of texts, but they are {short(names)}."
                )
            if not names:
                raise CircuitError(f"a circuit has at least one {what}, but this one has none.")
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
        object.__setattr__(self, "ordered", _ordered(self.gates))

    def evaluate(self, bits: Sequence[int]) -> tuple[int, ...]:
        """The outputs for one word of inputs, gate by gate.

        Raises:
            CircuitError: there are too few or too many bits, or one is neither 0 nor 1.
        """
        values = dict(zip(self.inputs, check_bits(bits, self.inputs), strict=True))
        for gate in self.ordered:
            values[gate.name] = gate_value(gate.kind, [values[source] for source in gate.inputs])
        return tuple(values[name] for name in self.outputs)

    def evaluate_many(self, inputs: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """`evaluate` for many words at once: inputs [word, input] to outputs [word, output].

        Raises:
            CircuitError: the array is not of truth values, or not one column for each input.
        """
        sequence = self.sequence()
        return sequence.complete_many(inputs)[:, sequence.outputs].astype(np.bool_)

    def sequence(self, order: Sequence[str] | None = None) -> GateSequence:
        """The circuit as a sequence: the inputs, then the gates, in this order or as `ordered`.

        Raises:
            CircuitError: the order leaves a gate out, has a name twice or one that is no gate, or
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
                        f"an order has every gate after its inputs, but {name!r} stands before "
                        f"its input {source!r}."
                    )
        return GateSequence(
            num_inputs=len(self.inputs),
            steps=tuple(
                Step(
                    kind=gates[name].kind,
                    sources=tuple(position[source] for source in gates[name].inputs),
                )
                for name in names
            ),
            outputs=tuple(position[name] for name in self.outputs),
            names=self.inputs + names,
        )

    def as_nor(self) -> "Circuit":
        """The same function from NOR gates alone, as in step (1) of `steps2022`, section 4.

        A signal keeps its name; the gates between have new ones (`lengthwise.circuits.nor`).
        """
        return replace(self, gates=nor_gates(self.inputs, self.ordered))


def cycle_error(names: Sequence[str]) -> CircuitError:
    """The error for a cycle of signals, of which the first stands at the end again."""
    shown = names if len(names) <= 10 else [*names[:8], "...", names[-1]]
    return CircuitError(
        f"a circuit has no cycles, but this one has {' -> '.join(shown)}. "
        f"Cut it: no gate may need its own value."
    )


def _ordered(gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """The gates in topological order: of those that can come next, the first given comes.

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
    """A cycle among gates that wait for each other, in the direction of the signals."""
    path: dict[int, None] = {}
    current = next(i for i, sources in enumerate(waiting) if sources)
    while current not in path:
        path[current] = None
        current = min(waiting[current])
    walked = list(path)
    cycle = walked[walked.index(current) :]
    return [*cycle[:1], *reversed(cycle)]


def _check_defined(what: str, name: str, signals: set[str]) -> None:
    check_name(name)
    if name not in signals:
        raise CircuitError(
            f"{what} {name!r}, but there is no such signal. Make it an input or a gate."
        )


def _check_complete(names: Sequence[str], gates: Mapping[str, Gate]) -> None:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or name not in gates:
            raise CircuitError(f"an order has every gate once, but {short(name)} is no gate.")
        if name in seen:
            raise CircuitError(f"an order has every gate once, but {name!r} stands twice.")
        seen.add(name)
    for name in gates:
        if name not in seen:
            raise CircuitError(f"an order has every gate once, but {name!r} is missing.")
