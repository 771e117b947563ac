"""The class after every prefix, learned by networks of a user's own."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.errors import ConfigError
from lengthwise.models.custom_network import adapt
from lengthwise.objectives.prefix import PrefixLoss
from lengthwise.objectives.words import WordsConfig
from lengthwise.tasks.task import Task


class Sums(nn.Module):
    """The sum of the scores of the symbols."""

    def __init__(self, vocab_size: int = 2, num_classes: int = 2) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.randn(vocab_size, num_classes))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.scores[tokens].sum(dim=1)


class Everywhere(Sums):
    def every_position(self, tokens: Tensor) -> Tensor:
        return self.scores[tokens].cumsum(dim=1)


class Steps(Sums):
    def start(self) -> tuple[Tensor, Tensor]:
        return torch.zeros(1, self.scores.shape[1]), torch.zeros(1, self.scores.shape[1])

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        return state + self.scores[symbols], state + self.scores[symbols]


class Shapeless(Everywhere):
    def every_position(self, tokens: Tensor) -> Tensor:
        return self.scores[tokens].sum(dim=1)


def loss() -> PrefixLoss:
    task = Task(language=lw.language("parity"))
    return PrefixLoss(task, WordsConfig(max_length=9, batch_size=8))


@pytest.mark.parametrize("network", [Everywhere, Steps])
def test_every_prefix_is_answered_as_it_is_alone(network: type[Sums]) -> None:
    model, tokens = adapt(network()), torch.randint(2, (5, 7))
    alone = torch.stack([model(tokens[:, :n]) for n in range(1, 8)], dim=1)
    torch.testing.assert_close(model.every_prefix(tokens), alone)


@pytest.mark.parametrize("network", [Everywhere, Steps])
def test_both_kinds_have_the_same_loss(network: type[Sums]) -> None:
    model, other = network(), Everywhere()
    other.load_state_dict(model.state_dict())
    steps = [
        loss().step(adapt(each), *(torch.Generator().manual_seed(n) for n in (1, 2)))
        for each in (model, other)
    ]
    torch.testing.assert_close(steps[0].loss, steps[1].loss)
    steps[0].loss.backward()  # type: ignore[no-untyped-call]
    assert model.scores.grad is not None


@pytest.mark.parametrize(
    ("network", "message"),
    [(Sums, "Sums answers at the end of a word only"), (Shapeless, r"it returned \(8, 2\)")],
)
def test_others_are_refused(network: type[Sums], message: str) -> None:
    generators: list[Any] = [torch.Generator().manual_seed(n) for n in (1, 2)]
    with pytest.raises(ConfigError, match=message):
        loss().step(adapt(network()), *generators)


def test_training_takes_it_by_name() -> None:
    settings: dict[str, Any] = {"steps": 2, "preset": "smoke", "objective": "prefix"}
    run = lw.train("parity", Steps, **settings)
    assert run.require_plan().supervision == "prefix"
    with pytest.raises(ConfigError, match="answers at the end of a word only"):
        lw.train("parity", Sums, **settings)
