"""Numbers as text of Rocq: in base 64, as `proofs/theories/Data.v` reads them."""

from collections.abc import Iterable, Sequence

BITS = 6
"""Binary digits of a digit."""

_BASE, _FIRST_DIGIT = 64, 48
_LINE = 1000
"""Numbers of one text at most."""

Rows = Iterable[Sequence[int]]


def rows_text(rows: Rows) -> str:
    """Return a list of lists of numbers."""
    lists = [list(row) for row in rows]
    width = width_of(number for row in lists for number in row)
    if any(len(row) > _LINE for row in lists):
        return "[" + ";\n     ".join(flat_text(row) for row in lists) + "]"
    texts = ";\n     ".join(f'"{text_of(row, width)}"' for row in lists)
    return f"(map (numbers {width}) [{texts}])"


def flat_text(values: Sequence[int]) -> str:
    """Return a list of numbers."""
    width = width_of(values)
    parts = [values[start : start + _LINE] for start in range(0, len(values), _LINE)]
    return "\n   ++ ".join(f'numbers {width} "{text_of(part, width)}"' for part in parts or [[]])


def width_of(values: Iterable[int]) -> int:
    """Return the number of digits of the largest number."""
    return max(1, -(-max(values, default=0).bit_length() // BITS))


def text_of(values: Iterable[int], width: int) -> str:
    """Return numbers of `width` digits in base 64, the digits being the characters from 0 to o."""
    shifts = range(BITS * (width - 1), -1, -BITS)
    return "".join(
        chr(_FIRST_DIGIT + (value >> shift) % _BASE) for value in values for shift in shifts
    )
