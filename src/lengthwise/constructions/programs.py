"""Programs of memories: what a compiled decoder of constant depth computes, layer by layer.

Every position has variables. Variable 0 is its symbol, 0 at the start symbol and a + 1 at symbol a;
each memory is another, a lookup or a counter. A memory belongs to a layer. At position i a lookup
takes its value from the nearest earlier position 1 <= j < i that is not blocked, and is 0 if there
is none. What blocks, and the value, are conditions on the variables of position j that belong to
lower layers. A counter is the sum of what all positions 1 <= j < i add, modulo a number, and a
tally says which of some numbers the sum is nearest to; what is added are conditions, too. The class
of the prefix that ends at a position is a condition on all its variables.

In the terms of past-time logic a lookup with the values 0 and 1 is the strict since of
`f = blocked | value` and `g = value`: it looks at the nearest j < i where `!f | g` holds, and finds
g there. In those of automata it is a memory that is overwritten at positions that are not blocked.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from lengthwise.constructions.diagrams import Condition, fits

S = TypeVar("S", bound="WeightedSum")


@dataclass(frozen=True, kw_only=True, slots=True)
class LookupTable:
    """A head that looks for the nearest earlier position that is not blocked."""

    layer: int
    """Counted from 1."""
    blocked: Condition
    values: tuple[Condition, ...]
    """Conditions for the values 1, 2, ...; at most one holds, and 0 where none does."""

    @property
    def ready(self) -> int:
        """The first layer whose feed-forward network knows the value."""
        return self.layer

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.values) + 1

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The condition that blocks, then those of the values."""
        return (self.blocked, *self.values)

    def renumber(self, number: Mapping[int, int]) -> "LookupTable":
        """Return the same with other numbers of the variables."""
        return replace(
            self,
            blocked=_renumber(self.blocked, number),
            values=tuple(_renumber(value, number) for value in self.values),
        )

    def value(self, held: int) -> int:
        """Return the value of what is held, which is the value itself."""
        return held

    def after(self, value: int, at: Sequence[int]) -> int:
        """Return the value past a position with these variables."""
        if fits(self.blocked, at):
            return value
        holding = [fits(condition, at) for condition in self.values]
        return holding.index(True) + 1 if any(holding) else 0


COUNTED = 4
"""Number of layers from the one that counts to the first whose feed-forward network knows the
count."""

TALLIED = 2
"""The same of a tally."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WeightedSum:
    """Base of heads that add up what all earlier positions add."""

    layer: int
    """Counted from 1."""
    amounts: tuple[tuple[int, Condition], ...]
    """Integers, each with the condition that it is added; at most one holds."""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the amounts."""
        return tuple(condition for _, condition in self.amounts)

    @property
    def most(self) -> int:
        """The largest amount that a position adds, without its sign."""
        return max((abs(amount) for amount, _ in self.amounts), default=0)

    @property
    def is_signed(self) -> bool:
        """True if an amount is negative."""
        return any(amount < 0 for amount, _ in self.amounts)

    def renumber(self: S, number: Mapping[int, int]) -> S:
        """Return the same with other numbers of the variables."""
        return replace(
            self,
            amounts=tuple(
                (amount, _renumber(condition, number)) for amount, condition in self.amounts
            ),
        )

    def after(self, held: int, at: Sequence[int]) -> int:
        """Return the sum past a position with these variables."""
        return held + sum(amount for amount, condition in self.amounts if fits(condition, at))


@dataclass(frozen=True, kw_only=True, slots=True)
class Counter(WeightedSum):
    """A sum modulo a number."""

    modulus: int

    @property
    def ready(self) -> int:
        """The first layer whose feed-forward network knows the value."""
        return self.layer + COUNTED

    @property
    def size(self) -> int:
        """Number of values."""
        return self.modulus

    def value(self, held: int) -> int:
        """Return the value of a sum: its residue."""
        return held % self.modulus


