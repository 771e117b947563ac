"""Are pairs read whole from whatever holds them, and is what is no pair told?"""

import gzip
import json
import lzma
import shutil
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import ConfigError, TextError
from lengthwise.text.data.pairs import (
    SentencePair,
    git_blob_id,
    normalise,
    read_pairs,
    recognise_files,
)

EN_VI = ("en", "vi")

PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".xz": lzma.compress,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
}

cells = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n"), min_size=1, max_size=20
).filter(str.strip)
rows = st.lists(st.tuples(cells, cells), max_size=6)


def read(source: Path | str, languages: tuple[str, str] = EN_VI) -> list[tuple[str, str]]:
    return [(pair.source, pair.target) for pair in read_pairs(str(source), languages)]


def files(folder: Path, source: bytes, target: bytes, ending: str = "") -> str:
    one, other = folder / f"train.en{ending}", folder / f"train.vi{ending}"
    one.write_bytes(source)
    other.write_bytes(target)
    return f"{one},{other}"


def lines(texts: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


@pytest.mark.parametrize("packed", PACK)
@given(found=rows)
def test_a_table_has_pairs_in_two_columns(
    packed: str, found: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("table") / f"a.tsv{packed}"
    path.write_bytes(PACK[packed](lines(["vi\tid\ten", *(f"{b}\t7\t{a}" for a, b in found)])))
    assert read(path) == [(normalise(a), normalise(b)) for a, b in found]
    assert [pair.line for pair in read_pairs(str(path), EN_VI)] == list(range(2, len(found) + 2))


@pytest.mark.parametrize("packed", PACK)
@given(found=rows)
def test_two_files_have_pairs_line_by_line(
    packed: str, found: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    one, other = (lines([row[side] for row in found]) for side in (0, 1))
    source = files(tmp_path_factory.mktemp("two"), PACK[packed](one), PACK[packed](other), packed)
    assert read(source) == [(normalise(a), normalise(b)) for a, b in found]


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_a_normalised_text_is_the_same_text_in_nfc_on_one_line(text: str) -> None:
    found = normalise(text)
    assert unicodedata.is_normalized("NFC", found)
    assert found == normalise(found) == found.strip()
    assert "\n" not in found
    assert unicodedata.normalize("NFD", found).split() == unicodedata.normalize("NFD", text).split()


def test_letters_and_their_accents_become_one_character(tmp_path: Path) -> None:
    source = files(tmp_path, b"Vietnam\n", unicodedata.normalize("NFD", "Việt\n").encode())
    assert read(source) == [("Vietnam", "Việt")]
    assert len(read(source)[0][1]) == 4


def test_other_line_ends_are_text(tmp_path: Path) -> None:
    text = "a\u2028b\x85c\x0bd\re"
    source = files(tmp_path, f"{text}\r\nlast".encode(), b"\xef\xbb\xbfone\ntwo")
    assert read(source) == [(text, "one"), ("last", "two")]


def test_pairs_with_nothing_on_one_side_are_dropped_and_told(tmp_path: Path) -> None:
    source = files(tmp_path, b"a\n\nc\n \xc2\xa0\ne\n", b"A\nB\n\t\nD\nE\n")
    dropped: list[int] = []
    assert list(read_pairs(source, EN_VI, dropped=dropped.append)) == [
        SentencePair(1, "a", "A"),
        SentencePair(5, "e", "E"),
    ]
    assert dropped == [2, 3, 4]
    (tmp_path / "a.tsv").write_text("en\tvi\na\tA\n\n\tC\nd\tD\n")
    dropped.clear()
    found = list(read_pairs(str(tmp_path / "a.tsv"), EN_VI, dropped=dropped.append))
    assert found == [SentencePair(2, "a", "A"), SentencePair(5, "d", "D")]
    assert dropped == [3, 4]


@pytest.mark.parametrize(("one", "other"), [(1_203, 1_201), (0, 2), (5, 6)])
def test_files_of_different_numbers_of_lines_are_told_with_both(
    one: int, other: int, tmp_path: Path
) -> None:
    source = files(tmp_path, b"a\n" * one, b"b\n" * other)
    with pytest.raises(
        TextError, match=rf"train.en has {one:,} lines and \S*train.vi has {other:,}\."
    ):
        read(source)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.tsv", b"en\tvi\na\tb\nc\t\xe9\n", r"a.tsv: the file must be UTF-8, but line 3 is not"),
        ("a.tsv", b"\xff\xfee\x00n\x00", r"line 1 is not"),
        ("a.tsv", b"en\tvi\na\tb\na\n", r"a.tsv, line 3: the header .* 2 columns, .* has 1"),
        ("a.tsv", b"en\tvi\na\tb\tc\n", r"a.tsv, line 2: the header .* 2 columns, .* has 3"),
        (
            "a.tsv",
            b"en\tvi_1\n",
            r"but 'vi' is none of them. .*Did you mean 'vi_1'\? Known: en, vi_1",
        ),
        ("a.tsv", b"en\tvi\ten\n", r"but 'en' is 2"),
        ("a.tsv", b"", r"but 'en' is none"),
        ("a.tsv.xz", lzma.compress(b"en\tvi\n" + b"a\tb\n" * 99)[:-30], r"a.tsv.xz is damaged"),
        ("a.tsv.gz", b"no gzip", r"cannot be read: Not a gzipped file"),
        ("a.csv", b"en,vi\n", r"a.csv is not parallel text. Give FILE.tsv"),
        ("train.en", b"one\n", r"train.en is not parallel text"),
    ],
)
def test_what_is_no_pair_is_told_with_its_place(
    name: str, content: bytes, says: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TextError, match=says):
        read(tmp_path / name)


def test_a_line_that_is_not_utf_8_is_told_with_its_file(tmp_path: Path) -> None:
    source = files(tmp_path, b"a\nb\nc\n", b"a\nb\n\xe9\n")
    with pytest.raises(TextError, match=r"train.vi: the file must be UTF-8, but line 3 is not"):
        read(source)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("en\tvi\n")
    for source in ("none.tsv", f"{tmp_path}/a.en,{tmp_path}/a.vi", str(tmp_path), ""):
        with pytest.raises(TextError, match=r"is not an existing file. Give FILE.tsv"):
            read(source)
    with pytest.raises(TextError, match=r"a.tsv is a table, and two files .* are plain lines"):
        read(f"{tmp_path}/a.tsv,{tmp_path}/a.tsv")
    for source in ("hf:", "hf:a:b:c:d"):
        with pytest.raises(TextError, match="names no dataset"):
            read(source)


def test_a_table_may_have_a_comma_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "a,b.tsv").write_text("en\tvi\none\tmột\n")
    assert read(tmp_path / "a,b.tsv") == [("one", "một")]


