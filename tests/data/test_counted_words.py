"""Words counted in parts are those of a file that is read in one piece."""

import json
import random
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

import lengthwise as lw
from lengthwise.data import counted_words, prepared_words
from lengthwise.data.columns import Columns
from lengthwise.data.labelled_words import LabelledWords
from lengthwise.data.prepared_words import prepare_words
from lengthwise.errors import ConfigError, RunError, TextError
from lengthwise.sweeps.cluster import DaskExecutor


class Here:
    """Calls functions at once, and notes them."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def submit(self, function: Callable[..., str], /, *arguments: Any) -> "Future[str]":
        self.called.append(function.__name__)
        future: Future[str] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def is_worker_lost(self, error: BaseException) -> bool:
        return False


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted_words, "PART", 900)


def lines(count: int, seed: int, *, noise: float = 0.0, spaced: bool = False) -> list[list[str]]:
    """Words, many of them repeated, and their labels."""
    draw, found = random.Random(seed), []
    symbols = ["in", "out", "x"] if spaced else list("abc")
    for _ in range(count):
        word = draw.choices(symbols, k=draw.randint(0, 6))
        label = (word.count(symbols[0]) + (draw.random() < noise)) % 2
        found.append([(" " if spaced else "").join(word), "odd" if label else "even"])
    return found


def both(
    file: Path, monkeypatch: pytest.MonkeyPatch, **options: Any
) -> tuple[LabelledWords, LabelledWords, Here]:
    workers = Here()
    monkeypatch.setenv("XDG_CACHE_HOME", str(file.parent / "one"))
    one = prepare_words(file, **options)
    monkeypatch.setenv("XDG_CACHE_HOME", str(file.parent / "other"))
    return one, prepare_words(file, **options, workers=workers), workers


def assert_equal(one: LabelledWords, other: LabelledWords) -> None:
    assert one.digest == other.digest
    assert (one.alphabet, one.class_names) == (other.alphabet, other.class_names)
    assert (one.duplicates, one.undecided) == (other.duplicates, other.undecided)
    assert one.undecided_lines == other.undecided_lines
    assert [one.format_word(row) for row in range(len(one))] == [
        other.format_word(row) for row in range(len(other))
    ]
    assert one.classes.tolist() == other.classes.tolist()
    assert (one.lines is None) == (other.lines is None)
    if one.lines is not None and other.lines is not None:
        assert one.lines.tolist() == other.lines.tolist()


@pytest.mark.parametrize("form", ["plain", "heading", "spaced", "jsonl", "noisy", "stated"])
def test_parts_give_what_the_whole_gives(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lines(800, 1, noise=0.1 * (form == "noisy"), spaced=form == "spaced")
    file = tmp_path / ("own.jsonl" if form == "jsonl" else "own.tsv")
    heading = "label\tword\n" if form == "heading" else ""
    if form == "heading":
        rows = [row[::-1] for row in rows]
    content = [
        json.dumps({"word": row[0], "label": row[1]}) if form == "jsonl" else "\t".join(row)
        for row in rows
    ]
    file.write_text(heading + "\n".join(content))
    alphabet = ("c", "b", "a", "z") if form == "stated" else None
    found = both(file, monkeypatch, alphabet=alphabet, by_majority=form == "noisy")
    assert_equal(*found[:2])
    called = found[2].called
    assert called.count("_count") == called.count("_merge") + 1 > 5
    assert not list(tmp_path.rglob("*.parts"))


def test_what_the_whole_refuses_the_parts_refuse_in_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [*lines(800, 2), ["abc", "even"], ["b c a", "even"], ["a", "even"]]
    for number, last in enumerate((rows[800:803], [["ab"]], [["ab", ""]])):
        file = tmp_path / f"{number}.tsv"
        file.write_text("\n".join("\t".join(row) for row in [*rows[:800], *last]))
        said = []
        for workers in (None, Here()):
            monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / str(workers is None)))
            with pytest.raises(TextError) as caught:
                prepare_words(file, workers=workers)
            said.append(str(caught.value))
        assert said[0] == said[1]


def test_a_line_that_looks_like_a_heading_is_a_word_within_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [[each[0] or "a", each[1][0]] for each in lines(400, 5)]
    rows = [[*map(str.strip, row)] for row in rows if len(row[0]) == 3]
    unlike = list({row[0]: row for row in rows}.values())
    content = "\n".join("\t".join(row) for row in unlike)
    monkeypatch.setattr(counted_words, "PART", len(content))
    file = tmp_path / "own.tsv"
    file.write_text(f"{content}!\nword\tlabel\n{content[:6]}")
    assert_equal(*both(file, monkeypatch)[:2])


def test_workers_of_a_scheduler_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its scheduler and worker are threads of this process, which talk over TCP."""
    distributed = pytest.importorskip("distributed")
    file = tmp_path / "own.tsv"
    file.write_text("\n".join("\t".join(row) for row in lines(800, 4)))
    one, other, _ = both(file, monkeypatch)
    assert_equal(one, other)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "dask"))
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            protocol="tcp",
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        DaskExecutor(cluster.scheduler_address) as executor,
    ):
        assert_equal(one, prepare_words(file, workers=executor))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "inferred"))
        with monkeypatch.context() as patch:
            patch.setattr(prepared_words, "number_words", None)
            by_workers = lw.infer(file, scheduler=cluster.scheduler_address, budget=1)
    assert_equal(one, by_workers.words.load())


def test_a_stopped_count_uses_its_parts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own.tsv"
    file.write_text("\n".join("\t".join(row) for row in lines(800, 3)))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with monkeypatch.context() as patch:
        patch.setattr(prepared_words, "_prepare", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            prepare_words(file, workers=Here())
    assert len(list(tmp_path.rglob("*.parts/*.npz"))) > 10
    monkeypatch.setattr(counted_words, "number_words", lambda *_: pytest.fail("it read again"))
    assert len(prepare_words(file, workers=Here())) > 100


def test_other_formats_and_files_that_workers_do_not_see_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = tmp_path / "own.csv"
    events.write_text("word,label\na,1\nb,0\n")
    with pytest.raises(ConfigError, match=r"workers count the words of \.tsv and \.jsonl files"):
        prepare_words(events, workers=Here())
    with pytest.raises(ConfigError, match="leave the scheduler out"):
        prepare_words(
            events.rename(tmp_path / "own.tsv"),
            columns=Columns(case="word", event="label", word=""),
            workers=Here(),
        )
    with pytest.raises(RunError, match=r"does not see .* XDG_CACHE_HOME"):
        counted_words._count(str(tmp_path / "none.tsv"), {}, None, (0, 1), str(tmp_path / "x"))
