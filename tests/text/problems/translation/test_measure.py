"""A trained translator, tested: on which sentences, with which words, and what is left on disk."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from lengthwise.errors import TextError
from lengthwise.problems.base import Run, evaluate_and_store
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.job import Job
from lengthwise.sweeps.outcome import Outcome
from lengthwise.sweeps.run import run_job
from lengthwise.text.data.numbers import _COUNTS
from lengthwise.text.data.parallel_corpus import (
    END,
    PAD,
    PairsConfig,
    ParallelCorpus,
    prepare_parallel,
)
from lengthwise.text.problems.translation.measure import translate_strings
from lengthwise.text.problems.translation.problem import Translation


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> ParallelCorpus:
    """Sentences of 1 to 8 letters, whose translations are the same letters."""
    folder = tmp_path_factory.mktemp("letters")
    for part, count in (("train", 80), ("valid", 16), ("test", 16)):
        lines = [f"{part}"[0] * (n % 8 + 1) + chr(97 + n // 8) for n in range(count)]
        (folder / f"{part}.tsv").write_text(
            "\n".join(["a\tb", *(f"{line}\t{line.upper()}" for line in lines)]) + "\n"
        )
    sources = {part: [str(folder / f"{part}.tsv")] for part in ("train", "valid", "test")}
    return prepare_parallel(folder / "corpus", sources, ("a", "b"), PairsConfig(vocab_size=259))


def _run(corpus: ParallelCorpus, out: Path | None = None, **settings: Any) -> Run:
    own = {"steps": 2, "validate_every": 1, **settings}
    plan = make_plan(f"translation:{corpus.folder}", preset="smoke", settings=own)
    return train(plan, out=out, device="cpu")


class _Copies(torch.nn.Module):
    """Writes the source, in capitals."""

    def __init__(self, vocab_size: int) -> None:
        super().__init__()
        self.size = vocab_size

    def begin(self, source: Tensor, beams: int) -> "_Copies":
        self._source, self._place, self._beams = source, 0, beams
        return self

    def __call__(self, tokens: Tensor) -> Tensor:
        found = torch.full((*tokens.shape, self.size), -9.0)
        source = torch.cat([self._source, torch.full((len(tokens), 1), END)], dim=1)
        token = source[:, min(self._place, source.shape[1] - 1)]
        token = token.where(token != PAD, END)
        token = token.where(token < 3, token - 32)  # bytes: 'a' - 'A'
        found.scatter_(2, token[:, None, None].expand(-1, self._beams, 1), 9.0)
        self._place += 1
        return found

    def keep(self, pairs: Tensor, beams: Tensor) -> None:
        self._source = self._source[pairs]


def _copying(run: Run, corpus: ParallelCorpus) -> Run:
    return replace(run, model=_Copies(corpus.vocab_size), metrics=[], folder=None)


def test_bytes_stand_32_apart(corpus: ParallelCorpus) -> None:
    """What `_Copies` relies on."""
    small, large = corpus.encode("abz"), corpus.encode("ABZ")
    assert np.array_equal(small - 32, large)


def test_a_perfect_translator_has_a_perfect_score(corpus: ParallelCorpus) -> None:
    run = _copying(_run(corpus), corpus)
    found = evaluate_and_store(run, {})
    records, summary = found.records, found.values
    assert len(records) == summary["sentences"] == 16
    assert all(one["translation"] == one["reference"] for one in records)
    assert summary["chrf"] == pytest.approx(100)
    assert summary["length_ratio"] == 1.0


def test_one_that_learned_short_sentences_is_tested_on_longer_ones(corpus: ParallelCorpus) -> None:
    run = _copying(_run(corpus, protocol="train-short-test-long"), corpus)
    found = evaluate_and_store(run, {})
    records, summary = found.records, found.values
    median = int(np.median(corpus.part("train").source.lengths))
    assert summary["longest_trained"] == median
    assert records
    assert all(one["tokens"] > median for one in records)
    longer = sum(corpus.part("test").source.lengths > median)
    assert len(records) == longer
    some = evaluate_and_store(run, {"words": 3}).records
    assert [one["source"] for one in some] == [one["source"] for one in records[:3]]


def test_sentences_of_a_user_come_back_in_their_order(corpus: ParallelCorpus) -> None:
    run = _copying(_run(corpus), corpus)
    given = ["abc", "z", "no such sentence in training".replace(" ", "")]
    assert translate_strings(run, given) == [(sentence.upper(), False) for sentence in given]
    assert translate_strings(run, []) == []
    assert translate_strings(run, ["", "ab", "  "]) == [("", False), ("AB", False), ("", False)]


def test_what_is_written_stands_in_one_line(
    corpus: ParallelCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = _copying(_run(corpus), corpus)
    monkeypatch.setattr(ParallelCorpus, "decode", lambda self, tokens: "a\n\x17\x17b  c ")
    assert translate_strings(run, ["x"]) == [("a b c", False)]


def test_a_corpus_that_was_moved_can_be_named(corpus: ParallelCorpus, tmp_path: Path) -> None:
    moved = shutil.copytree(corpus.folder, tmp_path / "corpus")
    for protocol in ("train-all-test-all", "train-short-test-long"):
        run = _copying(_run(ParallelCorpus.load(moved), protocol=protocol), corpus)
        shutil.rmtree(moved)
        with pytest.raises(TextError, match="name it with --text"):
            evaluate_and_store(run, {})
        assert evaluate_and_store(run, {"text": corpus}).values["chrf"] == pytest.approx(100)
        shutil.copytree(corpus.folder, moved)


def test_what_a_test_found_is_stored_with_the_run(corpus: ParallelCorpus, tmp_path: Path) -> None:
    run = _run(corpus, tmp_path / "run")
    found = evaluate_and_store(run, {"beam": 2})
    records, summary = found.records, found.values
    assert run.folder is not None
    assert run.folder.scores() == records
    assert run.folder.evaluation() == json.loads(json.dumps(summary))
    assert summary["decoding"] == {
        "beam": 2,
        "length_penalty": 1.0,
        "patience": 2.0,
        "ratio": 3.0,
    }


@pytest.mark.slow
def test_another_corpus_needs_the_same_tokens(
    corpus: ParallelCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(_COUNTS, "train", {3: 300, 6: 700})
    run = _copying(_run(corpus), corpus)
    (tmp_path / "a.tsv").write_text("a\tb\nxyx\tXYX\n")
    parts = {"news": [str(tmp_path / "a.tsv")]}
    same = prepare_parallel(
        tmp_path / "same", parts, ("a", "b"), PairsConfig(), tokenizer=corpus.folder
    )
    found = evaluate_and_store(run, {"part": "news", "text": same})
    records, summary = found.records, found.values
    assert [one["translation"] for one in records] == ["XYX"]
    assert summary["corpus"] == str(same.folder)
    foreign = prepare_parallel(
        tmp_path / "foreign",
        {"train": ["numbers"]},
        ("digits", "words"),
        PairsConfig(vocab_size=300),
    )
    with pytest.raises(TextError, match="mean something else"):
        evaluate_and_store(run, {"text": foreign})
    with pytest.raises(TextError, match="mean something else"):
        translate_strings(run, ["a"], corpus=foreign)


def test_a_part_without_long_sentences_is_refused(corpus: ParallelCorpus, tmp_path: Path) -> None:
    run = _copying(_run(corpus, protocol="train-short-test-long"), corpus)
    (tmp_path / "a.tsv").write_text("a\tb\nx\tX\n")
    short = prepare_parallel(
        tmp_path / "short",
        {"test": [str(tmp_path / "a.tsv")]},
        ("a", "b"),
        PairsConfig(),
        tokenizer=corpus.folder,
    )
    with pytest.raises(
        TextError, match=r"has no source longer than \d tokens, the longest that this run"
    ):
        evaluate_and_store(run, {"text": short})


def test_a_job_of_a_sweep_records_what_was_found(corpus: ParallelCorpus, tmp_path: Path) -> None:
    plan = make_plan(
        f"translation:{corpus.folder}", preset="smoke", settings={"steps": 2, "validate_every": 1}
    )
    job = Job(plan=plan, tests=(Test(name="test", lengths=(4, 8), words_per_length=99),))
    outcome = run_job(job, tmp_path, device="cpu")
    problem = plan.problem
    assert isinstance(problem, Translation)
    elsewhere = replace(problem.corpus, folder="/moved")
    moved = replace(plan, problem=replace(problem, corpus=elsewhere))
    assert run_job(replace(job, plan=moved), tmp_path) == outcome
    summary = outcome.test("test").summary
    summary = {**summary, **summary["figures"]}
    assert summary["sentences"] == summary["words_per_length"] == 16
    assert summary["text"] == "test.tsv (a to b)"
    assert len(summary["test"]) == 12
    assert len(summary["samples"]) == 1_000
    assert summary["by_length"][0]["last"] == 4
    assert Outcome.from_dict(json.loads(json.dumps(outcome.to_dict()))) == outcome
