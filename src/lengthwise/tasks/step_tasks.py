"""Step tasks: symbols that are written one after the other between inputs and outputs.

A step task has a fixed number of inputs and a fixed number of written symbols, each a function of
the inputs. Some of these are the outputs; the others are the intermediates of "Guiding transformers
to process in steps" (2022, section 5). It is a circuit, of whose gates some are written in an order
that the user chooses, or a language, whose states are written after the whole word.

Axes:
    word   words of a batch
    input  symbols that are given
    step   symbols that are written
    kept   those of them that a regime of training keeps
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.display import Viewed
from lengthwise.errors import CircuitError, RunError, TaskError, WordError
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict, to_dict
from lengthwise.languages.validation import short
from lengthwise.messages import format_count, shorten
from lengthwise.tasks.automaton import Automaton

Regime = Literal["weak", "medium", "strong"]
"""The paper's regimes. `weak`: the outputs come at once. `medium`: the intermediates are there, but
are not supervised. `strong`: all that is written is supervised."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The written symbols that a regime keeps, and those of them that it supervises."""

    kept: tuple[int, ...]
    """Indices of the written symbols in a sequence, in order."""
    supervised: tuple[int, ...]
    """Positions in `kept` whose symbols are supervised in training."""
    outputs: tuple[int, ...]
    """Positions in `kept` of the outputs."""


