"""Words that refute a class, against languages of the class."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.inference.rungs.refuting import refuting_word
from lengthwise.inference.sample import Sample

Word = tuple[int, ...]

EVERY = [word for size in range(9) for word in itertools.product((0, 1), repeat=size)]


def holds(piece: tuple[int, ...], word: tuple[int, ...], *, apart: bool) -> bool:
    """Return whether a word has a piece: as a window, or with other symbols between."""
    if apart:
        rest = iter(word)
        return all(symbol in rest for symbol in piece)
    return any(word[at : at + len(piece)] == piece for at in range(len(word)))


@pytest.mark.parametrize("name", ["SL", "SP", "coSL", "coSP"])
@given(
    st.lists(
        st.lists(st.integers(0, 1), min_size=1, max_size=6).map(tuple), min_size=1, max_size=3
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


def pieces(word: Word, *, apart: bool) -> set[Word]:
    """Return the windows of 6 symbols of a word between marks, or all subsequences of up to 6."""
    if apart:
        return {piece for size in range(7) for piece in itertools.combinations(word, size)}
    marked = (9, *word, 9)
    return {marked[at : at + 6] for at in range(max(len(marked) - 5, 1))}


@pytest.mark.parametrize("name", ["SL", "SP", "coSL", "coSP"])
@given(
    st.dictionaries(st.sampled_from(EVERY), st.integers(0, 1), min_size=2, max_size=60),
    st.sampled_from([4, 8]),
)
def test_a_word_refutes_whose_pieces_accepted_words_have(
    name: str, labels: dict[Word, int], shortest: int
) -> None:
    labels = {word: label for word, label in labels.items() if len(word) >= shortest}
    accepted, apart = int(not name.startswith("co")), "SP" in name
    if set(labels.values()) != {0, 1}:
        return
    sample = Sample.of_words(list(labels), list(labels.values()), 2, 2)
    seen = set[Word]().union(
        *(pieces(word, apart=apart) for word, label in labels.items() if label == accepted)
    )
    refuting = {
        word
        for word, label in labels.items()
        if label != accepted and pieces(word, apart=apart) <= seen
    }
    found = refuting_word(sample, name)
    assert (found is not None) == bool(refuting)
    assert found is None or sample.word(found[0]) in refuting


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