@dataclass(frozen=True, kw_only=True, slots=True)
class TallyOf(WeightedSum):
    """The nearest of some numbers to a sum; as a rule the sum is one of them."""

    sums: tuple[int, ...]
    """The numbers of the values 0, 1, ...; the first one is 0, and no two are the same."""

    @property
    def ready(self) -> int:
        """The first layer whose feed-forward network knows the value."""
        return self.layer + TALLIED

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.sums)

    def value(self, held: int) -> int:
        """Return the value of a sum: that of the nearest number, of two the smaller one."""
        return min(range(len(self.sums)), key=lambda v: (abs(held - self.sums[v]), self.sums[v]))


Memory: TypeAlias = LookupTable | Counter | TallyOf


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """Memories, in the order of their layers, and the conditions of the classes."""

    alphabet: tuple[str, ...]
    memories: tuple[Memory, ...]
    classes: tuple[Condition, ...]
    """Exactly one holds at every position."""

    @property
    def num_layers(self) -> int:
        """Number of layers: at least one, to compute the class."""
        return max((memory.ready for memory in self.memories), default=1)

    @property
    def num_heads(self) -> int:
        """Largest number of memories of a layer, at least one."""
        layers = [memory.layer for memory in self.memories]
        return max((layers.count(layer) for layer in layers), default=1)

    @property
    def counters(self) -> list[Counter]:
        """The memories that are counters."""
        return [memory for memory in self.memories if isinstance(memory, Counter)]

    @property
    def tallies(self) -> list[TallyOf]:
        """The memories that are tallies."""
        return [memory for memory in self.memories if isinstance(memory, TallyOf)]

    @property
    def most_amount(self) -> int:
        """The largest amount that a position adds to a counter, without its sign; 0 if there is no
        counter.
        """
        return max((counter.most for counter in self.counters), default=0)

    @property
    def most_terms(self) -> int:
        """Largest number of memories that one path of a condition asks about."""
        conditions = [
            *self.classes,
            *(condition for memory in self.memories for condition in memory.conditions),
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
        rows = [[0] * (len(self.memories) + 1)]
        held = [0] * len(self.memories)  # by each memory, at the next position
        for symbol in word:
            values = (
                memory.value(state) for memory, state in zip(self.memories, held, strict=True)
            )
            at = [symbol + 1, *values]
            rows.append(at)
            held = [
                memory.after(state, at) for memory, state in zip(self.memories, held, strict=True)
            ]
        return rows

    def run(self, word: Sequence[int]) -> list[int]:
        """Return the class of every prefix of a word, that of the empty word first."""
        return [
            [fits(condition, at) for condition in self.classes].index(True)
            for at in self.variables(word)
        ]


def trim(program: Program) -> Program:
    """Return the program without memories that decide nothing, each in the lowest layer that it can
    have.
    """
    needed: set[int] = set()
    for variable in (queue := sorted(_find_memories(program.classes))):
        if variable not in needed:
            needed.add(variable)
            queue += _find_memories(program.memories[variable - 1].conditions)
    placed: dict[int, Memory] = {}
    for variable in sorted(needed):
        memory = program.memories[variable - 1]
        below = max((placed[other].ready for other in _find_memories(memory.conditions)), default=0)
        placed[variable] = replace(memory, layer=1 + below)
    order = sorted(needed, key=lambda variable: (placed[variable].layer, variable))
    number = {0: 0, **{old: new for new, old in enumerate(order, start=1)}}
    return replace(
        program,
        memories=tuple(placed[old].renumber(number) for old in order),
        classes=tuple(_renumber(condition, number) for condition in program.classes),
    )


def _find_memories(conditions: Iterable[Condition]) -> set[int]:
    """Return the memories that conditions ask about, as variables."""
    return set(_variables(conditions)) - {0}


def _variables(conditions: Iterable[Condition]) -> Iterator[int]:
    for condition in conditions:
        for path in condition:
            yield from (variable for variable, _ in path)


def _renumber(condition: Condition, number: Mapping[int, int]) -> Condition:
    return tuple(
        tuple(sorted((number[variable], values) for variable, values in path)) for path in condition
    )
