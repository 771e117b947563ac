import sys
from pathlib import Path

import pytest
from hypothesis import given

from lengthwise.errors import LanguageError
from lengthwise.languages import explore
from lengthwise.languages.benchmark_languages import BENCHMARKS
from lengthwise.languages.builders import from_step_function
from lengthwise.languages.named_languages import CATALOGUE, FAMILIES
from lengthwise.languages.spec import language, languages, may_change, parse
from strategies import expressions


@pytest.mark.parametrize(
    ("spec", "alphabet", "canonical"),
    [(name, None, name) for name in CATALOGUE]
    + [
        ("d-3", None, "d-3"),
        ("d-012", None, "d-12"),
        ("parity", "01", "parity"),
        ("count:1:3", None, "count:1:3"),
        ("count:1:3:01", None, "count:1:3"),
        ("count:b:3", None, "count:b:3"),
        ("count:b:3", "abc", "count:b:3:abc"),
        ("count:b:3", "a b c", "count:b:3:abc"),
        ("regex:ab*", "a b c", "regex[abc]:ab*"),
        ("count:1:3", "10", "count:1:3:10"),
        ("regex:(0|10*1)*", None, "regex:(0|10*1)*"),
        ("regex:(0|10*1)*", "01", "regex:(0|10*1)*"),
        ("regex[01]:(0|10*1)*", None, "regex:(0|10*1)*"),
        ("regex:a*", "ab", "regex[ab]:a*"),
        ("regex[ba]:a*", "ba", "regex[ba]:a*"),
        ("regex[01]:", None, "regex[01]:"),
        ("regex[a-z]:hello", None, "regex[a-z]:hello"),
        ("regex:hello", "a-z", "regex[a-z]:hello"),
        ("regex[abcdef]:a", "a-f", "regex[a-f]:a"),
        ("regex:[a-f]*", "abcdef", "regex:[a-f]*"),
        (r"regex:\d+", None, r"regex:\d+"),
        ("regex:a*", r"a+\-", r"regex[a+\-]:a*"),
        ("regex:a*", "a - +", r"regex[a\-+]:a*"),
        ("regex[-a]:a*", None, r"regex[\-a]:a*"),
        ("regex:a*", r"\\a", r"regex[\\a]:a*"),
        (r"regex[\x00-\u0530]:a", None, r"regex[\x00-\u0530]:a"),
        ("count:a:3:a-f", None, "count:a:3:a-f"),
        ("ltl:a S b", "a-e", "ltl[a-e]:a S b"),
        ("ltl[a-e]:a S b", "abcde", "ltl[a-e]:a S b"),
        ("regex[:]]:a*".replace("a", ":"), None, "regex[:]]::*"),
        ("regex:[ab]:", None, "regex:[ab]:"),
        ("group:S3", None, "group:S3"),
        ("group:S4,generators=3", None, "group:S4,generators=3,seed=0"),
        ("group:S4,seed=7,generators=3", None, "group:S4,generators=3,seed=7"),
        ("group:D5,generators=2", None, "group:D5,generators=2,seed=0"),
        ("group:Z2wrS3", None, "group:Z2wrS3"),
        ("group:Q8xD3", None, "group:Q8xD3"),
        ("group:(1 2 3)(4 5),(1 2)", None, "group:(1,2,3)(4,5),(1,2)"),
        ("group: (2,3 , 1) ( 5 4 ) , (2 1)(3)", None, "group:(1,2,3)(4,5),(1,2)"),
    ],
)
def test_a_language_carries_the_line_that_makes_it_again(
    spec: str, alphabet: str | None, canonical: str
) -> None:
    language = parse(spec, alphabet)
    assert language.spec == canonical
    again = parse(language.spec)
    assert again == language
    assert again.spec == canonical
    assert language.minimised().spec == canonical


@pytest.mark.filterwarnings("ignore::lengthwise.errors.LengthwiseWarning")
@given(expressions())
def test_expressions_are_carried_too(expression: str) -> None:
    language = parse(f"regex[ab]:{expression}")
    assert parse(language.spec) == language


def test_an_alphabet_is_stated_by_ranges_for_every_kind(tmp_path: Path) -> None:
    letters = tuple("abcdefghijklmnopqrstuvwxyz")
    path = tmp_path / "machine.att"
    path.write_text("0 1 a\n1 0 b\n0\n", encoding="utf-8")
    for spec in ("regex:hello", "count:a:2", "ltl:a S b", f"att:{path}"):
        assert parse(spec, "a-z").alphabet == letters
        assert parse(parse(spec, "a-z").spec).alphabet == letters
        assert "a-z" in parse(spec, "a-z").spec
        assert language(spec, alphabet=letters) == parse(spec, "a-z")
    with pytest.raises(LanguageError, match=r"symbol '\+' is not in the alphabet 'a-z'. Add it"):
        parse("regex:a\\+", "a-z")


def test_files_are_carried_too(tmp_path: Path) -> None:
    path = tmp_path / "machine.att"
    path.write_text("0 1 a\n1 0 b\n0\n", encoding="utf-8")
    for spec in [f"att:{path}", f"att[0=epsilon]:{path}"]:
        language = parse(spec)
        assert language.spec == spec
        assert parse(spec) == language == parse("regex:(ab)*")


