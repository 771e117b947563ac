"""No rule of the expressions changes the language, and each one shortens."""

import re
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from lengthwise.languages.expressions import (
    EMPTY_WORD,
    ShortExpression,
    concatenate,
    none_of,
    one_of,
    optional,
    star,
    union,
)

WORDS = ["".join(word) for n in range(6) for word in product("ab", repeat=n)]
A, B = one_of("a"), one_of("b")

Pair = tuple[ShortExpression, str]
"""An expression, and one without rules, as `re` writes it."""


def _pairs(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    def join(parts: list[Pair]) -> Pair:
        return concatenate(*(p for p, _ in parts)), "".join(f"(?:{plain})" for _, plain in parts)

    def either(parts: list[Pair]) -> Pair:
        return union(*(p for p, _ in parts)), "|".join(f"(?:{plain})" for _, plain in parts)

    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        some.map(join),
        some.map(either),
        inner.map(lambda pair: (star(pair[0]), f"(?:{pair[1]})*")),
        inner.map(lambda pair: (optional(pair[0]), f"(?:{pair[1]})?")),
    )


LEAVES = st.sampled_from([(A, "a"), (B, "b"), (one_of("ab"), "[ab]"), (EMPTY_WORD, "")])


@given(st.recursive(LEAVES, _pairs, max_leaves=8))
def test_no_rule_changes_the_language(pair: Pair) -> None:
    expression, plain = pair
    found, wanted = re.compile(expression.text), re.compile(plain)
    for word in WORDS:
        assert bool(found.fullmatch(word)) == bool(wanted.fullmatch(word))
    assert expression.has_empty == bool(wanted.fullmatch(""))


def test_rules_shorten() -> None:
    c, d = one_of("c"), one_of("d")
    for expression, text in (
        (union(concatenate(A, B), concatenate(A, c)), "a[bc]"),
        (union(concatenate(A, B, d), concatenate(c, B, d)), "[ac]bd"),
        (union(A, EMPTY_WORD), "a?"),
        (union(A, star(A)), "a*"),
        (union(B, concatenate(A, star(A), B)), "a*b"),
        (concatenate(star(A), A), "a+"),
        (concatenate(A, B, star(concatenate(A, B))), "(ab)+"),
        (concatenate(star(concatenate(A, B)), A, B), "(ab)+"),
        (concatenate(star(concatenate(star(A), B)), star(A)), "[ab]*"),
        (concatenate(star(A), star(concatenate(B, star(A)))), "[ab]*"),
        (star(concatenate(star(A), star(B))), "[ab]*"),
        (star(union(concatenate(A, B), optional(c))), "(c|ab)*"),
        (concatenate(*[A] * 5), "a{5}"),
        (optional(concatenate(A, star(A))), "a*"),
    ):
        assert expression.text == text


def test_signs_and_ranges() -> None:
    assert one_of("abcxz").text == "[a-cxz]"
    assert one_of("^-]").text == r"[\-\]\^]"
    assert [one_of(sign).text for sign in ".&-\x01é\u200b\U000e0001"] == [
        *(r"\.", r"\&", "-", r"\x01", "é", r"\u200b", r"\U000e0001")
    ]
    assert none_of("ab") == "[^ab]"
