"""Step by step computation: the problem of writing outputs after inputs, with or without steps."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Self

import torch

from lengthwise.errors import TaskError
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import percent, percent_interval
from lengthwise.evaluation.steps import exact_matches, generate_steps
from lengthwise.messages import format_count
from lengthwise.models.entry import Entry
from lengthwise.models.step_models import DEFAULT_STEP_MODEL, STEP_MODELS
from lengthwise.models.threads import processor_threads
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Plan, Problem, Run, evaluate_and_store
from lengthwise.problems.capabilities import Parametrised, Plotted, ProvingSteps, Tested
from lengthwise.problems.results import (
    Answer,
    Curve,
    Evaluation,
    Facts,
    Options,
    Predictor,
    Watch,
)
from lengthwise.problems.setup import Setup
from lengthwise.problems.step_by_step.objective import (
    ExamplesConfig,
    NextStep,
    StepSupervisionConfig,
    split,
    split_sizes,
)
from lengthwise.problems.step_by_step.proof import certify_rule
from lengthwise.problems.step_by_step.sizes import WORDS, score_sizes, show_sizes, to_records
from lengthwise.problems.sweep_tests import AtLength, Test, TestResult
from lengthwise.proofs.check.rule_certificate import RuleCertificate
from lengthwise.settings import Config, Parts, SettingInfo, require
from lengthwise.tasks.step_specs import PREFIX, make_step_task, settings_of
from lengthwise.tasks.step_tasks import Regime, StepTask, step_task_of
from lengthwise.training.devices import environment
from lengthwise.training.loop import Objective
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import MixedTrainingConfig

_SMOKE = {"steps": 20, "validate_every": 10, "examples": 64, "validation_words": 32}
"""Numbers of the preset `smoke`; `laptop` and `paper` take those of the model."""

_OF_TASK: Mapping[str, Any] = {
    "bits": {"kind": "an integer", "unit": "bits", "meaning": "Bits of each number."},
    "length": {"kind": "an integer", "unit": "symbols", "meaning": "Symbols of each word."},
    "order": {
        "kind": "a name, a number, or a list of gates",
        "meaning": "The order in which gates are written: 1 and 2 (the paper's representations of "
        "addition), `carries`, `gates` (that of the circuit), or a list.",
    },
}


@dataclass(frozen=True, kw_only=True, slots=True)
class StepByStep(Problem, Parametrised, Tested, Plotted, ProvingSteps):
    """A task whose outputs a model writes, after intermediate steps or at once."""

    kind = "step-by-step"
    prefix = PREFIX
    noun = "step tasks"
    setup = Setup(
        models=STEP_MODELS,
        default_model=DEFAULT_STEP_MODEL,
        data=ExamplesConfig,
        objective=StepSupervisionConfig,
        training=MixedTrainingConfig,
        given=frozenset({"network.vocab_size", "network.max_length", "network.cells"}),
        presets={"smoke": _SMOKE},
        evaluate_options=frozenset({"words", "lengths", "seed"}),
        predict_options=frozenset({"keep_going"}),
    )

    steps: StepTask

    @classmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Return the step task of a specification; `settings` are its size and order.

        Raises:
            ConfigError: a setting of the task is of another kind.
            CircuitError, LanguageError: the task cannot be made.
        """
        return cls(steps=make_step_task(spec, settings))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return a stored step task."""
        return cls(steps=step_task_of(values["steps"]))

    def to_dict(self) -> dict[str, Any]:
        """Return the step task as plain values."""
        return {"steps": self.steps.to_dict()}

    @property
    def name(self) -> str:
        """The name of the task."""
        return self.steps.name

    @classmethod
    def own_settings(cls, spec: str) -> Mapping[str, SettingInfo]:
        """Return the size and the order of a task, if it has them."""
        return {
            name: SettingInfo(name=f"task.{name}", default=default, **_OF_TASK[name])
            for name, default in settings_of(spec).items()
        }

    def configure(
        self, model: str, entry: Entry, chosen: Parts, asked: Parts
    ) -> tuple[Config, Config, Config]:
        """Return the settings of the network, the examples and the supervision.

        Raises:
            ConfigError: a value does not fit.
            TaskError: the task has fewer inputs than the settings need.
        """
        examples = ExamplesConfig.from_dict(chosen["data"])
        labels = StepSupervisionConfig.from_dict(chosen["objective"])
        split_sizes(self.steps, examples)
        shape = self.shape(entry, labels.supervision)
        return entry.configure({**chosen["network"], **shape}), examples, labels

    def shape(self, entry: Entry, supervision: Regime) -> dict[str, Any]:
        """Return those settings of a network that follow from the sequences."""
        cells = self.steps.cells(self.steps.layout(supervision))
        known = {
            "vocab_size": self.steps.num_symbols,
            "max_length": len(cells) - 1,
            "cells": " ".join(cells),
        }
        names = {field.name for field in fields(entry.config)}
        return {name: value for name, value in known.items() if name in names}

    def objective(self, plan: Plan) -> Objective:
        """Return the objective."""
        return NextStep(
            self.steps, plan.data, plan.objective.supervision, half=plan.training.autocast
        )

    def describe_supervision(self, plan: Plan) -> tuple[str, str]:
        """Return the regime (weak, medium or strong), and the number of examples."""
        return str(plan.objective.supervision), f"{plan.data.examples:,} examples"

    def account(self, records: Records) -> Account:
        """Return the account of a run: the share of unseen inputs with an exact answer."""
        plain, body = Problem.account(self, records), records.plan.network.backbone_summary
        return replace(
            plain,
            conditions=f"backbone {body}, {plain.conditions}" if body else plain.conditions,
            rows=[records.make_validation_row("exact on unseen inputs")],
            values={**plain.values, "body": body},
            tested=_facts,
        )

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run on inputs that it was neither trained nor validated on.

        The option `words` is their number; by default, all that are reserved for the test. With
        `lengths` they are fresh inputs of these sizes, drawn by `seed`, 1,000 by default.

        Raises:
            ConfigError: a size is not possible, or `seed` comes without `lengths`.
            TaskError: `words` is greater than the number of reserved inputs, or the task or the
                network has one size.
        """
        if "lengths" in options:
            return self._evaluate_sizes(run, options, watch)
        require("seed" not in options, "the inputs of the test are fixed. Leave --seed out.")
        plan, words = run.require_plan(), options.get("words")
        supervision = plan.objective.supervision
        inputs, layout = split(self.steps, plan.data).test, self.steps.layout(supervision)
        if words is not None and words > len(inputs):
            are_more = len(inputs) == plan.data.test_words
            remedy = "Use fewer, or train with a greater test_words" if are_more else "Use fewer"
            raise TaskError(
                f"{len(inputs):,} inputs are set apart for the test of this run, but {words:,} are "
                f"asked for. {remedy}."
            )
        start = time.perf_counter()
        with processor_threads(plan.threads), watch("evaluating") as progress:
            scores = exact_matches(run.model, self.steps, layout, inputs[:words], progress=progress)
        summary = {
            "task": self.name,
            "model": plan.model,
            "body": plan.network.backbone_summary,
            "supervision": supervision,
            **scores.summary(),
            "right_at": scores.right_at,
            "seconds": round(time.perf_counter() - start, 3),
            "environment": environment(str(device_of(run.model))),
            "date": datetime.now(UTC).date().isoformat(),
        }
        return Evaluation(values=summary, facts=_facts(summary))

    def _evaluate_sizes(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run on fresh inputs of other sizes; the run's evaluation stays as it is."""
        plan, seed = run.require_plan(), options.get("seed", 0)
        with processor_threads(plan.threads), watch("evaluating", "sizes") as progress:
            words = options.get("words") or WORDS
            scores = score_sizes(run, options["lengths"], words, seed, progress)
        records = to_records(scores)
        wrong = [record for record in records if record["first_wrong"]]
        values = {
            "task": self.name,
            "model": plan.model,
            "seed": seed,
            "sizes": records,
            "environment": environment(str(device_of(run.model))),
            "date": datetime.now(UTC).date().isoformat(),
        }
        facts = [
            ("trained on", self.name),
            ("first wrong", wrong[0]["first_wrong"] if wrong else "none"),
        ]
        return Evaluation(
            values=values, records=records, facts=facts, table=show_sizes(scores), is_stored=False
        )

    def certify_steps(self, run: Run) -> RuleCertificate:
        """Prove that a run adds numbers of every length, or find the shortest that it does not.

        Raises:
            VerificationError: it is another task, or another network.
        """
        return certify_rule(run, self.steps)

    def curve(self, folder: RunFolder, plan: Plan) -> Curve | None:
        """Return accuracy by the number of the output, or None if there is no evaluation.

        The outputs are what runs of every supervision and order write. Overall is exact match, of
        all outputs at once.
        """
        evaluation = folder.evaluation()
        if evaluation is None:
            return None
        outputs = [self.steps.names[index] for index in self.steps.outputs]
        return Curve(
            points={
                n: 100 * evaluation["right_at"][name] for n, name in enumerate(outputs, start=1)
            },
            measure="accuracy (%)",
            sample=format_count(evaluation["words"], "input"),
            overall=100 * evaluation["exact_match"],
            horizontal="output",
        )

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which writes steps and outputs after inputs."""
        steps = self.steps
        layout = steps.layout(run.require_plan().objective.supervision)
        names = [steps.names[index] for index in layout.kept]

        def answer(inputs: Sequence[Sequence[int]]) -> list[Answer]:
            words = torch.tensor(inputs, dtype=torch.long).reshape(-1, steps.num_inputs)
            symbols = generate_steps(run.model, layout, words).tolist() if inputs else []
            outputs = [steps.show([word[index] for index in layout.outputs]) for word in symbols]
            return [
                Answer(
                    shown=outputs_text,
                    record={
                        "word": steps.spell(word_in),
                        "outputs": outputs_text,
                        "steps": dict(zip(names, word, strict=True)),
                    },
                )
                for word_in, outputs_text, word in zip(inputs, outputs, symbols, strict=True)
            ]

        return Predictor(read=steps.read, answer=answer)

    def test(self, run: Run, test: Test) -> TestResult:
        """Return exact match, as the accuracy at the one length that the inputs have."""
        values, length = evaluate_and_store(run, {}).values, self.steps.num_inputs
        at_length = AtLength(
            length, values["words"], round(values["exact_match"] * values["words"])
        )
        summary = {
            **values,
            "mean_accuracy": values["exact_match"],
            "worst_length": length,
            "worst_accuracy": values["exact_match"],
            "protocol": "unseen",
            "words_per_length": values["words"],
            "missing_lengths": [],
            "shortcuts": {},
        }
        return TestResult(name=test.name, by_length=(at_length,), summary=summary)


def _facts(values: Mapping[str, Any]) -> Facts:
    """Return what an evaluation found: exact match with its interval, and the worst step."""
    low, high = values["interval_95"]
    body = f" ({values['body']})" if values["body"] else ""
    return [
        ("task", values["task"]),
        ("model", f"{values['model']}{body}"),
        ("supervision", values["supervision"]),
        ("exact match", f"{percent(values['exact_match'])} % of {values['words']:,} inputs"),
        ("95 % interval", f"{percent_interval(low, high)} %"),
        ("worst step", f"{values['worst_step']} ({percent(values['worst_step_accuracy'])} %)"),
        ("first wrong", values["first_wrong"] or "none"),
    ]


def select_test_inputs(plan: Plan) -> tuple[Test, ...]:
    """Return the test of a run on a step task: all inputs that are reserved for it."""
    assert isinstance(plan.problem, StepByStep)
    return (Test(name="unseen", lengths=(plan.problem.steps.num_inputs,)),)
