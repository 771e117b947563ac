"""A number that a paper printed, with what it means."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """Accuracy in per cent as printed, over seeds: the best, and the mean."""

    source: str
    best: float
    mean: float
    train_length: int
    """Longest training word."""
    test_lengths: tuple[int, int]
    """First and last tested length."""
