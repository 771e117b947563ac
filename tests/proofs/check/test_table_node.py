"""The step function of a table."""

import numpy as np
import pytest

from lengthwise.errors import CertificateError
from lengthwise.proofs.check.table_node import TableNode

SETTINGS = {"vocab_size": 2, "num_classes": 2}
STATES = np.zeros((2, 1))


def test_it_leads_and_answers_as_the_table_says() -> None:
    node = TableNode(SETTINGS, STATES, [[0, 1], [1, 0]], [[0, 1], [1, -1]])
    assert node.start().values.tolist() == [[0]]
    codes = np.array([[0], [0], [1]])
    assert node.step(codes, np.array([0, 1, 1])).values.tolist() == [[0], [1], [-1]]
    assert node.classes(codes).values.tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("pairs", "table", "why"),
    [
        ([[0, 1], [1, 2]], [[0, 1], [1, 0]], "pairs are of"),
        ([[0, 1], [0, 1]], [[0, 1], [1, 0]], "every pair occurs once"),
        ([[1, 1], [0, 1]], [[0, 1], [1, 0]], "the first representative"),
        ([[0, 1], [1, 1]], [[0, 1]], "a row for each pair"),
        ([[0, 1], [1, 1]], [[0, 1], [1]], "a row for each pair"),
        ([[0, 1], [1, 1]], [[0, 1], [2, 0]], "entries of the table"),
        ([], [], "every pair occurs once"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    pairs: list[list[int]], table: list[list[int]], why: str
) -> None:
    with pytest.raises(CertificateError, match=why):
        TableNode(SETTINGS, STATES, pairs, table)
