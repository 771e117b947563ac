"""Tests and answers of translators: BLEU and chrF by length, translations of a user's sentences."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.extra import require_extra
from lengthwise.data.parts import TEST, TRAIN
from lengthwise.errors import ConfigError, TextError, WordError
from lengthwise.evaluation.predict import device_of
from lengthwise.languages.validation import is_encodable
from lengthwise.messages import format_count
from lengthwise.models.threads import processor_threads
from lengthwise.problems.base import Run
from lengthwise.problems.results import Answer, Evaluation, Facts, Options, Predictor, Watch
from lengthwise.text.data.parallel_corpus import ParallelCorpus, Ragged
from lengthwise.text.evaluation.bleu import (
    BUCKETS,
    FEWEST,
    compare_systems,
    digest_of_test,
    require_comparable,
    scores,
)
from lengthwise.text.evaluation.decoding import DecodingConfig
from lengthwise.text.evaluation.translate import Translator, require_short, translate_sentences
from lengthwise.text.problems.corpus import CorpusReference
from lengthwise.text.problems.translation.objective import find_within, limits
from lengthwise.training.devices import environment


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """The sentences that a run translates in a test."""

    text: ParallelCorpus
    part: str
    tokens: list[NDArray[np.int64]]
    sources: list[str]
    references: list[str]
    longest_trained: int | None
    """A bound that all sources exceed: the greatest length in training; None if there is no
    bound."""

    def facts(self) -> dict[str, Any]:
        """Return the figures that distinguish two tests."""
        return {
            "test": digest_of_test(self.sources, self.references),
            "sentences": len(self.sources),
        }


def load_test_sentences(
    run: Run,
    *,
    part: str = TEST,
    corpus: ParallelCorpus | Path | str | None = None,
    sentences: int | None = None,
) -> _Asked:
    """Return the sentences of the test of a run: those of a part of its corpus, or of another one.

    A run that was trained on short sources is tested on those that are longer than any of training.
    `sentences` is the greatest number of sentences.

    Raises:
        TextError: the corpus was replaced by another one, its tokens mean something else, or the
            part has no sentence of that length.
    """
    plan, reference = run.require_plan(), corpus_of(run)
    text = reference.load_or(ParallelCorpus, corpus)
    is_own = text.digest == reference.digest
    pairs, least, trained = text.part(part), 0, None
    if plan.data.protocol != "train-all-test-all":
        tested_corpus = text if is_own else reference.load(ParallelCorpus)
        bounds = limits(tested_corpus.part(TRAIN), plan.data.protocol)
        least, trained = bounds.test[0], int(bounds.train[1])
    numbers = find_within(pairs, (least, np.inf))[:sentences]
    if not len(numbers):
        raise TextError(
            f"the part {part} has no source longer than {trained} tokens, the longest that this "
            f"run was trained on. Use another part, or another corpus."
        )
    sources, references = ([side[n] for n in numbers] for side in text.texts(part))
    return _Asked(
        text=text,
        part=part,
        tokens=[pairs.source.tokens(n) for n in numbers],
        sources=sources,
        references=references,
        longest_trained=trained,
    )


def evaluate_translator(run: Run, options: Options, watch: Watch) -> Evaluation:
    """Return BLEU and chrF of a run on the sentences that `load_test_sentences` returns.

    `options` are `part` (by default `test`), `text` (another corpus), `words` (greatest number of
    sentences), `buckets` (lengths of sources by which scores are divided), the settings of
    `DecodingConfig`, and `against`, another run that is tested on the same sentences.

    Raises:
        TextError: as for `load_test_sentences`.
        ConfigError: sacrebleu is not installed, or `against` does not translate.
    """
    against = options.get("against")
    if against is None:
        return _measure(run, options, watch)
    if against.problem.kind != run.problem.kind:
        name = against.folder.path if against.folder else "what was given"
        raise ConfigError(f"--against must be a translator, but {name} is not.")
    part, text = options.get("part", TEST), options.get("text")
    tests = [  # checked before hours of translating
        load_test_sentences(
            translator, part=part, corpus=text, sentences=options.get("words")
        ).facts()
        for translator in (run, against)
    ]
    require_comparable(*tests)
    evaluation, beside = _measure(run, options, watch), _measure(against, options, watch)
    better, other = compare_systems(beside.values, evaluation.values), beside.values
    path = str(against.folder.path) if against.folder else "another run"
    assert evaluation.printed is not None
    beside_it = {"run": path, "bleu": other["bleu"], "chrf": other["chrf"], **better._asdict()}
    sentence = (
        f"{other['bleu']:.2f}: {better.difference:+.2f} BLEU, p = {better.p_value:.3f} (paired "
        f"bootstrap, better in {100 * better.share_better:.1f} % of samples)"
    )
    return replace(
        evaluation,
        facts=[*evaluation.facts, (f"against {path}", sentence)],
        printed={**evaluation.printed, "against": beside_it},
        notes=[*evaluation.notes, *beside.notes],
    )


def _measure(run: Run, options: Options, watch: Watch) -> Evaluation:
    require_extra("sacrebleu")
    plan, decoding = run.require_plan(), decoding_of(options)
    part, buckets = options.get("part", TEST), options.get("buckets", BUCKETS)
    test = load_test_sentences(
        run, part=part, corpus=options.get("text"), sentences=options.get("words")
    )
    start = time.perf_counter()
    with watch("translating", "sentences") as progress:
        translations = _translate(run, test.text, test.tokens, decoding, progress)
    seconds = time.perf_counter() - start
    sentences = [translation.sentence for translation in translations]
    lengths = np.array([len(token) for token in test.tokens])
    records = [
        {"tokens": tokens, "source": source, "reference": reference, "translation": translation}
        for tokens, source, reference, translation in zip(
            lengths.tolist(), test.sources, test.references, sentences, strict=True
        )
    ]
    summary = {
        "corpus": str(test.text.folder),
        "corpus_digest": test.text.digest,
        "at_most": options.get("words"),
        "text": _describe_text(test.text, part),
        "part": part,
        "model": plan.model,
        "protocol": plan.data.protocol,
        "longest_trained": test.longest_trained,
        "decoding": decoding.to_dict(),
        **scores(sentences, test.references, lengths, buckets=buckets).to_dict(),
        **test.facts(),
        "cut": sum(translation.is_cut for translation in translations),
        "seconds": round(seconds, 3),
        "environment": environment(str(device_of(run.model))),
        "date": datetime.now(UTC).date().isoformat(),
    }
    cells = [
        [
            f"{bucket['first']}..{bucket['last']}",
            f"{bucket['sentences']:,}",
            f"{bucket['bleu']:.2f}",
        ]
        for bucket in summary["by_length"]
    ]
    return Evaluation(
        values=summary,
        records=records,
        facts=facts_of_translator(summary),
        table=(["source tokens", "sentences", "BLEU"], cells),
        printed={key: value for key, value in summary.items() if key != "samples"},
        notes=[*describe_cut(summary["cut"], decoding), *_describe_few(summary["sentences"])],
    )


def _describe_few(sentences: int) -> list[str]:
    """Return a line if an interval says little."""
    if sentences >= FEWEST:
        return []
    return [
        f"the interval is that of {format_count(sentences, 'sentence')} alone, too few to say much"
    ]


def facts_of_translator(summary: Mapping[str, Any]) -> Facts:
    """Return the summary of an evaluation as a person reads it."""
    low, high = summary["interval_95"]
    trained_to = summary["longest_trained"]
    longer = f", all longer than the {trained_to} tokens of training" if trained_to else ""
    return [
        ("text", f"{summary['corpus']}, part {summary['part']}"),
        ("sentences", f"{summary['sentences']:,}{longer}"),
        ("BLEU", f"{summary['bleu']:.2f} (95 %: {low:.2f} to {high:.2f})"),
        ("chrF", f"{summary['chrf']:.2f}"),
        ("signature", summary["signatures"]["bleu"]),
        ("words", f"{summary['length_ratio']:.2f} for one of the references"),
    ]


def decoding_of(options: Options) -> DecodingConfig:
    """Return the settings of the search for translations: those in the options, and defaults.

    Raises:
        ConfigError: a number is out of range.
    """
    names = DecodingConfig.__dataclass_fields__
    return DecodingConfig.from_dict({n: value for n, value in options.items() if n in names})


def describe_cut(cut: int, decoding: DecodingConfig) -> list[str]:
    """Return a line with the number of translations cut at their limit; none if it is 0."""
    if not cut:
        return []
    return [
        f"{format_count(cut, 'translation')} cut at {decoding.ratio:g} tokens for each "
        f"of the source and 10 more; --ratio sets how many"
    ]


def corpus_of(run: Run) -> CorpusReference:
    """Return the reference to the corpus of a run."""
    reference = getattr(run.problem, "corpus", None)
    assert isinstance(reference, CorpusReference)
    return reference


@dataclass(frozen=True, kw_only=True, slots=True)
class TranslationAnswer(Answer):
    """A translation of a sentence."""

    is_cut: bool


def translator_of(run: Run, options: Options) -> Predictor:
    """Return the predictor, which translates sentences."""
    decoding = decoding_of(options)
    corpus = corpus_of(run).load_or(ParallelCorpus, options.get("text"))

    def read(sentence: str) -> str:
        if not is_encodable(sentence):
            raise WordError("has half of a character (a lone surrogate). Repair it.")
        try:
            require_short(len(corpus.encode(sentence)), "")
        except TextError as error:
            raise WordError(str(error).lstrip()) from None
        return sentence

    def answer(sentences: Sequence[str]) -> list[TranslationAnswer]:
        translations = translate_strings(run, sentences, corpus=corpus, decoding=decoding)
        return [
            TranslationAnswer(
                shown=translation.sentence,
                record={"sentence": sentence, "translation": translation.sentence},
                is_cut=translation.is_cut,
            )
            for sentence, translation in zip(sentences, translations, strict=True)
        ]

    def cut(answers: Sequence[Answer]) -> int:
        return sum(isinstance(answer, TranslationAnswer) and answer.is_cut for answer in answers)

    return Predictor(
        read=read,
        answer=answer,
        key="sentences",
        joint=" ",
        together=64,
        totals=lambda answers: {"cut": cut(answers)},
        notes=lambda answers: describe_cut(cut(answers), decoding),
    )


class Written(NamedTuple):
    """A translation as text."""

    sentence: str
    is_cut: bool
    """Whether the translation was unfinished when it reached its limit."""


def translate_strings(
    run: Run,
    sentences: Sequence[str],
    *,
    corpus: ParallelCorpus | None = None,
    decoding: DecodingConfig | None = None,
) -> list[Written]:
    """Translate sentences that a user gives; the translation of an empty sentence is empty.

    Raises:
        TextError: a sentence is longer than memory allows, or the corpus does not exist.
    """
    text = corpus_of(run).load_or(ParallelCorpus, corpus)
    tokens = [text.encode(sentence) for sentence in sentences]
    return _translate(run, text, tokens, decoding or DecodingConfig(), None)


def _translate(
    run: Run,
    corpus: ParallelCorpus,
    tokens: Sequence[NDArray[np.int64]],
    decoding: DecodingConfig,
    progress: Callable[[int, int], None] | None,
) -> list[Written]:
    model = run.model.eval()
    assert isinstance(model, Translator)
    with processor_threads(run.plan.threads):
        translations = translate_sentences(
            model,
            Ragged(np.concatenate([*tokens, _NONE]), np.cumsum([0, *map(len, tokens)])),
            decoding,
            device=device_of(run.model),
            progress=progress,
        )
    return [
        Written(_in_one_line(corpus.decode(translation.tokens)), translation.is_cut)
        for translation in translations
    ]


_NONE: NDArray[np.int64] = np.zeros(0, np.int64)


def _in_one_line(text: str) -> str:
    """Return the text with a space for line ends and control characters, which bytes can spell."""
    return " ".join("".join(" " if category(c) == "Cc" else c for c in text).split())


def _describe_text(corpus: ParallelCorpus, part: str) -> str:
    """Describe the text of a part in words."""
    sources = [Path(source.partition(",")[0]).name for source in corpus.index["sources"][part]]
    return f"{', '.join(sources)} ({' to '.join(corpus.languages)})"
