"""Networks without memory: every shape is there, and nothing is drawn."""

from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from lengthwise.models.meta_networks import undrawn
from lengthwise.models.recognisers import MODELS


def test_shapes_are_those_of_the_network_itself() -> None:
    config = MODELS["encoder-cls"].configure({"vocab_size": 3, "num_classes": 2, "d_model": 8})
    with undrawn():
        without = dict(MODELS["encoder-cls"].build(config).named_parameters())
    itself = dict(MODELS["encoder-cls"].build(config).named_parameters())
    assert {name: one.shape for name, one in without.items()} == {
        name: one.shape for name, one in itself.items()
    }
    assert all(one.is_meta for one in without.values())


class Seen(TorchFunctionMode):
    """Keeps the names of the functions that reach it."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


def test_embeddings_are_not_drawn_there() -> None:
    """What torch would load its compiler for is not reached."""
    with Seen() as seen:
        nn.Embedding(3, 2)
    assert "normal_" in seen.names
    with Seen() as seen, undrawn():
        assert nn.Embedding(3, 2).weight.is_meta
        assert nn.init.normal_(tensor=torch.empty(2)).is_meta
    assert "empty" in seen.names
    assert "normal_" not in seen.names
