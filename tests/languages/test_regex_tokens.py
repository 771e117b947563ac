"""Expressions are read as Python reads them, and slips are named with their column."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages.regex import from_regex
from strategies import texts

_ATOMS = (
    *("a", "1", r"\-", r"\]", r"\x61", r"\u0031", "[a1]", "[^a]", "[a-]", "[]a]"[:0] + r"[\]a]"),
    *(r"[\d-]", r"[\w]", r"[^\W]", r"[\D]", r"[\da-]", r"[0-9\]]", r"[,-.]", r"[\s\S]", r"[^\d\]]"),
    *(r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", ".", "()", "(?:)", r"[\x00-\x60]", r"[^\S]"),
)


_REPEATED = ("*", "+", "?", "{2}", "{1,}", "{,2}", "{0,3}", "*?", "+?", "??", "{2}?", "{,2}?")


def _python_expressions() -> st.SearchStrategy[str]:
    """Expressions in the syntax that is shared with Python: classes, escapes, groups, anchors."""

    def larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pairs = st.tuples(smaller, smaller)
        return st.one_of(
            pairs.map("".join),
            pairs.map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
            st.tuples(smaller, st.sampled_from(_REPEATED)).map(
                lambda pair: f"(?:{pair[0]}){pair[1]}"
            ),
            st.tuples(st.sampled_from(_ATOMS[:-6]), st.sampled_from(_REPEATED)).map("".join),
        )

    whole = st.recursive(st.sampled_from(_ATOMS), larger, max_leaves=7)
    ends = st.sampled_from([("", ""), ("^", "$"), ("^", ""), ("", "$"), (r"\A", r"\Z")])
    return st.tuples(whole, ends).map(lambda pair: pair[1][0] + pair[0] + pair[1][1])


@given(_python_expressions())
def test_classes_escapes_and_anchors_mean_what_they_mean_in_python(expression: str) -> None:
    language = from_regex(expression, [chr(code) for code in range(127) if code not in _SPACES])
    pattern = re.compile(expression, re.ASCII)
    for text in texts("a1-]", 4):
        assert (text in language) is (pattern.fullmatch(text) is not None), text


_SPACES = {code for code in range(127) if chr(code).isspace()}


@pytest.mark.parametrize(
    ("expression", "column", "what"),
    [
        ("(a", 1, "'(' is not closed"),
        ("a(b(c)", 2, "'(' is not closed"),
        ("a)", 2, "')' closes nothing"),
        ("a)(b", 2, "')' closes nothing"),
        ("*a", 1, "'*' has nothing before it to repeat"),
        ("a|+b", 3, "'+' has nothing before it"),
        ("a(?b)", 3, "'?' has nothing before it"),
        ("a({2}b)", 3, "'{2}' has nothing before it"),
        ("a|", 2, "'|' has nothing after it"),
        ("|a", 1, "'|' has nothing before it"),
        ("a||b", 3, "'|' has nothing before it"),
        ("(a|)b", 3, "'|' has nothing after it"),
        ("(|a)", 2, "'|' has nothing before it"),
        ("(a&)", 3, "'&' has nothing after it"),
        ("a{2,1}", 2, "ends before it begins"),
        ("a{x}", 2, "a count is"),
        ("a{-1}", 2, "a count is"),
        ("a{,}", 2, "a count is"),
        ("a}", 2, "'}' closes nothing"),
        ("ab]", 3, "']' closes nothing"),
        ("a[bc", 2, "'[' is not closed"),
        (r"a[b\]", 2, "'[' is not closed"),
        ("a[]", 2, "a class names at least one"),
        ("[^]a", 1, "a class names at least one"),
        ("[c-a]", 2, "the range c-a is empty"),
        ("ab c", 3, "' ' is not a symbol"),
        (r"ab\n", 3, "'\\n' is not a symbol"),
        ("a\\", 2, "nothing after it"),
        (r"a\q", 2, r"'\\q' is not known"),
        ("a**", 3, "'*' repeats what '*' repeats already. Remove one"),
        ("a{2}{3}", 5, "'{3}' repeats what '{2}' repeats already"),
        ("a*??", 4, "'?' repeats what '*?' repeats already"),
        ("ab*+c", 4, "'*+' is possessive"),
        ("(ab)?+", 6, "'?+' is possessive"),
        ("a{2}+b", 5, "'{2}+' is possessive"),
        (r"(a)\1", 4, "is a backreference"),
        ("(?P<x>a)(?P=x)", 9, "begins a backreference"),
        ("a(?=b)", 2, "'(?=' begins lookaround"),
        ("(?<!a)b", 1, "'(?<!' begins lookaround"),
        ("(?>a)b", 1, "begins an atomic group"),
        ("(?i)ab", 1, "begins a flag"),
        ("(?i:ab)", 1, "begins a flag"),
        ("(a)?(?(1)b)", 5, "begins a conditional"),
        ("a(?#why)b", 2, "begins a comment"),
        (r"\bab", 1, "is a word boundary"),
        (r"a\Zb", 2, "is an anchor, which may only end"),
        ("a$b", 2, "'$' is an anchor, which may only end an expression"),
        ("a|^b", 3, "'^' is an anchor, which may only begin an expression"),
        ("(^a)", 2, "'^' is an anchor"),
        (r"\p{L}", 1, "is a Unicode property"),
        ("[[:alpha:]]", 2, "[:alpha:] is a class of POSIX"),
        (r"[a\d-z]", 3, "a range begins with a character"),
        (r"[+-\d]", 2, "a range ends with a character"),
        (r"\x4", 1, "needs hexadecimal digits"),
        (r"\U00110000", 1, "is beyond the last character"),
        (r"\ud800", 1, "is not a character that UTF-8 can write"),
        (r"[\1]", 2, "is an octal number"),
    ],
)
def test_a_malformed_expression_is_refused_with_its_column(
    expression: str, column: int, what: str
) -> None:
    with pytest.raises(LanguageError) as caught:
        from_regex(expression)
    message = str(caught.value)
    assert f"column {column}: " in message
    assert what.replace("\\\\", "\\") in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("expression", "column", "symbol"),
    [("a(b|c)*", 5, "c"), ("a[b-d]", 3, "c"), ("ac*c", 2, "c"), (r"a\.", 2, ".")],
)
def test_a_symbol_outside_the_alphabet_is_named_with_its_column(
    expression: str, column: int, symbol: str
) -> None:
    with pytest.raises(
        LanguageError, match=rf"column {column}: symbol '{re.escape(symbol)}' is not"
    ):
        from_regex(expression, "ab")


def test_too_long_an_expression_is_refused_before_it_is_read() -> None:
    with pytest.raises(LanguageError, match=r"at most 100,000 characters, but .* has 3,000,000"):
        from_regex("(a[" * 1_000_000)
