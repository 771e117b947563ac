import sys
from pathlib import Path

import pytest
from hypothesis import given

from lengthwise.errors import LanguageError
from lengthwise.languages import function_learning
from lengthwise.languages.builders import from_step_function
from lengthwise.languages.spec import language, parse
from strategies import expressions


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
    with pytest.raises(LanguageError, match="appears twice"):
        parse(f"att:{path}", alphabet="abb")


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
        ("py[states=9,alphabet=ab]:users_words:palindrome", "needs more than max_states=9"),
        ("py[states=2,alphabet=ab]:users_words:third", "needs more than max_states=2"),
        ("py[states=0,alphabet=ab]:users_words:third", "from 1 to 500, but it is 0"),
        ("py[states=30,alphabet=ab]:users_words:third", "Ask for max_states=12, if it has no more"),
        ("py[states=3,alphabet=aa]:users_words:third", "'a' appears twice"),
    ],
)
@pytest.mark.usefixtures("module")
def test_slips_about_functions_are_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, spec: str, message: str
) -> None:
    monkeypatch.setattr(function_learning, "MAX_TESTS", 20_000)
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
    with pytest.raises(LanguageError, match="max_states is for functions, but 'parity' is not one"):
        language("parity", max_states=3)
    assert language("regex:a*", "ab") == parse("regex:a*", "ab")
