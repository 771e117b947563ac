"""Bounds of networks with ReLU attention, on wide balls: they hold what their points become.

The other tests of bounds have balls as narrow as rounding is, in which little moves.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.proofs.check.balls import Ball, Floats
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.search.network import weights_of
from proofs.draws import outside
from proofs.exact_node import ExactNode
from proofs.hostile import RATIONAL, chunks, hostile, settings_drawn


def on_spheres(random: np.random.Generator, centres: Floats, radius: float) -> Floats:
    """A point near the surface of each ball, most of them in the direction of its centre."""
    away = np.where(
        random.random((len(centres), 1)) < 0.7, centres, random.normal(size=centres.shape)
    )
    length = np.sqrt((away**2).sum(axis=1, keepdims=True))
    return centres + away / length * radius * random.choice([-0.999, 0.999], size=(len(centres), 1))


NARROW = {"d_model": 1, "num_heads": 1, "thickness": 1, "pad": "learned"}
"""One number, so that bounds on norms lose nothing."""


@given(
    seed=st.integers(0, 2**32 - 1),
    radius=st.sampled_from([1e-3, 0.1, 1.0]),
    shape=st.sampled_from([{}, NARROW]),
)
def test_points_of_wide_balls_become_points_of_the_result(
    seed: int, radius: float, shape: dict[str, Any]
) -> None:
    random = np.random.default_rng(seed)
    settings = settings_drawn(random) | RATIONAL | shape
    model = hostile(random, settings, 0.0, torch.float64)
    with torch.no_grad():
        for layer in model.block:
            layer.attention.bias.add_(3.0)  # else few weights are above 0
            if shape:
                layer.contract.weight.zero_()
    config, weights = model.config.to_dict(), weights_of(model)
    centres = random.normal(size=(3, config["d_model"])) + random.choice([0.0, 5.0])
    rows = chunks(random, config["chunk"], 3, 4)
    if shape:  # equal places, whose weights move together
        rows = np.repeat(rows[:, -1:], config["chunk"], axis=1)
    balls = Node(config, weights).gathered(Ball(centres, np.full(3, radius)), rows)
    exact = ExactNode(config, weights)
    for _ in range(4):
        points = [[Fraction(float(x)) for x in row] for row in on_spheres(random, centres, radius)]
        assert not outside([exact.gathered(points, row) for row in rows.tolist()], balls)
