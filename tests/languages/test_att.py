import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError, LengthwiseWarning
from lengthwise.languages.att import from_att, to_att
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import count
from lengthwise.languages.regex import from_regex
from lengthwise.languages.spec import parse
from strategies import recognisers

AB_STAR = from_regex("(ab)*")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def write(folder: Path, text: str) -> Path:
    path = folder / "machine.att"
    path.write_text(text, encoding="utf-8")
    return path


@given(recognisers(alphabet="01"))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, language: Language
) -> None:
    path = write(tmp_path_factory.mktemp("att"), to_att(language))
    assert from_att(path) == language.minimise()


def test_symbols_of_several_characters_are_sorted(folder: Path) -> None:
    language = Language(alphabet=("b2", "a1"), transitions=((0, 1), (0, 1)), classes=(0, 1))
    again = from_att(write(folder, to_att(language)))
    assert again.alphabet == ("a1", "b2")
    assert "b2 a1" in again
    assert "a1 b2" not in again


@pytest.mark.parametrize(
    "text",
    [
        "0 1 a\n1 0 b\n0\n",  # OpenFst
        "0\t1\ta\n1\t0\tb\n0\n",
        "0\t1\ta\ta\n1\t0\tb\tb\n0\n",  # foma
        "0\t1\ta\ta\t0.000000\n1\t0\tb\tb\t0.5\n0\t0.000000\n",  # HFST
        "0 1 a 0.5\n1 0 b 2\n0 1.5\n",  # weights beside labels that are no numbers
        "0 1 a 1e0\n1 0 b 3\n0\n",
        "0 1 a\n1 0 b 0.5\n0\n",  # OpenFst leaves out the weight One
        "s1 s2 a\ns2 s1 b\ns1\n",  # named states
        "5 7 a\r\n\r\n7 5 b\r\n5\r\n",  # other numbers, line ends and empty lines
        "0 1 a\n1 0 b\n0\n1 Infinity\n",  # a final state that does not exist
        "0 1 a 0.5\n1 0 b 0.5\n1 1 b Infinity\n0\n",  # an arc that does not exist
        "\ufeff0 1 a\n1 0 b\n0\n",  # a byte order mark
        "0\t1 \t a\n1\t0\tb\n0\n",  # spaces beside tabs
        "0 1 a 0\n1 0 b 0\n0 2 a inf\n2 0\n0\n",
        "0 1 a\n1 2 <eps>\n2 3 b\n3 0 <epsilon>\n0\n",
        "0 1 a a 0\n1 2 @_EPSILON_SYMBOL_@ @_EPSILON_SYMBOL_@ 0\n2 0 b b 0\n0 0\n",
        "0 1 a\n0 2 a\n1 0 b\n2 3 b\n3\n0\n0 3 b Infinity\n3 1 a\n",  # non-deterministic
    ],
)
def test_variants_of_the_format(folder: Path, text: str) -> None:
    assert from_att(write(folder, text)) == AB_STAR


@pytest.mark.parametrize(
    ("label", "taken", "alphabet"),
    [
        ("@0@", "epsilon", ("a", "b")),
        ("<EPS>", "a symbol of this name, not as epsilon (<eps>) or a space", ("<EPS>", "a", "b")),
        ("@_SPACE_@", "a symbol of this name, not as", ("@_SPACE_@", "a", "b")),
        ("ε", "a symbol of this name, not as", ("a", "b", "ε")),
    ],
)
def test_a_label_that_may_mean_something_else_is_said(
    folder: Path, label: str, taken: str, alphabet: tuple[str, ...]
) -> None:
    path = write(folder, f"0 1 a a\n1 2 {label} {label}\n2 0 b b\n0\n")
    said = f"{path}, line 2, field 3: label {label!r} is taken as {taken}"
    with pytest.warns(LengthwiseWarning, match=re.escape(said)):
        language = from_att(path)
    assert language.alphabet == alphabet


def test_numbers_are_labels(folder: Path) -> None:
    language = from_att(write(folder, "0 1 1\n1 0 2\n0\n"))
    assert language.alphabet == ("1", "2")
    assert "12" in language
    assert from_att(write(folder, "0 1 1 0.5\n1 0 2 3\n0\n")) == language


def test_the_start_is_the_source_of_the_first_line(folder: Path) -> None:
    assert from_att(write(folder, "1 0 b\n0 1 a\n0\n")) == from_regex("b(ab)*")
    assert from_att(write(folder, "1\n0 1 a\n1 0 b\n")) == from_regex("(ba)*")


def test_an_automaton_may_accept_nothing(folder: Path) -> None:
    assert from_att(write(folder, "0 0 a\n")).shortest(1) is None


def test_zero_is_a_symbol_where_that_is_deterministic(folder: Path) -> None:
    assert from_att(write(folder, to_att(parse("parity")))) == count("1", 2)


AMBIGUOUS = "0 1 0\n0 1 1\n0 0 1\n1\n"


def test_zero_is_asked_about_where_it_may_be_epsilon(folder: Path) -> None:
    path = write(folder, AMBIGUOUS)
    with pytest.raises(LanguageError, match=r"line 1: the label 0 may be .*att\[0=epsilon\]"):
        from_att(path)
    assert parse(f"att[0=epsilon]:{path}").alphabet == ("1",)
    assert parse(f"att[0=symbol]:{path}") == from_regex("1*(0|1)")


