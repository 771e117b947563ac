"""Is fused attention what its formula says, and is its gradient taken where it is fast?"""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from layers.half_precision import assert_rounded_once, watch_dtypes
from lengthwise.layers.fused_attention import fused_attention
from lengthwise.layers.positions import POSITIONS
from lengthwise.text.models.language_models import LANGUAGE_MODELS


def draw(rows: int, columns: int, size: int, dtype: torch.dtype, seed: int = 0) -> list[Tensor]:
    """Query, key, value and a mask of numbers, of two words with three heads."""
    generator = torch.Generator().manual_seed(seed)
    shapes = [(2, 3, rows, size), (2, 3, columns, size), (2, 3, columns, size), (3, rows, columns)]
    return [
        torch.randn(s, dtype=torch.float64, generator=generator).to(dtype).requires_grad_()
        for s in shapes
    ]


def by_formula(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    added = mask.double().log() if mask.dtype == torch.bool else mask
    logits = torch.einsum("whqs,whks->whqk", query, key) + added
    return torch.einsum("whqk,whks->whqs", logits.softmax(dim=-1), value)


def with_gradients(found: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    weight = torch.arange(found.numel(), dtype=torch.float64).view_as(found).cos()
    return [found, *torch.autograd.grad((weight * found).sum(), inputs)]


SIZES = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 5))
"""Rows, columns and size."""


@given(SIZES, st.booleans(), st.booleans(), st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_it_is_the_formula(
    sizes: tuple[int, int, int], yes_or_no: bool, is_on: bool, seed: int
) -> None:
    query, key, value, mask = draw(*sizes, torch.float64, seed)
    inputs = [query, key, value]
    if yes_or_no:
        mask = mask.detach() > 0
        mask[..., 0] = True
    else:
        inputs.append(mask)
    expected = with_gradients(by_formula(query, key, value, mask), inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=is_on):
        found = with_gradients(fused_attention(query, key, value, mask), inputs)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.needs_precision("bfloat16")
@pytest.mark.parametrize("is_on", [False, True], ids=["alone", "under autocast"])
def test_gradients_of_half_precision_are_those_of_single_precision(is_on: bool) -> None:
    halves = draw(7, 9, 16, torch.bfloat16)[:3]
    mask = draw(7, 9, 16, torch.float32)[3].detach()
    singles = [each.detach().float().requires_grad_() for each in halves]
    query, key, value = singles
    exact = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=1.0)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=is_on):
        coarse = fused_attention(halves[0], halves[1], halves[2], mask)
    assert_rounded_once(coarse, halves, exact, singles)


@pytest.mark.needs_precision("bfloat16")
@pytest.mark.parametrize("learns", [True, False])
@pytest.mark.parametrize(
    "position", [name for name, kind in POSITIONS.items() if not kind.drawn_in_training]
)
def test_every_position_goes_with_autocast(position: str, learns: bool) -> None:
    """Some positions turn queries into single precision, and leave keys as they are."""
    settings = {"vocab_size": 7, "d_model": 16, "num_heads": 2, "position": position}
    entry = LANGUAGE_MODELS["gpt-lm"]
    model = entry.draw(entry.configure(settings), torch.Generator().manual_seed(0))
    words = torch.arange(2 * 9).view(2, 9) % 7
    with torch.set_grad_enabled(learns), torch.autocast("cpu", dtype=torch.bfloat16):
        coarse = model(words)
    exact = model(words)
    assert (coarse.float() - exact).abs().max() < 0.05 * exact.abs().max()


@pytest.mark.needs_precision("bfloat16")
def test_without_gradients_half_precision_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = draw(7, 9, 16, torch.bfloat16)
    seen = watch_dtypes(monkeypatch)
    with torch.no_grad():
        found = fused_attention(*inputs)
    assert seen == [torch.bfloat16]
    exact = by_formula(*(each.detach().double() for each in inputs))
    assert (found.double() - exact).abs().max() < 0.02
