"""Tables of columns: Parquet, against what pyarrow itself reads."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.data.columns import Columns
from lengthwise.data.formats import tables
from lengthwise.data.formats.tables import Parquet
from lengthwise.errors import LengthwiseError

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def read(columns: dict[str, Any], named: str = "") -> list[tuple[str | list[str], str]]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "words.parquet"
        parquet.write_table(pyarrow.table(columns), path)
        return [(row.word, row.label) for row in Parquet().rows(path, Columns.parse(named))]


@given(
    rows=st.lists(
        st.tuples(st.lists(st.sampled_from(["a", "b c", "ü"]), max_size=4), st.integers(0, 3)),
        min_size=1,
        max_size=30,
    ),
    at_once=st.integers(1, 7),
)
def test_lists_and_texts_are_read_in_their_order(
    rows: list[tuple[list[str], int]], at_once: int
) -> None:
    words, labels = [word for word, _ in rows], [label for _, label in rows]
    expected = [str(label) for label in labels]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_AT_ONCE", at_once)
        typed = pyarrow.array(words, pyarrow.list_(pyarrow.string()))
        assert read({"w": typed, "label": labels}, "word=w") == list(
            zip(words, expected, strict=True)
        )
        texts = ["".join(word).replace(" ", "") for word in words]
        kinds = pyarrow.array(expected).dictionary_encode()
        assert read({"label": kinds, "word": texts}) == list(zip(texts, expected, strict=True))


def test_events_with_times_of_their_own_type_are_put_in_order() -> None:
    when = pyarrow.array([3_000, 1_000, 2_000], pyarrow.timestamp("ms", tz="UTC"))
    table = {"id": [1, 1, 2], "do": ["z", "y", "x"], "ok": [True, None, False], "at": when}
    assert read(table, "case=id,event=do,label=ok,time=at") == [
        (["y", "z"], "true"),
        (["x"], "false"),
    ]


@pytest.mark.parametrize(
    ("table", "named", "message"),
    [
        ({"text": ["a"], "label": ["1"]}, "", "no column 'word'. Known: text, label. Name"),
        ({"word": ["a"], "label": [1.5]}, "", "row 1: a label is a string, but got 1.5"),
        ({"word": ["a", None], "label": ["1", "0"]}, "", "row 2: the word is null"),
        ({"word": [7], "label": ["1"]}, "", "row 1: a word is a string or a list of symbols"),
    ],
)
def test_slips_are_named_with_their_row(table: dict[str, Any], named: str, message: str) -> None:
    with pytest.raises(LengthwiseError) as refused:
        read(table, named)
    assert message in str(refused.value)


def test_a_file_that_is_not_parquet_and_a_missing_library_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "words.parquet"
    path.write_bytes(b"word\tlabel\n")
    with pytest.raises(LengthwiseError, match=r"cannot be read as Parquet: .+ Write it again\.$"):
        list(Parquet().rows(path, Columns()))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(LengthwiseError, match=r"needs the library pyarrow.*lengthwise\[text\]"):
        list(Parquet().rows(path, Columns()))


def test_rows_without_a_column_of_labels_are_of_the_language() -> None:
    assert read({"word": ["ab", "b"], "label": ["x", None]}, "label=") == [("ab", "1"), ("b", "1")]
    assert read({"id": [1, 1], "do": ["y", "z"]}, "case=id,event=do,label=") == [(["y", "z"], "1")]
