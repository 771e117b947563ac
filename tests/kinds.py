"""Automata of many kinds, and long words that go to all corners of them."""

import random
from collections.abc import Callable, Mapping

from lengthwise.languages.language import Language

Moves = list[list[int]]
"""`moves[state][symbol]`."""


def _random(draw: random.Random, n: int, v: int) -> Moves:
    return [[draw.randrange(n) for _ in range(v)] for _ in range(n)]


def _permutations(draw: random.Random, n: int, v: int) -> Moves:
    columns = [draw.sample(range(n), n) for _ in range(v)]
    return [[column[q] for column in columns] for q in range(n)]


def _cyclic(draw: random.Random, n: int, v: int) -> Moves:
    turns = [1, *(draw.randrange(n) for _ in range(v - 1))]
    return [[(q + turn) % n for turn in turns] for q in range(n)]


def _dihedral(draw: random.Random, n: int, v: int) -> Moves:
    turns = [(1, draw.randrange(n)) if s % 2 == 0 else (-1, draw.randrange(n)) for s in range(v)]
    return [[(sign * q + turn) % n for sign, turn in turns] for q in range(n)]


def _threshold(draw: random.Random, n: int, v: int) -> Moves:
    adds = [1, *(draw.randrange(3) for _ in range(v - 1))]
    return [[min(q + more, n - 1) for more in adds] for q in range(n)]


def _chain(draw: random.Random, n: int, v: int) -> Moves:
    return [[draw.choice([q, min(q + 1, n - 1), n - 1]) for _ in range(v)] for q in range(n)]


def _single_word(draw: random.Random, n: int, v: int) -> Moves:
    word = [draw.randrange(v) for _ in range(n - 1)]
    return [[q + 1 if q < n - 1 and word[q] == s else n - 1 for s in range(v)] for q in range(n)]


def _resets(draw: random.Random, n: int, v: int) -> Moves:
    to = [draw.randrange(-1, n) for _ in range(v)]
    return [[q if to[s] < 0 else to[s] for s in range(v)] for q in range(n)]


KINDS: Mapping[str, Callable[[random.Random, int, int], Moves]] = {
    "random": _random,
    "permutations": _permutations,
    "cyclic": _cyclic,
    "dihedral": _dihedral,
    "threshold": _threshold,
    "chain": _chain,
    "single word": _single_word,
    "resets": _resets,
}


def automaton(kind: str, states: int, symbols: int, seed: int) -> Language:
    """Return a minimal automaton of a kind: of 2 to 8 classes, every third with a domain.

    The domain counts symbol 0 modulo 2 or 3, and leaves out one remainder.
    """
    draw = random.Random(f"{kind} {states} {symbols} {seed}")
    moves = KINDS[kind](draw, states, symbols)
    num_classes = min(draw.choice([2, 2, 3, 8]), states)
    classes = list(range(num_classes)) + draw.choices(range(num_classes), k=states - num_classes)
    alphabet = tuple(f"s{number}" for number in range(symbols))
    prime = draw.choice([2, 3])
    domain = Language(
        alphabet=alphabet,
        transitions=tuple(((q + 1) % prime, *[q] * (symbols - 1)) for q in range(prime)),
        classes=(0,) + (1,) * (prime - 1),
        start=1,
    )
    return Language(
        alphabet=alphabet,
        domain=domain if seed % 3 == 0 else None,
        transitions=tuple(map(tuple, moves)),
        classes=tuple(classes),
        class_names=tuple(f"c{number}" for number in range(num_classes)),
        start=0,
    ).minimise()


_MANY = 1_000
"""Longest of several uniform words."""


def hostile_words(language: Language, longest: int, seed: int) -> list[tuple[int, ...]]:
    """Return words of at most `longest` symbols that are in the domain.

    They are powers of symbols and of short words, the same with one odd symbol, and uniform words,
    of lengths at and beside powers of 2 and `longest`; only one long word is uniform, since no two
    nodes of its tree are alike.
    """
    draw, symbols, total = random.Random(seed), range(language.num_symbols), language.total()
    powers = [2**k + d for k in range(longest.bit_length() - 1) for d in (-1, 0, 1)]
    lengths = [0, longest, longest - 1, *draw.sample(powers, min(6, len(powers)))]
    words = []
    for length in lengths:
        period = [draw.choice(symbols) for _ in range(draw.randint(1, 7))]
        power = (period * (length // len(period) + 1))[:length]
        odd = list(power)
        if length:
            odd[draw.randrange(length)] = draw.choice(symbols)
        words += [tuple(power), tuple(odd), (draw.choice(symbols),) * length]
        if length == longest or length <= _MANY:
            words.append(tuple(draw.choices(symbols, k=length)))
    return [word for word in words if total.classify(word) < language.num_classes]
