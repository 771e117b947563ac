"""Circuits as sequences of symbols: the inputs, then one bit for each gate.

This is the layout of `steps2022`, section 4: the symbols are s_1 .. s_N, the first n are the
inputs, and every later one is a gate of two earlier ones, s_i = NOR(s_j, s_k) with j, k < i. Here
gates of any kind are allowed, and positions count from 0. A transformer completes the sequence;
this module defines the correct completion.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.circuits.gates import KINDS, check_bits, check_kind, check_names, gate_value
from lengthwise.errors import CircuitError, WordError, unknown_name
from lengthwise.languages.validation import short


@dataclass(frozen=True, kw_only=True, slots=True)
class GateStep:
    """A step after the inputs: a gate, and the positions of the symbols that it reads."""

    kind: str
    sources: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GateSequence:
    """A circuit whose signals have positions: 0..num_inputs - 1 are inputs, the steps follow.

    `outputs` are the positions of the result; `names` has one name for each position.

    Raises:
        CircuitError: a step reads a position that is not earlier, or the parts do not fit together.
    """

    num_inputs: int
    steps: tuple[GateStep, ...]
    outputs: tuple[int, ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if type(self.num_inputs) is not int or self.num_inputs < 1:
            raise CircuitError(
                f"a sequence begins with at least one input, but num_inputs is "
                f"{short(self.num_inputs)}."
            )
        if not isinstance(self.steps, tuple) or not all(
            isinstance(s, GateStep) for s in self.steps
        ):
            raise CircuitError(f"the steps are a tuple of Step, but they are {short(self.steps)}.")
        for position, step in enumerate(self.steps, start=self.num_inputs):
            check_kind(f"step {position}", step.kind, step.sources)
            _check_positions(f"step {position} reads", step.sources, position)
        check_names("names", self.names)
        if len(self.names) != self.length:
            raise CircuitError(
                f"every position has a name, but there are {self.length} positions and "
                f"{len(self.names)} names."
            )
        if not isinstance(self.outputs, tuple) or not self.outputs:
            raise CircuitError(
                f"a sequence has a tuple of at least one output, but it is {short(self.outputs)}."
            )
        _check_positions("an output is", self.outputs, self.length)

    @property
    def length(self) -> int:
        """Number of symbols: inputs and steps."""
        return self.num_inputs + len(self.steps)

    def read(self, line: str) -> tuple[int, ...]:
        """Read the inputs from a line of text; spaces between bits are ignored.

        Raises:
            WordError: a character is not a bit, or there are too few or too many.
        """
        bits = "".join(line.split())
        if wrong := sorted(set(bits) - {"0", "1"}):
            raise WordError(f"inputs are bits, but there is {wrong[0]!r}.")
        if len(bits) != self.num_inputs:
            raise WordError(f"there are {self.num_inputs} inputs, but the line has {len(bits)}.")
        return tuple(map(int, bits))

    def complete(self, bits: Sequence[int]) -> tuple[int, ...]:
        """Return the correct sequence that begins with these inputs.

        Raises:
            CircuitError: there are too few or too many bits, or one is neither 0 nor 1.
        """
        symbols = list(check_bits(bits, self.names[: self.num_inputs]))
        for step in self.steps:
            symbols.append(gate_value(step.kind, [symbols[source] for source in step.sources]))
        return tuple(symbols)

    def complete_many(self, inputs: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Complete many words at once: inputs [word, input] to symbols [word, position].

        Raises:
            CircuitError: the array is not boolean, or has not one column for each input.
        """
        if inputs.dtype != np.bool_ or inputs.ndim != 2 or inputs.shape[1] != self.num_inputs:
            raise CircuitError(
                f"the inputs of many words are an array of bool [word, {self.num_inputs}], but "
                f"this one is of {inputs.dtype} {list(inputs.shape)}."
            )
        columns = np.empty((self.length, len(inputs)), dtype=np.uint8)
        columns[: self.num_inputs] = inputs.T
        for position, step in enumerate(self.steps, start=self.num_inputs):
            index = np.zeros(len(inputs), dtype=np.uint8)
            for source in step.sources:
                index = 2 * index + columns[source]
            columns[position] = np.array(KINDS[step.kind], dtype=np.uint8)[index]
        return columns.T.astype(np.int64, order="C")

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values for JSON; `from_dict` restores the sequence."""
        steps = [{"kind": step.kind, "sources": list(step.sources)} for step in self.steps]
        return {
            "num_inputs": self.num_inputs,
            "steps": steps,
            "outputs": list(self.outputs),
            "names": list(self.names),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "GateSequence":
        """Restore a sequence from the values that `to_dict` returned.

        Raises:
            CircuitError: an entry is missing, unknown or of another type, or the sequence is wrong.
        """
        _check_entries("gate sequence", values, ("num_inputs", "steps", "outputs", "names"))
        steps = []
        for step in _tuple("steps", values["steps"]):
            _check_entries("step", step, ("kind", "sources"))
            steps.append(GateStep(kind=step["kind"], sources=_tuple("sources", step["sources"])))
        return cls(
            num_inputs=values["num_inputs"],
            steps=tuple(steps),
            outputs=_tuple("outputs", values["outputs"]),
            names=_tuple("names", values["names"]),
        )


def _check_positions(subject: str, positions: Iterable[object], bound: int) -> None:
    for position in positions:
        if type(position) is not int or not 0 <= position < bound:
            raise CircuitError(
                f"{subject} one of the positions 0..{bound - 1}, but it is {short(position)}."
            )


def _check_entries(kind: str, values: object, known: Sequence[str]) -> None:
    if not isinstance(values, Mapping):
        raise CircuitError(
            f"a stored {kind} has the entries {', '.join(known)}, but it is {short(values)}."
        )
    for name in values:
        if name not in known:
            raise unknown_name(f"entry of a stored {kind}:", str(name), known, error=CircuitError)
    for name in known:
        if name not in values:
            raise CircuitError(f"a stored {kind} has an entry {name!r}, but it is missing.")


def _tuple(kind: str, values: object) -> tuple[Any, ...]:
    if not isinstance(values, list | tuple):
        raise CircuitError(f"the stored {kind} are a list, but they are {short(values)}.")
    return tuple(values)
