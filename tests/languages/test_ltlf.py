"""Formulas about the future mean what their definition says, position by position."""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings

from lengthwise.errors import LanguageError
from lengthwise.languages import ltlf
from lengthwise.languages.ltl import automaton
from lengthwise.languages.ltl_parser import FUTURE, parse_formula
from lengthwise.languages.ltlf import future_automaton
from lengthwise.languages.spec import parse
from ltl_strategies import FUTURE as OPERATORS
from ltl_strategies import Tree, draw_formula, formulas, holds, in_text
from strategies import texts

MIRRORED = {"X": "Y", "F": "O", "G": "H", "U": "S"}
"""What looks back where the other looks ahead."""


@given(tree=formulas(operators=OPERATORS))
@settings(max_examples=60)
def test_the_automaton_is_the_definition(tree: Tree) -> None:
    language = future_automaton(parse_formula(in_text(tree), "ab", FUTURE), "ab")
    for word in texts("ab", 6):
        assert (word in language) == holds(tree, word, 1), (in_text(tree), word)


def drawn_formulas(number: int) -> list[Tree]:
    """Formulas of depth 1 to 4, most of depth 4."""
    draw = random.Random(0)
    return [draw_formula(draw, draw.choice((1, 2, 3, 4, 4, 4, 4))) for _ in range(number)]


@pytest.mark.slow
def test_the_automaton_is_the_definition_a_thousand_times() -> None:
    sizes = Counter[int]()
    for tree in drawn_formulas(1_000):
        language = future_automaton(parse_formula(in_text(tree), "ab", FUTURE), "ab")
        sizes[language.num_states] += 1
        for word in texts("ab", 6):
            assert (word in language) == holds(tree, word, 1), (in_text(tree), word)
    assert sum(number for states, number in sizes.items() if states > 2) > 500


def mirror(tree: Tree) -> Tree:
    """The formula that says of the reversed word what `tree` says of the word."""
    sign, *parts = tree
    return (MIRRORED.get(str(sign), sign), *map(mirror, parts))  # type: ignore[arg-type]


@given(tree=formulas(operators=(("!", "X", "F", "G"), ("&", "|", "->", "<->", "U"))))
def test_the_past_of_the_reversed_word_is_the_future(tree: Tree) -> None:
    ahead = future_automaton(parse_formula(in_text(tree), "ab", FUTURE), "ab")
    back = automaton(parse_formula(in_text(mirror(tree)), "ab"), "ab")
    for word in filter(None, texts("ab", 6)):
        assert (word in ahead) == (word[::-1] in back), (in_text(tree), word)


def test_the_empty_word() -> None:
    inside = {"G a": True, "F a": False, "a": False, "!a": True, "X a": False, "N a": True}
    inside |= {"F true": False, "true": True, "a U b": False, "a W b": True, "a R b": True}
    assert {text: "" in parse(f"ltlf[ab]:{text}") for text in inside} == inside


Trace = Sequence[frozenset[str]]


def _first(trace: Trace, letter: str) -> int:
    """Index of the first position with a proposition; the length if there is none."""
    return next((at for at, here in enumerate(trace) if letter in here), len(trace))


def _scopes(trace: Trace) -> dict[str, list[Trace]]:
    """Stretches of a trace by Dwyer's scopes, with q that opens and r that closes."""
    r, q = _first(trace, "r"), _first(trace, "q")
    return {
        "globally": [trace],
        "before r": [trace[:r]] if r < len(trace) else [],
        "after q": [trace[q:]] if q < len(trace) else [],
    }


def _has(trace: Trace, letter: str) -> bool:
    return any(letter in here for here in trace)


def _runs(trace: Trace) -> int:
    """Number of stretches in which p holds all the time."""
    return sum(
        "p" in here and (at == 0 or "p" not in trace[at - 1]) for at, here in enumerate(trace)
    )


def _follow(trace: Trace, first: str, then: str) -> bool:
    """Whether one proposition occurs, and another after it."""
    return _has(trace[_first(trace, first) + 1 :], then)


TWICE = "((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r)))))))))"
"""At most two stretches of p up to an r that comes."""

