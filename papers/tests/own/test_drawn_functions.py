"""`own/drawn-functions`: its functions, and its table and verdicts from records."""

from typing import Any

import pytest

from lengthwise_papers.own.drawn_functions import MOST_STATES, check, draw_function, table


@pytest.mark.parametrize("kind", MOST_STATES)
def test_functions_are_of_their_kind_and_need_all_states(kind: str) -> None:
    drawn = [draw_function(kind, number) for number in range(20)]
    assert draw_function(kind, 0) == drawn[0]
    most_left, most_right = MOST_STATES[kind]
    for made in drawn:
        assert made.is_sequential == (kind == "sequential")
        assert 2 <= len(made.left) <= most_left
        assert min(2, most_right) <= len(made.right) <= most_right
        assert 2 <= len(made.alphabet) <= 4
        assert 2 <= len(made.outputs) <= 4
    assert len({(len(made.left), len(made.right)) for made in drawn}) > 3


def record(kind: str, verdict: str, seconds: float, wrong: int = 0) -> dict[str, Any]:
    return {
        **{"kind": kind, "verdict": verdict, "processor_seconds": seconds, "wrong_outputs": wrong},
        **{"left": int(seconds), "right": 1, "words": 10, "model": "m", "supervision": "maps"},
    }


def test_a_row_has_the_share_that_is_proved_and_the_seconds() -> None:
    records = [
        *(record("sequential", "equivalent", seconds) for seconds in (2.0, 3.0, 9.0)),
        record("bimachine", "not-closed", 4.0, wrong=7),
    ]
    first, second = table(records).rows
    assert first == ["sequential", "2 to 9", "1", "3 of 3", "`m`, maps (3)", "0 of 30", "3", "9"]
    assert second[3:] == ["0 of 1", "", "0 of 0", "4", "4"]


def test_verdicts_follow_the_records() -> None:
    good = [record("sequential", "equivalent", 1.0)] * 95
    assert [statement.holds for statement in check(good)] == [True, True]
    assert [statement.holds for statement in check(good[:94])] == [None, True], "five are missing"
    bad = [*good[:94], *[record("sequential", "not-closed", 1.0)] * 6]
    assert [statement.holds for statement in check(bad)] == [False, True]
    wrong = check([*good, record("bimachine", "equivalent", 1.0, wrong=1)])
    assert [statement.holds for statement in wrong] == [True, None, False]
