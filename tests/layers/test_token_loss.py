"""The loss of tokens a few at a time, against torch's cross-entropy of all logits."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from lengthwise.layers import token_loss as module
from lengthwise.layers.token_loss import token_loss


def drawn(
    tokens: int, width: int, symbols: int, seed: int = 0, dtype: torch.dtype = torch.float64
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(tokens, width, generator=generator, dtype=dtype)
    matrix = torch.randn(symbols, width, generator=generator, dtype=dtype)
    asked = torch.randint(symbols, (tokens,), generator=generator)
    return vectors.requires_grad_(), matrix.requires_grad_(), asked


@given(
    tokens=st.integers(1, 150),
    width=st.integers(1, 5),
    symbols=st.integers(1, 9),
    smoothing=st.sampled_from([0.0, 0.1, 0.9]),
    seed=st.integers(0, 10**6),
)
def test_loss_and_gradients_are_those_of_all_logits(
    tokens: int, width: int, symbols: int, smoothing: float, seed: int
) -> None:
    vectors, matrix, asked = drawn(tokens, width, symbols, seed)
    logits = vectors @ matrix.t()
    expected = F.cross_entropy(logits, asked, label_smoothing=smoothing)
    slopes = torch.autograd.grad(3 * expected, [vectors, matrix])
    found = token_loss(vectors, matrix, asked, smoothing=smoothing)
    torch.testing.assert_close(found.loss, expected, rtol=1e-12, atol=1e-12)
    assert found.right == int((logits.argmax(dim=1) == asked).sum())
    own = torch.autograd.grad(3 * found.loss, [vectors, matrix])
    for one, other in zip(own, slopes, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-11, atol=1e-12)
    with torch.no_grad():
        again = token_loss(vectors, matrix, asked, smoothing=smoothing)
    assert (again.loss.item(), again.right) == (found.loss.item(), found.right)


def test_a_vocabulary_that_fills_the_cache_is_cut_into_few_tokens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_FEWEST_TOKENS", 1)
    monkeypatch.setitem(module._LOGITS_AT_ONCE, "cpu", 30)
    vectors, matrix, asked = drawn(11, 3, 10)
    sizes = [len(part.logits) for part in module._parts(vectors, matrix, asked)]
    assert sizes == [3, 3, 3, 2]
    expected = F.cross_entropy(vectors @ matrix.t(), asked)
    torch.testing.assert_close(token_loss(vectors, matrix, asked).loss, expected)


def test_huge_logits_have_a_finite_loss() -> None:
    vectors, matrix, asked = drawn(5, 2, 3, dtype=torch.float32)
    found = token_loss(vectors * 1e6, matrix * 1e6, asked)
    assert math.isfinite(found.loss.item())
    found.loss.backward()  # type: ignore[no-untyped-call]
    assert matrix.grad is not None
    assert matrix.grad.isfinite().all()


def test_a_tie_is_right_and_what_is_no_number_is_not() -> None:
    same = torch.zeros(2, 1), torch.ones(3, 1), torch.tensor([1, 2])
    assert token_loss(*same).right == 2
    none = torch.full((2, 1), math.nan), torch.ones(3, 1), torch.tensor([1, 2])
    assert token_loss(*none).right == 0


def test_under_autocast_products_are_in_its_precision() -> None:
    vectors, matrix, asked = drawn(200, 16, 50, dtype=torch.float32)
    precise = token_loss(vectors, matrix, asked).loss
    with torch.autocast("cpu", dtype=torch.bfloat16):
        coarse = token_loss(vectors, matrix, asked).loss
    assert coarse.dtype == torch.float32
    assert coarse.item() != precise.item()
    torch.testing.assert_close(coarse, precise, rtol=1e-2, atol=0)
    rough = torch.autograd.grad(coarse, [vectors, matrix])
    exact = torch.autograd.grad(precise, [vectors, matrix])
    for one, other in zip(rough, exact, strict=True):
        assert one.dtype == torch.float32
        assert (one - other).norm() < 0.02 * other.norm()
