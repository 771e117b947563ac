"""One trained translator, tested on a part of a parallel corpus, or asked for sentences."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import TextError
from lengthwise.evaluation.bleu import scores
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.translate import DecodingConfig, Translator, translate
from lengthwise.models.threads import processor_threads
from lengthwise.text.parallel import ParallelCorpus, Ragged
from lengthwise.text.prepared import TEST, TRAIN
from lengthwise.training.train import Run, environment
from lengthwise.training.translation import limits, within
from lengthwise.training.translation_plan import TranslationPlan

BUCKETS = (10, 20, 30, 40, 60, 80)
"""Longest sources of a bucket, in tokens; one more bucket has what is longer."""


def measure_translation(
    run: Run,
    *,
    part: str = TEST,
    corpus: ParallelCorpus | None = None,
    decoding: DecodingConfig | None = None,
    buckets: Sequence[int] = BUCKETS,
    sentences: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Translate the test of a run, and score it; a record for each sentence, and the summary.

    Trained on short sources, a run is tested on those that are longer than any of training, here
    and in the part of another corpus with the same tokenizer. `sentences` is how many at most.

    Raises:
        TextError: the corpus is another one by now, its tokens mean something else, or the part has
            no sentence of that length.
    """
    plan = run.plan
    assert isinstance(plan, TranslationPlan)
    own = plan.load_corpus()
    if corpus is not None:
        plan.corpus.require_same_tokens(corpus)
    text = corpus or own
    pairs, decoding = text.part(part), decoding or DecodingConfig()
    bounds = limits(own.part(TRAIN), plan.translation.protocol)
    numbers = within(pairs, bounds.test)[:sentences]
    if not len(numbers):
        raise TextError(
            f"the part {part} has no source longer than {bounds.train[1]:.0f} tokens, which this "
            f"run was trained on. Use another part, or another corpus."
        )
    sources, references = ([side[n] for n in numbers] for side in text.texts(part))
    start = time.perf_counter()
    written = _translated(run, text, [pairs.source.tokens(n) for n in numbers], decoding, progress)
    seconds = time.perf_counter() - start
    lengths = pairs.source.lengths[numbers]
    found = scores(written, references, lengths, buckets=buckets)
    records = [
        {"tokens": tokens, "source": source, "reference": reference, "translation": translation}
        for tokens, source, reference, translation in zip(
            lengths.tolist(), sources, references, written, strict=True
        )
    ]
    summary = {
        "corpus": str(text.folder),
        "part": part,
        "model": plan.model,
        "protocol": plan.translation.protocol,
        "longest_trained": _whole(bounds.train[1]),
        "decoding": decoding.to_dict(),
        **found.to_dict(),
        "seconds": round(seconds, 3),
        "environment": environment(str(device_of(run.model))),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if run.folder:
        run.folder.save_evaluation(records, summary)
    return records, summary


def translated(
    run: Run,
    sentences: Sequence[str],
    *,
    corpus: ParallelCorpus | None = None,
    decoding: DecodingConfig | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[str]:
    """Translations of sentences that a user gives.

    Raises:
        TextError: a sentence is longer than memory allows, or the corpus is not there.
    """
    plan = run.plan
    assert isinstance(plan, TranslationPlan)
    if corpus is not None:
        plan.corpus.require_same_tokens(corpus)
    text = corpus or plan.load_corpus()
    tokens = [text.encode(sentence) for sentence in sentences]
    return _translated(run, text, tokens, decoding or DecodingConfig(), progress)


def _translated(
    run: Run,
    corpus: ParallelCorpus,
    tokens: Sequence[NDArray[np.int64]],
    decoding: DecodingConfig,
    progress: Callable[[int, int], None] | None,
) -> list[str]:
    plan = run.plan
    assert isinstance(plan, TranslationPlan)
    model = run.model.eval()
    assert isinstance(model, Translator)
    with processor_threads(plan.threads):
        found = translate(
            model,
            Ragged(np.concatenate([*tokens, _NONE]), np.cumsum([0, *map(len, tokens)])),
            decoding,
            device=device_of(run.model),
            progress=progress,
        )
    return [corpus.decode(each) for each in found]


_NONE: NDArray[np.int64] = np.zeros(0, np.int64)


def _whole(bound: float) -> int | None:
    """A number of tokens; None for any."""
    return None if np.isinf(bound) else int(bound)
