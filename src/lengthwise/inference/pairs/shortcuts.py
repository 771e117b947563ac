"""Shortcuts of functions: what rules write that carry nothing along a word.

    copy              the input symbol itself, or the first of its two digits
    last symbol       the most frequent output of the symbol
    last two symbols  the most frequent output of the symbol and the one before it
    most frequent     the most frequent output of all

Except copy, they learn from other pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.sample import Array

Rules = Mapping[str, Array]
"""The output that each shortcut writes for the number of a symbol and the one before it."""


@dataclass(frozen=True, slots=True)
class Contexts:
    """Numbers for each symbol and the one before it, or none at the start."""

    symbols: int

    def of(self, inputs: Array) -> Array:
        """Return the numbers of the positions of inputs `[pair, place]`."""
        before = np.concatenate([np.full((len(inputs), 1), self.symbols), inputs[:, :-1]], axis=1)
        numbers: Array = before * self.symbols + inputs
        return numbers

    @property
    def count(self) -> int:
        """Number of numbers."""
        return (self.symbols + 1) * self.symbols


def learn_rules(
    seen: Sequence[Paired], alphabet: Sequence[str], outputs: Sequence[str]
) -> dict[str, Array]:
    """Return what each shortcut writes, learnt from pairs."""
    contexts = Contexts(len(alphabet))
    two = np.zeros((contexts.count, len(outputs)), dtype=np.int64)
    for pairs in seen:
        inside = pairs.inside
        np.add.at(two, (contexts.of(pairs.inputs)[inside], pairs.outputs[inside]), 1)
    symbol = np.arange(contexts.count) % contexts.symbols
    one = np.zeros((contexts.symbols, len(outputs)), dtype=np.int64)
    np.add.at(one, symbol, two)
    number = {name: index for index, name in enumerate(outputs)}
    copies = np.array([number.get(s, number.get(s[:1], -1)) for s in alphabet])
    of_one = one.argmax(axis=1)[symbol]
    return {
        "copy": copies[symbol],
        "last symbol": of_one,
        "last two symbols": np.where(two.any(axis=1), two.argmax(axis=1), of_one),
        "most frequent": np.full(contexts.count, one.sum(axis=0).argmax()),
    }


def right_by_rule(rules: Rules, pairs: Paired) -> dict[str, NDArray[np.bool_]]:
    """Return where each shortcut writes the right symbol, `[pair, place]`."""
    numbers = Contexts(pairs.num_symbols).of(pairs.inputs)
    right = {name: rule[numbers] == pairs.outputs for name, rule in rules.items()}
    return {name: is_right & pairs.inside for name, is_right in right.items()}
