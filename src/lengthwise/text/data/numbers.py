"""A synthetic translation task: numbers, from digits to English words.

4 7 2 9 1    forty seven thousand two hundred ninety one
"""

import random
from collections.abc import Iterator

from lengthwise.errors import TextError, unknown_name

MOST = 999_999

DIGITS, WORDS = "digits", "words"
"""The two languages."""

# fmt: off
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENS = (
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
)
# fmt: on

_SEED = 1
_COUNTS = {
    "valid": {3: 50, 4: 150, 5: 150, 6: 150},
    "test": {3: 50, 4: 150, 5: 150, 6: 150},
    "train": {1: 10, 2: 90, 3: 800, 4: 4_700, 5: 7_200, 6: 7_200},
}
"""Count of numbers by their digits; those of one and two digits are all in training."""


def number_pairs(split: str) -> Iterator[tuple[str, str]]:
    """Yield digits and words of 20,000 numbers (`train`) or 500 (`valid`, `test`).

    Raises:
        TextError: there is no such split.
    """
    for number in numbers(split):
        yield " ".join(str(number)), number_in_words(number)


def numbers(split: str) -> list[int]:
    """Return the numbers of a split; none is in two of them, and none comes twice.

    Raises:
        TextError: there is no such split.
    """
    if split not in _COUNTS:
        raise unknown_name("split of the numbers", split, _COUNTS, TextError)
    draw = random.Random(_SEED)
    splits: dict[str, list[int]] = {name: [] for name in _COUNTS}
    for length in range(1, 7):
        least = 10 ** (length - 1) if length > 1 else 0
        counts_wanted = {name: counts.get(length, 0) for name, counts in _COUNTS.items()}
        draws = iter(draw.sample(range(least, 10**length), sum(counts_wanted.values())))
        for name, count in counts_wanted.items():
            splits[name].extend(next(draws) for _ in range(count))
    draw.shuffle(splits["train"])
    return splits[split]


def number_in_words(number: int) -> str:
    """Return a number from 0 to `MOST` in English, without hyphens and without "and"."""
    assert 0 <= number <= MOST
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _with_rest(_TENS[number // 10 - 2], number % 10)
    if number < 1_000:
        return _with_rest(f"{number_in_words(number // 100)} hundred", number % 100)
    return _with_rest(f"{number_in_words(number // 1_000)} thousand", number % 1_000)


def _with_rest(words: str, rest: int) -> str:
    return f"{words} {number_in_words(rest)}" if rest else words
