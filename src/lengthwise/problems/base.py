"""The contract of a problem: a task that a model is trained on, tested on and queried about.

Recognition of a language, step by step computation, language modelling and translation are problems
of this package; other packages add theirs (`lengthwise.problems.registry`). A `Problem` defines how
it is named, its settings, its data and objective, how a model is tested and queried, and the texts
that describe the result.

A new problem must have a `kind`, a `prefix`, its `models` and `data` settings, and the methods that
are abstract here. Everything else has a default.
"""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from torch import nn

from lengthwise.display import Viewed
from lengthwise.errors import ConfigError, RunError
from lengthwise.evaluation.scores import percent
from lengthwise.files import values_of
from lengthwise.languages.language import Language
from lengthwise.memory import enough_memory
from lengthwise.models.entry import Entry
from lengthwise.problems.plan import Plan, Route
from lengthwise.problems.results import (
    Curve,
    Evaluation,
    Facts,
    Judged,
    Options,
    Predictor,
    Section,
    TrainingCost,
    Watch,
    no_watch,
    read_options,
)
from lengthwise.problems.testing import Test, TestResult
from lengthwise.registry import Catalogue
from lengthwise.settings import Config, NoSettings, Parts, SettingInfo
from lengthwise.tasks.task import Task
from lengthwise.training.compiled import Compiled
from lengthwise.training.distributed import ALONE, ProcessGroup
from lengthwise.training.film import Film
from lengthwise.training.loop import Objective, kept
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import TrainingConfig
from lengthwise.verification.certificate import Certificate
from lengthwise.wording import shorter_words

