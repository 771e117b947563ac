"""Language modelling: the problem of predicting the next token of a text."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from lengthwise.data.parts import TRAIN, VALID
from lengthwise.errors import ConfigError, WordError
from lengthwise.languages.validation import is_encodable
from lengthwise.messages import format_count
from lengthwise.models.cost import forward_flops, matmul_rate
from lengthwise.models.entry import Entry
from lengthwise.models.threads import processor_threads
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Plan, Run, evaluate_and_store
from lengthwise.problems.capabilities import Distributed, Plotted, Tested
from lengthwise.problems.results import (
    Answer,
    Condition,
    Curve,
    Evaluation,
    Facts,
    Options,
    Predictor,
    TrainingCost,
    Watch,
)
from lengthwise.problems.setup import Setup
from lengthwise.problems.sweep_tests import Test, TestResult
from lengthwise.settings import Config, NoSettings, Parts
from lengthwise.text.data.text_corpus import Corpus
from lengthwise.text.models.language_models import DEFAULT_LANGUAGE_MODEL, LANGUAGE_MODELS
from lengthwise.text.models.regular_gpt_lm import RegularGPTLM
from lengthwise.text.problems.corpus import FROM_CORPUS, SMOKE, CorpusProblem
from lengthwise.text.problems.language_modelling.measure import (
    continue_text,
    evaluate_language_model,
    measure_field,
)
from lengthwise.text.problems.language_modelling.objective import (
    NextToken,
    WindowsConfig,
    read_out_of,
)
from lengthwise.training.autocast import require_autocast
from lengthwise.training.compilation import compile_for_training
from lengthwise.training.distributed import ALONE, ProcessGroup, Rank
from lengthwise.training.loop import Objective
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import TextTrainingConfig

FIELD = "receptive field"
"""Name of the test that measures the influence of each token of the context."""

TRAINED_LEVELS = "levels as trained"
"""Name of the test of a RegularGPT whose depth is fixed to that at the training length."""

_MOST_TEMPERATURE = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class LanguageModelling(CorpusProblem[Corpus], Distributed, Tested, Plotted):
    """A prepared corpus whose next tokens a model predicts."""

    kind = "language-modelling"
    prefix = "text:"
    noun = "language models"
    corpus_kind = Corpus
    setup = Setup(
        models=LANGUAGE_MODELS,
        default_model=DEFAULT_LANGUAGE_MODEL,
        data=WindowsConfig,
        training=TextTrainingConfig,
        given=FROM_CORPUS,
        derived=frozenset({"network.max_length"}),
        presets={"smoke": SMOKE},
        unit="tokens",
        evaluate_options=frozenset({"lengths", "words", "text", "part", "seed"}),
        predict_options=frozenset({"tokens", "temperature", "seed", "text", "keep_going"}),
    )

    def configure(
        self, model: str, entry: Entry, chosen: Parts, asked: Parts
    ) -> tuple[Config, Config, Config]:
        """Return the settings of the network and the windows.

        Raises:
            ConfigError: a value does not fit.
            TextError: the corpus is not whole, or too short for a window.
        """
        corpus = self.load_checked()
        windows = WindowsConfig.from_dict(chosen["data"])
        network = entry.configure({**chosen["network"], "vocab_size": corpus.vocab_size})
        network = network.with_room(windows.window, asked["network"].get("max_length"))
        NextToken(corpus.part(TRAIN), corpus.part(VALID), windows)  # raises if one is too short
        return network, windows, NoSettings()

    def objective(self, plan: Plan) -> Objective:
        """Return the objective of a process that trains alone."""
        return self.share(plan, ALONE)

    def share(self, plan: Plan, processes: ProcessGroup) -> Objective:
        """Return the objective of one of several processes.

        Raises:
            TextError: the corpus is too short for a window.
        """
        corpus, training = self.load(), plan.training
        parts = corpus.part(TRAIN), corpus.part(VALID)
        read_out = compile_for_training(read_out_of) if training.compile else read_out_of
        return NextToken(*parts, plan.data, read_out, half=training.autocast, processes=processes)

    def describe_supervision(self, plan: Plan) -> tuple[str, str]:
        """Return `next token`, and the length of windows."""
        return "next token", f"windows of {plan.data.window:,} tokens"

    def account(self, records: Records) -> Account:
        """Return the account of a run; that of an evaluation has the perplexity at each length."""
        return replace(CorpusProblem.account(self, records), tested=_facts)

    def training_cost(self, plan: Plan, device: torch.device) -> TrainingCost:
        """Return the cost of a token: three times that of the forward pass.

        The devices of all processes are assumed to be alike. The main process measures its own; the
        others, which print nothing, have no cost.

        Raises:
            ConfigError: the device cannot compute in the precision of `autocast`.
        """
        rank = Rank.here()
        if rank.index > 0:
            return TrainingCost(0.0, math.inf)
        window, half = plan.data.window, plan.training.autocast == "bfloat16"
        require_autocast(device, plan.training.autocast)
        per_token = 3 * forward_flops(plan.build(), plan.network.vocab_size, window) / window
        with processor_threads(plan.threads):
            peak = matmul_rate(device, torch.bfloat16 if half else torch.float32)
        return TrainingCost(per_token, rank.count * peak / per_token)

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Return the perplexity of the last token of random windows, by window length.

        The text is a part of the run's corpus, or of another one with the same tokenizer.
        """
        corpus = self.load(options.get("text"))
        return evaluate_language_model(run, corpus, options, watch)

    def curve(self, folder: RunFolder, plan: Plan) -> Curve | None:
        """Return perplexity by length, or None if there is no evaluation."""
        evaluation = folder.evaluation()
        if evaluation is None:
            return None
        return Curve(
            points={int(length): value for length, value in evaluation["perplexity"].items()},
            measure="perplexity",
            conditions=[
                Condition(
                    value=(evaluation["part"], evaluation["corpus_digest"]),
                    shown=f"part {evaluation['part']} of {evaluation['corpus']}",
                    options=f"--text {shlex.quote(evaluation['corpus'])} "
                    f"--part {evaluation['part']}",
                )
            ],
            sample=f"{evaluation['windows']:,} windows, seed {evaluation['seed']}, of at most "
            f"{format_count(max(evaluation['lengths']), 'token')}",
            trained_to=evaluation["train_window"],
            is_less_better=True,
        )

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which continues texts.

        Raises:
            ConfigError: the temperature is out of range.
        """
        temperature = options.get("temperature", 0.0)
        if not 0 <= temperature <= _MOST_TEMPERATURE:
            raise ConfigError(f"temperature={temperature} is out of range. Use 0 to 100.")
        corpus = self.load(options.get("text"))
        tokens, seed = options.get("tokens", 50), options.get("seed", 0)

        def answer(texts: Sequence[str]) -> list[Answer]:
            answers = []
            for text in texts:
                more = continue_text(
                    run, corpus, text, tokens=tokens, temperature=temperature, seed=seed
                )
                record = {"text": text, "continued": more}
                answers.append(Answer(shown=text + more, record=record))
            return answers

        def read(line: str) -> str:
            if not line:
                raise WordError("is empty. A language model continues some text.")
            if not is_encodable(line):
                raise WordError("has half of a character (a lone surrogate). Repair it.")
            return line

        return Predictor(read=read, joint=" ", answer=answer, key="texts", together=1)

    def test(self, run: Run, test: Test) -> TestResult:
        """Return perplexity by length, or the influence of each token of the context."""
        windows, seed = test.words_per_length, test.seed
        if test.name == FIELD:
            field = measure_field(run, self.load(), test.lengths[0], windows=windows, seed=seed)
            return TestResult.plain(test, "last token", {"figures": {"field": field}})
        if test.name == TRAINED_LEVELS:
            assert isinstance(run.model, RegularGPTLM)
            window = run.require_plan().data.window
            run = replace(run, model=run.model.at_fixed_depth(window))
        evaluation = evaluate_and_store(
            run, {"lengths": test.lengths, "words": windows, "seed": seed}
        )
        kinds = ("nats", "interval_95", "ratio_95", "accuracy", "seconds")
        figures = {
            f"{kind}_by_length": {
                str(record["length"]): record[kind] for record in evaluation.records
            }
            for kind in kinds
        }
        seconds = sum(record["seconds"] for record in evaluation.records)
        return TestResult.plain(test, "last token", {"figures": figures, "seconds": seconds})


def _facts(values: Mapping[str, Any]) -> Facts:
    """Return the perplexity at each length."""
    by_length = values["perplexity"].items()
    facts = [(f"perplexity of {n} tokens", f"{value:.2f}") for n, value in by_length]
    return [("text", f"{values['corpus']}, part {values['part']}"), *facts]
