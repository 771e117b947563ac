"""The interval of a mean over seeds: how far other seeds may move it."""

from collections.abc import Sequence

import numpy as np

_SAMPLES = 10_000


def interval_of_mean(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of a mean over seeds: percentiles of means of resampled seeds.

    Nothing is assumed of the distribution, which has two peaks where a network learns with some
    seeds and stays at chance with others. Few seeds give a narrower interval than they should.
    """
    drawn = np.random.default_rng(0).choice(np.asarray(values), (_SAMPLES, len(values)))
    low, high = np.percentile(drawn.mean(axis=1), (2.5, 97.5))
    return float(low), float(high)
