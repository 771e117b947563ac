"""Random automata from words: what is drawn, and how the statements are judged."""

from typing import Any

import pytest

from lengthwise_papers.experiment import Record
from lengthwise_papers.own.random_words import (
    LENGTHS,
    RANDOM_WORDS,
    check,
    draw_automaton,
    draw_words,
    table,
    verdicts,
)


@pytest.mark.parametrize("seed", [0, 7, 23, 49])
def test_automata_are_minimal_and_words_are_theirs(seed: int) -> None:
    language = draw_automaton(seed)
    assert language.minimise().num_states == language.num_states == 3 + seed % 8
    words = draw_words(language, 300, seed)
    assert len(words) == 300
    assert {len(word) for word in words} <= set(range(LENGTHS[0], LENGTHS[1] + 1))
    assert all(language.classify(word) == label for word, label in words.items())
    longer = draw_words(language, 400, seed)
    assert list(longer)[:300] == list(words)  # so that tests are no words of the file


def test_the_preset_has_fifty_automata_of_every_size() -> None:
    sizes = RANDOM_WORDS.presets["laptop"]
    drawn = [draw_automaton(seed) for seed in range(sizes.automata)]
    assert {language.num_states for language in drawn} == set(range(3, 11))
    assert {language.num_symbols for language in drawn} == {2, 3, 4}
    assert len(RANDOM_WORDS.parts(sizes, ())) == 50 * 3 * 3


def make(learner: str, found: bool, wrong: float, **more: Any) -> Record:
    said = {"verdict": "found", "wrong_share_below": 0.01} if learner == "pipeline" else {}
    return {
        **{"learner": learner, "words": 1000, "found": found, "seconds": 1.0, **said},
        **{"wrong_share": wrong, "commonest_wrong_share": 0.4},
        **{"interval_95": [0.9 * wrong, 1.1 * wrong], **more},
    }


def test_statements_fall_with_the_records() -> None:
    good = [make("pipeline", True, 0.0), make("RPNI", False, 0.2), make("EDSM", True, 0.0)]
    assert [one.holds for one in check(good)] == [True, True, True]
    behind = [make("pipeline", False, 0.005), make("RPNI", True, 0.0)]
    assert [one.holds for one in check(behind)] == [False, True, True]
    false = [make("pipeline", False, 0.02), make("RPNI", False, 0.2)]
    assert [one.holds for one in check(false)] == [True, False, True]
    chance = [make("pipeline", False, 0.39, wrong_share_below=0.5)]
    assert [one.holds for one in check(chance)] == [True, True, False]
    said = [make("pipeline", False, 0.39, wrong_share_below=0.5, verdict="not found")]
    assert [one.holds for one in check(said)] == [True, True, True]


def test_tables_have_a_row_for_each_learner_and_verdict() -> None:
    records = [make("pipeline", True, 0.0), make("pipeline", False, 0.3, verdict="not found")]
    records.append(make("RPNI", False, 0.2))
    assert [row[:3] for row in table(records).rows] == [
        ["1,000", "pipeline", "1 of 2"],
        ["1,000", "RPNI", "0 of 1"],
    ]
    assert [row[1:4] for row in verdicts(records).rows] == [
        ["found", "1", "1"],
        ["not found", "1", "0"],
    ]
