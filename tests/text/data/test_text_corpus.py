"""Is a prepared corpus the text, whole, divided without overlap, and the same however often?"""

import json
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_damage import check_a_damaged_index_is_told, check_damage_is_told
from lengthwise.errors import ConfigError, TextError
from lengthwise.text.data.text_corpus import (
    END,
    PARTS,
    Corpus,
    PrepareConfig,
    Tokens,
    prepare_corpus,
)
from ordinary import few

BYTES = PrepareConfig(vocab_size=257)


def jsonl(path: Path, texts: list[str]) -> str:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return str(path)


def texts_of(corpus: Corpus, part: str) -> list[str]:
    """The documents of a part, from its tokens."""
    tokens = corpus.part(part)
    numbers = np.arange(len(tokens))
    found = corpus.decode(tokens.windows(numbers, 1)[:, 0].tolist())
    return found.split(END)[:-1]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def some(count: int, start: int = 0) -> list[str]:
    return [f"text number {number}, und ein ü" for number in range(start, start + count)]


@pytest.mark.parametrize("vocab_size", [257, 300])
def test_parts_that_are_given_are_kept_apart(vocab_size: int, tmp_path: Path) -> None:
    sources = {
        "train": [jsonl(tmp_path / "a.jsonl", some(30))],
        "valid": [jsonl(tmp_path / "b.jsonl", some(3, 100))],
        "test": [jsonl(tmp_path / "c.jsonl", [*some(3, 200), "text number 7, und ein ü"])],
    }
    corpus = prepare_corpus(tmp_path / "out", sources, PrepareConfig(vocab_size=vocab_size))
    assert texts_of(corpus, "valid") == some(3, 100)
    assert texts_of(corpus, "test") == [*some(3, 200), some(8)[7]]
    assert texts_of(corpus, "train") == [text for text in some(30) if "number 7," not in text]
    assert corpus.index["left_out"] == 1
    assert corpus.vocab_size <= vocab_size
    assert corpus.index["parts"]["valid"]["documents"] == 3
    assert corpus.bytes_per_token("valid") == pytest.approx(
        sum(len(text.encode()) for text in some(3, 100)) / len(corpus.part("valid"))
    )


def test_what_the_test_has_is_left_out_of_validation(tmp_path: Path) -> None:
    sources = {
        "train": [jsonl(tmp_path / "a.jsonl", some(9))],
        "valid": [jsonl(tmp_path / "b.jsonl", [*some(3, 100), *some(2, 200), *some(1, 100)])],
        "test": [jsonl(tmp_path / "c.jsonl", [*some(4, 200), *some(1, 200)])],
    }
    corpus = prepare_corpus(tmp_path / "out", sources, BYTES)
    assert texts_of(corpus, "test") == [*some(4, 200), *some(1, 200)]
    assert texts_of(corpus, "valid") == [*some(3, 100), *some(1, 100)]
    assert texts_of(corpus, "train") == some(9)
    assert corpus.index["left_out"] == 2


@pytest.mark.filterwarnings("ignore")
def test_each_part_of_a_dataset_is_read_from_its_split(tmp_path: Path) -> None:
    folder = tmp_path / "dataset"
    folder.mkdir()
    for number, split in enumerate(("train", "validation", "test", "other")):
        jsonl(folder / f"{split}.jsonl", some(3, 100 * number))
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: default\n  data_files:\n"
        + "".join(
            f"  - split: {split}\n    path: {split}.jsonl\n"
            for split in ("train", "validation", "test", "other")
        )
        + "---\n"
    )
    sources = {part: [f"hf:{folder}"] for part in PARTS}
    corpus = prepare_corpus(tmp_path / "out", sources, BYTES)
    for number, part in enumerate(("train", "valid", "test")):
        assert texts_of(corpus, part) == some(3, 100 * number)
    named = prepare_corpus(tmp_path / "named", {**sources, "train": [f"hf:{folder}::other"]}, BYTES)
    assert texts_of(named, "train") == some(3, 300)


