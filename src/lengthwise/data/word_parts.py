"""The parts of a file of labelled words: which words are for training, validation and the test."""

from typing import Protocol

from lengthwise.data.labelled_words import LabelledWords, Rows
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.errors import TextError
from lengthwise.settings import require


class WordParts(Protocol):
    """The settings that divide the words of a file."""

    @property
    def validation_share(self) -> float:
        """Share of the words that are set apart for validation."""

    @property
    def test_share(self) -> float:
        """Share of the words that are set apart for the test."""

    @property
    def max_length(self) -> int | None:
        """Length of the longest words of training and validation."""


def require_parts(parts: WordParts) -> None:
    """Refuse shares that leave no words for training.

    Raises:
        ConfigError: a value does not fit.
    """
    shares = {"validation_share": parts.validation_share, "test_share": parts.test_share}
    require(
        sum(shares.values()) < 1,
        f"{' and '.join(f'{name}={share}' for name, share in shares.items())} leave no words for "
        f"training. Lower them.",
    )


def rows_of_part(words: LabelledWords, part: str, config: WordParts, name: str) -> Rows:
    """Return the numbers of the words of a part; `max_length` does not apply to the test.

    Raises:
        TextError: the part has no words.
    """
    shares = {"validation_share": config.validation_share, "test_share": config.test_share}
    is_trained = part in (TRAIN, VALID)
    rows = words.rows(part, **shares, max_length=config.max_length if is_trained else None)
    if len(rows):
        return rows
    if config.max_length is not None and len(words.rows(part, **shares, max_length=None)):
        remedy = "Raise max_length"
    else:
        remedy = {
            TRAIN: "Lower validation_share and test_share",
            VALID: "Raise validation_share",
            TEST: "Raise test_share",
        }[part]
    purpose = {TRAIN: "train on", VALID: "validate on", TEST: "test with"}[part]
    raise TextError(
        f"none of the {len(words):,} words of {name} is left to {purpose}. "
        f"{remedy}, or give more words."
    )
