"""Gated DeltaNet, compared with the layer of `transformers` on the same weights."""

from typing import Any

import pytest
import torch

from lengthwise.layers.mixers.gated_deltanet import GatedDeltaNet
from lengthwise.layers.mixers.mixer import mix_by_steps

WIDTH, HEADS = 32, 2


def pair(largest_rate: float) -> tuple[GatedDeltaNet, Any]:
    """Our layer and that of OLMo hybrid, whose short convolution passes its input as it is."""
    theirs_of = pytest.importorskip("transformers.models.olmo_hybrid.modeling_olmo_hybrid")
    config = pytest.importorskip("transformers").OlmoHybridConfig(
        hidden_size=WIDTH,
        linear_num_value_heads=HEADS,
        linear_num_key_heads=HEADS,
        linear_key_head_dim=WIDTH // HEADS,
        linear_value_head_dim=WIDTH // HEADS,
        linear_allow_neg_eigval=largest_rate > 1,
    )
    theirs = theirs_of.OlmoHybridGatedDeltaNet(config, layer_idx=0)
    ours = GatedDeltaNet(WIDTH, num_heads=HEADS, largest_rate=largest_rate)
    ours.draw(torch.Generator().manual_seed(0))
    names: dict[str, Any] = {
        "q_proj": ours.query,
        "k_proj": ours.key,
        "v_proj": ours.value,
        "a_proj": ours.decay,
        "b_proj": ours.rate,
        "g_proj": ours.read_out.gate,
        "o_proj": ours.read_out.output,
        "o_norm": ours.read_out.norm,
    }
    with torch.no_grad():
        ours.get_parameter("read_out.norm.weight").uniform_(0.5, 2.0)
        for name, module in names.items():
            getattr(theirs, name).weight.copy_(module.weight)
        theirs.A_log.copy_(ours.log_a)
        theirs.dt_bias.copy_(ours.bias)
        theirs.conv1d.weight.zero_()
        theirs.conv1d.weight[..., -1] = 1.0
    return ours, theirs


@pytest.mark.parametrize("largest_rate", [1.0, 2.0])
@pytest.mark.parametrize("length", [1, 31, 100])
def test_it_is_that_of_transformers_on_the_same_weights(largest_rate: float, length: int) -> None:
    """Outputs, and gradients of the inputs; their layer computes in single precision."""
    ours, theirs = pair(largest_rate)
    inputs = torch.randn(3, length, WIDTH, requires_grad=True)
    expected = theirs(inputs)
    (slope,) = torch.autograd.grad(expected.square().sum(), inputs)
    for found in (ours(inputs)[0], mix_by_steps(ours, inputs)[0]):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
        (gradient,) = torch.autograd.grad(found.square().sum(), inputs)
        torch.testing.assert_close(gradient, slope, rtol=1e-3, atol=1e-4)
