"""Formulas of past-time logic mean what their definition says, position by position."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.ltl import automaton
from lengthwise.languages.ltl_parser import parse_formula
from lengthwise.languages.spec import parse
from ltl_strategies import Tree, formulas, holds, in_text
from strategies import texts


def ltl(formula: str, alphabet: str | None = None) -> Language:
    return parse(f"ltl:{formula}", alphabet)


@given(tree=formulas())
@settings(max_examples=60)
def test_the_automaton_is_the_definition(tree: Tree) -> None:
    language = automaton(parse_formula(in_text(tree), "ab"), "ab")
    for word in texts("ab", 6):
        assert (word in language) == holds(tree, word, len(word)), (in_text(tree), word)


def test_strict_since_is_yesterday_of_since() -> None:
    """The nearest j < i where `!f | g` holds decides the strict since, and j <= i the other one."""
    for word in texts("abc", 5):
        for i in range(1, len(word) + 1):
            for first, found in ((i, "(!c) S a"), (i - 1, "Y ((!c) S a)")):
                decides = [j for j in range(1, first + 1) if word[j - 1] in "ca"]
                nearest = bool(decides) and word[decides[-1] - 1] == "a"
                assert (word[:i] in ltl(found, "abc")) == nearest, (word[:i], found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a -> b -> a", "a -> (b -> a)"),
        ("a | b & a", "a | (b & a)"),
        ("a & b S a", "a & (b S a)"),
        ("a S b S a", "a S (b S a)"),
        ("!a S b", "(!a) S b"),
        ("Y a S b", "(Y a) S b"),
        ("a <-> b", "(a -> b) & (b -> a)"),
        ("once a", "O a"),
        ("P a", "true since a"),
        ("historically a", "!O !a"),
        ("a => b", "~a || b"),
        ("a <=> b && a", "a <-> (b & a)"),
        ("false", "!true"),
        ("'a' S 'b'", "a S b"),
        ("Ya", "'Ya'"),
    ],
)
def test_what_is_meant_by(one: str, other: str) -> None:
    alphabet = ("a", "b", "Ya")
    assert automaton(parse_formula(one), alphabet) == automaton(parse_formula(other), alphabet)


def test_known_languages() -> None:
    assert ltl("true", "ab") == _name(parse("regex[ab]:(a|b)*"), "ltl[ab]:true")
    pairs = {
        "O a": "regex:(a|b)*a(a|b)*",
        "H a": "regex[ab]:a+",
        "H !b": "regex[ab]:a*",
        "a & !Y true": "regex[ab]:a",
        "!a & !b": "regex[ab]:()",
        "(!a & !b) | (b & H (b -> Y a) & H (a -> !Y a))": "regex:(ab)*",
    }
    for formula, expression in pairs.items():
        assert ltl(formula, "ab").difference(parse(expression).minimise()) is None, formula


def _name(language: Language, spec: str) -> Language:
    return replace(language.minimise(), spec=spec)


def test_the_specification_builds_the_language_again() -> None:
    for language in (ltl("H (b -> Y a)"), ltl("Y true", "abc"), ltl("O s1", "s1 s2")):
        assert parse(language.spec) == language
    assert parse("ltl[ab]:a S b").spec == "ltl:a S b"


def test_bad_specifications_are_refused_in_one_line() -> None:
    refused: list[tuple[str, str | None]] = [
        ("ltl:Y true", None),
        ("ltl[ab]:a", "abc"),
        ("ltl[]:a", None),
        ("ltl:" + " & ".join(f"O (a & {'Y ' * n} b)" for n in range(1, 20)), None),
    ]
    for spec, alphabet in refused:
        with pytest.raises(LanguageError) as caught:
            parse(spec, alphabet)
        assert "\n" not in str(caught.value)
