"""Decide whether an engine's masks generate exactly the strings of an expression.

Idea. Engine and language read the same tokens side by side, shortest sequences first, and each pair
of states is visited once. A sequence is *lost* if it spells a string of the language and the masks
forbid it, *gained* if they let it end and it does not. So the first one found, with the fewest
tokens to come counted in, is a shortest wrong one. A sequence whose text the masks allow by other
tokens is not lost: some engines force the tokens of their tokenizer. Where that occurs and states
are exposed, the strings are compared byte by byte (`texts`); elsewhere the answer is about the
sequences that were followed.

Exactness. Where an engine exposes its states, the search ends, and its answer is exact. Elsewhere
two states of the engine are taken for one if they belong to the same state of the language and
agree on the masks after all continuations of up to L tokens. Let masks of the language differ, for
any two of its m states, after at most j tokens. Then a search without a finding has seen the masks
after A T^(L+1), where A reaches each state and T are the tokens. With k = L - j this includes
A T^(k+1) W, where W tells the states apart, so the masks are right if the engine has at most m + k
states (Vasilevskii 1973, Chow 1978). QED

L is as large as time allows. With many tokens only some are followed from each state: a shortest
and a longest for each state that they lead to. Masks are still compared on all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.decoding.byte_automaton import byte_automaton
from lengthwise.decoding.dialect import compile_common, require_common
from lengthwise.decoding.engines import Engine, make_engine
from lengthwise.decoding.texts import first_lost
from lengthwise.decoding.token_automaton import TokenAutomaton
from lengthwise.decoding.vocabulary import Vocabulary

MAX_PAIRS = 100_000
"""Pairs of states that are visited."""

_AHEAD, _ENTRIES = 5_000, 320_000
"""Continuations after which masks are compared, of each pair whose states are hidden, and the
entries of these masks.
"""

_FEW = 64
"""Tokens that are all followed."""

_LOST, _SPELLINGS = 16, 5_000
"""Forbidden tokens of a pair whose texts are spelled otherwise, and the states that this visits."""

_GAINED = 8
"""Tokens that are followed, of many, where the language has no continuation."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conformance:
    """The result of judging an engine."""

    engine: str
    """Its name and version."""
    expression: str
    verdict: str
    """`conforms`, `lost` or `gained`."""
    tokens: tuple[int, ...] = ()
    """The shortest wrong sequence, without the end."""
    is_exact: bool
    """True if the engine exposes its states, and all were visited."""
    max_states: int | None
    """Otherwise: the states up to which the verdict `conforms` is certain; None if not all tokens
    were followed, or not all pairs.
    """
    language_states: int
    pairs: int
    """Pairs of states that were visited."""
    followed_all: bool
    """True if all tokens were followed from each pair."""
    respelled: tuple[int, ...] | None = None
    """A sequence that the masks forbid, while they allow its text by other tokens, or may."""
    stuck: tuple[int, ...] | None = None
    """A shortest sequence that the masks allow and no string of the language begins with."""


def judge(
    name: str, expression: str, vocabulary: Vocabulary, *, more_states: int = 1
) -> Conformance:
    """Return whether an engine generates exactly the strings of an expression.

    Args:
        name: one of `ENGINES`.
        expression: in the common part of the engines' dialects.
        vocabulary: the tokens.
        more_states: states that the engine may have more than the language, where it does not
            expose them.

    Raises:
        LanguageError: the expression is malformed, or outside the common part.
        ConfigError: there is no such engine, it is not installed, or it refuses the expression; or
            the vocabulary cannot spell a symbol.
    """
    require_common(expression, vocabulary)
    language = TokenAutomaton(byte_automaton(compile_common(expression)), vocabulary)
    engine, title = make_engine(name, expression, vocabulary)
    return compare_languages(
        engine, language, title=title, expression=expression, more_states=more_states
    )


def compare_languages(
    engine: Engine,
    language: TokenAutomaton,
    *,
    title: str = "",
    expression: str = "",
    more_states: int = 1,
) -> Conformance:
    """Return whether an engine generates exactly the strings of a language."""
    return _Search(engine, language, more_states).conformance(title, expression)


