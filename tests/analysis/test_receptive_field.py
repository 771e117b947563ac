"""Receptive field: gradients of single positions, from the masked form and from differences."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from lengthwise.analysis import receptive_field as module
from lengthwise.analysis.receptive_field import (
    gradient_norms,
    receptive_field,
)
from lengthwise.errors import ClaimError, TaskError
from lengthwise.languages.spec import parse
from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.masked_regular_gpt import compute_masked_logits
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from perturbed import perturb

SETTINGS: list[dict[str, Any]] = [
    {},
    {"chunk_size": 3},
    {"num_layers": 2, "pad": "absent", "norm": "pre"},
    {"memory": "binary", "noise": 0.0},
    {"memory": "binary", "noise": 0.0, "chunk_size": 3, "num_layers": 2},
]


def make(**values: Any) -> RegularGPT:
    """A model whose every weight is away from its initial value."""
    config = RegularGPTConfig(
        **{"vocab_size": 2, "num_classes": 3, "d_model": 8, "num_heads": 2, **values}
    )
    return perturb(RegularGPT(config), 0.2, 3)


def some_words(count: int, length: int) -> Tensor:
    return torch.randint(2, (count, length), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("length", [1, 2, 7, 9])
def test_norms_are_those_of_the_masked_form_position_by_position(
    settings: dict[str, Any], length: int
) -> None:
    """In training without noise, where binary memory has the gradient of tanh."""
    model = make(**settings)
    words = some_words(4, length)
    norms = gradient_norms(model.requires_grad_(False), words)
    model.train()
    embedded: list[Tensor] = []

    def keep(_: torch.nn.Module, __: tuple[Tensor, ...], output: Tensor) -> Tensor:
        embedded.append(output.requires_grad_())
        return embedded[-1]

    model.embedding.register_forward_hook(keep)
    for word, found in zip(words, norms, strict=True):
        largest = compute_masked_logits(model, word[None]).max()
        (gradient,) = torch.autograd.grad(largest, embedded[-1])
        torch.testing.assert_close(found, gradient[0].norm(dim=1))
        assert (found > 0).all()


def test_norms_are_those_of_finite_differences() -> None:
    model = make().requires_grad_(False)
    words = some_words(1, 6)
    nudge = torch.zeros(6, 8, dtype=torch.double)
    model.embedding.register_forward_hook(lambda _, __, output: output + nudge)
    slopes = torch.zeros(6, 8, dtype=torch.double)
    for place in range(6):
        for coordinate in range(8):
            ends = []
            for size in (1e-6, -1e-6):
                nudge[place, coordinate] = size
                ends.append(float(compute_masked_logits(model, words).max()))
            nudge[place, coordinate] = 0
            slopes[place, coordinate] = (ends[0] - ends[1]) / 2e-6
    torch.testing.assert_close(
        gradient_norms(make().requires_grad_(False), words)[0],
        slopes.norm(dim=1),
        atol=1e-6,
        rtol=1e-6,
    )


def test_curve_adds_up_mean_shares_from_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """In batches that words do not share, and each word counts alike."""
    monkeypatch.setattr(module, "_SYMBOLS_AT_ONCE", 10)
    model = make()
    words = some_words(5, 7)
    tokens = torch.full((8, 7), -1)
    tokens[:5] = words
    tokens[5:, 4:] = some_words(3, 3)
    lengths = torch.tensor([7] * 5 + [3] * 3)
    short, long = receptive_field(model, parse("parity"), tokens, lengths)["curves"]
    norms = gradient_norms(model.requires_grad_(False), words).tolist()
    shares = [[s / sum(row) for s in row] for row in norms]
    share = [sum(column) / 5 for column in zip(*shares, strict=True)]
    curve = [sum(share[7 - k :]) for k in range(1, 8)]
    assert long["cumulated"] == pytest.approx(curve, abs=1e-6)
    assert long["cumulated"][-1] == 1
    assert long["half"] == next(k for k in range(1, 8) if curve[k - 1] >= 0.5)
    assert long["deviation"] == pytest.approx(
        max(abs(c - k / 7) for k, c in enumerate(curve, start=1))
    )
    assert long["least"] == pytest.approx(7 * min(share))
    assert (short["length"], short["words"], len(short["cumulated"])) == (3, 3, 3)


def test_the_gradient_of_a_sign_does_not_round_to_zero() -> None:
    """tanh is 1 to the last digit past 19, where 1 - tanh^2 would be 0."""
    model = make(memory="binary")
    assert isinstance(model.memory, BinaryMemory)
    with torch.no_grad():
        model.memory.write.weight.mul_(1e-3)
        model.memory.write.bias.fill_(30.0)
    assert math.tanh(30) == 1
    norms = gradient_norms(model.requires_grad_(False), some_words(2, 4))
    assert (norms > 0).all()


def test_the_model_stays_as_it_was() -> None:
    model = make().float().train()
    receptive_field(model, parse("parity"), some_words(2, 3), torch.tensor([3, 3]))
    assert model.training
    assert model.pad.dtype == torch.float
    assert all(p.requires_grad and p.grad is None for p in model.parameters())


def test_words_without_positions_or_without_gradient_are_refused() -> None:
    model = make()
    with pytest.raises(TaskError, match="the empty word has no positions"):
        receptive_field(model, parse("parity"), some_words(2, 0), torch.tensor([0, 0]))
    with torch.no_grad():
        model.answer.weight.zero_()
    with pytest.raises(ClaimError, match="gradient of a word of 3 symbols is zero"):
        receptive_field(model, parse("parity"), some_words(2, 3), torch.tensor([3, 3]))


# ---- language models ---------------------------------------------------------------------------
