"""The short convolution against torch's own."""

import torch
from torch.nn import functional as F

from drawn_layers import close, draw, shake
from lengthwise.layers.mixers.short_convolution import SPAN, ShortConvolution


def test_it_is_a_causal_convolution_of_each_channel() -> None:
    convolution = ShortConvolution(5).double()
    convolution.draw(torch.Generator().manual_seed(0))
    shake(convolution)
    inputs = draw(2, 9, 5)
    outputs, past = convolution(inputs, convolution.start(2))
    filters = convolution.weight.T[:, None]
    padded = F.pad(inputs.mT, (SPAN - 1, 0))
    close(outputs, F.silu(F.conv1d(padded, filters, convolution.bias, groups=5)).mT)
    close(past, inputs[:, -3:])
