"""The loss and the score of outputs, against networks whose answers are known."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.errors import ConfigError, TaskError
from lengthwise.problems.transduction.objective import (
    OutputLoss,
    StringsConfig,
    mean_share,
    score_outputs,
)
from lengthwise.problems.transduction.strings import draw_strings
from lengthwise.tasks.chomsky_tasks import TRANSDUCTIONS

STACK = TRANSDUCTIONS["stack-manipulation"]


class Always(nn.Module):
    """Writes one symbol everywhere."""

    def __init__(self, symbol: int, num_outputs: int) -> None:
        super().__init__()
        self.scores = nn.Parameter(3.0 * F.one_hot(torch.tensor(symbol), num_outputs))

    def every_position(self, tokens: Tensor, generator: Any = None) -> Tensor:
        return self.scores.expand(*tokens.shape, -1)


class Sorting(nn.Module):
    """Sorts the string that it has read, and knows nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def every_position(self, tokens: Tensor, generator: Any = None) -> Tensor:
        length = tokens.shape[1] // 2
        first = F.one_hot(tokens[:, :length].sort(dim=1).values, 5)
        return self.scale * torch.cat([torch.zeros_like(first), first], dim=1)


def test_a_network_that_is_right_scores_everything() -> None:
    task = TRANSDUCTIONS["bucket-sort"]
    tallies = score_outputs(Sorting(), task, [1, 7, 30], 5, torch.Generator().manual_seed(0))
    assert [(t.length, t.total, t.right) for t in tallies] == [
        (1, 5, 5),
        (7, 35, 35),
        (30, 150, 150),
    ]
    assert mean_share(tallies) == 1.0
    loss = OutputLoss(task, StringsConfig(max_length=6, validation_words=12))
    assert loss.validate(Sorting(), torch.Generator().manual_seed(1)).perfect


def test_only_symbols_up_to_the_end_are_scored_and_each_length_counts_alike() -> None:
    lengths = [2, 40]
    tallies = score_outputs(Always(0, 3), STACK, lengths, 6, torch.Generator().manual_seed(3))
    generator = torch.Generator().manual_seed(3)
    shares = []
    for length, tally in zip(lengths, tallies, strict=True):
        drawn = draw_strings(STACK, length, 6, generator)
        scored = drawn.targets[drawn.is_scored]
        assert (tally.total, tally.right) == (len(scored), int((scored == 0).sum()))
        shares.append(tally.right / tally.total)
    assert mean_share(tallies) == pytest.approx(sum(shares) / 2)


def test_the_shortcut_is_the_best_symbol_of_all_lengths() -> None:
    generators = [torch.Generator().manual_seed(4) for _ in range(4)]
    scores = [
        mean_share(score_outputs(Always(symbol, 3), STACK, [3, 20], 9, generator))
        for symbol, generator in enumerate(generators[:3])
    ]
    tallies = score_outputs(Always(0, 3), STACK, [3, 20], 9, generators[3])
    assert sum(t.most_frequent / t.total for t in tallies) / 2 == pytest.approx(max(scores))


def test_the_loss_is_that_of_all_symbols_those_after_the_end_included() -> None:
    config = StringsConfig(max_length=2, batch_size=8)
    step = OutputLoss(STACK, config).step(
        Always(1, 3), torch.Generator().manual_seed(0), torch.Generator()
    )
    generator = torch.Generator().manual_seed(0)
    torch.randint(1, (1,), generator=generator)  # the length
    drawn = draw_strings(STACK, 2, 8, generator)
    log = F.log_softmax(torch.tensor([0.0, 3.0, 0.0]), dim=0)
    assert step.loss.item() == pytest.approx(-log[drawn.targets].mean().item(), rel=1e-5)
    assert float(step.accuracy) == pytest.approx(
        float((drawn.targets[drawn.is_scored] == 1).double().mean())
    )


def test_slips_are_refused() -> None:
    with pytest.raises(ConfigError, match="max_length=1"):
        OutputLoss(STACK, StringsConfig(max_length=1))
    with pytest.raises(TaskError, match="got none"):
        score_outputs(Always(0, 3), STACK, [], 3, torch.Generator())
    with pytest.raises(ConfigError, match="at the end of a word only"):
        score_outputs(nn.Linear(2, 2), STACK, [5], 3, torch.Generator())
