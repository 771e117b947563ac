"""The command `prepare` on parallel text, as a user gives it."""

import os
from pathlib import Path
from unittest.mock import ANY

import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise.errors import ConfigError
from lengthwise.text.data.parallel_corpus import ParallelCorpus

BYTES = ("--set", "vocab_size=259")


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Commands that read and write where they stand do so there."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def texts(elsewhere: None) -> None:
    """Small texts in several forms."""
    for name, numbers in (("train", range(9)), ("dev", range(20, 22)), ("tst", range(8, 10))):
        en, vi = ([f"{word} {n}\n" for n in numbers] for word in ("line", "dòng"))
        Path(f"{name}.en").write_text("".join(en))
        Path(f"{name}.vi").write_text("".join(vi))
        rows = [f"{n}\t{b.strip()}\t{a}" for n, (a, b) in enumerate(zip(en, vi, strict=True))]
        Path(f"{name}.tsv").write_text("id\tvi\ten\n" + "".join(rows))
    Path("holes.en").write_text("hole 1\n\nhole 3\n")
    Path("holes.vi").write_text("lỗ 1\nlỗ 2\nlỗ 3\n")


TABLES = ["train.tsv", "--pairs", "en,vi", "--valid", "dev.tsv", "--test", "tst.tsv"]


def test_prepare_says_what_there_is(shell: Shell) -> None:
    also = ["--also", "holes=holes.en,holes.vi", "--out", "c", *BYTES]
    status, text, error = shell("prepare", *TABLES, *also)
    assert status == 0, error
    assert "en to vi" in text
    assert "part\tpairs\tsource tokens\ttarget tokens\tdropped" in text
    assert "train\t8\t48\t56\t0" in text
    assert "holes\t2\t12\t12\t1" in text
    assert "1 pairs of holes dropped: they have an empty side" in error
    assert "1 pairs left out of train: other parts have their sources" in error
    assert error.endswith("next: lengthwise train translation:c --out run\n")
    found = shell.json("prepare", *TABLES, *also)
    assert found["languages"] == ["en", "vi"]
    assert found["vocab_size"] == 259
    assert found["digest"] == ParallelCorpus.load("c").digest
    assert found["parts"]["train"] == {
        "pairs": 8,
        "source_tokens": 48,
        "target_tokens": 56,
        "dropped": 0,
        "left_out": 1,
    }


def test_two_files_are_as_good_as_a_table(shell: Shell) -> None:
    plain = [
        *("train.en,train.vi", "--pairs", "en,vi"),
        *("--valid", "dev.en,dev.vi", "--test", "tst.en,tst.vi"),
    ]
    one = shell.json("prepare", *TABLES, "--out", "a", *BYTES)
    other = shell.json("prepare", *plain, "--out", "b", *BYTES)
    assert one["digest"] == other["digest"]


@pytest.mark.slow
def test_numbers_need_no_files_and_a_tokenizer_may_come_from_elsewhere(shell: Shell) -> None:
    found = shell.json("prepare", "numbers", "--pairs", "digits,words", "--out", "c")
    assert [part["pairs"] for part in found["parts"].values()] == [20_000, 500, 500]
    wishes = ["--pairs", "digits,words", "--tokenizer", "c", "--test", "numbers", "--out", "d"]
    status, text, error = shell("prepare", *wishes)
    assert (status, error) == (0, "")
    assert "test\t500" in text
    assert "train" not in text
    assert shell.json("prepare", *wishes)["vocab_size"] == found["vocab_size"]


def test_known_files_are_named(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from lengthwise.text.data import pairs  # noqa: PLC0415

    ids = (pairs.git_blob_id("train.en"), pairs.git_blob_id("train.vi"))
    monkeypatch.setitem(pairs.RECOGNISED, ids, "known files")
    wishes = ["train.en,train.vi", *TABLES[1:], "--out", "c", *BYTES]
    assert "recognised: known files" in shell("prepare", *wishes)[2]
    assert shell.json("prepare", *wishes)["recognised"] == "known files"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["train.tsv", "--also", "a=b"], "--also names parts of parallel text. Give --pairs"),
        ([*TABLES, "--also", "tst.tsv"], "--also is written NAME=TEXT, but got 'tst.tsv'"),
        ([*TABLES, "--also", "valid=tst.tsv"], "have other names than train, valid, test"),
        (["train.tsv", "--pairs", "en"], "has two different languages, but got 'en'"),
        (["train.tsv", "--pairs", "en,vi"], "none for valid and test"),
        (["--pairs", "en,vi"], "needs pairs to train on"),
        ([*TABLES, "--set", "column=x"], "unknown setting 'column'"),
        ([*TABLES, "--set", "vocab_size=258"], "vocab_size=258 is too small. Use 259 or more"),
        ([*TABLES, "--tokenizer", "c", *BYTES], "Leave one of them out"),
        ([*TABLES, "--also", "x=train.en,dev.vi"], "train.en has 9 lines and dev.vi has 2"),
        ([*TABLES[:2], "en,fr", *TABLES[3:]], "but 'fr' is none"),
    ],
)
def test_bad_input_is_told_in_one_line(shell: Shell, command: list[str], says: str) -> None:
    status, out, error = shell("prepare", *command, "--out", "c")
    assert (status, out) == (2, "")
    assert says in error
    assert error.count("\n") == 1
    assert not Path("c").exists()


