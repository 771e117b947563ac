"""BLEU, its intervals and comparisons: against sacrebleu's own corpus score and paired test."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest

from lengthwise.errors import TaskError
from lengthwise.text.evaluation.bleu import SAMPLES, compare_systems, digest_of_test, scores

WORDS = ("the", "cat", "sat", "on", "a", "mat", ",", "and", "then", "it", "left", ".")


def _corpus(seed: int, count: int, noise: float) -> tuple[list[str], list[str]]:
    draw = random.Random(seed)
    references, translations = [], []
    for _ in range(count):
        right = [draw.choice(WORDS) for _ in range(draw.randrange(3, 30))]
        written = [word if draw.random() > noise else draw.choice(WORDS) for word in right]
        references.append(" ".join(right))
        translations.append(" ".join(written[: draw.randrange(2, len(written) + 1)]))
    return translations, references


def _scores(translations: list[str], references: list[str], **more: Any) -> dict[str, Any]:
    lengths = np.array([len(text.split()) for text in references])
    found = scores(translations, references, lengths, **more).to_dict()
    return {**found, "test": digest_of_test(references, references)}


@pytest.mark.parametrize("seed", range(3))
def test_they_are_those_of_sacrebleu(seed: int) -> None:
    translations, references = _corpus(seed, 60, 0.3)
    found = _scores(translations, references)
    assert found["bleu"] == BLEU().corpus_score(translations, [references]).score
    assert found["chrf"] == CHRF().corpus_score(translations, [references]).score
    assert "tok:13a" in found["signatures"]["bleu"]
    assert "nc:6" in found["signatures"]["chrf"]


@pytest.mark.parametrize("noise", [0.25, 0.3, 0.4])
def test_the_samples_are_those_of_the_paired_test_of_sacrebleu(noise: float) -> None:
    first, references = _corpus(1, 80, 0.2)
    second, _ = _corpus(1, 80, noise)
    systems: list[tuple[str, Sequence[str]]] = [("first", first), ("second", second)]
    metrics = {"BLEU": BLEU(references=[references])}
    _, results = PairedTest(systems, metrics, None, test_type="bs", n_samples=SAMPLES)()
    one, other = _scores(first, references), _scores(second, references)
    for mine, theirs in zip((one, other), results["BLEU"], strict=True):
        assert not isinstance(theirs, str)
        assert mine["bleu"] == theirs.score
        assert np.mean(mine["samples"]) == pytest.approx(theirs.mean, abs=1e-3)
    apart = np.abs(np.array(other["samples"]) - np.array(one["samples"]))
    to_one_side = (apart - apart.mean() > abs(other["bleu"] - one["bleu"])).sum()
    (_, theirs) = results["BLEU"]
    assert not isinstance(theirs, str)
    assert theirs.p_value == pytest.approx((to_one_side + 1) / (SAMPLES + 1), abs=2e-3)


def test_p_is_how_often_chance_is_as_far_to_either_side() -> None:
    one, other = _scores(*_corpus(7, 50, 0.3)), _scores(*_corpus(7, 50, 0.3))
    one["samples"] = [20.0] * SAMPLES
    other["samples"] = [20.0 + step for step in (-1, 0, 1, 2) for _ in range(SAMPLES // 4)]
    for difference, far in ((1.6, 0), (1.5, 500), (-1.5, 500), (0.4, 1_000)):
        other["bleu"] = one["bleu"] + difference
        found = compare_systems(one, other)
        assert found.p_value == (far + 1) / (SAMPLES + 1)
        assert found.share_better == 0.5


def test_a_system_is_as_good_as_itself() -> None:
    found = _scores(*_corpus(3, 40, 0.3))
    assert compare_systems(found, found) == (0.0, 1.0, 0.0)


def test_one_is_better_where_the_other_is_worse() -> None:
    good, references = _corpus(4, 60, 0.1)
    poor, _ = _corpus(4, 60, 0.7)
    one, other = _scores(poor, references), _scores(good, references)
    there, back = compare_systems(one, other), compare_systems(other, one)
    assert there.difference == -back.difference > 0
    assert there.p_value == back.p_value < 0.01
    assert there.share_better == 1.0


def test_the_interval_holds_the_score_and_nine_tenths_of_the_samples() -> None:
    found = _scores(*_corpus(5, 100, 0.3))
    low, high = found["interval_95"]
    assert low < found["bleu"] < high
    inside = [low <= sample <= high for sample in found["samples"]]
    assert 0.94 <= sum(inside) / SAMPLES <= 0.96


def test_buckets_divide_the_test_and_have_scores_of_their_own() -> None:
    translations, references = _corpus(6, 90, 0.3)
    found = _scores(translations, references, buckets=(10, 20))
    lengths = [len(text.split()) for text in references]
    buckets = [(each["first"], each["last"]) for each in found["by_length"]]
    assert buckets == [(0, 10), (11, 20), (21, max(lengths))]
    assert sum(each["sentences"] for each in found["by_length"]) == 90
    for (first, last), each in zip(buckets, found["by_length"], strict=True):
        own = [n for n, length in enumerate(lengths) if first <= length <= last]
        there = [translations[n] for n in own], [[references[n] for n in own]]
        assert each["bleu"] == pytest.approx(BLEU().corpus_score(*there).score, abs=1e-9)


def test_nothing_written_is_worth_nothing() -> None:
    found = _scores(["", ""], ["the cat", "a mat"])
    assert found["bleu"] == 0.0
    assert found["length_ratio"] == 0.0


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(TaskError, match="no sentence to score"):
        scores([], [], np.zeros(0, np.int64))
    one, two = _scores(["a"], ["a"]), _scores(["b"], ["b"])
    with pytest.raises(TaskError, match="searched for alike, but theirs"):
        compare_systems({**one, "decoding": {"beam": 1}}, {**one, "decoding": {"beam": 4}})
    with pytest.raises(TaskError, match="on the same sentences, but theirs differ"):
        compare_systems(one, two)
    with pytest.raises(TaskError, match="1 sentence cannot compare two systems"):
        compare_systems(one, one)


def test_a_test_is_told_from_another_by_its_sentences() -> None:
    digests = [
        digest_of_test(["a", "b"], ["c", "d"]),
        digest_of_test(["a", "b"], ["c", "e"]),
        digest_of_test(["b", "a"], ["c", "d"]),
        digest_of_test(["a"], ["b", "c", "d"]),
    ]
    assert len(set(digests)) == 4
    assert digests[0] == digest_of_test(("a", "b"), ("c", "d"))