def test_an_automaton_of_a_file_is_told_its_alphabet(tmp_path: Path) -> None:
    path = tmp_path / "machine.att"
    path.write_text("0 1 a\n1 0 b\n0\n", encoding="utf-8")
    language = parse(f"att:{path}", alphabet="abc")
    assert language.alphabet == ("a", "b", "c")
    assert language == parse("regex[abc]:(ab)*")
    assert language.spec == f"att[alphabet=abc]:{path}"
    assert parse(language.spec) == parse(language.spec, alphabet="abc") == language
    assert parse(f"att:{path}", alphabet="ab").spec == f"att:{path}"
    assert parse(f"att[0=epsilon]:{path}", alphabet="cba").spec == (
        f"att[0=epsilon,alphabet=cba]:{path}"
    )
    words = parse(f"att:{path}", alphabet="a b noun")
    assert words.alphabet == ("a", "b", "noun")
    assert words.spec == f"att[alphabet=a b noun]:{path}"
    assert parse(words.spec) == words
    assert words.classify("a b noun") == 0
    with pytest.raises(LanguageError, match=r"line 2: label 'b' is not in the alphabet 'a c'"):
        parse(f"att:{path}", alphabet="ac")
    with pytest.raises(LanguageError, match="stands twice"):
        parse(f"att:{path}", alphabet="abb")


@pytest.mark.parametrize(
    ("spec", "alphabet", "message"),
    [
        ("partiy", None, "unknown language 'partiy'. Did you mean 'parity'?"),
        ("tomita-8", None, "unknown language 'tomita-8'. Did you mean 'tomita-"),
        ("", None, "unknown language ''"),
        ("grup:S5", None, "unknown kind of language 'grup'. Did you mean 'group'?"),
        ("parity[x]:1", None, "unknown kind of language 'parity'"),
        ("(0|1)*", None, "write regex:(0|1)*"),
        ("regex:(open|close)*", "open close", "one character, but the alphabet has 'open'. Write"),
        ("count:a:3", "a bc", "one character, but the alphabet has 'bc'. Write"),
        ("group[x]:S5", None, "has [x]. Remove it."),
        ("att[1=a]:file", None, "but not [1=a]"),
        ("group:S5,generator=3", None, "Did you mean 'generators'?"),
        ("group:S5,seed=x", None, "seed is a whole number, but it is 'x'"),
        ("group:S3,seed=4", None, "seed=4 draws generators, but group:S3,seed=4 takes all"),
        ("group:S3,seed=0", None, "Add generators=K, or remove the seed"),
        ("group:S4,generators=2,generators=3", None, "generators stands twice in group:S4,gen"),
        ("group:S4,seed=1,generators=2,seed=1", None, "seed stands twice"),
        ("regex:a\udc80*", None, "column 2: '\\udc80' is not a character that UTF-8 can write"),
        ("regex:a*", "a\udc80", "the alphabet has '\\udc80'"),
        ("count:\ud800:3:a\ud800", None, "the alphabet has '\\ud800'"),
        ("group:", None, "'' in '' is none of these"),
        ("count:1", None, "this is count:1"),
        ("count:12:3", None, "this is count:12:3"),
        ("count:1:3:01", "10", "states '01' and '10' was given"),
        ("regex[ab]:a", "abc", "states 'ab' and 'abc' was given"),
        ("regex:a", "]:a", "which a line cannot hold"),
        ("regex:a", "", "at least one symbol"),
        ("parity", "ab", "parity has the alphabet '0 1', so it cannot have 'ab'"),
        ("regex:a(b", None, "column 2"),
        ("att:no-such-file", None, "no-such-file: cannot be read"),
    ],
)
def test_a_line_that_is_no_language_is_refused(
    spec: str, alphabet: str | None, message: str
) -> None:
    with pytest.raises(LanguageError) as caught:
        parse(spec, alphabet)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_list_names_everything_and_its_examples_work() -> None:
    listed = languages()
    assert [entry["spec"] for entry in listed] == [*CATALOGUE, *BENCHMARKS, *FAMILIES]
    assert all(entry["definition"] and entry["source"] for entry in listed)
    for family in FAMILIES.values():
        if not may_change(family.example):
            parse(family.example)


def third(word: str) -> bool:
    return word.count("b") % 3 == 0