def test_zero_is_a_symbol_where_epsilon_is_written_otherwise(folder: Path) -> None:
    assert from_att(write(folder, AMBIGUOUS + "0 1 <eps>\n")) == from_regex("1*(0|1)?")
    assert from_att(write(folder, AMBIGUOUS + "1 1 a\n")) == from_regex("1*(0|1)a*")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
        ("0\n", "the automaton has no arcs"),
        ("0 1 <eps>\n1\n", "all labels are epsilon"),
        ("0 1 a b\n1\n", "line 1: input 'a' and output 'b' differ, so this is a transducer"),
        ("0 1 a a\n1 2 b c\n2\n", "line 2: input 'b' and output 'c' differ"),
        ("0 1 a a 0\n1 2 b c 0.5\n2 0\n", "line 2: input 'b' and output 'c' differ"),
        ("0 1 1 2\n1 2 2 2\n2\n", "line 1: input '1' and output '2' differ"),
        (
            "0 1 a 2\n1 0 b 3\n0\n",  # foma, from letters to digits
            "line 1: input 'a' and output '2' differ, so this is a transducer, and only acceptors "
            "have a language. Take a projection (if '2' is a weight, write it with a point: 2.0).",
        ),
        ("0 1 a 0\n1 0 b 0\n0\n", "line 1: input 'a' and output '0' differ"),
        ("0 1 0 0\n1 0 b -1\n0\n", "line 2: input 'b' and output '-1' differ"),
        ("0 1\ta\ta\n1\n", "line 1: state '0 1' has a space in it. Separate the fields"),
        ("0\t1\ta\n1 0\t0.5\n", "line 2: state '1 0' has a space in it"),
        ("0\t1 2\ta\n1\n", "line 1: state '1 2' has a space in it"),
        ("0 1 a @0@\n1\n", "line 1: input 'a' and output '@0@' differ"),
        ("0 1 a\n1 2 b c\n2\n", "line 2: the weight 'c' of an arc or"),
        ("0 1 a a 0\n1 2 b\n2\n", "line 2: arcs have one label, or input and output"),
        ("0 1 a\n1 x\n", "line 2: the weight 'x' of an arc or"),
        ("0 1 a a nan\n1\n", "line 1: the weight 'nan' of an arc or"),
        (
            "0 1 a a -Infinity\n1\n",
            "line 1: the weight '-Infinity' of an arc or",
        ),
        ("0 1 a b c d\n1\n", "line 1: a line is 'source target label ...'"),
        ("0\t1\ta\n1\t0\t\t\n1\n", "line 2: field 3 is empty. Write <eps> for epsilon"),
        ("0\t1\ta\t\n1\n", "line 1: field 4 is empty. Write <eps> for epsilon, or remove the"),
        ("0\t\ta\n1\n", "line 1: field 2 is empty. Name the state"),
        ("0\t1\ta\n1\t\n", "line 2: field 2 is empty. Remove the tab"),
        ("0\t1\t \t \n1\n", "line 1: field 3, label ' ', has a space in it, but symbols"),
        ("0 1 a\n1\n--\n0 1 b\n", "line 3: another automaton begins"),
        (
            "0\t1\ta b\ta b\n1\n",
            "line 1: field 3, label 'a b', has a space in it, but symbols have none. Rename it",
        ),
        ("0 1 @_IDENTITY_SYMBOL_@ @_IDENTITY_SYMBOL_@\n1\n", "line 1: label '@_IDENTITY_SYMBOL_@'"),
        ("0 1 @P.X.Y@ @P.X.Y@\n1\n", "line 1: label '@P.X.Y@' stands for other symbols"),
    ],
)
def test_a_file_that_is_no_acceptor_is_refused(folder: Path, text: str, message: str) -> None:
    path = write(folder, text)
    with pytest.raises(LanguageError) as caught:
        from_att(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_refused(folder: Path) -> None:
    with pytest.raises(LanguageError, match=r"missing\.att: cannot be read \(No such file"):
        from_att(folder / "missing.att")
    with pytest.raises(LanguageError, match="cannot be read"):
        from_att(folder)
    path = folder / "latin.att"
    path.write_bytes(b"0 1 \xe9\n1\n")
    with pytest.raises(LanguageError, match="in UTF-8, but byte 5 is not"):
        from_att(path)


def test_too_many_subsets_are_refused(folder: Path) -> None:
    arcs = ["0 0 a", "0 0 b", "0 1 a"]
    arcs += [f"{state} {state + 1} {symbol}" for state in range(1, 20) for symbol in "ab"]
    with pytest.raises(LanguageError, match="at most 20,000 states"):
        from_att(write(folder, "\n".join([*arcs, "20", ""])))


@pytest.mark.parametrize(
    ("language", "message"),
    [
        (parse("cycle-navigation"), "this language has the classes 0 1 2 3 4. Save"),
        (parse("modular-arithmetic"), "this language has a domain"),
        (
            Language(alphabet=("a", "@0@"), transitions=((0, 0),), classes=(0,)),
            "symbol '@0@' means something else",
        ),
    ],
)
def test_what_the_format_cannot_hold_is_not_written(language: Language, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        to_att(language)


@given(st.text(alphabet="01ab \t\n.", max_size=60))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = write(tmp_path_factory.mktemp("att"), text)
    try:
        message = from_att(path).spec
    except LanguageError as error:
        message = str(error)
    assert not message or message.startswith(str(path))
