"""LDRU against the tree of each prefix, joined by a recursive function."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from drawn_layers import close, draw, made
from lengthwise.layers.mixers.ldru import Ldru
from lengthwise.layers.mixers.mixer import mix_by_steps
from ordinary import few

WIDTH = 6


def balanced(mixer: Ldru, leaves: Tensor) -> Tensor:
    half = len(leaves) // 2
    if not half:
        return leaves[0]
    return mixer.join(balanced(mixer, leaves[:half]), balanced(mixer, leaves[half:]))


def of_prefix(mixer: Ldru, leaves: Tensor) -> Tensor:
    """Blocks whose sizes are the ones of the binary length, the largest first."""
    found, begin = None, 0
    for digit in reversed(range(len(leaves).bit_length())):
        size = 1 << digit
        if len(leaves) & size:
            block = balanced(mixer, leaves[begin : begin + size])
            found = block if found is None else mixer.join(found, block)
            begin += size
    assert found is not None
    return found


@settings(max_examples=few(5, 40))
@given(length=st.integers(1, 40), cut=st.integers(0, 40))
def test_a_prefix_is_the_tree_of_its_blocks(length: int, cut: int) -> None:
    mixer, inputs = made(Ldru, WIDTH), draw(1, length, WIDTH)
    outputs, _ = mixer(inputs)
    if 0 < cut < length:
        first, state = mixer(inputs[:, :cut])
        outputs = torch.cat([first, mixer(inputs[:, cut:], state)[0]], dim=1)
    for end in range(1, length + 1):
        close(outputs[0, end - 1], of_prefix(mixer, inputs[0, :end]))


def test_all_prefixes_take_less_than_two_operations_for_a_position() -> None:
    mixer = made(Ldru, WIDTH)
    joined = []
    mixer.norm.register_forward_hook(lambda _, inputs, __: joined.append(inputs[0].shape[1]))
    for length in (1, 37, 64, 100):
        joined.clear()
        mixer(draw(1, length, WIDTH))
        assert sum(joined) < 2 * length


def test_words_of_a_batch_may_have_read_different_numbers_of_symbols() -> None:
    mixer = made(Ldru, WIDTH)
    short, long = mixer(draw(1, 3, WIDTH))[1], mixer(draw(1, 8, WIDTH))[1]
    both = tuple(torch.cat(parts) for parts in zip(short, long, strict=True))
    inputs = draw(2, 9, WIDTH, seed=1)
    outputs, _ = mixer(inputs, both)
    close(outputs[0], mixer(inputs[:1], short)[0][0])
    close(outputs[1], mixer(inputs[1:], long)[0][0])
    close(outputs, mix_by_steps(mixer, inputs, both)[0])
