"""Languages of every kind that small automata come in, drawn from a seed.

A rule by size could know nothing of these kinds: uniform automata with few and with
many states and symbols, groups, thresholds, single words, automata that run backwards, orders and
semilattices, several classes, and domains. A language is drawn again until its minimal automaton
needs `LEAST` states or more.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from lengthwise.languages.builders import from_step_function
from lengthwise.languages.groups import group
from lengthwise.languages.language import Language
from lengthwise_papers.own.random_languages import draw_needed_machine

LEAST = 2
"""Least number of states of the minimal automaton."""

_MOST_SYMBOLS = 300


def language_of_kind(kind: str, draws: str, number: int) -> Language:
    """Draw a language; `draws` names a set of draws, such as those that are held out."""
    draw = random.Random(f"{kind} {draws} {number}")
    while True:
        language = KINDS[kind](draw)
        if language.total().minimise().num_states >= LEAST:
            return language


def _names(count: int) -> tuple[str, ...]:
    """Return symbols: letters, or numbers where there are more than 26."""
    if count <= 26:
        return tuple("abcdefghijklmnopqrstuvwxyz"[:count])
    return tuple(map(str, range(count)))


def _few(draw: random.Random) -> int:
    return draw.randint(1, 4)


def _draw_log_uniform(draw: random.Random, least: int, most: int) -> int:
    """Draw a number whose logarithm is uniform."""
    return round(least * (most / least) ** draw.random())


def _uniform(draw: random.Random) -> Language:
    return draw_needed_machine(draw, draw.randint(4, 60), _draw_log_uniform(draw, 2, _MOST_SYMBOLS))


def _small(draw: random.Random) -> Language:
    return draw_needed_machine(draw, draw.randint(4, 12), draw.randint(2, 3))


def _one_symbol(draw: random.Random) -> Language:
    """Draw a line of states that ends in a cycle."""
    states = draw.randint(4, 60)
    back = draw.randrange(states)
    rows = tuple((state + 1 if state + 1 < states else back,) for state in range(states))
    return Language(alphabet=("a",), transitions=rows, classes=_classes(draw, states, 2))


def _classes(draw: random.Random, states: int, count: int) -> tuple[int, ...]:
    """Draw classes of states; each occurs if there are enough states."""
    classes = [*range(count), *(draw.randrange(count) for _ in range(states))][:states]
    draw.shuffle(classes)
    return tuple(classes)


def _cyclic(draw: random.Random) -> Language:
    """Draw sums modulo a number: which are asked for, and what each symbol adds."""
    modulus = draw.randint(2, 101)
    if draw.random() < 0.4:
        return group(f"Z{min(modulus, 60)}")
    steps = dict(
        zip(_names(_few(draw)), [1, *(draw.randrange(modulus) for _ in range(3))], strict=False)
    )
    residues = set(draw.sample(range(modulus), draw.randint(1, modulus - 1)))
    return from_step_function(
        [*steps],
        0,
        lambda value, symbol: (value + steps[symbol]) % modulus,
        lambda v: int(v in residues),
    )


def _dihedral(draw: random.Random) -> Language:
    return group(f"D{draw.randint(3, 30)}", draw.randint(2, 4), draw.randrange(1000))


def _symmetric(draw: random.Random) -> Language:
    """Draw the word problem of S3 to S5, or permutations of up to 60 points by generators."""
    if draw.random() < 0.5:
        return group(f"S{draw.randint(3, 5)}", draw.randint(2, 4), draw.randrange(1000))
    points = draw.randint(5, 60)
    turn, swap = [*range(1, points), 0], [1, 0, *range(2, points)]
    maps = [turn, swap, *(draw.sample(range(points), points) for _ in range(draw.randint(0, 3)))]
    return _of_maps(maps, _classes(draw, points, 2))


def _of_maps(maps: Sequence[Sequence[int]], classes: tuple[int, ...]) -> Language:
    """Return the automaton of a state map for each symbol."""
    return Language(
        alphabet=_names(len(maps)),
        transitions=tuple(zip(*maps, strict=True)),
        classes=classes,
    )


def _threshold(draw: random.Random) -> Language:
    """Draw a count that is remembered up to a bound: at least the bound, or exactly."""
    most, exact = draw.randint(2, 100), draw.random() < 0.5
    return _draw_counter(
        draw, lambda n: min(n + 1, most + 1), lambda n: int(n == most or (n > most and not exact))
    )


def _threshold_and_modulus(draw: random.Random) -> Language:
    """Draw a count that turns round after a bound."""
    bound, modulus = draw.randint(1, 40), draw.randint(2, 40)
    rest = draw.randrange(modulus)
    return _draw_counter(
        draw,
        lambda n: n + 1 if n + 1 < bound + modulus else bound,
        lambda n: int(n >= bound and n % modulus == rest),
    )


def _draw_counter(
    draw: random.Random, more: Callable[[int], int], classify: Callable[[int], int]
) -> Language:
    return from_step_function(
        _names(draw.randint(1, 6)), 0, lambda n, symbol: more(n) if symbol == "a" else n, classify
    )


def _single_word(draw: random.Random) -> Language:
    symbols, length = _names(_few(draw)), draw.randint(1, 60)
    word = [draw.choice(symbols) for _ in range(length)]
    return from_step_function(
        symbols,
        0,
        lambda at, symbol: at + 1 if 0 <= at < length and word[at] == symbol else -1,
        lambda at: int(at == length),
    )


def _contains_word(draw: random.Random) -> Language:
    """Draw a word that others contain, or end with."""
    symbols = _names(draw.randint(2, 4))
    word = "".join(draw.choice(symbols) for _ in range(draw.randint(2, 40)))
    inside = draw.random() < 0.5

    def step(seen: str, symbol: str) -> str:
        if inside and seen == word:
            return seen
        longer = seen + symbol
        return next(longer[i:] for i in range(len(longer) + 1) if word.startswith(longer[i:]))

    return from_step_function(symbols, "", step, lambda seen: int(seen == word))


def _backwards(draw: random.Random) -> Language:
    """Draw maps that are injective where they are defined, and lead to a sink elsewhere."""
    states, share = draw.randint(4, 60), draw.uniform(0.5, 0.98)
    maps = []
    for _ in range(draw.randint(2, 6)):
        order = draw.sample(range(states), states)
        maps.append([t if draw.random() < share else states for t in order] + [states])
    return _of_maps(maps, (*_classes(draw, states, 2), 0))


def _chain(draw: random.Random) -> Language:
    """Draw an automaton that never comes back to a state that it has left."""
    states, jump = draw.randint(4, 60), draw.randint(1, 6)
    maps = [
        [draw.randint(state, min(state + jump, states - 1)) for state in range(states)]
        for _ in range(draw.randint(2, 6))
    ]
    return _of_maps(maps, _classes(draw, states, 2))


def _lattice(draw: random.Random) -> Language:
    """Draw which sets of symbols are asked for: the sets that were seen, or the greatest of
    several counters, step by step."""
    if draw.random() < 0.5:
        count = draw.randint(2, 5)
        classes = [draw.randrange(2) for _ in range(2**count)]
        return from_step_function(
            _names(count),
            0,
            lambda seen, symbol: seen | 1 << ord(symbol) - ord("a"),
            lambda s: classes[s],
        )
    sides = [draw.randint(2, 5) for _ in range(2)]
    class_of = {(x, y): draw.randrange(2) for x in range(sides[0]) for y in range(sides[1])}
    return from_step_function(
        "ab",
        (0, 0),
        lambda at, symbol: (
            min(at[0] + (symbol == "a"), sides[0] - 1),
            min(at[1] + (symbol == "b"), sides[1] - 1),
        ),
        lambda at: class_of[at],
    )


def _several_classes(draw: random.Random) -> Language:
    states, symbols = draw.randint(8, 60), _draw_log_uniform(draw, 2, 100)
    machine = draw_needed_machine(draw, states, symbols)
    return replace(
        machine, classes=_classes(draw, states, draw.randint(3, 8)), class_names=()
    ).minimise()


def _with_domain(draw: random.Random) -> Language:
    """Draw an automaton, and another for the words on which it is asked."""
    symbols = draw.randint(2, 5)
    machine = draw_needed_machine(draw, draw.randint(3, 12), symbols)
    domain = draw_needed_machine(draw, draw.randint(2, 5), symbols)
    return replace(machine, domain=domain).minimise()


KINDS: dict[str, Callable[[random.Random], Language]] = {
    "uniform": _uniform,
    "small uniform": _small,
    "one symbol": _one_symbol,
    "cyclic": _cyclic,
    "dihedral": _dihedral,
    "symmetric": _symmetric,
    "threshold": _threshold,
    "threshold and modulus": _threshold_and_modulus,
    "single word": _single_word,
    "word inside": _contains_word,
    "backwards": _backwards,
    "chain": _chain,
    "lattice": _lattice,
    "several classes": _several_classes,
    "domain": _with_domain,
}
"""Draws by kind."""
