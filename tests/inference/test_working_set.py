"""A search among many words: what it gets, and that all words judge what it finds."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.samples import EVERY, MACHINES, machine, sample_of
from lengthwise.inference import working_set
from lengthwise.inference.judge import Judge
from lengthwise.inference.sample import Sample, answers_of
from lengthwise.inference.working_set import Working
from lengthwise.languages.language import Language


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working_set, "ENOUGH", 26)
    monkeypatch.setattr(working_set, "_LEAST", 1)
    monkeypatch.setattr(working_set, "_MORE", 1)


def label_by(language: Language, narrow: bool = False) -> Sample:
    sample = sample_of(EVERY, [0] * len(EVERY))
    found = sample_of(EVERY, answers_of(language, sample).tolist())
    return Sample(
        symbols=found.symbols.astype(np.uint8 if narrow else np.int64),
        lengths=found.lengths,
        classes=found.classes,
        num_symbols=2,
        num_classes=2,
        rows=found.rows,
    )


def judge_of(language: Language, noise: float = 0.0, narrow: bool = False) -> Judge:
    sample = label_by(language, narrow)
    rows = np.arange(len(sample))
    return Judge(sample.part(rows % 4 > 0), sample.part(rows % 4 == 0), noise)


def rounds(start: Working, found: Language) -> Iterator[Working]:
    """Yield the words of every round in which the same automaton is found."""
    words: Working | None = start
    while words is not None:
        yield words
        words = words.grow(found)


machines = st.integers(0, len(MACHINES) - 1).map(MACHINES.__getitem__)


@given(truth=machines, found=machines)
def test_words_grow_until_none_refutes_or_all_are_there(truth: Language, found: Language) -> None:
    judge = judge_of(truth)
    wrong = judge(found, "").wrong + judge(found, "").wrong_in_validation
    *_, last = seen = list(rounds(Working.of(judge), found))
    for before, after in itertools.pairwise(seen):
        for few, more, sample in (
            (before.chosen, after.chosen, judge.train),
            (before.judging, after.judging, judge.valid),
        ):
            added = np.setdiff1d(more, few)
            assert set(few.tolist()) <= set(more.tolist())
            assert (answers_of(found, sample.part(added)) != sample.classes[added]).all()
        assert len(after.chosen) + len(after.judging) > len(before.chosen) + len(before.judging)
    judged = last.few(found, "")
    assert judged.wrong + judged.wrong_in_validation == wrong


def test_a_search_begins_with_the_shortest_words_and_some_of_the_others() -> None:
    judge = judge_of(MACHINES[5], narrow=True)
    start = Working.of(judge)
    assert start.chosen[:4].tolist() == [0, 1, 2, 3]
    assert len(start.chosen) == 8
    assert start.chosen[-1] == len(judge.train) - 1
    assert (np.diff(start.chosen) > 0).all()
    few = start.few.train
    assert few.symbols.dtype == np.int64
    assert [few.word(row) for row in range(8)] == [judge.train.word(int(r)) for r in start.chosen]


def test_few_words_are_searched_as_they_are() -> None:
    sample = sample_of(EVERY[:5], [0, 1, 0, 1, 0])
    judge = Judge(sample, sample.part(np.arange(2)))
    assert Working.of(judge).few.train is judge.train
    assert Working.of(judge).grow(machine([[0, 0]], [1])) is None


def test_a_search_gets_some_words_however_long_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = judge_of(MACHINES[5])
    monkeypatch.setattr(working_set, "ENOUGH", 1)
    assert len(Working.of(judge).chosen) == 1
    monkeypatch.setattr(working_set, "_LEAST", 16)
    assert len(Working.of(judge).chosen) == 16
    assert len(Working.of(judge).judging) == 2


def test_symbols_of_all_words_are_wide_enough_to_be_counted_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judge = judge_of(MACHINES[5], narrow=True)
    monkeypatch.setattr(working_set, "ENOUGH", 1_000)
    assert Working.of(judge).are_all
    assert judge.train.symbols.dtype == np.uint8
    assert Working.of(judge).few.train.symbols.dtype == np.int64


def test_with_noise_other_words_join_and_few_errors_refute_nothing() -> None:
    truth = machine([[1, 0], [0, 1]], [0, 1])
    opposite = machine([[1, 0], [0, 1]], [1, 0])
    start = Working.of(judge_of(truth, noise=0.1))
    assert start.grow(truth) is None
    more = start.grow(opposite)
    assert more is not None
    assert len(more.chosen) == 2 * len(start.chosen)
    almost = judge_of(truth, noise=0.1)
    almost.train.classes[3] ^= 1
    assert Working.of(almost).grow(truth) is None
