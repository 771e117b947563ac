import re
from itertools import product

import pytest
from automata.fa.dfa import DFA
from hypothesis import given
from hypothesis import strategies as st

from automata_dfas import from_automata_dfa
from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.regex import Expression, from_regex
from strategies import all_words, expressions, recognisers, texts


@given(expressions())
def test_expressions_match_what_python_matches(expression: str) -> None:
    language = from_regex(expression, "ab")
    pattern = re.compile(expression)
    for text in texts("ab", 6):
        assert (text in language) is (pattern.fullmatch(text) is not None), text


@given(expressions(), expressions(), st.sampled_from(["*", "{2,3}", "?"]))
def test_and_and_shuffle_do_what_their_definitions_say(one: str, other: str, again: str) -> None:
    """The operators that Python has not, within an expression and repeated."""
    left, right = from_regex(one, "ab"), from_regex(other, "ab")
    both = {text for text in texts("ab", 5) if text in left and text in right}
    mixed = {text for text in texts("ab", 5) if _splits(text, left, right)}
    for operator, words in (("&", both), ("^", mixed)):
        operand = f"({one}){operator}({other})"
        language = from_regex(operand, "ab")
        assert {text for text in texts("ab", 5) if text in language} == words
        spelt = "|".join(f"(?:{word})" for word in sorted(words)) or "[^ab]"
        pattern = re.compile(f"b(?:{spelt}){again}a?")
        longer = from_regex(f"b({operand}){again}a?", "ab")
        for text in texts("ab", 5):
            assert (text in longer) is (pattern.fullmatch(text) is not None), text


def _splits(text: str, left: Language, right: Language) -> bool:
    """Whether the symbols of a word can be dealt to two words, one of each language."""
    return any(
        "".join(c for c, mine in zip(text, deal, strict=True) if mine) in left
        and "".join(c for c, mine in zip(text, deal, strict=True) if not mine) in right
        for deal in product((False, True), repeat=len(text))
    )


@given(expressions())
def test_the_machine_is_minimal(expression: str) -> None:
    language = from_regex(expression, "ab")
    assert language == language.minimise()


def test_the_alphabet_is_that_of_the_expression_without_its_operators() -> None:
    assert from_regex(r"b{2}|[x-z]|\+|a?").alphabet == ("+", "a", "b", "x", "y", "z")
    assert from_regex("a*", "ba").alphabet == ("b", "a")


@pytest.mark.parametrize(
    ("expression", "member", "other"),
    [
        ("(a|b)*a&(a|b){2}", "ba", "bba"),  # and
        ("ab^c", "acb", "cba"),  # shuffle
        (r"\*\\", "*\\", "**"),
        (r"[\]a]b", "]b", "bb"),
        ("[a-]c", "-c", "cc"),
        ("[^a]|bc", "c", "a"),
        (".c", "cc", "c"),
        ("a()b|c", "ab", "b"),
        ("a|b&c|a", "a", "b"),  # from left to right: ((a|b)&c)|a
        (r"a+?\$", "a$", "$"),
        (r"(?:ab)*?c{2}?", "ababcc", "c"),
        (r"\d+\.\d\x41\u00e9", "12.3Aé", ".3Aé"),
        (r"^(?P<year>[0-9]{4})$", "2024", "202"),
        (r"\A[\w.-]+\Z", "a-b.c", ""),
        (r"[\x00-\u2e7f]*\d", "§0", "⁐"),
        (r"[^\W\d]+", "ab_", "a1"),
        ("é*e", "ééee"[:3], "é"),
    ],
)
def test_operators(expression: str, member: str, other: str) -> None:
    language = from_regex(expression)
    assert member in language
    assert other not in language


def test_the_empty_expression_is_the_empty_word() -> None:
    for expression in ["", "()", "(())", "a{0}"]:
        language = from_regex(expression, "ab")
        assert [word for word in all_words(language, 3) if word in language] == [()]


def test_a_class_with_nothing_left_matches_no_word() -> None:
    assert [w for w in texts("ab", 3) if w in from_regex("[^ab]|a", "ab")] == ["a"]


def test_a_space_in_a_given_alphabet_is_refused() -> None:
    with pytest.raises(LanguageError, match="a symbol is a string without spaces"):
        from_regex("[ -~]", [chr(code) for code in range(32, 127)])


def test_an_expression_without_symbols_needs_an_alphabet() -> None:
    with pytest.raises(
        LanguageError,
        match=r"names none \(white space is not a symbol\). Give the alphabet, as in regex\[01\]",
    ):
        from_regex("()")


@pytest.mark.parametrize(
    ("expression", "alphabet", "remark"),
    [
        ("(a+b)*", None, "column 3: '+' is read as one or more of what comes before it. Write"),
        ("0+1(0)", None, "column 2: '+' is read as one or more"),
        ("2^10", None, r"column 2: '^' is read as the shuffle of its two sides. Write '\^' for"),
        ("a&b", None, r"column 2: '&' is read as 'and': a word must match both sides. Write '\&'"),
        ("(a+b|c)*", None, None),
        ("[ab]+c", None, None),
        ("(ab)+", None, None),
        ("a+b{2}", None, None),
        (r"a\s*b", None, r"column 2: \s has no symbol of the alphabet 'a b' left, so it matches"),
        (r"[\x00-\uffff]", None, "column 2: read without 29 spaces and 2,048 surrogates, as these"),
        (r"[ \t]*a", None, "(spaces are not symbols)"),
        ("[a b]", None, "column 3: read without 1 space, as these are not symbols"),
        ("[^a]", None, "column 1: [^a] has no symbol of the alphabet 'a' left, so it matches"),
        ("[^a]", "ab", None),
        (r"\S+", "ab", None),
        (r"[^\s]+", "ab", None),
        (r"[\s\S]+", "ab", None),
        (r"[\w\s]+", None, "column 4: read without 6 spaces, as these are not symbols"),
        (r"\S+\s?", "ab", r"column 4: \s has no symbol"),
    ],
)
def test_what_may_be_meant_otherwise_is_said(
    expression: str, alphabet: str | None, remark: str | None
) -> None:
    read = Expression(expression)
    said = read.remarks(read.language(alphabet).alphabet)
    assert len(said) == (remark is not None)
    assert all(remark is not None and remark in each and "\n" not in each for each in said)


@given(recognisers())
def test_an_automata_lib_dfa_keeps_its_language(language: Language) -> None:
    states = range(language.num_states)
    rows = {
        f"q{state}": {
            symbol: f"q{target}"
            for symbol, target in zip(language.alphabet, language.transitions[state], strict=True)
        }
        for state in reversed(states)
    }
    final = {f"q{state}" for state in states if language.classes[state] == 1}
    dfa = DFA(
        states=set(rows),
        input_symbols=set(language.alphabet),
        transitions=rows,
        initial_state=f"q{language.start}",
        final_states=final,
    )
    assert from_automata_dfa(dfa) == language.minimise()


def test_a_partial_dfa_gets_a_sink() -> None:
    dfa = DFA(
        states={0, 1},
        input_symbols={"b", "a"},
        transitions={0: {"a": 1}, 1: {}},
        initial_state=0,
        final_states={1},
        allow_partial=True,
    )
    assert from_automata_dfa(dfa) == from_regex("a", "ab")
