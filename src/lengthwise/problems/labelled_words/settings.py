"""The settings of labelled words: parts of the file, batches, and supervision."""

from dataclasses import dataclass
from typing import Annotated

from lengthwise.data.word_parts import require_parts
from lengthwise.settings import Config, Setting, require


@dataclass(frozen=True, kw_only=True, slots=True)
class WordsOfFileConfig(Config):
    """Settings of the parts of a file of words, and of batches."""

    validation_share: Annotated[float, Setting(above=0, below=1)] = 0.05
    """Share of the words that are set apart for validation. A hash of each word decides, so that no
    word is in two parts."""
    test_share: Annotated[float, Setting(above=0, below=1)] = 0.05
    """Share of the words that are set apart for the test, which training never sees."""
    max_length: Annotated[int | None, Setting(unit="symbols", least=0)] = None
    """Length of the longest words of training and validation, so that longer ones are left for the
    test; None for all words."""
    curriculum: Annotated[int, Setting(unit="symbols", least=0)] = 0
    """Greatest length of the first words. It grows by a quarter whenever 98 % of a validation's
    words are right, up to the longest words. 0: words of all lengths from the start."""
    batch_size: Annotated[int, Setting(unit="words", least=1)] = 128
    """Number of words of a batch, drawn uniformly from those of training."""
    validation_words: Annotated[int, Setting(unit="words", least=1)] = 1024
    """Greatest number of words of each validation, drawn from those set apart for it."""

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        require_parts(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelsConfig(Config):
    """Settings of the supervision."""

    name: str = "final"
    """`final`: the label of the whole word. Other objectives need the language, which a file of
    words does not tell."""

    def __post_init__(self) -> None:
        require(
            self.name == "final",
            f"objective={self.name!r} needs the language, but a file has only the "
            f"labels of whole words. Use 'final'.",
        )
