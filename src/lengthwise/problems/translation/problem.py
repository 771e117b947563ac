"""Translation: what does a sentence say in another language?"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from lengthwise.data.parallel_corpus import ParallelCorpus
from lengthwise.data.text_corpus import TRAIN, VALID
from lengthwise.evaluation.perplexity import perplexity_of
from lengthwise.models.cost import forward_flops
from lengthwise.models.entry import Entry
from lengthwise.models.translation_models import DEFAULT_TRANSLATION_MODEL, TRANSLATION_MODELS
from lengthwise.problems.base import Plan, Problem, Run, evaluated
from lengthwise.problems.corpus import SMOKE, CorpusReference, corpus_folder
from lengthwise.problems.layout import Format1
from lengthwise.problems.results import Evaluation, Options, Predictor, Watch
from lengthwise.problems.testing import Test, TestResult
from lengthwise.problems.translation.measure import evaluate_run, predictor_of
from lengthwise.problems.translation.objective import (
    NextTargetToken,
    SentencesConfig,
    SmoothingConfig,
)
from lengthwise.training.loop import MixedTrainingConfig, Objective
from lengthwise.training.processes import ALONE, Processes

TOKENS_OF_COST = 30
"""Tokens of a sentence, and of its translation, whose cost is told."""

DECODING = ("beam", "length_penalty", "patience", "ratio")

_OF_TEST = (
    "text",
    "test",
    "sentences",
    "cut",
    "bleu",
    "interval_95",
    "chrf",
    "signatures",
    "length_ratio",
    "by_length",
    "samples",
    "decoding",
    "longest_trained",
)

_PROTOCOLS = {
    "train-all-test-all": "pairs of all lengths",
    "train-short-test-long": "pairs up to the median length",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Translation(Problem):
    """A parallel corpus whose sentences a model translates."""

    kind = "translation"
    prefix = "pairs:"
    noun = "translators"
    models = TRANSLATION_MODELS
    default_model = DEFAULT_TRANSLATION_MODEL
    data = SentencesConfig
    objective_settings = SmoothingConfig
    training = MixedTrainingConfig
    format_1 = Format1(part="translation", names={"training.autocast": "translation.autocast"})
    unit = "tokens"
    evaluation_options = frozenset({"words", "text", "part", "against", "buckets", *DECODING})
    prediction_options = frozenset({"text", *DECODING})
    own_options = frozenset({"protocol"})

    corpus: CorpusReference

    @classmethod
    def parse(cls, spec: str, settings: dict[str, Any], options: Options) -> Self:
        """Return the problem of the parallel corpus in a folder: `pairs:FOLDER`.

        Raises:
            TextError: there is no such corpus.
        """
        if options.get("protocol") is not None:
            settings.setdefault("protocol", options["protocol"])
        return cls(corpus=CorpusReference.of(ParallelCorpus.load(corpus_folder(spec, cls.prefix))))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the problem of a stored reference to a corpus."""
        return cls(corpus=CorpusReference(**values["corpus"]))

    def to_dict(self) -> dict[str, Any]:
        """Return the reference to the corpus."""
        return {"corpus": self.corpus.to_dict()}

    def identity(self) -> dict[str, Any]:
        """Return the digest of the corpus, which may be moved."""
        return {"corpus": self.corpus.digest}

    @property
    def name(self) -> str:
        """The folder of the corpus, as a specification."""
        return f"{self.prefix}{self.corpus.shown}"

    def settable(self, entry: Entry) -> dict[str, set[str]]:
        """Return the names of the settings that a user may set, by section."""
        found = Problem.settable(self, entry)
        found["network"] -= {"vocab_size"}
        return found

    def preset(self, name: str, entry: Entry) -> Mapping[str, Any]:
        """Return the numbers of a preset."""
        return SMOKE if name == "smoke" else {}

    def network_shape(self) -> Mapping[str, Any]:
        """Return the number of tokens."""
        return {"vocab_size": self.load().vocab_size}

    def load(self) -> ParallelCorpus:
        """Load the parallel corpus.

        Raises:
            TextError: it is not there, not whole, or another one by now.
        """
        return self.corpus.load(ParallelCorpus)

    def objective(self, plan: Plan, processes: Processes = ALONE) -> Objective:
        """Return what is learned.

        Raises:
            TextError: no pair is short enough to train or validate on.
        """
        corpus = self.load()
        return NextTargetToken(
            corpus.part(TRAIN),
            corpus.part(VALID),
            plan.data,
            label_smoothing=plan.objective.label_smoothing,
            half=plan.training.autocast,
        )

    def require_trainable(self, plan: Plan) -> None:
        """Refuse a corpus in which no pair can be trained on."""
        self.objective(plan)

    def supervision(self, plan: Plan) -> str:
        """Return `translations`."""
        return "translations"

    def trained_on(self, plan: Plan) -> str:
        """Return which lengths pairs have."""
        return _PROTOCOLS[plan.data.protocol]

    def facts(self, plan: Plan) -> dict[str, Any]:
        """Return the folder of the corpus."""
        return {"corpus": self.corpus.folder}

    def figures(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the perplexity in validation."""
        return {"validation_perplexity": perplexity_of(facts["validation_loss"])}

    def outcome(self, plan: Plan, facts: Mapping[str, Any]) -> str:
        """Return the perplexity in validation, and the speed."""
        kept = facts["kept_step"]
        return (
            f"{plan.model} on {self.name} ({plan.trained_on}, {facts['parameters']:,} parameters, "
            f"{plan.preset} preset): perplexity {facts['validation_perplexity']:.2f} on the pairs "
            f"set apart for validation, after {kept:,} step{'' if kept == 1 else 's'} at "
            f"{facts['tokens_per_second']:,.0f} tokens per second"
        )

    def advice(self, plan: Plan, facts: Mapping[str, Any], out: Path) -> str:
        """Return `evaluate` and `translate`."""
        return f"lengthwise evaluate {out}, or lengthwise translate {out}"

    def flops(self, plan: Plan) -> int:
        """Return floating-point operations of a sentence and its translation."""
        return forward_flops(plan.build().eval(), plan.network.vocab_size, TOKENS_OF_COST)

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Return BLEU and chrF, in all and by length; beside another run, if one is given."""
        return evaluate_run(run, options, watch)

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return how a run translates sentences."""
        return predictor_of(run, options)

    def test(self, run: Run, test: Test) -> TestResult:
        """Return BLEU on the part of the corpus that a test is named after, by its lengths."""
        options = {"part": test.name, "buckets": test.lengths, "words": test.words_per_length}
        found = evaluated(run, options).values
        more = {
            "figures": {name: found[name] for name in _OF_TEST},
            "words_per_length": found["sentences"],  # in all; `test` has the most that were asked
            "seconds": found["seconds"],
        }
        return TestResult.plain(test, "translation", more)

    def no_words(self) -> str:
        """Return why a run has no words of a language."""
        return (
            "this run translates, and classifies no words of a formal language. Use evaluate or "
            "translate."
        )
