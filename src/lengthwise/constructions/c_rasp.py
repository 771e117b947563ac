r"""Weights for the regular languages of C-RASP: `--as c-rasp`, a decoder that only counts.

No head looks for a position. Every head attends to all earlier positions alike, and feed-forward
networks compare what it counted (arXiv 2608.13433;
`languages.balanced_counters` decides the class).

The program. An automaton goes through its strongly connected parts in order, each once. In a part
S that was entered in state e, a balanced counter has the sum p(q) - p(e) in state q, whatever was
read since: a tally (`programs`) of few numbers. The weights of later rounds depend on the block of
the state, which the tallies of earlier rounds tell. In the end they tell q itself.

Which state the next part is entered in, the tally `exit` of S tells: where S is left, the position
adds the number of the state that is entered; once, for the first time. A tally `left` counts those
positions first, and `exit` adds nothing where S was left before. If there is only one state to be
entered, `left` is enough. So a position knows, from the exits of the parts above, whether S was
entered, and where. It knows its state from the exits of all parts and the tallies of the last one.

After S is left its tallies continue, and nothing reads them: the network knows that S was left
before, and needs nothing else. Before S is entered they add nothing.

The range. A tally is exact in all four precisions, whatever the length (`tallies`), and all
conditions are exactly 0 or 1. `longest` sets one weight, which float16 bounds to `MAX_COUNT`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lengthwise.constructions.automata import SURE
from lengthwise.constructions.construction import Claim
from lengthwise.constructions.counters import MAX_COUNT
from lengthwise.constructions.defaults import PRECISIONS
from lengthwise.constructions.diagrams import Diagrams
from lengthwise.constructions.lookups import SHARP, LookupDesign, design_lookups
from lengthwise.constructions.programs import Memory, Program, TallyOf, trim
from lengthwise.constructions.tallies import MAX_SUM
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.languages.algebra import c_rasp
from lengthwise.languages.balanced_counters import BalanceCounter as BalancedCounter
from lengthwise.languages.balanced_counters import CountedPart, count_parts
from lengthwise.languages.components import parts
from lengthwise.languages.domain_merging import merge_outside_domain
from lengthwise.languages.language import Language
from lengthwise.languages.verdicts import LadderSubject

MAX_ROUTES = 200
"""Largest number of ways through the parts."""

Key = tuple[int, ...]

Cases = tuple[Sequence[int], Mapping[Key, int]]
"""A function: the variables that are asked, and its values by theirs."""

Exits = Mapping[int, int]
"""From the number of a part that was left to the value of its exit."""


def design_c_rasp(language: Language, *, longest: int = 1_000) -> LookupDesign:
    """Choose the program of a language of C-RASP, and compute the size of its network.

    The network is right on words of at most `longest` symbols.

    Raises:
        ConstructionError: the language is not in C-RASP, and the message has the witness; or it is
            too large, or a setting is out of range.
    """
    name = language.spec or "the language"
    machine = merge_outside_domain(language)
    verdict = c_rasp(LadderSubject(machine))
    if not verdict.holds:
        not_in = "is not in C-RASP: " if verdict.holds is False else "has no network of tallies: "
        raise ConstructionError(f"{name} {not_in}{verdict.says}. Use another rung, such as scan.")
    if longest > MAX_COUNT:
        raise ConstructionError(
            f"tallies are exact for words of at most {MAX_COUNT:,} symbols, but longest={longest}. "
            f"Use a length up to there."
        )
    try:
        program = c_rasp_program(machine)
    except LanguageError as error:
        raise ConstructionError(f"{name} has no network of tallies: {error}") from None
    return design_lookups(program, attention=SHARP, longest=longest)


def claim_of_c_rasp(settings: Mapping[str, Any]) -> Claim:
    """Return the claim of networks with these settings, `longest`."""
    return Claim(
        claim="right at every prefix of a word",
        source="ours, after arXiv 2608.13433",
        range=dict.fromkeys(PRECISIONS, int(settings["longest"])),
        required_margin=SURE / 2,
        is_binary=False,
    )


def c_rasp_program(machine: Language) -> Program:
    """Return the program of an automaton whose parts are counted.

    Raises:
        LanguageError: there are too many ways through the parts, a sum is too large, or a part
            cannot be counted.
        ConstructionError: a condition has too many cases.
    """
    return _Compiler(machine).program()


@dataclass(frozen=True)
class _Part:
    """A strongly connected part, with its variables as they are made."""

    states: tuple[int, ...]
    counted: CountedPart | None
    exits: tuple[int, ...]
    """The states that are entered from here; exit r + 1 leads to the r-th."""
    tallies: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    """For each tally of the part its variable, its numbers, and p of each state of the part."""

    def values(self, state: int, entry: int) -> tuple[int, ...]:
        """Return the values of the tallies so far in a state, entered in another."""
        row, entry_row = self.states.index(state), self.states.index(entry)
        return tuple(sums.index(p[row] - p[entry_row]) for _, sums, p in self.tallies)


class _Compiler:
    """The parts of an automaton in order, and the memories that follow them."""

    def __init__(self, machine: Language) -> None:
        self.machine = machine
        edges = machine.transitions
        counted = {part.states: part for part in count_parts(machine)}
        self.parts: list[_Part] = []
        for part in reversed(parts([list(dict.fromkeys(row)) for row in edges])):
            inside, states = set(part), tuple(sorted(part))
            entered = sorted({t for state in states for t in edges[state]} - inside)
            self.parts.append(_Part(states, counted.get(states), tuple(entered)))
        self.part_of = {state: n for n, part in enumerate(self.parts) for state in part.states}
        self.memories: list[Memory] = []
        self.sizes = [machine.num_symbols + 1]
        self.exit: dict[int, int] = {}
        """The variable of the exit of each part that can be left."""

    def program(self) -> Program:
        """Return the program."""
        for number, part in enumerate(self.parts):
            if part.counted is not None:
                self._count(number, part, part.counted)
            if part.exits:
                self._leave(number, part)
        diagrams = Diagrams(self.sizes)
        class_diagram = diagrams.leaf(0)
        routes = self._routes(len(self.parts))
        every = [self._exit_values(exits, len(self.parts)) for exits, _ in routes]
        for (exits, entry), key in zip(routes, every, strict=True):
            exit_diagram = diagrams.from_cases(
                list(self.exit.values()), {option: int(option == key) for option in every}
            )
            classes = self._classes(entry, is_start=not exits)
            class_diagram = diagrams.apply(
                lambda old, is_here, new: new if is_here else old,
                class_diagram,
                exit_diagram,
                diagrams.from_cases(*classes),
            )
        program = Program(
            alphabet=self.machine.alphabet,
            memories=tuple(self.memories),
            classes=tuple(
                diagrams.condition(class_diagram, c) for c in range(self.machine.num_classes)
            ),
        )
        return trim(program)

    def _classes(self, entry: int, *, is_start: bool) -> Cases:
        """Return the class by the symbol and the tallies of the part that was entered last."""
        part = self.parts[self.part_of[entry]]
        variables = [0, *(variable for variable, _, _ in part.tallies)]
        classes = {
            (symbol + 1, *part.values(state, entry)): self.machine.classes[target]
            for state in part.states
            for symbol, target in enumerate(self.machine.transitions[state])
        }
        if is_start:
            classes[(0,) * len(variables)] = self.machine.classes[entry]
        return variables, classes

    def _count(self, number: int, part: _Part, counted: CountedPart) -> None:
        """Add the tallies of a part, round by round."""
        entries = {entry for _, entry in self._routes(number) if entry in part.states}
        places = [part.states.index(entry) for entry in sorted(entries)]
        for counter_round in counted.rounds:
            blocks = dict(zip(part.states, counter_round.blocks, strict=True))
            new = []
            for counter in counter_round.counters:
                p = counter.values
                amounts = self._cases(number, partial(self._weight, counter, blocks))
                sums = sorted({p[q] - p[e] for q in range(len(p)) for e in places} - {0})
                numbers = (0, *sums)
                if (largest := max(map(abs, numbers))) > MAX_SUM:
                    raise LanguageError(
                        f"a balanced counter has sums up to {largest}, but {MAX_SUM} is the most "
                        f"that a tally tells apart. Use another rung, such as scan."
                    )
                new.append((self._add(amounts, numbers), numbers, p))
            part.tallies.extend(new)

    def _weight(
        self, counter: BalancedCounter, blocks: Mapping[int, int], state: int, symbol: int
    ) -> int | None:
        """Return what is added to a counter, or None where the part is left."""
        if self.machine.transitions[state][symbol] not in blocks:
            return None
        return counter.weights[symbol, blocks[state]]

    def _leave(self, number: int, part: _Part) -> None:
        """Add the tallies that tell whether a part was left, and where to."""
        exits = {state: value for value, state in enumerate(part.exits, start=1)}

        def leads(state: int, symbol: int) -> int:
            return exits.get(self.machine.transitions[state][symbol], 0)

        left = self._cases(number, lambda state, symbol: min(1, leads(state, symbol)))
        self.exit[number] = first = self._add(left, (0, 1))
        if len(exits) > 1:
            variables, cases = self._cases(number, leads)
            once = {(*key, 0): value for key, value in cases.items()}
            once |= {(*key, 1): 0 for key in cases}
            self.exit[number] = self._add(([*variables, first], once), range(len(exits) + 1))

    def _cases(self, number: int, value: Callable[[int, int], int | None]) -> Cases:
        """Return a function of the symbol, the exits above a part, and its tallies so far.

        Where the part was entered it has the value of the state and the symbol, unless that is
        None, and else 0.
        """
        part = self.parts[number]
        variables = [0, *(v for n, v in self.exit.items() if n < number)]
        variables += [variable for variable, _, _ in part.tallies]
        cases: dict[Key, int] = {}
        for exits, entry in self._routes(number):
            above = self._exit_values(exits, number)
            for symbol in range(self.machine.num_symbols):
                if entry not in part.states:
                    cases[symbol + 1, *above, *(0 for _ in part.tallies)] = 0
                    continue
                for state in part.states:
                    if (result := value(state, symbol)) is not None:
                        cases[symbol + 1, *above, *part.values(state, entry)] = result
        return variables, cases

    def _add(self, amounts: Cases, numbers: Sequence[int]) -> int:
        """Add a tally, and return its variable."""
        diagrams = Diagrams(self.sizes)
        function = diagrams.from_cases(*amounts)
        added = sorted(set(amounts[1].values()) - {0})
        self.memories.append(
            TallyOf(
                layer=1,
                amounts=tuple((amount, diagrams.condition(function, amount)) for amount in added),
                sums=tuple(numbers),
            )
        )
        self.sizes.append(len(numbers))
        return len(self.memories)

    def _routes(self, end: int) -> list[tuple[Exits, int]]:
        """Return all ways through the parts before one: the exits, and the state entered last."""
        routes: list[tuple[Exits, int]] = [({}, self.machine.start)]
        for exits, entry in routes:
            number = self.part_of[entry]
            if number < end:
                for value, state in enumerate(self.parts[number].exits, start=1):
                    routes.append(({**exits, number: value}, state))
            if len(routes) > MAX_ROUTES:
                raise LanguageError(
                    f"there are more than {MAX_ROUTES} ways through its parts, the most that are "
                    f"written as a network. Use another rung, such as scan."
                )
        return routes

    def _exit_values(self, exits: Exits, end: int) -> Key:
        """Return the values of the exits of all parts before one that can be left."""
        return tuple(exits.get(number, 0) for number in self.exit if number < end)
