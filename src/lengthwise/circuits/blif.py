r"""Reader of circuits in the Berkeley Logic Interchange Format (BLIF).

    .model majority
    .inputs a b c
    .outputs y
    .names a b c y          the last name is defined from the others, by a cover:
    11- 1                   y is 1 where a row fits, `-` fitting both bits;
    1-1 1                   with 0 at the end of every row, y is 0 there and 1 elsewhere;
    -11 1                   without rows, y is 0
    .end

`#` begins a comment, and a line that ends in `\` continues in the next. One flat, combinational
model is read: latches, sub-circuits, library gates, don't-cares and delays are refused.

A cover of two inputs that is the table of a gate becomes that gate; others become an AND for each
row and an OR of the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gates import KINDS
from lengthwise.circuits.netlist import Netlist, lines_of, refuse_line


@dataclass(frozen=True, kw_only=True, slots=True)
class _Cover:
    """One `.names` block: its rows, without the output bit that all of them share."""

    number: int
    sources: list[str]
    target: str
    rows: dict[str, None] = field(default_factory=dict)
    bits: set[str] = field(default_factory=set)


def from_blif(text: str, name: str = "blif") -> Circuit:
    """Read a circuit from text in BLIF; error messages call it `name`.

    Raises:
        CircuitError: a line is broken or has something that is not read (the line is shown), a
            signal is undefined or defined twice, or there is a cycle.
    """
    reader = _Reader(name)
    for number, line in _logical_lines(text):
        reader.read(number, line)
    netlist = reader.netlist
    for cover in reader.covers:
        netlist.require(cover.sources, cover.number)
        _define(netlist, cover)
    for number, output in reader.outputs:
        netlist.require([output], number)
        netlist.output(output, output)
    return netlist.circuit()


class _Reader:
    """State of the reader: inputs, outputs and covers of the lines so far."""

    def __init__(self, where: str) -> None:
        self.netlist = Netlist(where)
        self.outputs: list[tuple[int, str]] = []
        self.covers: list[_Cover] = []
        self._where = where
        self._num_models = 0
        self._ended = False

    def read(self, number: int, line: str) -> None:
        """Read one non-empty line."""
        keyword, *names = line.split()
        self._num_models += keyword == ".model"
        if self._ended or self._num_models > 1:
            refuse_line(
                self._where, number, line, "one model is read", "Flatten the file to one model."
            )
        if keyword == ".inputs":
            for signal in names:
                self.netlist.declare(signal, number, is_input=True)
        elif keyword == ".outputs":
            self.outputs += [(number, signal) for signal in names]
        elif keyword == ".names":
            if not names:
                refuse_line(self._where, number, line, ".names ends in the name that it defines")
            self.netlist.declare(names[-1], number)
            self.covers.append(_Cover(number=number, sources=names[:-1], target=names[-1]))
        elif keyword == ".end":
            self._ended = True
        elif not keyword.startswith("."):
            if not self.covers:
                refuse_line(self._where, number, line, "a row comes after .names")
            _add_row(self._where, number, line, self.covers[-1])
        elif keyword != ".model":
            rule = "only .model, .inputs, .outputs, .names and .end are read"
            refuse_line(self._where, number, line, rule, "Write one flat model without memory.")


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield non-empty lines joined with their continuations, each with its first line number."""
    start = 0
    parts: list[str] = []
    for number, line in lines_of(f"{text}\n"):
        start = start if parts else number
        parts.append(line.removesuffix("\\").strip())
        if not line.endswith("\\"):
            if content := " ".join(parts).strip():
                yield start, content
            parts = []


def _add_row(file_name: str, number: int, line: str, cover: _Cover) -> None:
    *pattern, bit = line.split()
    row = "".join(pattern)
    width = len(cover.sources)
    if len(row) != width or not set(row) <= set("01-") or bit not in ("0", "1"):
        rule = f"a row has {width} of 0, 1 and -, and then 0 or 1" if width else "a row is 0 or 1"
        refuse_line(file_name, number, line, f"below this .names {rule}")
    cover.rows[row] = None
    cover.bits.add(bit)
    if len(cover.bits) > 1:
        refuse_line(file_name, number, line, "all rows of a cover end in the same bit")


def _define(netlist: Netlist, cover: _Cover) -> None:
    on = cover.bits != {"0"}
    if not cover.rows:
        netlist.define_constant(cover.target, 0)
    elif any(set(row) <= {"-"} for row in cover.rows):
        netlist.define_constant(cover.target, int(on))
    elif kind := _as_gate(cover, on):
        netlist.define(cover.target, kind, cover.sources)
    else:
        terms = [_literals(cover, row) for row in cover.rows]
        if len(terms) == 1 and len(terms[0]) == 1:
            ((source, bit),) = terms[0]
            netlist.define(cover.target, "BUFF" if (bit == "1") == on else "NOT", [source])
            return
        rows = [
            [source if bit == "1" else netlist.inverse(source) for source, bit in term]
            for term in terms
        ]
        if len(rows) == 1:
            netlist.define(cover.target, "AND" if on else "NAND", rows[0])
        else:
            signals = [netlist.join(cover.target, "AND", row) for row in rows]
            netlist.define(cover.target, "OR" if on else "NOR", signals)


def _literals(cover: _Cover, row: str) -> list[tuple[str, str]]:
    """Return the signals that a row tests, each with the bit that matches."""
    pairs = zip(cover.sources, row, strict=True)
    return [(source, bit) for source, bit in pairs if bit != "-"]


def _as_gate(cover: _Cover, on: bool) -> str | None:
    """Return the kind of gate with the truth table of a cover of at most two inputs, or None."""
    if len(cover.sources) > 2:
        return None
    table = tuple(
        int(any(_fits(row, bits) for row in cover.rows) == on)
        for bits in product("01", repeat=len(cover.sources))
    )
    return next((kind for kind, entries in KINDS.items() if entries == table), None)


def _fits(row: str, bits: Sequence[str]) -> bool:
    return all(expected in ("-", bit) for expected, bit in zip(row, bits, strict=True))
