"""Attention maps: weights that give the module's own output, averaged by hand."""

from typing import Any

import pytest
import torch

from lengthwise.analysis.attention import attention, chunk_weights
from lengthwise.languages.spec import parse
from lengthwise.layers.sliding_dilated import ChunkAttention
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from perturbed import perturb

WORDS = torch.tensor([[0, 1, 1, 0, 1], [0, 1, 1, 0, 1], [1, 1, 1, 0, 0], [-1, -1, 0, 1, 0]])
LENGTHS = torch.tensor([5, 5, 5, 3])


def make(**values: Any) -> RegularGPT:
    config = RegularGPTConfig(
        **{"vocab_size": 2, "num_classes": 2, "d_model": 8, "num_heads": 2, **values}
    )
    return perturb(RegularGPT(config), 0.5, 3).requires_grad_(False)


@pytest.mark.parametrize("absent", [False, True])
def test_values_weighed_by_the_weights_are_the_output_of_the_module(absent: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    layer = ChunkAttention(width=12, num_heads=3, chunk_size=4).double().requires_grad_(False)
    layer.bias.normal_(generator=generator)
    x = torch.randn(7, 4, 12, dtype=torch.double, generator=generator)
    present = None
    if absent:
        present = torch.rand(7, 4, generator=generator) < 0.5
        present[:, -1] = True
    weights = chunk_weights(layer, x, present)
    assert weights.sum(dim=1).sub(1).abs().max() < 1e-12
    if present is not None:
        assert weights[~present].abs().max() == 0
    for node in range(7):
        values = layer.key_value(x[node])[:, 12:].view(4, 3, 4)
        gathered = sum(weights[node, place][:, None] * values[place] for place in range(4))
        assert isinstance(gathered, torch.Tensor)
        torch.testing.assert_close(layer.output(gathered.view(12)), layer(x, present)[node])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"pad": "absent"},
        {"memory": "binary", "chunk_size": 3},
        {"num_layers": 3, "norm": "pre"},
    ],
    ids=str,
)
def test_maps_are_means_over_all_chunks_of_all_words(settings: dict[str, Any]) -> None:
    """Words one by one and chunks one by one, with nothing shared, through the last layer."""
    model = make(**settings)
    record = attention(model, parse("parity"), WORDS, LENGTHS)
    chunk, pad = model.config.chunk_size, model.pad * model.config.d_model**0.5
    found: list[list[torch.Tensor]] = [[] for _ in record["weights"]]
    for row, length in zip(WORDS, LENGTHS.tolist(), strict=True):
        vectors, level = list(model.leaf(row[-length:])), 0
        while level == 0 or len(vectors) > 1:
            missing = -len(vectors) % chunk
            present = torch.ones(1, chunk, dtype=torch.bool)
            vectors = [pad] * missing + vectors
            above = []
            for first in range(0, len(vectors), chunk):
                x = torch.stack(vectors[first : first + chunk])[None]
                seen = present.clone()
                seen[0, : missing if first == 0 else 0] = False
                mask = seen if model.config.pad == "absent" else None
                *inner, last = model.block
                for layer in inner:
                    x = layer.everywhere(x, mask, None)
                weights = chunk_weights(last.attention, last.attention_norm.before(x), mask)
                found[level].append(weights[0].T)
                above.append(model.memory(last(x, mask, None))[0])
            vectors, level = above, level + 1
    for level, maps in enumerate(found):
        expected = torch.stack(maps).mean(dim=0)
        got = torch.tensor(record["weights"][level], dtype=torch.double)
        torch.testing.assert_close(got, expected, atol=1e-6, rtol=0)
    by_head = torch.tensor(record["weights"]).mean(dim=0)
    assert record["focus"] == pytest.approx(by_head.amax(dim=1).tolist(), abs=1e-5)
    assert record["favourite"] == by_head.argmax(dim=1).tolist()


def test_a_head_with_a_large_bias_looks_at_that_child_only() -> None:
    model = make()
    layer = model.block[-1].attention
    layer.query.weight.zero_()
    layer.bias.copy_(torch.tensor([[50.0, 0.0], [0.0, 50.0]]))  # offsets 0 and 1
    record = attention(model, parse("parity"), WORDS, LENGTHS)
    assert record["favourite"] == [1, 0]
    assert record["focus"] == pytest.approx([1, 1])


def test_no_hook_stays_behind() -> None:
    model = make()
    attention(model, parse("parity"), WORDS, LENGTHS)
    assert not any(module._forward_hooks for module in model.modules())
