"""From cascades of resets and permutations to programs of lookups and counters.

A level of a cascade (`languages.cascade`) whose values are never permuted is one lookup: what its
coordinate is before position i was set at the nearest earlier position where the level was reset,
so a position is blocked if it leaves the coordinate as it is. Whether it does, and which value it
sets, follows from the symbol at that position and from the coordinates of the levels above before
it: memories of lower layers. The value 0 is that of the start.

A level whose values are permuted has a group of permutations, which must be solvable. Let P_i be
the product of the permutations at positions before i, with the identity where the level is reset.
Its exponents along a series of the group (`languages.solvable_groups`) are counters. If the level
was last reset at j, to the value v, its coordinate before i is v moved by all permutations since:

    w moved by P_i,    with w = v moved by the inverse of P_j:

one lookup finds w, as P_j is known at j. Without a reset w is the value 0 of the start.

So there are as many lookups as levels, at most, and a counter for each factor of each group,
however long the word is. The class of a prefix follows from its last symbol and from all
coordinates before it. (Krohn and Rhodes 1965; Liu et al. 2023, arXiv 2210.10749, theorem 2.)
"""

from collections.abc import Callable, Iterator, Mapping

from lengthwise.constructions.diagrams import Diagrams
from lengthwise.constructions.programs import Counter, LookupTable, Memory, Program, trim
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.languages.cascade import Cascade, CascadeLevel
from lengthwise.languages.domain_merging import merge_outside_domain
from lengthwise.languages.language import Language
from lengthwise.languages.solvable_groups import centre_residue, inverse, series

MAX_CASES = 20_000
"""Largest number of combinations of a symbol and values of the memories."""

Values = tuple[int, ...]
"""The values of the memories of one level: of its counters, then of its lookup."""


def decompose(language: Language, decompose: Callable[[Language], Cascade]) -> Program:
    """Return the program of a language, by a cascade of an automaton.

    That is the automaton whose states are merged where no word of the domain tells them apart. If
    it cannot be decomposed, that of all states is, which may have fewer images, as what follows a
    merged state outside the domain is chosen blindly: modular arithmetic has 14 with 52 states, and
    more than 20,000 with 25.

    Raises:
        LanguageError: neither has a cascade: because of a group, or of too many images or chains.
        ConstructionError: there are too many combinations of values, or a condition has too many
            cases.
    """
    machine = merge_outside_domain(language)
    try:
        return program_of(machine, decompose(machine))
    except (LanguageError, ConstructionError):
        if language.domain is None:
            raise
    machine = language.minimise()
    return program_of(machine, decompose(machine))


def program_of(machine: Language, cascade: Cascade) -> Program:
    """Return the program of an automaton and its cascade.

    Raises:
        LanguageError: a group is not solvable, or too large.
        ConstructionError: there are too many combinations of values, or a condition has too many
            cases.
    """
    levels = [_Level(level) for level in cascade.levels]
    reached = _find_reached(machine, levels)
    sizes = [machine.num_symbols + 1, *(size for level in levels for size in level.sizes)]
    diagrams = Diagrams(sizes)
    memories: list[Memory] = []
    for number, level in enumerate(levels):
        below = 1 + len(memories)
        """The variables of the symbol and of the levels above."""
        actions: dict[Values, int] = {}
        steps = [dict[Values, int]() for _ in level.moduli]
        for values, at in reached.items():
            above = tuple(v for value in values[:number] for v in value)
            exponents = values[number][:-1]
            for symbol in range(machine.num_symbols):
                key = (symbol + 1, *above)
                added, reset = level.read(exponents, (symbol, *at[:number]))
                actions[*key, *exponents] = level.size if reset is None else reset
                for k, amount in enumerate(added):
                    steps[k][*key, *exponents[:k]] = amount
        for k, (modulus, step) in enumerate(zip(level.moduli, steps, strict=True)):
            adds = diagrams.from_cases(range(below + k), step)
            memories.append(
                Counter(
                    layer=1,
                    modulus=modulus,
                    amounts=tuple(
                        (centre_residue(amount, modulus), diagrams.condition(adds, amount))
                        for amount in sorted(set(step.values()) - {0})
                    ),
                )
            )
        action = diagrams.from_cases(range(below + len(steps)), actions)
        memories.append(
            LookupTable(
                layer=1,
                blocked=diagrams.condition(action, level.size),
                values=tuple(diagrams.condition(action, v) for v in range(1, level.size)),
            )
        )
    classes: dict[Values, int] = {(0,) * len(sizes): machine.classes[machine.start]}
    for values, at in reached.items():
        state = cascade.states[at]
        for symbol, target in enumerate(machine.transitions[state]):
            classes[symbol + 1, *(v for coordinates in values for v in coordinates)] = (
                machine.classes[target]
            )
    class_diagram = diagrams.from_cases(range(len(sizes)), classes)
    return trim(
        Program(
            alphabet=machine.alphabet,
            memories=tuple(memories),
            classes=tuple(diagrams.condition(class_diagram, c) for c in range(machine.num_classes)),
        )
    )


class _Level:
    """A level of a cascade, whose coordinate is a lookup's value, moved by a product."""

    def __init__(self, level: CascadeLevel) -> None:
        self.size = level.size
        self._level = level
        self._series = series(level.turns.values(), level.size)
        self.moduli = [factor.modulus for factor in self._series.factors]
        self._identity = tuple(range(level.size))

    @property
    def sizes(self) -> Iterator[int]:
        """The numbers of values of the counters, and of the lookup."""
        yield from (*self.moduli, self.size)

    def coordinate(self, values: Values) -> int:
        """Return the coordinate of the level."""
        *exponents, last_value = values
        return self._series.product(tuple(exponents))[last_value]

    def read(self, exponents: Values, above: tuple[int, ...]) -> tuple[Values, int | None]:
        """Return what the counters add, and which value the lookup takes, or None if it is blocked.

        `above` is the symbol and the coordinates of the levels above.
        """
        turn = self._level.turns.get(above, self._identity)
        reset = self._level.resets[above]
        if reset is not None:
            reset = inverse(self._series.product(exponents))[reset]
        return self._series.steps(turn, exponents), reset

    def after(self, values: Values, above: tuple[int, ...]) -> Values:
        """Return the values past a position."""
        *exponents, last_value = values
        added, reset = self.read(tuple(exponents), above)
        moved = [(e + a) % m for e, a, m in zip(exponents, added, self.moduli, strict=True)]
        return (*moved, last_value if reset is None else reset)


def _find_reached(machine: Language, levels: list[_Level]) -> Mapping[tuple[Values, ...], Values]:
    """Return all values of the memories that occur, level by level, with the coordinates."""

    def coordinates(values: tuple[Values, ...]) -> Values:
        return tuple(
            level.coordinate(level_values)
            for level, level_values in zip(levels, values, strict=True)
        )

    start = tuple((0,) * len(list(level.sizes)) for level in levels)
    reached = {start: coordinates(start)}
    for values in (queue := [start]):
        at = reached[values]
        for symbol in range(machine.num_symbols):
            after = tuple(
                level.after(level_values, (symbol, *at[:number]))
                for number, (level, level_values) in enumerate(zip(levels, values, strict=True))
            )
            if after not in reached:
                reached[after] = coordinates(after)
                queue.append(after)
        if len(reached) * machine.num_symbols > MAX_CASES:
            raise ConstructionError(
                f"{machine.num_states} states have a cascade with more than {MAX_CASES:,} cases, "
                f"the most that are written as a network. Use another rung, such as scan."
            )
    return reached
