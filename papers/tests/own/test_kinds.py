"""Languages and words of a kind are as said."""

import pytest

from lengthwise_papers.own.hostile_words import hostile_words
from lengthwise_papers.own.kinds import KINDS, LEAST, language_of_kind


@pytest.mark.slow_except("single word", "domain", "cyclic")
@pytest.mark.parametrize("kind", KINDS)
def test_languages_and_words_of_a_kind_are_as_said(kind: str) -> None:
    language = language_of_kind(kind, "tests", 1)
    assert language == language_of_kind(kind, "tests", 1)
    assert language.total().minimise().num_states >= LEAST
    words = hostile_words(language, 100, longest=3_000, seed=0)
    assert words == hostile_words(language, 100, longest=3_000, seed=0)
    lengths = [len(word) for word in words]
    assert len(words) == 100
    assert lengths[-1] == max(lengths) >= 3_000
    assert sum(64 < length < 3_000 for length in lengths) > 20
    assert len({language.classify(word) for word in words}) > 1  # raises outside the domain
