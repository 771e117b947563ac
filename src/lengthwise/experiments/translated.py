"""One trained translator, tested on a part of a parallel corpus, or asked for sentences."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.extra import require_extra
from lengthwise.data.parallel_corpus import ParallelCorpus, Ragged
from lengthwise.data.text_corpus import TEST, TRAIN
from lengthwise.errors import TextError
from lengthwise.evaluation.bleu import BUCKETS, digest_of_test, scores
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.translate import DecodingConfig, Translator, translate
from lengthwise.models.threads import processor_threads
from lengthwise.training.train import Run, environment
from lengthwise.training.translation import limits, within
from lengthwise.training.translation_plan import TranslationPlan


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a run is asked to translate in a test."""

    text: ParallelCorpus
    part: str
    tokens: list[NDArray[np.int64]]
    sources: list[str]
    references: list[str]
    longest_trained: int | None
    """All sources are longer, if there is a bound."""

    def facts(self) -> dict[str, Any]:
        """By which two tests are told apart."""
        return {
            "test": digest_of_test(self.sources, self.references),
            "sentences": len(self.sources),
        }


def asked(
    run: Run,
    *,
    part: str = TEST,
    corpus: ParallelCorpus | None = None,
    sentences: int | None = None,
) -> Asked:
    """The sentences of the test of a run: those of a part of its corpus, or of another one.

    Trained on short sources, a run is tested on those that are longer than any of training.
    `sentences` is how many at most.

    Raises:
        TextError: the corpus is another one by now, its tokens mean something else, or the part has
            no sentence of that length.
    """
    plan = run.plan
    assert isinstance(plan, TranslationPlan)
    is_own = corpus is None or corpus.digest == plan.corpus.digest
    text = corpus or plan.load_corpus()
    plan.corpus.require_same_tokens(text)
    pairs, least, trained = text.part(part), 0, None
    if plan.translation.protocol != "train-all-test-all":
        own = text if is_own else plan.load_corpus()
        bounds = limits(own.part(TRAIN), plan.translation.protocol)
        least, trained = bounds.test[0], int(bounds.train[1])
    numbers = within(pairs, (least, np.inf))[:sentences]
    if not len(numbers):
        raise TextError(
            f"the part {part} has no source longer than {trained} tokens, the longest that this "
            f"run was trained on. Use another part, or another corpus."
        )
    sources, references = ([side[n] for n in numbers] for side in text.texts(part))
    return Asked(
        text=text,
        part=part,
        tokens=[pairs.source.tokens(n) for n in numbers],
        sources=sources,
        references=references,
        longest_trained=trained,
    )


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
    """Translate what `asked` gives, and score it; a record for each sentence, and the summary.

    Raises:
        TextError: as for `asked`.
        ConfigError: sacrebleu is not installed.
    """
    require_extra("sacrebleu")
    plan, decoding = run.plan, decoding or DecodingConfig()
    assert isinstance(plan, TranslationPlan)
    test = asked(run, part=part, corpus=corpus, sentences=sentences)
    start = time.perf_counter()
    found = _translated(run, test.text, test.tokens, decoding, progress)
    seconds = time.perf_counter() - start
    written = [each.sentence for each in found]
    lengths = np.array([len(each) for each in test.tokens])
    records = [
        {"tokens": tokens, "source": source, "reference": reference, "translation": translation}
        for tokens, source, reference, translation in zip(
            lengths.tolist(), test.sources, test.references, written, strict=True
        )
    ]
    summary = {
        "corpus": str(test.text.folder),
        "text": _named(test.text, part),
        "part": part,
        "model": plan.model,
        "protocol": plan.translation.protocol,
        "longest_trained": test.longest_trained,
        "decoding": decoding.to_dict(),
        **scores(written, test.references, lengths, buckets=buckets).to_dict(),
        **test.facts(),
        "cut": sum(each.is_cut for each in found),
        "seconds": round(seconds, 3),
        "environment": environment(str(device_of(run.model))),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if run.folder:
        run.folder.save_evaluation(records, summary)
    return records, summary


class Written(NamedTuple):
    """A translation in words."""

    sentence: str
    is_cut: bool
    """Whether it had not come to an end when no more could be written."""


def translated(
    run: Run,
    sentences: Sequence[str],
    *,
    corpus: ParallelCorpus | None = None,
    decoding: DecodingConfig | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Written]:
    """Translations of sentences that a user gives; nothing, of nothing.

    Raises:
        TextError: a sentence is longer than memory allows, or the corpus is not there.
    """
    plan = run.plan
    assert isinstance(plan, TranslationPlan)
    text = corpus or plan.load_corpus()
    plan.corpus.require_same_tokens(text)
    tokens = [text.encode(sentence) for sentence in sentences]
    return _translated(run, text, tokens, decoding or DecodingConfig(), progress)


def _translated(
    run: Run,
    corpus: ParallelCorpus,
    tokens: Sequence[NDArray[np.int64]],
    decoding: DecodingConfig,
    progress: Callable[[int, int], None] | None,
) -> list[Written]:
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
    return [Written(_in_one_line(corpus.decode(each.tokens)), each.is_cut) for each in found]


_NONE: NDArray[np.int64] = np.zeros(0, np.int64)


def _in_one_line(text: str) -> str:
    """The text with a space for line ends and control characters, which bytes can spell."""
    return " ".join("".join(" " if category(c) == "Cc" else c for c in text).split())


def _named(corpus: ParallelCorpus, part: str) -> str:
    """Which text a part is, in words."""
    sources = [Path(each.partition(",")[0]).name for each in corpus.index["sources"][part]]
    return f"{', '.join(sources)} ({' to '.join(corpus.languages)})"
