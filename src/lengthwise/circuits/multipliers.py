"""Multiplier circuits by long multiplication: rows of partial products, added one by one.

For n-bit numbers a and b, least significant bit first, and a row j for each bit of b,

    p_ij = AND(a_i, b_j)

is added to digits j .. j + n - 1 of the sum so far by full adders as in `adders`: with x_ij the bit
there, k_ij the carry into it, and k_1j = 0, which needs no gate,

    d_ij = XOR(x_ij, p_ij)      s_ij = XOR(d_ij, k_ij)
    f_ij = AND(x_ij, p_ij)      g_ij = AND(d_ij, k_ij)

and k_{i+1,j} = XOR(f_ij, g_ij); the last one is digit j + n of the new sum. The product has 2n
bits, and there is no overflow.
"""

from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gates import Gate
from lengthwise.errors import CircuitError
from lengthwise.languages.validation import short


def multiplier_circuit(n: int) -> Circuit:
    """Build the product of two n-bit numbers: inputs a_1 .. a_n b_1 .. b_n, outputs its 2n bits.

    Gates are in the order of long multiplication. Their names contain digit and row: `p2_1` is
    AND(a2, b1).

    >>> multiplier_circuit(3).evaluate((1, 0, 1, 1, 1, 0))  # 5 times 3, least bit first
    (1, 1, 1, 1, 0, 0)

    Raises:
        CircuitError: n is below 1.
    """
    if type(n) is not int or n < 1:
        raise CircuitError(f"numbers have at least 1 bit, but got {short(n)}. Give 1 or more.")
    digits = range(1, n + 1)
    gates = [Gate(name=f"p{i}_1", kind="AND", inputs=(f"a{i}", "b1")) for i in digits]
    gates.append(Gate(name="zero", kind="CONST0"))
    total = [gate.name for gate in gates]  # the sum of the rows so far
    for row in range(2, n + 1):
        gates += [Gate(name=f"p{i}_{row}", kind="AND", inputs=(f"a{i}", f"b{row}")) for i in digits]
        total[row - 1 :] = _add_row(gates, total[row - 1 :], row)
    return Circuit(
        inputs=tuple(f"{letter}{i}" for letter in "ab" for i in digits),
        gates=tuple(gates),
        outputs=tuple(total),
    )


def _add_row(gates: list[Gate], above: list[str], row: int) -> list[str]:
    """Add the gates that add a row to the bits `above` it, and return the names of the new bits."""
    bits, carry = [], ""
    for i, x in enumerate(above, start=1):
        suffix = f"{i}_{row}"
        d, p = f"d{suffix}", f"p{suffix}"
        gates += [
            Gate(name=d, kind="XOR", inputs=(x, p)),
            Gate(name=f"f{suffix}", kind="AND", inputs=(x, p)),
        ]
        bits.append(d)
        if carry:
            gates += [
                Gate(name=f"s{suffix}", kind="XOR", inputs=(d, carry)),
                Gate(name=f"g{suffix}", kind="AND", inputs=(d, carry)),
                Gate(name=f"k{suffix}", kind="XOR", inputs=(f"f{suffix}", f"g{suffix}")),
            ]
            bits[-1] = f"s{suffix}"
        carry = f"k{suffix}" if carry else f"f{suffix}"
    return [*bits, carry]