class StepTask(Viewed, ABC):
    """Inputs, and the symbols that are written after them.

    Examples:
        >>> import torch
        >>> import lengthwise as lw
        >>> task = lw.steps.step_task("steps:addition", bits=2)
        >>> written = task.write_steps(torch.tensor([task.read("1101")]))  # symbols [word, step]
        >>> dict(zip(task.names, written[0].tolist()))["d1"]
        1
    """

    name: str
    """Name for people."""
    num_symbols: int
    """Size of the vocabulary of inputs and written symbols."""
    input_sizes: tuple[int, ...]
    """Number of symbols, counted from 0, that each input may be."""
    names: tuple[str, ...]
    """Names of the written symbols, in order."""
    outputs: tuple[int, ...]
    """Indices of the outputs among the written symbols."""

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({shorten(self.name, 60)}: "
            f"{format_count(self.num_inputs, 'input')}, {format_count(len(self.names), 'step')})"
        )

    def write_steps(self, inputs: Tensor) -> Int[Tensor, "word step"]:
        """Return the right symbols after these inputs, integers `[word, input]`.

        `read` makes a row of them from a line of input.

        Raises:
            WordError: they are not such a tensor, or a number is not a symbol of its input.
        """
        if not isinstance(inputs, Tensor):
            description = short(inputs)
        elif (
            inputs.is_floating_point()
            or inputs.is_complex()
            or inputs.ndim != 2
            or inputs.shape[1] != self.num_inputs
        ):
            description = f"one of {str(inputs.dtype).removeprefix('torch.')} {list(inputs.shape)}"
        elif (
            (inputs < 0) | (inputs >= torch.tensor(self.input_sizes, device=inputs.device))
        ).any():
            description = f"a number outside 0..{max(self.input_sizes) - 1}"
        else:
            return self._write_steps(inputs)
        raise WordError(
            f"inputs are a tensor of integers [word, {self.num_inputs}], but got {description}. "
            f"Read lines: torch.tensor([task.read(line) for line in lines])."
        )

    @abstractmethod
    def _write_steps(self, inputs: Int[Tensor, "word input"]) -> Int[Tensor, "word step"]:
        """Return the right symbols after inputs, which are some of this task."""

    @abstractmethod
    def read(self, line: str) -> tuple[int, ...]:
        """Return the inputs on a `line`.

        Raises:
            WordError: they are not inputs of this task.
        """

    @abstractmethod
    def spell(self, inputs: Sequence[int]) -> str:
        """Return inputs as `read` reads them."""

    @abstractmethod
    def show(self, outputs: Sequence[int]) -> str:
        """Return outputs as people write them."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the task whole, in plain values; `step_task_of` gives it back."""

    @property
    def num_inputs(self) -> int:
        """Number of symbols that are given."""
        return len(self.input_sizes)

    def layout(self, supervision: Regime) -> Layout:
        """Return the layout of the sequences of `supervision`, a regime."""
        every = range(len(self.names))
        if supervision == "weak":
            all_kept = tuple(range(len(self.outputs)))
            return Layout(kept=self.outputs, supervised=all_kept, outputs=all_kept)
        supervised = tuple(every) if supervision == "strong" else self.outputs
        return Layout(kept=tuple(every), supervised=supervised, outputs=self.outputs)

    @property
    @abstractmethod
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs, in order."""

    def cells(self, layout: Layout) -> tuple[str, ...]:
        """Return the names of the symbols in a sequence of the layout."""
        return (*self.input_names, *(self.names[index] for index in layout.kept))

    def sequences(
        self, inputs: Int[Tensor, "word input"], layout: Layout
    ) -> Int[Tensor, "word place"]:
        """Return the inputs and those written symbols that the layout keeps."""
        return torch.cat([inputs, self.write_steps(inputs)[:, list(layout.kept)]], dim=1)

    def draw(self, count: int, generator: torch.Generator) -> Int[Tensor, "word input"]:
        """Draw `count` different inputs by `generator`; a larger count begins with the same ones.

        Raises:
            TaskError: there are fewer than `count`.
        """
        total = self.num_words
        if count > total:
            raise TaskError(
                f"{self.name} has {total:,} inputs, but {count:,} different ones are asked for. "
                f"Use fewer."
            )
        if total <= _FEW:
            return self._make_inputs(torch.randperm(total, generator=generator)[:count])
        inputs = np.empty((0, self.num_inputs), dtype=np.int64)
        while len(inputs) < count:  # half as many again each time, so that few rounds do
            blocks = 1 + (count - len(inputs)) // _BLOCK + len(inputs) // (2 * _BLOCK)
            every = np.concatenate([inputs, *(self._block(generator) for _ in range(blocks))])
            _, first = np.unique(every, axis=0, return_index=True)
            inputs = every[np.sort(first)]
        return torch.from_numpy(inputs[:count])

    def _block(self, generator: torch.Generator) -> NDArray[np.int64]:
        """Draw uniform inputs, some of them perhaps the same."""
        columns = [torch.randint(s, (_BLOCK,), generator=generator) for s in self.input_sizes]
        return torch.stack(columns, dim=1).numpy()

    @property
    def num_words(self) -> int:
        """Number of inputs."""
        total = 1
        for size in self.input_sizes:
            total *= size
        return total

    def _make_inputs(self, numbers: Int[Tensor, " word"]) -> Int[Tensor, "word input"]:
        """Return the inputs that have these numbers; the first symbol changes fastest."""
        columns = []
        for size in self.input_sizes:
            columns.append(numbers % size)
            numbers = numbers // size
        return torch.stack(columns, dim=1)


_FEW = 2**20
"""Up to this number, inputs are numbered and their numbers shuffled."""

_BLOCK = 2**14
"""Inputs that are drawn at once where there are more."""


@dataclass(frozen=True, repr=False)
class CircuitSteps(StepTask):
    """A circuit whose named gates are written in this order.

    Raises:
        CircuitError: a name is not a gate, or appears twice; an output is missing; or the order is
            not topological: a gate precedes one that it needs, perhaps by way of unwritten ones.
    """

    name: str
    sequence: GateSequence
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        gates, seen = set(self.sequence.names[self.sequence.num_inputs :]), set[str]()
        for position in self.sequence.outputs:
            if (name := self.sequence.names[position]) not in gates:
                raise CircuitError(
                    f"{self.name} has the input {name!r} as an output, and inputs are not written. "
                    f"Put a BUF behind it."
                )
        for name in self.names:
            if name not in gates:
                raise CircuitError(f"an order names gates, but {name!r} is none of {self.name}.")
            if name in seen:
                raise CircuitError(f"an order has every gate once, but {name!r} appears twice.")
            seen.add(name)
        for position in self.sequence.outputs:
            if (name := self.sequence.names[position]) not in seen:
                raise CircuitError(f"an order has all outputs, but {name!r} is missing.")
        self._require_order()

    @property
    def num_symbols(self) -> int:  # type: ignore[override]
        """The two bits."""
        return 2

    @cached_property
    def input_sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """Bits."""
        return (2,) * self.sequence.num_inputs

    @cached_property
    def outputs(self) -> tuple[int, ...]:  # type: ignore[override]
        """Indices of the circuit's outputs among the written symbols."""
        names = self.sequence.names
        return tuple(self.names.index(names[position]) for position in self.sequence.outputs)

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the circuit's inputs."""
        return self.sequence.names[: self.sequence.num_inputs]

    def _write_steps(self, inputs: Int[Tensor, "word input"]) -> Int[Tensor, "word step"]:
        """Return the values of the gates."""
        every = self.sequence.complete_many(inputs.numpy().astype(np.bool_))
        place = {name: i for i, name in enumerate(self.sequence.names)}
        return torch.from_numpy(every[:, [place[name] for name in self.names]])

    def read(self, line: str) -> tuple[int, ...]:
        """Return the bits of a line; spaces between them do not count.

        Raises:
            WordError: a symbol is not a bit, or their number is wrong.
        """
        return self.sequence.read(line)

    def spell(self, inputs: Sequence[int]) -> str:
        """Return the bits, one after the other."""
        return "".join(map(str, inputs))

    def show(self, outputs: Sequence[int]) -> str:
        """Return the bits, one after the other."""
        return "".join(map(str, outputs))

    def to_dict(self) -> dict[str, Any]:
        """Return the task whole, in plain values."""
        return {"name": self.name, "sequence": self.sequence.to_dict(), "order": list(self.names)}

    def _require_order(self) -> None:
        place = {name: i for i, name in enumerate(self.names)}
        names, needs = self.sequence.names, _nearest(self.sequence, set(self.names))
        for position, needed in enumerate(needs):
            name = names[position]
            for other in sorted(needed) if name in place else ():
                if place[names[other]] > place[name]:
                    raise CircuitError(
                        f"an order is topological, but {name!r} comes before {names[other]!r}, "
                        f"which it needs. Put it after."
                    )