def test_many_documents_are_divided_by_what_they_are(tmp_path: Path) -> None:
    texts = [*some(400), *some(50)]
    corpus = prepare_corpus(
        tmp_path / "out", {"train": [jsonl(tmp_path / "a.jsonl", texts)]}, BYTES
    )
    parts = {part: texts_of(corpus, part) for part in PARTS}
    assert sorted(text for found in parts.values() for text in found) == sorted(texts)
    for part in PARTS:
        others = {text for other in PARTS if other != part for text in parts[other]}
        assert not set(parts[part]) & others
        assert parts[part]
    assert len(parts["train"]) > 360


def test_few_documents_are_cut(tmp_path: Path) -> None:
    long = "".join(f"word{number} " for number in range(200))
    corpus = prepare_corpus(
        tmp_path / "out", {"train": [jsonl(tmp_path / "a.jsonl", [long, long])]}, BYTES
    )
    parts = [texts_of(corpus, part) for part in ("train", "valid", "test")]
    assert ["".join(pieces) for pieces in zip(*parts, strict=True)] == [long]
    assert len(parts[0][0]) == pytest.approx(0.9 * len(long), abs=1)


def test_a_tokenizer_never_sees_what_is_set_apart(tmp_path: Path) -> None:
    sources = {
        "train": [jsonl(tmp_path / "a.jsonl", ["ab" * 500])],
        "valid": [jsonl(tmp_path / "b.jsonl", ["xyz" * 500])],
        "test": [jsonl(tmp_path / "c.jsonl", ["uvw" * 500])],
    }
    vocabulary = prepare_corpus(tmp_path / "out", sources, PrepareConfig(vocab_size=280)).tokenizer
    learned = {token for token in vocabulary.get_vocab() if len(token) > 1 and token != END}
    assert learned
    assert all(set(token) <= {"a", "b"} for token in learned)


class KilledError(Exception):
    pass


