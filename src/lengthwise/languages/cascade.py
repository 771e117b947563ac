"""Cascades of resets and permutations for automata (Krohn and Rhodes 1965, by holonomy).

Every level of a cascade has a coordinate. A symbol, together with the coordinates of the levels
above, leaves it as it is, sets it to a value, or permutes its values. Every automaton has such a
cascade. One that never permutes exists exactly if the automaton is counter-free, that is, if its
language is star-free.

The decomposition (Eilenberg 1976, chapter II; Zeiger 1967). Take the images Q s of all states under
words s, and the sets of one state. P lies below R if P is in the image of R under some word, and P
and R are equivalent if each lies below the other. The height of a set is 0 for one state, and else
1 more than that of the highest set below that is not equivalent to it. The tiles of a set are the
greatest images inside it. A state is written as a chain of sets, from Q down to the state alone, in
which each set is a tile of the one before. The coordinate of height h says which tile follows the
set of height h in the chain, if there is one, as a tile of the representative of its class.

Reading a symbol a leads a chain P_1, P_2, ... to P'_1, P'_2, ... with P_k a inside P'_k. Where P a
= P', both are of one class, and a maps the tiles of one onto those of the other. With one bijection
by a word from the representative to each set of its class, this is a permutation of the
representative's tiles. Without groups there is no other bijection of the two sets by words, so the
tile stays: an identity. Otherwise P a is inside a tile of P', which depends on P, P' and a alone: a
reset. If a word maps a set onto itself by another permutation than the identity, that is a group in
the monoid, and the witness that there is no cascade of resets alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language

MAX_IMAGES = 400
"""Largest number of images."""

MAX_CHAINS = 5_000
"""Largest number of chains."""

States = frozenset[int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """A word that permutes some states: a cyclic group in the transition monoid."""

    word: tuple[int, ...]
    cycle: tuple[int, ...]
    """States that the word moves in a circle, at least two."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CascadeLevel:
    """A coordinate of a cascade."""

    size: int
    """Number of values; the cascade starts with 0."""
    resets: Mapping[tuple[int, ...], int | None]
    """From the symbol and the coordinates of the levels above to the value that is set, or None."""
    turns: Mapping[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict)
    """The images of the values, where they are permuted; nothing is set there."""

    def after(self, value: int, above: tuple[int, ...]) -> int:
        """Return the coordinate that follows a value, from the symbol and the levels above."""
        if above in self.turns:
            return self.turns[above][value]
        reset = self.resets[above]
        return value if reset is None else reset


@dataclass(frozen=True, kw_only=True, slots=True)
class Cascade:
    """Levels from the top down, and the state of the automaton at every tuple that is reached."""

    levels: tuple[CascadeLevel, ...]
    states: Mapping[tuple[int, ...], int]


def find_group(machine: Language) -> Group | None:
    """Return a group in the transition monoid of an automaton, or None if there is none.

    Raises:
        LanguageError: there are more than `MAX_IMAGES` images.
    """
    return _Images(machine).group


def cascade(machine: Language) -> Cascade:
    """Return a cascade of resets for an automaton, all of whose states are reachable.

    Raises:
        LanguageError: it has a group, and the message names it; or there are too many images or
            chains.
    """
    images = _Images(machine)
    if (group := images.group) is not None:
        raise LanguageError(format_cascade(group, machine))
    return _Chains(machine, images).cascade()


def permuting_cascade(machine: Language) -> Cascade:
    """Return a cascade of resets and permutations for an automaton, all of whose states are
    reachable.

    Raises:
        LanguageError: there are too many images or chains.
    """
    return _Chains(machine, _Images(machine)).cascade()


def format_cascade(group: Group, machine: Language) -> str:
    """Write a group as the reason why a language is not star-free."""
    word = machine.decode(group.word)
    prefix = machine.decode(_access(machine, group.cycle[0]))
    return (
        f"the language is not star-free: after {prefix!r}, the word {word!r} leads through "
        f"{len(group.cycle)} states in a circle, which is a cyclic group of order "
        f"{len(group.cycle)} in its monoid."
    )


def _access(machine: Language, state: int) -> tuple[int, ...]:
    """Return a shortest word to a state."""
    words: dict[int, tuple[int, ...]] = {machine.start: ()}
    for source in (queue := [machine.start]):
        for symbol, target in enumerate(machine.transitions[source]):
            if target not in words:
                words[target] = (*words[source], symbol)
                queue.append(target)
    return words[state]


