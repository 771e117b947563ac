"""The table of a snapped recurrence against snapping state by state, and planted faults."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.errors import RunError, VerificationError
from lengthwise.models.custom_network import with_lengths
from lengthwise.models.stepping import Steps, steps_of
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.snapped_states import SnappedStates, tabulate_states
from models.recurrences import CountedParity, Layered

PARITY = lw.language("parity")
LONGEST = 10
WORDS = [word for n in range(LONGEST + 1) for word in product((0, 1), repeat=n)]


def steps(seed: int, *, gain: float = 3.0) -> Steps:
    torch.manual_seed(seed)
    network = Layered(nn.GRU(4, 6, batch_first=True))
    with torch.no_grad():
        for weight in network.parameters():
            weight.mul_(gain)
    return steps_of(with_lengths(network).eval(), 2, 2)


def some_representatives(found: Steps, count: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    words = torch.unique(torch.randint(2, (count, 6), generator=generator), dim=0).tolist()
    return torch.cat([found.start()[1], found.read(words)[1]])


def snapped_one_by_one(found: Steps, representatives: Tensor, word: tuple[int, ...]) -> int:
    """The class of a word, by the definition."""
    logits, state = found.start()
    for symbol in word:
        logits, state = found.step(state, torch.tensor([symbol]))
        away = (representatives.double() - state.double()).norm(dim=1)
        state = representatives[int(away.argmin())][None]
    return int(logits.argmax())


def classes(snapped: SnappedStates) -> list[int]:
    answers: list[int] = []
    for n in range(LONGEST + 1):
        tokens = torch.tensor([w for w in WORDS if len(w) == n], dtype=torch.long)
        answers += snapped(tokens).argmax(dim=1).tolist()
    return answers


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
        """Sees the batch only where a count was reached."""

        def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
            logits, after = super().step(state, symbols)
            return logits + (state[:, 1:] > 30) * torch.arange(len(state))[:, None], after

    found = steps_of(with_lengths(Rarely()), 2, 2)
    points = torch.tensor([[0.0, 0.0], [0.0, 40.0], [1.0, 40.0]])
    with pytest.raises(VerificationError, match="depends on the other words of a batch"):
        tabulate_states(found, points, 0.0)


def test_it_is_stored_and_loaded(tmp_path: Path) -> None:
    found = steps(1)
    snapped = tabulate_states(found, some_representatives(found, 5, 1), 0.25)
    file = tmp_path / "snapped.safetensors"
    snapped.save(file, model_digest="abc")
    again = SnappedStates.load(file, model_digest="abc")
    assert classes(again) == classes(snapped)
    assert torch.equal(again.snaps.representatives, snapped.snaps.representatives)
    assert again.snaps.radius == 0.25
    with pytest.raises(RunError, match="from another model"):
        SnappedStates.load(file, model_digest="abd")
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(RunError, match="damaged"):
        SnappedStates.load(file)


def test_it_is_evaluated_like_another_network() -> None:
    found = steps(2)
    snapped = tabulate_states(found, some_representatives(found, 5, 1), 0.0)
    words = ["", "0110", "1" * 2_000]
    expected = [PARITY.class_names[snapped.automaton(PARITY).classify(word)] for word in words]
    assert lw.predict(snapped, words, language=PARITY) == expected
    assert lw.evaluate(snapped, language=PARITY, lengths=[7], words_per_length=8).total == 8