def _nearest(sequence: GateSequence, names: set[str]) -> list[set[int]]:
    """Return, for every symbol, the written gates that it needs with no written one between."""
    needs: list[set[int]] = [set() for _ in range(sequence.num_inputs)]
    for step in sequence.steps:
        gates: set[int] = set()
        for source in step.sources:
            gates |= {source} if sequence.names[source] in names else needs[source]
        needs.append(gates)
    return needs


@dataclass(frozen=True, repr=False)
class StateSteps(StepTask):
    """Words of one length; the states after each of their symbols are written, and the class.

    The automaton is the smallest one. Written symbols come after those of the alphabet: first the
    states, then the classes.

    Raises:
        TaskError: the length is below 1, or the language does not classify all words.
    """

    name: str
    language: Language
    length: int

    def __post_init__(self) -> None:
        if self.length < 1:
            raise TaskError(f"words have at least 1 symbol here, but length={self.length}.")
        if self.language.domain is not None:
            raise TaskError(
                f"steps are drawn for all words, but those of {self.name} have a domain. Use a "
                f"language without one."
            )

    @cached_property
    def num_symbols(self) -> int:  # type: ignore[override]
        """Symbols, states and classes."""
        machine = self._automaton
        return machine.num_symbols + machine.num_states + machine.num_classes

    @property
    def input_sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """Symbols of the alphabet."""
        return (self.language.num_symbols,) * self.length

    @cached_property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """q1 .. qT, and the class."""
        return (*(f"q{i + 1}" for i in range(self.length)), "class")

    @property
    def input_names(self) -> tuple[str, ...]:
        """w1 .. wT."""
        return tuple(f"w{i + 1}" for i in range(self.length))

    def cells(self, layout: Layout) -> tuple[str, ...]:
        """Return the names of the symbols; the class has the number of the last state."""
        named = StepTask.cells(self, layout)
        return (*named[:-1], f"{named[-1]}{self.length}")

    @property
    def outputs(self) -> tuple[int, ...]:  # type: ignore[override]
        """The class."""
        return (self.length,)

    def _write_steps(self, inputs: Int[Tensor, "word input"]) -> Int[Tensor, "word step"]:
        """Return the states and the class, as symbols."""
        machine = self._automaton
        states = machine.states(inputs)
        classes = machine.classes[states[:, -1:]] + machine.num_states
        return torch.cat([states, classes], dim=1) + machine.num_symbols

    def read(self, line: str) -> tuple[int, ...]:
        """Return the word on a line.

        Raises:
            WordError: it has a symbol outside the alphabet, or another length.
        """
        word = self.language.encode(line)
        if len(word) != self.length:
            raise WordError(f"there are {self.length} inputs, but the line has {len(word)}.")
        return word

    def spell(self, inputs: Sequence[int]) -> str:
        """Return the word."""
        return self.language.decode(inputs)

    def show(self, outputs: Sequence[int]) -> str:
        """Return the name of the class; `?` for a symbol that is none."""
        c = outputs[0] - self._automaton.num_symbols - self._automaton.num_states
        return self.language.class_names[c] if c >= 0 else "?"

    def to_dict(self) -> dict[str, Any]:
        """Return the task whole, in plain values."""
        return {"name": self.name, "language": to_dict(self.language), "length": self.length}

    @cached_property
    def _automaton(self) -> Automaton:
        return Automaton(self.language.minimise())


def step_task_of(values: Mapping[str, Any]) -> StepTask:
    """Return the task that `to_dict` stored.

    Raises:
        RunError: something is missing, or of the wrong kind.
    """
    try:
        if "language" in values:
            return StateSteps(
                name=values["name"], language=from_dict(values["language"]), length=values["length"]
            )
        return CircuitSteps(
            name=values["name"],
            sequence=GateSequence.from_dict(values["sequence"]),
            names=tuple(values["order"]),
        )
    except (KeyError, TypeError) as error:
        raise RunError(f"a stored step task is damaged ({error!r}). Train again.") from None
