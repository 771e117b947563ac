"""The support of a function: the pairs behind each part of it; what no pair shows is a guess."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.sample import Array
from lengthwise.languages.functions.function import Function


@dataclass(frozen=True, slots=True)
class FunctionSupport:
    """How often pairs pass each part of a function, `[state][symbol]`, and `[state][symbol][state]`
    for the cells of its table."""

    left: tuple[tuple[int, ...], ...]
    """Transitions that something follows."""
    right: tuple[tuple[int, ...], ...]
    """Transitions that something precedes."""
    cells: tuple[tuple[tuple[int, ...], ...], ...]

    @classmethod
    def of(cls, function: Function, pairs: Paired) -> "FunctionSupport":
        """Count pairs."""
        states, behind = pairs.states(function.left), pairs.states_behind(function.right)
        places, inside = np.arange(pairs.inputs.shape[1]), pairs.inside
        sizes = len(function.left), len(function.alphabet), len(function.right)
        left, right = np.zeros(sizes[:2], dtype=np.int64), np.zeros(sizes[:0:-1], dtype=np.int64)
        cells = np.zeros(sizes, dtype=np.int64)
        is_followed = places < pairs.lengths[:, None] - 1
        is_preceded = inside & (places > 0)
        np.add.at(left, (states[is_followed], pairs.inputs[is_followed]), 1)
        np.add.at(right, (behind[is_preceded], pairs.inputs[is_preceded]), 1)
        np.add.at(cells, (states[inside], pairs.inputs[inside], behind[inside]), 1)
        return cls(_tuples(left), _tuples(right), _tuples(cells))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "FunctionSupport":
        """Return what `to_dict` stored."""
        return cls(*(_tuples(np.array(values[name])) for name in ("left", "right", "cells")))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    @property
    def unseen(self) -> int:
        """Number of parts that no pair passes, of those that there can be."""
        parts = (
            [self.left, self.cells] if len(self.right) == 1 else [self.left, self.right, self.cells]
        )
        return sum(int((np.array(part) == 0).sum()) for part in parts)

    def least(self, function: Function, word: Sequence[int]) -> int:
        """Return how often pairs pass the part of an input's path that they pass least."""
        row = Paired.of_words([(word, [0] * len(word))], len(function.alphabet), 1)
        states, behind = row.states(function.left)[0], row.states_behind(function.right)[0]
        symbols = np.array(word, dtype=np.int64)
        counts: list[Array] = [np.array(self.cells)[states, symbols, behind]]
        counts += [np.array(self.left)[states[:-1], symbols[:-1]]]
        counts += [np.array(self.right)[behind[1:], symbols[1:]]]
        return min((int(part.min()) for part in counts if len(part)), default=1)


def _tuples(counts: Array) -> Any:
    if counts.ndim == 1:
        return tuple(counts.tolist())
    return tuple(_tuples(part) for part in counts)
