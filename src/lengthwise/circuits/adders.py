"""Adder circuits, bit by bit with a carry, in the two layouts of `steps2022`, section 4.

For n-bit numbers a and b, least significant bit first, and c_1 = 0,

    d_i = XOR(a_i, b_i)      e_i = XOR(c_i, d_i)       e_i is the sum's bit i
    f_i = AND(a_i, b_i)      g_i = AND(c_i, d_i)       c_{i+1} = XOR(f_i, g_i) is the carry

The sum is modulo 2^n, as in the paper; the bit that it ignores is c_{n+1}, the gate `c{n+1}`. One
circuit has two layouts: representation 1 computes one digit of the numbers after the other, and
representation 2 first all gates that need no carry, then the carries, then the sum. The paper
prints the first g of representation 1 as g_2, which would then occur twice; it must be g_1.
"""

from collections.abc import Sequence

from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.circuits.gates import Gate
from lengthwise.errors import CircuitError
from lengthwise.languages.validation import short


def adder(n: int, representation: int) -> GateSequence:
    """Lay out the addition of two n-bit numbers: a_1 .. a_n b_1 .. b_n, then the gates.

    >>> print(*adder(2, 1).names)
    a1 a2 b1 b2 c1 d1 e1 f1 g1 c2 d2 e2 f2 g2 c3
    >>> print(*adder(2, 2).names)
    a1 a2 b1 b2 d1 d2 f1 f2 c1 g1 c2 g2 c3 e1 e2
    >>> adder(2, 1).complete((1, 0, 1, 0))
    (1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0)

    Raises:
        CircuitError: n is below 1, or the representation is neither 1 nor 2.
    """
    circuit = adder_circuit(n)
    digits = range(1, n + 1)
    if representation == 1:
        order = [f"{letter}{i}" for i in digits for letter in "cdefg"]
        return circuit.sequence([*order, f"c{n + 1}"])
    if representation == 2:
        free = [f"{letter}{i}" for letter in "df" for i in digits]
        carries = [f"{letter}{i}" for i in digits for letter in "cg"]
        return circuit.sequence([*free, *carries, f"c{n + 1}", *(f"e{i}" for i in digits)])
    raise CircuitError(
        f"addition has the representations 1 and 2, but got {short(representation)}."
    )


def adder_circuit(n: int) -> Circuit:
    """Build the circuit of both representations, with the outputs e_1 .. e_n.

    Raises:
        CircuitError: n is below 1.
    """
    if type(n) is not int or n < 1:
        raise CircuitError(f"numbers have at least 1 bit, but got {short(n)}. Give 1 or more.")
    gates = [Gate(name="c1", kind="CONST0")]
    for i in range(1, n + 1):
        gates += [
            Gate(name=f"d{i}", kind="XOR", inputs=(f"a{i}", f"b{i}")),
            Gate(name=f"e{i}", kind="XOR", inputs=(f"c{i}", f"d{i}")),
            Gate(name=f"f{i}", kind="AND", inputs=(f"a{i}", f"b{i}")),
            Gate(name=f"g{i}", kind="AND", inputs=(f"c{i}", f"d{i}")),
            Gate(name=f"c{i + 1}", kind="XOR", inputs=(f"f{i}", f"g{i}")),
        ]
    return Circuit(
        inputs=tuple(f"{letter}{i}" for letter in "ab" for i in range(1, n + 1)),
        gates=tuple(gates),
        outputs=tuple(f"e{i}" for i in range(1, n + 1)),
    )


def to_bits(number: int, n: int) -> tuple[int, ...]:
    """Return the n bits of a number, least significant first.

    >>> to_bits(6, 4)
    (0, 1, 1, 0)

    Raises:
        CircuitError: the number is below 0 or has more bits.
    """
    if not 0 <= number < 2**n:
        raise CircuitError(
            f"a number of {n} bits is 0 or more and below 2^{n}, but it is {short(number)}."
        )
    return tuple(number >> i & 1 for i in range(n))


def from_bits(bits: Sequence[int]) -> int:
    """Return the number with these bits, least significant first; the inverse of `to_bits`."""
    return sum(bit << i for i, bit in enumerate(bits))
