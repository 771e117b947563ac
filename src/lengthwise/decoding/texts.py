"""The first string that tokens spell in a language, and that an engine with open states loses.

Idea. What an engine generates is read byte by byte: a state is a set of pairs, a state of the
engine and the beginning of a token that was read since. So a string is generated if *some* tokens
that spell it are allowed. The language is read in the same way, and both side by side.
"""

from collections.abc import Hashable
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lengthwise.decoding.vocabulary import Vocabulary

MAX_PAIRS = 20_000
"""Pairs of sets that are visited."""

Value = frozenset[tuple[Hashable, bytes]]


class Stepper(Protocol):
    """Reads tokens; its states are hashable."""

    def mask(self, state: Any) -> NDArray[np.bool_]:
        """Return which tokens may follow, the ends included."""
        ...

    def advance(self, state: Any, token: int) -> Hashable:
        """Return the state after a token."""
        ...


def first_lost(
    engine: Stepper,
    engine_start: Hashable,
    language: Stepper,
    language_start: Hashable,
    vocabulary: Vocabulary,
) -> tuple[bytes | None, bool]:
    """Return the first shortest string that only the language has, if any, and whether the search
    came to its end.
    """
    ours, theirs = _Reader(language, vocabulary), _Reader(engine, vocabulary)
    first: tuple[Value, Value] = (
        frozenset({(language_start, b"")}),
        frozenset({(engine_start, b"")}),
    )
    texts = {first: b""}
    for pair in (queue := [first]):
        if ours.accepts(pair[0]) and not theirs.accepts(pair[1]):
            return texts[pair], True
        if len(queue) > MAX_PAIRS:
            return None, False
        for byte in ours.next_bytes(pair[0]):
            after = (ours.step(pair[0], byte), theirs.step(pair[1], byte))
            if after not in texts:
                texts[after] = texts[pair] + bytes([byte])
                queue.append(after)
    return None, True


class _Reader:
    """The strings that an automaton over tokens generates, byte by byte."""

    def __init__(self, automaton: Stepper, vocabulary: Vocabulary) -> None:
        self._automaton, self._vocabulary = automaton, vocabulary
        self._ends = list(vocabulary.ends)
        self._moves = cache(self._find_moves)

    def accepts(self, value: Value) -> bool:
        return any(
            not begun and self._automaton.mask(state)[self._ends].any() for state, begun in value
        )

    def next_bytes(self, value: Value) -> list[int]:
        found = set[int]()
        for state, begun in value:
            found |= self._moves(state)[begun][1]
        return sorted(found)

    def step(self, value: Value, byte: int) -> Value:
        after = set[tuple[Hashable, bytes]]()
        for state, begun in value:
            longer, moves = begun + bytes([byte]), self._moves(state)
            if longer in moves:
                targets, further = moves[longer]
                after |= {(target, b"") for target in targets}
                after |= {(state, longer)} if further else set()
        return frozenset(after)

    def _find_moves(self, state: Hashable) -> dict[bytes, tuple[set[Hashable], set[int]]]:
        """Return, by the beginning of an allowed token, the states after it if it is whole, and the
        bytes that may follow within a token.
        """
        allowed = self._automaton.mask(state) & self._vocabulary.text
        moves: dict[bytes, tuple[set[Hashable], set[int]]] = {b"": (set(), set())}
        for token in np.flatnonzero(allowed).tolist():
            written = self._vocabulary.tokens[token] or b""
            for size, byte in enumerate(written):
                moves.setdefault(written[:size], (set(), set()))[1].add(byte)
            moves.setdefault(written, (set(), set()))[0].add(self._automaton.advance(state, token))
        return moves
