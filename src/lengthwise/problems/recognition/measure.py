"""Tests and answers of recognisers: scores by length, accuracy of shortcuts, classes of words."""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from typing import Any

from lengthwise.arguments import number
from lengthwise.errors import RunError
from lengthwise.evaluation.evaluate import evaluate_words
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import Scores, finite_or_none, percent, percent_interval
from lengthwise.evaluation.shortcuts import shortcuts_beside, spread_lengths
from lengthwise.languages.language import Language
from lengthwise.messages import format_count
from lengthwise.models.threads import processor_threads
from lengthwise.problems.base import Run, evaluate_and_store
from lengthwise.problems.classification import class_predictor
from lengthwise.problems.results import (
    Answer,
    Evaluation,
    Facts,
    Options,
    Predictor,
    Watch,
    no_watch,
)
from lengthwise.problems.sweep_tests import Test, TestResult
from lengthwise.proofs.search.snapped_file import load_tables
from lengthwise.tasks.task import Task
from lengthwise.training.construction_files import Compiled
from lengthwise.training.devices import environment

_PARTS, _WORST = 8, 3
"""Lengths that a table shows: one of each eighth, and this number of the worst."""

_NOT_KEPT = (
    "These scores are of the tables of `snap`, and are not kept. Evaluate without --snapped for "
    "`compare` and `report`."
)

_SHOWN = (
    "The table shows the first and the last length, one of each eighth, and the three worst. "
    "--json has all."
)

