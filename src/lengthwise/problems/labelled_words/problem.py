"""Labelled words: the problem of classifying the words of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from lengthwise.data.columns import Columns
from lengthwise.data.parts import TEST
from lengthwise.data.words_reference import WordsReference
from lengthwise.errors import ConfigError, RunError, TextError
from lengthwise.languages.characters import split_alphabet
from lengthwise.languages.language import Language
from lengthwise.messages import shorter_words
from lengthwise.models.entry import Entry, ModelEntry
from lengthwise.models.recognisers import MODELS
from lengthwise.objectives.catalogue import OBJECTIVES, objectives_of
from lengthwise.objectives.own_automaton import curriculum
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Plan, Problem, Run, evaluate_and_store
from lengthwise.problems.capabilities import Proving, Tested
from lengthwise.problems.classification import class_predictor, require_same_symbols
from lengthwise.problems.labelled_words.measure import (
    WordsEvaluation,
    evaluate_on_file,
)
from lengthwise.problems.labelled_words.objective import LabelsOfFile, WordsOfFile, part_of
from lengthwise.problems.labelled_words.settings import LabelsConfig, WordsOfFileConfig
from lengthwise.problems.plan import Route
from lengthwise.problems.presets import PRESETS
from lengthwise.problems.results import Evaluation, Options, Predictor, Section, Watch
from lengthwise.problems.setup import Setup
from lengthwise.problems.sweep_tests import Test, TestResult
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from lengthwise.settings import Config, Parts
from lengthwise.training.loop import Objective

_FROM_WORDS = {"vocab_size", "num_classes", "transition_size", "state_classes"}
"""Settings of a network that follow from the words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledWordsProblem(Problem, Proving, Tested):
    """The words of a file, whose labels a model learns."""

    kind = "labelled-words"
    prefix = "words:"
    noun = "files of words"
    setup = Setup(
        models=MODELS,
        default_model="gru",
        data=WordsOfFileConfig,
        objective=LabelsConfig,
        given=frozenset(f"network.{name}" for name in _FROM_WORDS),
        derived=frozenset({"network.max_length"}),
        presets=PRESETS,
        train_options=frozenset({"alphabet", "columns"}),
        evaluate_options=frozenset({"lengths", "part", "text"}),
        predict_options=frozenset({"keep_going"}),
    )

    words: WordsReference

    @classmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Return the problem of the file that a specification names.

        Raises:
            TextError: it names none, or the file holds no labelled words.
            LanguageError: the stated alphabet is none.
        """
        file = spec.removeprefix(cls.prefix)
        if not file:
            raise TextError(f"{spec} names no file. Give {cls.prefix}FILE, a .tsv or .jsonl.")
        given_alphabet = options.get("alphabet")
        return cls(
            words=WordsReference.of(
                Path(file),
                given_alphabet and split_alphabet(given_alphabet),
                columns=Columns.parse(options.get("columns")),
            )
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the problem of a stored reference to a file."""
        return cls(words=WordsReference.from_dict(values["words"]))

    def to_dict(self) -> dict[str, Any]:
        """Return the reference to the file."""
        return {"words": self.words.to_dict()}

    def identity(self) -> dict[str, Any]:
        """Return the digest of the words, without the file, since it may be moved."""
        return {"words": self.words.digest}

    @property
    def name(self) -> str:
        """The file, as a specification."""
        return f"{self.prefix}{self.words.shown}"

    @property
    def symbols(self) -> Language:
        """A machine of one state over the symbols and classes, which reads and writes words."""
        alphabet, names = self.words.alphabet, self.words.class_names
        return Language(
            alphabet=alphabet,
            transitions=((0,) * len(alphabet),),
            classes=(0,),
            class_names=names,
            spec=self.name,
        )

    def routes(self, preset: str, asked: Parts) -> Sequence[Route]:
        """Refuse training without a model's name: `without_model` infers an automaton instead.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(
            f"{self.name} has labels, and no model is named that learns them. Name one, such as "
            f"gru, or an automaton that `lengthwise infer` or lw.infer finds in the words."
        )

    def configure(
        self, model: str, entry: Entry, chosen: Parts, asked: Parts
    ) -> tuple[Config, Config, Config]:
        """Return the settings of the network, the words and the labels.

        Raises:
            ConfigError: a value does not fit, or the model does not learn from labels alone.
            TextError: the file was changed, or a part of it has no words.
        """
        assert isinstance(entry, ModelEntry)
        data = WordsOfFileConfig.from_dict(chosen["data"])
        labels = LabelsConfig.from_dict(chosen["objective"])
        final = OBJECTIVES[labels.name]
        if not final.fits(entry):
            able = [name for name, model_entry in MODELS.items() if final.fits(model_entry)]
            raise ConfigError(
                f"model {model} learns from {' or '.join(objectives_of(entry))}, which need the "
                f"language, but a file has only the labels of whole words. Use {', '.join(able)}."
            )
        words = self.words.load()
        part_of(words, TEST, data, self.name)  # raises if there is nothing to test with
        shape = {"vocab_size": len(words.alphabet), "num_classes": len(words.class_names)}
        network = entry.configure({**chosen["network"], **shape})
        longest = LabelsOfFile(words, data, self.name).longest
        return network.with_room(longest, asked["network"].get("max_length")), data, labels

    def objective(self, plan: Plan) -> Objective:
        """Return the objective.

        Raises:
            TextError: the file was changed, or is gone.
        """
        words, first = self.words.load(), plan.data.curriculum
        if not first:
            return LabelsOfFile(words, plan.data, self.name)
        source, precision = WordsOfFile(words, plan.data, self.name), plan.training.precision
        return curriculum(source, first, plan.network, precision=precision)

    def lengths(self, plan: Plan) -> tuple[int, int]:
        """Return the least and the greatest length of words of training and validation."""
        words = LabelsOfFile(self.words.load(), plan.data, self.name)
        return words.shortest, words.longest

    def describe_supervision(self, plan: Plan) -> tuple[str, str]:
        """Return `final`, and a few words for the words of training."""
        most = plan.data.max_length
        words = "" if most is None else f" of at most {most} symbols"
        return str(plan.objective.name), f"labels of whole words{words}"

    def account(self, records: Records) -> Account:
        """Return the account of a run: the accuracy of its validation, and the validation words.

        Words of training decide whether words grow, and those that are set apart judge the longest.
        """
        shorter, plain = shorter_words(records.best), Problem.account(self, records)
        words = f"words of training{shorter}" if shorter else "words set apart for validation"
        own_values = {
            "digest": self.words.digest,
            "alphabet": list(self.words.alphabet),
            "classes": list(self.words.class_names),
        }
        return replace(
            plain,
            rows=[records.make_validation_row(f"on {words}")],
            values={**plain.values, **own_values},
            section=partial(self._section, records),
        )

    def _section(self, records: Records, account: Account) -> Section:
        from lengthwise.problems.labelled_words.section import section_on_file  # noqa: PLC0415  draws

        return section_on_file(records, records.plan.data.max_length, account)

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run on the words that were set apart, and shortcuts on the same words."""
        return evaluate_on_file(run, self.words.load(options.get("text")), options, watch)

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which classifies words; the file is not needed."""
        return class_predictor(run.model, self.symbols, self.symbols.encode)

    def certify(self, run: Run, options: Options) -> Certificate:
        """Prove that a run computes a given language, or find the shortest word where it is wrong.

        `options` are those of recognition; `against`, the language, must be given.

        Raises:
            RunError: no language is given.
            LanguageError: it is over other symbols or classes.
            VerificationError: the model is not a RegularGPT, or the strength does not suit it.
        """
        other_options = {name: value for name, value in options.items() if name != "against"}
        language = options.get("against")
        if language is None:
            raise RunError(
                f"{self.name} gives the labels of some words, but no language to prove against. "
                f"Give one over the same symbols and classes, --against SPEC."
            )
        require_same_symbols(self.symbols, language)
        return certify(run.model, language, **other_options)

    def test_lengths(self, plan: Plan) -> range:
        """Return 1 to 500: words of other lengths are left out."""
        return range(1, 501)

    def test(self, run: Run, test: Test) -> TestResult:
        """Return accuracy by length on the test words of some lengths."""
        evaluation = evaluate_and_store(run, {"lengths": list(test.lengths)}, stored=False)
        assert isinstance(evaluation, WordsEvaluation)
        more = {"words_per_length": test.words_per_length, "protocol": self.kind}
        return TestResult.of_scores(test, evaluation.scores, {**evaluation.values, **more})