class _Images:
    """The images of an automaton, their classes and heights, and one group if there is any."""

    def __init__(self, machine: Language) -> None:
        self.machine = machine
        all_states = frozenset(range(machine.num_states))
        self.sets = [all_states]
        known = {all_states}
        singles = [frozenset([state]) for state in range(machine.num_states)]
        for states in self.sets:
            for symbol in range(machine.num_symbols):
                if (image := self.move(states, symbol)) not in known:
                    known.add(image)
                    self.sets.append(image)
            if len(self.sets) > MAX_IMAGES:
                raise LanguageError(
                    f"{machine.num_states} states have more than {MAX_IMAGES} images, the most "
                    f"that are decomposed."
                )
        self.sets += [single for single in singles if single not in known]
        self._reach = {states: self._compute_reach(states) for states in self.sets}
        self.height = self._heights()
        self.map: dict[States, dict[int, int]] = {}
        """From each set to the bijection from the representative of its class to it."""
        self._word: dict[States, tuple[int, ...]] = {}
        self.group: Group | None = None
        for states in self.sets:
            if states not in self.map:
                self._spread(states)

    def move(self, states: States, symbol: int) -> States:
        """Return the image of a set under a symbol."""
        return frozenset(self.machine.transitions[state][symbol] for state in states)

    def tiles(self, states: States) -> list[States]:
        """Return the greatest images inside a set."""
        inside = [inner for inner in self.sets if inner < states]
        return [states for states in inside if not any(states < other for other in inside)]

    def _compute_reach(self, states: States) -> set[States]:
        reached = {states}
        for current in (queue := [states]):
            for symbol in range(self.machine.num_symbols):
                if (image := self.move(current, symbol)) not in reached:
                    reached.add(image)
                    queue.append(image)
        return reached

    def below(self, one: States, other: States) -> bool:
        """Return whether a set is inside some image of another."""
        return any(one <= image for image in self._reach[other])

    def _heights(self) -> dict[States, int]:
        large = sorted((states for states in self.sets if len(states) > 1), key=len)
        height = {states: 0 for states in self.sets if len(states) == 1}
        under = {
            states: [
                other
                for other in large
                if len(other) <= len(states)
                and self.below(other, states)
                and not self.below(states, other)
            ]
            for states in large
        }

        def of(states: States) -> int:
            if states not in height:
                height[states] = 1 + max((of(other) for other in under[states]), default=0)
            return height[states]

        for states in large:
            of(states)
        return height

    def _spread(self, representative: States) -> None:
        """Map the representative onto all sets of its class; a second bijection is a group.

        The first group is kept.
        """
        self.map[representative] = {state: state for state in representative}
        self._word[representative] = ()
        if len(representative) == 1:
            return
        for states in (queue := [representative]):
            for symbol in range(self.machine.num_symbols):
                image = self.move(states, symbol)
                if representative not in self._reach[image]:
                    continue
                row = self.machine.transitions
                mapped = {state: row[at][symbol] for state, at in self.map[states].items()}
                word = (*self._word[states], symbol)
                if image not in self.map:
                    self.map[image], self._word[image] = mapped, word
                    queue.append(image)
                elif self.map[image] != mapped and self.group is None:
                    self.group = self._group_of(representative, image, word)

    def _group_of(self, representative: States, image: States, word: tuple[int, ...]) -> Group:
        """Return a group from two words that map the representative onto a set differently."""
        back: dict[States, tuple[int, ...]] = {image: ()}
        for states in (queue := [image]):
            for symbol in range(self.machine.num_symbols):
                if (moved := self.move(states, symbol)) not in back:
                    back[moved] = (*back[states], symbol)
                    queue.append(moved)
        for path in (word, self._word[image]):
            loop = path + back[representative]
            for state in sorted(representative):
                cycle = [state]
                while (after := self.machine.run(loop, cycle[-1])) != state:
                    cycle.append(after)
                if len(cycle) > 1:
                    return Group(word=loop, cycle=tuple(cycle))
        raise AssertionError("two different bijections have a quotient that is not the identity")


