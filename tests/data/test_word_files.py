"""Files of words: what decides how their bytes are read, and their digests."""

from pathlib import Path

from lengthwise.data.columns import Columns
from lengthwise.data.prepared_words import prepare_words
from lengthwise.data.word_files import WordFile
from word_files import read_back


def test_a_file_is_the_same_until_its_bytes_its_name_or_its_columns_differ(tmp_path: Path) -> None:
    one, other = tmp_path / "a.tsv", tmp_path / "b.csv"
    for path in (one, other):
        path.write_text("word\tlabel\n")
    assert WordFile.of(one).digest() == WordFile.of(other).digest()
    assert WordFile.of(one).kind != WordFile.of(other).kind
    assert WordFile.of(one).kind != WordFile.of(one, Columns(word="text")).kind
    other.write_text("label\tword\n")
    assert WordFile.of(one).digest() != WordFile.of(other).digest()
    assert str(WordFile.of(one).place(3)) == f"{one}, line 3"


def test_other_columns_of_the_same_bytes_are_other_words(tmp_path: Path) -> None:
    """Nothing that was kept for one choice is taken for the other."""
    path = tmp_path / "a.csv"
    path.write_text("x,y,label\na,b,1\nb,a,0\n")
    assert read_back(prepare_words(path, columns=Columns(word="x"))) == {("a",): "1", ("b",): "0"}
    assert read_back(prepare_words(path, columns=Columns(word="y"))) == {("b",): "1", ("a",): "0"}
