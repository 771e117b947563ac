"""Binary memory: what codes stand for, and what gradients pass."""

import pytest
import torch
from torch.nn import functional as F

from lengthwise.layers.memory import BinaryMemory

WIDTH, BITS = 6, 4


def make(off: float, noise: float = 0.0) -> BinaryMemory:
    torch.manual_seed(3)
    return BinaryMemory(WIDTH, BITS, noise, off=off).double()


@pytest.mark.parametrize("off", [-1.0, 0.0])
def test_a_vector_becomes_what_its_bits_stand_for_in_training_and_after_it(off: float) -> None:
    memory = make(off)
    x = torch.randn(5, WIDTH, dtype=torch.double)
    signs = memory.write(x) >= 0
    read = torch.where(signs, 1.0, off).double() @ memory.read.weight.t() + memory.read.bias
    expected = F.layer_norm(read, [WIDTH])
    torch.testing.assert_close(memory.train()(x), expected)
    torch.testing.assert_close(memory.eval()(x), expected)
    torch.testing.assert_close(memory.recall(memory.code(x)), expected)


@pytest.mark.parametrize("off", [-1.0, 0.0])
def test_the_gradient_of_a_bit_is_that_of_tanh(off: float) -> None:
    memory = make(off).train()
    x = torch.randn(1, WIDTH, dtype=torch.double, requires_grad=True)
    memory.norm = torch.nn.Identity()
    memory(x).sum().backward()
    numbers = memory.write(x)[0]
    share = (1 - off) / 2 * (1 - numbers.tanh() ** 2)
    expected = (memory.read.weight.sum(dim=0) * share) @ memory.write.weight
    assert x.grad is not None
    torch.testing.assert_close(x.grad[0], expected.detach())


def test_noise_flips_bits_that_are_near_0_in_training_only() -> None:
    memory = make(0.0, noise=100.0)
    x = torch.randn(1, WIDTH, dtype=torch.double).expand(50, -1)
    generator = torch.Generator().manual_seed(0)
    assert len(torch.unique(memory.train()(x, generator), dim=0)) > 2
    assert len(torch.unique(memory.eval()(x, generator), dim=0)) == 1
