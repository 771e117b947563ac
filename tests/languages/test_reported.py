r"""Inputs on which other tools stumbled, as their users reported them in public trackers.

The source of each stands beside it, as OWNER/REPOSITORY#NUMBER on GitHub. The right value comes
from a second tool: Python's `re` for expressions, automata-lib for automata, LTLf2DFA 2.0.3 with
MONA 1.4-18 for formulas, HFST 3.16 for files. What cannot be read is refused, in one line.
"""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from automata.fa.dfa import DFA

from automata_dfas import from_automata_dfa
from lengthwise.errors import LanguageError, LengthwiseWarning
from lengthwise.languages.att import from_att
from lengthwise.languages.language import Language
from lengthwise.languages.regex import from_regex
from lengthwise.languages.spec import language, parse
from strategies import all_words, texts

TOKEN = "[!#$%&'*+\\-.^_`|~0-9a-zA-Z]"
MIME = (
    f"^({TOKEN})+/({TOKEN})+([ \\t]*;[ \\t]*({TOKEN})+=(({TOKEN})+|"
    r'"(([\t !#-\[\]-~]|[\x80-\xff])|\\([\t !-~]|[\x80-\xff]))*"))*$'
)
BYTE = r"(25[0-5]|(2[0-4]|1\d|[1-9]|())\d)"
LINES = (
    r"^[^\f\n\r\t\v]{65}|[^\f\n\r\t\v]+[\f\n\r\t\v]+[^\f\n\r\t\v]{65}|"
    r"[^\f\n\r\t\v]+[\f\n\r\t\v]+[^\f\n\r\t\v]+[\f\n\r\t\v]+[^\f\n\r\t\v]{65}"
)

EXPRESSIONS: dict[str, tuple[str, str | None, str, list[str]]] = {
    # source: expression, alphabet, letters of all words that are tried, longer words
    "VeriFIT/mata#48": ("[qQrR]*", None, "qQrR", []),
    "VeriFIT/mata#37": ("((aa)*)*(b)*", None, "ab", []),
    "VeriFIT/mata#438": ("[^a]", "a-z", "abz", []),
    "VeriFIT/mata#139": ("(cd(abcde)*)|(a(aaa)*)", None, "acd", ["cdabcde", "aaaaaaa"]),
    "VeriFIT/mata#437": (LINES, "ab", "ab", ["ab" * 32 + "a", "ab" * 32, "a" * 66]),
    "qntm/greenery#1": (r"[\w]", None, "a_0Z", []),
    "qntm/greenery#35": (r"[\S\s]", "!-~", "aS\\", []),
    "qntm/greenery#96": ("[.-]", None, ".-", []),
    "qntm/greenery#100": (r"^[\x09\x0A\x0D\x20-\uD7FF\uE000-\uFFFD]*$", None, "a\ufffd", ["中"]),
    "qntm/greenery#102": (MIME, None, "a/;=", ['a/b;c="\\"x"', "text/html;q=1", 'a/b;c="']),
    "jviereck/regjsparser#109": (r"[\-]", None, "-", []),
    "SerenityOS/serenity#4189": (r"^[\w+/_-]+[=]{0,2}$", None, "a+=", ["dGVzdA==", "a==="]),
    "mlc-ai/xgrammar#175": (
        rf"({BYTE}\.){{3}}{BYTE}",
        None,
        "25.",
        ["192.168.0.1", "256.1.1.1", "1.22.255.0", "1.2.3"],
    ),
    "mlc-ai/xgrammar#693": (r"\S", "!-~", "[a^", []),
    "elpapi42/pi-observational-memory#11": (r"\d{4}-\d{2}-\d{2}", None, "1-", ["2026-05-09"]),
    "MegaIng/interegular#12": ("(c)*", None, "c", []),
    "Aunsiels/pyformlang#4": ("ba*|a", None, "ab", []),
    "Aunsiels/pyformlang#17": (".*", "!-~", "]\\a", []),
    "kpdyer/libfte#95": (r"^[0-9]{3}$", "!-~", "7{3}", []),
    "kpdyer/fteproxy#61": ("^TESTTEST$", None, "TE", ["TESTTEST", "TTTTTTTT"]),
    "kpdyer/regex2dfa#22": ("z+.w?", None, "zw", []),
    "kpdyer/regex2dfa#22, the second": (r"(\d\d\d|\d\d|\d)", None, "09", []),
    "katef/libfsm#56": ("[aBx]*a", None, "aBx", []),
    "katef/libfsm#404": ("ab*c", None, "abc", []),
    "katef/libfsm#182": ("(b+|a)", None, "ab", []),
    "rust-lang/regex#289": ("((IMG|MVI|MG)|DS)X", None, "DSX", ["MVIX", "IMGX", "MGX", "MGIX"]),
    "rust-lang/regex#289, the smallest": ("(ABC|CDA|BC)X", None, "BCX", ["CDAX", "ABCX"]),
    "rust-lang/regex#1364": (".bb|b", "abz", "abz", []),
    "BurntSushi/ripgrep#93": (r"(\d{1,3}\.){3}\d{1,3}", None, "1.", ["10.0.0.255", "10.0.0.2555"]),
    "google/re2#44": ("^a(/a+(#a+)*)*$", None, "a/#", ["a/a#a", "a/aa#a#aa/a"]),
    "google/re2#185": ("x{0,0}", None, "x", []),
    "google/re2#245": ("(a*?)*", None, "a", []),
    "lorenzofelletti/pyregex#16": ("(a*|b*)*ab", None, "ab", []),
    "nitely/nim-regex#46": ("(a(b)){2}", None, "ab", []),
    "sourcegraph/sourcegraph-public-snapshot#23467": ("(foo){2,}", None, "fo", ["foofoofoo"]),
    "makenowjust/rerejs#521": ("(E{0,2})", None, "E", []),
    "jflex-de/jflex#9": ("r{3}", None, "r", []),
    "moodmosaic/Fare#15": (r"\S+.*", "ab", "ab", []),
    "sdht0/automata-from-regex#4": ("0*1(0*10*1)*0*", None, "01", []),
    "hokein/Automata.js#13": ("(a|b)*ca*", None, "abc", []),
}


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_reported_expressions_have_the_words_that_python_gives_them(source: str) -> None:
    expression, alphabet, letters, longer = EXPRESSIONS[source]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LengthwiseWarning)  # on spaces, in three of them
        known = parse(f"regex:{expression}", alphabet)
    pattern = re.compile(expression, re.ASCII)
    words = [*texts(letters, 4 if len(letters) > 2 else 6), *longer]
    assert [w for w in words if w in known] == [w for w in words if pattern.fullmatch(w)]


