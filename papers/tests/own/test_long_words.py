"""Words that are all long: how they are drawn, and what the table says of the learners."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import lengthwise as lw
from lengthwise.languages.subregular import subregular
from lengthwise_papers.experiment import Record
from lengthwise_papers.own.long_words import (
    LEARNERS,
    LENGTHS,
    LONG_WORDS,
    LONGER,
    count_fitting,
    draw_words,
    measure,
)

SETTINGS = {"class": "SL", "symbols": 4, "words": 300, "seed": 10, "budget": 20}


@pytest.mark.parametrize("is_adversarial", [False, True])
def test_words_are_different_balanced_and_have_their_class(is_adversarial: bool) -> None:
    language = subregular("TSL", seed=10, symbols=4)
    draws = torch.Generator().manual_seed(0)
    words = draw_words(language, 500, LONGER, draws, is_adversarial=is_adversarial)
    assert len(words) == 500
    assert all(language.classify(word) == label for word, label in words.items())
    assert {len(word) for word in words} <= set(range(LONGER[0], LONGER[1] + 1))
    assert 200 < sum(words.values()) < 300


def test_adversarial_words_come_in_pairs_one_edit_apart() -> None:
    language = subregular("SL", seed=10, symbols=4)
    draws = torch.Generator().manual_seed(0)
    words = list(draw_words(language, 100, LENGTHS, draws, is_adversarial=True).items())
    near = sum(
        any(
            c != label and len(other) == len(word) and differ(word, other) <= 2
            for other, c in words
        )
        for word, label in words
    )
    assert near > 40


def differ(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def test_the_pipeline_finds_a_strictly_local_language(tmp_path: Path) -> None:
    (record,) = measure({**SETTINGS, "learner": "pipeline"}, tmp_path)
    assert record["found"]
    assert record["fits"]
    assert set(record["accuracies"].values()) == {1.0}


def test_automata_that_fit_all_words_are_counted_among_those_not_found() -> None:
    runs: list[Record] = [
        {"found": True, "fits": True},
        {"found": False, "fits": True},
        {"found": False, "fits": False},
    ]
    assert count_fitting(runs) == "1 of 2"
    assert count_fitting(runs[:1]) == ""
    assert count_fitting([*runs, {"found": False}]) == ""  # not recorded of each


def test_a_search_that_was_stopped_is_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*arguments: Any, **settings: Any) -> lw.Inference:
        found = infer(*arguments, **settings)
        assert isinstance(found, lw.Inference)
        return replace(found, end="stopped")

    infer = lw.infer
    monkeypatch.setattr(lw, "infer", stop)
    with pytest.raises(KeyboardInterrupt):
        measure({**SETTINGS, "learner": "pipeline"}, tmp_path)


@pytest.mark.slow_except("RPNI")
@pytest.mark.parametrize("learner", sorted(set(LEARNERS) - {"pipeline", "flexfringe"}))
def test_every_learner_is_judged(learner: str, tmp_path: Path) -> None:
    (record,) = measure({**SETTINGS, "learner": learner, "budget": 5}, tmp_path)
    assert all(0 <= share <= 1 for share in record["accuracies"].values())
    assert not record["found"] or min(record["accuracies"].values()) == 1.0


def record(learner: str, found: bool, seed: int = 0, words: int = 10_000) -> Record:
    accuracies = dict.fromkeys(("short random", "short adversarial"), 1.0 if found else 0.5)
    return {
        **{"learner": learner, "class": "SL", "symbols": 4, "words": words, "seed": seed},
        **{"found": found, "seconds": 2.0 + seed},
        "accuracies": accuracies | dict.fromkeys(("long random", "long adversarial"), 0.75),
    }


def test_the_table_says_who_found_how_many() -> None:
    records = [record("pipeline", True), record("pipeline", False, 1), record("RPNI", False)]
    header, (row,) = LONG_WORDS.table(records)
    shown = dict(zip(header[:5], row[:5], strict=True))
    assert (shown["pipeline: found"], shown["worst of four tests, %"]) == ("1 of 2", "62.5")
    _, rows = LONG_WORDS.more["By number of words"](records)
    assert rows[0][:5] == ["10,000", "4", "pipeline", "1 of 2", ""]
    assert rows[0][5:] == ["75.0", "75.0", "75.0", "75.0", "3", "3"]


def test_half_of_the_languages_have_to_be_found_and_no_other_learner_may_be_ahead() -> None:
    good = [record("pipeline", True), record("RPNI", False)]
    bad = [record("pipeline", False), record("RPNI", True)]
    assert [one.holds for one in LONG_WORDS.check(good)] == [True, True]
    assert [one.holds for one in LONG_WORDS.check(bad)] == [False, False]


def test_learners_are_compared_on_the_words_that_both_had() -> None:
    records = [record("pipeline", False), record("RPNI", True), record("pipeline", True, 1)]
    *_, ahead = LONG_WORDS.check(records)
    assert (ahead.holds, ahead.measured) == (False, "all but SL (RPNI)")
    more = [record("pipeline", True), record("RPNI", True), record("RPNI", True, 1)]
    assert [one.holds for one in LONG_WORDS.check(more)] == [True, True]
