"""Programs of lookups: what a compiled decoder of constant depth computes, layer by layer.

Every position has variables. Variable 0 is its symbol, 0 at the start symbol and a + 1 at symbol a;
each lookup is another. A lookup stands in a layer: at position i it takes its value from the nearest
earlier position 1 <= j < i that is not blocked, and is 0 if there is none. What blocks, and the
value, are conditions on the variables of position j that belong to lower layers. The class of the
prefix that ends at a position is a condition on all its variables.

In the terms of past-time logic a lookup with the values 0 and 1 is the strict since of
`f = blocked | value` and `g = value`: it looks at the nearest j < i where `!f | g` holds, and finds
g there. In those of automata it is a memory that is overwritten at positions that are not blocked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lengthwise.constructions.diagrams import Condition, fits


@dataclass(frozen=True, kw_only=True, slots=True)
class Lookup:
    """A head that looks for the nearest earlier position that is not blocked."""

    name: str
    layer: int
    """Counted from 1."""
    blocked: Condition
    values: tuple[Condition, ...]
    """Conditions for the values 1, 2, ...; at most one holds, and 0 where none does."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """Lookups, in the order of their layers, and the conditions of the classes."""

    alphabet: tuple[str, ...]
    lookups: tuple[Lookup, ...]
    classes: tuple[Condition, ...]
    """Exactly one holds at every position."""

    @property
    def num_layers(self) -> int:
        """Number of layers: at least one, to compute the class."""
        return max((lookup.layer for lookup in self.lookups), default=1)

    @property
    def num_heads(self) -> int:
        """Largest number of lookups of a layer, at least one."""
        layers = [lookup.layer for lookup in self.lookups]
        return max((layers.count(layer) for layer in layers), default=1)

    @property
    def most_terms(self) -> int:
        """Largest number of lookups that one path of a condition asks about."""
        conditions = [
            *self.classes,
            *(each for lookup in self.lookups for each in (lookup.blocked, *lookup.values)),
        ]
        return max(
            (
                sum(variable > 0 for variable, _ in path)
                for condition in conditions
                for path in condition
            ),
            default=0,
        )

    def variables(self, word: Sequence[int]) -> list[list[int]]:
        """Return the variables at every position, that of the start symbol first."""
        found = [[0] * (len(self.lookups) + 1)]
        last = [0] * len(self.lookups)
        """The value of each lookup at the next position."""
        for symbol in word:
            found.append([symbol + 1, *last])
            for number, lookup in enumerate(self.lookups):
                if not fits(lookup.blocked, found[-1]):
                    holding = [fits(value, found[-1]) for value in lookup.values]
                    last[number] = holding.index(True) + 1 if any(holding) else 0
        return found

    def run(self, word: Sequence[int]) -> list[int]:
        """Return the class of every prefix of a word, that of the empty word first."""
        return [
            [fits(condition, at) for condition in self.classes].index(True)
            for at in self.variables(word)
        ]
