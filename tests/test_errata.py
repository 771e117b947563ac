"""What Chi et al. (2023) print of the number of levels and of padding, and what holds."""

import math

import torch

from lengthwise.layers.chunks import ABSENT, depth, grow


def test_speed_up_bound_with_whole_levels() -> None:
    length, chunk = 512, 128
    printed = length / (chunk * math.log(length, chunk))
    whole = length / (chunk * depth(length, chunk))

    assert math.isclose(printed, 3.11, abs_tol=0.005)
    assert whole == 2.0


def test_padding_once_is_not_enough() -> None:
    word = torch.zeros(1, 6, dtype=torch.long)

    first, second, third = grow(word, None, 1, chunk=2).levels

    assert ABSENT not in first.children
    assert ABSENT in second.children
    assert ABSENT not in third.children