@dataclass(frozen=True, slots=True)
class _Pair:
    """An engine and the language after the same tokens."""

    engine: Any
    state: int
    depth: int
    before: "_Pair | None"
    token: int

    def tokens(self) -> tuple[int, ...]:
        found, pair = [], self
        while pair.before is not None:
            found.append(pair.token)
            pair = pair.before
        return tuple(reversed(found))


class _Search:
    def __init__(self, engine: Engine, language: TokenAutomaton, more_states: int) -> None:
        self._engine, self._language = engine, language
        self._ends = list(language.vocabulary.ends)
        self._sizes = np.array([len(token or b"") for token in language.vocabulary.tokens])
        self._followed_all = True
        self._states, rounds = _told_apart(language)
        widest = max(
            len(self._follow(language.mask(state), language.targets(state)))
            for state in language.states
        )
        most = min(_AHEAD, _ENTRIES // len(self._sizes))
        affordable = next(n for n in range(64) if max(2, widest) ** (n + 1) > most)
        self._ahead = min(rounds + more_states, affordable)
        self._more = self._ahead - rounds
        self._best: tuple[int, str, tuple[int, ...]] | None = None
        self._respelled: tuple[int, ...] | None = None
        self._stuck: tuple[int, ...] | None = None

    def conformance(self, title: str, expression: str) -> Conformance:
        """Search, and return what was found."""
        first = _Pair(self._engine.start(), self._language.start, 0, None, -1)
        seen = {self._key(first)}
        ended = True
        for pair in (queue := [first]):
            if self._best is not None and pair.depth >= self._best[0]:
                break
            for after in self._visit(pair):
                key = self._key(after)
                if key not in seen:
                    seen.add(key)
                    queue.append(after)
            if len(queue) > MAX_PAIRS:
                ended = False
                break
        if self._respelled is not None and self._best is None and self._engine.exposes_states:
            ended = ended and self._read_by_bytes()
        elif self._respelled is not None:
            ended = ended and self._best is not None
        is_exact = self._engine.exposes_states and ended
        is_certain = ended and self._followed_all and not is_exact and self._best is None
        is_certain = is_certain and self._more >= 0
        return Conformance(
            engine=title,
            expression=expression,
            verdict="conforms" if self._best is None else self._best[1],
            tokens=() if self._best is None else self._best[2],
            is_exact=is_exact,
            max_states=self._states + self._more if is_certain else None,
            language_states=self._states,
            pairs=len(seen),
            followed_all=self._followed_all,
            respelled=self._respelled,
            stuck=self._stuck,
        )

    def _visit(self, pair: _Pair) -> Iterator[_Pair]:
        """Compare the masks, and yield the pairs after the tokens that are followed."""
        language = self._language
        allowed, targets = self._engine.mask(pair.engine), language.targets(pair.state)
        may_end = bool(allowed[self._ends].any())
        if may_end and not language.accepting[pair.state]:
            self._found(pair.depth, "gained", pair.tokens())
        if language.accepting[pair.state] and not may_end:
            self._lost(pair.tokens())
        lost = np.flatnonzero(language.alive[targets] & ~allowed)
        _, firsts = np.unique(targets[lost], return_index=True)
        nearest = lost[firsts][np.argsort(language.distance[targets[lost[firsts]]], kind="stable")]
        for token in nearest[:_LOST].tolist():
            rest = language.shortest(int(targets[token]))
            self._lost((*pair.tokens(), token, *rest))
        for token in self._follow(allowed, targets):
            after = self._engine.advance(pair.engine, token)
            target = int(targets[token])
            target = target if language.alive[target] else language.dead
            found = _Pair(after, target, pair.depth + 1, pair, token)
            if target == language.dead and self._stuck is None:
                self._stuck = found.tokens()
            yield found

    def _is_better(self, length: int) -> bool:
        return self._best is None or length < self._best[0]

    def _found(self, length: int, verdict: str, tokens: tuple[int, ...]) -> None:
        if self._is_better(length):
            self._best = (length, verdict, tokens)

    def _lost(self, tokens: tuple[int, ...]) -> None:
        if self._is_better(len(tokens)):
            if self._spells_otherwise(tokens):
                self._respelled = self._respelled or tokens
            else:
                self._found(len(tokens), "lost", tokens)

    def _read_by_bytes(self) -> bool:
        """Look for a lost string however it is spelled; return whether the search ended."""
        language, start = self._language, self._engine.start()
        text, ended = first_lost(self._engine, start, language, language.start, language.vocabulary)
        if text is not None:
            tokens = language.spell(text)
            self._best = (len(tokens), "lost", tokens)
        return ended

    def _spells_otherwise(self, tokens: tuple[int, ...]) -> bool:
        """Return whether the masks allow the text of some tokens, or it takes long to see."""
        vocabulary = self._language.vocabulary
        text = b"".join(vocabulary.tokens[token] or b"" for token in tokens)
        todo, seen = [(0, self._engine.start())], set[tuple[int, Any]]()
        for _ in range(_SPELLINGS):
            if not todo:
                return False
            at, state = todo.pop()
            if self._engine.exposes_states:
                if (at, state) in seen:
                    continue
                seen.add((at, state))
            allowed = self._engine.mask(state)
            if at == len(text) and allowed[self._ends].any():
                return True
            for size in range(1, len(text) - at + 1):
                todo += [
                    (at + size, self._engine.advance(state, token))
                    for token in vocabulary.numbers.get(text[at : at + size], ())
                    if allowed[token]
                ]
        return True

    def _follow(self, allowed: NDArray[np.bool_], targets: NDArray[np.int32]) -> list[int]:
        allowed = allowed.copy()
        allowed[self._ends] = False
        tokens = np.flatnonzero(allowed)
        if self._engine.exposes_states or len(tokens) <= _FEW:
            return tokens.tolist()
        self._followed_all = False
        tokens = tokens[np.argsort(self._sizes[tokens], kind="stable")]
        is_live = self._language.alive[targets[tokens]]
        live, dead = tokens[is_live], tokens[~is_live]
        _, shortest = np.unique(targets[live], return_index=True)
        _, longest = np.unique(targets[live][::-1], return_index=True)
        return list(
            dict.fromkeys(
                [*live[shortest].tolist(), *live[::-1][longest].tolist(), *dead[:_GAINED].tolist()]
            )
        )

    def _key(self, pair: _Pair) -> tuple[int, Any]:
        if self._engine.exposes_states:
            return pair.state, pair.engine
        return pair.state, self._masks_ahead(pair.engine, pair.state, self._ahead)

    def _masks_ahead(self, engine_state: Any, state: int, ahead: int) -> bytes:
        """Return a digest of the masks after all continuations of up to some tokens."""
        allowed, targets = self._engine.mask(engine_state), self._language.targets(state)
        digest = blake2b(np.packbits(allowed).tobytes(), digest_size=16)
        if ahead:
            for token in self._follow(allowed, targets):
                after = self._engine.advance(engine_state, token)
                digest.update(self._masks_ahead(after, int(targets[token]), ahead - 1))
        return digest.digest()


def _told_apart(language: TokenAutomaton) -> tuple[int, int]:
    """Return the number of states that masks tell apart, and the tokens after which they do."""
    states = language.states
    kinds = {state: language.mask(state).tobytes() for state in states}
    number, rounds = len(set(kinds.values())), 0
    while True:
        place = {kind: n for n, kind in enumerate(dict.fromkeys(kinds.values()))}
        kind_of = np.full(len(language.accepting), -1)
        for state, kind in kinds.items():
            kind_of[state] = place[kind]
        after = {
            state: kinds[state] + kind_of[language.targets(state)].tobytes() for state in states
        }
        finer = len(set(after.values()))
        if finer == number:
            return number, rounds
        number, rounds = finer, rounds + 1
        kinds = {state: blake2b(kind, digest_size=16).digest() for state, kind in after.items()}
