"""The k-testable languages of words: windows that occur are allowed, and no others."""

from hypothesis import given
from hypothesis import strategies as st

from inference.positives.oracles import beginnings, list_accepted, local, windows
from inference.samples import sample_of
from lengthwise.inference.positives.testable import KTestable, PrefixClosed, windows_of

WORDS = st.lists(
    st.lists(st.integers(0, 1), max_size=7).map(tuple), min_size=1, max_size=8, unique=True
)


@given(words=WORDS, level=st.integers(1, 5))
def test_windows_are_those_of_the_definition(words: list[tuple[int, ...]], level: int) -> None:
    found = windows_of(sample_of(words, [1] * len(words)), level)
    assert found == set[tuple[int, ...]]().union(*(windows(word, level) for word in words))


@given(words=WORDS, level=st.integers(1, 5))
def test_the_language_has_the_words_whose_windows_all_occur(
    words: list[tuple[int, ...]], level: int
) -> None:
    """So it is the smallest: each k-testable language with the words allows these windows."""
    found = KTestable().smallest(sample_of(words, [1] * len(words)), level)
    assert found is not None
    assert list_accepted(found) == local(words, level)


@given(words=WORDS, level=st.integers(1, 5))
def test_with_all_beginnings_it_is_the_language_of_the_beginnings(
    words: list[tuple[int, ...]], level: int
) -> None:
    found = PrefixClosed().smallest(sample_of(words, [1] * len(words)), level)
    assert found is not None
    assert list_accepted(found) == local(beginnings(words), level)


def test_too_many_symbols_for_a_window_are_not_searched() -> None:
    assert windows_of(sample_of([(0, 1)], [1], symbols=1_000), 8) is None
