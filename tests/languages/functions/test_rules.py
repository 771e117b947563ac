"""Rewriting rules against Python's `re`, and against pyfoma's transducers where it is installed."""

import re
from random import Random

import pytest

from function_strategies import inputs_of
from lengthwise.errors import LanguageError
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.rules import rewriting

RULES = {
    "a -> b": "ab",
    "a -> b / c _ d": "abcd",
    "a -> b / c _": "abc",
    "a -> b / _ d": "abd",
    "a -> b / a _ a": "ab",
    "a -> b / b _": "ab",
    "a -> b / _ b": "ab",
    "a -> b / # _": "ab",
    "a -> b / _ #": "ab",
    "a -> b / # _ #": "ab",
    "a -> b / #c* _ d*#": "abcd",
    "a -> b / (c|d) _ (cd)*a": "abcd",
    "a -> b / cd _ dc": "abcd",
    "[ab] -> [ba]": "ab",
    "[ab] -> c / a _ b": "abc",
    "[abc] -> [bca] / (ab)*c _": "abc",
    "a -> b / (aa)+ _": "ab",
    "a -> b / #(ab)* _": "ab",
    "a -> b / _ (bb)*#": "ab",
    "a -> b / c(a|b)*d _ .c": "abcd",
}


def plain(rule: str, word: str) -> str:
    """The oracle: every place by itself, by Python's regular expressions."""
    sides, _, contexts = rule.partition("/")
    source, result = (side.strip().strip("[]") for side in sides.split("->"))
    result = result if len(result) > 1 else result * len(source)
    before, _, after = (part.strip() for part in contexts.partition("_"))
    left = re.compile(f"(?:{'' if before.startswith('#') else '.*'}(?:{before.strip('#')}))")
    right = re.compile(f"(?:(?:{after.strip('#')}){'' if after.endswith('#') else '.*'})")
    written = ""
    for place, symbol in enumerate(word):
        fits = left.fullmatch(word[:place]) and right.fullmatch(word[place + 1 :])
        rewritten = result[source.index(symbol)] if symbol in source else symbol
        written += rewritten if fits else symbol
    return written


def texts(function: Function, longest: int, long_words: int) -> list[str]:
    """All short inputs, and some long ones."""
    draw = Random(0)
    long = [
        "".join(draw.choices(function.alphabet, k=draw.randint(50, 200))) for _ in range(long_words)
    ]
    return [*(function.reader.decode(word) for word in inputs_of(function, longest)), *long]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_rewrites_every_place_at_once(rule: str) -> None:
    function = rewriting(rule, tuple(RULES[rule]))
    for text in texts(function, 5, 10):
        assert function(text) == plain(rule, text)


def require_that_of_pyfoma(rule: str, longest: int, long_words: int) -> None:
    pyfoma = pytest.importorskip("pyfoma", reason="pyfoma is not installed")
    function = rewriting(rule, tuple(RULES[rule]))
    sides, _, contexts = rule.partition("/")
    source, result = (side.strip().strip("[]") for side in sides.split("->"))
    pairs = zip(source, result if len(result) > 1 else result * len(source), strict=True)
    swaps = "|".join(f"({a}:{b})" for a, b in pairs)
    context = f" / {contexts.strip()}" if contexts else ""
    machine = pyfoma.FST.re(f"$^rewrite(({swaps}){context})")
    for text in texts(function, longest, long_words):
        assert [*machine.generate(text)] == [function(text)], text


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_that_of_pyfoma(rule: str) -> None:
    require_that_of_pyfoma(rule, 8, 1_000)


def test_a_rule_is_that_of_pyfoma_on_short_inputs() -> None:
    require_that_of_pyfoma("a -> b / c _ d", 5, 20)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("a -> b / c", "with one arrow, and one _"),
        ("a b", "with one arrow"),
        ("ab -> c", "keeps lengths"),
        ("a -> ", "keeps lengths"),
        ("a -> [bc]", "ambiguous"),
        ("[aa] -> [bc]", "ambiguous"),
        ("a -> b / (#|c) _", "outer end"),
        ("a -> b / (c _", "not closed"),
    ],
)
def test_what_is_not_a_rule_is_refused(rule: str, says: str) -> None:
    with pytest.raises(LanguageError, match=says):
        rewriting(rule)


def test_an_alphabet_has_the_symbols_of_the_rule() -> None:
    assert rewriting("a -> b", ("a", "b", "x"))("axb") == "bxb"
    with pytest.raises(LanguageError, match="lacks 'b'"):
        rewriting("a -> b", ("a", "x"))
