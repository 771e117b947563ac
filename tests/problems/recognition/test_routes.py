"""Routes to a proof: when one is given up, and what is too large for all of them."""

from typing import Any

import pytest

from lengthwise.errors import ConfigError
from lengthwise.problems.recognition import routes
from lengthwise.problems.runs import make_plan


def records(*right_to: int | None, every: int = 250) -> list[dict[str, Any]]:
    return [{"step": every * (i + 1), "right_to": far} for i, far in enumerate(right_to)]


def test_a_stage_is_given_up_after_enough_steps_without_longer_right_words() -> None:
    assert not routes.is_stalled([])
    assert not routes.is_stalled(records(*range(40)))
    still = [3] * (routes.PATIENCE_STEPS // 250)
    assert not routes.is_stalled(records(2, *still))
    assert routes.is_stalled(records(2, *still, 1))
    assert not routes.is_stalled(records(2, *still, 4))
    assert not routes.is_stalled(records(*still, None))  # nothing wrong in float64
    assert routes.is_stalled(records(None, None, *still))
    few = routes.PATIENCE_VALIDATIONS
    assert not routes.is_stalled(records(*[3] * few, every=10_000))
    assert routes.is_stalled(records(*[3] * (few + 1), every=10_000))
    assert not routes.is_stalled([{"step": 250 * i, "wrong": 5} for i in range(90)])


def test_an_automaton_too_large_for_every_route_is_refused_with_its_numbers() -> None:
    long = "regex:(0|1)*1" + "(0|1)" * 12
    with pytest.raises(
        ConfigError,
        match=r"up to 4,096 states, and this one has at least 8,192; .* up to 1,000 state maps, "
        r"and there are more than 5,000. Use --model scratchpad-window, which learns its 16,384",
    ):
        make_plan(long)
