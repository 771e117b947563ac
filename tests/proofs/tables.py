"""Small algebras, words to ask them about, and state maps of automata."""

from itertools import product

import numpy as np

from lengthwise.languages.language import Language
from lengthwise.proofs.search.finite_algebra import FiniteAlgebra, Tables


def short_words(num_symbols: int, most: int = 300) -> list[tuple[int, ...]]:
    """All words up to some length, about `most`."""
    words: list[tuple[int, ...]] = []
    for length in range(30):
        if num_symbols**length > most:
            break
        words += product(range(num_symbols), repeat=length)
    return words


def cyclic(order: int, chunk_size: int) -> FiniteAlgebra:
    """Sums modulo `order` of symbols 0..order-1, which are associative, so any tree will do."""
    interior = np.indices((order,) * chunk_size).sum(axis=0) % order
    edge = tuple(np.indices((order,) * (k + 1)).sum(axis=0) % order for k in range(chunk_size))
    tables = Tables(interior=interior, edge=edge, classes=np.arange(order))
    return FiniteAlgebra(
        num_symbols=order,
        num_classes=order,
        chunk_size=chunk_size,
        levels=(tables, tables),
        repeat=1,
        empty=0,
    )


def state_maps(machine: Language) -> list[tuple[int, ...]]:
    """What words do to the states, the empty word first, then the symbols."""
    symbols = list(zip(*machine.transitions, strict=True))
    maps = [tuple(range(machine.num_states))]
    for found in maps:
        for symbol in symbols:
            then = tuple(symbol[state] for state in found)
            if then not in maps:
                maps.append(then)
    return maps
