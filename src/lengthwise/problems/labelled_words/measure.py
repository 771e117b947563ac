"""The test of a run on labelled words: the words of its file that were set apart."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import torch

from lengthwise.data.labelled_words import PARTS, LabelledWords
from lengthwise.data.parts import TEST, TRAIN
from lengthwise.data.word_parts import WordParts
from lengthwise.device_copies import send
from lengthwise.errors import TaskError, TextError, unknown_name
from lengthwise.evaluation.evaluate import answers, neighbours, require_numbers, scores_of
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import (
    Score,
    Scores,
    finite_or_none,
    percent,
    percent_interval,
    wilson,
)
from lengthwise.evaluation.shortcuts import right_on_batches
from lengthwise.messages import format_count
from lengthwise.models.threads import processor_threads
from lengthwise.problems.base import Run
from lengthwise.problems.labelled_words.objective import batch_of, classes_of, part_of
from lengthwise.problems.results import Evaluation, Facts, Options, Watch
from lengthwise.tasks.task import Batch
from lengthwise.training.devices import environment

_RANGES = 12
"""Greatest number of ranges of lengths that a table shows."""

_LEARNT = 200_000
"""Greatest number of words that shortcuts learn from."""

_MOST_FEATURES = 2**23
"""Greatest number of features of words that are held at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WordsEvaluation(Evaluation):
    """The result of a test on labelled words."""

    scores: Scores


def evaluate_on_file(
    run: Run, words: LabelledWords, options: Options, watch: Watch, shares: WordParts | None = None
) -> WordsEvaluation:
    """Test a run on the test words of its file, with shortcuts that learn from its training words.

    `options` are `part` (by default `test`) and `lengths`, to which the words are then restricted.
    `shares` divide the words among the parts; by default the plan's settings of data do.

    Raises:
        TextError: there is no such part, or it has no words.
        TaskError: it has no words of these lengths.
    """
    plan, device = run.require_plan(), device_of(run.model)
    part, name = options.get("part", TEST), run.problem.name
    shares = plan.data if shares is None else shares
    if part not in PARTS:
        raise unknown_name("part", part, PARTS, TextError)
    rows = _choose_words(words, part_of(words, part, shares, name), options.get("lengths"), name)
    rows, left_out = _readable(words, rows, plan.network.reads_at_most, name)
    rows = rows[_lengths(words, rows).argsort(stable=True)]
    start, logits_of_batches = time.perf_counter(), []
    with processor_threads(plan.threads), watch(f"evaluating {name}") as progress:
        for batch in _batches(words, rows):
            logits_of_batches.append(
                answers(run.model, send(batch.tokens, device), send(batch.lengths, device)).cpu()
            )
            if progress:
                progress(sum(map(len, logits_of_batches)), len(rows))
        seconds = time.perf_counter() - start
        rules = _shortcuts(words, part_of(words, TRAIN, shares, name)[:_LEARNT], rows)
    names, logits = words.class_names, torch.cat(logits_of_batches)
    require_numbers(logits)
    lengths, classes = _lengths(words, rows), classes_of(words, rows)
    found_scores = scores_of(logits, lengths, classes, names, task=name, model=plan.model)
    scores = Scores(tuple(found_scores), rules=partial(dict, rules))
    summary = {
        "task": name,
        "digest": words.digest,
        "part": part,
        "supervision": "labels of whole words",
        "accuracy": scores.correct / scores.total,
        "interval_95": list(wilson(scores.correct, scores.total)),
        "mean_loss": finite_or_none(
            sum(record.loss * record.total for record in scores.records) / scores.total
        ),
        "words": scores.total,
        "lengths": [scores.lengths[0], scores.lengths[-1]],
        "by_class": {
            name: _share([x for x in scores.records if x.label == name]) for name in names
        },
        "by_length": shares_by_length(scores),
        "shortcuts": rules,
        "duplicates": words.duplicates,
        "left_out": left_out,
        "seconds": round(seconds, 3),
        "environment": environment(str(device)),
        "date": datetime.now(UTC).date().isoformat(),
    }
    return WordsEvaluation(
        values=summary,
        records=scores.to_records(),
        facts=facts_on_file(summary),
        table=table(summary),
        printed={**summary, "records": scores.to_records()},
        notes=_notes(left_out, plan.model),
        is_stored=part == TEST and "lengths" not in options,
        scores=scores,
    )


