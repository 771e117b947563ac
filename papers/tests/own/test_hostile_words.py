"""Hostile words: of the domain, of all lengths, and such that wrong products show."""

from dataclasses import replace

import pytest

import lengthwise as lw
from lengthwise_papers.own.hostile_words import hostile_words, misjudged
from lengthwise_papers.own.kinds import KINDS, LEAST, language_of_kind


@pytest.mark.slow_except("single word", "domain", "cyclic")
@pytest.mark.parametrize("kind", KINDS)
def test_languages_and_words_of_a_kind_are_as_said(kind: str) -> None:
    language = language_of_kind(kind, "tests", 1)
    assert language == language_of_kind(kind, "tests", 1)
    assert language.total().minimised().num_states >= LEAST
    words = hostile_words(language, 100, longest=3_000, seed=0)
    assert words == hostile_words(language, 100, longest=3_000, seed=0)
    lengths = [len(word) for word in words]
    assert len(words) == 100
    assert lengths[-1] == max(lengths) >= 3_000
    assert sum(64 < length < 3_000 for length in lengths) > 20
    assert len({language.classify(word) for word in words}) > 1  # raises outside the domain


@pytest.mark.slow
def test_a_network_for_another_language_is_seen_to_miss_words() -> None:
    """A single word of 40 symbols is hardly ever drawn uniformly."""
    language = lw.language("regex[01]:" + "0110" * 10)
    run = lw.train(language, "regular-gpt-slots", device="cpu", progress=False)
    words = hostile_words(language, 200, longest=500, seed=0)
    assert misjudged(run.model, language, words) == []
    other = replace(language, classes=(0,) * language.num_states)
    assert misjudged(run.model, other, words)
