"""A class is read off a whole word."""

from dataclasses import replace

import numpy as np

from lengthwise.proofs.check.arrays import ABSENT
from lengthwise.proofs.search import continuous_levels
from lengthwise.proofs.search.merging import NO_ANSWER
from lengthwise.proofs.search.snapping import Snaps


def test_a_class_is_read_off_a_whole_word() -> None:
    """The image of one child of the edge is no whole word, and what it answers does not count."""
    edge = Snaps(
        representatives=np.zeros((1, 2)),
        children=np.array([[ABSENT, 0], [0, 0]]),
        elements=np.array([0, 0]),
        distances=np.array([0.0, 1.0]),
        gap=np.inf,
    )
    interior = replace(edge, children=np.array([[0, 0]]), elements=np.array([0]))
    logits = np.array([[1.0, 0.0], [0.0, 1.0]])
    tables, answers = continuous_levels._tables(
        interior, edge, logits, np.array([NO_ANSWER, 1]), (1, 1, 2)
    )
    assert tables.classes.tolist() == answers.tolist() == [1]
