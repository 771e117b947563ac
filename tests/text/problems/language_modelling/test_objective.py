"""The loss of texts, and the batches that it is of."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from lengthwise.text.data.text_corpus import Tokens
from lengthwise.text.layers.token_loss import ReadOut
from lengthwise.text.problems.language_modelling.objective import (
    NextToken,
    WindowsConfig,
    read_out_of,
)
from lengthwise.training.loop import fit
from lengthwise.training.settings import TrainingConfig


class Counting(nn.Module):
    """Says that after a number comes the next one, and how sure it is."""

    def __init__(self, sure: float = 3.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(sure))
        self.seen: list[torch.Tensor] = []

    def read_out(self, tokens: torch.Tensor) -> ReadOut:
        self.seen.append(tokens)
        after = nn.functional.one_hot((tokens + 1) % 10, 10)
        return ReadOut(after.to(self.weight.dtype), self.weight * torch.eye(10))


class Bigrams(nn.Embedding):
    """Logits of the next token by the last one."""

    def read_out(self, tokens: torch.Tensor) -> ReadOut:
        return ReadOut(nn.functional.one_hot(tokens, 10).to(self.weight.dtype), self.weight.t())


def test_the_loss_is_the_cross_entropy_of_the_next_token_at_every_place() -> None:
    tokens = Tokens([np.arange(1000) % 10])
    model, config = Counting(), WindowsConfig(window=7, batch_size=3)
    step = NextToken(tokens, tokens, config).step(
        model, torch.Generator().manual_seed(0), torch.Generator()
    )
    expected = math.log(math.exp(3.0) + 9) - 3.0
    assert step.loss.item() == pytest.approx(expected, rel=1e-6)
    assert step.accuracy == 1.0
    assert step.num_words == 21
    assert model.seen[0].shape == (3, 7)


@pytest.mark.needs_precision("bfloat16")
def test_in_half_precision_the_loss_is_about_the_same() -> None:
    tokens, model = Tokens([np.arange(1000) % 10]), Counting()
    expected = math.log(math.exp(3.0) + 9) - 3.0
    half = NextToken(tokens, tokens, WindowsConfig(window=7, batch_size=3), half="bfloat16")
    found = half.step(model, torch.Generator().manual_seed(0), torch.Generator()).loss
    assert found.item() == pytest.approx(expected, rel=1e-2)


def test_batches_that_are_added_up_are_one_large_batch() -> None:
    noise = np.random.default_rng(0).integers(0, 3, 1000)
    tokens = Tokens([(np.arange(1000) + noise) % 10])

    def train(batch_size: int, accumulate: int) -> tuple[list[dict[str, Any]], nn.Module]:
        weight = torch.randn(10, 10, generator=torch.Generator().manual_seed(0))
        model = Bigrams(10, 10, _weight=weight)  # no two tokens are equally likely
        goal = NextToken(tokens, tokens, WindowsConfig(window=7, batch_size=batch_size))
        loop = TrainingConfig(
            steps=20,
            validate_every=1,
            learning_rate=0.2,
            clip=0.12,  # bites now and then, so that another scale of the gradient would be seen
            accumulate=accumulate,
        )
        return fit(model, goal, loop), model

    (whole, expected), (parts, found) = train(12, 1), train(3, 4)
    assert whole[-1]["validation_loss"] < 0.9 * whole[0]["validation_loss"]
    torch.testing.assert_close(found.state_dict(), expected.state_dict(), atol=1e-4, rtol=0)
    for name in ("loss", "accuracy", "validation_loss"):
        assert [r[name] for r in parts] == pytest.approx([r[name] for r in whole], abs=1e-5)


def test_training_and_validation_see_their_own_parts_and_all_of_them() -> None:
    model, seen = Counting(), set[int]()

    def read_out(model: nn.Module, tokens: torch.Tensor) -> ReadOut:
        seen.update(tokens.flatten().tolist())
        vectors, matrix = read_out_of(model, tokens % 10)
        return ReadOut(vectors, nn.functional.pad(matrix, (0, 0, 0, 300)))

    train_part, validation = Tokens([np.arange(100, 160)]), Tokens([np.arange(200, 261)])
    goal = NextToken(train_part, validation, WindowsConfig(window=5, batch_size=4), read_out)
    generator = torch.Generator().manual_seed(0)
    for _ in range(200):
        goal.step(model, generator, torch.Generator())
    assert seen == set(range(100, 159))
    seen.clear()
    found = goal.validate(model, torch.Generator())
    assert seen == set(range(200, 260))
    assert found.score == -found.loss
    few = WindowsConfig(window=5, validation_windows=3)
    seen.clear()
    NextToken(train_part, validation, few, read_out).validate(model, torch.Generator())
    assert sorted(seen) == [*range(200, 205), *range(218, 223), *range(236, 241)]
