"""Many words: what is written, what is measured, and what decides."""

import random
from collections import Counter
from pathlib import Path

import pytest

from lengthwise_papers.experiment import Record
from lengthwise_papers.own import many_words
from lengthwise_papers.own.many_words import MANY_WORDS, measure, parts, write_words
from lengthwise_papers.own.random_languages import draw_needed_machine

LANGUAGE = draw_needed_machine(random.Random(0), 6, 2)


def test_every_number_of_words_is_a_part() -> None:
    every = parts(MANY_WORDS.presets["laptop"], ())
    assert [part.settings["words"] for part in every] == [10**n for n in range(3, 8)]


def test_the_file_has_words_of_all_lengths_with_their_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_words, "BLOCK", 300)
    write_words(LANGUAGE, 1_000, 1, tmp_path / "words.tsv")
    pairs = [line.split("\t") for line in (tmp_path / "words.tsv").read_text().splitlines()]
    assert len(pairs) == 1_000
    assert {len(word) for word, _ in pairs} == set(range(1, 41))
    assert all(LANGUAGE.classify(LANGUAGE.encode(word)) == int(label) for word, label in pairs)
    assert len(Counter(word for word, _ in pairs if len(word) > 20)) > 450


@pytest.mark.slow
def test_a_process_is_measured(tmp_path: Path) -> None:
    [record] = measure({"words": 1_000, "seed": 0}, tmp_path)
    assert record["found"]
    assert record["states"] == record["true_states"] == 6
    assert record["processor_seconds"] > 1
    assert 100 < record["megabytes"] < 2_000


def took(words: int, seconds: float, megabytes: int) -> Record:
    return {
        **{"words": words, "found": True, "megabytes": megabytes},
        **{"seconds": 2 * seconds, "processor_seconds": seconds},
    }


def test_the_last_factor_and_the_most_words_decide() -> None:
    records = [took(1_000, 3.0, 300), took(100_000, 100.0, 7_999), took(10_000, 10.0, 500)]
    assert [statement.holds for statement in MANY_WORDS.check(records)] == [True, True]
    assert MANY_WORDS.table(records).rows[1] == ["10,000", "yes", "10", "20", "500"]
    worse = [took(10_000, 10.0, 500), took(100_000, 130.0, 8_001)]
    assert [statement.holds for statement in MANY_WORDS.check(worse)] == [False, False]
