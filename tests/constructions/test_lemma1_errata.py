"""Lemma 1 of Chi et al. (2023), appendices C and D: what is printed, and what multiplies matrices.

Each switch puts one printed entry back.
"""

import ast
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from lengthwise.languages.spec import parse

Integers = NDArray[np.int64]


def first_matrix(n: int, *, printed: bool = False) -> Integers:
    """W(1) of equation (3), with rows z and columns (i - 1) n^2 + (j - 1) n + k, all from 1."""
    matrix = np.zeros((2 * n * n, n**3), dtype=np.int64)
    for i, j, k in product(range(1, n + 1), repeat=3):
        column = (i - 1) * n * n + (j - 1) * n + k
        left = (i - 1) * n * n + k if printed else (i - 1) * n + k
        for z in (left, (n + k - 1) * n + j):
            if z <= 2 * n * n:
                matrix[z - 1, column - 1] = 1
    return matrix


def multiply(a: Integers, b: Integers, **switch: bool) -> Integers:
    """f([Flat(A), Flat(B)])."""
    n = len(a)
    x = np.concatenate([a.reshape(-1), b.reshape(-1)])
    hidden = np.maximum(x @ first_matrix(n, **switch) - 1, 0)
    second = np.kron(np.eye(n * n, dtype=np.int64), np.ones((n, 1), dtype=np.int64))
    assert second.shape == (n**3, n**2)  # printed: n^2 x n^2, which cannot be multiplied
    result: Integers = (hidden @ second).reshape(n, n)
    return result


def state_maps(n: int) -> list[Integers]:
    return [np.eye(n, dtype=np.int64)[list(rows)] for rows in product(range(n), repeat=n)]


@pytest.mark.parametrize("n", [2, 3])
def test_equation_3_multiplies_with_n_and_not_with_n_squared(n: int) -> None:
    pairs = list(product(state_maps(n), repeat=2))
    assert all((multiply(a, b) == a @ b).all() for a, b in pairs)
    assert not all((multiply(a, b, printed=True) == a @ b).all() for a, b in pairs)


def test_the_second_matrix_has_a_row_for_each_product() -> None:
    hidden, printed = np.ones(8), np.ones((4, 4))
    with pytest.raises(ValueError, match="mismatch"):
        hidden @ printed


def test_the_first_head_has_to_see_the_earlier_part() -> None:
    """Section 7.2: the head with r_0 = 0 sees the later part, and stands first as printed."""
    language = parse("first")
    maps = [
        np.eye(language.num_states, dtype=np.int64)[[row[symbol] for row in language.transitions]]
        for symbol in range(2)
    ]
    earlier, later = maps[1], maps[0]  # the word 10
    state = multiply(earlier, later)[language.start].argmax()
    printed = multiply(later, earlier)[language.start].argmax()
    assert language.classes[state] == language.classify("10") == 1
    assert language.classes[printed] == language.classify("01") == 0


def test_the_printed_example_is_no_python() -> None:
    with pytest.raises(SyntaxError):
        ast.parse("A = np.array([[1,0],[1,0])).reshape(-1)")
    example = np.array([[1, 0], [1, 0]])
    assert (multiply(example, np.array([[0, 1], [1, 0]])) == [[0, 1], [0, 1]]).all()
