"""Every language of the catalogue against a second definition, in plain Python, on all words."""

import re
from collections.abc import Callable
from itertools import groupby, pairwise

import pytest

from lengthwise.errors import LanguageError, WordError
from lengthwise.languages.named_languages import CATALOGUE, count, dyck
from lengthwise.languages.spec import parse
from strategies import texts


def pairs_that_differ(word: str) -> int:
    return (word.count("01") + word.count("10")) % 2  # neither overlaps with itself


def position(word: str) -> int:
    return sum({"0": 0, "1": 1, "2": 4}[move] for move in word) % 5


def python_value(word: str) -> int:
    return int(eval(word)) % 5


def running_value(word: str) -> int:
    value = 0
    for operator, digit in zip(word[::2], word[1::2], strict=True):
        value = int(eval(f"{value}{operator}{digit}"))
    return value % 5


def blocks_are_tame(word: str) -> int:
    blocks = [(symbol, len(list(run)) % 2) for symbol, run in groupby(word)]
    neighbours = pairwise(blocks)
    return int(not any(a == ("1", 1) and b == ("0", 1) for a, b in neighbours))


SECOND: dict[str, Callable[[str], int]] = {
    "parity": lambda w: sum(map(int, w)) % 2,
    "even-pairs": pairs_that_differ,
    "cycle-navigation": position,
    "modular-arithmetic": python_value,
    "modular-arithmetic-left-to-right": running_value,
    "first": lambda w: int(w[:1] == "1"),
    "tomita-1": lambda w: int("0" not in w),
    "tomita-2": lambda w: int(w == "10" * (len(w) // 2)),
    "tomita-3": blocks_are_tame,
    "tomita-4": lambda w: int("000" not in w),
    "tomita-5": lambda w: int(w.count("0") % 2 == 0 == w.count("1") % 2),
    "tomita-6": lambda w: int((w.count("0") - w.count("1")) % 3 == 0),
    "tomita-7": lambda w: int(w.count("10") <= 1),
    "aa-star": lambda w: int(len(w) % 2 == 0),
    "aaaa-star": lambda w: int(len(w) % 4 == 0),
    "abab-star": lambda w: int(w == "abab" * (len(w) // 4)),
}

LENGTHS = {1: 30, 2: 12, 3: 8, 8: 5}
"""Longest words by size of the alphabet."""


def test_every_language_has_a_second_definition() -> None:
    assert list(SECOND) == list(CATALOGUE)


@pytest.mark.slow_for("modular-arithmetic", "modular-arithmetic-left-to-right", "tomita-3")
@pytest.mark.parametrize("name", list(CATALOGUE))
def test_a_language_is_what_its_second_definition_says(name: str) -> None:
    language = CATALOGUE[name].build()
    is_word = re.compile(r"([-+*][0-4])+" if "arithmetic" in name else ".*")
    checked = 0
    for text in texts("".join(language.alphabet), LENGTHS[language.num_symbols]):
        if is_word.fullmatch(text) and not (language.domain and text[0] != "+"):
            assert language.classify(text) == SECOND[name](text), text
            checked += 1
        else:
            with pytest.raises(WordError):
                language.classify(text)
    assert checked > 30 or language.num_symbols == 1


@pytest.mark.parametrize("name", ["modular-arithmetic", "modular-arithmetic-left-to-right"])
def test_longer_sums_are_right_too(name: str) -> None:
    language = CATALOGUE[name].build()
    for word in language.words(max_length=6):
        text = language.decode(word)
        assert language.classify(word) == SECOND[name](text), text
    for text in ["+3-2*4*3+1*2*2-4", "+0-1-1*4*4-3+2*3*3*3", "+4*4*4*4*4-4*3*2"]:
        assert language.classify(text) == SECOND[name](text)


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_entries_are_minimal_and_their_examples_right(name: str) -> None:
    entry = CATALOGUE[name]
    language = entry.build()
    assert language == language.minimise()
    assert entry.definition
    assert entry.source
    for word, class_name in entry.examples:
        assert language.class_names[language.classify(word)] == class_name
    assert len({class_name for _, class_name in entry.examples}) > 1


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_balanced_words_match_the_recursive_definition(depth: int) -> None:
    language = dyck(depth)
    for text in texts("01", 12):
        expected = re.fullmatch(dyck_expression(depth), text) is not None
        assert (text in language) is expected, text


def dyck_expression(depth: int) -> str:
    """The paper's definition: D_1 = (01)*, D_n = (0 D_{n-1} 1)*."""
    return "(?:01)*" if depth == 1 else f"(?:0{dyck_expression(depth - 1)}1)*"


@pytest.mark.parametrize(("symbol", "alphabet", "modulus"), [("1", "01", 3), ("b", "abc", 4)])
def test_counters_count(symbol: str, alphabet: str, modulus: int) -> None:
    language = count(symbol, modulus, alphabet)
    for text in texts(alphabet, 7):
        assert language.classify(text) == text.count(symbol) % modulus


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("d-0", "a depth of 1 to 10000, but N is 0"),
        ("d-99999", "but N is 99999"),
        ("count:1:1", "modulo 2 to 10000, but the modulus is 1"),
        ("count:c:3", "'c' is not 0, 1, a or b, which need no alphabet"),
        ("count:c:3:ab", "'c' is not in 'ab'"),
    ],
)
def test_members_that_families_do_not_have_are_refused(spec: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        parse(spec)