@pytest.mark.parametrize(
    ("source", "expression", "message"),
    [
        ("dottxt-ai/outlines#1118", r"(\{\}|(?!\[T\]).*)", "column 7: '(?!' begins lookaround"),
        ("dottxt-ai/outlines#456", r"\".*?(?<!\\)\"", "'(?<!' begins lookaround"),
        ("MegaIng/interegular#3", r"(not(?=\s)|not(?=\()|-)", "column 5: '(?=' begins lookaround"),
        ("rust-lang/regex#280", r"(^\.)|(~$)", "column 9: '$' is an anchor"),
        ("BurntSushi/ripgrep#294", "*", "column 1: '*' has nothing before it to repeat"),
        ("ammar/regexp_parser#3", "o{2}{5}", "column 5: '{5}' repeats what '{2}' repeats already"),
        ("boostorg/regex#141", "1?+(?#)1", "column 3: '?+' is possessive"),
        ("Alhadis/language-grammars#6", r"\s+*\S+", "column 4: '*' repeats what '+' repeats"),
        ("katef/libfsm#74", "[[:alpha:]]", "column 2: [:alpha:] is a class of POSIX"),
        ("firasdib/Regex101#2346", r"\w(?R)*\w", "column 3: '(?R' begins recursion"),
        ("mlc-ai/xgrammar#175", r"(1\d|[1-9]|)\d", "column 11: '|' has nothing after it. Write '("),
        ("rust-lang/regex#345", r"=\b", r"column 2: '\b' is a word boundary"),
        (
            "qntm/greenery#100",
            r"^[\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]*$",
            "names 1,112,010 symbols, but an alphabet has at most 65,536",
        ),
    ],
)
def test_reported_expressions_of_other_kinds_are_refused_by_name(
    source: str, expression: str, message: str
) -> None:
    with pytest.raises(LanguageError) as caught:
        from_regex(expression)
    assert message in str(caught.value), source
    assert "\n" not in str(caught.value)


def test_a_reported_union_by_plus_is_read_as_python_reads_it_and_said() -> None:
    """hokein/Automata.js#13, in which `+` is union."""
    with pytest.warns(LengthwiseWarning, match=re.escape("column 3: '+' is read as one or more")):
        known = parse("regex:(a+b)*ca*")
    pattern = re.compile("(a+b)*ca*")
    assert all((w in known) is (pattern.fullmatch(w) is not None) for w in texts("abc", 4))


def test_a_reported_expression_is_learned_from_questions() -> None:
    """LearnLib/learnlib#60: a learner asks `[a-b]{2}` over letters, and does not end."""
    pattern = re.compile("[a-b]{2}")
    learned = language(lambda word: pattern.fullmatch(word) is not None, "a-f", max_states=4)
    assert learned.difference(parse("regex:[a-b]{2}", "a-f")) is None
    assert learned.num_states == 4


# ---- formulas --------------------------------------------------------------------------------

