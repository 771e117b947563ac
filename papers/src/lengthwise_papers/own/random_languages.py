"""Languages drawn from a seed, and long random words of a language."""

import random
from collections.abc import Callable

from lengthwise.errors import LanguageError
from lengthwise.languages.balanced_counters import is_c_rasp
from lengthwise.languages.builders import from_step_function
from lengthwise.languages.cascade import find_group
from lengthwise.languages.language import Language
from lengthwise.languages.regex import from_regex
from lengthwise.languages.spec import parse

MOST_STATES = 12


def random_automaton(seed: int) -> Language:
    """Draw an automaton with 2-12 states, all needed, over 2-4 symbols."""
    draw = random.Random(f"automaton {seed}")
    states, symbols = draw.randint(2, MOST_STATES), draw.randint(2, 4)
    return draw_needed_machine(draw, states, symbols)


SMALL = (4, 8)
"""Least and greatest numbers of states."""


def uniform_automaton(seed: int, size: tuple[int, int] = SMALL) -> Language:
    """Draw a minimal automaton with 2 or 3 symbols, by uniform transitions."""
    draw = random.Random(f"{'' if size == SMALL else 'large '}uniform automaton {seed}")
    states, symbols = draw.randint(*size), draw.randint(2, 3)
    return draw_needed_machine(draw, states, symbols)


def draw_needed_machine(draw: random.Random, states: int, symbols: int) -> Language:
    """Draw automata by uniform transitions and classes, and return the first that needs all
    states."""
    while True:
        machine = draw_machine(draw, states, symbols)
        if machine.minimise().num_states == states:
            return machine


def draw_machine(draw: random.Random, states: int, symbols: int) -> Language:
    """Draw an automaton by uniform transitions and classes; not all its states may be needed."""
    return Language(
        alphabet=tuple("abcdefghij"[:symbols])
        if symbols <= 10
        else tuple(map(str, range(symbols))),
        transitions=tuple(
            tuple(draw.randrange(states) for _ in range(symbols)) for _ in range(states)
        ),
        classes=tuple(draw.randrange(2) for _ in range(states)),
    )


def random_expression(seed: int) -> Language:
    """Draw a regular expression over 2-4 symbols whose language has two states or more."""
    draw = random.Random(f"expression {seed}")
    symbols = "abcd"[: draw.randint(2, 4)]

    def expression(leaves: int) -> str:
        if leaves == 1:
            return draw.choice([*symbols, *symbols, "."])
        left = draw.randint(1, leaves - 1)
        first, second = expression(left), expression(leaves - left)
        joined = first + second if draw.random() < 0.6 else f"({first}|{second})"
        return f"({joined}){draw.choice('*+?')}" if draw.random() < 0.4 else joined

    while True:
        language = from_regex(expression(draw.randint(2, 10)), tuple(symbols))
        if 2 <= language.minimise().num_states <= MOST_STATES:
            return language


def random_formula(seed: int) -> Language:
    """Draw a formula of past-time logic over 2-3 symbols whose language has two states or more."""
    draw = random.Random(f"formula {seed}")
    symbols = "abc"[: draw.randint(2, 3)]

    def formula(leaves: int) -> str:
        if draw.random() < 0.3:
            return f"{draw.choice(['!', 'Y ', 'O ', 'H '])}({formula(leaves)})"
        if leaves == 1:
            return draw.choice([*symbols, *symbols, "true"])
        left = draw.randint(1, leaves - 1)
        operator = draw.choice(["&", "|", "->", "S", "S"])
        return f"({formula(left)}) {operator} ({formula(leaves - left)})"

    while True:
        try:
            language = parse(f"ltl:{formula(draw.randint(2, 8))}", symbols)
        except LanguageError:  # nested too deeply
            continue
        if language.num_states >= 2:
            return language


def random_star_free(seed: int) -> Language:
    """Draw an automaton with 3-6 states, all needed, over 2-3 symbols, and no group."""
    draw = random.Random(f"star-free {seed}")
    states, symbols = draw.randint(3, 6), draw.randint(2, 3)
    return _first_that(draw, states, symbols, lambda machine: find_group(machine) is None)


def random_counting(seed: int) -> Language:
    """Draw an automaton with 2-4 states, all needed, over 2-3 symbols, and a group, which is
    solvable, as it permutes at most 4 states.
    """
    draw = random.Random(f"counting {seed}")
    states, symbols = draw.randint(2, 4), draw.randint(2, 3)
    return _first_that(draw, states, symbols, lambda machine: find_group(machine) is not None)


def random_c_rasp(seed: int) -> Language:
    """Draw an automaton of C-RASP with 3-6 states, all needed, over 2-3 symbols."""
    draw = random.Random(f"c-rasp {seed}")
    states, symbols = draw.randint(3, 6), draw.randint(2, 3)
    return _first_that(draw, states, symbols, is_c_rasp)


