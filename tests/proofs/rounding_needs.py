"""How many roundings a result can have passed through, for the ledgers of rounding constants."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import log

from proofs.traced import root

SIZES = (1, 2, 3, 4, 5, 8, 16, 17, 64, 256)


def gamma(terms: Fraction | int, unit: Fraction) -> Fraction:
    """The bound, exactly."""
    return Fraction(terms) * unit / (1 - Fraction(terms) * unit)


TWO_DIFFERENCES = 1 + root(Fraction(2))
"""Of Welford's two differences, by Cauchy: the second is the first, less its k-th part."""


def _of_steps(n: int) -> Iterator[tuple[Fraction, Fraction]]:
    r"""For k up to n: what the k-th mean is off by, in u times the norm of all numbers.

    $k |e_k|$ is at most the sum over j <= k of $j |m_j|$, a rounding of the sum, and of three times
    $|d_j| = |x_j - m_{j-1}|$, of difference, quotient (by a reciprocal) and product. By Cauchy
    $j |m_j| \le \sqrt j$. The greatest sum of the $|d_j|$ is the norm of its coefficients in the
    orthonormal $\sqrt k\, m_k$ and $\sqrt{(j - 1) / j}\, d_j$, since $d_1 = x_1 = m_k - \sum d_j /
    j$: $1 / k + \sum_{j \ge 2} (j + 1)^2 / (j (j - 1))$.
    """
    of_sums, of_changes = Fraction(0), Fraction(0)
    for k in range(1, n + 1):
        of_sums += _up(root(Fraction(k)))
        if k > 1:
            of_changes += _up(Fraction((k + 1) ** 2, k * (k - 1)))
        yield _up(of_sums / k), _up(3 * root(Fraction(1, k) + of_changes) / k)


def _up(number: Fraction) -> Fraction:
    """The next number of nine places."""
    return Fraction(-(-number.numerator * 10**9 // number.denominator), 10**9)


@cache
def of_mean(n: int) -> Fraction:
    """What a mean of n numbers that is updated one by one is off by, in u times the root of their
    mean square."""
    *_, (of_sums, of_changes) = _of_steps(n)
    return (of_sums + of_changes) * root(Fraction(n))


@cache
def of_means(n: int) -> Fraction:
    """The root of the mean square of what all n means are off by, in the same unit."""
    return root(sum(((a + b) ** 2 for a, b in _of_steps(n)), Fraction(0)))


def means_at_most(n: int) -> Fraction:
    """The bound on `of_means` that the docstring of `layer_norm` has."""
    return Fraction(n, 2) + 5 * root(1 + Fraction(log(n)))
