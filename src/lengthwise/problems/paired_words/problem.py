"""From pairs of words alone to a proof: a function is inferred, and a network computes it.

The certificate says that the network computes the function, at every length; the statement says how
sure we may be that this is the function meant, and only it reads the pairs that were held out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from lengthwise.data.paired_words import load_pairs
from lengthwise.data.words_reference import WordsReference
from lengthwise.inference.pairs.support import FunctionSupport
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.reading import reading_of
from lengthwise.messages import format_count
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Plan, Problem, Run
from lengthwise.problems.capabilities import Concluding, Parametrised
from lengthwise.problems.functions.problem import FunctionProblem
from lengthwise.problems.inferred.judged import judge_held_out, write_conclusion
from lengthwise.problems.inferred.marking import GUESS
from lengthwise.problems.inferred.problem import OF_WORDS
from lengthwise.problems.inferred.settings import InferenceConfig, settings_of_inference
from lengthwise.problems.paired_words.inference import (
    PREFIX,
    FunctionInference,
    count_support_of,
    infer_function,
    read_paired_words,
    spec_of_pairs,
    statement_about,
)
from lengthwise.problems.paired_words.measure import SUPERVISION, evaluate_on_pairs
from lengthwise.problems.results import (
    Answer,
    Curve,
    Evaluation,
    Options,
    Predictor,
    Section,
    Watch,
)
from lengthwise.settings import SettingInfo
from lengthwise.training.run_listing import STATEMENT, read_statement
from lengthwise.training.runs import RunFolder

FUNCTION = "function.json"
"""File of the function in the folder of a run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedWordsProblem(FunctionProblem, Parametrised, Concluding):
    """The function that pairs of words show."""

    kind = "paired-words"
    prefix = PREFIX
    noun = "functions inferred from pairs"
    setup = replace(
        FunctionProblem.setup,
        given=FunctionProblem.setup.given | OF_WORDS,
        train_options=frozenset({"alphabet", "columns"}),
        evaluate_options=frozenset({"lengths", "part", "text"}),
    )

    words: WordsReference
    inference: InferenceConfig

    @classmethod
    def of_inference(cls, inference: FunctionInference) -> Self:
        """Return the problem of learning the function of an inference.

        Raises:
            LanguageError: its automaton has too many states.
        """
        function = inference.function
        return cls(
            language=reading_of(function).language,
            function=function,
            words=inference.words,
            inference=inference.settings,
        )

    @classmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Infer the function that the pairs of a file show.

        Raises:
            TextError: none is named, or it holds no pairs of equal length.
            ConfigError: a setting does not fit.
        """
        config = InferenceConfig.from_dict(dict(settings))
        words = read_paired_words(spec, options.get("alphabet"), config, options.get("columns"))
        return cls.of_inference(infer_function(words, config))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the function of a stored run, which is not inferred again."""
        function = Function.from_dict(values["function"])
        return cls(
            language=reading_of(function).language,
            function=function,
            words=WordsReference.from_dict(values["words"]),
            inference=InferenceConfig.from_dict(values["inference"]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the function, the reference to the pairs, and how it was inferred."""
        return {
            **FunctionProblem.to_dict(self),
            "words": self.words.to_dict(),
            "inference": self.inference.to_dict(),
        }

    def identity(self) -> dict[str, Any]:
        """Return the function, the digest of the pairs, and what was set but the budget."""
        settings = self.inference.non_defaults()
        settings.pop("budget", None)
        own = FunctionProblem.to_dict(self)
        return {**own, "words": self.words.digest, "inference": settings}

    @property
    def name(self) -> str:
        """The pairs, as a specification."""
        return spec_of_pairs(self.words)

    @classmethod
    def own_settings(cls, spec: str) -> Mapping[str, SettingInfo]:
        """Return the settings of inference."""
        return {info.name: info for info in settings_of_inference()}

    def own_values(self) -> Mapping[str, Any]:
        """Return the values of the settings of inference."""
        return self.inference.to_dict()

    def describe_supervision(self, plan: Plan) -> tuple[str, str]:
        """Return the objective, and a few words for what the function was inferred from."""
        return str(plan.objective.name), f"{SUPERVISION}, by a function inferred from them"

    def account(self, records: Records) -> Account:
        """Return the account of a run: first the evidence of the pairs for F, then its network."""
        plain, best, folder = Problem.account(self, records), records.best, records.folder
        values = {
            **plain.values,
            "told": SUPERVISION,
            "digest": self.words.digest,
            "function": self.function.size,
            "label_noise": self.inference.label_noise,
        }
        rows = [records.make_validation_row("of F's answers")]
        extended = replace(plain, rows=rows, values=values, section=partial(self._section, records))
        statement = read_statement(folder.path) if folder and best else None
        return extended if statement is None else judge_held_out(extended, records, statement)

    def _section(self, records: Records, account: Account) -> Section:
        from lengthwise.problems.paired_words.section import section_on_pairs  # noqa: PLC0415  draws

        return section_on_pairs(records, account)

    def conclude(self, run: Run) -> None:
        """Write the certificate, the function and the statement, unless they are there."""
        folder = run.folder
        assert folder is not None
        if (folder.path / STATEMENT).exists():
            return
        pairs, config = load_pairs(self.words), self.inference
        support = count_support_of(self.function, pairs, config, self.name)
        statement = statement_about(self.function, pairs, config, self.name)
        record = {**statement.to_dict(), "support": support.to_dict()}
        function = {FUNCTION: self.function.to_dict()}
        write_conclusion(folder, self.certify(run, {}), function, record, self.words.digest)

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which marks outputs that rest on parts of F that no pair shows.

        Raises:
            TextError: the run has no folder, and its pairs cannot be read.
        """
        statement = None if run.folder is None else read_statement(run.folder.path)
        if statement is None:
            pairs = load_pairs(self.words)
            support = count_support_of(self.function, pairs, self.inference, self.name)
        else:
            support = FunctionSupport.from_dict(statement["support"])
        plain = FunctionProblem.predictor(self, run, options)

        def answer(inputs: Any) -> list[Answer]:
            least = [support.least(self.function, word) for word in inputs]
            return [
                replace(each, record={**each.record, "support": n}, mark="" if n else GUESS)
                for each, n in zip(plain.answer(inputs), least, strict=True)
            ]

        return replace(plain, answer=answer, notes=_notes)

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run on the pairs that were held out, and shortcuts on the same pairs."""
        pairs = load_pairs(self.words, options.get("text"))
        evaluation = evaluate_on_pairs(
            run, self.reading, pairs, options, watch, shares=self.inference
        )
        name, lead = run.account.rows[0]
        return replace(evaluation, facts=[(name, lead), *evaluation.facts])

    def curve(self, folder: RunFolder, plan: Plan) -> Curve | None:
        """Return None: accuracy by length is in the section."""
        return None


def _notes(answers: Any) -> list[str]:
    """Return a line on the outputs that are guesses."""
    guesses = sum(bool(answer.mark) for answer in answers)
    if not guesses:
        return []
    are = "is a guess" if guesses == 1 else "are guesses"
    return [f"{format_count(guesses, 'output')} {are}: no pair shows a part of F that it rests on"]