__all__ = ["Plan", "Problem", "Run", "evaluated"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Run(Viewed):
    """A trained or computed model, with its problem, its plan and the folder that stores it."""

    problem: "Problem"
    plan: "Plan | Compiled"
    model: nn.Module
    metrics: list[dict[str, Any]] = field(default_factory=list)
    """One record for each validation."""
    folder: RunFolder | None = None
    stages: tuple[Mapping[str, Any], ...] = ()
    """One record for each stage that ended without a proof (`problems.stages`)."""

    def __repr__(self) -> str:
        best = f": {self.problem.judged(self.folder, self.metrics).text}" if self.metrics else ""
        where = f", in {self.folder.path}" if self.folder else ""
        return f"Run({self.problem.name}, {self.plan.model}{best}{where})"

    @property
    def language(self) -> Language:
        """The formal language that its model recognises.

        Raises:
            RunError: it is about something else.
        """
        return self.task.language

    @property
    def task(self) -> Task:
        """The words that its model was trained on, or made for.

        Raises:
            RunError: it is not about a language.
        """
        return self.problem.words_of(self.plan)

    def require_plan(self) -> "Plan":
        """Return the plan of a trained run.

        Raises:
            RunError: its weights were computed, not trained.
        """
        if isinstance(self.plan, Compiled):
            raise RunError("the weights of this run were computed, not trained.")
        return self.plan


class Problem(ABC):
    """A task to learn. An instance is about one language, one corpus or the like."""

    kind: ClassVar[str]
    """Its name in the registry, and in `config.json`."""
    prefix: ClassVar[str]
    """Prefix of its specifications, such as `text:`; it ends in a colon."""
    noun: ClassVar[str]
    """Noun for its runs, in the plural: `language models`."""
    models: ClassVar[Catalogue[Any]]
    default_model: ClassVar[str]
    data: ClassVar[type[Config]]
    objective_settings: ClassVar[type[Config]] = NoSettings
    """Classes of the settings of the data and of the objective."""
    training: ClassVar[type[TrainingConfig]] = TrainingConfig
    derived: ClassVar[frozenset[str]] = frozenset()
    """Settings whose default follows from others: `{"network.max_length"}`."""
    unit: ClassVar[str] = "words"
    """Unit in which training counts its examples."""
    is_distributed: ClassVar[bool] = False
    """True if several processes can train together."""
    evaluation_options: ClassVar[frozenset[str]] = frozenset()
    prediction_options: ClassVar[frozenset[str]] = frozenset()
    own_options: ClassVar[frozenset[str]] = frozenset()
    """The options among `--alphabet` and `--protocol` that `train` takes."""

    @classmethod
    @abstractmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Return the problem that a specification names.

        `settings` are those of the problem itself (`own_settings`).

        Raises:
            LengthwiseError: the specification is wrong.
        """

    @classmethod
    @abstractmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the problem that `to_dict` stored."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the language, corpus or the like that it is about, as plain values."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Short name of its subject: `parity`, `addition of 4-bit numbers`."""

    @abstractmethod
    def objective(self, plan: Plan, processes: ProcessGroup = ALONE) -> Objective:
        """Return the objective, divided among processes."""

    def lengths(self, plan: Plan) -> tuple[int, int]:
        """Return the least and the greatest length of words of training, if it is about words."""
        return int(plan.data.min_length), int(plan.data.max_length)

    @abstractmethod
    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run; nothing is stored."""

    @abstractmethod
    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which answers inputs with a run."""

    def identity(self) -> dict[str, Any]:
        """Return `to_dict` without the values that may change while a run stays the same."""
        return self.to_dict()

    @classmethod
    def sections(cls, entry: Entry) -> dict[str, type[Config]]:
        """Return the class of the settings of each section."""
        return {
            "network": entry.config,
            "data": cls.data,
            "objective": cls.objective_settings,
            "training": cls.training,
        }

    @classmethod
    def settable(cls, entry: Entry) -> dict[str, set[str]]:
        """Return the names of the settings that a user may set, by section."""
        return cls.every_name(entry)

    @classmethod
    def every_name(cls, entry: Entry) -> dict[str, set[str]]:
        """Return the names of all settings by section, except those that the model fixes."""
        kinds = cls.sections(entry).items()
        found = {name: {each.name for each in fields(kind)} for name, kind in kinds}
        found["network"] -= entry.fixed
        return found

    @classmethod
    def own_settings(cls, spec: str) -> Mapping[str, SettingInfo]:
        """Return the settings of the problem itself, such as the `bits` of `steps:addition`."""
        return {}

    def own_values(self) -> Mapping[str, Any]:
        """Return the values of those of its `own_settings` that its name does not tell."""
        return {}

    @classmethod
    def usual(cls, preset: str, entry: Entry, name: str = "") -> dict[str, Any]:
        """Return the settings that apply unless a user sets them; `name` is that of the problem."""
        return dict(entry.training)

    def suited(self, preset: str, entry: Entry, asked: Parts) -> dict[str, Any]:
        """Return defaults that suit the subject, over the usual ones; `asked` are the user's."""
        return {}

    def unused(self, asked: Parts, stages: Sequence[Plan]) -> str:
        """Return a message about a setting that is asked for and that no stage uses, or ""."""
        return ""

    def routes(self, preset: str, asked: Parts) -> Sequence[Route]:
        """Return the stages of training without a model's name, each for where the one before it
        ends without a proof; the first has the settings that are `asked` for."""
        return (Route(self.default_model),)

    def standing(self, plan: Plan, model: nn.Module) -> Mapping[str, Any]:
        """Return `proved`, `right_to`, `first_wrong` and `reason` of a stage that was given up."""
        raise NotImplementedError

    def configure(
        self, model: str, entry: Entry, chosen: Parts, asked: Parts
    ) -> tuple[Config, Config, Config]:
        """Return the settings of the network, the data and the objective.

        `chosen` are all values, `asked` those that the user gave.

        Raises:
            ConfigError: a value does not fit.
        """
        return (
            entry.configure({**chosen["network"], **self.network_shape()}),
            self.data.from_dict(chosen["data"]),
            self.objective_settings.from_dict(chosen["objective"]),
        )

    def network_shape(self) -> Mapping[str, Any]:
        """Return the settings of the network that follow from the problem: `vocab_size`."""
        return {}

    # Texts and figures

    def supervision(self, plan: Plan) -> str:
        """Return a word or two for the labels that training sees."""
        return "supervised"

    def trained_on(self, plan: Plan) -> str:
        """Return a few words for the examples that training draws."""
        return "its data"

    def facts(self, plan: Plan) -> dict[str, Any]:
        """Return the entries of `train --json` that describe the problem."""
        return {"task": self.name}

    def figures(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return further figures of `train --json`, derived from those that all problems have."""
        return {}

    def outcome(self, plan: Plan, facts: Mapping[str, Any]) -> str:
        """Return one line on the result of training, from the facts of `train`."""
        return (
            f"{plan.model} on {self.name} ({self.supervision(plan)}, {plan.preset} preset): "
            f"{self.validated(facts)} in validation after {facts['kept_step']:,} steps"
        )

    def advice(self, plan: Plan, facts: Mapping[str, Any], out: Path) -> str:
        """Return the command that is suggested next."""
        return f"lengthwise evaluate {shlex.quote(str(out))}"

    def environment(self, plan: Plan) -> dict[str, str]:
        """Return what determines a run besides versions and processor."""
        return {}

    def training_cost(self, plan: Plan, device: torch.device) -> TrainingCost | None:
        """Return the cost of a word or token in training, or None if it is not known."""
        return None

    def flops(self, plan: Plan) -> int | None:
        """Return floating-point operations of a usual input, or None if they are not known."""
        return None

    def require_test(self, test: Test) -> None:  # noqa: B027  most have nothing to refuse
        """Refuse a test of a sweep that no run could take."""

    def test(self, run: Run, test: Test) -> TestResult:
        """Run one test of a sweep; by default, `evaluate` with its lengths, words and seed."""
        wanted = {"lengths": list(test.lengths), "words": test.words_per_length, "seed": test.seed}
        options = {key: value for key, value in wanted.items() if key in self.evaluation_options}
        found = evaluated(run, options)
        return TestResult.plain(test, self.kind, {"figures": found.values})

    def section(self, folder: RunFolder, plan: Plan) -> Section:
        """Return the section of the report about a run.

        Raises:
            RunError: a record is damaged.
        """
        found, metrics = folder.evaluation(), folder.metrics()
        with values_of(folder.path / "evaluation.json", remedy="Evaluate again."):
            facts = self.said_of(found) if found else [("evaluation", "not evaluated yet")]
        return Section(
            title=f"{self.name}, {plan.model}",
            subtitle=f"{plan.preset} preset, seed {plan.training.seed}",
            about=[("trained on", plan.trained_on), ("training is told", plan.supervision)],
            columns=["run", "trained on", "in validation"],
            cells=[plan.trained_on, self.judged(folder, metrics).text],
            facts=facts,
        )

    def curve(self, folder: RunFolder, plan: Plan) -> Curve | None:
        """Return the last evaluation by length, or None if there is none."""
        return None

    def said_of(self, values: Mapping[str, Any]) -> Facts:
        """Return the summary of an evaluation as a person reads it."""
        plain = str | int | float
        return [(name, str(value)) for name, value in values.items() if isinstance(value, plain)]

    def validated(self, record: Mapping[str, Any]) -> str:
        """Return how well a model did in a validation."""
        shorter = shorter_words(record)
        return f"{percent(record['validation_accuracy'])} %{shorter and f' on words{shorter}'}"

    def judged(self, folder: RunFolder | None, metrics: Sequence[Mapping[str, Any]]) -> Judged:
        """Return how good a run is; by default, how well its kept weights did in validation."""
        return Judged("in validation", self.validated(kept(metrics)) if metrics else "not yet")

    def refutation(self, facts: Mapping[str, Any]) -> str:
        """Return why a run that ended is not what was wanted, from the facts of `train`, or ""."""
        return ""

    def certify(self, run: Run, options: Options) -> Certificate:
        """Prove a run right at every length, or find the shortest input on which it is wrong.

        Raises:
            RunError: the problem has no proofs, as by default.
        """
        raise RunError(self.no_words())

    def words_of(self, plan: "Plan | Compiled") -> Task:
        """Return the words of the formal language that a run is about, or raise `RunError`."""
        raise RunError(self.no_words())

    def no_words(self) -> str:
        """Return why commands about words of a language, such as `certify`, refuse a run."""
        return (
            f"this run is about {self.name}, and classifies no words of a formal language. Use "
            f"evaluate or predict."
        )

    def film(self, plan: "Plan") -> Film | None:
        """Return an empty film of training by a plan, or None if its network cannot be filmed."""
        return None

    def conclude(self, run: Run) -> None:  # noqa: B027  most have nothing to write
        """Write what belongs to a run that has ended, unless it is there."""

    def remember(self, model: nn.Module) -> None:  # noqa: B027  most have nothing to note
        """Record what a model was made for."""


def evaluated(
    run: Run, options: Options, watch: Watch = no_watch, *, stored: bool = True
) -> Evaluation:
    """Test a run on its problem, and store the result in its folder, if it has one of its own.

    With `stored=False` nothing is written. `lengths` are numbers, or a text as for `--lengths`.

    Raises:
        ConfigError: an option is not for this problem, or memory does not suffice.
    """
    for option in options:
        if option not in run.problem.evaluation_options:
            raise ConfigError(f"{option} is not for {run.problem.noun}. Leave it out.")
    with enough_memory("Lower words or lengths, or use a larger machine."):
        found = run.problem.evaluate(run, read_options(options), watch)
    if run.folder and not run.folder.is_read_only and stored and found.is_stored:
        run.folder.save_evaluation(found.records, found.values)
    return found
