"""What engines read in different ways is refused, and the characters that an expression shows."""

import re

import pytest

from lengthwise.decoding.dialect import characters_of, require_common
from lengthwise.decoding.vocabulary import Vocabulary
from lengthwise.errors import LanguageError

LINES = Vocabulary((b"a", b"\n", None), (2,))


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (r"\d+", r"column 1 has '\d'"),
        (r"a\b", r"column 2 has '\b'"),
        (r"[\w]", r"column 1 has the class [\w]"),
        ("[a[b]", "column 1 has the class"),
        ("[a&&b]", "column 1 has the class"),
        ("^a", "column 1 has the anchor '^'"),
        ("a$", "column 2 has the anchor '$'"),
        ("a.", "column 2 has '.', which may be a newline"),
        ("(?P<n>a)", "column 1 has a group that is not plain"),
        ("(?i:a)", "column 1 has a group that is not plain"),
        ("a{,3}", "column 2 has '{,'"),
        ("a*?", "column 2 has '*?', a lazy repetition"),
        ("a{2}?", "column 4 has '}?', a lazy repetition"),
    ],
)
def test_what_engines_read_in_different_ways_is_refused(expression: str, said: str) -> None:
    with pytest.raises(LanguageError, match=re.escape(said)) as caught:
        require_common(expression, LINES)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("expression", ["(?:a|b)*", r"\?\.[^\]a-c]+", "a{0,3}(b)?", r"\n\[x"])
def test_the_common_part_is_let_through(expression: str) -> None:
    require_common(expression, LINES)


def test_a_dot_is_plain_where_no_token_has_a_newline() -> None:
    require_common(".", Vocabulary((b"a", None), (1,)))


@pytest.mark.parametrize(
    ("expression", "characters"),
    [("(cb)+", "0bcz"), ("[^a]", "0az"), ("[a-f]x", "0afxz"), ("[^ -~]|é", "0zé\0\U0010ffff")],
)
def test_a_vocabulary_shows_what_an_expression_tells_apart(
    expression: str, characters: str
) -> None:
    vocabulary = characters_of(expression)
    found = {token.decode() for token in vocabulary.tokens if token is not None}
    assert found == set(characters)


@pytest.mark.parametrize("expression", ["(a", "a**", "[b-a]"])
def test_a_malformed_expression_is_refused(expression: str) -> None:
    with pytest.raises(LanguageError, match="expression"):
        characters_of(expression)
