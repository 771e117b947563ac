"""The format of a file: by its name, by its first lines, or as it is named."""

import gzip
from pathlib import Path

import pytest

from lengthwise.data.columns import Columns
from lengthwise.data.formats.catalogue import ENDINGS, FORMATS, READERS, reader_of
from lengthwise.errors import ConfigError, TextError


def test_names_and_endings_are_of_one_reader_each() -> None:
    assert len(FORMATS) == len(READERS)
    assert len(ENDINGS) == sum(len(reader.endings) for reader in READERS)
    assert all(reader.shown and reader.unit for reader in READERS)


@pytest.mark.parametrize(("ending", "reader"), ENDINGS.items())
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_an_ending_tells_the_format(
    ending: str, reader: object, packed: str, tmp_path: Path
) -> None:
    path = tmp_path / f"words{ending.upper()}{packed}"
    path.write_bytes(b"")
    assert reader_of(path, Columns()) is reader


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"2 2\n1 2 0 1\n0 0\n", "abbadingo"),
        (b"+ 0 1\n- 1\n-\n", "stamina"),
        (b"0 1\n1 0\n", None),
        (b"abba\t1\n", None),
        (b"", None),
    ],
)
@pytest.mark.parametrize("ending", [".txt", ".txt.gz", ""])
def test_first_lines_tell_the_format_where_the_name_does_not(
    content: bytes, name: str | None, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"words{ending}"
    path.write_bytes(gzip.compress(content) if ending.endswith(".gz") else content)
    if name is None:
        with pytest.raises(TextError, match="or name its format: --columns format=tsv"):
            reader_of(path, Columns())
    else:
        assert reader_of(path, Columns()) is FORMATS[name]
    assert reader_of(path, Columns(format="csv")) is FORMATS["csv"]


def test_what_is_not_there_or_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("")
    with pytest.raises(ConfigError, match=r"unknown format 'cvs'\. Did you mean 'csv'"):
        reader_of(tmp_path / "a.csv", Columns(format="cvs"))
    with pytest.raises(ConfigError, match="event=x, but no case"):
        reader_of(tmp_path / "a.csv", Columns(event="x"))
    with pytest.raises(TextError, match="does not exist"):
        reader_of(tmp_path / "b.csv", Columns())
    with pytest.raises(TextError, match="is a folder, but not a dataset"):
        reader_of(tmp_path, Columns())
