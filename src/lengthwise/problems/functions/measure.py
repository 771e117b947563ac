"""Tests and answers of networks that compute functions: outputs right as a whole, by length and by
position, and the accuracy of shortcuts.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lengthwise.errors import TaskError
from lengthwise.evaluation.function_shortcuts import rule_accuracies
from lengthwise.evaluation.outputs import outputs_of, right_outputs
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import Score, Scores, percent
from lengthwise.evaluation.shortcuts import spread_lengths
from lengthwise.languages.functions.reading import PrefixReading
from lengthwise.models.threads import processor_threads
from lengthwise.problems.base import Run, evaluate_and_store
from lengthwise.problems.recognition.measure import (
    RecognitionEvaluation,
    choose_shown_lengths,
    facts,
    notes_beyond_claim,
)
from lengthwise.problems.results import Answer, Options, Predictor, Watch, no_watch
from lengthwise.problems.sweep_tests import Test, TestResult
from lengthwise.tasks.task import MOST_AT_ONE_LENGTH, Task
from lengthwise.training.construction_files import Compiled
from lengthwise.training.devices import environment

_WORDS = 64
"""Number of inputs of each length, unless another is asked for."""


def evaluate_outputs(
    run: Run, reading: PrefixReading, options: Options, watch: Watch = no_watch
) -> RecognitionEvaluation:
    """Test a run on fresh inputs; an answer is right if all its output symbols are.

    Inputs are drawn as the words of the function's language: in `audited` ones all output symbols
    come last equally often, and near misses are among them. `options` are `lengths`, `words` per
    length, `seed` and `protocol`.

    Raises:
        TaskError: none of the lengths has an input, or there would be too many symbols.
    """
    lengths, seed = sorted({*options["lengths"]} - {0}), options.get("seed", 0)
    words, task = options.get("words", _WORDS), run.task
    if not lengths or words < 1 or max(lengths) * words > MOST_AT_ONE_LENGTH:
        raise TaskError(
            f"a test has inputs of one length or more, and at most {MOST_AT_ONE_LENGTH:,} symbols "
            f"of each, but it has {words} of {max(lengths, default=0)} symbols. Ask for others."
        )
    if (protocol := options.get("protocol")) not in (None, task.protocol):
        task = Task(language=task.language, protocol=protocol)
    start, generator = time.perf_counter(), torch.Generator().manual_seed(seed)
    records, by_length = list[Score](), dict[int, float]()
    positions = np.zeros((max(lengths), 2), dtype=np.int64)
    with (
        processor_threads(run.plan.threads),
        watch(f"evaluating {run.task.title}", "inputs") as progress,
    ):
        for index, length in enumerate(lengths):
            inputs = draw_inputs(task, length, words, generator)
            right = np.stack(outputs_of(run.model, reading, inputs)) == right_outputs(
                reading.function, inputs
            )
            whole = int(right.all(axis=1).sum())
            by_length[length] = float(right.mean())
            positions[:length, 0] += right.sum(axis=0)
            positions[:length, 1] += words
            records.append(
                Score(
                    task=task.id,
                    model=run.plan.model,
                    length=length,
                    label="output",
                    correct=whole,
                    total=words,
                    loss=float("inf"),
                )
            )
            if progress:
                progress((index + 1) * words, len(lengths) * words)
    scores = Scores(tuple(records))
    shortcuts = rule_accuracies(reading.function, task, spread_lengths(lengths), words, seed)
    by_position = {p + 1: int(r) / int(n) for p, (r, n) in enumerate(positions.tolist()) if n}
    worst = min(by_position, key=lambda p: (by_position[p], p))
    summary = {
        **{name: value for name, value in scores.summary().items() if name != "mean_loss"},
        "symbol_accuracy": int(positions[:, 0].sum()) / int(positions[:, 1].sum()),
        "worst_position": worst,
        "worst_position_accuracy": by_position[worst],
        "task": task.id,
        "title": task.title,
        "language": task.language.spec,
        "protocol": task.protocol,
        "words_per_length": words,
        "seed": seed,
        "missing_lengths": [],
        "shortcuts": shortcuts,
        "shortcut_lengths": spread_lengths(lengths),
        "seconds": round(time.perf_counter() - start, 3),
        "environment": environment(str(device_of(run.model))),
        "date": datetime.now(UTC).date().isoformat(),
    }
    accuracy = scores.accuracy_by_length()
    return RecognitionEvaluation(
        values=summary,
        records=scores.to_records(),
        facts=[
            *facts(summary),
            ("output symbols", f"{percent(summary['symbol_accuracy'])} % right"),
            ("worst position", f"{worst} ({percent(by_position[worst])} %)"),
        ],
        notes=["An output is right if all its symbols are; shortcuts are judged by their symbols."],
        table=(
            ["length", "outputs %", "symbols %"],
            [
                [str(n), percent(accuracy[n]), percent(by_length[n])]
                for n in choose_shown_lengths(accuracy)
            ],
        ),
        printed={
            **summary,
            "accuracy_by_length": accuracy,
            "symbol_accuracy_by_length": by_length,
            "symbol_accuracy_by_position": by_position,
            "records": scores.to_records(),
        },
        scores=scores,
    )


def test_outputs(run: Run, test: Test) -> TestResult:
    """Run one test of a sweep: right outputs by length.

    Raises:
        ConfigError: it is about words of Parity with a P(1).
    """
    options = {
        "lengths": test.lengths,
        "words": test.words_per_length,
        "seed": test.seed,
        "protocol": test.protocol,
        **({} if test.p_one is None else {"p_one": test.p_one}),
    }
    evaluation = evaluate_and_store(run, options)
    assert isinstance(evaluation, RecognitionEvaluation)
    return TestResult.of_scores(test, evaluation.scores, evaluation.values)


def draw_inputs(
    task: Task, length: int, words: int, generator: torch.Generator
) -> NDArray[np.int64]:
    """Return inputs of one length as rows."""
    drawn: NDArray[np.int64] = task.draw(torch.full((words,), length), generator).tokens.numpy()
    return drawn


def output_predictor(run: Run, reading: PrefixReading) -> Predictor:
    """Return the predictor, which writes the output of each input."""
    function = reading.function

    def answer(inputs: Sequence[Sequence[int]]) -> list[Answer]:
        written = outputs_of(run.model, reading, inputs)
        texts = [function.decode(symbols.tolist()) for symbols in written]
        return [
            Answer(shown=text, record={"word": function.reader.decode(word), "output": text})
            for word, text in zip(inputs, texts, strict=True)
        ]

    predictor: dict[str, Any] = {"read": function.encode, "answer": answer, "joint": ", "}
    if isinstance(run.plan, Compiled):
        kind = str(next(run.model.parameters()).dtype).removeprefix("torch.")
        notes = partial(notes_beyond_claim, reading.language, run.plan.claim["range"], kind)
        predictor["notes"] = notes
    return Predictor(**predictor)
