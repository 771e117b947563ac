"""Limits for shares that were observed on a sample, how they are written, and tails of binomials.

`upper_limit` is for independent draws, `limit_of_different` for different words, each counted once.
"""

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


def limit_of_different(wrong: int, total: int, alpha: float) -> float:
    """Return an upper limit for the share of wrong words among different ones, from those seen.

    Words may be drawn any number of times, in any order and in bursts; each counts once. Let word w
    be seen as a wrong one with probability b(w), as a right one with c(w), and else not at all, and
    let the words be independent of one another. With B and C the sums of b and c, the share is
    s = B / (B + C): that of wrong words among the different words that are expected. Whatever b and
    c are, the limit is below s with probability alpha at most.

    Proof. Let K words be seen as wrong and L as right, 0 <= t <= s, and

        e(t) = (t / s)^K ((1 - t) / (1 - s))^L.

    Its mean is the product over words of 1 + b(w) (t/s - 1) + c(w) ((1-t)/(1-s) - 1), and with
    1 + x <= exp(x) at most exp(B (t/s - 1) + C ((1-t)/(1-s) - 1)) = exp(0) = 1. So the mean of
    E = (e(0) + mean of e(t) over t uniform in [0, s]) / 2 is at most 1, and by Markov's inequality
    E >= 1 / alpha has probability alpha at most. E grows with s, so the limit is where it is
    1 / alpha; with n = K + L, the mean of e(t) is P[Bin(n+1, s) > K] / ((n+1) s P[Bin(n, s) = K]),
    an incomplete beta integral. QED

    The limit of Clopper and Pearson is proved for draws alone.

    >>> round(limit_of_different(0, 945, 0.001), 5), round(upper_limit(0, 945, 0.001), 5)
    (0.00787, 0.00728)
    """
    if wrong == total:
        return 1.0
    low, high = wrong / total, 1.0
    for _ in range(60):  # to the last digit
        middle = (low + high) / 2
        if _evidence(wrong, total, middle) < -math.log(alpha):
            low = middle
        else:
            high = middle
    return high


def _evidence(wrong: int, total: int, share: float) -> float:
    """Return the logarithm of E in `limit_of_different`."""
    if share >= 1:
        return math.inf
    more = 1 - _at_most(wrong, total + 1, share)
    if more <= 0:
        return -math.inf
    value = math.log(more) - math.log((total + 1) * share) - _log_exactly(wrong, total, share)
    if wrong == 0:
        none = -total * math.log1p(-share)
        value = max(value, none) + math.log1p(math.exp(-abs(value - none)))
    return value - math.log(2)


def chance_of_at_least(wrong: int, total: int, share: float) -> float:
    """Return the probability of `wrong` hits or more in `total` draws of probability `share`.

    >>> at_least(0, 5, 0.0), at_least(1, 5, 0.0), at_least(2, 2, 0.5)
    (1.0, 0.0, 0.25)
    """
    if wrong == 0:
        return 1.0
    if share == 0:
        return 0.0
    if wrong <= share * total:  # the terms from here on begin too small for a float
        return 1.0 - _at_most(wrong - 1, total, share)
    odds, term = share / (1 - share), math.exp(_log_exactly(wrong, total, share))
    terms = [term]
    for k in range(wrong, total):
        term *= odds * (total - k) / (k + 1)
        terms.append(term)
        if k > share * total and term < 1e-18 * terms[0]:
            break
    return min(1.0, math.fsum(terms))


def _log_exactly(wrong: int, total: int, share: float) -> float:
    """Return the logarithm of the probability of `wrong` hits in `total` draws."""
    ways = math.lgamma(total + 1) - math.lgamma(wrong + 1) - math.lgamma(total - wrong + 1)
    return ways + wrong * math.log(share) + (total - wrong) * math.log1p(-share)


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


def round_up(value: float) -> str:
    """Format a positive value with two significant digits, rounded up."""
    exact = Decimal(repr(value))
    digits = max(0, 1 - exact.adjusted())
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_CEILING):f}"
