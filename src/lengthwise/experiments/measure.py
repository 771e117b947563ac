"""One trained run, tested: scores by length, shortcuts beside them, stored in the run's folder."""

import math
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import torch

from lengthwise.analysis.receptive_field import context_field
from lengthwise.data.text_corpus import END, TEST, Corpus
from lengthwise.errors import TaskError
from lengthwise.evaluation.evaluate import evaluate
from lengthwise.evaluation.perplexity import last_token_perplexity, require_windows
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import Scores
from lengthwise.evaluation.shortcuts import shortcut_accuracies
from lengthwise.evaluation.steps import evaluate_steps
from lengthwise.models.cost import forward_flops, matmul_rate
from lengthwise.models.language_model import LanguageModel
from lengthwise.models.threads import processor_threads
from lengthwise.tasks.task import Task
from lengthwise.training.autocast import require_autocast
from lengthwise.training.guided import split
from lengthwise.training.language_plan import LanguagePlan
from lengthwise.training.processes import Place
from lengthwise.training.step_plan import StepPlan
from lengthwise.training.train import Run, environment

_RUN, _RUNS = 12, 5
"""Shortcuts are computed at five runs of twelve neighbouring lengths, since what a language does
can depend on the length modulo 2, 3, 4 or 6, and a stride would see one remainder only."""


