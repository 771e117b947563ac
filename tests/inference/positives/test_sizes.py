"""The share of the words of each length that a language has, against a count."""

import math

from hypothesis import given

from inference.samples import machine
from lengthwise.inference.positives.sizes import log_shares
from lengthwise.languages.language import Language
from strategies import machines


@given(language=machines(num_classes=2))
def test_shares_are_those_of_the_words_that_are_counted(language: Language) -> None:
    found = log_shares(language, 6)
    for length in range(7):
        count = language.counts(length)[1]
        if count:
            assert math.isclose(found[length], math.log2(count / 2**length), abs_tol=1e-9)
        else:
            assert found[length] == -math.inf


def test_shares_of_long_words_do_not_underflow() -> None:
    only_zeros = machine([(0, 1), (1, 1)], (1, 0))
    assert log_shares(only_zeros, 5_000)[5_000] == -5_000
