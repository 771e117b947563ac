"""Tests and answers of language models: perplexity by length, receptive field, continued texts."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import torch

from lengthwise.data.parts import TEST
from lengthwise.evaluation.predict import device_of
from lengthwise.messages import format_count
from lengthwise.models.threads import processor_threads
from lengthwise.problems.base import Run
from lengthwise.problems.results import Evaluation, Options, Watch
from lengthwise.text.context_field import context_field
from lengthwise.text.data.text_corpus import END, Corpus, Tokens
from lengthwise.text.evaluation.perplexity import last_token_perplexity, require_windows
from lengthwise.text.models.language_model import LanguageModel
from lengthwise.training.devices import environment
from lengthwise.zoo_paths import spell_path

_DOUBLINGS = 4


def evaluate_language_model(run: Run, corpus: Corpus, options: Options, watch: Watch) -> Evaluation:
    """Return the perplexity of the last token of random windows, by window length.

    `options` are `lengths` (by default 1, 2, 4, 8 and 16 times the window of training), `words`
    (windows of each length, by default 1,000), `seed` and `part` of the corpus.

    Raises:
        TextError: the corpus is too short.
        TaskError: a length is below 2, or is repeated.
        WordError: the model cannot read texts of a length.
    """
    plan, model, notes = run.require_plan(), run.model, list[str]()
    assert isinstance(model, LanguageModel)
    part, seed = options.get("part", TEST), options.get("seed", 0)
    windows = options.get("words", 1_000)
    lengths = options.get("lengths")
    if lengths is None:
        lengths = _usual_windows(plan.data.window, model.max_positions, corpus.part(part), notes)
    model.require_length(max(lengths, default=0))
    with processor_threads(plan.threads), watch("evaluating", "tokens") as progress:
        perplexities = last_token_perplexity(
            model.eval(), corpus.part(part), lengths, windows=windows, seed=seed, progress=progress
        )
    records = [perplexity.to_record() for perplexity in perplexities]
    if perplexities[0].windows < windows:
        notes.append(
            f"part {part} has {format_count(perplexities[0].windows, 'window')} of "
            f"{max(lengths):,} tokens: all of them were asked"
        )
        windows = perplexities[0].windows
    summary = {
        "corpus": spell_path(corpus.folder),
        "corpus_digest": corpus.digest,
        "part": part,
        "model": plan.model,
        "train_window": plan.data.window,
        "lengths": list(lengths),
        "windows": windows,
        "seed": seed,
        "perplexity": {perplexity.length: perplexity.perplexity for perplexity in perplexities},
        "bytes_per_token": corpus.bytes_per_token(part),
        "environment": environment(str(device_of(model))),
        "date": datetime.now(UTC).date().isoformat(),
    }
    rows = [
        [
            f"{record['length']:,}",
            f"{record['perplexity']:.2f}",
            "{:.2f} to {:.2f}".format(*record["interval_95"]),
            f"{1e3 * record['seconds'] / record['windows']:.1f}",
        ]
        for record in records
    ]
    return Evaluation(
        values=summary,
        records=records,
        facts=[
            ("text", f"{summary['corpus']}, part {part}"),
            ("model", f"{plan.model}, trained on windows of {plan.data.window:,}"),
            ("asked", f"the last token of {windows:,} windows at each length"),
        ],
        table=(["length", "perplexity", "95 % interval", "ms a window"], rows),
        printed={**summary, "records": records},
        notes=notes,
    )


def measure_field(
    run: Run, corpus: Corpus, length: int, *, windows: int, seed: int
) -> dict[str, Any]:
    """Return the influence of each token of the context, on random windows of a corpus.

    Raises:
        TextError: the corpus has no window of that length.
        ClaimError: a gradient is zero or not finite.
    """
    assert isinstance(run.model, LanguageModel)
    text = corpus.part(TEST)
    require_windows(text, length, f"the {TEST} part of the text")
    numbers = np.random.default_rng(seed).integers(text.num_windows(length), size=windows)
    tokens = torch.from_numpy(text.windows(numbers, length))
    with processor_threads(run.plan.threads):
        return context_field(run.model, tokens)


def continue_text(
    run: Run, corpus: Corpus, text: str, *, tokens: int, temperature: float, seed: int
) -> str:
    """Return a continuation of a text by a number of tokens, or fewer if it ends before.

    Raises:
        WordError: the text is empty, or would grow longer than the model can read.
    """
    device = device_of(run.model)
    assert isinstance(run.model, LanguageModel)
    inputs = torch.from_numpy(corpus.encode(text))[None].to(device)
    with processor_threads(run.plan.threads):
        output = run.model.eval().complete(
            inputs,
            tokens,
            temperature=temperature,
            generator=torch.Generator(device).manual_seed(seed),
        )
    return corpus.decode(output[0, inputs.shape[1] :].tolist()).partition(END)[0]


def _usual_windows(
    window: int, most: int | None, tokens: Tokens, notes: list[str]
) -> Sequence[int]:
    """Return 1, 2, 4, 8 and 16 times the window of training, as far as model and text allow.

    For a text without windows of any of these lengths, return the longest possible of a half, a
    fourth, ... of the window.
    """
    lengths = [window * 2**power for power in range(_DOUBLINGS + 1)]
    read = [length for length in lengths if most is None or length <= most]
    lengths_read = [length for length in read if tokens.num_windows(length)]
    if lengths_read == read:
        return read
    shorter = (window >> power for power in range(1, window.bit_length() - 1))
    lengths_read = lengths_read or [length for length in shorter if tokens.num_windows(length)][:1]
    if lengths_read:
        longest = lengths_read[-1]
        notes.append(
            f"the text has no window of {2 * longest:,} tokens, so {longest:,} is the longest asked"
        )
    return lengths_read or read[:1]
