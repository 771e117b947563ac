"""Specifications of functions: canonical, and refused in a line where they are wrong."""

from dataclasses import replace
from pathlib import Path

import pytest

from lengthwise.errors import LanguageError
from lengthwise.languages.functions.by_name import function, is_named
from lengthwise.languages.functions.spec import (
    composed_parts,
    function_may_change,
    parse_function,
    prefixes,
)
from lengthwise.languages.spec import is_self_contained, may_change, parse

CANONICAL = {
    "add": "add[base=10]",
    "add[base=2]": "add[base=2]",
    "add[first=high,base=2]": "add[base=2,first=high]",
    "add[base=2,first=low]": "add[base=2]",
    "subtract[base=2]": "subtract[base=2]",
    "times:7[base=10]": "times:7[base=10]",
    "divide:3": "divide:3[base=10]",
    "divide:3[first=low]": "divide:3[base=10,first=low]",
    "gray": "gray",
    "gray[first=low]": "gray[first=low]",
    "increment": "increment[base=10]",
    "compare[base=2]": "compare[base=2]",
    "prefixes:parity": "prefixes:parity",
    "prefixes:regex:a|b": "prefixes:regex:a|b",
    "rule:a  ->  b / c _ d": "rule:a -> b / c _ d",
    "rule[abcde]:a -> b / c _ d": "rule[a-e]:a -> b / c _ d",
    "gray | increment[base=2]": "gray | increment[base=2]",
    "rule:a -> b | rule[ab]:b -> a / _ b": "rule:a -> b | rule:b -> a / _ b",
}


@pytest.mark.parametrize("line", CANONICAL)
def test_a_specification_is_canonical_and_names_its_language(line: str) -> None:
    made = parse_function(line, parse)
    assert made.spec == CANONICAL[line]
    assert parse_function(made.spec, parse) == made
    language = parse(line)
    assert language.spec == made.spec
    assert is_self_contained(language.spec)
    assert is_named(language)
    *others, last = language.classes
    assert not is_named(replace(language, classes=(*others, int(last == 0))))


def test_files_and_modules_may_change(tmp_path: Path) -> None:
    (path := tmp_path / "m.att").write_text("0 0 a b\n0\n")
    made = function(f"mealy:{path} | rule:b -> a")
    assert made("aa") == "aa"
    assert may_change(made.spec)
    assert function_may_change(made.spec)
    assert not is_self_contained(made.spec)
    assert may_change("prefixes:att:x.att")
    assert not is_self_contained("prefixes:att:x.att")


def test_a_python_function_is_imported() -> None:
    made = function("function[states=3,alphabet=ab]:builtins:str")
    assert made("abba") == "abba"
    assert made.spec == "function[states=3,alphabet=ab]:builtins:str"


def test_parts_of_a_composition() -> None:
    assert composed_parts("gray | gray") == ["gray", "gray"]
    assert composed_parts("parity | gray") == []
    assert composed_parts("regex:a|b") == []


def test_prefixes_have_the_classes_of_the_language() -> None:
    language = parse("modular-arithmetic")
    made = prefixes(language)
    for text in ("1+2", "+", "3*4-"):
        want = [
            language.total().class_names[language.total().classify(text[: end + 1])]
            for end in range(len(text))
        ]
        assert made(text) == "".join(want) or made(text).split() == want


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("add[base=1]", "from 2 to 16"),
        ("add[bas=2]", "unknown add option 'bas'"),
        ("add[base=2,base=3]", "twice"),
        ("add[first=middle]", "low or high"),
        ("add[base=x]", "an integer"),
        ("gray[base=3]", "unknown gray option"),
        ("times:x", "an integer"),
        ("divide:0", "from 1 to 1,000"),
        ("prefixes:nothing", "unknown language"),
        ("prefixes[ab]:parity", "no options"),
        ("mealy:/nowhere", "cannot be read"),
        ("function[states=3]:a:b", "a Python function is"),
        ("function[states=3,alphabet=01]:os:nothing", "cannot be imported"),
        ("gray | ", "unknown function"),
        ("gray | add", "not an input symbol"),
        (" | ".join(["gray"] * 21), "at most 20"),
        ("parity", "unknown function"),
    ],
)
def test_what_is_wrong_is_refused_in_a_line(line: str, says: str) -> None:
    with pytest.raises(LanguageError, match=says) as refusal:
        parse_function(line, parse)
    assert "\n" not in str(refusal.value)