class Modulo:
    """Functions that are objects, and methods."""

    def __init__(self, modulus: int) -> None:
        self.modulus = modulus

    def __call__(self, word: str) -> int:
        return len(word) % self.modulus

    @staticmethod
    def even(word: str) -> bool:
        return len(word) % 2 == 0


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module in the current folder."""
    (tmp_path / "users_words.py").write_text(
        "def third(word):\n    return word.count('b') % 3 == 0\n"
        "class Kinds:\n    def even(word):\n        return len(word.split()) % 2\n"
        "number = 5\n"
        "def broken(word):\n    return 1 // (len(word) - 9) > 2\n"
        "def palindrome(word):\n    return word == word[::-1]\n"
    )
    (tmp_path / "users_slip.py").write_text("1 +\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "users_words", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "alphabet", "canonical"),
    [
        ("py[states=3,alphabet=ab]:users_words:third", None, "states=3,alphabet=ab"),
        ("py[alphabet=ab,states=4]:users_words:third", None, "states=4,alphabet=ab"),
        ("py[states=5]:users_words:third", "ab", "states=5,alphabet=ab"),
        ("py[states=3,alphabet=ab]:users_words:third", "ab", "states=3,alphabet=ab"),
        ("py[states=3,alphabet=b,=a]:users_words:third", None, "states=3,alphabet=b,=a"),
        ("py[states=3,alphabet=b noun]:users_words:third", None, "states=3,alphabet=b noun"),
    ],
)
@pytest.mark.usefixtures("module")
def test_a_function_is_named_by_its_import_path(
    spec: str, alphabet: str | None, canonical: str
) -> None:
    found = parse(spec, alphabet)
    assert found.spec == f"py[{canonical}]:users_words:third"
    again = parse(found.spec)
    assert (again, again.spec) == (found, found.spec)
    counted = from_step_function(
        found.alphabet, 0, lambda bs, symbol: (bs + (symbol == "b")) % 3, lambda bs: int(bs == 0)
    )
    assert found == counted


@pytest.mark.usefixtures("module")
def test_a_function_may_stand_in_a_class() -> None:
    found = parse("py[states=2,alphabet=up down]:users_words:Kinds.even")
    assert found.classify("up down up") == 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("py:users_words:third", "Write py[states=8,alphabet=01]:users_words:third, with your own"),
        ("py[states=3]:users_words:third", "Write py[states=3,alphabet=01]:users_words:third,"),
        ("py[alphabet=ab]:users_words:third", "Write py[states=8,alphabet=ab]:users_words:third,"),
        ("py[]:users_words:third", "but this is []. Write both."),
        ("py[states=many]:users_words:third", "but this is [states=many]. Write both."),
        ("py[states=3,alphabet=ab]:users_words", "names none that can be imported"),
        ("py[states=3,alphabet=ab]:__main__:third", "names none that can be imported"),
        ("py[states=3,alphabet=ab]:m:<lambda>", "names none that can be imported"),
        ("py[states=3,alphabet=ab]:nowhere:f", "'nowhere:f' cannot be imported (ModuleNotFound"),
        ("py[states=3,alphabet=ab]:users_words:f", "(AttributeError: module 'users_words' has"),
        ("py[states=3,alphabet=ab]:users_slip:f", "'users_slip:f' cannot be imported (SyntaxErr"),
        ("py[states=3,alphabet=ab]:users_words:number", "is 5 (int), but a function from words"),
        ("py[states=3,alphabet=ab]:users_words:broken", "(ZeroDivisionError: "),
        ("py[states=9,alphabet=ab]:users_words:palindrome", "needs more than the 9 states that"),
        ("py[states=2,alphabet=ab]:users_words:third", "needs more than the 2 states that are"),
        ("py[states=0,alphabet=ab]:users_words:third", "from 1 to 500, but it is 0"),
        ("py[states=30,alphabet=ab]:users_words:third", "Ask for max_states=12, if it has no more"),
        ("py[states=3,alphabet=aa]:users_words:third", "'a' stands twice"),
    ],
)
@pytest.mark.usefixtures("module")
def test_slips_about_functions_are_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, spec: str, message: str
) -> None:
    monkeypatch.setattr(explore, "MAX_TESTS", 20_000)
    with pytest.raises(LanguageError) as caught:
        parse(spec)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_function_in_python_gets_a_line() -> None:
    found = language(third, "ab", max_states=4)
    assert found == parse("regex:(a*ba*ba*b)*a*")
    assert found.spec == f"py[states=4,alphabet=ab]:{__name__}:third"
    methods = language(Modulo.even, alphabet="a", max_states=2)
    assert methods.spec == f"py[states=2,alphabet=a]:{__name__}:Modulo.even"
    for unnamed, name in ((lambda w: len(w) % 3, "<lambda>"), (Modulo(3), f"{__name__}:Modulo()")):
        three = language(unnamed, "a", max_states=3)
        assert three.classes == (0, 1, 2)
        assert three.spec.endswith(name)
        with pytest.raises(LanguageError, match="names none that can be imported"):
            parse(three.spec)


def test_slips_in_python_are_told() -> None:
    for part in ({}, {"alphabet": "ab"}, {"max_states": 3}):
        with pytest.raises(LanguageError, match="a function needs alphabet='01' and max_states=8"):
            language(third, **part)
    with pytest.raises(LanguageError, match="max_states is for functions, but 'parity' is none"):
        language("parity", max_states=3)
    assert language("regex:a*", "ab") == parse("regex:a*", "ab")


@pytest.mark.parametrize("text", ["0 1 1 0", " 0110", "0  1 10 "])
def test_symbols_of_one_character_may_have_spaces_between_them(text: str) -> None:
    parity = parse("count:1:3")
    assert parity.classify(text) == parity.classify((0, 1, 1, 0)) == 2
