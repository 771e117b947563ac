"""Balls and matrices that are drawn, points in balls, and whether points lie in theirs.

Axes:
    ball    balls of one call
    point   vectors drawn from one ball
    width   numbers in a vector
"""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from lengthwise.proofs.check.balls import OWN, Ball, Floats, Matrix, norm
from proofs.exact_node import Vector


def points_of(ball: Ball, random: np.random.Generator, count: int = 60) -> Floats:
    """Vectors `[point, ball, width]` of each ball, most of them on its surface."""
    shape = (count, *ball.centre.shape)
    towards = random.normal(size=shape)
    corners = random.normal(size=shape) * (random.random(shape) < 1.5 / shape[-1])
    towards[::2] = np.where(norm(corners[::2])[..., None] > 0, corners[::2], towards[::2])
    towards /= norm(towards)[..., None]
    share = np.where(random.random(shape[:-1]) < 0.8, 1.0, random.random(shape[:-1]))
    reach = np.maximum(ball.radius * (1 - 1e-12) - 4 * OWN * norm(ball.centre), 0.0)
    return ball.centre + towards * (share * reach)[..., None]


def balls(random: np.random.Generator, width: int, scale: float, radius: float) -> Ball:
    centre = random.normal(size=(5, width)) * scale
    return Ball(centre, radius * random.random(5))


def assert_inside(points: Floats, ball: Ball) -> None:
    excess = norm(points - ball.centre) - ball.radius
    assert excess.max() <= 0, f"{excess.max()} outside"


class Draw:
    """Sizes and a generator for one example."""

    def __init__(self, seed: int, width: int, scale: float, radius: float) -> None:
        self.random = np.random.default_rng(seed)
        self.width, self.scale, self.radius = width, scale, radius

    def balls(self, width: int | None = None) -> Ball:
        return balls(self.random, width or self.width, self.scale, self.radius)

    def matrix(self, rows: int) -> Matrix:
        weight = self.random.normal(size=(rows, self.width)) * self.random.choice([0.1, 1.0, 30.0])
        return Matrix(weight, self.random.normal(size=rows) * self.scale)


draws = st.builds(
    Draw,
    seed=st.integers(0, 2**32 - 1),
    width=st.integers(1, 12),
    scale=st.sampled_from([1e-3, 1.0, 50.0]),
    radius=st.sampled_from([0.0, 1e-6, 1e-2, 1.0, 10.0]),
)


def outside(points: Floats | list[Vector], ball: Ball) -> list[int]:
    """The rows that lie outside their balls, in rational arithmetic."""
    found = []
    for row, (point, centre, radius) in enumerate(
        zip(points, ball.centre, ball.radius, strict=True)
    ):
        assert not np.isnan(radius)
        if np.isinf(radius):
            continue
        away = [Fraction(p) - Fraction(float(c)) for p, c in zip(point, centre, strict=True)]
        if sum(a * a for a in away) > Fraction(float(radius)) ** 2:
            found.append(row)
    return found