PATTERNS: dict[tuple[str, str], tuple[str, Callable[[Trace], bool]]] = {
    ("absence", "globally"): ("G !p", lambda t: not _has(t, "p")),
    ("absence", "before r"): ("F r -> (!p U r)", lambda t: not _has(t, "p")),
    ("absence", "after q"): ("G (q -> G !p)", lambda t: not _has(t, "p")),
    ("existence", "globally"): ("F p", lambda t: _has(t, "p")),
    ("existence", "before r"): ("!r W (p & !r)", lambda t: _has(t, "p")),
    ("existence", "after q"): ("G !q | F (q & F p)", lambda t: _has(t, "p")),
    ("universality", "globally"): ("G p", lambda t: all("p" in x for x in t)),
    ("universality", "before r"): ("F r -> (p U r)", lambda t: all("p" in x for x in t)),
    ("universality", "after q"): ("G (q -> G p)", lambda t: all("p" in x for x in t)),
    ("precedence", "globally"): ("!p W s", lambda t: _first(t, "s") <= _first(t, "p")),
    ("precedence", "before r"): (
        "F r -> (!p U (s | r))",
        lambda t: _first(t, "s") <= _first(t, "p"),
    ),
    ("precedence", "after q"): (
        "!q W (q & (!p W s))",  # the catalogue has F (q & ...), which asks it of any one q
        lambda t: _first(t, "s") <= _first(t, "p"),
    ),
    ("response", "globally"): (
        "G (p -> F s)",
        lambda t: all(_has(t[at:], "s") for at, here in enumerate(t) if "p" in here),
    ),
    ("response", "before r"): (
        "F r -> ((p -> (!r U (s & !r))) U r)",
        lambda t: all(_has(t[at:], "s") for at, here in enumerate(t) if "p" in here),
    ),
    ("response", "after q"): (
        "G (q -> G (p -> F s))",
        lambda t: all(_has(t[at:], "s") for at, here in enumerate(t) if "p" in here),
    ),
    ("bounded existence", "globally"): ("!p W (p W (!p W (p W G !p)))", lambda t: _runs(t) <= 2),
    ("bounded existence", "before r"): (f"F r -> {TWICE}", lambda t: _runs(t) <= 2),
    ("bounded existence", "after q"): (
        "!q W (q & (!p W (p W (!p W (p W G !p)))))",
        lambda t: _runs(t) <= 2,
    ),
    ("precedence chain, s t before p", "globally"): (
        "F p -> (!p U (s & !p & X (!p U t)))",
        lambda t: not _has(t, "p") or _follow(t[: _first(t, "p") + 1], "s", "t"),
    ),
    ("precedence chain, p before s t", "globally"): (
        "F (s & X F t) -> (!s U p)",
        lambda t: not _follow(t, "s", "t") or _first(t, "p") <= _first(t, "s"),
    ),
    ("response chain, s t after p", "globally"): (
        "G (p -> F (s & X F t))",
        lambda t: all(_follow(t[at:], "s", "t") for at, here in enumerate(t) if "p" in here),
    ),
    ("response chain, p after s t", "globally"): (
        "G (s & X F t -> X F (t & F p))",
        lambda t: all(
            _has(t[at + 1 + _first(t[at + 1 :], "t") :], "p")
            for at, here in enumerate(t)
            if "s" in here and _has(t[at + 1 :], "t")
        ),
    ),
    ("response chain, s t after p", "after q"): (
        "G (q -> G (p -> F (s & X F t)))",
        lambda t: all(_follow(t[at:], "s", "t") for at, here in enumerate(t) if "p" in here),
    ),
}
"""Patterns of Dwyer, Avrunin and Corbett (1999): the formula, and what it says of a stretch."""

BETWEEN = {
    "absence": ("G ((q & !r & F r) -> (!p U r))", lambda t: not _has(t, "p")),
    "existence": ("G ((q & !r) -> (!r W (p & !r)))", lambda t: _has(t, "p")),
    "universality": ("G ((q & !r & F r) -> (p U r))", lambda t: all("p" in x for x in t)),
    "precedence": (
        "G ((q & !r & F r) -> (!p U (s | r)))",
        lambda t: _first(t, "s") <= _first(t, "p"),
    ),
    "bounded existence": (f"G ((q & !r & F r) -> {TWICE})", lambda t: _runs(t) <= 2),
    "response": (
        "G ((q & !r & F r) -> ((p -> (!r U (s & !r))) U r))",
        lambda t: all(_has(t[at:], "s") for at, here in enumerate(t) if "p" in here),
    ),
}
"""The same between q and r: each stretch from a q up to the r after it."""


