"""Positions with weights away from zero, and places to ask them about."""

import math
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from lengthwise.layers.position import Position, PositionShape
from lengthwise.layers.positions import POSITIONS

WIDTH, LONGEST, LAYERS, HEADS, SIZE = 6, 12, 2, 3, 5


SHAPE = PositionShape(
    width=WIDTH, max_positions=LONGEST, num_layers=LAYERS, num_heads=HEADS, head_width=SIZE
)


def make(name: str, **shape: Any) -> Position:
    """For evaluation, with every parameter drawn from N(0, 1)."""
    position = POSITIONS[name](replace(SHAPE, **shape))
    with torch.no_grad():
        for number, parameter in enumerate(position.parameters()):
            parameter.normal_(generator=torch.Generator().manual_seed(number))
    return position.eval()


def whole(count: int) -> tuple[Tensor, Tensor]:
    """All places of one word, and their number."""
    return torch.arange(count)[None], torch.tensor([[count]])


def draw_heads(words: int, places: int, *, heads: int = HEADS, size: int = SIZE) -> Tensor:
    """Queries or keys of every head in float64."""
    generator = torch.Generator().manual_seed(places)
    return torch.randn(words, heads, places, size, dtype=torch.float64, generator=generator)


def logits(
    position: Position, query: Tensor, key: Tensor, asking: Tensor, asked: Tensor, *, layer: int = 0
) -> Tensor:
    """The contract in one line, from queries and keys and the places where they stand.

    Places follow one another; others are taken one by one.
    """
    if not (_follow(asking) and _follow(asked)):
        rows = [
            torch.cat([logits(position, q, k, i, j, layer=layer) for k, j in _each(key, asked)], 3)
            for q, i in _each(query, asking)
        ]
        return torch.cat(rows, dim=2)
    turned = position.turn_query(layer, query, asking) / math.sqrt(query.shape[-1])
    found = turned @ position.turn_key(layer, key, asked).transpose(2, 3)
    bias = position.bias(layer, query, asking, asked)
    return found if bias is None else found + bias


def _follow(places: Tensor) -> bool:
    return bool((places.diff() == 1).all())


def _each(vectors: Tensor, places: Tensor) -> list[tuple[Tensor, Tensor]]:
    return list(zip(torch.split(vectors, 1, dim=2), torch.split(places, 1), strict=True))
