"""The judge of engines, on planted faults and on what it says of engines of others."""

import re
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from expressions import random_expression
from lengthwise.decoding.byte_automaton import byte_automaton
from lengthwise.decoding.conformance import Conformance, compare_languages, judge
from lengthwise.decoding.dialect import characters_of
from lengthwise.decoding.engines import ENGINES, Engine, make_engine
from lengthwise.decoding.token_automaton import TokenAutomaton
from lengthwise.decoding.vocabulary import Vocabulary
from lengthwise.errors import ConfigError, LanguageError

LETTERS = Vocabulary((b"a", b"b", b"c", None), (3,), {3: b"</s>"})
LONGEST = 5


class Planted(Engine):
    """An engine of another expression than the one that it is judged by; its states are seen."""

    distribution = module = "lengthwise"
    exposes_states = True

    def __init__(self, expression: str, vocabulary: Vocabulary) -> None:
        self.automaton = TokenAutomaton(byte_automaton(re.compile(expression)), vocabulary)

    def start(self) -> int:
        return self.automaton.start

    def mask(self, state: int) -> NDArray[np.bool_]:
        return self.automaton.mask(state)

    def advance(self, state: int, token: int) -> int:
        return self.automaton.advance(state, token)


class Hidden(Planted):
    exposes_states = False


def first_wrong(expression: str, engine: Engine, vocabulary: Vocabulary) -> tuple[int, set[str]]:
    """The oracle: the length of the shortest wrong sequences, and their verdicts."""
    pattern = re.compile(expression)
    texts = np.flatnonzero(vocabulary.text).tolist()
    for length in range(LONGEST + 1):
        verdicts = set()
        for tokens in product(texts, repeat=length):
            spelled = b"".join(vocabulary.tokens[token] or b"" for token in tokens)
            belongs = pattern.fullmatch(spelled.decode()) is not None
            if belongs != allows(engine, tokens, vocabulary):
                verdicts.add("lost" if belongs else "gained")
        if verdicts:
            return length, verdicts
    return LONGEST + 1, set()


def allows(engine: Engine, tokens: tuple[int, ...], vocabulary: Vocabulary) -> bool:
    state: Any = engine.start()
    for token in tokens:
        if not engine.mask(state)[token]:
            return False
        state = engine.advance(state, token)
    return bool(engine.mask(state)[list(vocabulary.ends)].any())


def require_right(found: Conformance, expression: str, engine: Engine) -> None:
    """Require the verdict, and the length of the sequence, of the oracle."""
    length, verdicts = first_wrong(expression, engine, LETTERS)
    if found.verdict == "conforms":
        assert length > LONGEST
    elif length <= LONGEST:
        assert len(found.tokens) == length
        assert found.verdict in verdicts
    if found.verdict != "conforms":
        text = b"".join(LETTERS.tokens[token] or b"" for token in found.tokens).decode()
        belongs = re.fullmatch(expression, text) is not None
        assert belongs == (found.verdict == "lost")
        assert allows(engine, found.tokens, LETTERS) != belongs


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", [Planted, Hidden])
def test_the_shortest_wrong_sequence_is_found(seed: int, kind: type[Planted]) -> None:
    draw = Random(f"planted {seed}")
    expression, other = random_expression(draw), random_expression(draw, depth=2)
    faulty = draw.choice([expression, f"({expression})|{other}", f"({expression}){other}?", other])
    try:
        engine = kind(faulty, LETTERS)
        language = kind(expression, LETTERS).automaton
    except (ConfigError, LanguageError):  # no string
        return
    found = compare_languages(engine, language)
    assert found.is_exact == kind.exposes_states
    certain = found.is_exact or (found.max_states or 0) >= len(engine.automaton.states)
    if found.verdict != "conforms" or certain:
        require_right(found, expression, engine)


def test_a_fault_beyond_the_states_is_found_with_more() -> None:
    """An engine of 8 states that forgets to repeat, of a language of 1."""
    engine = Hidden("a{0,7}", LETTERS)
    language = Hidden("a*", LETTERS).automaton
    assert compare_languages(engine, language, more_states=5).max_states == 6
    found = compare_languages(engine, language, more_states=6)
    assert (found.verdict, found.tokens) == ("lost", (0,) * 8)
    exact = compare_languages(Planted("a{0,7}", LETTERS), language)
    assert (exact.tokens, exact.is_exact) == ((0,) * 8, True)


def test_a_dead_end_is_said_and_not_a_wrong_sequence() -> None:
    class Careless(Planted):
        def mask(self, state: int) -> NDArray[np.bool_]:
            allowed = super().mask(state)
            allowed[0] |= state == self.automaton.start
            return allowed

    found = compare_languages(Careless("b", LETTERS), Planted("b", LETTERS).automaton)
    assert (found.verdict, found.stuck) == ("conforms", (0,))


def test_of_many_tokens_some_are_followed() -> None:
    tokens = tuple(
        "".join(each).encode() for n in (1, 2, 3, 4) for each in product("abc", repeat=n)
    )
    many = Vocabulary((*tokens, None), (len(tokens),))
    right, wrong = (Hidden(each, many) for each in ("(a|b|c)*", "(a|b|c){0,9}"))
    found = compare_languages(right, right.automaton)
    assert (found.verdict, found.followed_all, found.max_states) == ("conforms", False, None)
    assert compare_languages(wrong, right.automaton).verdict == "lost"


