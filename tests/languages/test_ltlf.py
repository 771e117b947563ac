"""Formulas about the future mean what their definition says, position by position."""

import itertools
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
from ltl_strategies import Tree, formulas, holds, in_text
from strategies import texts

MIRRORED = {"X": "Y", "F": "O", "G": "H", "U": "S"}
"""What looks back where the other looks ahead."""


@given(tree=formulas(operators=OPERATORS))
@settings(max_examples=60)
def test_the_automaton_is_the_definition(tree: Tree) -> None:
    language = future_automaton(parse_formula(in_text(tree), "ab", FUTURE), "ab")
    for word in texts("ab", 6):
        assert (word in language) == holds(tree, word, 1), (in_text(tree), word)


@pytest.mark.slow
@given(tree=formulas(max_leaves=10, operators=OPERATORS))
@settings(max_examples=1_000)
def test_the_automaton_is_the_definition_a_thousand_times(tree: Tree) -> None:
    language = future_automaton(parse_formula(in_text(tree), "ab", FUTURE), "ab")
    for word in texts("ab", 6):
        assert (word in language) == holds(tree, word, 1), (in_text(tree), word)


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
    ("bounded existence", "globally"): (
        "!p W (p W (!p W (p W G !p)))",
        lambda t: sum("p" in b and (i == 0 or "p" not in t[i - 1]) for i, b in enumerate(t)) <= 2,
    ),
}
"""Patterns of Dwyer, Avrunin and Corbett (1999): the formula, and what it says of a stretch."""

BETWEEN = {
    "absence": ("G ((q & !r & F r) -> (!p U r))", lambda t: not _has(t, "p")),
    "existence": ("G ((q & !r) -> (!r W (p & !r)))", lambda t: _has(t, "p")),
    "universality": ("G ((q & !r & F r) -> (p U r))", lambda t: all("p" in x for x in t)),
    "response": (
        "G ((q & !r & F r) -> ((p -> (!r U (s & !r))) U r))",
        lambda t: all(_has(t[at:], "s") for at, here in enumerate(t) if "p" in here),
    ),
}
"""The same between q and r: each stretch from a q up to the r after it."""


def _traces(letters: str, longest: int) -> list[Trace]:
    sets = [
        frozenset(c) for n in range(len(letters) + 1) for c in itertools.combinations(letters, n)
    ]
    return [
        trace for length in range(longest + 1) for trace in itertools.product(sets, repeat=length)
    ]


def _written(trace: Trace, order: str) -> str:
    return " ".join("+".join(c for c in order if c in here) or "{}" for here in trace)


@pytest.mark.parametrize(("pattern", "scope"), PATTERNS)
def test_patterns_of_specifications(pattern: str, scope: str) -> None:
    formula, says = PATTERNS[pattern, scope]
    letters = "".join(c for c in "pqrs" if c in formula)
    language = parse(f"ltlf[propositions={' '.join(letters)}]:{formula}")
    for trace in _traces(letters, 4 if len(letters) < 3 else 3):
        expected = all(map(says, _scopes(trace)[scope]))
        assert (_written(trace, letters) in language) == expected, trace


@pytest.mark.parametrize("pattern", BETWEEN)
def test_patterns_between_two_events(pattern: str) -> None:
    formula, says = BETWEEN[pattern]
    letters = "".join(c for c in "pqrs" if c in formula)
    language = parse(f"ltlf[propositions={' '.join(letters)}]:{formula}")
    for trace in _traces(letters, 3 if len(letters) < 4 else 2):
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
