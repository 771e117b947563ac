"""Is prepared parallel text the pairs, whole, with nothing of the tests in what is learned from?"""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_damage import check_a_damaged_index_is_told, check_damage_is_told
from lengthwise.errors import ConfigError, TextError
from lengthwise.files import write_bytes
from lengthwise.text.data import pairs as pairs_module
from lengthwise.text.data import parallel_corpus
from lengthwise.text.data.pairs import git_blob_id
from lengthwise.text.data.parallel_corpus import (
    BEGIN,
    END,
    PAD,
    PairsConfig,
    ParallelCorpus,
    Ragged,
    prepare_parallel,
)
from lengthwise.text.data.text_corpus import Corpus, PrepareConfig, prepare_corpus

EN_VI = ("en", "vi")
BYTES = PairsConfig(vocab_size=259)

Rows = Sequence[tuple[str, str]]


def some(count: int, start: int = 0) -> list[tuple[str, str]]:
    return [(f"line number {n}", f"dòng số {n}") for n in range(start, start + count)]


def tsv(path: Path, rows: Rows) -> list[str]:
    text = "".join(f"{source}\t{target}\n" for source, target in [EN_VI, *rows])
    path.write_bytes(text.encode())
    return [str(path)]


def three(folder: Path, train: Rows, valid: Rows, test: Rows) -> dict[str, list[str]]:
    parts = {"train": train, "valid": valid, "test": test}
    return {name: tsv(folder / f"{name}.tsv", rows) for name, rows in parts.items()}


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def sources(tmp_path: Path) -> dict[str, list[str]]:
    return three(tmp_path, some(30), some(3, 100), some(3, 200))


@pytest.fixture
def corpus(sources: dict[str, list[str]], tmp_path: Path) -> ParallelCorpus:
    return prepare_parallel(tmp_path / "out", sources, EN_VI, BYTES)


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> ParallelCorpus:
    """A corpus for tests that change nothing in it."""
    folder = tmp_path_factory.mktemp("ready")
    rows = three(folder, some(30), some(3, 100), some(3, 200))
    return prepare_parallel(folder / "out", rows, EN_VI, PairsConfig(vocab_size=300))


@pytest.mark.parametrize("vocab_size", [259, 300])
def test_tokens_are_the_texts_of_all_parts(vocab_size: int, tmp_path: Path) -> None:
    own = {"train": some(30), "valid": some(3, 100), "test": some(3, 200)}
    sources = three(tmp_path, **own)
    sources["news-19_b"] = tsv(tmp_path / "news.tsv", some(2, 300))
    corpus = prepare_parallel(tmp_path / "out", sources, EN_VI, PairsConfig(vocab_size=vocab_size))
    assert corpus.parts == ("train", "valid", "test", "news-19_b")
    assert corpus.languages == EN_VI
    assert corpus.vocab_size <= vocab_size
    for name, rows in {**own, "news-19_b": some(2, 300)}.items():
        part = corpus.part(name)
        assert len(part) == len(rows)
        for number, (source, target) in enumerate(rows):
            assert corpus.decode(part.source.tokens(number)) == source
            assert corpus.decode(part.target.tokens(number)) == target
        assert list(zip(*corpus.texts(name), strict=True)) == rows
        said = corpus.index["parts"][name]
        assert said["pairs"] == len(rows)
        assert said["source"]["tokens"] == part.source.lengths.sum()
        assert said["target"]["longest"] == part.target.lengths.max()
        assert said["source"]["median"] == np.median(part.source.lengths)


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_can_be_written(ready: ParallelCorpus, text: str) -> None:
    tokens = ready.encode(text)
    assert ready.decode(tokens) == pairs_module.normalise(text)
    assert ready.decode([BEGIN, *tokens, END, PAD, PAD]) == pairs_module.normalise(text)
    assert not np.isin(tokens, [PAD, BEGIN, END]).any()
    assert tokens.dtype == np.int64


def test_special_tokens_come_first_and_what_looks_like_one_is_text(ready: ParallelCorpus) -> None:
    assert [ready.tokenizer.id_to_token(token) for token in (PAD, BEGIN, END)] == [
        "<pad>",
        "<s>",
        "</s>",
    ]
    assert ready.decode(ready.encode("a</s> <pad>")) == "a</s> <pad>"


def test_equal_texts_are_equal_however_they_were_written(tmp_path: Path) -> None:
    rows = [(text, unicodedata.normalize("NFD", f"Việt {text}")) for text in ("a", "b", "c")]
    corpus = prepare_parallel(
        tmp_path / "out", three(tmp_path, *([row] for row in rows)), EN_VI, BYTES
    )
    assert corpus.texts("train")[1] == [unicodedata.normalize("NFC", "Việt a")]
    apart = corpus.encode(unicodedata.normalize("NFD", "Việt a"))
    assert apart.tolist() == corpus.part("train").target.tokens(0).tolist()


