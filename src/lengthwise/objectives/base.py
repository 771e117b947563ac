"""The contract of an objective: what a network learns from, its settings, labels and loss.

An objective has a file of its own, and a line in `objectives.catalogue`; other packages add theirs
by entry points. It says which networks it fits, so that no model lists the objectives that it can
be trained with.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, NamedTuple

from lengthwise.languages.language import Language
from lengthwise.models.entry import Entry
from lengthwise.models.recognisers import DEFAULT_MODEL
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.objectives.words import WordsConfig
from lengthwise.settings import Config
from lengthwise.tasks.task import Task
from lengthwise.training.loop import Objective


@dataclass(frozen=True, kw_only=True, slots=True)
class ObjectiveConfig(Config):
    """Base of the settings of an objective: its name alone."""

    name: str
    """Name of the objective in the catalogue: `--objective`."""

    def non_defaults(self) -> dict[str, Any]:
        """Return the settings that differ from their defaults, and the name in any case."""
        return {**Config.non_defaults(self), "name": self.name}


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """What an objective is about in a plan: words, network and settings."""

    task: Task
    words: WordsConfig
    network: Any
    """The settings of the network."""
    settings: Any
    """The settings of the objective."""
    precision: Literal["single", "double"] = "single"
    """Precision of the weights that a proof is about."""
    steps: int = 1
    """Number of batches of training."""

    @property
    def language(self) -> Language:
        """The language of the words."""
        return self.task.language


class Suited(NamedTuple):
    """Settings of any section that suit a language, over those of the model."""

    values: Mapping[str, Any]
    size: str = ""
    """Size of the language that decides on them: `32 elements`."""


class WordObjective(ABC):
    """What a network learns from. An instance has no state: its settings are in the `Subject`."""

    settings: ClassVar[type[ObjectiveConfig]] = ObjectiveConfig
    """Class of its settings."""
    told: ClassVar[str]
    """Sentence that says what the learner is given: `training is given the class of ...`."""
    model: ClassVar[str] = DEFAULT_MODEL
    """Model that is trained where none is named."""

    @abstractmethod
    def fits(self, entry: Entry) -> bool:
        """Return whether a model can learn from it."""

    @abstractmethod
    def loss(self, subject: Subject) -> Objective:
        """Return the loss with its labels, and the validation, as the training loop takes them."""

    def names(self, network: type[NetworkConfig]) -> set[str]:
        """Return the names of its settings that act on networks of a kind."""
        return {field.name for field in fields(self.settings)} - {"name"}

    def defaults(
        self, language: Language, preset: str, network: type[NetworkConfig], *, is_named: bool
    ) -> Suited:
        """Return settings for a language and a preset.

        `is_named` says whether the user named the objective.
        """
        return Suited({})

    def fallback(self, language: Language) -> str:
        """Return the name of the objective in its place where it closes late or never, or ""."""
        return ""

    def require(self, subject: Subject) -> None:  # noqa: B027  most have nothing to refuse
        """Refuse what its labels or its loss cannot be made for.

        Raises:
            ConfigError: a value does not fit.
        """

    def shape(
        self, subject: Subject, network: type[NetworkConfig], asked: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return settings that the network needs from the start, before it is known otherwise.

        `asked` are those that the user gave. The network of `subject` is None here.
        """
        return {}

    def fit_network(self, subject: Subject, asked: Mapping[str, Any]) -> Any:
        """Return the settings of the network, with those that follow from its labels.

        Raises:
            ConfigError: one that the user `asked` for does not fit.
        """
        return subject.network

    def labels(self, subject: Subject) -> str:
        """Return a few words for the examples that training draws."""
        words = subject.words
        return f"{words.protocol}, {lengths_of(words)}"


def lengths_of(words: WordsConfig) -> str:
    """Return the lengths of the words of training, in words."""
    return f"lengths {words.min_length}..{words.max_length}"
