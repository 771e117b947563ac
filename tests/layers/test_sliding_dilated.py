"""Attention in chunks against the mask of equation (1), entry by entry."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.layers.sliding_dilated import (
    ChunkAttention,
    InsideChunks,
    RectifiedChunkAttention,
    make_dilated_mask,
)


@given(
    length=st.integers(1, 20),
    chunk_size=st.integers(2, 4),
    level=st.integers(0, 2),
    heads=st.just(3),
)
def test_mask_is_equation_1_entry_by_entry(
    length: int, chunk_size: int, level: int, heads: int
) -> None:
    bias = torch.arange(1.0, heads * chunk_size + 1).view(heads, chunk_size)
    stride = chunk_size**level

    mask = make_dilated_mask(bias, length, stride)

    for head in range(heads):
        for m in range(length):
            for n in range(length):
                offset = (m - n) / stride
                seen = offset in range(chunk_size)
                expected = bias[head, int(offset)].item() if seen else -math.inf
                assert mask[head, m, n].item() == expected


@given(chunk_size=st.integers(2, 5), nodes=st.integers(1, 6), seed=st.integers(0, 5))
def test_the_last_place_of_everywhere_is_what_forward_gives(
    chunk_size: int, nodes: int, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    attention = ChunkAttention(8, 2, chunk_size).double()
    torch.nn.init.normal_(attention.bias, generator=generator)
    x = torch.randn(nodes, chunk_size, 8, dtype=torch.double, generator=generator)
    present = torch.rand(nodes, chunk_size, generator=generator) < 0.5
    present[:, -1] = True

    for seen in (None, present):
        everywhere = attention.everywhere(x, seen)[:, -1]
        torch.testing.assert_close(attention(x, seen), everywhere, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [ChunkAttention, RectifiedChunkAttention])
@given(
    chunk_size=st.integers(2, 4),
    rows=st.integers(1, 9),
    nodes=st.integers(0, 6),
    seed=st.integers(0, 5),
)
def test_vectors_that_are_projected_once_gather_the_same(
    kind: type[InsideChunks], chunk_size: int, rows: int, nodes: int, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    attention = kind(8, 2, chunk_size).double()
    torch.nn.init.normal_(attention.bias, generator=generator)
    vectors = torch.randn(rows, 8, dtype=torch.double, generator=generator, requires_grad=True)
    of = torch.randint(rows, (nodes, chunk_size), generator=generator)
    present = torch.rand(nodes, chunk_size, generator=generator) < 0.5
    present[:, -1] = True

    for seen in (None, present):
        found, expected = attention.of_rows(vectors, of, seen), attention(vectors[of], seen)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
        every = [vectors, *attention.parameters()]
        slopes = [torch.autograd.grad(each.sin().sum(), every) for each in (found, expected)]
        torch.testing.assert_close(*slopes, rtol=0, atol=1e-12)


@given(chunk_size=st.integers(2, 5), place=st.integers(0, 4))
def test_a_place_does_not_see_later_ones(chunk_size: int, place: int) -> None:
    place = min(place, chunk_size - 1)
    attention = ChunkAttention(8, 2, chunk_size).double()
    x = torch.randn(
        3, chunk_size, 8, dtype=torch.double, generator=torch.Generator().manual_seed(0)
    )
    changed = x.clone()
    changed[:, place] += 1.0

    before, after = attention.everywhere(x), attention.everywhere(changed)

    assert torch.equal(before[:, :place], after[:, :place])
    assert not torch.allclose(before[:, place], after[:, place])


def test_what_absent_places_hold_does_not_matter() -> None:
    attention = ChunkAttention(8, 2, 3).double()
    x = torch.randn(4, 3, 8, dtype=torch.double, generator=torch.Generator().manual_seed(0))
    present = torch.tensor([False, True, True]).expand(4, 3)
    changed = x.clone()
    changed[:, 0] = 100.0

    assert torch.equal(attention(x, present), attention(changed, present))
    assert not torch.allclose(attention(x), attention(changed))
