"""Random languages, expressions and words, shared by all tests."""

from itertools import product
from random import Random

import numpy as np
from hypothesis import strategies as st

from lengthwise.languages.language import Language
from lengthwise.proofs.search.finite_algebra import FiniteAlgebra, Tables


def class_of(language: Language, word: tuple[int, ...]) -> str:
    """The oracle: step by step, `outside` for a word outside the domain."""
    if language.domain is not None and class_of(language.domain, word) != "1":
        return "outside"
    state = language.start
    for symbol in word:
        state = language.transitions[state][symbol]
    return language.class_names[language.classes[state]]


def all_words(language: Language, max_length: int) -> list[tuple[int, ...]]:
    """Every word of at most `max_length` symbols, in length order, inside the domain or not."""
    return [
        word
        for length in range(max_length + 1)
        for word in product(range(language.num_symbols), repeat=length)
    ]


def texts(alphabet: str, max_length: int) -> list[str]:
    """Every word of at most `max_length` symbols of one character, as it is written."""
    return [
        "".join(word)
        for length in range(max_length + 1)
        for word in product(alphabet, repeat=length)
    ]


def words(language: Language, *, max_size: int = 12) -> st.SearchStrategy[tuple[int, ...]]:
    """Encoded words, inside the domain or not."""
    symbols = st.integers(0, language.num_symbols - 1)
    return st.lists(symbols, max_size=max_size).map(tuple)


def words_of_all_lengths(
    language: Language, count: int, *, longest: int = 2_000
) -> list[tuple[int, ...]]:
    """Draw words of the domain, or all if it has none: half of them short, the others of any
    length."""
    draw = Random(f"words of all lengths {language.num_symbols}")
    machine = language.total()
    alive = machine.reaching(lambda c: c < language.num_classes)
    near = [[(a, t) for a, t in enumerate(row) if t in alive] for row in machine.transitions]
    drawn = []
    for number in range(count):
        length = draw.randint(0, longest if number % 2 else 12)
        word, state = list[int](), machine.start
        while len(word) < length or machine.classes[state] >= language.num_classes:
            if not near[state]:
                break
            symbol, state = draw.choice(near[state])
            word.append(symbol)
        drawn.append(tuple(word))
    return drawn


def minimal_automaton(seed: int) -> Language:
    """Draw an automaton of 4 to 8 states, all needed, with 2 or 3 symbols and 2 classes."""
    draw = Random(f"uniform automaton {seed}")
    states, symbols = draw.randint(4, 8), draw.randint(2, 3)
    while True:
        rows = [[draw.randrange(states) for _ in range(symbols)] for _ in range(states)]
        machine = Language(
            alphabet=tuple("abc"[:symbols]),
            transitions=tuple(map(tuple, rows)),
            classes=tuple(draw.randrange(2) for _ in range(states)),
        )
        if machine.minimise().num_states == states:
            return machine


@st.composite
def machines(
    draw: st.DrawFn, *, alphabet: str = "ab", max_states: int = 6, num_classes: int = 3
) -> Language:
    """Complete Moore machines, minimal or not, with any start state and perhaps unused classes."""
    size = draw(st.integers(1, max_states))
    states = st.integers(0, size - 1)
    row = st.tuples(*[states for _ in alphabet])
    return Language(
        alphabet=tuple(alphabet),
        transitions=tuple(draw(st.lists(row, min_size=size, max_size=size))),
        classes=tuple(
            draw(st.lists(st.integers(0, num_classes - 1), min_size=size, max_size=size))
        ),
        start=draw(states),
        class_names=tuple(map(str, range(num_classes))),
    )


def recognisers(*, alphabet: str = "ab", max_states: int = 6) -> st.SearchStrategy[Language]:
    """Complete deterministic automata."""
    return machines(alphabet=alphabet, max_states=max_states, num_classes=2)


@st.composite
def machines_with_domain(
    draw: st.DrawFn, *, alphabet: str = "ab", num_classes: int = 3
) -> Language:
    """Moore machines with a domain that has a word."""
    machine = draw(machines(alphabet=alphabet, max_states=4, num_classes=num_classes))
    domain = draw(
        recognisers(alphabet=alphabet, max_states=4).filter(lambda d: d.shortest(1) is not None)
    )
    return Language(
        alphabet=machine.alphabet,
        transitions=machine.transitions,
        classes=machine.classes,
        start=machine.start,
        class_names=machine.class_names,
        domain=domain,
    )


def expressions(alphabet: str = "ab") -> st.SearchStrategy[str]:
    """Regular expressions that mean the same here and in Python's `re`."""
    atoms = st.sampled_from([*alphabet, ".", "()", f"[{alphabet}]", f"[^{alphabet[0]}]"])
    repetitions = st.sampled_from(["*", "+", "?", "{0}", "{2}", "{1,}", "{,2}", "{1,3}", "{0,0}"])

    def larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pairs = st.tuples(smaller, smaller)
        return st.one_of(
            pairs.map("".join),
            pairs.map(lambda pair: f"({pair[0]}|{pair[1]})"),
            st.tuples(smaller, repetitions).map(lambda pair: f"({pair[0]}){pair[1]}"),
        )

    return st.recursive(atoms, larger, max_leaves=8)


@st.composite
def finite_algebras(draw: st.DrawFn) -> FiniteAlgebra:
    """Algebras with chunks of 2 or 3 and up to 3 levels, in which all chunks occur."""
    chunk = draw(st.sampled_from([2, 3]))
    num_symbols, num_classes = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    count = draw(st.integers(2, 3))
    repeat = draw(st.integers(1, count - 1))
    most = 4 if chunk == 2 else 3
    inner = [num_symbols, *(draw(st.integers(1, most)) for _ in range(count - 1))]
    outer = [num_symbols, *(draw(st.integers(1, most)) for _ in range(count - 1))]
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = []
    for level in range(count):
        above = level + 1 if level + 1 < count else repeat
        levels.append(
            Tables(
                interior=random.integers(inner[above], size=(inner[level],) * chunk),
                edge=tuple(
                    random.integers(outer[above], size=(outer[level],) + (inner[level],) * others)
                    for others in range(chunk)
                ),
                classes=random.integers(num_classes, size=outer[above]),
            )
        )
    return FiniteAlgebra(
        num_symbols=num_symbols,
        num_classes=num_classes,
        chunk_size=chunk,
        levels=tuple(levels),
        repeat=repeat,
        empty=draw(st.integers(0, outer[1] - 1)),
    )
