"""Circuits as files have them, and their truth tables."""

from itertools import product

from lengthwise.circuits.circuit import Circuit


def column(circuit: Circuit) -> list[str]:
    """Each output over all words in the order of counting, the first input first."""
    words = list(product((0, 1), repeat=len(circuit.inputs)))
    values = [circuit.evaluate(word) for word in words]
    return ["".join(map(str, output)) for output in zip(*values, strict=True)]


def as_aiger(circuit: Circuit) -> str:
    """AND gates alone: an XOR is AND of NAND(a, b) and NAND(not a, not b)."""
    literal = {name: 2 * i for i, name in enumerate(circuit.inputs, start=1)}
    lines: list[str] = []
    maximum = len(circuit.inputs)

    def conjunction(a: int, b: int) -> int:
        nonlocal maximum
        maximum += 1
        lines.append(f"{2 * maximum} {a} {b}")
        return 2 * maximum

    for gate in circuit.ordered:
        sources = [literal[name] for name in gate.inputs]
        if gate.kind == "NOT":
            value = sources[0] ^ 1
        elif gate.kind.startswith("CONST"):
            value = int(gate.kind[-1])
        elif gate.kind == "XOR":
            a, b = sources
            value = conjunction(conjunction(a, b) ^ 1, conjunction(a ^ 1, b ^ 1) ^ 1)
        else:
            inward = gate.kind in ("OR", "NOR")
            outward = gate.kind in ("OR", "NAND")
            value = conjunction(*(source ^ inward for source in sources)) ^ outward
        literal[gate.name] = value
    counts = f"{maximum} {len(circuit.inputs)} 0 {len(circuit.outputs)} {len(lines)}"
    return "\n".join(
        [
            f"aag {counts}",
            *(str(literal[name]) for name in circuit.inputs),
            *(str(literal[name]) for name in circuit.outputs),
            *reversed(lines),
            *(f"i{i} {name}" for i, name in enumerate(circuit.inputs)),
            *(f"o{i} {name}" for i, name in enumerate(circuit.outputs)),
            "c",
            "written by a test",
            "",
        ]
    )
