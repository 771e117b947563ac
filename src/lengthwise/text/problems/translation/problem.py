"""Translation: the problem of translating sentences into another language."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lengthwise.data.parts import TRAIN, VALID
from lengthwise.errors import TextError
from lengthwise.messages import format_count
from lengthwise.models.entry import Entry
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Plan, Run, evaluate_and_store
from lengthwise.problems.capabilities import Plotted, Tested
from lengthwise.problems.results import (
    Condition,
    Curve,
    Evaluation,
    Options,
    Predictor,
    Watch,
)
from lengthwise.problems.setup import Setup
from lengthwise.problems.sweep_tests import Test, TestResult
from lengthwise.settings import Config, Parts
from lengthwise.text.data.parallel_corpus import ParallelCorpus
from lengthwise.text.models.translation_models import DEFAULT_TRANSLATION_MODEL, TRANSLATION_MODELS
from lengthwise.text.problems.corpus import FROM_CORPUS, SMOKE, CorpusProblem
from lengthwise.text.problems.translation.measure import (
    evaluate_translator,
    facts_of_translator,
    translator_of,
)
from lengthwise.text.problems.translation.objective import (
    NextTargetToken,
    SentencesConfig,
    SmoothingConfig,
    find_within,
    limits,
    no_longer,
)
from lengthwise.training.loop import Objective
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import MixedTrainingConfig

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
class Translation(CorpusProblem[ParallelCorpus], Tested, Plotted):
    """A parallel corpus whose sentences a model translates."""

    kind = "translation"
    prefix = "translation:"
    noun = "translators"
    corpus_kind = ParallelCorpus
    setup = Setup(
        models=TRANSLATION_MODELS,
        default_model=DEFAULT_TRANSLATION_MODEL,
        data=SentencesConfig,
        objective=SmoothingConfig,
        training=MixedTrainingConfig,
        given=FROM_CORPUS,
        presets={"smoke": SMOKE},
        unit="tokens",
        train_options=frozenset({"protocol"}),
        evaluate_options=frozenset({"words", "text", "part", "against", "buckets", *DECODING}),
        predict_options=frozenset({"text", "keep_going", *DECODING}),
    )

    def configure(
        self, model: str, entry: Entry, chosen: Parts, asked: Parts
    ) -> tuple[Config, Config, Config]:
        """Return the settings of the network, the sentences and the objective.

        Raises:
            ConfigError: a value does not fit.
            TextError: the corpus is not whole, or no pair is short enough.
        """
        corpus = self.load_checked()
        network = entry.configure({**chosen["network"], "vocab_size": corpus.vocab_size})
        sentences = SentencesConfig.from_dict(chosen["data"])
        smoothing = SmoothingConfig.from_dict(chosen["objective"])
        NextTargetToken(corpus.part(TRAIN), corpus.part(VALID), sentences)  # raises if none is left
        return network, sentences, smoothing

    def objective(self, plan: Plan) -> Objective:
        """Return the objective.

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

    def describe_supervision(self, plan: Plan) -> tuple[str, str]:
        """Return `translations`, and a few words for the lengths of pairs."""
        return "translations", _PROTOCOLS[plan.data.protocol]

    def account(self, records: Records) -> Account:
        """Return the account of a run, with the numbers of pairs that are trained on and too long.

        The corpus may be missing after training; then there are no numbers of pairs.
        """
        folder, data = records.name_folder(), records.plan.data
        extended = replace(
            CorpusProblem.account(self, records),
            tested=facts_of_translator,
            advice=lambda: f"lengthwise evaluate {folder}, or lengthwise translate {folder}",
        )
        try:
            train = self.load().part(TRAIN)
        except TextError:
            return extended
        of_protocol = find_within(train, limits(train, data.protocol).train)
        num_trained = len(no_longer(train, of_protocol, data.longest))
        too_long = len(of_protocol) - num_trained
        values = {**extended.values, "training_pairs": num_trained, "pairs_too_long": too_long}
        if not too_long:
            return replace(extended, values=values)
        left_out = (
            f"{format_count(too_long, 'pair')} of more than {format_count(data.longest, 'token')}"
        )
        return replace(extended, values=values, rows=[*extended.rows, ("left out", left_out)])

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Return BLEU and chrF, in total and by length, and compare with another run if given."""
        return evaluate_translator(run, options, watch)

    def curve(self, folder: RunFolder, plan: Plan) -> Curve | None:
        """Return BLEU by the first source length of a bucket, or None if there is no evaluation."""
        evaluation = folder.evaluation()
        if evaluation is None:
            return None
        longest = evaluation["longest_trained"]
        first = 0 if longest is None else longest + 1  # which may be within a bucket
        which = "" if longest is None else f" of more than {format_count(longest, 'source token')}"
        return Curve(
            points={
                max(first, bucket["first"]): bucket["bleu"] for bucket in evaluation["by_length"]
            },
            measure="BLEU",
            conditions=self._conditions(evaluation),
            sample=f"{format_count(evaluation['sentences'], 'sentence')}{which}",
            overall=evaluation["bleu"],
            horizontal="source tokens, from",
            trained_to=longest,
        )

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which translates sentences."""
        return translator_of(run, options)

    def test(self, run: Run, test: Test) -> TestResult:
        """Return BLEU on the corpus part of the test's name; its lengths are the buckets."""
        options = {"part": test.name, "buckets": test.lengths, "words": test.words_per_length}
        evaluation = evaluate_and_store(run, options).values
        more = {
            "figures": {name: evaluation[name] for name in _OF_TEST},
            "words_per_length": evaluation["sentences"],  # in total; `test` has the upper bound
            "seconds": evaluation["seconds"],
        }
        return TestResult.plain(test, "translation", more)

    def _conditions(self, evaluation: Mapping[str, Any]) -> list[Condition]:
        """Return the text of an evaluation, and the search for translations, as conditions.

        The sentences may differ: runs that were trained on short ones are tested on longer ones.
        """
        corpus, part = evaluation["corpus"], evaluation["part"]
        most = evaluation["at_most"]
        sentences = "all sentences" if most is None else f"at most {format_count(most, 'sentence')}"
        words = "" if most is None else f" --words {most}"
        decoding = evaluation["decoding"]
        search = [f"--{name.replace('_', '-')} {decoding[name]}" for name in DECODING]
        return [
            Condition(
                value=(evaluation["corpus_digest"], part, most),
                shown=f"{sentences} of part {part} of {corpus}",
                options=f"--text {shlex.quote(corpus)} --part {part}{words}",
            ),
            Condition(
                value=decoding,
                shown=", ".join(f"{name} {decoding[name]}" for name in DECODING),
                options=" ".join(search),
            ),
        ]