def measure(
    run: Run,
    lengths: Sequence[int],
    *,
    protocol: str | None = None,
    words_per_length: int = 512,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Scores, dict[str, Any]]:
    """Test a run and return its scores and their summary, with what made them.

    The words are drawn with the run's own protocol unless another is asked for.

    Raises:
        TaskError: none of the lengths has a word, or there would be too many symbols.
    """
    task = run.task
    if protocol is not None and protocol != task.protocol:
        task = Task(language=task.language, protocol=protocol)
    device = device_of(run.model)
    with processor_threads(run.plan.threads):
        start = time.perf_counter()
        scores = evaluate(
            run.model,
            task,
            lengths,
            name=run.plan.model,
            words_per_length=words_per_length,
            seed=seed,
            device=device,
            progress=progress,
        )
        seconds = time.perf_counter() - start
        some = spread_lengths(scores.lengths)
        rules = shortcut_accuracies(
            task, some, words_per_length, torch.Generator().manual_seed(seed + 1)
        )
    summary = {
        **scores.summary(),
        "task": task.id,
        "title": task.title,
        "language": task.language.spec,
        "protocol": task.protocol,
        "words_per_length": words_per_length,
        "seed": seed,
        "missing_lengths": list(scores.missing),
        "shortcuts": rules,
        "shortcut_lengths": some,
        "seconds": round(seconds, 3),
        "environment": environment(str(device)),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if run.folder:
        run.folder.save_evaluation(scores.to_records(), summary)
    return scores, summary


def measure_steps(
    run: Run, *, words: int | None = None, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Test a run on a step task, on inputs that it was neither trained nor validated on.

    `words` of them, or all that are set apart for the test.

    Raises:
        TaskError: more are asked for than are set apart.
    """
    plan = run.plan
    assert isinstance(plan, StepPlan)
    inputs, layout = split(plan.steps, plan.guided).test, plan.steps.layout(plan.guided.supervision)
    if words is not None and words > len(inputs):
        raise TaskError(
            f"{len(inputs):,} inputs are set apart for the test of this run, but {words:,} are "
            f"asked for. Use fewer, or train with a greater test_words."
        )
    start = time.perf_counter()
    with processor_threads(plan.threads):
        scores = evaluate_steps(run.model, plan.steps, layout, inputs[:words], progress=progress)
    seconds = time.perf_counter() - start
    summary = {
        "task": plan.steps.name,
        "model": plan.model,
        "body": plan.body,
        "supervision": plan.guided.supervision,
        **scores.summary(),
        "right_at": scores.right_at,
        "seconds": round(seconds, 3),
        "environment": environment(str(device_of(run.model))),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if run.folder:
        run.folder.save_evaluation([], summary)
    return summary


def measure_perplexity(
    run: Run,
    lengths: Sequence[int],
    *,
    part: str = TEST,
    corpus: Corpus | None = None,
    windows: int = 1_000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Test a language model at some lengths of context; records by length, and their summary.

    The text is a part of the run's corpus, or of another one with the same tokenizer.

    Raises:
        TextError: the corpus is another one by now, its tokens mean something else, or it is too
            short.
        TaskError: a length is below 2, or comes twice.
        WordError: the model reads no texts as long.
    """
    plan = run.plan
    assert isinstance(plan, LanguagePlan)
    assert isinstance(run.model, LanguageModel)
    run.model.require_length(max(lengths, default=0))
    text = corpus_of(run, corpus)
    with processor_threads(plan.threads):
        found = last_token_perplexity(
            run.model.eval(),
            text.part(part),
            lengths,
            windows=windows,
            seed=seed,
            progress=progress,
        )
    records = [each.to_record() for each in found]
    summary = {
        "corpus": str(text.folder),
        "part": part,
        "model": plan.model,
        "train_window": plan.text.window,
        "lengths": list(lengths),
        "windows": windows,
        "seed": seed,
        "perplexity": {each.length: each.perplexity for each in found},
        "bytes_per_token": text.bytes_per_token(part),
        "environment": environment(str(device_of(run.model))),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if run.folder:
        run.folder.save_evaluation(records, summary)
    return records, summary


def measure_field(
    run: Run, length: int, *, part: str = TEST, windows: int = 100, seed: int = 0
) -> dict[str, Any]:
    """The receptive field of a language model on random windows of its corpus.

    Raises:
        TextError: the corpus is another one by now, or has no window of that length.
        ClaimError: a gradient is zero or not finite.
    """
    plan = run.plan
    assert isinstance(plan, LanguagePlan)
    assert isinstance(run.model, LanguageModel)
    text = plan.corpus.load(Corpus).part(part)
    require_windows(text, length, f"the {part} part of the text")
    numbers = np.random.default_rng(seed).integers(text.num_windows(length), size=windows)
    tokens = torch.from_numpy(text.windows(numbers, length))
    with processor_threads(plan.threads):
        return context_field(run.model, tokens)


class TrainingCost(NamedTuple):
    """What a token costs in training, and how many a second there would be at full utilisation."""

    flops_per_token: float
    """Three times those of an answer to a window: forward, and twice as many backward."""
    full_speed: float
    """If all processes did nothing but what a large matrix product reaches on the device."""


def training_cost(plan: LanguagePlan, device: torch.device) -> TrainingCost:
    """That of a plan on each of the processes' devices, which are taken to be alike.

    The main process measures its own; the others, which nobody hears, are told of no cost.

    Raises:
        ConfigError: the device cannot compute in the precision of `autocast`.
    """
    place = Place.here()
    if place.number > 0:
        return TrainingCost(0.0, math.inf)
    window = plan.text.window
    half = plan.autocast == "bfloat16"
    require_autocast(device, plan.autocast)
    per_token = 3 * forward_flops(plan.build(), plan.network.vocab_size, window) / window
    with processor_threads(plan.threads):
        peak = matmul_rate(device, torch.bfloat16 if half else torch.float32)
    return TrainingCost(per_token, place.count * peak / per_token)


def corpus_of(run: Run, other: Corpus | None = None) -> Corpus:
    """The corpus of a run, or another one, if its tokens mean the same.

    Raises:
        TextError: they do not, or the run's own is not there, or another one by now.
    """
    plan = run.plan
    assert isinstance(plan, LanguagePlan)
    if other is None:
        return plan.corpus.load(Corpus)
    plan.corpus.require_same_tokens(other)
    return other


def continued(
    run: Run,
    text: str,
    corpus: Corpus,
    *,
    tokens: int = 50,
    temperature: float = 0.0,
    seed: int = 0,
) -> str:
    """How a language model goes on with a text: so many tokens, or fewer if it ends before.

    Raises:
        WordError: the text is empty, or would grow longer than the model can read.
    """
    plan, device = run.plan, device_of(run.model)
    assert isinstance(run.model, LanguageModel)
    given = torch.from_numpy(corpus.encode(text))[None].to(device)
    with processor_threads(plan.threads):
        found = run.model.eval().complete(
            given,
            tokens,
            temperature=temperature,
            generator=torch.Generator(device).manual_seed(seed),
        )
    return corpus.decode(found[0, given.shape[1] :].tolist()).partition(END)[0]


def spread_lengths(lengths: Sequence[int]) -> list[int]:
    """Runs of neighbours, evenly spread over the lengths; all of them if there are few."""
    if len(lengths) <= _RUN * _RUNS:
        return list(lengths)
    step = (len(lengths) - _RUN) / (_RUNS - 1)
    firsts = [round(index * step) for index in range(_RUNS)]
    return sorted({n for first in firsts for n in lengths[first : first + _RUN]})
