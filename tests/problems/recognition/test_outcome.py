"""The line on how far a model is right, and how a stage ended."""

from typing import Any

import pytest

from lengthwise.problems.recognition.outcome import _describe_end, _proof

FACTS: dict[str, Any] = {
    **{"states": None, "proved": False, "right_to": None, "wrong_chunks": None},
    **{"first_wrong": None},
}
OPEN = "not proved: "


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"proved": None}, ""),
        ({"proved": True}, "training ended with a proof at every length"),
        ({"states": 1}, "settled on an automaton of 1 state"),
        ({"right_to": -1, "first_wrong": ""}, f"{OPEN}the empty word is wrong"),
        ({"right_to": 0}, f"{OPEN}right to length 0"),
        ({"right_to": 7}, f"{OPEN}right to length 7"),
        (
            {"right_to": 0, "first_wrong": "1"},
            f"{OPEN}right to length 0, first wrong word 1",
        ),
        (
            {"right_to": 60, "first_wrong": "01" * 31},
            f"{OPEN}right to length 60, first wrong word {'01' * 29}0…",
        ),
        (
            {"right_to": 59, "first_wrong": "01" * 30},
            f"{OPEN}right to length 59, first wrong word {'01' * 30}",
        ),
        ({"wrong_chunks": 1}, f"{OPEN}wrong on 1 chunk of codes"),
        (
            {"wrong_chunks": 2, "right_to": 3},
            f"{OPEN}wrong on 2 chunks of codes, right to length 3",
        ),
        (
            {"wrong_chunks": 0},
            f"{OPEN}nothing that was judged is wrong, and `certify` says what is open",
        ),
        ({}, f"{OPEN}nothing that was judged is wrong, and `certify` says what is open"),
    ],
)
def test_a_proof_that_is_open_says_how_far_the_model_is_right(
    facts: dict[str, Any], said: str
) -> None:
    found = _proof(FACTS | facts, by_steps=False)
    assert [each for _, each in found] == ([said] if said else [])


def test_a_network_that_reads_symbol_by_symbol_is_judged_by_its_steps() -> None:
    found = _proof(FACTS | {"wrong_chunks": 2}, by_steps=True)
    assert found == [("proof", f"{OPEN}wrong on 2 steps of the automaton")]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({}, "maps (after 20 steps)"),
        ({"ended": "diverged"}, "maps (diverged after 20 steps)"),
        ({"right_to": -1}, "maps (after 20 steps)"),
        ({"right_to": 0}, "maps (after 20 steps, right to length 0)"),
        (
            {"right_to": 4, "wrong_chunks": 1_234},
            "maps (after 20 steps, right to length 4, 1,234 of 5,678 chunks wrong)",
        ),
    ],
)
def test_a_stage_says_how_near_it_came(record: dict[str, Any], said: str) -> None:
    stage = {
        **{"supervision": "maps", "ended": "steps", "steps": 20, "right_to": None},
        **{"wrong_chunks": None, "chunks": 5_678},
    }
    assert _describe_end(stage | record) == said
