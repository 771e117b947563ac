"""Universal transformers: one layer, as often as a word's length says."""

import math
from typing import Any, Literal

import pytest
import torch
from torch import Tensor

from lengthwise.errors import ConfigError
from lengthwise.models.universal import Universal, UniversalConfig

SYMBOLS, WIDTH = 3, 8


def make(depth: Literal["fixed", "log"] = "fixed", num_steps: int = 3, **values: Any) -> Universal:
    shape = {"vocab_size": SYMBOLS, "num_classes": 3, "d_model": WIDTH, "d_hidden": 20}
    model = Universal(
        UniversalConfig.from_dict({"depth": depth, "num_steps": num_steps, **shape, **values})
    )
    model.initialise(torch.Generator().manual_seed(0))
    return model.double().eval()


def by_the_equations(model: Universal, word: list[int], steps: int) -> Tensor:
    """Dehghani et al. (2019): H^t = Layer(H^(t-1) + P^t), one layer for all t."""
    pair = torch.arange(0, WIDTH, 2, dtype=torch.double)

    def waves(t: float) -> Tensor:
        angle = t / 10_000 ** (pair / WIDTH)
        return torch.stack([angle.sin(), angle.cos()], dim=1).flatten()

    x = model.embedding(torch.tensor([[SYMBOLS, *word]]))
    seen = torch.ones(1, 1, len(word) + 1, dtype=torch.bool)
    for t in range(1, steps + 1):
        h = x + torch.stack([waves(i) + waves(t) for i in range(len(word) + 1)])
        x = model.block[0](h, h, seen)
    return model.answer(x[0, 0])


@pytest.mark.parametrize("length", [0, 1, 2, 3, 8, 9])
def test_steps_follow_the_equations(length: int) -> None:
    word = [i * i % SYMBOLS for i in range(length)]
    tokens = torch.tensor([word], dtype=torch.long)
    fixed = make("fixed", 3, position="sinusoidal")
    torch.testing.assert_close(fixed(tokens)[0], by_the_equations(fixed, word, 3))
    log = make("log", 2, position="sinusoidal")
    steps = 2 * max(1, math.ceil(math.log2(max(length, 1))))
    torch.testing.assert_close(log(tokens)[0], by_the_equations(log, word, steps))


def test_depth_is_counted_in_integers() -> None:
    """Where logarithms of floats are rounded the wrong way, too."""
    model = make("log", 1)
    for k in (1, 2, 29, 49, 60):
        found = [model.steps(2**k + more) for more in (-1, 0, 1)]
        assert found == [max(1, k if k > 1 else 0), k, k + 1]
    assert [make("fixed", 4).steps(n) for n in (0, 1, 100)] == [4, 4, 4]


def test_more_steps_need_no_more_weights() -> None:
    def size(num_steps: int) -> int:
        return sum(weight.numel() for weight in make("fixed", num_steps).parameters())

    assert size(1) == size(20)


def test_words_of_a_batch_take_steps_of_their_own() -> None:
    model = make("log", 1)
    applied: list[int] = []
    model.block[0].expand.register_forward_hook(lambda *call: applied.append(1))
    words = torch.randint(SYMBOLS, (3, 9), generator=torch.Generator().manual_seed(0))
    together = model(words, torch.tensor([9, 2, 0]))
    assert len(applied) == 4
    torch.testing.assert_close(together[1], model(words[1:2, -2:])[0])
    assert len(applied) == 5


@pytest.mark.parametrize("values", [{"depth": "loglog"}, {"num_steps": 0}, {"d_hidden": 0}])
def test_shapes_that_cannot_be_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        make(**values)