def _traces(letters: str) -> list[Trace]:
    """All short traces, and some that are longer."""
    sets = [
        frozenset(c) for n in range(len(letters) + 1) for c in itertools.combinations(letters, n)
    ]
    draw, longest = random.Random(0), {1: 8, 2: 6, 3: 4}.get(len(letters), 3)
    short = (itertools.product(sets, repeat=length) for length in range(longest + 1))
    rare = [1 / (1 + len(one)) for one in sets]
    long = (draw.choices(sets, rare, k=draw.randint(4, 10)) for _ in range(2_000))
    return [*itertools.chain.from_iterable(short), *long]


def _written(trace: Trace, order: str) -> str:
    return " ".join("+".join(c for c in order if c in here) or "{}" for here in trace)


@pytest.mark.parametrize(("pattern", "scope"), PATTERNS)
def test_patterns_of_specifications(pattern: str, scope: str) -> None:
    formula, says = PATTERNS[pattern, scope]
    letters = "".join(c for c in "pqrst" if c in formula)
    language = parse(f"ltlf[propositions={' '.join(letters)}]:{formula}")
    for trace in _traces(letters):
        expected = all(map(says, _scopes(trace)[scope]))
        assert (_written(trace, letters) in language) == expected, trace


@pytest.mark.parametrize("pattern", BETWEEN)
def test_patterns_between_two_events(pattern: str) -> None:
    formula, says = BETWEEN[pattern]
    letters = "".join(c for c in "pqrs" if c in formula)
    language = parse(f"ltlf[propositions={' '.join(letters)}]:{formula}")
    for trace in _traces(letters):
        stretches = [
            trace[at : at + _first(trace[at:], "r")]
            for at, here in enumerate(trace)
            if "q" in here and "r" not in here and _has(trace[at:], "r")
        ]
        assert (_written(trace, letters) in language) == all(map(says, stretches)), trace


def test_a_specification_builds_its_language_again() -> None:
    for spec in ("ltlf:a U b", "ltlf[abc]:G a", "ltlf[propositions=p q]:G (p -> F q)"):
        language = parse(spec)
        assert language.spec == spec
        assert parse(language.spec) == language


def test_symbols_are_sets_of_propositions() -> None:
    language = parse("ltlf[propositions=login admin]:G (admin -> login)")
    assert language.alphabet == ("{}", "login", "admin", "login+admin")
    assert "login {} login+admin" in language
    assert "login admin" not in language


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("ltlf:true", "has no symbol, so an alphabet is needed. Write ltlf[ab]:true"),
        ("ltlf[propositions=p]:q", "column 1: symbol 'q' is not in the alphabet"),
        ("ltlf[propositions=]:true", "1 to 8 different propositions"),
        ("ltlf[propositions=p p]:p", "1 to 8 different propositions"),
        ("ltlf[propositions=a b c d e f g h i]:a", "1 to 8 different propositions"),
        ("ltlf[ab:a", "the bracket after ltlf is not closed"),
        ("ltlf:a U", "found the end instead of a symbol, '(', '!', X, N, F, G, true or false"),
    ],
)
def test_slips_are_refused_in_one_line(spec: str, part: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse(spec)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_formula_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = " & ".join(f"F {c}" for c in "abcdefgh")
    assert parse(f"ltlf:{formula}").num_states == 2**8
    monkeypatch.setattr(ltlf, "MAX_STATES", 100)
    with pytest.raises(LanguageError, match="8 temporal operators and needs more than 100 states"):
        parse(f"ltlf:{formula}")
    monkeypatch.setattr(ltlf, "MAX_STATES", 1_000)
    monkeypatch.setattr(ltlf, "MAX_COMPARISONS", 50)
    either = " & ".join(f"F ({c} | X X {c})" for c in "abcdefgh")
    with pytest.raises(LanguageError, match="needs more than 50 steps"):
        parse(f"ltlf:{either}")
