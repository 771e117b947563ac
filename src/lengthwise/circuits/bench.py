"""Reader of circuits in the `.bench` format of the ISCAS benchmarks.

    INPUT(a)
    OUTPUT(y)
    y = NAND(a, b)      a gate of any number of inputs: AND OR XOR NAND NOR XNOR; NOT, BUFF of one
    z = vdd             1, as ABC and mockturtle write it; gnd is 0

Lines are in any order; `#` begins a comment; case is ignored except in names. An XOR of many inputs
is 1 if an odd number of them is, and an XNOR is its inverse.
"""

import re

from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.netlist import FUNCTIONS, Netlist, lines_of, refuse_line

_NAME = r"[^\s(),=]+"
_PORT = re.compile(rf"(INPUT|OUTPUT)\s*\(\s*({_NAME})\s*\)", re.IGNORECASE)
_CONSTANT = re.compile(rf"({_NAME})\s*=\s*(gnd|vdd)", re.IGNORECASE)
_GATE = re.compile(rf"({_NAME})\s*=\s*(\w+)\s*\(\s*({_NAME}(?:\s*,\s*{_NAME})*)\s*\)")
_NO_MEMORY = "Cut the flip-flops: make their outputs inputs, and their inputs outputs."


def from_bench(text: str, name: str = "bench") -> Circuit:
    """Read a circuit from text in the `.bench` format; error messages call it `name`.

    Raises:
        CircuitError: a line is broken or has a flip-flop or an unknown gate (the line is shown), a
            signal is undefined or defined twice, or there is a cycle.
    """
    netlist = Netlist(name)
    outputs: list[tuple[int, str]] = []
    constants: list[tuple[str, int]] = []
    gates: list[tuple[int, str, str, list[str]]] = []
    for number, line in lines_of(text):
        if not line:
            continue
        if port := _PORT.fullmatch(line):
            if port[1].upper() == "INPUT":
                netlist.declare(port[2], number, is_input=True)
            else:
                outputs.append((number, port[2]))
        elif constant := _CONSTANT.fullmatch(line):
            netlist.declare(constant[1], number)
            constants.append((constant[1], int(constant[2].lower() == "vdd")))
        elif gate := _GATE.fullmatch(line):
            function = "BUFF" if gate[2].upper() == "BUF" else gate[2].upper()
            sources = re.split(r"\s*,\s*", gate[3])
            _check_function(name, number, line, function, len(sources))
            netlist.declare(gate[1], number)
            gates.append((number, gate[1], function, sources))
        else:
            refuse_line(name, number, line, "a line is INPUT(x), OUTPUT(y) or y = AND(a, b)")
    for number, target, function, sources in gates:
        netlist.require(sources, number)
        netlist.define(target, function, sources)
    for target, bit in constants:
        netlist.define_constant(target, bit)
    for number, output in outputs:
        netlist.require([output], number)
        netlist.output(output, output)
    return netlist.circuit()


def _check_function(file_name: str, number: int, line: str, function: str, count: int) -> None:
    if function.startswith("DFF"):
        refuse_line(file_name, number, line, "a circuit has no memory", _NO_MEMORY)
    if function not in FUNCTIONS:
        refuse_line(file_name, number, line, f"a gate is one of {', '.join(FUNCTIONS)}")
    if function in ("NOT", "BUFF") and count != 1:
        refuse_line(file_name, number, line, f"{function} takes 1 input")
