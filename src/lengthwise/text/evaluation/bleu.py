"""Quality of translations: BLEU and chrF of a whole text by sacrebleu, with confidence intervals.

Bootstrap resampling (Koehn 2004) takes the BLEU of `SAMPLES` texts made of sentences that are drawn
from the test with replacement. The draws are sacrebleu's, and are always the same for a test of the
same number of sentences. Two systems on one test are thus compared sample by sample. p is the share
of samples in which the difference is as far from its mean as the difference of the whole test is
from 0, to either side. (sacrebleu's paired test is one-sided, and its p is about half as great.)

Axes:
    sentence  sentences of a test
    sample    resampled tests
    figure    what BLEU is made of: matches and counts of 1 to 4-grams, and both lengths
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.extra import require_extra
from lengthwise.errors import TaskError
from lengthwise.messages import format_count

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

SAMPLES = 1_000

BUCKETS = (10, 20, 30, 40, 60, 80)
"""Greatest length of sources in each bucket, in tokens; one more bucket has all longer sources."""

FEWEST = 30
"""Fewest sentences on which two systems are compared: with fewer, samples are alike by chance."""

_SEED = 12_345
"""Seed of the draws, the same as in sacrebleu."""

_ORDERS = 4
_AT_ONCE = 100


class BleuAtLength(NamedTuple):
    """BLEU of the sentences whose source has `first` to `last` tokens, both included."""

    first: int
    last: int
    sentences: int
    bleu: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TranslationScores:
    """Scores of one test of translations."""

    sentences: int
    bleu: float
    interval_95: tuple[float, float]
    """95 % interval of BLEU, from the samples."""
    chrf: float
    signatures: Mapping[str, str]
    """sacrebleu's signatures, which say how it counted."""
    length_ratio: float
    """Number of words of all translations over that of the references."""
    by_length: tuple[BleuAtLength, ...]
    samples: tuple[float, ...]
    """BLEU of each resampled test, with three decimals."""

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain values."""
        plain = asdict(self)
        plain["by_length"] = [bucket._asdict() for bucket in self.by_length]
        return {**plain, "interval_95": list(self.interval_95), "samples": list(self.samples)}


def scores(
    translations: Sequence[str],
    references: Sequence[str],
    lengths: NDArray[np.int64],
    *,
    buckets: Sequence[int] = BUCKETS,
) -> TranslationScores:
    """Return BLEU and chrF of translations, in total and by the length of their sources.

    A bucket holds the lengths above the bound of the bucket before, up to its own bound.

    Raises:
        TaskError: there is nothing to score.
        ConfigError: sacrebleu is not installed.
    """
    if not translations:
        raise TaskError("there is no sentence to score. Give a test part that has some.")
    require_extra("sacrebleu")
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415
    from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415

    bleu, chrf = BLEU(), CHRF()
    total = bleu.corpus_score(translations, [references])
    letters = chrf.corpus_score(translations, [references])
    figures = sentence_figures(translations, references)
    samples = np.round(_samples(bleu, figures), 3)
    low, high = np.quantile(samples, [0.025, 0.975])
    return TranslationScores(
        sentences=len(translations),
        bleu=total.score,
        interval_95=(float(low), float(high)),
        chrf=letters.score,
        signatures={"bleu": str(bleu.get_signature()), "chrf": str(chrf.get_signature())},
        length_ratio=total.sys_len / max(1, total.ref_len),
        by_length=tuple(_by_length(bleu, figures, lengths, buckets)),
        samples=tuple(samples.tolist()),
    )


def sentence_figures(translations: Sequence[str], references: Sequence[str]) -> NDArray[np.int64]:
    """Return the figures that BLEU adds up, of each sentence: `[sentence, figure]`."""
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415

    # An effective order only avoids a warning of sacrebleu; the counts are the same.
    single = BLEU(effective_order=True)
    sentence_scores = [
        single.sentence_score(translation, [right])
        for translation, right in zip(translations, references, strict=True)
    ]
    rows = [
        [*sentence.counts, *sentence.totals, sentence.sys_len, sentence.ref_len]
        for sentence in sentence_scores
    ]
    return np.array(rows, dtype=np.int64).reshape(len(rows), 2 * _ORDERS + 2)


class BleuComparison(NamedTuple):
    """The difference of two systems on one test."""

    difference: float
    """BLEU of the second minus that of the first."""
    p_value: float
    """Probability that chance alone makes a difference as great, to either side."""
    share_better: float
    """Share of samples in which the second is better."""


def compare_systems(first: Mapping[str, Any], second: Mapping[str, Any]) -> BleuComparison:
    """Compare two systems, from `TranslationScores.to_dict` of each.

    Raises:
        TaskError: they were tested on different sentences or in different ways, or on fewer
            sentences than `FEWEST`.
    """
    require_comparable(first, second)
    base, other = np.array(first["samples"]), np.array(second["samples"])
    difference = second["bleu"] - first["bleu"]
    apart = other - base
    beyond = int((np.abs(apart - apart.mean()) >= abs(difference)).sum())
    return BleuComparison(
        difference=difference,
        p_value=(beyond + 1) / (len(base) + 1),
        share_better=float((other > base).mean()),
    )


def require_comparable(first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    """Refuse to compare the results of different tests, or of too few sentences.

    Raises:
        TaskError: their `test` or `decoding` differs, or they have fewer than `FEWEST` `sentences`.
    """
    if first.get("decoding") != second.get("decoding"):
        raise TaskError(
            f"two systems are compared on translations that were searched for alike, but theirs "
            f"were not ({first.get('decoding')} and {second.get('decoding')}). Test both again."
        )
    if first["test"] != second["test"]:
        raise TaskError(
            f"two systems are compared on the same sentences, but theirs differ "
            f"({first['sentences']:,} and {second['sentences']:,}). Test both on one part, under "
            f"one protocol."
        )
    if first["sentences"] < FEWEST:
        raise TaskError(
            f"{format_count(first['sentences'], 'sentence')} cannot compare two systems. Use "
            f"{FEWEST} or more."
        )


def digest_of_test(sources: Sequence[str], references: Sequence[str]) -> str:
    """Return twelve hex digits that are equal for equal tests."""
    body = json.dumps([list(sources), list(references)])
    return hashlib.sha256(body.encode()).hexdigest()[:12]


def _samples(bleu: "BLEU", figures: NDArray[np.int64]) -> NDArray[np.float64]:
    count = len(figures)
    draws = np.random.default_rng(_SEED).choice(count, size=(SAMPLES, count), replace=True)
    sums = [
        figures[part].sum(axis=1) for part in np.split(draws, range(_AT_ONCE, SAMPLES, _AT_ONCE))
    ]
    return np.array([_bleu(bleu, row) for row in np.concatenate(sums)])


def _by_length(
    bleu: "BLEU", figures: NDArray[np.int64], lengths: NDArray[np.int64], buckets: Sequence[int]
) -> list[BleuAtLength]:
    """Return BLEU of each bucket that has sentences; the last bucket has all that are longer."""
    ends = np.array(sorted(buckets), dtype=np.int64)
    bucket_of = np.searchsorted(ends, lengths)
    scores_by_length = []
    for number in np.unique(bucket_of):
        in_bucket = bucket_of == number
        first = int(ends[number - 1]) + 1 if number else 0
        last = int(ends[number]) if number < len(ends) else int(lengths.max())
        score = _bleu(bleu, figures[in_bucket].sum(axis=0))
        scores_by_length.append(BleuAtLength(first, last, int(in_bucket.sum()), score))
    return scores_by_length


def _bleu(bleu: "BLEU", figures: NDArray[np.int64]) -> float:
    """Return BLEU of figures that were added up."""
    row = figures.tolist()
    score: float = bleu.compute_bleu(
        correct=row[:_ORDERS],
        total=row[_ORDERS : 2 * _ORDERS],
        sys_len=row[-2],
        ref_len=row[-1],
        smooth_method=bleu.smooth_method,
        smooth_value=bleu.smooth_value,
        effective_order=False,
        max_ngram_order=_ORDERS,
    ).score
    return score
