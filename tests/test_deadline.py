"""A time at which searches stop."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.deadline import require_time, until
from lengthwise.errors import OutOfTimeError
from lengthwise.evaluation.shortcuts import shortcuts_beside
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.extracted_automaton import extract_automaton
from lengthwise.proofs.search.learning_by_tests import learn_by_tests
from lengthwise.tasks.task import Task

PARITY = lw.language("parity")


def test_the_earliest_of_nested_times_counts_and_is_forgotten_afterwards() -> None:
    now = time.monotonic()
    with until(now + 60):
        require_time()
        with until(now - 1):
            with pytest.raises(OutOfTimeError, match="the time is up"):
                require_time()
            with until(now + 60), pytest.raises(OutOfTimeError):
                require_time()
        require_time()
    require_time()


class Constant(nn.Module):
    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        return torch.eye(2)[torch.zeros(len(tokens), dtype=torch.long)]


@pytest.mark.parametrize(
    "search",
    [
        lambda: certify(lw.load("zoo:parity", device="cpu").model, PARITY),
        lambda: certify(lw.compile("parity").model, PARITY),
        lambda: extract_automaton(lw.compile("parity").model, PARITY),
        lambda: learn_by_tests(Constant(), "01", num_tests=10),
        lambda: shortcuts_beside(Task(language=PARITY), [5], 8, 0),
    ],
    ids=["codes", "vectors", "extraction", "queries", "shortcuts"],
)
def test_every_search_of_an_examination_stops(search: Callable[[], Any]) -> None:
    with until(time.monotonic() - 1), pytest.raises(OutOfTimeError):
        search()
