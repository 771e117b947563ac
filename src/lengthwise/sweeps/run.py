"""Doing one job: train the run from where it stood, test it, and store the outcome last."""

import threading
import traceback
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lengthwise.evaluation.scores import Scores
from lengthwise.measurement.measure import (
    measure,
    measure_field,
    measure_perplexity,
    measure_steps,
)
from lengthwise.measurement.translated import measure_translation
from lengthwise.models.cost import trained_parameters
from lengthwise.models.regular_gpt_lm import RegularGPTLM
from lengthwise.sweeps.folder import BusyError, JobFolder
from lengthwise.sweeps.job import Job, Test
from lengthwise.sweeps.outcome import AtLength, Failure, Outcome, TestResult
from lengthwise.sweeps.stopwatch import Stopwatch
from lengthwise.training.language_plan import LanguagePlan
from lengthwise.training.loop import kept
from lengthwise.training.runs import RunFolder
from lengthwise.training.step_plan import StepPlan
from lengthwise.training.train import Run, train
from lengthwise.training.translation_plan import TranslationPlan

_ONE_AT_A_TIME = threading.Lock()
"""The number of torch's threads, which decides the last digits, belongs to a whole process."""


def run_job(job: Job, folder: Path, *, device: str = "auto") -> Outcome:
    """Train the run of a job in its folder and test it; what is done is loaded, not done again.

    An error is recorded in the job's folder, and raised.

    Raises:
        BusyError: another process is at the job.
    """
    place = JobFolder.of(job, folder)
    with place.locked():
        done = place.outcome()
        if done is not None:
            return done
        try:
            outcome = _do(job, place, device)
        except Exception as error:
            place.fail(_failure(job, error))
            raise
        place.finish(outcome)
        return outcome


def _do(job: Job, place: JobFolder, device: str) -> Outcome:
    place.describe(job)
    stored = RunFolder(place.run)
    watch = None if stored.is_finished else Stopwatch(place)
    run = train(job.plan, out=place.run, device=device, progress=watch)
    tests = [
        # the scores of the first one stay in the run's folder
        _result(run if index == 0 else replace(run, folder=None), test)
        for index, test in enumerate(job.tests)
    ]
    seconds, attempts = place.clock()
    return Outcome(
        digest=job.digest,
        plan=job.plan.to_dict(),
        tests=tuple(tests),
        steps=run.metrics[-1]["step"],
        perfect=bool(kept(run.metrics)["perfect"]),
        seconds=seconds,
        attempts=attempts,
        parameters=trained_parameters(run.model),
        environment={"lengthwise": version("lengthwise"), **stored.config()["environment"]},
        date=datetime.now(UTC).date().isoformat(),
    )


def _result(run: Run, test: Test) -> TestResult:
    if isinstance(run.plan, StepPlan):
        return _result_of_steps(run, run.plan, test)
    if isinstance(run.plan, LanguagePlan):
        return _result_of_text(run, run.plan, test)
    if isinstance(run.plan, TranslationPlan):
        return _result_of_translation(run, test)
    scores, summary = measure(
        run,
        test.lengths,
        protocol=test.protocol,
        words_per_length=test.words_per_length,
        seed=test.seed,
    )
    return TestResult(name=test.name, by_length=_by_length(scores), summary=summary)


def _result_of_steps(run: Run, plan: StepPlan, test: Test) -> TestResult:
    """Test exact match, stored as the accuracy at the one length that the inputs have."""
    found, length = measure_steps(run), plan.steps.num_inputs
    at_length = AtLength(length, found["words"], round(found["exact_match"] * found["words"]))
    summary = {
        **found,
        "mean_accuracy": found["exact_match"],
        "worst_length": length,
        "worst_accuracy": found["exact_match"],
        "protocol": "unseen",
        "words_per_length": found["words"],
        "missing_lengths": [],
        "shortcuts": {},
    }
    return TestResult(name=test.name, by_length=(at_length,), summary=summary)


def _result_of_text(run: Run, plan: LanguagePlan, test: Test) -> TestResult:
    """Test perplexity and top-1 accuracy, or measure the receptive field."""
    if test.name == FIELD:
        field = measure_field(run, test.lengths[0], windows=test.words_per_length, seed=test.seed)
        return TestResult(
            name=test.name,
            by_length=(),
            summary=_plain_summary(test, "last token", {"field": field}),
        )
    if test.name == TRAINED_LEVELS:
        assert isinstance(run.model, RegularGPTLM)
        run = replace(run, model=run.model.at_fixed_depth(plan.text.window))
    records, _ = measure_perplexity(
        run, test.lengths, windows=test.words_per_length, seed=test.seed
    )
    kinds = ("nats", "interval_95", "ratio_95", "accuracy", "seconds")
    figures = {
        f"{kind}_by_length": {str(record["length"]): record[kind] for record in records}
        for kind in kinds
    }
    seconds = sum(record["seconds"] for record in records)
    summary = {**_plain_summary(test, "last token", figures), "seconds": seconds}
    return TestResult(name=test.name, by_length=(), summary=summary)


def _result_of_translation(run: Run, test: Test) -> TestResult:
    """Test BLEU on the part of the corpus named by the test, with buckets of its lengths."""
    _, found = measure_translation(
        run, part=test.name, buckets=test.lengths, sentences=test.words_per_length
    )
    figures = {name: found[name] for name in _OF_TRANSLATION}
    summary = {
        **_plain_summary(test, "translation", figures),
        "words_per_length": found["sentences"],  # in all; `test` has the most that were asked for
        "seconds": found["seconds"],
    }
    return TestResult(name=test.name, by_length=(), summary=summary)


_OF_TRANSLATION = (
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

FIELD = "receptive field"
"""Name of the test that measures how much each token of the context counts."""
TRAINED_LEVELS = "levels as trained"
"""Name of the test of a RegularGPT whose depth stays that of the training length."""


def _plain_summary(test: Test, protocol: str, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return a summary of the common form, with `figures` instead of accuracies."""
    return {
        "protocol": protocol,
        "words_per_length": test.words_per_length,
        "missing_lengths": [],
        "shortcuts": {},
        "figures": figures,
    }


def _failure(job: Job, error: Exception) -> Failure:
    return Failure(
        digest=job.digest,
        plan=job.plan.to_dict(),
        error=f"{type(error).__name__}: {str(error).partition(chr(10))[0]}",
        details=traceback.format_exc(),
    )


def attempt(job: Mapping[str, Any], folder: str, device: str) -> dict[str, Any]:
    """`run_job` between processes: plain values in, and one of three answers out.

    `{"outcome": ...}`, `{"failure": ...}` if an error was raised, which is also stored, or
    `{"busy": ...}` if another process is at the job.
    """
    asked = Job.from_dict(job)
    try:
        with _ONE_AT_A_TIME:
            return {"outcome": run_job(asked, Path(folder), device=device).to_dict()}
    except BusyError as error:
        return {"busy": str(error)}
    except Exception as error:
        return {"failure": _failure(asked, error).to_dict()}


def _by_length(scores: Scores) -> tuple[AtLength, ...]:
    words = dict.fromkeys(scores.lengths, 0)
    correct = dict.fromkeys(scores.lengths, 0)
    for record in scores.records:
        words[record.length] += record.total
        correct[record.length] += record.correct
    return tuple(AtLength(length, words[length], correct[length]) for length in words)
