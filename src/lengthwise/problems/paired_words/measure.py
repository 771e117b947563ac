"""The test of a run on pairs of words: the pairs of its file that were set apart."""

import time
from datetime import UTC, datetime
from typing import Any

import numpy as np

from lengthwise.data.labelled_words import PARTS
from lengthwise.data.paired_words import PairedWords
from lengthwise.data.parts import TEST, TRAIN
from lengthwise.data.word_parts import WordParts
from lengthwise.errors import TaskError, TextError, unknown_name
from lengthwise.evaluation.outputs import outputs_of
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import Score, Scores, percent, wilson
from lengthwise.inference.pairs.shortcuts import learn_rules, right_by_rule
from lengthwise.languages.functions.reading import PrefixReading
from lengthwise.models.threads import processor_threads
from lengthwise.problems.base import Run
from lengthwise.problems.labelled_words.measure import (
    WordsEvaluation,
    facts_on_file,
    shares_by_length,
    table,
)
from lengthwise.problems.results import Options, Watch
from lengthwise.training.devices import environment

SUPERVISION = "outputs of whole words"


def evaluate_on_pairs(
    run: Run,
    reading: PrefixReading,
    pairs: PairedWords,
    options: Options,
    watch: Watch,
    *,
    shares: WordParts,
) -> WordsEvaluation:
    """Test a run on the test pairs of its file, with shortcuts that learn from its training pairs.

    An answer is right if all its output symbols are. `options` are `part` (by default `test`) and
    `lengths`, to which the pairs are then restricted.

    Raises:
        TextError: there is no such part, or it has no pairs.
        TaskError: it has no pairs of these lengths.
    """
    part, name = options.get("part", TEST), run.problem.name
    if part not in PARTS:
        raise unknown_name("part", part, PARTS, TextError)
    tested, train = (pairs.part(each, shares, name) for each in (part, TRAIN))
    if "lengths" in options:
        tested = tested.part(np.isin(tested.lengths, [*options["lengths"]]))
    tested = tested.part(tested.lengths > 0)
    if not len(tested):
        raise TaskError(f"no pair of this part of {name} has one of these lengths. Use others.")
    start, outputs = time.perf_counter(), reading.function.outputs
    with processor_threads(run.require_plan().threads), watch(f"evaluating {name}", "pairs"):
        inputs = [word[:length] for word, length in zip(tested.inputs, tested.lengths, strict=True)]
        written = np.full_like(tested.outputs, -1)
        written[tested.inside] = np.concatenate(outputs_of(run.model, reading, inputs))
    seconds = time.perf_counter() - start
    right = (written == tested.outputs) & tested.inside
    whole = right.sum(axis=1) == tested.lengths
    rules = right_by_rule(learn_rules([train], reading.function.alphabet, outputs), tested)
    symbols = int(tested.lengths.sum())
    scores = Scores(
        tuple(
            Score(
                task=name,
                model=run.require_plan().model,
                length=length,
                label="output",
                correct=int(whole[tested.lengths == length].sum()),
                total=int((tested.lengths == length).sum()),
                loss=float("inf"),
            )
            for length in np.unique(tested.lengths).tolist()
        )
    )
    summary: dict[str, Any] = {
        "task": name,
        "digest": pairs.words.digest,
        "part": part,
        "supervision": SUPERVISION,
        "accuracy": scores.correct / scores.total,
        "interval_95": list(wilson(scores.correct, scores.total)),
        "symbol_accuracy": int(right.sum()) / symbols,
        "words": scores.total,
        "symbols": symbols,
        "lengths": [scores.lengths[0], scores.lengths[-1]],
        "by_class": {},
        "by_length": shares_by_length(scores),
        "shortcuts": {
            rule: int((each.sum(axis=1) == tested.lengths).sum()) / len(tested)
            for rule, each in rules.items()
        },
        "shortcut_symbols": {rule: int(each.sum()) / symbols for rule, each in rules.items()},
        "duplicates": pairs.words.duplicates,
        "seconds": round(seconds, 3),
        "environment": environment(str(device_of(run.model))),
        "date": datetime.now(UTC).date().isoformat(),
    }
    best = max(summary["shortcut_symbols"].items(), key=lambda item: item[1])
    return WordsEvaluation(
        values=summary,
        records=scores.to_records(),
        facts=[
            *facts_on_file(summary),
            ("output symbols", f"{percent(summary['symbol_accuracy'])} % right"),
            ("best shortcut", f"{best[0]}, {percent(best[1])} % of symbols"),
        ],
        table=table(summary),
        printed={**summary, "records": scores.to_records()},
        notes=["An answer is right if all its output symbols are."],
        is_stored=part == TEST and "lengths" not in options,
        scores=scores,
    )