def facts_on_file(summary: Mapping[str, Any]) -> Facts:
    """Return the summary of an evaluation for people to read."""
    low, high = summary["interval_95"]
    first, last = summary["lengths"]
    return [
        ("words", f"{summary['words']:,} of {summary['task']}, part {summary['part']}"),
        ("supervision", summary["supervision"]),
        ("lengths", f"{first}..{last}"),
        ("accuracy", f"{percent(summary['accuracy'])} %"),
        ("95 % interval", f"{percent_interval(low, high)} %"),
        *(
            (
                f"class {name}",
                f"{percent(values['accuracy'])} % of {format_count(values['words'], 'word')}",
            )
            for name, values in summary["by_class"].items()
            if values["words"]
        ),
        *((f"shortcut: {name}", f"{percent(x)} %") for name, x in summary["shortcuts"].items()),
    ]


def table(summary: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return accuracy by ranges of lengths, with intervals, as a table."""
    rows = []
    for values in summary["by_length"]:
        (first, last), (low, high) = values["lengths"], values["interval_95"]
        rows.append(
            [
                str(first) if first == last else f"{first}..{last}",
                percent(values["accuracy"]),
                percent_interval(low, high),
                f"{values['words']:,}",
            ]
        )
    return ["length", "accuracy %", "95 % interval", "words"], rows


def _choose_words(
    words: LabelledWords, rows: torch.Tensor, lengths: Sequence[int] | None, name: str
) -> torch.Tensor:
    """Return the words of some lengths, or all of them."""
    if lengths is None:
        return rows
    rows_of_lengths = rows[torch.isin(_lengths(words, rows), torch.tensor(list(lengths)))]
    if not len(rows_of_lengths):
        raise TaskError(f"no word of this part of {name} has one of these lengths. Use others.")
    return rows_of_lengths


def _readable(
    words: LabelledWords, rows: torch.Tensor, most: int | None, name: str
) -> tuple[torch.Tensor, int]:
    """Return the words that a model reads, which has `most` positions, and how many it does not."""
    if most is None:
        return rows, 0
    readable = rows[_lengths(words, rows) <= most]
    if not len(readable):
        raise TaskError(f"all these words of {name} have more than {most} symbols. Use others.")
    return readable, len(rows) - len(readable)


def _notes(left_out: int, model: str) -> list[str]:
    if not left_out:
        return []
    return [
        f"{format_count(left_out, 'word')} left out, longer than the positions of {model} reach"
    ]


def _lengths(words: LabelledWords, rows: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(words.lengths(rows.numpy()))


def _batches(words: LabelledWords, rows: torch.Tensor) -> list[Batch]:
    """Return words in batches that fit into memory; they come in the order of their lengths."""
    return [batch_of(words, rows[group]) for group in neighbours(_lengths(words, rows).tolist())]


def _shortcuts(words: LabelledWords, learnt: torch.Tensor, rows: torch.Tensor) -> dict[str, float]:
    """Return the accuracy of each shortcut on some words, learnt from others."""
    symbols, classes = len(words.alphabet), len(words.class_names)
    longest = max(int(_lengths(words, part_rows).max()) for part_rows in (learnt, rows))
    at_once = max(1, _MOST_FEATURES // max(symbols**2, longest))
    seen, tested = (
        [batch_of(words, part) for part in torch.split(part_rows, at_once)]
        for part_rows in (learnt, rows)
    )
    hits = right_on_batches(seen, tested, symbols, classes)
    return {name: number / len(rows) for name, number in hits.items()}


def _share(records: Sequence[Score]) -> dict[str, Any]:
    """Return words, right answers, accuracy and its interval."""
    total, correct = (
        sum(record.total for record in records),
        sum(record.correct for record in records),
    )
    return {
        "words": total,
        "correct": correct,
        "accuracy": correct / total if total else None,
        "interval_95": list(wilson(correct, total)) if total else None,
    }


def shares_by_length(scores: Scores) -> list[dict[str, Any]]:
    """Return accuracy of ranges of lengths with about equally many words."""
    ranges: list[dict[str, Any]] = []
    held: list[Score] = []
    lengths = scores.lengths
    least = scores.total / _RANGES if len(lengths) > _RANGES else 1
    for length in lengths:
        held += [record for record in scores.records if record.length == length]
        if sum(record.total for record in held) >= least or length == lengths[-1]:
            ranges.append({"lengths": [held[0].length, length], **_share(held)})
            held = []
    return ranges
