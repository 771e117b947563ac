"""The loss of tokens a few at a time, against torch's cross-entropy of all logits."""

import math

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from lengthwise.text.layers import token_loss as module
from lengthwise.text.layers.token_loss import token_loss


def draw(
    tokens: int, width: int, symbols: int, seed: int = 0, dtype: torch.dtype = torch.float64
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(tokens, width, generator=generator, dtype=dtype)
    matrix = torch.randn(symbols, width, generator=generator, dtype=dtype)
    asked = torch.randint(symbols, (tokens,), generator=generator)
    return vectors.requires_grad_(), matrix.requires_grad_(), asked


@pytest.fixture
def few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEWEST_TOKENS", 1)
    monkeypatch.setattr(module, "_LOGITS_IN_CACHE", 30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.usefixtures("few_at_a_time")
@given(
    tokens=st.integers(1, 40),
    width=st.integers(1, 5),
    symbols=st.integers(1, 9),
    smoothing=st.sampled_from([0.0, 0.1, 0.9]),
    seed=st.integers(0, 10**6),
)
def test_loss_and_gradients_are_those_of_all_logits(
    tokens: int, width: int, symbols: int, smoothing: float, seed: int
) -> None:
    vectors, matrix, asked = draw(tokens, width, symbols, seed)
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


@pytest.mark.usefixtures("few_at_a_time")
def test_few_tokens_are_computed_at_a_time() -> None:
    vectors, matrix, asked = draw(11, 3, 10)
    sizes = [len(part.logits) for part in module._parts(vectors, matrix, asked)]
    assert sizes == [3, 3, 3, 2]


@pytest.mark.parametrize("learned", [(True, False), (False, True), (False, False)])
def test_only_gradients_that_are_asked_for_are_there(learned: tuple[bool, bool]) -> None:
    vectors, matrix, asked = draw(5, 2, 3)
    for part, learns in zip((vectors, matrix), learned, strict=True):
        part.requires_grad_(learns)
    loss = token_loss(vectors, matrix, asked).loss
    assert loss.requires_grad == any(learned)
    expected = F.cross_entropy(vectors @ matrix.t(), asked)
    torch.testing.assert_close(loss, expected)
    for part, learns in zip((vectors, matrix), learned, strict=True):
        if learns:
            (found,) = torch.autograd.grad(loss, part)
            torch.testing.assert_close(found, torch.autograd.grad(expected, part)[0])


def test_a_second_derivative_is_refused() -> None:
    vectors, matrix, asked = draw(5, 2, 3)
    loss = token_loss(vectors, matrix, asked).loss
    with pytest.raises(RuntimeError, match="differentiable once"):
        torch.autograd.grad(loss, vectors, create_graph=True)


def test_huge_logits_have_a_finite_loss() -> None:
    vectors, matrix, asked = draw(5, 2, 3, dtype=torch.float32)
    found = token_loss(vectors * 1e6, matrix * 1e6, asked)
    assert math.isfinite(found.loss.item())
    found.loss.backward()  # type: ignore[no-untyped-call]
    assert matrix.grad is not None
    assert matrix.grad.isfinite().all()


def test_what_is_far_below_the_greatest_is_not_near_the_least_number() -> None:
    logits = torch.tensor([[0.0, -90.0, -1e4]])
    rows = slice(0, 1)
    part = module._Part(rows, logits, logits, torch.tensor([[0]]))
    loss, _ = module._sums(iter([part]), 1, 0.0)
    assert loss.item() == 0.0
    assert 1e-31 < logits.min() < 1e-30


def test_a_tie_is_not_right_and_what_is_no_number_is_not() -> None:
    same = torch.zeros(2, 1), torch.ones(3, 1), torch.tensor([0, 2])
    assert token_loss(*same).right == 0
    none = torch.full((2, 1), math.nan), torch.ones(3, 1), torch.tensor([1, 2])
    assert token_loss(*none).right == 0


@pytest.mark.needs_precision("bfloat16")
@pytest.mark.usefixtures("few_at_a_time")
def test_under_autocast_products_are_in_its_precision() -> None:
    vectors, matrix, asked = draw(40, 16, 20, dtype=torch.float32)
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


def test_double_precision_stays_double_under_autocast() -> None:
    vectors, matrix, asked = draw(20, 4, 6)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = token_loss(vectors, matrix, asked).loss
    torch.testing.assert_close(found, token_loss(vectors, matrix, asked).loss, rtol=0, atol=0)
