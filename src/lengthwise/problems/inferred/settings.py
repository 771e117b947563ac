"""The settings of inference: the words that it sees, and the automata that it may find."""

from dataclasses import dataclass
from typing import Annotated

from lengthwise.problems.labelled_words.settings import require_parts
from lengthwise.settings import Config, Setting, require
from lengthwise.tasks.task import PROTOCOLS


@dataclass(frozen=True, kw_only=True, slots=True)
class InferenceConfig(Config):
    """Settings of inference from the words of a file."""

    label_noise: Annotated[float, Setting(least=0, most=0.3)] = 0.0
    """Share of the labels that may be wrong; 0 if all are right."""
    max_states: Annotated[int, Setting(unit="states", least=1)] = 256
    """Greatest number of states of the automaton."""
    validation_share: Annotated[float, Setting(above=0, below=1)] = 0.05
    """Share of the words by which one of several automata is chosen."""
    test_share: Annotated[float, Setting(above=0, below=1)] = 0.05
    """Share of the words that are held out: only the statement at the end looks at them."""
    max_length: Annotated[int | None, Setting(unit="symbols", least=0)] = None
    """Length of the longest words of training and validation; None for all words."""

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        require_parts(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnWordsConfig(InferenceConfig):
    """Settings of inference from words that are drawn from a language, with their labels."""

    max_length: Annotated[int, Setting(unit="symbols", least=0)] = 40
    """Length of the longest words."""
    num_words: Annotated[int, Setting(unit="words", least=1)] = 20_000
    """Number of words that are drawn; equal ones count once."""
    protocol: str = "audited"
    """Protocol by which they are drawn."""
    words_seed: Annotated[int, Setting(least=0)] = 0
    """Seed by which they are drawn."""

    def __post_init__(self) -> None:
        InferenceConfig.__post_init__(self)
        require(
            self.protocol in PROTOCOLS,
            f"protocol={self.protocol!r} is none of {', '.join(PROTOCOLS)}. Use one of them.",
        )