@settings(max_examples=few(4, 10))
@given(stop=st.integers(0, 7), characters=st.integers(100, 3_000))
def test_what_was_interrupted_ends_as_if_it_was_not(
    stop: int, characters: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("resume")
    sources = {"train": [jsonl(folder / "a.jsonl", some(260))]}
    config = PrepareConfig(vocab_size=257, characters=characters)
    whole = prepare_corpus(folder / "whole", sources, config)

    def kill(done: int, tokens: int) -> None:
        nonlocal stop
        stop -= 1
        if stop < 0:
            raise KilledError

    with suppress(KilledError):
        prepare_corpus(folder / "out", sources, config, progress=kill)
    again = prepare_corpus(folder / "out", sources, config)
    assert files(again.folder) == files(whole.folder)
    assert prepare_corpus(folder / "out", sources, config).index == whole.index


def test_a_batch_that_was_done_is_not_done_again(tmp_path: Path) -> None:
    sources = {"train": [jsonl(tmp_path / "a.jsonl", some(300))]}
    config = PrepareConfig(vocab_size=257, characters=2_000)
    first: list[int] = []

    def kill(done: int, tokens: int) -> None:
        first.append(done)
        if len(first) == 2:
            raise KilledError

    with pytest.raises(KilledError):
        prepare_corpus(tmp_path / "out", sources, config, progress=kill)
    then: list[int] = []
    prepare_corpus(
        tmp_path / "out", sources, config, progress=lambda done, tokens: then.append(done)
    )
    assert then[0] > first[-1]
    assert then[-1] == 300


def test_sources_that_changed_while_a_corpus_was_made_are_refused(tmp_path: Path) -> None:
    def kill(done: int, tokens: int) -> None:
        raise KilledError

    source, config = tmp_path / "a.jsonl", PrepareConfig(vocab_size=257, characters=2_000)
    sources = {"train": [jsonl(source, some(300))]}
    with pytest.raises(KilledError):
        prepare_corpus(tmp_path / "out", sources, config, progress=kill)
    jsonl(source, [*some(5, 900), *some(300)])
    with pytest.raises(TextError, match="have changed since a part of them was prepared"):
        prepare_corpus(tmp_path / "out", sources, config)
    jsonl(source, some(300))
    found = prepare_corpus(tmp_path / "out", sources, config)
    assert sorted(text for part in PARTS for text in texts_of(found, part)) == sorted(some(300))


def test_a_corpus_that_is_ready_needs_its_sources_no_more(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").unlink()
    again = prepare_corpus(corpus.folder, {"train": [str(tmp_path / "a.jsonl")]}, BYTES)
    assert again.index == corpus.index


def test_nothing_is_left_of_a_text_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"text": "one"}\nbroken\n')
    (tmp_path / "empty.txt").touch()
    same = jsonl(tmp_path / "same.jsonl", some(3))
    many = jsonl(tmp_path / "many.jsonl", some(9, 100))
    for sources, says in (
        ({"train": [str(tmp_path / "bad.jsonl")]}, "line 2: not JSON"),
        ({"train": [str(tmp_path / "empty.txt")]}, "nothing for the part train"),
        ({"train": [same], "valid": [same], "test": [same]}, "6 documents are in other parts"),
        ({"train": [many], "valid": [same], "test": [same]}, "nothing for the part valid: 3 doc"),
        ({"train": [str(tmp_path / "none")]}, "does not exist"),
        ({"train": [many, str(tmp_path / "none")]}, "does not exist"),
    ):
        with pytest.raises(TextError, match=says):
            prepare_corpus(tmp_path / "out", sources, BYTES)
        assert not (tmp_path / "out").exists(), says
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".request.json.9.tmp").touch()
    prepare_corpus(tmp_path / "out", {"train": [jsonl(tmp_path / "a.jsonl", some(300))]}, BYTES)
    assert not (tmp_path / "out" / ".request.json.9.tmp").exists()


def test_white_space_makes_no_other_document(tmp_path: Path) -> None:
    sources = {
        "train": [jsonl(tmp_path / "a.jsonl", ["one two\nthree", "four"])],
        "valid": [jsonl(tmp_path / "b.jsonl", ["one two\r\nthree "])],
        "test": [jsonl(tmp_path / "c.jsonl", ["five"])],
    }
    corpus = prepare_corpus(tmp_path / "out", sources, BYTES)
    assert texts_of(corpus, "train") == ["four"]
    assert corpus.index["left_out"] == 1


def test_what_looks_like_the_end_of_a_document_is_text(tmp_path: Path) -> None:
    text = f"before {END} after"
    sources = {part: [jsonl(tmp_path / f"{part}.jsonl", [part + text])] for part in PARTS}
    corpus = prepare_corpus(tmp_path / "out", sources, BYTES)
    assert len(corpus.part("test")) == len(f"test{text}") + 1
    assert corpus.decode(corpus.encode(text)) == text
    assert list(corpus.documents("test")) == [f"test{text}"]


@pytest.mark.parametrize("characters", [100, 10_000])
def test_documents_come_back_as_they_were(characters: int, tmp_path: Path) -> None:
    sources = {
        "train": [jsonl(tmp_path / "a.jsonl", [*some(30), "two\n\nlines "])],
        "valid": [jsonl(tmp_path / "b.jsonl", some(2, 100))],
        "test": [jsonl(tmp_path / "c.jsonl", some(3, 200))],
    }
    config = PrepareConfig(vocab_size=300, characters=characters)
    corpus = prepare_corpus(tmp_path / "out", sources, config)
    assert (len(corpus.part("train").shards) > 1) == (characters == 100)
    assert list(corpus.documents("train")) == [*some(30), "two\n\nlines "]
    assert list(corpus.documents("test")) == some(3, 200)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return prepare_corpus(
        tmp_path / "out", {"train": [jsonl(tmp_path / "a.jsonl", some(300))]}, BYTES
    )


