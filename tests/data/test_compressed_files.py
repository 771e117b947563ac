"""Files are unpacked as they are read, and damaged ones are refused wherever they end."""

import gzip
import lzma
from pathlib import Path

import pytest

from lengthwise.data.compressed_files import decode_text, open_unpacked
from lengthwise.errors import TextError

TEXT = b"".join(b"%d\n" % number for number in range(20_000))


def pack(suffix: str) -> bytes:
    if suffix == ".zst":
        compressed: bytes = pytest.importorskip("zstandard").compress(TEXT)
        return compressed
    if suffix == ".txt":
        return TEXT
    return gzip.compress(TEXT) if suffix == ".gz" else lzma.compress(TEXT)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst", ".txt"])
def test_the_content_is_that_of_the_text(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"words{suffix}"
    path.write_bytes(pack(suffix))
    with open_unpacked(path) as file:
        assert file.read() == TEXT
    with open_unpacked(path) as file:
        assert [file.readline(), file.readline()] == [b"0\n", b"1\n"]


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_parts_that_were_packed_one_by_one_are_read_on(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"words{suffix}"
    path.write_bytes(2 * pack(suffix))
    with open_unpacked(path) as file:
        assert file.read() == 2 * TEXT


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
@pytest.mark.parametrize("lost", [1, 1_000])
def test_a_file_without_its_end_is_refused(tmp_path: Path, suffix: str, lost: int) -> None:
    path = tmp_path / f"words{suffix}"
    path.write_bytes(pack(suffix)[:-lost])
    with (
        pytest.raises(TextError, match=r"is damaged: .+\. Fetch it again\.$"),
        open_unpacked(path) as file,
    ):
        file.read()


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_a_file_that_was_never_packed_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"words{suffix}"
    path.write_bytes(TEXT[:5_000])
    rule = r"is damaged|cannot be read: .+\. Give a file\.$"
    with pytest.raises(TextError, match=rule), open_unpacked(path) as file:
        file.read()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"gone\.txt cannot be read: No such file"):
        open_unpacked(tmp_path / "gone.txt").__enter__()


def test_the_mark_of_windows_is_dropped_at_the_start_alone() -> None:
    marked = "\ufeffa".encode()
    assert decode_text(marked, Path("words"), 0) == "a"
    assert decode_text(marked, Path("words"), 1) == "\ufeffa"


@pytest.mark.parametrize(
    ("content", "line"), [(b"\xff", 8), (b"a\nb\xff\n", 9), (b"a\n\n\xff", 10)]
)
def test_the_line_that_is_not_utf_8_is_counted_with_those_before(content: bytes, line: int) -> None:
    with pytest.raises(TextError, match=rf"words: .* must be UTF-8, but line {line} is not\."):
        decode_text(content, Path("words"), 7)
