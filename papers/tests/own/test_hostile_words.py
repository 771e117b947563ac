"""Hostile words: of the domain, of all lengths, and such that wrong products show."""

from dataclasses import replace

import pytest

import lengthwise as lw
from lengthwise_papers.own.hostile_words import find_misjudged, hostile_words


@pytest.mark.slow
def test_a_network_for_another_language_is_seen_to_miss_words() -> None:
    """A single word of 40 symbols is hardly ever drawn uniformly."""
    language = lw.language("regex[01]:" + "0110" * 10)
    run = lw.train(language, "regular-gpt-slots", device="cpu", progress=False)
    words = hostile_words(language, 200, longest=500, seed=0)
    assert find_misjudged(run.model, language, words) == []
    other = replace(language, classes=(0,) * language.num_states)
    assert find_misjudged(run.model, other, words)
