"""Formats of competitions and of other tools, as plain text."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.data.columns import Columns
from lengthwise.data.formats.competitions import Aalpy, Abbadingo, Stamina
from lengthwise.data.formats.reader import Reader
from lengthwise.errors import TextError
from word_files import abbadingo

Pairs = list[tuple[list[str], str]]

labelled = st.lists(
    st.tuples(st.lists(st.sampled_from(["0", "1", "12", "x-y"]), max_size=6), st.sampled_from("01"))
)


def read(reader: Reader, content: str) -> Pairs:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "words"
        path.write_bytes(content.encode())
        return [(list(row.word), row.label) for row in reader.rows(path, Columns())]


@given(pairs=labelled)
def test_words_of_abbadingo_and_stamina_are_read_back(pairs: Pairs) -> None:
    assert read(Abbadingo(), abbadingo([(tuple(word), label) for word, label in pairs])) == pairs
    signs = {"0": "-", "1": "+"}
    lines = [" ".join([signs[label], *word]) for word, label in pairs]
    assert read(Stamina(), "\n".join(lines)) == pairs


@given(pairs=labelled.filter(bool))
def test_a_beginning_is_claimed_by_its_format_alone(pairs: Pairs) -> None:
    content = abbadingo([(tuple(word), label) for word, label in pairs]) + "\n"
    assert Abbadingo().claims(content.encode())
    assert not Stamina().claims(content.encode())
    signed = "".join(" ".join(["+", *word]) + "\n" for word, _ in pairs)
    assert Stamina().claims(signed.encode())
    assert not Abbadingo().claims(signed.encode())
    for other in (b"", b"3 2\n", b"3 2\n1 5 0 0\n", b"abba\t1\n", b"-1 3\n"):
        assert not Abbadingo().claims(other)
        assert not Stamina().claims(other)


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # it leaves files open
@given(
    trace=st.lists(st.tuples(st.sampled_from(["coin", "push"]), st.sampled_from("01")), max_size=5)
)
def test_each_beginning_of_a_trace_of_aalpy_is_a_word(trace: list[tuple[str, str]]) -> None:
    """As AALpy's own reader takes the same line apart."""
    handlers = pytest.importorskip("aalpy.utils.DataHandler")
    line = ",".join(["ok", *(f"{given}/{output}" for given, output in trace)])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "traces.txt"
        path.write_text(line + "\n")
        ((first, *pairs),) = handlers.IODelimiterTokenizer().tokenize_data(str(path))
    inputs, outputs = [each for each, _ in pairs], [str(each) for _, each in pairs]
    expected = [([], first), *((inputs[: at + 1], outputs[at]) for at in range(len(pairs)))]
    assert read(Aalpy(), line) == expected


@pytest.mark.parametrize(
    ("reader", "content", "message"),
    [
        (
            Abbadingo(),
            "a b\n",
            "line 1 is not a header. Write the number of words and that of",
        ),
        (Abbadingo(), "1 2:3\n1 1 a:1,2,3\n", "line 1: the header '1 2:3' says that symbols have"),
        (Abbadingo(), "1 2\n1 2 a:1 b\n", "line 2, symbol 1: 'a:1' has attributes or data"),
        (Abbadingo(), "1 2\n1 2 a b/1\n", "line 2, symbol 2: 'b/1' has attributes or data"),
        (Abbadingo(), "1 2\n1 3 a b\n", "line 2 says that it has 3 symbols, but has 2"),
        (Abbadingo(), "1 2\nyes\n", "line 2 is not a labelled word"),
        (Abbadingo(), "3 2\n1 1 a\n0 1 b\n", "says in its first line that it has 3 words, but"),
        (Abbadingo(), "3 1\n1 1 0\n-1 0\n0 2 0 0\n", "line 3: the label -1, beside 0 and 1"),
        (Stamina(), "+ a\n? a b\n", "line 2 has no label. Write + SYMBOL"),
        (Stamina(), "+ a\n1 a b\n", "line 2 begins with '1'"),
        (Aalpy(), "1,a/0,b\n", "line 1, step 2: 'b' is not INPUT/OUTPUT"),
        (Aalpy(), "1,a/0/1\n", "line 1, step 1: 'a/0/1' is not INPUT/OUTPUT"),
        (Aalpy(), ",a/0\n", "line 1 has neither label nor output"),
    ],
)
def test_slips_are_named_with_their_line(reader: Reader, content: str, message: str) -> None:
    with pytest.raises(TextError) as refused:
        read(reader, content)
    assert message in str(refused.value)


def test_labels_1_and_minus_1_are_two_classes() -> None:
    assert read(Abbadingo(), "2 1\n1 1 0\n-1 0\n") == [(["0"], "1"), ([], "-1")]
