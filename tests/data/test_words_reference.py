"""The reference of a run to its words."""

from pathlib import Path

import pytest

from lengthwise.data.columns import Columns
from lengthwise.data.words_reference import WordsReference
from lengthwise.errors import TextError

LOG = "id,do,ok\n1,a,yes\n2,b,no\n1,b,yes\n"
COLUMNS = Columns(case="id", event="do", label="ok")


def test_a_reference_keeps_its_columns_and_finds_the_words_again(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(LOG)
    found = WordsReference.of(path, None, columns=COLUMNS)
    stored = WordsReference.from_dict(found.to_dict())
    assert stored == found
    assert stored.columns == COLUMNS
    assert stored.load().digest == found.digest
    moved = path.rename(tmp_path / "other.csv")
    assert len(stored.load(moved)) == 2
    with pytest.raises(TextError, match="the words of this run cannot be read"):
        stored.load()


def test_words_in_another_format_are_the_same_words(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "words.tsv").write_text("ab\tyes\nb\tno\n")
    one = WordsReference.of(tmp_path / "log.csv", None, columns=COLUMNS)
    two = WordsReference.of(tmp_path / "words.tsv", None)
    assert one == two
    assert "columns" not in two.to_dict()


def test_words_of_one_label_are_refused_where_labels_are_needed(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("a\tok\nb\tok\n")
    with pytest.raises(TextError, match="tsv: all words have one label, so none shows what"):
        WordsReference.of(path, None)
    found = WordsReference.of(path, None, needs_labels=False)
    assert found.class_names == ("0", "1")
    path.write_text("a\t1\nb\t0\n")
    assert WordsReference.of(path, None).class_names == ("0", "1")
