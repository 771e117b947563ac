import random
import re
import string
from itertools import product

import pytest
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.regex import Expression, from_automata_dfa, from_regex
from strategies import all_words, expressions, recognisers, texts


@given(expressions())
def test_expressions_match_what_python_matches(expression: str) -> None:
    language = from_regex(expression, "ab")
    pattern = re.compile(expression)
    for text in texts("ab", 6):
        assert (text in language) is (pattern.fullmatch(text) is not None), text


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
    assert language == language.minimised()


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


def test_a_space_in_a_given_alphabet_is_refused() -> None:
    with pytest.raises(LanguageError, match="a symbol is a text without spaces"):
        from_regex("[ -~]", [chr(code) for code in range(32, 127)])


def test_an_expression_without_symbols_needs_an_alphabet() -> None:
    with pytest.raises(
        LanguageError,
        match=r"names none \(white space is not a symbol\). Give the alphabet, as in regex\[01\]",
    ):
        from_regex("()")


def test_too_large_a_machine_is_refused() -> None:
    with pytest.raises(LanguageError, match=r"expression '.*'.*at most 200,000 states"):
        from_regex("(a|b)*a(a|b){20}")


def test_what_is_large_before_it_is_minimised_is_no_trouble() -> None:
    """More than 30,000 sets of places, but every word is in."""
    assert from_regex("(a|b)*a(a|b){14}|(a|b)*", "ab").num_states == 1


def letters(number: int, alphabet: str) -> str:
    return "".join(random.Random(number).choices(alphabet, k=number))


LARGE = {
    "5,000 letters of 2": (letters(5000, "ab"), 5002),
    "5,000 letters of 26": (letters(5000, string.ascii_lowercase), 5002),
    "500 words": ("|".join(letters(n, "abcdefgh") for n in range(3, 13) for _ in range(50)), None),
    "any of 500 words": (f"({'|'.join(letters(10, 'abcdefgh') for _ in range(500))})*", 11),
    "1,000 nested stars": ("(" * 1000 + "a" + ")*" * 1000, 1),
    "2,000 nested stars that add a letter": ("(a|" * 2000 + "b" + ")*" * 2000, 1),
    "2,000 stars in a row": ("(a*b*)" * 1000, 2001),
    "2,000 options and as many letters": ("a?" * 2000 + "a" * 2000, 4002),
    "4,900 nested options": ("(a{0,70}){0,70}", 4902),
    "a billion empty words": ("a(){999999999}", 3),
}


@pytest.mark.slow_for(
    "2,000 options and as many letters", "4,900 nested options", "5,000 letters of 26"
)
@pytest.mark.parametrize("name", LARGE)
def test_large_expressions_are_no_trouble(name: str) -> None:
    """Those that were too much once: each took minutes or all memory."""
    expression, num_states = LARGE[name]
    assert num_states in (None, from_regex(expression).num_states)


@pytest.mark.slow_for("large sets")
@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("(a|b)*a(a|b){2000}", "at most 200,000 states"),
        ("".join(map(chr, range(0x4E00, 0x4E00 + 5000))), "at most 200 states"),
        ("(a?b?){32}^(b?a?){32}", "take more than 8,000,000 steps"),
        ("a{" + "9" * 5000 + "}", "column 2: a count has at most 9 digits"),
    ],
    ids=["subsets", "a wide table", "large sets", "a long count"],
)
def test_what_explodes_is_refused_with_the_numbers(expression: str, told: str) -> None:
    with pytest.raises(LanguageError, match=told) as caught:
        from_regex(expression)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        ("a" * 5001, "5,001"),
        ("a{9999}", "9,999"),
        ("(a{100}b){100}", "10,100"),
        ("a{90}^a{90}", "8,281"),
        ("a{6000}|b{4000}", "10,000"),
        ("((a{999999999}){999999999}){999}", "more than 10^18"),
    ],
)
def test_too_large_an_expression_is_refused_with_its_size(expression: str, number: str) -> None:
    with pytest.raises(LanguageError, match=re.escape(f"has {number}. Repeat less.")):
        from_regex(expression)


def test_too_long_an_expression_is_refused_before_it_is_read() -> None:
    with pytest.raises(LanguageError, match=r"at most 100,000 characters, but .* has 3,000,000"):
        from_regex("(a[" * 1_000_000)


def test_a_large_alphabet_costs_what_its_classes_cost() -> None:
    language = from_regex(r"[\x00-\uffff]*\d{3}[^a-f]")
    assert (language.num_states, language.num_symbols) == (6, 63_459)
    assert "中文123z" in language
    assert "中文123a" not in language
    assert language == language.minimised()
    with pytest.raises(LanguageError, match="names 1,112,035 symbols, but an alphabet has at most"):
        from_regex(r"[\x00-\U0010ffff]")


def test_classes_that_overlap_in_too_many_ways_are_refused() -> None:
    with pytest.raises(LanguageError, match="overlap in more than 1,000,000 ways"):
        from_regex("|".join(f"[!-{chr(0x1000 + i)}]" for i in range(3000)))


@pytest.mark.parametrize(
    ("expression", "alphabet", "remark"),
    [
        ("(a+b)*", None, "column 3: '+' is read as one or more of what stands before it. Write"),
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


def test_many_states_in_a_row_are_no_trouble() -> None:
    assert from_regex("(a|b){2000}").num_states == 2002


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
    assert from_automata_dfa(dfa) == language.minimised()


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
    with pytest.raises(LanguageError, match=r"got NFA. Of an NFA, give DFA.from_nfa"):
        from_automata_dfa(NFA.from_regex("a|b"))  # type: ignore[arg-type]
