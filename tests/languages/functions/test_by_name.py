"""The function that `lw.function` returns."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from function_strategies import draw_function
from lengthwise.errors import LanguageError
from lengthwise.languages.functions.arithmetic import addition
from lengthwise.languages.functions.by_name import (
    function,
    function_of,
    is_named,
    is_nameless,
    is_same_function,
    named_language,
    read_again,
)
from lengthwise.languages.spec import is_self_contained, parse
from ordinary import few


def test_a_function_is_named_given_or_learned() -> None:
    add = addition(10)
    assert function("add") == add
    assert function(add) is add
    assert function(lambda word: word.upper(), ["a", "b"], max_states=2)("ab") == "AB"
    assert function("rule:a -> b", "abc")("cab") == "cbb"


def test_a_language_of_prefixes_has_its_function() -> None:
    assert function_of(parse("add[base=2]")) == addition(2)
    assert function_of(parse("parity")) is None


@given(seed=st.integers(0, 10**6), right=st.integers(1, 2), other=st.integers(0, 10**6))
@settings(max_examples=few(30))
def test_the_line_of_a_function_names_it_alone(seed: int, right: int, other: int) -> None:
    own, another = (draw_function(each, left=3, right=right) for each in (seed, other))
    assert function(own.line) == own
    assert (own.line == another.line) == (own == another)
    assert parse(own.line) == named_language(own)
    assert is_self_contained(own.line)
    assert is_named(parse(own.line))
    assert is_named(replace(parse(own.line), spec=another.line)) == (own == another)


@given(first=st.integers(0, 300), second=st.integers(0, 300), right=st.integers(1, 2))
@settings(max_examples=few(30))
def test_specifications_of_one_function_are_told(first: int, second: int, right: int) -> None:
    own, other = (draw_function(seed, left=2, right=right) for seed in (first, second))
    assert is_same_function(own.line, other.line) is (own.difference(other) is None)
    assert is_same_function(own.line, "parity") is is_same_function("", other.line) is None


def test_a_function_and_its_language_are_told_apart(tmp_path: Path) -> None:
    (path := tmp_path / "m.att").write_text("0 0 a b\n0 0 b a\n0\n")
    assert is_same_function(f"mealy:{path}", f"mealy:{path}") is None
    assert is_same_function("prefixes:parity", "prefixes:regex:0*(10*10*)*10*") is True
    assert is_same_function("gray", "gray[first=low]") is False
    assert [is_nameless(function(line)) for line in ("gray", addition(2).line)] == [False, True]
    assert is_nameless(function(f"prefixes:{addition(2).line}"))


def test_the_class_of_the_empty_word_is_kept() -> None:
    for empty in (0, 1):
        language = named_language(addition(2), empty=empty)
        assert read_again(language) == language
        assert is_named(language)
    assert read_again(parse("parity")) == parse("parity")


def test_a_function_is_named_by_its_line_where_its_name_may_change(tmp_path: Path) -> None:
    (path := tmp_path / "m.att").write_text("0 0 a b\n0 0 b a\n0\n")
    made = function(f"mealy:{path}")
    assert named_language(made).spec == made.line
    assert function(named_language(made).spec).spec == ""
    assert named_language(addition(2)).spec == addition(2).line
    assert named_language(function("gray")).spec == "gray"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("bimachine:{", "is Function.line, but '{' is not JSON"),
        (f"bimachine:{'[' * 10**5}", "is not JSON"),
        ("bimachine:[1]", "two automata and a table alone"),
        ('bimachine:{"alphabet":5}', "two automata and a table alone"),
        ('bimachine:{"spec":"gray",' + addition(2).line[11:], "two automata and a table alone"),
        ("bimachine[ab]:{}", "has no options"),
    ],
)
def test_a_line_that_is_damaged_is_refused(line: str, says: str) -> None:
    with pytest.raises(LanguageError, match=says):
        function(line)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((str,), "needs alphabet='01' and max_states=8"),
        ((3,), "a function is a line"),
        (("parity",), "unknown function"),
    ],
)
def test_what_names_no_function_is_refused(arguments: tuple[object, ...], says: str) -> None:
    with pytest.raises(LanguageError, match=says):
        function(*arguments)  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match="with max_states"):
        function("gray", max_states=3)
