"""The contract of a problem: a task that a model is trained on, tested on and queried about.

Recognition of a language, step by step computation, language modelling and translation are problems
of this package; other packages add theirs (`lengthwise.problems.registry`). A `Problem` says what
users choose from (`setup`), makes and stores its subject, gives data and loss, tests and queries a
model, and gives the account of a run (`problems.account`). What only some can do is a capability
(`problems.capabilities`).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from torch import nn

from lengthwise.display import Viewed
from lengthwise.errors import ConfigError, RunError
from lengthwise.languages.language import Language
from lengthwise.memory import enough_memory
from lengthwise.models.entry import Entry
from lengthwise.problems.account import Account, Records, size_of
from lengthwise.problems.capabilities import Proving, Tested, formal
from lengthwise.problems.plan import Plan, Route
from lengthwise.problems.results import (
    Evaluation,
    Options,
    Predictor,
    Watch,
    no_watch,
    read_options,
)
from lengthwise.problems.setup import Setup
from lengthwise.registry import import_attribute
from lengthwise.settings import Config, Parts
from lengthwise.tasks.task import Task
from lengthwise.training.construction_files import Compiled
from lengthwise.training.loop import Objective
from lengthwise.training.model_languages import remember
from lengthwise.training.runs import RunFolder

if TYPE_CHECKING:
    from lengthwise.problems.sweep_tests import Test, TestResult

__all__ = ["Plan", "Problem", "Run", "evaluate_and_store"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Run(Viewed):
    """A trained or computed model, with its problem, its plan and the folder that stores it.

    Examples:
        >>> import lengthwise as lw
        >>> run = lw.load("zoo:parity")
        >>> run.language.spec, run.plan.model
        ('parity', 'regular-gpt-binary')
        >>> run.model.training
        False
    """

    problem: "Problem"
    plan: Plan | Compiled
    model: nn.Module
    metrics: list[dict[str, Any]] = field(default_factory=list)
    """One record for each validation."""
    folder: RunFolder | None = None
    stages: tuple[Mapping[str, Any], ...] = ()
    """One record for each stage that ended without a proof (`problems.stages`)."""

    def __repr__(self) -> str:
        account, place = self.account, f", in {self.folder.path}" if self.folder else ""
        return f"Run({account.title}: {account.rows[0][1]}{place})"

    @property
    def account(self) -> Account:
        """All that is said of it.

        Raises:
            RunError: a record in its folder is damaged.
        """
        if isinstance(self.plan, Compiled):
            return Account(
                title=f"{self.problem.name}, {self.plan.model}",
                conditions=size_of(self.model),
                rows=[("weights", "computed, not trained")],
            )
        return self.problem.account(self.records)

    @property
    def records(self) -> Records:
        """What training left of it.

        Raises:
            RunError: its weights were computed, not trained.
        """
        return Records(
            plan=self.require_plan(),
            metrics=self.metrics,
            ended=self.stages,
            folder=self.folder,
            model=self.model,
        )

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
        return formal(self.problem).words_of(self.plan)

    def require_plan(self) -> Plan:
        """Return the plan of a trained run.

        Raises:
            RunError: its weights were computed, not trained.
        """
        if isinstance(self.plan, Compiled):
            raise RunError("the weights of this run were computed, not trained.")
        return self.plan


class Problem(ABC):
    """A task to learn. An instance is about one subject, such as a language or a corpus."""

    kind: ClassVar[str]
    """Its name in the registry, and in `config.json`."""
    prefix: ClassVar[str]
    """Prefix of its specifications, such as `text:`; it ends in a colon."""
    noun: ClassVar[str]
    """Noun for its runs, in the plural: `language models`."""
    setup: ClassVar[Setup]
    """The models, settings and options that users choose from."""

    @classmethod
    @abstractmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Return the problem that a specification names.

        `settings` are those of the problem itself (`Parametrised`).

        Raises:
            LengthwiseError: the specification is wrong.
        """

    @classmethod
    @abstractmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the problem that `to_dict` stored."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return its subject, such as a language or a corpus, as plain values."""

    def identity(self) -> dict[str, Any]:
        """Return `to_dict` without the values that may change while a run stays the same."""
        return self.to_dict()

    @property
    @abstractmethod
    def name(self) -> str:
        """Short name of its subject: `parity`, `addition of 4-bit numbers`."""

    @abstractmethod
    def configure(
        self, model: str, entry: Entry, chosen: Parts, asked: Parts
    ) -> tuple[Config, Config, Config]:
        """Return the settings of the network, the data and the objective.

        `chosen` are all values, `asked` those that the user gave.

        Raises:
            ConfigError: a value does not fit.
        """

    @abstractmethod
    def objective(self, plan: Plan) -> Objective:
        """Return the loss, with the examples that it is about."""

    @abstractmethod
    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run; nothing is stored."""

    @abstractmethod
    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which answers inputs with a run."""

    def routes(self, preset: str, asked: Parts) -> Sequence[Route]:
        """Return the stages of training without a model's name, each for where the one before it
        ends without a proof; the first has the settings that are `asked` for.

        Raises:
            ConfigError: training needs a model's name.
        """
        return (Route(self.setup.default_model),)

    def describe_supervision(self, plan: Plan) -> tuple[str, str]:
        """Return what training sees: a word or two for the labels, such as `final`, and a few for
        the examples that are drawn."""
        return "supervised", "its data"

    def account(self, records: Records) -> Account:
        """Return the account of a run, in the terms of the problem."""
        plan = records.plan
        return Account(
            title=f"{self.name}, {plan.model}",
            conditions=records.conditions(f"{plan.supervision} supervision", plan.trained_on),
            rows=[records.make_validation_row()],
            values={"task": self.name, **records.values},
            advice=lambda: f"lengthwise evaluate {records.name_folder()}",
        )


