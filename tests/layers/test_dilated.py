"""Do all forms of sliding-dilated attention give what the dense matrix gives, gradients too?"""

import inspect
import shutil
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from lengthwise.layers.dilated import KERNELS, Kernel, attend_with_mask, live_offsets, select_kernel

OTHERS = [name for name in KERNELS if name != "masked"]


Inputs = tuple[Tensor, Tensor, Tensor, Tensor]


def inputs(
    chunk_size: int, length: int, *, words: int = 2, heads: int = 3, size: int = 4, seed: int = 0
) -> Inputs:
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=generator).requires_grad_()

    query, key, value = (draw(words, heads, length, size) for _ in range(3))
    return query, key, value, draw(heads, chunk_size)


def by_hand(query: Tensor, key: Tensor, value: Tensor, bias: Tensor, stride: int) -> Tensor:
    """One place after the other, from the formula alone."""
    result = torch.empty_like(query)
    for word in range(query.shape[0]):
        for head in range(query.shape[1]):
            for place in range(query.shape[2]):
                seen = [(j, place - j * stride) for j in range(bias.shape[1])]
                seen = [(j, other) for j, other in seen if other >= 0]
                asked = query[word, head, place] / query.shape[3] ** 0.5
                logits = [asked @ key[word, head, other] + bias[head, j] for j, other in seen]
                weights = torch.stack(logits).softmax(dim=0)
                parts = [w * value[word, head, o] for w, (_, o) in zip(weights, seen, strict=True)]
                result[word, head, place] = torch.stack(parts).sum(dim=0)
    return result


def results(form: Kernel, given_: Inputs, stride: int) -> list[Tensor]:
    """What comes out, and the gradients of a loss that weighs all of it differently."""
    found = form(*given_, stride)
    weight = torch.arange(found.numel(), dtype=found.dtype).view_as(found).cos()
    used = [x for x in given_ if x.numel()]
    return [found, *torch.autograd.grad((weight * found).sum(), used)]


def assert_alike(name: str, given_: Inputs, stride: int) -> None:
    for expected, found in zip(
        results(attend_with_mask, given_, stride),
        results(KERNELS[name], given_, stride),
        strict=True,
    ):
        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=0, atol=1e-10)


@given(chunk_size=st.integers(1, 5), length=st.integers(1, 12), stride=st.integers(1, 14))
@settings(max_examples=25)
def test_the_dense_matrix_is_the_formula(chunk_size: int, length: int, stride: int) -> None:
    query, key, value, bias = (x.detach() for x in inputs(chunk_size, length, words=1, heads=2))
    expected = by_hand(query, key, value, bias, stride)
    assert torch.allclose(
        attend_with_mask(query, key, value, bias, stride), expected, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("name", OTHERS)
@given(data=st.data())
def test_every_form_agrees_with_the_dense_matrix(name: str, data: st.DataObject) -> None:
    chunk, length = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 70))
    stride = data.draw(st.integers(1, 80))
    assert_alike(name, inputs(chunk, length, seed=data.draw(st.integers(0, 9))), stride)


@pytest.mark.slow_for(
    "128-banded", "128-fused", "128-shifted", "3-fused", "32-banded", "32-fused", "32-shifted"
)
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("chunk_size", [2, 3, 8, 32, 128])
def test_every_form_agrees_for_powers_of_the_chunk(name: str, chunk_size: int) -> None:
    for length in (chunk_size**2 + 3 if chunk_size < 32 else 300, chunk_size, 1, 257):
        for stride in (1, chunk_size, chunk_size**2):
            assert_alike(name, inputs(chunk_size, length, words=1, heads=2), stride)


@pytest.mark.parametrize("name", OTHERS)
def test_what_lies_beyond_the_window_changes_nothing(name: str) -> None:
    query, key, value, bias = (x.detach() for x in inputs(3, 40))
    before = KERNELS[name](query, key, value, bias, 4)
    key[:, :, 20], value[:, :, 20] = 50.0, 50.0
    after = KERNELS[name](query, key, value, bias, 4)
    changed = (before != after).any(dim=3).any(dim=1).any(dim=0).nonzero().flatten().tolist()
    assert changed == [20, 24, 28]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", OTHERS)
def test_half_precision_is_near(name: str, dtype: torch.dtype) -> None:
    query, key, value, bias = (x.detach() for x in inputs(8, 100, size=16))
    expected = attend_with_mask(query, key, value, bias, 2)
    found = KERNELS[name](query.to(dtype), key.to(dtype), value.to(dtype), bias.to(dtype), 2)
    assert found.dtype == dtype
    assert (found.double() - expected).abs().max() < (0.06 if dtype == torch.bfloat16 else 1e-5)


def test_offsets_that_reach_no_place_are_left_out() -> None:
    assert live_offsets(length=100, stride=1, chunk_size=8) == 8
    assert live_offsets(length=100, stride=64, chunk_size=8) == 2
    assert live_offsets(length=64, stride=64, chunk_size=8) == 1


def test_a_form_is_chosen_by_how_many_offsets_are_live() -> None:
    cpu = torch.device("cpu")
    assert select_kernel(512, 1, 2, cpu) == "shifted"
    assert select_kernel(512, 1, 128, cpu) == "banded"
    assert select_kernel(512, 1, 128, torch.device("cuda")) == "fused"
    assert select_kernel(512, 256, 128, cpu) == "shifted"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a compiler")
@pytest.mark.filterwarnings("ignore")  # of the compiler's own imports
def test_compiled_copies_agree_with_the_dense_matrix() -> None:
    given_ = inputs(3, 40, words=1, heads=2)
    compiled = torch.compile(inspect.unwrap(KERNELS["shifted"]))  # without the check of shapes
    for expected, found in zip(
        results(attend_with_mask, given_, 3), results(compiled, given_, 3), strict=True
    ):
        assert torch.allclose(found, expected, rtol=0, atol=1e-10)


class _Greatest(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """The most numbers that any one result had."""

    numbers = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        for one in found if isinstance(found, list | tuple) else [found]:
            if isinstance(one, Tensor):
                storage = one.untyped_storage().nbytes() // one.element_size()
                self.numbers = max(self.numbers, storage)
        return found


@pytest.mark.slow_except("32")
@pytest.mark.parametrize("chunk_size", [2, 8, 32, 128])
def test_nothing_in_memory_grows_faster_than_the_text(chunk_size: int) -> None:
    """Forward and backward, of the form that is chosen; the dense matrix grows sixteenfold."""

    def greatest(name: str, length: int) -> int:
        watch = _Greatest()  # type: ignore[no-untyped-call]
        made = inputs(chunk_size, length, words=1, heads=1)
        with watch:
            results(KERNELS[name], made, 1)
        return watch.numbers

    short, long = 512, 2_048
    names = {select_kernel(length, 1, chunk_size, torch.device("cpu")) for length in (short, long)}
    for name in names:
        assert greatest(name, long) <= 4.2 * greatest(name, short), name
        assert greatest(name, long) <= 3 * 4 * chunk_size * long
    assert greatest("masked", long) >= 15 * greatest("masked", short)
