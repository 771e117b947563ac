import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages.characters import (
    complement,
    count_left_out,
    format_alphabet,
    list_symbols,
    merge_ranges,
    number_of_symbols,
    split_alphabet,
    symbols_in,
)
from lengthwise.languages.regex import from_regex

SYMBOLS = st.characters(exclude_categories=("Cs", "Z")).filter(lambda c: not c.isspace())


@given(st.lists(st.one_of(SYMBOLS, st.sampled_from("-\\]^abcdef0123")), unique=True, min_size=1))
def test_a_written_alphabet_is_split_into_the_same_symbols(symbols: list[str]) -> None:
    assert split_alphabet(format_alphabet(symbols)) == tuple(symbols)
    assert split_alphabet(format_alphabet(sorted(symbols))) == tuple(sorted(symbols))


@given(st.lists(st.text("ab-\\0", min_size=1), unique=True, min_size=2))
def test_symbols_of_several_characters_are_written_with_spaces(symbols: list[str]) -> None:
    if any(len(symbol) > 1 for symbol in symbols):
        assert format_alphabet(symbols) == " ".join(symbols)
    assert split_alphabet(format_alphabet(symbols)) == tuple(symbols)


@pytest.mark.parametrize(
    ("written", "symbols"),
    [
        ("abc", "abc"),
        ("a-e", "abcde"),
        ("ea-d", "eabcd"),
        ("-+", "-+"),
        ("+-", "+-"),
        ("+ - *", "+-*"),
        (r"a\-c", "a-c"),
        (r"\d\-", "0123456789-"),
        (r"\x41\u0042", "AB"),
        ("^a", "^a"),
    ],
)
def test_an_alphabet_is_read_as_the_inside_of_a_class(written: str, symbols: str) -> None:
    assert split_alphabet(written) == tuple(symbols)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("z-a", "alphabet 'z-a', column 1: the range z-a is empty. Write a-z, or '\\-' for"),
        ("+-*", "column 1: the range +-* is empty"),
        ("a\\", "column 2: '\\' has nothing after it"),
        (r"\x00-\U0010ffff", "names 1,112,035 symbols, but an alphabet has at most 65,536"),
    ],
)
def test_what_is_no_alphabet_is_refused(written: str, message: str) -> None:
    with pytest.raises(LanguageError) as caught:
        split_alphabet(written)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_list_of_symbols_has_ranges_and_an_end() -> None:
    assert list_symbols("abcdefghijklmnopqrstuvwxyz") == "a-z"
    assert list_symbols("abc") == "a b c"
    assert list_symbols("0123456789_abcdef-") == "0-9 _ a-f -"
    assert list_symbols([chr(65 + 2 * i) for i in range(10)], most=3) == "A C E ..."
    assert list_symbols(["s1", "s2", "\x00"]) == "s1 s2 \\x00"


RANGES = st.lists(
    st.tuples(st.integers(0, 0x3100), st.integers(0, 300)).map(lambda p: (p[0], p[0] + p[1]))
)


@given(RANGES)
def test_sets_of_ranges_are_sets_of_characters(ranges: list[tuple[int, int]]) -> None:
    inside = {code for first, last in ranges for code in range(first, last + 1)}
    joined = merge_ranges(ranges)
    assert [code for first, last in joined for code in range(first, last + 1)] == sorted(inside)
    symbols = [chr(code) for code in sorted(inside) if not chr(code).isspace()]
    assert symbols_in(joined) == symbols
    assert number_of_symbols(joined) == len(symbols)
    assert sum(count_left_out(joined)) == len(inside) - len(symbols)
    assert complement(complement(joined)) == joined
    others = complement(joined)
    assert all(not first <= code <= last for first, last in others for code in inside)


@pytest.mark.parametrize(
    ("written", "part"),
    [
        (r"[\d-z]", r"not '\d'."),
        (r"[a-\d]", r"not '\d'."),
        (r"a\U00110000", r"'\U00110000' is beyond"),
    ],
)
def test_a_refusal_shows_backslashes_as_they_are_typed(written: str, part: str) -> None:
    for read, what in ((split_alphabet, "alphabet"), (from_regex, "expression")):
        with pytest.raises(LanguageError) as caught:
            read(written)
        message = str(caught.value)
        assert message.startswith(f"{what} '{written}', column ")
        assert part in message
        assert "\\\\" not in message
