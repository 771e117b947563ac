"""Are documents read whole from whatever they are packed in, and is what is wrong told?"""

import gzip
import json
import lzma
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import TextError
from lengthwise.text.data.documents import documents

PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".xz": lzma.compress,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
}

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=6)


def lines(found: list[str], column: str = "text") -> bytes:
    return "".join(json.dumps({"title": "t", column: text}) + "\n" for text in found).encode()


@pytest.mark.parametrize("packed", PACK)
@given(found=texts)
def test_json_lines_are_documents(
    packed: str, found: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("packed") / f"a.jsonl{packed}"
    path.write_bytes(PACK[packed](lines(found)))
    assert list(documents(str(path))) == found


@pytest.mark.parametrize("packed", PACK)
def test_a_plain_file_is_one_document(packed: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{packed}"
    path.write_bytes(PACK[packed]("eins\nzwei ü\n".encode()))
    assert list(documents(str(path))) == ["eins\nzwei ü\n"]


def test_a_packed_file_may_have_several_frames(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(zstandard.compress(lines(["one"])) + zstandard.compress(lines(["two"])))
    assert list(documents(str(path))) == ["one", "two"]


def test_a_folder_is_read_in_the_order_of_its_paths(tmp_path: Path) -> None:
    for name, content in (
        ("b.txt", b"last"),
        ("a/z.jsonl", lines(["one", "two"])),
        ("a/a.md", b"first"),
        ("a/picture.png", b"\x89PNG"),
        (".git/config.txt", b"hidden"),
    ):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(content)
    assert list(documents(str(tmp_path / "in"))) == ["first", "one", "two", "last"]


def test_marks_of_windows_and_large_endings_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "A.JSONL"
    path.write_bytes(b"\xef\xbb\xbf" + lines(["one", "two"]))
    assert list(documents(str(path))) == ["one", "two"]
    (tmp_path / ".hid").mkdir()
    (tmp_path / ".hid" / "a.txt").write_bytes(b"\xef\xbb\xbfone")
    assert list(documents(str(tmp_path / ".hid"))) == ["one"]
    (tmp_path / "b.txt").write_bytes(b"one\r\ntwo\rthree\r\n")
    assert list(documents(str(tmp_path / "b.txt"))) == ["one\ntwo\rthree\n"]


def test_files_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(["good"] * 5) + b"broken")
    assert list(islice(documents(str(path)), 5)) == ["good"] * 5


def test_another_column_may_hold_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(["one"], column="body"))
    assert list(documents(str(path), column="body")) == ["one"]
    with pytest.raises(TextError, match=r"line 1: no text under 'text'.*Known: title, body"):
        list(documents(str(path)))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.txt", b"one\ntwo\nthr\xe9e\n", r"the file must be UTF-8, but line 3 is not"),
        ("a.txt", "one\ntwo\n".encode("utf-16-le"), r"must be UTF-8, but line 1 has a NUL"),
        ("a.jsonl", lines(["one"]) + b'{"text": "\xe9"}\n', r"but line 2 is not"),
        ("a.jsonl", lines(["one"]) + b"two\n", r"a.jsonl, line 2: not JSON"),
        ("a.jsonl", b"[1]\n", r"line 1: no text under 'text'"),
        ("a.jsonl", b"[" * 100_000 + b"\n", r"line 1: not JSON"),
        ("a.jsonl", b'{"text": "\\ud800"}\n', r"line 1: half of a character"),
        ("a.json", b"{}", r"a.json is a table"),
        ("a.jsonl.xz", lzma.compress(lines(["one"] * 99))[:-30], r"a.jsonl.xz is damaged"),
        ("a.jsonl.gz", gzip.compress(lines(["one"] * 99), mtime=0)[:-30], r"a.jsonl.gz is damaged"),
        ("a.jsonl.gz", b"no gzip", r"cannot be read: Not a gzipped file"),
        ("a.jsonl.zst", zstandard.compress(lines(["one"] * 99))[:-5], r"a.jsonl.zst is damaged"),
        ("a.jsonl.zst", b"no zstandard", r"a.jsonl.zst is damaged"),
    ],
)
def test_what_is_no_text_is_told_with_its_place(
    name: str, content: bytes, says: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TextError, match=says):
        list(documents(str(tmp_path / name)))


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="does not exist"):
        documents(str(tmp_path / "none"))
    with pytest.raises(TextError, match="holds no text"):
        documents(str(tmp_path))
    with pytest.raises(TextError, match="name of a source is empty"):
        documents("")
    for source in ("hf:", "hf:a:b:c:d"):
        with pytest.raises(TextError, match="names no dataset"):
            documents(source)


@pytest.mark.filterwarnings("ignore")
def test_a_dataset_is_read_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_bytes(lines(["one", "two"]))
    assert list(documents(f"hf:{tmp_path}")) == ["one", "two"]
    with pytest.raises(TextError, match="no text under 'body'"):
        list(documents(f"hf:{tmp_path}", column="body"))


@pytest.mark.filterwarnings("ignore")
def test_a_dataset_that_cannot_be_reached_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets  # noqa: PLC0415

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    with pytest.raises(TextError, match=r"nobody/nothing .*cannot be read.*local file"):
        list(documents("hf:nobody/nothing"))
