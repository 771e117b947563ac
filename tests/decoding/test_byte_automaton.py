"""Automata over bytes accept the strings that `re` matches."""

import re
from itertools import product
from random import Random

import pytest

from expressions import random_expression
from lengthwise.decoding.byte_automaton import BYTES, byte_automaton, utf8_runs
from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language

CHARACTERS = "ab é\n&^😀"


def accepts(language: Language, text: str) -> bool:
    known = dict(zip(language.alphabet, range(language.num_symbols), strict=True))
    word = [known.get(BYTES[byte], -1) for byte in text.encode()]
    return -1 not in word and language.classes[language.run(word)] == 1


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "[^a]*",
            "a.b*",
            "é+|😀",
            "(a b)*\\&?",
            "[a-é]+",
            "a&b",
            "\\na",
            "[^\\n]x?",
            "[ab ]{2,3}",
        ),
        *("^a+$", "(?:a|b)+?", "[\\^&]", "\\^", "\\ a"),
        *(random_expression(Random(f"bytes {seed}"), letters="aé ") for seed in range(20)),
    ],
)
def test_the_strings_are_those_of_re(expression: str) -> None:
    pattern = re.compile(expression)
    language = byte_automaton(pattern).language
    for size in range(5):
        for word in map("".join, product(CHARACTERS, repeat=size)):
            assert accepts(language, word) == bool(pattern.fullmatch(word)), word


def test_flags_change_the_dot_and_the_sets() -> None:
    assert accepts(byte_automaton(re.compile(".", re.DOTALL)).language, "\n")
    ascii_digit = byte_automaton(re.compile(r"\d[\w-]", re.ASCII)).language
    assert accepts(ascii_digit, "3-")
    assert not accepts(ascii_digit, "٣-")


def test_runs_of_bytes_spell_ranges_of_characters() -> None:
    for first, last in ((0, 0x10FFFF), (0x7F, 0x80), (0x7FF, 0x1234), (0xD000, 0xE003), (65, 65)):
        runs = list(utf8_runs(first, last))
        around = {max(0, first - 1), first, last, min(last + 1, 0x10FFFF)}
        for code in around | {0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000}:
            text = chr(code).encode()
            fitting = [
                run
                for run in runs
                if len(run) == len(text)
                and all(a <= b <= z for (a, z), b in zip(run, text, strict=True))
            ]
            assert len(fitting) == int(first <= code <= last)


def test_symbols_may_begin_alike() -> None:
    language = byte_automaton("regex:(ab)*", {"a": "foo", "b": "fo"}).language
    assert [accepts(language, w) for w in ("foofo", "foofoofoofo", "fofoo", "")] == [
        *(True, False, False, True)
    ]


@pytest.mark.parametrize(
    ("spelling", "said"), [({"c": "x"}, "'c': 'x' is not that"), ({"a": ""}, "'a': '' is not that")]
)
def test_a_spelling_is_of_symbols(spelling: dict[str, str], said: str) -> None:
    with pytest.raises(LanguageError, match=said):
        byte_automaton("regex:(ab)*", spelling)
