"""The problem of writing an output after a string, such as `chomsky:reverse-string`.

Networks are those that classify every prefix: they read the string and placeholders, and the
classes at the placeholders are the output. Nothing is proved, since no automaton has the outputs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import thread_time
from typing import Any, Self

import torch

from lengthwise.errors import TaskError
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import percent
from lengthwise.models.entry import Entry, ModelEntry
from lengthwise.models.recognisers import MODELS
from lengthwise.models.threads import processor_threads
from lengthwise.objectives.catalogue import OBJECTIVES
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Plan, Problem, Run, evaluate_and_store
from lengthwise.problems.capabilities import Plotted, Tested
from lengthwise.problems.results import Answer, Curve, Evaluation, Options, Predictor, Watch
from lengthwise.problems.setup import Setup
from lengthwise.problems.sweep_tests import AtLength, Test, TestResult
from lengthwise.problems.transduction.objective import (
    OutputLoss,
    OutputTally,
    StringsConfig,
    mean_share,
    read_outputs,
    score_outputs,
)
from lengthwise.problems.transduction.strings import Strings, encode_strings
from lengthwise.settings import Config, NoSettings, Parts, require
from lengthwise.tasks.chomsky_tasks import TRANSDUCTIONS
from lengthwise.tasks.transduction import Transduction
from lengthwise.training.devices import environment
from lengthwise.training.loop import Objective
from lengthwise.training.runs import RunFolder

PREFIX = "chomsky:"

_FARTHEST = 500
"""Greatest length of a test by default; or twice that of training, if this is more."""

_WORDS = 64
"""Strings of each length, unless another number is asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TransductionProblem(Problem, Tested, Plotted):
    """A task of the Chomsky-hierarchy suite whose output follows the string."""

    kind = "transduction"
    prefix = PREFIX
    noun = "string tasks"
    setup = Setup(
        models=MODELS,
        default_model="gru",
        data=StringsConfig,
        given=frozenset({"network.vocab_size", "network.num_classes"}),
        derived=frozenset({"network.max_length"}),
        presets={"smoke": {"steps": 20, "validate_every": 10, "max_length": 10, "batch_size": 16}},
        evaluate_options=frozenset({"lengths", "words", "seed"}),
        predict_options=frozenset({"keep_going"}),
    )

    task: str

    @property
    def transduction(self) -> Transduction:
        """The strings, and their outputs."""
        return TRANSDUCTIONS[self.task]

    @classmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Return the task of a specification.

        Raises:
            ConfigError: it is unknown.
        """
        problem = cls(task=spec.removeprefix(cls.prefix))
        _ = problem.transduction  # raises for a misspelt name
        return problem

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return a stored task."""
        return cls.parse(values["task"], {}, {})

    def to_dict(self) -> dict[str, Any]:
        """Return the name of the task."""
        return {"task": self.task}

    @property
    def name(self) -> str:
        """The specification."""
        return f"{self.prefix}{self.task}"

    def configure(
        self, model: str, entry: Entry, chosen: Parts, asked: Parts
    ) -> tuple[Config, Config, Config]:
        """Return the settings of the network, whose classes are output symbols, and the strings.

        Raises:
            ConfigError: a value does not fit, or the network answers at the end of a word only.
        """
        assert isinstance(entry, ModelEntry)
        require(
            OBJECTIVES["prefix"].fits(entry),
            f"{model} answers at the end of a string only, but {self.name} asks for the output "
            f"symbol by symbol. Use gru, lstm or decoder.",
        )
        strings, task = StringsConfig.from_dict(chosen["data"]), self.transduction
        OutputLoss(task, strings)  # refuses strings that are too short
        shape = {"vocab_size": len(task.symbols) + 1, "num_classes": len(task.outputs)}
        network = entry.configure({**chosen["network"], **shape})
        longest = strings.max_length + task.output_length(strings.max_length)
        asked_length = asked["network"].get("max_length")
        return network.with_room(longest, asked_length), strings, NoSettings()

    def objective(self, plan: Plan) -> Objective:
        """Return the loss of the output symbols."""
        return OutputLoss(self.transduction, plan.data)

    def describe_supervision(self, plan: Plan) -> tuple[str, str]:
        """Return `outputs`, and the strings of training."""
        return "outputs", f"strings of at most {plan.data.max_length} symbols"

    def account(self, records: Records) -> Account:
        """Return the account of a run: the share of output symbols that are right."""
        row = records.make_validation_row("output symbols right")
        return replace(Problem.account(self, records), rows=[row])

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run on fresh strings, by the share of output symbols that are right.

        Raises:
            TaskError: a length is too short, or `words` is 0.
        """
        plan, seed = run.require_plan(), options.get("seed", 0)
        lengths = options.get("lengths", self.test_lengths(plan))
        words = options.get("words", _WORDS)
        generator = torch.Generator().manual_seed(seed)
        with processor_threads(plan.threads), watch("evaluating", "lengths") as done:
            tallies = score_outputs(
                run.model, self.transduction, sorted(set(lengths)), words, generator, progress=done
            )
        summary = {
            "task": self.name,
            "model": plan.model,
            "accuracy": mean_share(tallies),
            "shortcuts": _shortcuts(tallies),
            "words_per_length": words,
            "seed": seed,
            "environment": environment(str(device_of(run.model))),
            "date": datetime.now(UTC).date().isoformat(),
        }
        shares = {tally.length: tally.right / tally.total for tally in tallies}
        (guess,) = summary["shortcuts"].values()
        return Evaluation(
            values=summary,
            records=[tally._asdict() for tally in tallies],
            facts=[
                ("task", f"{self.name}: {self.transduction.summary}"),
                ("output symbols", f"{percent(summary['accuracy'])} % right, mean over lengths"),
                ("the most frequent one", f"{percent(guess)} % of the symbols"),
                ("proof", f"none: the task is {self.transduction.level}, not regular"),
            ],
            table=(
                ["length", "symbols %"],
                [[str(length), percent(share)] for length, share in shares.items()],
            ),
            printed={**summary, "accuracy_by_length": shares},
        )

    def test_lengths(self, plan: Plan) -> list[int]:
        """Return lengths beyond those of training, or the greatest of these, if the network reads
        no other."""
        most = plan.data.max_length
        beyond = range(most + 1, max(_FARTHEST, 2 * most) + 1)
        return [length for length in beyond if self._reads(plan, length)] or [most]

    def _reads(self, plan: Plan, length: int) -> bool:
        """Return whether the task has strings of a length, and the network reads them."""
        task, most = self.transduction, plan.network.reads_at_most
        is_read = most is None or length + task.output_length(length) <= most
        return length >= task.shortest and is_read

    def test(self, run: Run, test: Test) -> TestResult:
        """Return the number of right output symbols by length, of lengths that the network reads.

        Raises:
            TaskError: there is none.
        """
        began = thread_time()
        lengths = [n for n in test.lengths if self._reads(run.require_plan(), n)]
        if not lengths:
            raise TaskError(
                f"{run.require_plan().model} reads none of the lengths of test {test.name!r}. Ask "
                f"for shorter ones, or train it with --set position=sinusoidal."
            )
        asked = {"lengths": lengths, "words": test.words_per_length, "seed": test.seed}
        evaluation = evaluate_and_store(run, asked)
        rows = [AtLength(row["length"], row["total"], row["right"]) for row in evaluation.records]
        wrong = [row.length for row in rows if row.correct < row.words]
        return TestResult(
            name=test.name,
            by_length=tuple(rows),
            summary={
                **evaluation.values,
                "protocol": self.kind,
                "missing_lengths": [n for n in test.lengths if n not in lengths],
                "wrong_length": min(wrong, default=None),
                "seconds": round(thread_time() - began, 1),
            },
        )

    def curve(self, folder: RunFolder, plan: Plan) -> Curve | None:
        """Return the share of right output symbols by length, or None without an evaluation."""
        evaluation = folder.evaluation()
        if evaluation is None:
            return None
        words, seed = evaluation["words_per_length"], evaluation["seed"]
        return Curve(
            points={row["length"]: 100 * row["right"] / row["total"] for row in folder.scores()},
            measure="output symbols right (%)",
            sample=f"{words:,} of each length, seed {seed}",
            trained_to=plan.data.max_length,
            shortcuts={name: 100 * share for name, share in evaluation["shortcuts"].items()},
        )

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which writes outputs."""
        task = self.transduction

        def read(line: str) -> str:
            encode_strings(task, [line])  # raises for other symbols
            return line

        def answer(words: Sequence[str]) -> list[Answer]:
            found = []
            for word in words:
                size = task.output_length(len(word))
                nothing = torch.zeros(1, size, dtype=torch.long)
                drawn = Strings(encode_strings(task, [word]), nothing, nothing.bool())
                with torch.no_grad():
                    codes = read_outputs(run.model, drawn)[0].argmax(dim=1).tolist()
                output = "".join(task.outputs[code] for code in codes)
                found.append(Answer(shown=output, record={"word": word, "output": output}))
            return found

        return Predictor(read=read, answer=answer)


def _shortcuts(tallies: Sequence[OutputTally]) -> dict[str, float]:
    """Return the score of writing the most frequent symbol everywhere."""
    shares = [tally.most_frequent / tally.total for tally in tallies]
    return {"most frequent symbol": sum(shares) / len(shares)}
