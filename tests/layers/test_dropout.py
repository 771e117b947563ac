"""Dropout whose generator decides what is left out."""

import math

import numpy as np
import pytest
import torch

from lengthwise.layers.dropout import dropout, keep_all


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_is_left_out_and_the_mean_stays(share: float) -> None:
    x = torch.ones(400, 500, dtype=torch.float64)
    found = dropout(share, _generator(0))(x)
    left_out = float((found == 0).double().mean())
    deviation = (share * (1 - share) / x.numel()) ** 0.5
    assert abs(left_out - share) < 5 * deviation
    assert set(found.flatten().tolist()) == {0.0, 1 / (1 - round(share * 65536) / 65536)}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (2, 4, 9), (800, 501)])
@pytest.mark.parametrize("share", [1e-9, 0.001, 0.25, 0.7, 1 - 1e-9])
def test_it_is_a_threshold_on_16_bits_a_number(
    share: float, shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    x, count = torch.full(shape, 2.0, dtype=dtype), math.prod(shape)
    found = dropout(share, _generator(4))(x)
    least = torch.iinfo(torch.int64).min
    drawn = torch.zeros((count + 3) // 4, dtype=torch.int64).random_(
        least, None, generator=_generator(4)
    )
    left_out = min(round(share * 65536), 65535)
    lots = np.frombuffer(drawn.numpy().tobytes(), np.int16)[:count].astype(int) + 32768
    expected = np.where(lots < left_out, 0.0, 2 * 65536 / (65536 - left_out))
    assert found.shape == x.shape
    assert found.dtype == dtype
    torch.testing.assert_close(found.flatten(), torch.from_numpy(expected).to(dtype))


def test_neighbours_are_left_out_independently() -> None:
    share, count = 0.3, 400_000
    left_out = (dropout(share, _generator(5))(torch.ones(count)) == 0).double() - share
    for apart in range(1, 9):
        together = float((left_out[apart:] * left_out[:-apart]).mean())
        assert abs(together) < 5 * share * (1 - share) / count**0.5


def test_one_seed_leaves_out_the_same_and_another_does_not() -> None:
    x = torch.rand(50, 60)
    first, again = dropout(0.3, _generator(1))(x), dropout(0.3, _generator(1))(x)
    assert torch.equal(first, again)
    assert not torch.equal(first, dropout(0.3, _generator(2))(x))


def test_a_second_use_goes_on_with_the_generator() -> None:
    drop, x = dropout(0.3, _generator(1)), torch.ones(50, 60)
    assert not torch.equal(drop(x), drop(x))


def test_gradients_pass_where_numbers_pass() -> None:
    x = torch.rand(20, 30, requires_grad=True)
    found = dropout(0.25, _generator(3))(x)
    found.sum().backward()  # type: ignore[no-untyped-call]
    assert x.grad is not None
    torch.testing.assert_close(x.grad, (found != 0).float() / 0.75)


def test_no_share_leaves_everything() -> None:
    assert dropout(0.0, None) is keep_all
    x = torch.rand(3)
    assert keep_all(x) is x
