"""The table of a snapped recurrence against snapping state by state, and planted faults."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import lengthwise as lw
from lengthwise.errors import VerificationError, WordError
from lengthwise.models.custom_network import with_lengths
from lengthwise.models.stepping import Steps, steps_of
from lengthwise.proofs.check.table_node import UNUSED
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.snapped_states import SnappedStates
from lengthwise.proofs.search.state_tables import Domain, tabulate_states
from models.recurrences import CountedParity
from proofs.snapped_words import (
    LONGEST,
    PARITY,
    WORDS,
    classes,
    snapped_one_by_one,
    some_representatives,
    steps,
)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 12))
def test_the_verdict_is_that_of_all_words_to_ten_symbols(seed: int, count: int) -> None:
    found = steps(seed)
    snapped = tabulate_states(found, some_representatives(found, count, seed), 0.0)
    answers = classes(snapped)
    right = [PARITY.classify(word) for word in WORDS]
    off = [word for word, a, b in zip(WORDS, answers, right, strict=True) if a != b]
    verdict: Any = decide(snapped, PARITY)
    if off:
        assert len(verdict.wrong) == len(off[0])
        assert verdict.wrong in off
    else:
        assert verdict.is_closed or len(verdict.wrong) > LONGEST
    machine = snapped.automaton(PARITY)
    assert answers == [machine.classify(word) for word in WORDS]


@pytest.mark.parametrize("seed", range(3))
def test_the_table_is_the_network_snapped_after_every_symbol(seed: int) -> None:
    found = steps(seed)
    representatives = some_representatives(found, 7, seed)
    snapped = tabulate_states(found, representatives, 0.0)
    some = WORDS[:: max(1, len(WORDS) // 60)]
    own = classes(snapped)[:: max(1, len(WORDS) // 60)]
    assert own == [snapped_one_by_one(found, representatives, word) for word in some]


def test_a_changed_entry_of_the_table_is_never_called_right() -> None:
    """An entry that leads to another element changes the answers or leads to an equal state."""
    found = steps_of(with_lengths(CountedParity()), 2, 2)
    points = torch.tensor([[0.0, 0.0], [0.0, 3.0], [1.0, 3.0], [0.0, 1.0], [1.0, 1.0]])
    snapped = tabulate_states(found, points, 0.0)
    assert decide(snapped, PARITY).is_closed
    for element, symbol in np.ndindex(*snapped.transitions.shape):
        for other in range(len(snapped.transitions)):
            table = snapped.transitions.copy()
            table[element, symbol] = other
            changed = SnappedStates(table, snapped.classes, num_classes=2, snaps=snapped.snaps)
            is_right = classes(changed) == [PARITY.classify(word) for word in WORDS]
            assert decide(changed, PARITY).is_closed == is_right


def test_a_tie_between_two_representatives_is_not_certain() -> None:
    found = steps_of(with_lengths(CountedParity()), 2, 2)
    points = torch.tensor([[0.0, 0.0], [1.0, 2.0], [0.0, 2.0], [1.0, 0.0]])
    assert not tabulate_states(found, points, 0.0).snaps.is_certain  # the count 1 is in the middle
    points[1:3, 1] = 3.0
    assert tabulate_states(found, points, 0.0).snaps.is_certain


def test_a_tie_of_logits_is_not_certain() -> None:
    class Level(CountedParity):
        def read(self, state: Tensor) -> Tensor:
            return super().read(state) * (state[:, 1:] != 2)

    found = steps_of(with_lengths(Level()), 2, 2)
    points = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert not tabulate_states(found, points, 0.0).snaps.is_certain


def test_a_step_that_sees_its_batch_is_refused() -> None:
    class Rarely(CountedParity):
        """Sees the batch once a symbol was read."""

        def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
            logits, after = super().step(state, symbols)
            return logits + (state[:, 1:] > 0) * torch.arange(len(state))[:, None], after

    found = Steps(Rarely(), num_symbols=2, num_classes=2, name="Rarely")
    points = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    with pytest.raises(VerificationError, match="depends on the other words of a batch"):
        tabulate_states(found, points, 0.0)


def test_steps_outside_the_domain_are_neither_computed_nor_answered() -> None:
    class Fails(CountedParity):
        """Not a number after the second 1 in a row, which no word of the domain has."""

        def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
            _, after = super().step(state[:, :2], symbols)
            bad = (state[:, 2] == 1) & (symbols == 1)
            after = torch.stack([after[:, 0], 0 * after[:, 1], symbols.float()], dim=1)
            after[bad] = torch.nan
            return self.read(after), after

        def start(self) -> tuple[Tensor, Tensor]:
            state = torch.zeros(1, 3)
            return self.read(state), state

    language = replace(PARITY, domain=lw.language("regex:(0|10)*1?"), spec="")
    found = Steps(Fails(), num_symbols=2, num_classes=2, name="Fails")
    points = torch.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(VerificationError, match="not finite"):
        tabulate_states(found, points, 0.0)
    snapped = tabulate_states(found, points, 0.0, Domain.of(language))
    assert (snapped.transitions == UNUSED).any()
    assert decide(snapped, language).is_closed
    assert snapped.automaton(language).difference(language) is None
    for count in (1, 100):  # one after another, and side by side
        tokens = torch.tensor([[1, 0, 1, 0]] * count)
        assert snapped(tokens).argmax(dim=1).tolist() == [0] * count
        with pytest.raises(WordError, match="no word of the language's domain takes"):
            snapped(torch.tensor([[1, 1, 0, 0]] * count))