def test_damage_is_told(corpus: Corpus) -> None:
    check_damage_is_told(corpus, "train-00000.bin")


@pytest.mark.parametrize("content", ['{"format": 1}', "[]", "broken", "EDITED"])
def test_a_damaged_index_is_told(corpus: Corpus, content: str) -> None:
    check_a_damaged_index_is_told(corpus, content, '"uint16"', '"uint32"')


def test_other_wishes_for_one_folder_are_refused(corpus: Corpus, tmp_path: Path) -> None:
    same = {"train": [str(tmp_path / "a.jsonl")]}
    with pytest.raises(TextError, match=r"with config.vocab_size 257, but now 300 is"):
        prepare_corpus(corpus.folder, same, PrepareConfig(vocab_size=300))
    with pytest.raises(TextError, match="with sources"):
        prepare_corpus(corpus.folder, {"train": ["python"]}, BYTES)
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "file").touch()
    with pytest.raises(TextError, match="holds no prepared corpus"):
        prepare_corpus(tmp_path / "else", same, BYTES)


def test_a_tokenizer_of_another_corpus_is_taken_as_it_is(corpus: Corpus, tmp_path: Path) -> None:
    source = {"train": [jsonl(tmp_path / "b.jsonl", some(300, 500))]}
    other = prepare_corpus(tmp_path / "other", source, PrepareConfig(), tokenizer=corpus.folder)
    assert other.tokenizer_digest == corpus.tokenizer_digest
    assert other.vocab_size == 257
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(TextError, match=r"no.json is not a tokenizer"):
        prepare_corpus(tmp_path / "third", source, BYTES, tokenizer=tmp_path / "no.json")


def test_what_is_not_ready_is_told(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="holds no prepared corpus"):
        Corpus.load(tmp_path)
    (tmp_path / "request.json").write_text("{}")
    with pytest.raises(TextError, match="is not prepared to the end"):
        Corpus.load(tmp_path)


def test_parts_are_given_together_and_are_not_empty(tmp_path: Path) -> None:
    text = jsonl(tmp_path / "a.jsonl", some(3))
    with pytest.raises(ConfigError, match="Give both, or neither"):
        prepare_corpus(tmp_path / "out", {"train": [text], "valid": [text]}, BYTES)
    with pytest.raises(ConfigError, match="needs text to train on"):
        prepare_corpus(tmp_path / "out", {}, BYTES)
    with pytest.raises(ConfigError, match="vocab_size=256 is too small"):
        PrepareConfig(vocab_size=256)


@given(sizes=st.lists(st.integers(0, 12), min_size=1, max_size=4), length=st.integers(1, 6))
def test_windows_are_all_that_lie_in_one_file(sizes: list[int], length: int) -> None:
    bounds = np.cumsum([0, *sizes])
    shards = [np.arange(a, b) for a, b in pairwise(bounds)]
    expected = [
        shard[start : start + length].tolist()
        for shard in shards
        for start in range(len(shard) - length + 1)
    ]
    tokens = Tokens(shards)
    assert len(tokens) == sum(sizes)
    assert tokens.num_windows(length) == len(expected)
    numbers = np.random.default_rng(0).permutation(len(expected))
    found = tokens.windows(numbers, length).tolist()
    assert found == [expected[number] for number in numbers]


def test_large_vocabularies_take_four_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Corpus.read_tokenizer

    class Large:
        def __init__(self, path: Path) -> None:
            self._own = real(path)

        def __getattr__(self, name: str) -> object:
            return getattr(self._own, name)

        def get_vocab_size(self) -> int:
            return 2**16 + 1

    monkeypatch.setattr(Corpus, "read_tokenizer", Large)
    corpus = prepare_corpus(tmp_path / "out", {"train": [jsonl(tmp_path / "a", some(3))]}, BYTES)
    assert corpus.index["dtype"] == "uint32"
