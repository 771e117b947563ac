"""Hidden units, against the sums that they stand for."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.constructions.units import Units
from lengthwise.constructions.weights import zero_weights
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig

WIDTH = 4


def layer_of(units: Units) -> RegularGPT:
    """A network of two heads' width more than the units need, whose feed-forward part they are."""
    config = RegularGPTConfig(
        vocab_size=2, num_classes=2, d_model=WIDTH + 2, num_heads=1, ff_factor=3, norm="none"
    )
    model = RegularGPT(config)
    zero_weights(model)
    units.write(model.block[0])
    return model


@given(seed=st.integers(0, 10_000), shift=st.integers(1, 5))
def test_a_layer_adds_what_was_written_down(seed: int, shift: int) -> None:
    draw = np.random.default_rng(seed)
    units = Units(WIDTH, shift=float(shift))
    h = draw.integers(-shift, 6, size=WIDTH).astype(np.float64)
    expected = h.copy()
    for _ in range(3):
        to, of, factor = *draw.integers(WIDTH, size=2), float(draw.integers(-3, 4))
        units.add_linear(int(to), int(of), factor)
        expected[to] += factor * h[of]
    units.add_constant(2, 5.0)
    expected[2] += 5.0
    of, weights = draw.integers(WIDTH, size=(3, 2)), draw.integers(-4, 5, size=(3, 2)) * 1.0
    bias, to = draw.integers(-4, 5, size=3) * 1.0, draw.integers(WIDTH, size=3)
    units.add(of, weights, bias, to, np.array([1.0, -1.0, 2.0]))
    for row, w, b, where, sign in zip(of, weights, bias, to, (1.0, -1.0, 2.0), strict=True):
        expected[where] += sign * max(0.0, (h[row] * w).sum() + b)
    model = layer_of(units)
    with torch.no_grad():
        x = torch.from_numpy(np.append(h, [0.0, 0.0]))[None, None].repeat(1, 2, 1)
        found = model.block[0](x, None, None)[0].numpy()
    assert (found[:WIDTH] == expected).all()
    assert (found[WIDTH:] == 0).all()
