"""Clopper and Pearson's limit for a share that was observed on a sample, and how it is written."""

import math
from decimal import ROUND_CEILING, Decimal


def upper_limit(wrong: int, total: int, alpha: float) -> float:
    """Return Clopper and Pearson's upper limit for a share seen `wrong` times in `total`.

    It is the share p at which `wrong` or fewer are observed with probability alpha. So whatever the
    true share is, the limit is below it with probability alpha at most.

    >>> upper_limit(0, 2000, 0.05) == 1 - 0.05 ** (1 / 2000), upper_limit(5, 5, 0.05)
    (True, 1.0)
    """
    if wrong == 0:
        return 1 - alpha ** (1 / total)
    if wrong == total:
        return 1.0
    low, high = wrong / total, 1.0
    for _ in range(60):  # to the last digit
        middle = (low + high) / 2
        if _at_most(wrong, total, middle) > alpha:
            low = middle
        else:
            high = middle
    return high


def _at_most(wrong: int, total: int, share: float) -> float:
    """Return the probability of at most `wrong` hits in `total` draws of probability `share`."""
    if share >= 1:
        return 0.0
    odds, term = math.log(share) - math.log1p(-share), total * math.log1p(-share)
    terms = [term]
    for k in range(wrong):
        term += math.log((total - k) / (k + 1)) + odds
        terms.append(term)
    return math.fsum(map(math.exp, terms))


def rounded_up(value: float) -> str:
    """Format a positive value with two significant digits, rounded up."""
    exact = Decimal(repr(value))
    digits = max(0, 1 - exact.adjusted())
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_CEILING):f}"
