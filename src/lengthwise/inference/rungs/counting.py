r"""Find weights of symbols such that the sum over a word, modulo a number, decides its class.

All words of one sum have differences of weight 0. So the weights solve linear equations modulo q,
one for each word of a class that has one sum only, and elimination finds them from about as many
words as there are symbols, where no local search could: a weight that is wrong makes all sums look
random. Modulo a composite number, the prime powers that it is a product of are solved one by one.

If a class has r sums s_1, ..., s_r modulo a prime p, then (w n - s_1) ... (w n - s_r) = 0 for the
numbers n of symbols of its words: a linear equation again, in the monomials of n of degree at most
r. Its solution has the coefficients c w_i^r of n_i^r and c r w_i^(r-1) w_j of n_i^(r-1) n_j, and
so w up to a factor.

Axes:
    word       words of a class
    symbol     symbols
    generator  weights that generate all solutions
"""

from itertools import combinations_with_replacement

import numpy as np

from lengthwise.inference.rungs.automata import ValueAutomaton
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import Read, read_freely

PRIME_POWERS = {2: 2, 3: 3, 4: 2, 5: 5, 7: 7, 8: 2, 9: 3, 11: 11, 13: 13, 16: 2}
"""Moduli, with the prime of each."""

MORE_WORDS = 16
"""Words beyond the number of unknowns that a solution has to satisfy."""

_AT_ONCE = 64
"""Rows that are skipped at once, if all generators solve them."""

_PRODUCTS_AT_ONCE, _SOLVING = 8, 3_000
"""Products in the time of a symbol of plain reading, and symbols of it in the time in which a row
is solved, beyond one for each number of the generators."""


def symbol_counts(sample: Sample) -> Array:
    """Return how often each symbol occurs in each word, `[word, symbol]`."""
    count, width = sample.symbols.shape
    is_inside = np.arange(width) <= sample.lengths[:, None]
    is_inside[:, 0] = False
    flat = np.arange(count)[:, None] * sample.num_symbols + sample.symbols
    counts = np.bincount(flat[is_inside], minlength=count * sample.num_symbols)
    return counts.reshape(count, sample.num_symbols)


def null_generators(rows: Array, modulus: int, read: Read = read_freely) -> Array:
    """Return vectors that generate all solutions x of `rows @ x = 0` modulo a prime power,
    `[generator, unknown]`."""
    generators = np.eye(rows.shape[1], dtype=np.int64)
    for begin in range(0, len(rows), _AT_ONCE):
        some = rows[begin : begin + _AT_ONCE]
        read(generators.size * len(some) // _PRODUCTS_AT_ONCE)
        is_wrong = (generators @ some.T % modulus).any(axis=0)
        for row in some[int(is_wrong.argmax()) :] if is_wrong.any() else ():
            read(_SOLVING + generators.size)
            generators = _solve_row(generators, row, modulus)
    return generators


def _solve_row(generators: Array, row: Array, modulus: int) -> Array:
    """Return vectors that generate what others generate and solves a row, too.

    If some of the others do not give 0, one whose value divides all other values is subtracted from
    those, and multiplied until it gives 0 itself.
    """
    values = generators @ row % modulus
    if not values.any():
        return generators
    first = int(np.gcd(values, modulus).argmin())
    divisor = int(np.gcd(values[first], modulus))
    inverse = pow(int(values[first]) // divisor, -1, modulus)
    factors = values // divisor * inverse % modulus
    factors[first] = 0
    pivot = generators[first].copy()
    generators = (generators - factors[:, None] * pivot) % modulus
    pivot = pivot * (modulus // divisor) % modulus
    if not pivot.any():
        return np.delete(generators, first, axis=0)
    generators[first] = pivot
    return generators


def linear_weights(counts: Array, modulus: int, read: Read = read_freely) -> Array:
    """Return weights by which all words have one sum, `[generator, symbol]`; none if too few
    words.

    Weights below a power of the prime are left out: a smaller modulus has them.
    """
    if len(counts) < counts.shape[1] + MORE_WORDS:
        return np.zeros((0, counts.shape[1]), dtype=np.int64)
    weights = null_generators(counts[1:] - counts[0], modulus, read)
    return weights[(weights % PRIME_POWERS[modulus]).any(axis=1)]


def polynomial_weights(counts: Array, prime: int, degree: int, read: Read) -> Array:
    """Return weights by which all words have at most `degree` sums modulo a prime, `[generator,
    symbol]`, with none or one generator."""
    symbols = counts.shape[1]
    monomials = [
        monomial
        for number in range(degree + 1)
        for monomial in combinations_with_replacement(range(symbols), number)
    ]
    none = np.zeros((0, symbols), dtype=np.int64)
    if len(counts) < len(monomials) + MORE_WORDS or degree >= prime:
        return none
    read(2 * len(counts) * len(monomials))
    values = (
        np.stack([counts[:, list(monomial)].prod(axis=1) for monomial in monomials], axis=1) % prime
    )
    generators = null_generators(values, prime, read)
    if len(generators) != 1:
        return none
    index = {monomial: place for place, monomial in enumerate(monomials)}
    equation = generators[0]
    for symbol in range(symbols):
        coefficient = int(equation[index[(symbol,) * degree]])
        if coefficient:
            break
    else:
        return none
    weights = np.array(
        [
            equation[index[tuple(sorted((*[symbol] * (degree - 1), other)))]]
            for other in range(symbols)
        ]
    )
    weights = weights * pow(coefficient * degree, -1, prime) % prime
    weights[symbol] = 1
    return weights[None]


def all_weights(counts: Array, classes: Array, modulus: int, num_classes: int) -> Array:
    """Return all weights whose sums decide the classes of words, by trying each, `[weights,
    symbol]`."""
    symbols = counts.shape[1]
    candidates = np.stack(
        np.unravel_index(np.arange(modulus**symbols), (modulus,) * symbols), axis=1
    )
    candidates = candidates[candidates.any(axis=1)]
    for part in (slice(0, 24), slice(0, 96), slice(0, len(counts))):
        sums = candidates @ counts[part].T % modulus
        numbers = np.arange(len(candidates))[:, None]
        keys = (classes[part] * modulus + sums) * len(candidates) + numbers
        occurs = np.zeros((num_classes, modulus, len(candidates)), dtype=bool)
        occurs.ravel()[keys.ravel()] = True
        candidates = candidates[(occurs.sum(axis=0) <= 1).all(axis=0)]
    return candidates


def counter(weights: Array, modulus: int) -> ValueAutomaton:
    """Return the automaton that adds the weights of the symbols that it reads."""
    states = np.arange(modulus)[:, None]
    return ValueAutomaton((states + np.append(weights, 0)) % modulus, np.arange(modulus))