FORMULAS = {
    # source: formula of the future or past there, mirrored here; words of each length from 1 to 6,
    # and those of two symbols
    "whitemech/LTLf2DFA#36": (
        "O a -> O b",  # as it is there
        [2, 6, 20, 66, 212, 666],
        "ab ba bb bc cb cc",
    ),
    "whitemech/LTLf2DFA#45": ("H (O a & O !a)", [0, 0, 0, 0, 0, 0], ""),  # G(F(x) & F(!x))
    "whitemech/LTLf2DFA#46": ("!(H (!a | O b))", [1, 4, 13, 40, 121, 364], "aa ab ac ca"),
    "whitemech/LTLf2DFA#15": ("H (a -> Y b)", [2, 5, 12, 29, 70, 169], "ba bb bc cb cc"),
    "whitemech/LTLf2DFA#69": ("!Y !a <-> b", [1, 5, 15, 45, 135, 405], "ab ba bc ca cc"),
    "vincekurtz/ltl_gcs#3": ("(!a S b) & O c", [0, 2, 9, 32, 105, 332], "bc cb"),
}


@pytest.mark.parametrize("source", FORMULAS)
def test_reported_formulas_have_the_words_that_mona_counts(source: str) -> None:
    """The empty word is left out: there H of anything holds, here it has no last position."""
    formula, counts, two = FORMULAS[source]
    known = parse(f"ltl:{formula}", "abc")
    assert [known.counts(length)[1] for length in range(1, 7)] == counts
    assert [w for w in texts("abc", 2) if len(w) == 2 and w in known] == two.split()


# ---- files and automata ----------------------------------------------------------------------


def _members(known: Language, length: int) -> Iterator[str]:
    return (known.decode(word) for word in all_words(known, length) if known.classify(word) == 1)


@pytest.mark.parametrize(
    ("source", "text", "members"),
    [
        ("hfst/hfst#4", "0\t0\ta\ta\t0.0\n0\t0\n", ["", "a", "aa", "aaa"]),
        (
            "hfst/hfst#71",
            "0\t1\td\td\t0.000000\n1\t2\to\to\t0.000000\n2\t3\tg\tg\t0.000000\n3\t0.000000\n",
            ["dog"],
        ),
        (
            "hfst/hfst#402",
            "0\t1\t@_EPSILON_SYMBOL_@\t@_EPSILON_SYMBOL_@\n1\t2\ta\ta\n2\t1\tb\tb\n2\n",
            ["a", "aba"],
        ),
    ],
)
def test_reported_files_have_the_words_that_hfst_finds(
    tmp_path: Path, source: str, text: str, members: list[str]
) -> None:
    path = tmp_path / "machine.att"
    path.write_text(text, encoding="utf-8")
    assert list(_members(from_att(path), 3)) == members, source


def test_the_empty_label_of_a_reported_file_is_named(tmp_path: Path) -> None:
    """mhulden/pyfoma#33: epsilon is written as nothing, which foma and OpenFst do not read."""
    path = tmp_path / "machine.att"
    path.write_text("0\t1\t\n1\t2\ta\n2\t1\tb\n2\n", encoding="utf-8")
    with pytest.raises(LanguageError, match=r"line 1: field 3 is empty\. Write <eps> for epsilon"):
        from_att(path)


def test_the_two_meanings_of_zero_in_a_reported_file_are_asked_for(tmp_path: Path) -> None:
    """athena-team/athena-decoder#3: 0 is epsilon in one table of symbols, and not in the other."""
    path = tmp_path / "machine.fst"
    path.write_text("0 1 0\n0 2 0\n1 1 3\n2 2 5\n1\n2\n", encoding="utf-8")
    with pytest.raises(LanguageError, match=r"the label 0 may be a symbol or OpenFst's epsilon"):
        from_att(path)
    assert list(_members(from_att(path, zero="epsilon"), 2)) == ["", "3", "5", "33", "55"]


def test_reported_automata_keep_their_words() -> None:
    """caleb531/automata#179: partial automata whose union had words of neither."""
    symbols = {"@", "E", "n", "e"}
    parts = [
        {"": {"@": "@"}, "@": {"@": "@", "E": "E"}, "E": {"E": "E", "n": "n"}, "n": {"n": "n"}},
        {"": {"E": "E"}, "E": {"E": "E", "n": "n"}, "n": {"n": "n"}},
    ]
    machines = [
        DFA(
            states=set(rows),
            input_symbols=symbols,
            transitions=rows,
            initial_state="",
            final_states={"n"},
            allow_partial=True,
        )
        for rows in parts
    ]
    both = from_automata_dfa(machines[0]) | from_automata_dfa(machines[1])
    for word in texts("@Ene", 5):
        assert (word in both) is any(machine.accepts_input(word) for machine in machines)
    assert both.difference(from_regex("@*E+n+", both.alphabet)) is None


def test_a_reported_finite_language_stays_finite() -> None:
    """caleb531/automata#182: minimisation of a finite language made it infinite."""
    words = ["ab", "abab", "ba", "b"]
    machine = DFA.from_finite_language({"a", "b"}, set(words))
    known = from_automata_dfa(machine)
    assert sorted(_members(known, 6)) == sorted(words)
    assert [known.counts(length)[1] for length in range(5, 10)] == [0] * 5