class _Chains:
    """The chains of an automaton, as tuples of coordinates."""

    def __init__(self, machine: Language, images: _Images) -> None:
        self.machine, self.images = machine, images
        self.whole = frozenset(range(machine.num_states))
        self.heights = list(range(images.height[self.whole], 0, -1))
        self._class: dict[States, States] = {}
        representative: list[States] = []
        for states in images.sets:  # a representative comes before its class
            if all(at == state for state, at in images.map[states].items()):
                representative.append(states)
            (self._class[states],) = [
                r for r in representative if r == frozenset(images.map[states])
            ]
        self._tiles = {r: images.tiles(r) for r in representative}
        self._number: list[dict[tuple[States, int], int]] = [{} for _ in self.heights]
        """For each level the value of a tile of a representative."""
        self._tile: list[list[tuple[States, int]]] = [[] for _ in self.heights]
        self._turns: dict[tuple[int, States, States, int], dict[int, int]] = {}

    def cascade(self) -> Cascade:
        """Return the cascade, by following all chains that are reached."""
        start = self._start()
        chains, seen = [start], {start}
        resets: list[dict[tuple[int, ...], int | None]] = [{} for _ in self.heights]
        turns: list[dict[tuple[int, ...], dict[int, int]]] = [{} for _ in self.heights]
        for chain in chains:
            for symbol in range(self.machine.num_symbols):
                actions = self._actions(chain, symbol)
                after = tuple(value for value, _, _ in actions)
                for level, (_, reset, turn) in enumerate(actions):
                    above = (symbol, *chain[:level])
                    resets[level][above] = reset
                    if turn:
                        turns[level][above] = turn
                state, target = self._state(chain), self._state(after)
                assert self.machine.transitions[state][symbol] == target, "the cascade is exact"
                if after not in seen:
                    seen.add(after)
                    chains.append(after)
            if len(chains) > MAX_CHAINS:
                raise LanguageError(
                    f"{self.machine.num_states} states have more than {MAX_CHAINS:,} chains, the "
                    f"most that are decomposed."
                )
        return Cascade(
            levels=tuple(
                CascadeLevel(
                    size=max(1, len(tiles)),
                    resets=level,
                    turns={
                        above: tuple(turn.get(value, value) for value in range(len(tiles)))
                        for above, turn in turning.items()
                    },
                )
                for tiles, level, turning in zip(self._tile, resets, turns, strict=True)
            ),
            states={chain: self._state(chain) for chain in chains},
        )

    def _start(self) -> tuple[int, ...]:
        """Return the chain of the start state; its coordinates are 0."""
        current, chain = self.whole, list[int]()
        for level, height in enumerate(self.heights):
            if self.images.height[current] == height:
                inside = frozenset([self.machine.start])
                self._value(level, current, inside)
                current = self._tile_of(level, current, 0)
            chain.append(0)
        return tuple(chain)

    def _value(self, level: int, states: States, inside: States) -> int:
        """Return the value of a tile of a set that holds others."""
        bijection, representative = self.images.map[states], self._class[states]
        back = {at: state for state, at in bijection.items()}
        tile_states = frozenset(back[state] for state in inside)
        tiles = self._tiles[representative]
        tile = next(
            index for index, states_of_tile in enumerate(tiles) if tile_states <= states_of_tile
        )
        number = self._number[level]
        if (representative, tile) not in number:
            number[representative, tile] = len(number)
            self._tile[level].append((representative, tile))
        return number[representative, tile]

    def _tile_of(self, level: int, states: States, value: int) -> States:
        """Return the tile of a set that a value stands for."""
        representative, tile = self._tile[level][value]
        assert representative == self._class[states], "a value of the class of the set"
        return frozenset(self.images.map[states][q] for q in self._tiles[representative][tile])

    def _sets(self, chain: tuple[int, ...]) -> list[States]:
        """Return the set at each level, before its coordinate, and the last one."""
        sets = [self.whole]
        for level, height in enumerate(self.heights):
            current = sets[-1]
            if self.images.height[current] == height:
                current = self._tile_of(level, current, chain[level])
            sets.append(current)
        return sets

    def _state(self, chain: tuple[int, ...]) -> int:
        (state,) = self._sets(chain)[-1]
        return state

    def _actions(
        self, chain: tuple[int, ...], symbol: int
    ) -> list[tuple[int, int | None, dict[int, int]]]:
        """Return for each level the value after a symbol, the value that the symbol sets, or None,
        and the values that it moves, with their images.
        """
        after, actions = self.whole, list[tuple[int, int | None, dict[int, int]]]()
        for level, (height, (before, _)) in enumerate(
            zip(self.heights, pairwise(self._sets(chain)), strict=True)
        ):
            value, reset, turn = chain[level], None, dict[int, int]()
            moved = self.images.move(before, symbol)
            if self.images.height[after] == height:
                if moved != after:
                    reset = value = self._value(level, after, moved)
                else:
                    turn = self._turn(level, before, after, symbol)
                    value = turn.get(value, value)
                after = self._tile_of(level, after, value)
            actions.append((value, reset, turn))
        return actions

    def _turn(self, level: int, before: States, after: States, symbol: int) -> dict[int, int]:
        """Return how a symbol that leads a set onto another of its class moves the values of their
        tiles: empty if it moves none.
        """
        key = (level, before, after, symbol)
        if key in self._turns:
            return self._turns[key]
        row, images = self.machine.transitions, self.images
        moved = {
            self._value(level, before, tile): self._value(
                level, after, frozenset(row[state][symbol] for state in tile)
            )
            for tile in (
                frozenset(images.map[before][q] for q in tile)
                for tile in self._tiles[self._class[before]]
            )
        }
        self._turns[key] = moved if any(v != image for v, image in moved.items()) else {}
        return self._turns[key]