def random_of_rung(rung: str, seed: int) -> Language:
    """Draw a language whose first rung on the ladder is this one, with a key of `RUNGS` or
    `regular`.

    It is neither finite nor the complement of a finite one, and on the rung `regular` it is known
    not to be solvable.
    """
    draw = random.Random(f"{rung} {seed}")
    while True:
        machine = _DRAWN[rung](draw).minimise()
        if rung == "c_rasp" and not is_c_rasp(machine):  # the ladder would say so, but slowly
            continue
        if 3 <= machine.num_states <= MOST_STATES:
            rungs = machine.ladder()
            ends = rungs["finite"].holds or rungs["co_finite"].holds
            is_open = rungs["solvable"].holds is None
            if rungs.rung.key == rung and not (ends or is_open):
                return machine


def _window(draw: random.Random) -> Language:
    """Draw classes for the first and last symbols of words over 2 symbols."""
    first, last = draw.choice([(0, 2), (0, 3), (1, 1), (1, 2), (2, 1), (2, 0), (3, 0)])
    classes: dict[tuple[str, str], int] = {}

    def step(ends: tuple[str, str], symbol: str) -> tuple[str, str]:
        start, end = ends
        longer = start + symbol if len(start) < first else start
        return longer, (end + symbol)[-last:] if last else ""

    def classify(ends: tuple[str, str]) -> int:
        return classes.setdefault(ends, draw.randrange(2))

    return from_step_function("ab", ("", ""), step, classify)


def _draw_ordered(draw: random.Random) -> Language:
    """Draw an automaton that never comes back to a state that it has left."""
    states, symbols = draw.randint(3, 6), draw.randint(2, 3)
    return Language(
        alphabet=tuple("abc"[:symbols]),
        transitions=tuple(
            tuple(draw.randint(state, min(state + 2, states - 1)) for _ in range(symbols))
            for state in range(states)
        ),
        classes=tuple(draw.randrange(2) for _ in range(states)),
    )


def _draw_permuting(draw: random.Random) -> Language:
    """Draw an automaton in which each symbol permutes the states, all but perhaps the last."""
    states, symbols = draw.randint(5, 6), draw.randint(2, 3)
    maps = [draw.sample(range(states), states) for _ in range(symbols)]
    if symbols > 2:
        maps[-1] = [draw.randrange(states) for _ in range(states)]
    return Language(
        alphabet=tuple("abc"[:symbols]),
        transitions=tuple(zip(*maps, strict=True)),
        classes=tuple(draw.randrange(2) for _ in range(states)),
    )


def _uniform(most: int) -> Callable[[random.Random], Language]:
    def draw_one(draw: random.Random) -> Language:
        return draw_needed_machine(draw, draw.randint(3, most), draw.randint(2, 3))

    return draw_one


_DRAWN: dict[str, Callable[[random.Random], Language]] = {
    "generalised_definite": _window,
    "r_trivial": _draw_ordered,
    "c_rasp": _uniform(6),
    "star_free": _uniform(6),
    "solvable": _uniform(4),
    "regular": _draw_permuting,
}
"""By rung: a draw of machines, among which are some of the rung."""


def _first_that(
    draw: random.Random, states: int, symbols: int, holds: Callable[[Language], bool]
) -> Language:
    """Draw minimal automata of a size, and return the first for which a condition holds."""
    while True:
        machine = draw_needed_machine(draw, states, symbols).minimise()
        if holds(machine):
            return machine


def long_words(language: Language, length: int, count: int, seed: int) -> list[tuple[int, ...]]:
    """Draw words of `length` symbols, or of the next length that has words, of each class in turn.

    A word is a random walk among the states from which its class can still be reached.
    """
    machine = language.total().minimise()
    draw = random.Random(f"long {seed}").random
    for n in range(length, length + 1_000):
        ways = {c: _ways(machine, c, n) for c in range(language.num_classes)}
        classes = [c for c, rows in ways.items() if rows[n][machine.start]]
        if classes:
            break
    words = []
    for index in range(count if classes else 0):
        rows = ways[classes[(index + seed) % len(classes)]]
        moves: dict[tuple[int, int], list[tuple[int, int]]] = {}
        state, word = machine.start, []
        for left in range(n - 1, -1, -1):
            key = (id(rows[left]), state)
            if key not in moves:
                after = enumerate(machine.transitions[state])
                moves[key] = [(symbol, s) for symbol, s in after if rows[left][s]]
            symbol, state = moves[key][int(draw() * len(moves[key]))]
            word.append(symbol)
        words.append(tuple(word))
    return words


def _ways(machine: Language, c: int, length: int) -> list[tuple[bool, ...]]:
    """Return, by number of symbols to come, from which states they can end in the class."""
    known: dict[tuple[bool, ...], tuple[bool, ...]] = {}
    rows = [tuple(number == c for number in machine.classes)]
    for _ in range(length):
        last = rows[-1]
        if last not in known:
            known[last] = tuple(any(last[s] for s in row) for row in machine.transitions)
        rows.append(known[last])
    return rows