SNAPPED_FILE = "snapped.safetensors"
"""Name of the file in which `snap` stores tables in a run's folder."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecognitionEvaluation(Evaluation):
    """The result of a test on words of a language."""

    scores: Scores


def evaluate_run(run: Run, options: Options, watch: Watch = no_watch) -> RecognitionEvaluation:
    """Test a run on fresh words, and measure the accuracy of shortcuts on them.

    `options` are `lengths`, `words` per length (by default 512), `seed`, `protocol` and `p_one` (by
    default the run's own) and `snapped`, which uses the tables that `snap` made in place of the
    network.

    Raises:
        TaskError: none of the lengths has a word, there would be too many symbols, or the words
            have no P(1).
        RunError: there are no tables, or those of another model.
    """
    lengths = list(options["lengths"])
    protocol, seed = options.get("protocol"), options.get("seed", 0)
    words, is_snapped = options.get("words", 512), bool(options.get("snapped"))
    run = with_tables(run) if is_snapped else run
    task = run.task
    if protocol is not None and protocol != task.protocol:
        task = Task(language=task.language, protocol=protocol)
    if (p_one := options.get("p_one")) is not None:
        task = replace(task, p_one=number("p_one", p_one, 0.5))
    device = device_of(run.model)
    with processor_threads(run.plan.threads), watch(f"evaluating {run.task.title}") as progress:
        start = time.perf_counter()
        scores = evaluate_words(
            run.model,
            task,
            lengths,
            name=run.plan.model,
            words_per_length=words,
            seed=seed,
            device=device,
            progress=progress,
        )
        seconds = time.perf_counter() - start
    some_lengths = spread_lengths(scores.lengths)
    with processor_threads(run.plan.threads), watch("shortcuts, on other words") as progress:
        rules = shortcuts_beside(task, some_lengths, words, seed, progress)
    scores = replace(scores, rules=partial(dict, rules))
    summary = {
        **scores.summary(),
        "task": task.id,
        "title": task.title,
        "language": task.language.spec,
        "protocol": task.protocol,
        "words_per_length": words,
        "seed": seed,
        "missing_lengths": list(scores.missing),
        "shortcuts": rules,
        "shortcut_lengths": some_lengths,
        "seconds": round(seconds, 3),
        "environment": environment(str(device)),
        "date": datetime.now(UTC).date().isoformat(),
    }
    accuracy, records = scores.accuracy_by_length(), scores.to_records()
    rows = [[str(n), percent(accuracy[n])] for n in choose_shown_lengths(accuracy)]
    return RecognitionEvaluation(
        values=summary,
        records=records,
        facts=facts(summary),
        notes=[
            *([_SHOWN] if len(rows) < len(accuracy) else []),
            *([_NOT_KEPT] if is_snapped and run.folder else []),
        ],
        table=(["length", "accuracy %"], rows),
        printed={
            **summary,
            "snapped": is_snapped,
            "accuracy_by_length": accuracy,
            "loss_by_length": {
                n: finite_or_none(loss) for n, loss in scores.loss_by_length().items()
            },
            "records": records,
        },
        is_stored=not is_snapped,
        scores=scores,
    )


def facts(summary: Mapping[str, Any]) -> Facts:
    """Return the summary of an evaluation for people to read."""
    first, last = summary["lengths"]
    without, words = summary["lengths_without_words"], summary["words_per_length"]
    lacking = f" ({format_count(without, 'length')} without any)" if without else ""
    return [
        ("task", f"{summary.get('title', summary['task'])}, {summary['protocol']} words"),
        ("lengths", f"{first}..{last}, {format_count(words, 'word')} each{lacking}"),
        *list_scores(summary),
    ]


def list_scores(summary: Mapping[str, Any]) -> Facts:
    """Return the figures of an evaluation, with those of shortcuts."""
    low, high = summary["interval_95"]
    words, per_length, loss = (
        summary["words"],
        summary["words_per_length"],
        summary.get("mean_loss"),
    )
    mean, worst = summary["mean_accuracy"], summary["worst_accuracy"]
    length = f"{summary['worst_length']} ({percent(worst)} %)"
    shortcuts = summary["shortcuts"].items()
    return [
        (
            f"mean accuracy over {format_count(summary['num_lengths'], 'length')}",
            f"{percent(mean)} %",
        ),
        (
            f"95 % interval (Wilson, {words} words, {per_length} per length)",
            f"{percent_interval(low, high)} %",
        ),
        *([("worst length", length)] if worst < mean - 1e-9 else []),
        ("first length under 99 %", str(summary["first_length_below_99"] or "none")),
        *(
            [("mean loss", "infinite" if loss is None else f"{loss:.2e} nats")]
            if "mean_loss" in summary
            else []
        ),
        *((f"shortcut: {name}", f"{percent(value)} %") for name, value in shortcuts),
    ]


def choose_shown_lengths(accuracy: Mapping[int, float]) -> list[int]:
    """Return some of the lengths: the first, the last, one from each eighth, and the three worst.

    Those of the eighths are drawn, always the same: accuracy can depend on the length modulo a
    small number, and lengths at a fixed distance would have one remainder only.
    """
    lengths = sorted(accuracy)
    if len(lengths) <= _PARTS + _WORST + 1:
        return lengths
    bounds = [round(index * len(lengths) / _PARTS) for index in range(_PARTS + 1)]
    draw = random.Random(0)
    drawn_lengths = {lengths[draw.randrange(first, last)] for first, last in pairwise(bounds)}
    worst = sorted(lengths, key=lambda n: (accuracy[n], n))[:_WORST]
    return sorted({lengths[0], lengths[-1], *drawn_lengths, *worst})


def predictor_of(run: Run, language: Language, options: Options) -> Predictor:
    """Return the predictor, which classifies words by the network or, if `snapped`, by its tables.

    Raises:
        RunError: there are no tables, or those of another model.
    """
    model = (with_tables(run) if options.get("snapped") else run).model

    def read(text: str) -> tuple[int, ...]:
        word = language.encode(text)
        language.require_in_domain(word)
        return word

    predictor = class_predictor(model, language, read)
    if options.get("snapped") or not isinstance(run.plan, Compiled):
        return predictor
    kind = str(next(model.parameters()).dtype).removeprefix("torch.")
    return replace(
        predictor, notes=partial(notes_beyond_claim, language, run.plan.claim["range"], kind)
    )


def notes_beyond_claim(
    language: Language, claimed: Mapping[str, int | None], kind: str, answers: Sequence[Answer]
) -> list[str]:
    """Say if words are longer than the range in which computed weights are claimed to be right."""
    if kind not in claimed:
        return [f"answers may be wrong: nothing is claimed of these weights in {kind}"]
    if (longest := claimed[kind]) is None:
        return []
    lengths = [len(language.encode(answer.record["word"])) for answer in answers]
    beyond = [length for length in lengths if length > longest]
    if not beyond:
        return []
    return [
        f"{format_count(len(beyond), 'answer')} may be wrong: the weights are claimed to be right "
        f"to {format_count(longest, 'symbol')} in {kind}, and the longest of these words has "
        f"{max(beyond):,}. `lengthwise verify` says where they go wrong"
    ]


def test_run(run: Run, test: Test) -> TestResult:
    """Run one test of a sweep: right answers by length."""
    options = {
        "lengths": test.lengths,
        "words": test.words_per_length,
        "seed": test.seed,
        "protocol": test.protocol,
        "p_one": test.p_one,
    }
    evaluation = evaluate_and_store(run, options)
    assert isinstance(evaluation, RecognitionEvaluation)
    return TestResult.of_scores(test, evaluation.scores, evaluation.values)


def with_tables(run: Run) -> Run:
    """Return the run with tables in place of its network; its folder is not changed.

    Raises:
        RunError: there are no tables, or those of another model.
    """
    if run.folder is None:
        raise RunError("the tables of a run are in its folder, but this run has none. Use snap.")
    tables = load_tables(run.folder.path / SNAPPED_FILE, run.model)
    return replace(run, model=tables, folder=None)
