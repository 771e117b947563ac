"""Copies of networks that are trained on the counterexamples of their snapped networks."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.errors import RunError
from lengthwise.examination import retraining
from lengthwise.examination.retraining import Retrained, RetrainingRound, retrain, store_run
from lengthwise.models.custom_network import with_lengths
from lengthwise.models.stepping import Steps, steps_of
from lengthwise.problems.base import Run
from lengthwise.proofs.search.state_snapping import StateSnapping, draw_validation, snap_states
from models.recurrences import CountedParity
from proofs.snapped import parity_network

PARITY = lw.language("parity")
WORDS = draw_validation(PARITY, 8)


def snap(steps: Steps) -> StateSnapping:
    return snap_states(steps, PARITY, WORDS, choose="validation", max_representatives=40)


class Reversed(CountedParity):
    """Knows the parity, and answers the other way round until it has learned its weight."""

    def __init__(self) -> None:
        super().__init__(unit=0.0)
        self.weight = nn.Parameter(torch.tensor(-0.05))

    def read(self, state: Tensor) -> Tensor:
        return super().read(state) * self.weight


def damaged() -> nn.Module:
    return with_lengths(Reversed()).eval()


def in_rounds(rounds: int, network: nn.Module) -> Retrained:
    snapping = snap(steps_of(network, 2, 2))
    assert snapping.wrong is not None
    return retrain(network, PARITY, snapping, snap, rounds=rounds, longest=8)


@pytest.fixture(scope="module")
def copy() -> Retrained:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("_RATE", 0.02), ("_STEPS", 20), ("_EACH", 5)):
            patch.setattr(retraining, name, value)
        return in_rounds(3, damaged())


def test_a_copy_becomes_right_and_the_network_stays_as_it_was(copy: Retrained) -> None:
    assert copy.is_proved
    assert copy.rounds[0].wrong == ()
    assert copy.rounds[-1].verdict == "equivalent"
    assert copy.snapping.snapped is not None
    assert copy.snapping.snapped.automaton(PARITY).difference(PARITY) is None
    assert lw.predict(copy.model, ["1" * 101], language=PARITY) == ["1"]
    assert lw.predict(Reversed(), ["1"], language=PARITY) == ["0"]
    assert copy.summary()["rounds"][0] == {
        "wrong_length": 0,
        "steps": copy.rounds[0].steps,
        "verdict": copy.rounds[0].verdict,
    }


def test_a_network_without_weights_or_without_time_is_not_trained() -> None:
    network = CountedParity(unit=0.0)
    snapping = snap(steps_of(with_lengths(network), 2, 2))
    found = retrain(network, PARITY, snapping, snap, rounds=2, longest=8)
    assert (found.rounds, found.reason) == ((), "the network has no weights to train")
    late = retrain(
        damaged(), PARITY, snap(steps_of(damaged(), 2, 2)), snap, rounds=2, longest=8, end=0.0
    )
    assert late.rounds == ()


def test_a_step_with_gradients_is_the_step() -> None:
    steps = steps_of(parity_network(), 2, 2)
    rows = steps.read([(0, 1), (1, 1)])[1]
    symbols = torch.tensor([1, 0])
    for one, other in zip(
        steps.step(rows, symbols), steps.step_to_learn(rows, symbols), strict=True
    ):
        assert torch.equal(one, other)
        assert other.requires_grad


def test_a_copy_is_stored_as_a_run_with_its_own_validation(tmp_path: Path) -> None:
    run = lw.train(
        "parity",
        model="elman",
        out=tmp_path / "run",
        d_model=2,
        steps=2,
        max_length=4,
        seed=1,
    )
    assert isinstance(run, Run)
    network = parity_network()
    rounds = (RetrainingRound(wrong=(1,), steps=30, verdict="equivalent"),)
    copy = Retrained(model=network, snapping=snap(steps_of(network, 2, 2)), rounds=rounds)
    folder = store_run(run, copy, tmp_path / "copy")
    again = lw.load(folder.path, device="cpu")
    assert isinstance(again, Run)
    assert lw.predict(again, ["1" * 101]) == ["1"]
    record = again.metrics[-1]
    assert (record["validation_accuracy"], record["retrained_steps"]) == (1.0, 30)
    assert "retrained" in folder.config()["environment"]
    with pytest.raises(RunError, match="holds a run already"):
        store_run(run, copy, tmp_path / "copy")
