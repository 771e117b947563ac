"""Files as people write them: what is read, and what is refused in one line."""

from pathlib import Path

import pytest

from lengthwise.data.columns import Columns
from lengthwise.data.labelled_words import LabelledWords
from lengthwise.data.prepared_words import prepare_words
from lengthwise.errors import LengthwiseError, TextError
from lengthwise.files import cache_folder
from word_files import Word, read_back


@pytest.mark.parametrize(
    ("content", "alphabet", "words"),
    [
        ("word\tlabel\nab\t1\n\t0\n", None, {("a", "b"): "1", (): "0"}),
        ("Word\tLabel\r\na b\t1\r\nab\t1\r\n\r\nb\t0\r\n", None, {("a", "b"): "1", ("b",): "0"}),
        ("ab ba\t1\nab\t0\n", None, {("ab", "ba"): "1", ("ab",): "0"}),
        ("ab\t1\nab ab\t0\n", ("ab",), {("ab",): "1", ("ab", "ab"): "0"}),
        ("\ufeffab\t10\nb\t9\n", None, {("a", "b"): "10", ("b",): "9"}),
    ],
)
def test_words_are_read_as_people_write_them(
    tmp_path: Path, content: str, alphabet: tuple[str, ...] | None, words: dict[Word, str]
) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(content.encode())
    found = prepare_words(path, alphabet)
    assert read_back(found) == words
    assert found.class_names == (("9", "10") if "10" in words.values() else ("0", "1"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"", "a.tsv has no words"),
        ("a.tsv", b"word\tlabel\n", "a.tsv has no words"),
        ("a.tsv", b"a\t1\nab1\n", "line 2 has no tab. Write WORD<TAB>LABEL, or,"),
        ("a.tsv", b"a\t1\t2\n", "line 1 has 2 tabs"),
        ("a.tsv", b"a\t1\nb\t\n", "line 2 has neither label nor output"),
        ("a.tsv", b'"a"\t"1"\n"b"\t"0"\n', 'line 1: the label "1" is in quotes'),
        ("a.tsv", b"a\t1\n\xff\t0\n", "the file must be UTF-8, but line 2 is not"),
        (
            "a.tsv",
            b"a\t1\nb\t0\na\t0\n",
            "1 word with two labels or outputs; the first is 'a', of lines 1",
        ),
        (
            "a.tsv",
            b"ab\t1\nb\t0\na b\t0\nb\t1\n",
            "2 words with two labels or outputs; the first is 'ab'",
        ),
        ("a.tsv", b"\t1\n\t1\n", "has no symbol, only the empty word"),
        ("a.odt", b"a,1\n", "does not end in one of .tsv, .tab, .csv, .jsonl"),
        ("a.tsv.gz", b"a\t1\n", "cannot be read: Not a gzipped file"),
        ("a.jsonl", b'{"word": "a", "label": "1"}\n{', "line 2: not JSON"),
        ("a.jsonl", b'["a", "1"]\n', "line 1: not an object"),
        ("a.jsonl", b'{"wrd": "a", "label": "1"}\n', "has no word. Did you mean 'wrd'?"),
        ("a.jsonl", b'{"word": "a", "label": null}\n', "line 1: the label is null. Give a string"),
        ("a.jsonl", b'{"word": "a", "label": 1.5}\n', "a label is a string, but got 1.5"),
        ("a.jsonl", b'{"word": 3, "label": 1}\n', "a word is a string or a list of symbols"),
        ("a.jsonl", b'{"word": ["a", " "], "label": 1}\n', "symbol 2: ' ' is not a symbol"),
        ("a.jsonl", b'{"word": "a\\tb", "label": 1}\n', "column 2: '\\t' is not a symbol"),
        ("a.jsonl", b'{"word": "\\ud800", "label": 1}\n', "line 1: not JSON"),
    ],
)
def test_slips_in_files_are_one_line(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(LengthwiseError) as found:
        prepare_words(path)
    assert message in str(found.value)
    assert str(found.value).isprintable()
    left = cache_folder() / "words"
    assert not left.exists() or all(each.suffix == ".lock" for each in left.iterdir())


def test_a_symbol_outside_the_alphabet_is_told_with_line_and_column(tmp_path: Path) -> None:
    for content, alphabet, message in (
        ("ab\t1\na bxa\t0\n", ("a", "b"), "line 2, column 4: symbol 'x' is not in the alphabet"),
        ("s1 s2\t1\ns1 s2 s9\t0\n", ("s1", "s2"), "line 2, column 7: symbol 's9'"),
    ):
        path = tmp_path / "a.tsv"
        path.write_text(content)
        with pytest.raises(LengthwiseError, match=message):
            prepare_words(path, alphabet)
    with pytest.raises(LengthwiseError, match="'a' appears twice"):
        prepare_words(path, ("a", "a"))


@pytest.mark.parametrize("blank", [" {}", "{} ", "  {} "])
def test_spaces_around_a_word_say_nothing(blank: str, tmp_path: Path) -> None:
    lines = [("ab", 0), ("ba", 1), ("abba", 1)]
    (tmp_path / "own.tsv").write_text(
        "".join(f"{blank.format(word) if word == 'ba' else word}\t{n}\n" for word, n in lines)
    )
    assert read_back(prepare_words(tmp_path / "own.tsv")) == {tuple(w): str(n) for w, n in lines}


@pytest.mark.parametrize(("without", "is_refused"), [(10, False), (11, True)])
def test_few_words_with_spaces_are_a_slip(without: int, is_refused: bool, tmp_path: Path) -> None:
    """Words of one character, and lists, do not count."""
    lines = [f"{number:04b}\t{number % 2}" for number in range(without)]
    path = tmp_path / "own.tsv"
    path.write_text("\n".join([*lines[:2], "01 1\t0", *lines[2:], *(f"{n}\t0" for n in range(9))]))
    if not is_refused:
        assert prepare_words(path).format_word(0)
        return
    message = r"own\.tsv, line 3: '01 1' has a space, .* but 11 words .* --alphabet"
    with pytest.raises(TextError, match=message):
        prepare_words(path)
    assert prepare_words(path, [*"0123456789"]).alphabet == tuple("0123456789")


def test_a_heading_with_other_names_is_told_and_no_word_is_taken_for_one(tmp_path: Path) -> None:
    """Only a line whose label, beside two others, and some symbol stand on no other line."""
    path = tmp_path / "words.tsv"

    def read(*lines: str, alphabet: str | None = None) -> LabelledWords:
        more = [lines[1] if lines[0] else lines[2]] * 50
        path.write_text("".join(f"{line}\n" for line in (*lines, *more)), encoding="utf-8")
        return prepare_words(path, alphabet)

    with pytest.raises(TextError, match=r"line 1 seems to be a heading: .* 'kind' or .* 's'"):
        read("sequence\tkind", "ab\tyes", "ba\tno", "bb\tno")
    with pytest.raises(TextError, match="line 2 seems to be a heading"):
        read("", "sequence\tkind", "\tyes", "ba\tno")
    assert len(read("sequence\tkind", "ab\tyes", "ba\tno", alphabet="abcenqsu")) == 3
    assert len(read("sequence\tno", "ab\tyes", "ba\tno")) == 3  # its label occurs again
    assert len(read("abba\tkind", "ab\tyes", "ba\tno")) == 3  # its symbols occur again
    assert len(read("sequence\tkind", "ab\tyes", "ba\tyes")) == 3  # no task without it
    assert len(read("\tkind", "ab\tyes", "ba\tno")) == 3  # the empty word has no symbol
    assert len(read("ab\tyes", "ba\tno", "sequence\tkind")) == 3  # not the first
    path.write_text("sequence\tkind\nab\tyes\nba\tno\n", encoding="utf-8")
    assert len(prepare_words(path)) == 3  # too few lines to tell
    for heading in ("text\tclass", "target\tinput", "Input\tTarget"):
        path.write_text(f"{heading}\na\t1\nb\t0\n", encoding="utf-8")
        with pytest.raises(TextError, match="line 1 seems to be a heading"):
            prepare_words(path)
    path.write_text("label\tword\n1\ta\n0\tb\n", encoding="utf-8")
    assert read_back(prepare_words(path)) == {("a",): "1", ("b",): "0"}
    path.write_text("Input\tTarget\na\t1\nb\t0\n", encoding="utf-8")
    assert len(prepare_words(path, "".join(sorted({*"Input", "a", "b"})))) == 3
    path.write_text("text\t1\na\t1\nb\t0\n", encoding="utf-8")
    assert len(prepare_words(path)) == 3  # a word whose label is no name of a column


@pytest.mark.parametrize("content", ["a\nab\nb\n", "word\na\nab\nb\n", "a\r\nab\r\nb\r\n"])
def test_words_without_labels_are_of_the_language(tmp_path: Path, content: str) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(content)
    found = prepare_words(path, columns=Columns(label=""))
    assert read_back(found) == dict.fromkeys([("a",), ("a", "b"), ("b",)], "1")
    assert found.have_one_label
    path.write_text("a\nab\t1\n")
    with pytest.raises(TextError, match=r"line 2 has 1 tab, but label= says that it is a word"):
        prepare_words(path, columns=Columns(label=""))
    path.write_text("Text\na\nab\n")
    with pytest.raises(TextError, match="line 1 seems to be a heading, 'Text'"):
        prepare_words(path, columns=Columns(label=""))