def test_our_processor_conforms() -> None:
    for seed in range(8):
        expression = random_expression(Random(f"own {seed}"))
        vocabulary = characters_of(expression)
        assert judge("lengthwise", expression, vocabulary).verdict == "conforms", expression


@pytest.mark.parametrize("name", sorted(set(ENGINES) - {"lengthwise"}))
def test_an_engine_is_judged_without_false_alarm(name: str) -> None:
    pytest.importorskip(ENGINES[name].module)
    for seed in range(20):
        expression = random_expression(Random(f"engine {seed}"))
        found = judge(name, expression, LETTERS)
        require_right(found, expression, make_engine(name, expression, LETTERS)[0])


KNOWN = [
    ("outlines-core", "0.2.14", "(cb)+", "lost", b"cbcb"),
    ("xgrammar", "0.2.9", "[^a]{4,}", "gained", b""),
    ("llguidance", "1.9.1", "(cb)+", "conforms", b""),
    ("llguidance", "1.9.1", "[^a]{4,}", "conforms", b""),
]


@pytest.mark.parametrize(("name", "version", "expression", "verdict", "text"), KNOWN)
def test_known_faults_are_found_from_the_expression_alone(
    name: str, version: str, expression: str, verdict: str, text: bytes
) -> None:
    pytest.importorskip(ENGINES[name].module)
    vocabulary = characters_of(expression)
    found = judge(name, expression, vocabulary)
    if found.engine != f"{name} {version}":
        pytest.skip(f"this is {found.engine}")
    spelled = b"".join(vocabulary.tokens[token] or b"" for token in found.tokens)
    assert (found.verdict, spelled) == (verdict, text)


def test_an_engine_that_refuses_says_so_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing(Planted):
        def __init__(self, expression: str, vocabulary: Vocabulary) -> None:
            raise ValueError("too hard\nfor me")

    monkeypatch.setitem(ENGINES._entries, "refusing", Refusing)
    with pytest.raises(ConfigError, match=r"refusing .* refuses the expression 'a' .*too hard\)"):
        judge("refusing", "a", LETTERS)
    with pytest.raises(ConfigError, match=r"unknown engine 'outlines'\. Did you mean 'outlines-co"):
        judge("outlines", "a", LETTERS)


def test_a_text_that_other_tokens_spell_is_not_lost() -> None:
    class Forcing(Planted):
        """It forbids `b` after `a`, where one token spells both."""

        def mask(self, state: int) -> NDArray[np.bool_]:
            allowed = super().mask(state)
            allowed[1] &= state == self.automaton.start
            return allowed

    vocabulary = Vocabulary((b"a", b"b", b"ab", None), (3,))
    language = Planted("ab|b", vocabulary).automaton
    found = compare_languages(Forcing("ab|b", vocabulary), language)
    assert (found.verdict, found.respelled, found.is_exact) == ("conforms", (0, 1), True)

    class HiddenForcing(Forcing):
        exposes_states = False

    hidden = compare_languages(HiddenForcing("ab|b", vocabulary), language)
    assert (hidden.verdict, hidden.respelled, hidden.max_states) == ("conforms", (0, 1), None)
    without = Vocabulary((b"a", b"b", None), (2,))
    lost = compare_languages(Forcing("ab|b", without), Planted("ab|b", without).automaton)
    assert (lost.verdict, lost.tokens) == ("lost", (0, 1))


@pytest.mark.parametrize("seed", range(40))
def test_a_string_is_lost_where_no_tokens_spell_it(seed: int) -> None:
    """An engine of open states that forbids some tokens in some states, against all strings."""
    draw = Random(f"lossy {seed}")
    vocabulary = Vocabulary((b"a", b"b", b"c", b"ab", b"bc", b"cab", None), (6,))
    expression = random_expression(draw)
    try:
        engine = Planted(expression, vocabulary)
    except (ConfigError, LanguageError):  # no string
        return
    forbidden = {(draw.choice(engine.automaton.states), draw.randrange(7)) for _ in range(3)}

    class Lossy(Planted):
        def mask(self, state: int) -> NDArray[np.bool_]:
            allowed = super().mask(state)
            for where, token in forbidden:
                allowed[token] &= where != state
            return allowed

    lossy = Lossy(expression, vocabulary)
    found = compare_languages(lossy, engine.automaton)
    assert found.is_exact
    todo: list[tuple[str, Any]] = [("", lossy.start())]
    spelled = set()
    for text, state in todo:
        allowed = lossy.mask(state)
        spelled |= {text} if allowed[6] else set()
        for token in np.flatnonzero(allowed[:6]).tolist():
            longer = text + (vocabulary.tokens[token] or b"").decode()
            todo += [(longer, lossy.advance(state, token))] if len(longer) <= LONGEST else []
    words = ("".join(w) for n in range(LONGEST + 1) for w in product("abc", repeat=n))
    lost = {word for word in words if re.fullmatch(expression, word)} - spelled
    text = b"".join(vocabulary.tokens[token] or b"" for token in found.tokens).decode()
    if found.verdict == "conforms":
        assert not lost
    elif len(text) <= LONGEST:
        assert text in lost
    else:
        assert not lost or len(found.tokens) <= min(map(len, lost))