def remember_subject(model: nn.Module, problem: Problem) -> None:
    """Record the symbols and classes that a model was made for, if it classifies words."""
    if isinstance(problem, Proving):
        remember(model, problem.symbols)


def run_test(run: Run, test: "Test") -> "TestResult":
    """Run one test of a sweep; by default, `evaluate` with its lengths, words and seed."""
    if test.measure is not None:
        options = dict(test.measure)
        name, form = options.pop("function"), "package.module:function"
        measure: Any = import_attribute(name, kind="measure", form=form)
        return measure(run, test, **options)
    if isinstance(run.problem, Tested):
        return run.problem.test(run, test)
    from lengthwise.problems.sweep_tests import TestResult  # noqa: PLC0415  sweeps alone

    all_options = {"lengths": list(test.lengths), "words": test.words_per_length, "seed": test.seed}
    names = run.problem.setup.evaluate_options
    evaluation = evaluate_and_store(
        run, {name: value for name, value in all_options.items() if name in names}
    )
    return TestResult.plain(test, run.problem.kind, {"figures": evaluation.values})


def evaluate_and_store(
    run: Run, options: Options, watch: Watch = no_watch, *, stored: bool = True
) -> Evaluation:
    """Test a run on its problem, and store the result in its folder, if it has one of its own.

    With `stored=False` nothing is written. `lengths` are numbers, or a string as for `--lengths`.

    Raises:
        ConfigError: an option is not for this problem, or memory runs out.
    """
    for option in options:
        if option not in run.problem.setup.evaluate_options:
            raise ConfigError(f"{option} is not for {run.problem.noun}. Leave it out.")
    with enough_memory("Lower words or lengths, or use a larger machine."):
        evaluation = run.problem.evaluate(run, read_options(options), watch)
    if run.folder and not run.folder.is_read_only and stored and evaluation.is_stored:
        run.folder.save_evaluation(evaluation.records, evaluation.values)
    return evaluation
