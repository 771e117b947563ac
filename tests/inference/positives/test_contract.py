"""What each class of words of one label does: many words, levels, limits."""

from itertools import pairwise

import pytest

from inference.positives.oracles import SHORT, list_accepted
from inference.samples import sample_of
from lengthwise.inference.positives import contract, testable
from lengthwise.inference.positives.choice import POSITIVES
from lengthwise.inference.sample import answers_of
from lengthwise.inference.searcher import AttemptLostError

WORDS = [word for word in SHORT if (1, 1) not in pairwise(word)]


@pytest.mark.parametrize("name", POSITIVES)
def test_words_that_join_make_the_language_of_all(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assumed, sample = POSITIVES[name], sample_of(WORDS, [1] * len(WORDS))
    for level in range(assumed.least, assumed.least + 4):
        every = assumed.smallest(sample, level)
        monkeypatch.setattr(contract, "_BEGIN", 3)
        assert assumed.smallest(sample, level) == every
        monkeypatch.undo()
        assert every is not None
        assert answers_of(every, sample).all()


@pytest.mark.parametrize("name", POSITIVES)
def test_a_higher_level_is_a_smaller_language(name: str) -> None:
    assumed, sample = POSITIVES[name], sample_of(WORDS[::3], [1] * len(WORDS[::3]))
    found = [assumed.smallest(sample, k) for k in range(assumed.least, assumed.most + 1)]
    parts = [list_accepted(one) for one in found if one is not None]
    assert len(parts) == len(found)
    assert all(small <= large for large, small in pairwise(parts))


@pytest.mark.parametrize("name", POSITIVES)
def test_a_clock_ends_it(name: str) -> None:
    def check() -> None:
        raise AttemptLostError

    with pytest.raises(AttemptLostError):
        POSITIVES[name].smallest(sample_of(WORDS, [1] * len(WORDS)), 1, check)


def test_too_many_windows_are_no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testable, "MOST_PARTS", 5)
    assert POSITIVES["k-testable"].smallest(sample_of(WORDS, [1] * len(WORDS)), 4) is None
