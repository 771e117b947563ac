"""The settings of inference: the words that it sees, and the automata that it may find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

from lengthwise.data.word_parts import require_parts
from lengthwise.errors import unknown_name
from lengthwise.inference.positives.choice import POSITIVES
from lengthwise.inference.rungs.catalogue import ASSUMED
from lengthwise.settings import (
    Config,
    Setting,
    SettingInfo,
    describe_settings,
    sort_settings,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class InferenceConfig(Config):
    """Settings of inference from the words of a file."""

    label_noise: Annotated[float, Setting(least=0, most=0.3)] = 0.0
    """Share of the labels that may be wrong; 0 if all are right."""
    max_states: Annotated[int, Setting(unit="states", least=1)] = 256
    """Greatest number of states of the automaton."""
    budget: Annotated[float, Setting(unit="seconds", above=0)] = 120.0
    """Greatest time of a search; another call continues where it ended."""
    assume: str | None = None
    """Class to which the language is known to belong, such as SL or group; of words of one label
    k-testable, prefix-closed or k-reversible; None for any."""
    validation_share: Annotated[float, Setting(above=0, below=1)] = 0.05
    """Share of the words by which one of several automata is chosen."""
    test_share: Annotated[float, Setting(above=0, below=1)] = 0.05
    """Share of the words that are held out: only the statement at the end looks at them."""
    max_length: Annotated[int | None, Setting(unit="symbols", least=0)] = None
    """Length of the longest words of training and validation; None for all words."""

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        require_parts(self)
        known = [*ASSUMED, *POSITIVES]
        if self.assume is not None and self.assume not in known:
            raise unknown_name("class of languages", self.assume, known)


OF_INFERENCE = {field.name for field in fields(InferenceConfig)}
"""The names of its settings."""


def settings_of_inference() -> list[SettingInfo]:
    """Return the entries of the reference for the settings of inference."""
    return describe_settings("inference", InferenceConfig, OF_INFERENCE, {})


def divide_settings(
    layers: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Divide settings into those of inference, in which later layers win, and those of training.

    Raises:
        ConfigError: one is given twice, or named `inference.` without being a setting of it.
    """
    of_inference, of_training = dict[str, Any](), list[dict[str, Any]]()
    for layer in layers:
        rest, of_layer = dict[str, Any](), dict[str, Any]()
        for name, value in layer.items():
            is_own = name in OF_INFERENCE or name.partition(".")[0] == "inference"
            (of_layer if is_own else rest)[name] = value
        of_inference |= sort_settings(of_layer, {"inference": OF_INFERENCE})["inference"]
        of_training.append(rest)
    return of_inference, of_training
