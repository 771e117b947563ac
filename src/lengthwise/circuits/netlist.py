"""Netlists: definitions of circuit files as gates with at most two inputs.

Files allow more than `Circuit`: gates of many inputs, XNOR, buffers, inverted literals. Each is
converted to gates under the defined name, with fresh names for intermediate signals (`y.1`,
`x.not`). A buffer becomes no gate: its name is an alias of the signal that it repeats.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn

from lengthwise.circuits.circuit import Circuit, cycle_error
from lengthwise.circuits.gates import FreshNames, Gate
from lengthwise.errors import CircuitError
from lengthwise.languages.validation import short

FUNCTIONS = ("AND", "OR", "XOR", "NAND", "NOR", "XNOR", "NOT", "BUFF")
"""Functions accepted by `Netlist.define`, with any number of inputs, but NOT and BUFF with one."""

_PLAIN = {"NAND": "AND", "NOR": "OR", "XNOR": "XOR"}
"""The inverting functions, and the functions that they invert."""


class Netlist:
    """The definitions read so far. All names of a file are declared before the first `define`."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._lines: dict[str, int] = {}
        self._inputs: list[str] = []
        self._outputs: list[tuple[str, str]] = []
        self._gates: list[Gate] = []
        self._fresh = FreshNames(())
        self._same: dict[str, str] = {}
        self._inverted: dict[str, str] = {}
        self._constants: dict[int, str] = {}

    def declare(self, name: str, line: int, *, is_input: bool = False) -> None:
        """Record the line that defines a signal, and reserve its name.

        Raises:
            CircuitError: the signal is defined in another line, too.
        """
        if name in self._lines:
            raise CircuitError(
                f"{self.where}, line {line}: a signal is defined once, but {name!r} has been "
                f"defined in line {self._lines[name]}. Remove one of the two."
            )
        self._lines[name] = line
        self._fresh.take(name, name)
        if is_input:
            self._inputs.append(name)

    def require(self, names: Iterable[str], line: int) -> None:
        """Refuse names that have not been declared.

        Raises:
            CircuitError: with the line that uses the name.
        """
        for name in names:
            if name not in self._lines:
                raise CircuitError(
                    f"{self.where}, line {line}: signal {name!r} is used, but nothing defines it. "
                    f"Make it an input, or define it."
                )

    def output(self, signal: str, name: str) -> None:
        """Add an output of a signal under a name."""
        self._outputs.append((signal, name))

    def define(self, name: str, function: str, signals: Sequence[str]) -> None:
        """Define a declared signal as one of `FUNCTIONS` of at least one signal.

        With one signal, AND, OR, XOR and BUFF repeat it, and the others invert it.
        """
        left, *rest = signals
        if not rest:
            if function in ("NAND", "NOR", "XNOR", "NOT"):
                self._add(name, "NOT", left)
            else:
                self._same[name] = left
            return
        for right in rest[:-1]:
            left = self._add(self._fresh.take(name), _PLAIN.get(function, function), left, right)
        if function == "XNOR":
            equal = self._add(self._fresh.take(name), "XOR", left, rest[-1])
            self._add(name, "NOT", equal)
        else:
            self._add(name, function, left, rest[-1])

    def define_constant(self, name: str, bit: int) -> None:
        """Define a declared signal as the constant 0 or 1."""
        self._add(name, f"CONST{bit}")

    def constant(self, bit: int) -> str:
        """Return a constant signal, which the first call creates."""
        if bit not in self._constants:
            name = self._fresh.take(f"const{bit}", f"const{bit}")
            self._constants[bit] = self._add(name, f"CONST{bit}")
        return self._constants[bit]

    def inverse(self, signal: str) -> str:
        """Return the inverse of a signal, which the first call creates."""
        if signal not in self._inverted:
            name = self._fresh.take(signal, f"{signal}.not")
            self._inverted[signal] = self._add(name, "NOT", signal)
        return self._inverted[signal]

    def join(self, owner: str, function: str, signals: Sequence[str]) -> str:
        """Return a function of signals under a fresh name; a single signal is returned itself."""
        if len(signals) == 1:
            return signals[0]
        name = self._fresh.take(owner)
        self.define(name, function, signals)
        return name

    def circuit(self) -> Circuit:
        """Build the circuit of all definitions.

        Raises:
            CircuitError: there are no inputs or no outputs, or there is a cycle.
        """
        try:
            return Circuit(
                inputs=tuple(self._inputs),
                gates=tuple(
                    Gate(name=gate.name, kind=gate.kind, inputs=tuple(map(self._root, gate.inputs)))
                    for gate in self._gates
                ),
                outputs=tuple(self._root(signal) for signal, _ in self._outputs),
                output_names=tuple(name for _, name in self._outputs),
            )
        except CircuitError as error:
            raise CircuitError(f"{self.where}: {error}") from None

    def _add(self, name: str, kind: str, *signals: str) -> str:
        self._gates.append(Gate(name=name, kind=kind, inputs=signals))
        return name

    def _root(self, name: str) -> str:
        """Resolve a chain of buffers to its source signal."""
        chain: dict[str, None] = {}
        while name in self._same:
            if name in chain:
                names = list(chain)
                raise cycle_error([name, *reversed(names[names.index(name) :])])
            chain[name] = None
            name = self._same[name]
        self._same.update(dict.fromkeys(chain, name))
        return name


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its number from 1, without comments (from `#`) and outer spaces."""
    for number, line in enumerate(text.split("\n"), start=1):
        yield number, line.split("#")[0].strip()


def refuse_line(file_name: str, number: int, line: str, rule: str, remedy: str = "") -> NoReturn:
    """Raise the error for a line that breaks a rule, with the line in the message.

    Raises:
        CircuitError: always.
    """
    message = f"{file_name}, line {number}: {rule}, but the line is {short(line)}. {remedy}"
    raise CircuitError(message.rstrip())
