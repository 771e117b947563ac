"""What a step to the nearest representative says is certain, for any network."""

import numpy as np

from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Ball, Floats
from lengthwise.proofs.check.bounded import Decided
from lengthwise.proofs.check.snapped_step import Reached, SnappedStep


class Shift(SnappedStep):
    """A number that symbols add to; its logits are itself and 0.5, in a radius."""

    num_symbols = 3
    representatives = np.array([[0.0], [1.0], [2.5]])

    def __init__(self, radius: float) -> None:
        super().__init__()
        self.radius = radius

    def start(self) -> Decided:
        return self.snap(self.after(np.zeros((1, 1)), np.array([0])))

    def after(self, states: Floats, symbols: Integers) -> Reached:
        reached = states + symbols[:, None]
        logits = np.concatenate([0 * reached + 0.5, reached], axis=1)
        ball = Ball(reached, np.full(len(reached), self.radius))
        return Reached(ball, logits, np.full(logits.shape, self.radius))


def test_the_nearest_is_certain_beyond_twice_the_radius() -> None:
    node = Shift(0.2)
    found = node.step(np.array([[0, 0], [1, 1]]), np.array([1, 1]))
    assert found.values.tolist() == [[1, 1], [2, 1]]
    # 2 is 0.5 from 2.5 and 1 from 1: it leads by 0.5, and two radii are 0.4
    assert np.isclose(found.distance.min(), 0.5)
    assert np.allclose(found.radius, 0.4)
    assert (found.distance > found.radius).all()
    assert not (Shift(0.3).step(np.array([[1, 1]]), np.array([1])).distance > 0.6).all()


def test_the_least_lead_of_all_logits_is_kept() -> None:
    node = Shift(0.1)
    node.start()  # leads by 0.5
    node.step(np.array([[0, 0]]), np.array([2]))  # leads by 1.5
    kept = node.classes(np.array([[0, 0]]))
    assert (float(kept.distance[0]), float(kept.radius[0])) == (0.5, 0.2)
