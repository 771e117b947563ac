"""The rule by which a decoder writes a cell of an addition, and what it follows from the weights.

A decoder with pointers (`models/pointer_decoder.py`) reads the cells of numbers i - 1 and i of each
letter to write the cell of number i. For addition with `order=carries` the letters are

    a, b   the bits of two numbers, 1 to n, least significant first
    c      the carries c_{i+1} = majority(a_i, b_i, c_i), 2 to n + 1, where c_1 = 0 is no cell
    e      the sum's bits e_i = a_i xor b_i xor c_i, 1 to n

and, whatever n is, just the rows of `addition_table` can occur. `proofs/theories/Adder.v` proves
this once, and that whoever follows these rows writes the sum modulo 2^n; a test compares the two
tables. What remains is that a network follows them, which `judge_rows` decides by balls.

Axes:
    row     rows of the table
    content the contents of a cell: symbols, and the blank as the last one
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Arithmetic, Ball, Floats, Matrix

LETTERS = "abce"
"""Letters of the cells, in the order of the weights."""

BLANK = 2
"""The content of a cell that there is not, or not yet; bits are 0 and 1."""

Row = tuple[str, tuple[int, ...]]
"""The letter that is written, and what is read: of each letter, the cells i - 1 and i."""

Rule = Callable[[Row], int | None]
"""The bit that is written in a row; None if that is not certain."""

READ_ERROR = 2.0**-16
r"""Most that the weights of a head can differ from those of the one cell that is meant, added up.

With the sharpness 32 the blank has a weight of at most $e^{-16}$ of the cell's, and the cell at
distance d one of $e^{-32 d^2}$; if the blank is meant, that cell has $e^{16 - 32 d^2}$ of it. In
both cases the others add up to less than $2.1 e^{-16} < 2.4 \cdot 10^{-7}$, for any number of
cells, and the weights differ from 0 and 1 by at most twice that, added up. The arguments of exp
are exact where they matter (`exact_numbers`), at most ten weights are not 0, and 20 units in the
last place of exp with the roundings of sum and quotient are below 100 u, 6e-6 in float32.
"""

PRECISIONS = ("float32", "float64")


def exact_numbers(precision: str) -> int:
    """Return the largest number of a cell whose square less 1/2 is exact.

    >>> exact_numbers("float32"), exact_numbers("float64")
    (2896, 67108864)
    """
    bits = np.finfo(precision).nmant
    return int((2**bits) ** 0.5)


def addition_table() -> dict[Row, int]:
    """Return the rows that can occur in an addition, with the bit that is right to write.

    >>> len(addition_table())
    112
    """
    bits, table = (0, 1), dict[Row, int]()
    for (a, b), c in product(product(bits, bits), (*bits, BLANK)):
        carried = int(a + b + c % BLANK >= 2)
        for next_a, next_b in (*product(bits, bits), (BLANK, BLANK)):
            table["c", (a, next_a, b, next_b, c, BLANK, BLANK, BLANK)] = carried
        for next_a, next_b in product(bits, bits):
            read = (a, next_a, b, next_b, c, carried, a ^ b ^ c % BLANK, BLANK)
            table["e", read] = next_a ^ next_b ^ carried
    for a, b in product(bits, bits):
        table["e", (BLANK, a, BLANK, b, BLANK, BLANK, BLANK, BLANK)] = a ^ b
    return table


def add_by_rows(rule: Rule, a: Sequence[int], b: Sequence[int]) -> list[int] | None:
    """Return the carries and the sum that a rule writes, or None if it does not say.

    >>> add_by_rows(addition_table().get, (1, 1, 0), (1, 0, 0))
    [1, 1, 0, 0, 0, 1]
    """
    cells = {("a", i): bit for i, bit in enumerate(a, 1)}
    cells |= {("b", i): bit for i, bit in enumerate(b, 1)}
    order = [("c", i + 1) for i in range(1, len(a) + 1)] + [("e", i) for i in range(1, len(a) + 1)]
    for letter, i in order:
        read = tuple(cells.get((tape, j), BLANK) for tape in LETTERS for j in (i - 1, i))
        if (bit := rule((letter, read))) is None:
            return None
        cells[letter, i] = bit
    return [cells[cell] for cell in order]


def first_wrong(rule: Rule) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the shortest numbers, as bits, for which a rule surely writes a wrong cell, if any.

    Every row of the table occurs with numbers of at most 3 bits, so there is no need to look at
    longer ones. Numbers for which the rule does not say what it writes are left out.
    """
    right = addition_table().get
    for n in (1, 2, 3):
        for a, b in product(product((0, 1), repeat=n), repeat=2):
            if add_by_rows(rule, a, b) not in (None, add_by_rows(right, a, b)):
                return a, b
    return None


def judge_rows(rows: Sequence[Row], weights: Mapping[str, NDArray[Any]]) -> tuple[Integers, Floats]:
    """Return the bit that a network writes in each row, and by how much it is ahead, at least.

    The margins hold in real arithmetic and in that of the weights' type or a finer one, whatever
    the order of additions. Where one is 0 or below, the bit is not certain.
    """
    arithmetic = Arithmetic.of(weights["read"].dtype.name)
    read, written = (weights[name].astype(np.float64) for name in ("read", "written"))
    contents = np.zeros((len(rows), *read.shape[:3]))
    for row, (_, values) in enumerate(rows):
        for place, value in enumerate(values):
            contents[row, place // 2, place % 2, value] = 1.0
    centre = contents.reshape(len(rows), -1)
    radius = np.full(len(rows), READ_ERROR * np.sqrt(read.shape[0] * read.shape[1]))
    vectors = arithmetic.linear(Ball(centre, radius), Matrix(read.reshape(-1, read.shape[3]).T))
    letters = written[[LETTERS.index(letter) for letter, _ in rows]]
    hidden = arithmetic.relu(arithmetic.add(vectors, Ball(letters, np.zeros(len(rows)))))
    answer = Matrix(*(weights[f"answer.{name}"].astype(np.float64) for name in ("weight", "bias")))
    logits, error = arithmetic.numbers(hidden, answer)
    bit = (logits[:, 1] > logits[:, 0]).astype(np.int64)
    margin = np.abs(logits[:, 1] - logits[:, 0]) - error.sum(axis=1)
    return bit, np.where(np.isfinite(margin), margin, -np.inf)
