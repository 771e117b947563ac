"""Can the words of numbers be read back, and is no number in two splits?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import TextError
from lengthwise.text.data.numbers import MOST, number_in_words, number_pairs, numbers

_VALUES = {number_in_words(number): number for number in [*range(20), *range(20, 100, 10)]}


def number_of(words: str) -> int:
    """The number that words stand for, read from left to right."""
    thousands = rest = 0
    for word in words.split():
        if word == "thousand":
            thousands, rest = rest, 0
        elif word == "hundred":
            rest *= 100
        else:
            rest += _VALUES[word]
    return 1_000 * thousands + rest


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (13, "thirteen"),
        (40, "forty"),
        (100, "one hundred"),
        (1_001, "one thousand one"),
        (47_291, "forty seven thousand two hundred ninety one"),
        (300_000, "three hundred thousand"),
        (MOST, "nine hundred ninety nine thousand nine hundred ninety nine"),
    ],
)
def test_words_are_as_they_are_said(number: int, words: str) -> None:
    assert number_in_words(number) == words


def test_words_of_all_small_numbers_can_be_read_back() -> None:
    assert [number_of(number_in_words(number)) for number in range(10_000)] == list(range(10_000))


@given(number=st.integers(10_000, MOST))
def test_words_of_large_numbers_can_be_read_back(number: int) -> None:
    assert number_of(number_in_words(number)) == number


def test_no_number_is_in_two_splits() -> None:
    found = [numbers(split) for split in ("train", "valid", "test")]
    assert [len(each) for each in found] == [20_000, 500, 500]
    assert len({number for each in found for number in each}) == 21_000
    assert set(range(100)) <= set(found[0])


@pytest.mark.parametrize("split", ["train", "valid", "test"])
def test_numbers_of_all_lengths_are_there(split: str) -> None:
    lengths = [len(str(number)) for number in numbers(split)]
    least = {3: 50, 4: 150, 5: 150, 6: 150}
    if split == "train":
        least = {1: 10, 2: 90, 3: 800, 4: 4_000, 5: 4_000, 6: 4_000}
    assert all(lengths.count(length) >= count for length, count in least.items())


def test_pairs_are_digits_and_words_and_always_the_same() -> None:
    found = list(number_pairs("valid"))
    assert found == list(number_pairs("valid"))
    assert found[0][0].replace(" ", "").isdigit()
    for digits, words in found:
        assert digits == " ".join(str(number_of(words)))


def test_an_unknown_split_is_told() -> None:
    with pytest.raises(TextError, match=r"'validation'. Did you mean 'valid'"):
        numbers("validation")
