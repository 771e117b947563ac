"""Reader of circuits in the ASCII form of AIGER: AND gates and inverters.

    aag 3 2 0 1 1       maximal variable, inputs, latches, outputs, AND gates
    2                   the inputs: variable v is the literal 2v, and 2v + 1 is its inverse
    4
    7                   the outputs; 0 and 1 are the constants
    6 2 5               the gates: literal, and the two literals that it is the AND of
    i0 a                names, as far as there are any: of input 0,
    o0 y                and of output 0
    c                   what follows is a comment

Inputs without names are called i0, i1, ..., outputs o0, o1, ..., and the gate of literal 6 is n6.
Latches are refused, and so are the bad states, constraints and properties of AIGER 1.9.
"""

import re
from collections.abc import Sequence

from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gates import FreshNames
from lengthwise.circuits.netlist import Netlist, refuse_line
from lengthwise.errors import CircuitError

BINARY_REMEDY = "Make it text: aigtoaig in.aig out.aag"
"""Remedy for a file in AIGER's binary form, which has the suffix `.aig`."""

_NUMBER = re.compile(r"[0-9]{1,18}")
_SYMBOL = re.compile(r"([io])([0-9]{1,18}) +(\S.*)")
_Line = tuple[int, str]


def from_aiger(text: str, name: str = "aiger") -> Circuit:
    """Read a circuit from text in ASCII AIGER; error messages call it `name`.

    Raises:
        CircuitError: a line is broken or has something that is not read (the line is shown), a
            literal is undefined or defined twice, or there is a cycle.
    """
    lines = [(i, line.strip()) for i, line in enumerate(text.rstrip().split("\n"), start=1)]
    reader = _Reader(name, lines)
    symbols = reader.symbols()
    fresh = FreshNames(symbol for (kind, _), symbol in symbols.items() if kind == "i")
    netlist = Netlist(name)
    signals: dict[int, str] = {}

    def define(line: _Line, literal: int, signal: str, *, is_input: bool = False) -> None:
        if literal % 2 or literal == 0:
            refuse_line(
                name, *line, f"a literal that is defined is even and not 0, and {literal} is not"
            )
        if literal in signals:
            refuse_line(name, *line, f"a literal is defined once, but {literal} was defined before")
        signals[literal] = signal
        netlist.declare(signal, line[0], is_input=is_input)

    def signal_of(line: _Line, literal: int) -> str:
        if literal in (0, 1):
            return netlist.constant(literal)
        if literal - literal % 2 not in signals:
            refuse_line(name, *line, f"every literal in use is defined, but {literal} is not")
        signal = signals[literal - literal % 2]
        return netlist.inverse(signal) if literal % 2 else signal

    for i, line in enumerate(reader.inputs):
        (literal,) = reader.literals(line, "an input is one literal", 1)
        signal = symbols.get(("i", i)) or fresh.take(f"i{i}", f"i{i}")
        define(line, literal, signal, is_input=True)
    gates = []
    for line in reader.gates:
        literal, *sources = reader.literals(line, "an AND gate is three literals", 3)
        signal = fresh.take(f"n{literal}", f"n{literal}")
        define(line, literal, signal)
        gates.append((line, signal, sources))
    for line, signal, sources in gates:
        netlist.define(signal, "AND", [signal_of(line, source) for source in sources])
    for i, line in enumerate(reader.outputs):
        (literal,) = reader.literals(line, "an output is one literal", 1)
        netlist.output(signal_of(line, literal), symbols.get(("o", i), f"o{i}"))
    return netlist.circuit()


class _Reader:
    """The lines of a file, split by the header into inputs, outputs, gates and the rest."""

    def __init__(self, where: str, lines: Sequence[_Line]) -> None:
        self._where = where
        header = lines[0]
        word, *fields = header[1].split() or [""]
        if word == "aig":
            refuse_line(where, *header, "AIGER is read as text", BINARY_REMEDY)
        if word != "aag" or not 5 <= len(fields) <= 9 or not all(map(_NUMBER.fullmatch, fields)):
            refuse_line(where, *header, "the header is 'aag M I L O A' with five numbers")
        maximum, num_inputs, num_latches, num_outputs, num_gates, *counts = map(int, fields)
        if num_latches:
            refuse_line(
                where, *header, f"a circuit has no memory, and this has {num_latches} latches"
            )
        if any(counts):
            refuse_line(where, *header, "only inputs, outputs and AND gates are read")
        promised = num_inputs + num_outputs + num_gates
        if len(lines) <= promised:
            raise CircuitError(
                f"{where}: the header in line 1 promises {promised} lines of inputs, outputs and "
                f"gates, but {len(lines) - 1} follow. Complete the file."
            )
        self._bound = 2 * maximum + 1
        self.inputs = lines[1 : 1 + num_inputs]
        self.outputs = lines[1 + num_inputs : 1 + num_inputs + num_outputs]
        self.gates = lines[1 + num_inputs + num_outputs : 1 + promised]
        self._rest = lines[1 + promised :]

    def literals(self, line: _Line, rule: str, count: int) -> list[int]:
        """Read the literals of a line; each must be within the header's bound."""
        fields = line[1].split()
        if len(fields) != count or not all(map(_NUMBER.fullmatch, fields)):
            refuse_line(self._where, *line, rule)
        for literal in map(int, fields):
            if literal > self._bound:
                refuse_line(
                    self._where, *line, f"by the header, literals are at most {self._bound}"
                )
        return list(map(int, fields))

    def symbols(self) -> dict[tuple[str, int], str]:
        """Read the names of inputs ("i") and outputs ("o"), by their indices."""
        names: dict[tuple[str, int], str] = {}
        counts = {"i": len(self.inputs), "o": len(self.outputs)}
        for line in self._rest:
            if line[1] == "c":
                break
            symbol = _SYMBOL.fullmatch(line[1])
            if symbol is None or not symbol[3].isprintable():
                refuse_line(self._where, *line, "after the gates come names, 'i0 a' or 'o0 y'")
            key = symbol[1], int(symbol[2])
            if key[1] >= counts[key[0]]:
                refuse_line(self._where, *line, "a name belongs to an input or output of the file")
            if key in names:
                refuse_line(self._where, *line, "an input or output has one name")
            names[key] = symbol[3]
        return names
