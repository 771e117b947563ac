"""Words that refute a class, against languages of the class."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.inference.rungs.refuting import refuting_word
from lengthwise.inference.sample import Sample

EVERY = [word for size in range(7) for word in itertools.product((0, 1), repeat=size)]

PIECES = st.lists(st.integers(0, 1), min_size=1, max_size=3).map(tuple)


def holds(piece: tuple[int, ...], word: tuple[int, ...], *, apart: bool) -> bool:
    """Return whether a word has a piece: as a window, or with other symbols between."""
    if apart:
        rest = iter(word)
        return all(symbol in rest for symbol in piece)
    return any(word[at : at + len(piece)] == piece for at in range(len(word)))


@pytest.mark.parametrize("name", ["SL", "SP", "coSL", "coSP"])
@given(
    st.lists(
        st.lists(st.integers(0, 1), min_size=1, max_size=3).map(tuple), min_size=1, max_size=3
    ),
    st.sets(st.integers(0, len(EVERY) - 1), min_size=1),
)
def test_no_words_refute_a_class_that_their_language_has(
    name: str, forbidden: list[tuple[int, ...]], chosen: set[int]
) -> None:
    words = [EVERY[number] for number in sorted(chosen)]
    is_rejected = [
        any(holds(piece, word, apart="SP" in name) for piece in forbidden) for word in words
    ]
    labels = [int(one == name.startswith("co")) for one in is_rejected]
    assert refuting_word(Sample.of_words(words, labels, 2, 2), name) is None


@pytest.mark.parametrize("name", ["SL", "SP", "coSL", "coSP"])
def test_counting_is_refuted_by_a_word(name: str) -> None:
    words = [word for word in EVERY if word]
    labels = [word.count(0) % 2 for word in words]
    sample = Sample.of_words(words, labels, 2, 2)
    found = refuting_word(sample, name)
    assert found is not None
    row, why = found
    assert int(sample.classes[row]) == (0 if name in ("SL", "SP") else 1)
    assert why.startswith("all its ")


def test_other_classes_and_three_labels_are_not_refuted() -> None:
    sample = Sample.of_words([(0,), (0, 0), (0, 0, 0)], [0, 1, 2], 1, 3)
    assert refuting_word(sample, "SL") is None
    assert refuting_word(sample, "LT") is None
