"""The delta rule in chunks, compared with products of matrices that are written out."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lengthwise.layers.mixers.delta_rule import read_deltas
from ordinary import few

KEY, VALUE = 4, 3


def drawn(seed: int, length: int, factors: int) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(2, 2, *shape, dtype=torch.double, generator=generator)

    keys = normal(length * factors, KEY)
    return {
        "queries": normal(length, KEY),
        "keys": keys / keys.norm(dim=-1, keepdim=True),
        "values": normal(length * factors, VALUE),
        "rates": 2 * normal(length * factors).sigmoid(),
        "log_decay": -normal(length).exp(),
        "memory": normal(KEY, VALUE),
    }


def written_out(parts: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Householder matrices, one after the other, for each word and head."""
    outputs = torch.zeros(*parts["queries"].shape[:3], VALUE, dtype=torch.double)
    memories = parts["memory"].clone()
    factors = parts["keys"].shape[2] // parts["queries"].shape[2]
    for word in range(2):
        for head in range(2):
            of = {name: part[word, head] for name, part in parts.items()}
            memory = of["memory"]
            for place, query in enumerate(of["queries"]):
                memory = memory * of["log_decay"][place].exp()
                for write in range(place * factors, (place + 1) * factors):
                    key, rate = of["keys"][write], of["rates"][write]
                    reflection = torch.eye(KEY, dtype=torch.double) - rate * torch.outer(key, key)
                    memory = reflection @ memory + rate * torch.outer(key, of["values"][write])
                outputs[word, head, place] = query @ memory
            memories[word, head] = memory
    return outputs, memories


@pytest.mark.parametrize("decays", [True, False])
@settings(max_examples=few(4, 40))
@given(length=st.integers(1, 50), factors=st.integers(1, 3), seed=st.integers(0, 99))
def test_chunks_are_products_of_householder_matrices(
    decays: bool, length: int, factors: int, seed: int
) -> None:
    parts = drawn(seed, length, factors)
    if not decays:
        parts["log_decay"].zero_()
    expected, memory = written_out(parts)
    given: dict[str, Any] = {**parts, "log_decay": parts["log_decay"] if decays else None}
    found = read_deltas(**given)
    torch.testing.assert_close(found, (expected, memory), rtol=1e-9, atol=1e-9)


def test_one_key_again_and_again_loses_no_digits() -> None:
    """With rates of 2, entries of the triangular system grow like powers of 3 if it is inverted
    by a series."""
    parts = drawn(0, 500, 1)
    parts["keys"] = parts["keys"][:, :, :1].expand(-1, -1, 500, -1)
    parts["rates"] = torch.full_like(parts["rates"], 2.0)
    parts["log_decay"].zero_()
    for dtype, near in ((torch.double, 1e-11), (torch.float, 1e-2)):
        rounded = {name: part.to(dtype) for name, part in parts.items()}
        expected = written_out({name: part.double() for name, part in rounded.items()})
        for found, right in zip(read_deltas(**rounded), expected, strict=True):
            torch.testing.assert_close(found.double(), right, rtol=near, atol=near)
