"""The parts of a file of words: which words they have, and what helps where none are left."""

from dataclasses import dataclass

import numpy as np
import pytest

from lengthwise.data.labelled_words import LabelledWords
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.data.word_parts import require_parts, rows_of_part
from lengthwise.errors import ConfigError, TextError

WORDS = LabelledWords.of(
    [(0,) * n + (1,) * m for n in range(12) for m in range(12)],
    [(n + m) % 2 for n in range(12) for m in range(12)],
    ("a", "b"),
    ("no", "yes"),
)


@dataclass
class Parts:
    """Shares of validation and test."""

    validation_share: float = 0.25
    test_share: float = 0.25
    max_length: int | None = None


def lengths(part: str, config: Parts) -> list[int]:
    rows = rows_of_part(WORDS, part, config, "a file")
    return [int(WORDS.ends[row + 1] - WORDS.ends[row]) for row in rows]


def test_parts_have_all_words_between_them() -> None:
    rows = [rows_of_part(WORDS, part, Parts(), "a file") for part in (TRAIN, VALID, TEST)]
    assert sorted(np.concatenate(rows).tolist()) == list(range(len(WORDS)))


def test_the_greatest_length_is_for_training_and_validation_alone() -> None:
    short, long = Parts(max_length=6), Parts()
    for part in (TRAIN, VALID):
        assert lengths(part, short) == [n for n in lengths(part, long) if n <= 6]
        assert max(lengths(part, long)) > 6
    assert lengths(TEST, short) == lengths(TEST, long)


@pytest.mark.parametrize(
    ("part", "config", "remedy"),
    [
        (VALID, Parts(validation_share=0.0), "is left to validate on. Raise validation_share"),
        (TEST, Parts(test_share=0.0), "is left to test with. Raise test_share"),
        (TRAIN, Parts(1.0, 0.0), "is left to train on. Lower validation_share and test_share"),
        (TRAIN, Parts(max_length=-1), "is left to train on. Raise max_length"),
        (TEST, Parts(test_share=0.0, max_length=3), "is left to test with. Raise test_share"),
    ],
)
def test_where_no_word_is_left_it_is_said_what_helps(part: str, config: Parts, remedy: str) -> None:
    with pytest.raises(TextError, match="none of the 144 words of a file") as refused:
        rows_of_part(WORDS, part, config, "a file")
    assert remedy in str(refused.value)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.0, 1.0), (0.75, 0.5)])
def test_shares_that_leave_nothing_for_training_are_refused(shares: tuple[float, float]) -> None:
    with pytest.raises(ConfigError, match=r"leave no words for training\. Lower them"):
        require_parts(Parts(*shares))
    require_parts(Parts(shares[0] / 2, shares[1] / 2))