@pytest.mark.parametrize("languages", [("en",), ("en", "en"), ("", "vi"), ("en", "vi", "de")])
def test_languages_are_two(languages: tuple[str, str]) -> None:
    with pytest.raises(ConfigError, match="has two different languages, but got"):
        read("numbers", languages)


def test_numbers_are_pairs_in_both_directions() -> None:
    forward, back = read("numbers", ("digits", "words")), read("numbers", ("words", "digits"))
    assert len(forward) == 20_000
    assert [(b, a) for a, b in back] == forward
    assert len(list(read_pairs("numbers", ("digits", "words"), "test"))) == 500
    with pytest.raises(TextError, match=r"no text under 'word'.*Did you mean 'words'"):
        read("numbers", ("digits", "word"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_dataset_has_pairs_in_its_translations_or_columns(tmp_path: Path) -> None:
    nested = [{"translation": {"en": "a\nb", "vi": "c"}}, {"translation": {"en": "d", "vi": None}}]
    flat = [{"en": "e", "vi": "f"}]
    for split, found in (("train", nested), ("validation", flat)):
        folder = tmp_path / split
        folder.mkdir()
        text = "".join(json.dumps(row) + "\n" for row in found)
        (folder / f"{split}.jsonl").write_text(text)
    dropped: list[int] = []
    source = f"hf:{tmp_path / 'train'}"
    assert list(read_pairs(source, EN_VI, dropped=dropped.append)) == [SentencePair(1, "a b", "c")]
    assert dropped == [2]
    own = f"hf:{tmp_path / 'validation'}"
    assert list(read_pairs(own, EN_VI, "valid")) == [SentencePair(1, "e", "f")]
    assert list(read_pairs(f"{own}::validation", EN_VI, "train")) == [SentencePair(1, "e", "f")]
    with pytest.raises(TextError, match=r"row 1: no text under 'de'.*Known: en, vi"):
        read(source, ("en", "de"))


@pytest.mark.filterwarnings("ignore")
def test_a_dataset_that_cannot_be_reached_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets  # noqa: PLC0415

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    with pytest.raises(TextError, match=r"nobody/nothing .*cannot be read.*ends in .tsv instead"):
        read("hf:nobody/nothing")


@pytest.mark.parametrize("content", [b"", b"one\n", b"\x00\xff" * 999])
def test_a_blob_id_is_that_of_git(content: bytes, tmp_path: Path) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    path = tmp_path / "file"
    path.write_bytes(content)
    found = subprocess.run(
        [git, "hash-object", "--no-filters", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert git_blob_id(path) == found.stdout.strip()


def test_known_files_are_recognised_by_both_ids(tmp_path: Path) -> None:
    source = files(tmp_path, b"one\n", "một\n".encode())
    one, other = source.split(",")
    known = {(git_blob_id(one), git_blob_id(other)): "known files"}
    assert recognise_files(source, known) == "known files"
    assert recognise_files(f"{other},{one}", known) == "known files"
    assert recognise_files(source) is None
    assert recognise_files(f"{one},{one}", known) is None
    assert recognise_files(one, known) is None
    assert recognise_files("numbers", known) is None
    packed = {(git_blob_id(one), git_blob_id(one)): "known files"}
    assert recognise_files(files(tmp_path, b"one\n", b"one\n", ".gz"), packed) is None
    Path(other).write_text("hai\n")
    assert recognise_files(source, known) is None
