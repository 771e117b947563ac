"""Pairs of words of a function, shared by tests."""

import random

from lengthwise.inference.pairs.paired import Paired
from lengthwise.languages.functions.function import Function


def pairs_of(
    function: Function, count: int = 300, *, longest: int = 12, noise: float = 0.0, seed: int = 0
) -> Paired:
    """Random inputs with their outputs, each symbol of which is wrong with this probability."""
    draw, outputs = random.Random(seed), len(function.outputs)
    rows = []
    for _ in range(count):
        word = draw.choices(range(len(function.alphabet)), k=draw.randint(1, longest))
        written = [
            (y + draw.randrange(1, outputs)) % outputs if draw.random() < noise else y
            for y in function.run(word)
        ]
        rows.append((word, written))
    return Paired.of_words(rows, len(function.alphabet), outputs)
