"""Gated linear attention, compared with products of decays that are written out."""

import torch

from lengthwise.layers.mixers.gla import GatedLinearAttention

WIDTH, HEADS, LENGTH = 8, 2, 40


def layer_and_inputs(dtype: torch.dtype) -> tuple[GatedLinearAttention, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    layer = GatedLinearAttention(WIDTH, num_heads=HEADS)
    layer.draw(generator)
    return layer.to(dtype), torch.randn(2, LENGTH, WIDTH, generator=generator).to(dtype)


def test_each_key_decays_by_the_product_of_what_follows() -> None:
    layer, inputs = layer_and_inputs(torch.double)
    heads = {name: getattr(layer, name)(inputs) for name in ("query", "key", "value")}
    alpha = layer.decay(inputs).sigmoid().pow(1 / 16).unflatten(-1, (HEADS, -1))
    reads = torch.zeros_like(heads["value"])
    for place in range(LENGTH):
        for past in range(place + 1):
            decay = alpha[:, past + 1 : place + 1].prod(dim=1)
            share = (heads["query"][:, place] * heads["key"][:, past] * decay).sum(-1, keepdim=True)
            reads[:, place] += share * heads["value"][:, past] * (WIDTH // HEADS) ** -0.5
    expected = layer.read_out(inputs, reads)
    torch.testing.assert_close(layer(inputs)[0], expected, rtol=1e-10, atol=1e-10)


def test_the_strongest_decay_forgets_and_stays_finite() -> None:
    layer, inputs = layer_and_inputs(torch.float)
    with torch.no_grad():
        layer.decay[1].get_parameter("bias").fill_(-1e6)
    inputs.requires_grad_()
    outputs, _ = layer(inputs)
    assert outputs.isfinite().all()
    (slope,) = torch.autograd.grad(outputs[:, -1].sum(), inputs)
    assert slope.isfinite().all()
    assert slope[:, :-4].abs().max() < 1e-6 < slope[:, -1].abs().max()
