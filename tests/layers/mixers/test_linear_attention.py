"""Linear attention, compared with weights of all pairs of positions."""

import torch

from lengthwise.layers.mixers.linear_attention import LinearAttention

WIDTH, HEADS, LENGTH = 12, 3, 70


def test_values_are_averaged_with_positive_weights() -> None:
    layer = LinearAttention(WIDTH, num_heads=HEADS).double()
    layer.draw(torch.Generator().manual_seed(0))
    inputs = torch.randn(2, LENGTH, WIDTH, dtype=torch.double)
    query, key = (
        torch.where(part(inputs) > 0, part(inputs) + 1, part(inputs).exp())
        for part in (layer.query, layer.key)
    )
    weights = torch.einsum("wthk,wshk->whts", query, key).tril()
    assert (weights >= 0).all()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    reads = torch.einsum("whts,wshv->wthv", weights, layer.value(inputs))
    expected = layer.output(reads.flatten(-2))
    torch.testing.assert_close(layer(inputs)[0], expected, rtol=1e-5, atol=1e-6)
