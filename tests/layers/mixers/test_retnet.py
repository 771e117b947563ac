"""Retention, compared with the parallel formula of the paper."""

import torch

from lengthwise.layers.mixers.retnet import Retention

WIDTH, HEADS, LENGTH = 16, 2, 70


def test_it_is_the_formula_of_the_paper() -> None:
    """Equation 5 of arXiv 2307.08621: $(Q K^T \\odot D) V$, with queries and keys in the complex
    plane, turned by their positions."""
    layer = Retention(WIDTH, num_heads=HEADS).double()
    layer.draw(torch.Generator().manual_seed(0))
    inputs = torch.randn(2, LENGTH, WIDTH, dtype=torch.double)
    size = WIDTH // HEADS
    position = torch.arange(LENGTH, dtype=torch.double)
    angles = position[:, None] * 10_000.0 ** (-torch.arange(0, size, 2).double() / size)
    turns = torch.polar(torch.ones_like(angles), angles)[:, None]
    query, key = (
        torch.view_as_complex(part(inputs).unflatten(-1, (-1, 2)).contiguous()) * turns
        for part in (layer.query, layer.key)
    )
    ahead = position[:, None] - position
    decays = [torch.where(ahead < 0, 0.0, (1 - 2.0 ** (-5 - h)) ** ahead) for h in range(HEADS)]
    products = torch.einsum("wthr,wshr->whts", query, key.conj()).real * size**-0.5
    reads = torch.einsum("whts,wshv->wthv", products * torch.stack(decays), layer.value(inputs))
    expected = layer.read_out(inputs, reads)
    torch.testing.assert_close(layer(inputs)[0], expected, rtol=1e-10, atol=1e-10)
