"""Is a folder for one request alone, and is what was changed in it found?"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import TextError
from lengthwise.files import digest_of_file, read_json
from lengthwise.text.data.stored_corpus import (
    StoredCorpus,
    claim_corpus,
    digest,
    digest_of_index,
    read_note,
    read_tokenizer,
    token_kind,
    unclaim,
    write_index,
)
from lengthwise.text.data.tokens import learn_tokenizer

REQUEST = {"format": 1, "sources": ["a"], "config": {"size": 3}}


class Corpus(StoredCorpus):
    """A corpus of one file."""

    format = 1
    command = "make"

    @staticmethod
    def files(index: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        yield "a.bin", index["a"]


def nothing() -> None:
    pass


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A corpus that is ready."""
    claim_corpus(tmp_path, REQUEST, nothing)
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    (tmp_path / "a.bin").write_bytes(b"tokens")
    index = {"format": 1, "vocab_size": 5, "tokenizer_sha256": digest(b"{}"), "sources": ["a"]}
    write_index(tmp_path, {**index, "a": digest(b"tokens")})
    return tmp_path


def test_what_is_whole_is_loaded(folder: Path) -> None:
    corpus = Corpus.load(str(folder))
    assert corpus.vocab_size == 5
    assert corpus.tokenizer_digest == digest(b"{}")
    assert corpus.digest == digest_of_index(read_note(folder / "index.json"))[:12]
    assert len(corpus.digest) == 12


@pytest.mark.parametrize("name", ["a.bin", "tokenizer.json"])
@pytest.mark.parametrize("content", [b"tokenz", b"", None])
def test_a_file_that_changed_is_found(folder: Path, name: str, content: bytes | None) -> None:
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    with pytest.raises(TextError, match=rf"{name} is damaged: it is not what the index says"):
        Corpus.load(folder)


def test_an_index_that_changed_is_found(folder: Path) -> None:
    path = folder / "index.json"
    text = path.read_text()
    path.write_text(text.replace('"vocab_size": 5', '"vocab_size": 6'))
    with pytest.raises(TextError, match=r"index.json is damaged. Prepare the corpus again"):
        Corpus.load(folder)
    path.write_text(text.replace('"format": 1', '"format": 2'))
    with pytest.raises(TextError, match=r"is not of format 1. Prepare it again"):
        Corpus.load(folder)
    path.write_text(text.replace('"format": 1', '"format": "pairs-1"'))
    with pytest.raises(
        TextError, match=r"holds parallel text, but text is needed. Make some: make"
    ):
        Corpus.load(folder)


def test_where_texts_came_from_makes_no_other_digest() -> None:
    index = {"format": 1, "sources": ["a"], "digest": "0", "recognised": None}
    assert digest_of_index(index) == digest_of_index({"format": 1})
    assert digest_of_index(index) != digest_of_index({**index, "more": 1})


def test_what_is_not_ready_is_told(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"holds no prepared corpus. Make one: `make --out"):
        Corpus.load(tmp_path)
    claim_corpus(tmp_path, REQUEST, nothing)
    with pytest.raises(TextError, match="is not prepared to the end"):
        Corpus.load(tmp_path)


def test_a_folder_is_for_one_request(tmp_path: Path) -> None:
    out = tmp_path / "out"
    claim_corpus(out, REQUEST, nothing)
    (out / "a.bin").touch()
    claim_corpus(out, REQUEST, nothing)
    with pytest.raises(TextError, match=r"with config.size 3, but now 4 is"):
        claim_corpus(out, {**REQUEST, "config": {"size": 4}}, nothing)
    with pytest.raises(TextError, match=r"with config.size 3, but now nothing is"):
        claim_corpus(out, {**REQUEST, "config": {}}, nothing)
    assert read_json(out / "request.json") == REQUEST
    with pytest.raises(TextError, match=r"holds no prepared corpus. Use a new or empty folder"):
        claim_corpus(tmp_path, REQUEST, nothing)


def test_no_folder_is_made_for_sources_that_cannot_be_read(tmp_path: Path) -> None:
    def require() -> None:
        raise TextError("no source")

    out = tmp_path / "out"
    with pytest.raises(TextError, match="no source"):
        claim_corpus(out, REQUEST, require)
    assert not out.exists()
    claim_corpus(out, REQUEST, nothing)
    claim_corpus(out, REQUEST, require)  # they were read once


def test_what_is_given_up_leaves_nothing_of_ours(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / ".request.json.9.tmp").touch()
    claim_corpus(out, REQUEST, nothing)
    assert [path.name for path in out.iterdir()] == ["request.json"]
    unclaim(out)
    assert not out.exists()


@pytest.mark.parametrize("content", ["[]", "broken", None])
def test_what_is_no_object_of_ours_is_told(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "a.json").write_text(content)
    with pytest.raises(TextError, match=r"a.json is damaged. Prepare the corpus again"):
        read_note(tmp_path / "a.json")


def test_a_tokenizer_has_the_tokens_that_are_needed(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(learn_tokenizer(["a"], 257, ["<s>"]).to_str())
    found = read_tokenizer(tmp_path, {"<s>": "begins"})
    assert found.encode("<s>").ids == [found.token_to_id(each) for each in "<s>"]
    with pytest.raises(TextError, match=r"has no token </s>, which ends. Use another tokenizer"):
        read_tokenizer(tmp_path / "tokenizer.json", {"<s>": "begins", "</s>": "ends"})
    with pytest.raises(TextError, match=r"none cannot be read: No such file"):
        read_tokenizer(tmp_path / "none", {})
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(TextError, match=r"no.json is not a tokenizer"):
        read_tokenizer(tmp_path / "no.json", {})


@given(content=st.binary(max_size=99))
def test_a_file_has_the_digest_of_its_content(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("digest") / "file"
    path.write_bytes(content)
    assert digest_of_file(path) == digest(content)


@pytest.mark.parametrize(("vocab_size", "most"), [(2**16, 2**16 - 1), (2**16 + 1, 2**16)])
def test_all_tokens_can_be_stored(vocab_size: int, most: int) -> None:
    kind = token_kind(vocab_size)
    assert int(np.array([most]).astype(kind)[0]) == most
    assert kind.itemsize == (2 if vocab_size <= 2**16 else 4)
