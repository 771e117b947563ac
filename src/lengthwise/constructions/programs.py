"""Programs of lookups: what a compiled decoder of constant depth computes, layer by layer.

Every position has variables. Variable 0 is its symbol, 0 at the start symbol and a + 1 at symbol a;
each lookup is another. A lookup stands in a layer: at position i it takes its value from the
nearest earlier position 1 <= j < i that is not blocked, and is 0 if there is none. What blocks, and
the value, are conditions on the variables of position j that belong to lower layers. The class of
the prefix that ends at a position is a condition on all its variables.

In the terms of past-time logic a lookup with the values 0 and 1 is the strict since of
`f = blocked | value` and `g = value`: it looks at the nearest j < i where `!f | g` holds, and finds
g there. In those of automata it is a memory that is overwritten at positions that are not blocked.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lengthwise.constructions.diagrams import Condition, fits


@dataclass(frozen=True, kw_only=True, slots=True)
class Lookup:
    """A head that looks for the nearest earlier position that is not blocked."""

    layer: int
    """Counted from 1."""
    blocked: Condition
    values: tuple[Condition, ...]
    """Conditions for the values 1, 2, ...; at most one holds, and 0 where none does."""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The condition that blocks, then those of the values."""
        return (self.blocked, *self.values)


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
        conditions = [*self.classes, *(each for one in self.lookups for each in one.conditions)]
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


def trimmed(program: Program) -> Program:
    """Return the program without lookups that decide nothing, each in the lowest layer that it can
    have.
    """
    needed: set[int] = set()
    for variable in (queue := sorted(_asked(program.classes))):
        if variable not in needed:
            needed.add(variable)
            queue += _asked(program.lookups[variable - 1].conditions)
    layer: dict[int, int] = {}
    for variable in sorted(needed):
        below = _asked(program.lookups[variable - 1].conditions)
        layer[variable] = 1 + max((layer[other] for other in below), default=0)
    order = sorted(needed, key=lambda variable: (layer[variable], variable))
    number = {0: 0, **{old: new for new, old in enumerate(order, start=1)}}
    return replace(
        program,
        lookups=tuple(
            replace(
                program.lookups[old - 1],
                layer=layer[old],
                blocked=_renumbered(program.lookups[old - 1].blocked, number),
                values=tuple(
                    _renumbered(value, number) for value in program.lookups[old - 1].values
                ),
            )
            for old in order
        ),
        classes=tuple(_renumbered(condition, number) for condition in program.classes),
    )


def _asked(conditions: Iterable[Condition]) -> set[int]:
    """Return the lookups that conditions ask about, as variables."""
    return set(_variables(conditions)) - {0}


def _variables(conditions: Iterable[Condition]) -> Iterator[int]:
    for condition in conditions:
        for path in condition:
            yield from (variable for variable, _ in path)


def _renumbered(condition: Condition, number: Mapping[int, int]) -> Condition:
    return tuple(
        tuple(sorted((number[variable], values) for variable, values in path)) for path in condition
    )
