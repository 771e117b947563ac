"""What a problem may be able to do besides training, tests and answers.

A problem has a capability if its class derives from it, and callers ask `isinstance`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from lengthwise.errors import RunError
from lengthwise.languages.language import Language
from lengthwise.models.entry import Entry
from lengthwise.problems.results import Curve, Options, TrainingCost
from lengthwise.problems.setup import Defaults
from lengthwise.settings import Parts, SettingInfo
from lengthwise.tasks.task import Task
from lengthwise.training.construction_files import Compiled
from lengthwise.training.distributed import ProcessGroup
from lengthwise.training.loop import Objective
from lengthwise.training.runs import RunFolder

if TYPE_CHECKING:
    from lengthwise.problems.base import Problem, Run
    from lengthwise.problems.plan import Plan
    from lengthwise.problems.sweep_tests import Test, TestResult
    from lengthwise.proofs.check.certificate import Certificate
    from lengthwise.proofs.check.rule_certificate import RuleCertificate


class Proving(ABC):
    """Words of any length have classes, so that a network can be proved right."""

    @property
    @abstractmethod
    def symbols(self) -> Language:
        """The language, or an automaton with the symbols and classes of the words."""

    @abstractmethod
    def lengths(self, plan: "Plan") -> tuple[int, int]:
        """Return the least and the greatest length of words of training."""

    @abstractmethod
    def certify(self, run: "Run", options: Options) -> "Certificate":
        """Prove a run right at every length, or find the shortest input on which it is wrong."""


class Formal(Proving):
    """The words are those of a formal language, which suggests models and numbers."""

    @abstractmethod
    def words_of(self, plan: "Plan | Compiled") -> Task:
        """Return the language, and how words of it are drawn."""

    @abstractmethod
    def choose_defaults(self, preset: str, entry: Entry, asked: Parts) -> Iterable[Defaults]:
        """Return defaults that suit the language; `asked` are the settings that the user gives."""


class ProvingSteps(ABC):
    """Steps follow a rule, so that a network can be proved right at every size."""

    @abstractmethod
    def certify_steps(self, run: "Run") -> "RuleCertificate":
        """Prove a run right at every size, or find the shortest input on which it is wrong."""


class Parametrised(ABC):
    """The subject has settings of its own, such as the `bits` of `steps:addition`."""

    @classmethod
    @abstractmethod
    def own_settings(cls, spec: str) -> Mapping[str, SettingInfo]:
        """Return the settings of what a specification names."""

    def own_values(self) -> Mapping[str, Any]:
        """Return the values of those that its name does not tell."""
        return {}


class Distributed(ABC):
    """Several processes can train together, and the cost of an example is known."""

    @abstractmethod
    def share(self, plan: "Plan", processes: ProcessGroup) -> Objective:
        """Return the objective of one of several processes, on its share of every batch."""

    @abstractmethod
    def training_cost(self, plan: "Plan", device: torch.device) -> TrainingCost:
        """Return the cost of a word or token in training."""


class Tested(ABC):
    """Sweeps have a test of its own kind."""

    @abstractmethod
    def test(self, run: "Run", test: "Test") -> "TestResult":
        """Run one test of a sweep."""

    def test_lengths(self, plan: "Plan") -> Sequence[int] | None:
        """Return the lengths of the words of a test unless others are asked for; None if its test
        is about the same inputs always."""
        return None


class Plotted(ABC):
    """An evaluation has a figure by length, or by another number."""

    @abstractmethod
    def curve(self, folder: RunFolder, plan: "Plan") -> Curve | None:
        """Return the last evaluation by length, or None if there is none."""


class Concluding(ABC):
    """More than a network comes of training."""

    @abstractmethod
    def conclude(self, run: "Run") -> None:
        """Write what belongs to a run that has ended, unless it is there."""


def formal(problem: "Problem") -> Formal:
    """Return a problem about a formal language as one.

    Raises:
        RunError: it is about something else.
    """
    if not isinstance(problem, Formal):
        raise RunError(_no_words(problem))
    return problem


def proving(problem: "Problem") -> Proving:
    """Return a problem whose models can be proved right as one.

    Raises:
        RunError: it is about something else than words with classes.
    """
    if not isinstance(problem, Proving):
        raise RunError(_no_words(problem))
    return problem


def _no_words(problem: "Problem") -> str:
    if isinstance(problem, Proving):
        return (
            f"this run is about {problem.name}, whose language is not known. Use evaluate, predict "
            f"or certify --against SPEC."
        )
    return (
        f"this run is about {problem.name}, and classifies no words of a formal language. Use "
        f"evaluate or predict."
    )