def test_python_prepares_as_the_command_does(shell: Shell) -> None:
    corpus = lw.text.prepare_pairs(
        "a",
        Path("train.tsv"),
        languages=("en", "vi"),
        valid=["dev.tsv"],
        test="tst.tsv",
        also={"holes": "holes.en,holes.vi"},
        vocab_size=259,
    )
    found = shell.json(
        "prepare", *TABLES, "--also", "holes=holes.en,holes.vi", "--out", "a", *BYTES
    )
    assert found["digest"] == corpus.digest
    with pytest.raises(ConfigError, match="Leave one of them out"):
        lw.text.prepare_pairs("b", tokenizer="a", vocab_size=300)
    with pytest.raises(ConfigError, match="have other names than train, valid, test"):
        lw.text.prepare_pairs("b", also={"test": "tst.tsv"})


def test_train_says_how_many_pairs_are_too_long_and_needs_no_corpus_afterwards(
    shell: Shell,
) -> None:
    long = [f"line no {n}" + " and on" * (4 * (n % 3 == 0)) for n in range(9)]
    Path("long.tsv").write_text("en\tvi\n" + "".join(f"{each}\tdong\n" for each in long))
    sides = ("--pairs", "en,vi", "--valid", "dev.tsv", "--test", "tst.tsv")
    shell("prepare", "long.tsv", *sides, "--set", "vocab_size=259", "--out", "corpus")
    small = ("--preset", "smoke", "--device", "cpu", "--set", "steps=1", "--set", "longest=20")
    status, out, error = shell("train", "translation:corpus", "--out", "run", *small)
    assert status == 0, error
    assert "left out       3 pairs of more than 20 tokens" in out
    short = ("--protocol", "train-short-test-long")
    found = shell.json("train", "translation:corpus", "--out", "short", *small, *short)
    assert found["pairs_too_long"] == 0
    assert 5 <= found["training_pairs"] < 9
    Path("corpus").rename("elsewhere")
    status, out, error = shell("resume", "run")
    assert status == 0, error
    assert "left out" not in out + error


def test_a_corpus_without_a_part_says_what_it_has(shell: Shell) -> None:
    sides = ("--pairs", "en,vi", "--test", "tst.tsv", "--set", "vocab_size=259")
    shell("prepare", "train.tsv", *sides, "--valid", "dev.tsv", "--out", "corpus")
    shell("prepare", "--pairs", "en,vi", "--test", "tst.tsv", "--tokenizer", "corpus", "--out", "t")
    status, _, error = shell("train", "translation:t", "--out", "run")
    assert status == 2
    assert "has no part train; it has test. Use one of these" in error
    assert not Path("run").exists()


def test_prepare_says_what_differs_from_a_corpus_that_is_there(
    shell: Shell, tmp_path: Path
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("what a transformer can learn\n" * 300)
    wishes = ("--out", "c", "--set", "vocab_size=257")
    assert shell("prepare", "a.txt", *wishes) == (0, ANY, ANY)
    for others, says in [
        (("b.txt", *wishes), "sources.train a.txt, but now b.txt is asked for"),
        (("a.txt", "--out", "c"), "config.vocab_size 257, but now 4096 is asked for"),
        (("a.txt", "--out", "c", "--tokenizer", "c"), "tokenizer of its own, but now that of a"),
    ]:
        status, _, error = shell("prepare", *others)
        assert status == 2
        assert says in error


def test_prepare_says_what_is_newer_than_a_corpus(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a.txt", "picture.png"):
        (tmp_path / "a" / name).write_text("what a transformer can learn\n" * 300)
    wishes = ("prepare", "a", "--out", "c", "--set", "vocab_size=257")
    assert shell(*wishes)[0] == 0
    later = (tmp_path / "c" / "index.json").stat().st_mtime + 5
    os.utime(tmp_path / "a" / "picture.png", (later, later))
    assert "is newer" not in shell(*wishes)[2]  # no source
    os.utime(tmp_path / "a" / "a.txt", (later, later))
    status, _, error = shell(*wishes)
    assert status == 0
    assert "a/a.txt is newer than c, which was made from it and stays as it is." in error
    (tmp_path / "a" / "a.txt").unlink()
    assert "is newer" not in shell(*wishes)[2]