@given(
    train=st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12),
    valid=st.sets(st.sampled_from("ABC"), min_size=1),
    test=st.sets(st.sampled_from("DEF"), min_size=1),
)
def test_no_source_of_another_part_is_trained_on(
    train: list[str],
    valid: set[str],
    test: set[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("apart")
    rows = {
        "train": [(f"the  letter {letter}", "t") for letter in [*train, "z"]],
        "valid": [(f"the letter {letter} ", "v") for letter in sorted(valid)],
        "test": [(f"The letter {letter}", "e") for letter in sorted(test)],
    }
    corpus = prepare_parallel(folder / "out", three(folder, **rows), EN_VI, BYTES)
    held = {letter.lower() for letter in valid | test}
    kept = [letter for letter in [*train, "z"] if letter not in held]
    assert corpus.texts("train")[0] == [f"the  letter {letter}" for letter in kept]
    assert corpus.index["parts"]["train"]["left_out"] == len(train) + 1 - len(kept)


def test_further_parts_are_kept_out_of_training_too(tmp_path: Path) -> None:
    sources = three(tmp_path, some(30), some(3, 100), some(3, 200))
    sources["more"] = tsv(tmp_path / "more.tsv", some(2))
    corpus = prepare_parallel(tmp_path / "out", sources, EN_VI, BYTES)
    assert corpus.texts("train")[0] == [source for source, _ in some(28, 2)]


def test_a_tokenizer_is_learned_on_both_sides_of_training_alone(tmp_path: Path) -> None:
    sources = three(
        tmp_path,
        [("ababab" * 9, "pqpqpq" * 9), ("xyzxyz" * 9, "left out")],
        [("xyzxyz" * 9, "xyzxyz" * 9)],
        [("uvwuvw" * 9, "uvwuvw" * 9)],
    )
    corpus = prepare_parallel(tmp_path / "out", sources, EN_VI, PairsConfig(vocab_size=280))
    special = {"<pad>", "<s>", "</s>"}
    learned = {token for token in corpus.tokenizer.get_vocab() if len(token) > 1} - special
    assert {token for token in learned if set(token) <= set("ab")}
    assert {token for token in learned if set(token) <= set("pq")}
    assert not {token for token in learned if set(token) & set("xyzuvwleft")}


def test_pairs_with_an_empty_side_are_dropped_and_counted(tmp_path: Path) -> None:
    rows = [*some(5), ("", "x"), ("x", " "), *some(2, 7)]
    corpus = prepare_parallel(
        tmp_path / "out", three(tmp_path, rows, some(1, 100), some(1, 200)), EN_VI, BYTES
    )
    assert corpus.index["parts"]["train"]["dropped"] == 2
    assert corpus.index["parts"]["test"]["dropped"] == 0
    assert list(zip(*corpus.texts("train"), strict=True)) == [*some(5), *some(2, 7)]


def test_other_line_ends_are_text(tmp_path: Path) -> None:
    text = "a\u2028b\x85c\x0bd\re"
    rows = ([(text, text)], some(1), some(1, 5))
    corpus = prepare_parallel(tmp_path / "out", three(tmp_path, *rows), EN_VI, BYTES)
    assert corpus.texts("train") == ([text], [text])
    assert corpus.decode(corpus.part("train").source.tokens(0)) == text


def test_several_sources_follow_each_other(tmp_path: Path) -> None:
    sources = three(tmp_path, some(5), some(1, 100), some(1, 200))
    sources["train"] += tsv(tmp_path / "more.tsv", some(4, 5))
    corpus = prepare_parallel(tmp_path / "out", sources, EN_VI, BYTES)
    assert list(zip(*corpus.texts("train"), strict=True)) == some(9)


# ---- rows --------------------------------------------------------------------------------------


@given(
    sequences=st.lists(st.lists(st.integers(3, 99), max_size=7), min_size=1, max_size=6),
    begin=st.none() | st.just(BEGIN),
    end=st.none() | st.just(END),
    pad=st.sampled_from([PAD, -1]),
    data=st.data(),
)
def test_rows_are_what_a_plain_loop_makes(
    sequences: list[list[int]],
    begin: int | None,
    end: int | None,
    pad: int,
    data: st.DataObject,
) -> None:
    tokens = np.array([token for each in sequences for token in each], dtype=np.uint16)
    ragged = Ragged(tokens, np.cumsum([0, *map(len, sequences)], dtype=np.int64))
    numbers = data.draw(st.lists(st.integers(0, len(sequences) - 1), max_size=9))
    expected = []
    for number in numbers:
        row = [] if begin is None else [begin]
        row += sequences[number]
        row += [] if end is None else [end]
        expected.append(row)
    longest = max(map(len, expected), default=(begin is not None) + (end is not None))
    expected = [row + [pad] * (longest - len(row)) for row in expected]
    found = ragged.rows(np.array(numbers, dtype=np.int64), pad=pad, begin=begin, end=end)
    assert found.dtype == np.int64
    assert found.shape == (len(numbers), longest)
    assert found.tolist() == expected
    assert len(ragged) == len(sequences)
    assert ragged.lengths.tolist() == [len(each) for each in sequences]
    assert [ragged.tokens(number).tolist() for number in range(len(ragged))] == sequences
    assert ragged.tokens(-1).tolist() == sequences[-1]


# ---- folders -----------------------------------------------------------------------------------


class KilledError(Exception):
    pass


@pytest.mark.parametrize("stop", range(6))
def test_what_was_interrupted_ends_as_if_it_was_not(
    stop: int,
    sources: dict[str, list[str]],
    corpus: ParallelCorpus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = 0

    def kill(path: Path, content: bytes) -> None:
        nonlocal calls
        calls += 1
        if calls > stop:
            raise KilledError
        write_bytes(path, content)

    monkeypatch.setattr("lengthwise.text.data.parallel_corpus.write_bytes", kill)
    with pytest.raises(KilledError):
        prepare_parallel(tmp_path / "again", sources, EN_VI, BYTES)
    monkeypatch.undo()
    with pytest.raises(TextError, match="is not prepared to the end"):
        ParallelCorpus.load(tmp_path / "again")
    again = prepare_parallel(tmp_path / "again", sources, EN_VI, BYTES)
    assert files(again.folder) == files(corpus.folder)
    assert again.digest == corpus.digest


def test_a_corpus_that_is_ready_needs_its_sources_no_more(
    sources: dict[str, list[str]], corpus: ParallelCorpus
) -> None:
    Path(sources["train"][0]).unlink()
    assert prepare_parallel(corpus.folder, sources, EN_VI, BYTES).index == corpus.index


def test_other_wishes_for_one_folder_are_refused(
    sources: dict[str, list[str]], corpus: ParallelCorpus
) -> None:
    for wanted, languages, config, says in (
        (sources, EN_VI, PairsConfig(vocab_size=300), "with config"),
        (sources, ("vi", "en"), BYTES, "with languages en vi, but now vi en is"),
        ({"train": ["numbers"]}, EN_VI, BYTES, "with sources"),
    ):
        with pytest.raises(TextError, match=says):
            prepare_parallel(corpus.folder, wanted, languages, config)
    with pytest.raises(TextError, match="holds a corpus with format"):
        prepare_corpus(corpus.folder, {"train": ["python-topics"]}, PrepareConfig())
    with pytest.raises(TextError, match="holds parallel text, but text is needed"):
        Corpus.load(corpus.folder)


@pytest.mark.parametrize("name", ["train.source.bin", "test.target.txt", "valid.starts.bin"])
def test_damage_is_told(corpus: ParallelCorpus, name: str) -> None:
    check_damage_is_told(corpus, name)


@pytest.mark.parametrize("content", ['{"format": "pairs-1"}', "[]", "broken", "EDITED"])
def test_a_damaged_index_is_told(corpus: ParallelCorpus, content: str) -> None:
    check_a_damaged_index_is_told(corpus, content, '"dropped": 0', '"dropped": 1')


def test_a_missing_corpus_is_told_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"Make one: `lengthwise prepare FILE.tsv --pairs en,vi"):
        ParallelCorpus.load(tmp_path)


def test_an_unknown_part_is_told(ready: ParallelCorpus) -> None:
    for ask in (ready.part, ready.texts):
        with pytest.raises(TextError, match=r"'tset'. Did you mean 'test'\? Known: train, valid"):
            ask("tset")


def test_nothing_is_left_of_pairs_that_cannot_be_used(tmp_path: Path) -> None:
    good = three(tmp_path, some(3), some(1, 100), some(1, 200))
    (tmp_path / "bad.tsv").write_text("en\tvi\none\tmột\ntwo\n")
    (tmp_path / "empty.tsv").write_text("en\tvi\n\tmột\n")
    (tmp_path / "two.en").write_text("a\nb\n")
    (tmp_path / "two.vi").write_text("a\nb\nc\n")
    for train, says in (
        (str(tmp_path / "bad.tsv"), r"bad.tsv, line 3: the header line has 2"),
        (str(tmp_path / "empty.tsv"), "the part train has no pairs, and 1 that have nothing"),
        (f"{tmp_path}/two.en,{tmp_path}/two.vi", "two.en has 2 lines and .*two.vi has 3"),
        (good["test"][0], "all 1 pairs to train on have sources that are in other parts"),
        (str(tmp_path / "none.tsv"), "is not an existing file"),
    ):
        with pytest.raises(TextError, match=says):
            prepare_parallel(tmp_path / "out", {**good, "train": [train]}, EN_VI, BYTES)
        assert not (tmp_path / "out").exists(), says


# ---- what is asked for -------------------------------------------------------------------------


def test_a_corpus_for_tests_takes_the_tokenizer_of_another(
    corpus: ParallelCorpus, tmp_path: Path
) -> None:
    news = {"news": tsv(tmp_path / "news.tsv", some(2, 300))}
    with pytest.raises(ConfigError, match="needs pairs to train on, or the tokenizer of another"):
        prepare_parallel(tmp_path / "news", news, EN_VI, BYTES)
    other = prepare_parallel(tmp_path / "news", news, EN_VI, PairsConfig(), tokenizer=corpus.folder)
    assert other.parts == ("news",)
    assert other.tokenizer_digest == corpus.tokenizer_digest
    assert other.encode("line").tolist() == corpus.encode("line").tolist()
    again = prepare_parallel(
        tmp_path / "news", news, EN_VI, PairsConfig(), tokenizer=corpus.folder / "tokenizer.json"
    )
    assert again.index == other.index


def test_a_tokenizer_of_another_kind_is_refused(
    sources: dict[str, list[str]], tmp_path: Path
) -> None:
    from lengthwise.text.data.tokens import learn_tokenizer  # noqa: PLC0415

    for special, says in (
        (["<|endoftext|>"], "has no token <pad>, which fills rows"),
        (["</s>", "<s>", "<pad>"], "begins with other tokens than <pad>, <s>, </s>"),
    ):
        path = tmp_path / "tokenizer.json"
        path.write_text(learn_tokenizer(["a"], 300, special).to_str())
        with pytest.raises(TextError, match=says):
            prepare_parallel(tmp_path / "out", sources, EN_VI, BYTES, tokenizer=path)


def test_parts_are_given_and_have_names_that_files_may_have(
    sources: dict[str, list[str]], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    train = {"train": sources["train"]}
    with pytest.raises(
        ConfigError, match=r"none for valid and test. Give --valid FILE and --test FILE"
    ):
        prepare_parallel(out, train, EN_VI, BYTES)
    with pytest.raises(ConfigError, match=r"none for test. Give --test FILE"):
        prepare_parallel(out, {**train, "valid": sources["valid"], "test": []}, EN_VI, BYTES)
    with pytest.raises(ConfigError, match=r"but got 'a/b'. Rename it"):
        prepare_parallel(out, {**sources, "a/b": sources["test"]}, EN_VI, BYTES)
    with pytest.raises(ConfigError, match="vocab_size=258 is too small"):
        PairsConfig(vocab_size=258)
    assert not out.exists()


def test_numbers_bring_all_parts(tmp_path: Path) -> None:
    corpus = prepare_parallel(
        tmp_path / "out", {"train": ["numbers"]}, ("digits", "words"), PairsConfig()
    )
    assert [len(corpus.part(name)) for name in ("train", "valid", "test")] == [20_000, 500, 500]
    assert corpus.index["parts"]["train"]["left_out"] == 0
    assert not set(corpus.texts("train")[0]) & set(corpus.texts("test")[0])


def test_known_files_are_named_in_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [tmp_path / "train.en", tmp_path / "train.vi"]
    for side, path in enumerate(names):
        path.write_text("".join(row[side] + "\n" for row in some(5)))
    sources = three(tmp_path, some(1), some(1, 100), some(1, 200))
    sources["train"] = [",".join(map(str, names))]
    plain = prepare_parallel(tmp_path / "plain", sources, EN_VI, BYTES)
    one, other = map(git_blob_id, names)
    monkeypatch.setitem(pairs_module.RECOGNISED, (one, other), "known files")
    known = prepare_parallel(tmp_path / "known", sources, EN_VI, BYTES)
    assert (plain.index["recognised"], known.index["recognised"]) == (None, "known files")
    assert known.digest == plain.digest


def test_progress_counts_pairs_and_tokens(sources: dict[str, list[str]], tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    corpus = prepare_parallel(
        tmp_path / "out", sources, EN_VI, BYTES, progress=lambda *call: calls.append(call)
    )
    parts = corpus.index["parts"].values()
    tokens = sum(part[side]["tokens"] for part in parts for side in ("source", "target"))
    assert calls[-1] == (36, tokens)
    assert calls == sorted(calls)


def test_large_vocabularies_take_four_bytes(
    sources: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_corpus, "token_kind", lambda vocab_size: np.dtype(np.uint32))
    corpus = prepare_parallel(tmp_path / "out", sources, EN_VI, BYTES)
    assert corpus.index["dtype"] == "uint32"
    assert corpus.decode(corpus.part("train").source.tokens(0)) == "line number 0"
