"""Which tokens may follow: the automaton of a language, read by the tokens of a vocabulary.

Idea. From a state of the automaton over bytes, the states after all tokens are gathered along the
tree of their beginnings, a level at a time. A token is allowed if the end stays reachable from the
state after it *by tokens of the vocabulary*. Where every byte that the language needs is a token by
itself, that is so wherever it is so by bytes. Otherwise the graph of states and tokens decides.
"""

from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from lengthwise.decoding.byte_automaton import BYTES, ByteAutomaton
from lengthwise.decoding.vocabulary import Vocabulary
from lengthwise.errors import ConfigError

_KEPT = 256
"""States whose tokens are kept."""

_FAR = np.iinfo(np.int32).max


class TokenAutomaton:
    """The strings of a language as sequences of tokens.

    States are integers; `dead` is that of what no string of the language begins with.

    Raises:
        ConfigError: the vocabulary cannot spell a symbol, or no string of the language.
    """

    def __init__(self, automaton: ByteAutomaton, vocabulary: Vocabulary) -> None:
        for symbol in automaton.needed:
            if not vocabulary.spells(symbol.encode()):
                raise ConfigError(
                    f"the tokenizer cannot spell the symbol {symbol!r} of {automaton.name}. Use "
                    f"another tokenizer, or a language without it."
                )
        machine = automaton.language
        self.vocabulary = vocabulary
        alive = machine.reaching(lambda c: c == 1)
        self.start, self.dead = machine.start, machine.num_states
        self.accepting = np.array([*(c == 1 for c in machine.classes), False])
        self._table = np.full((machine.num_states + 1, 256), self.dead, dtype=np.int32)
        columns = [BYTES.index(byte) for byte in machine.alphabet]
        self._table[:-1, columns] = machine.transitions
        self._by_bytes = np.array([*(s in alive for s in range(machine.num_states)), False])
        self._table[~self._by_bytes[self._table]] = self.dead
        self._targets: dict[int, NDArray[np.int32]] = {}
        self._without_text = np.flatnonzero(~vocabulary.text)
        self._single = {token[0] for token in vocabulary.numbers if len(token) == 1}
        if not self.alive[self.start]:
            raise ConfigError(
                f"no string of {automaton.name} can be spelled with this tokenizer. Use another "
                f"tokenizer or another language."
            )

    def targets(self, state: int) -> NDArray[np.int32]:
        """Return the state after each token; the dead one after tokens that are not text."""
        if state not in self._targets:
            if len(self._targets) >= _KEPT:
                self._targets.pop(next(iter(self._targets)))
            found = self.vocabulary.tree.follow(self._table, state, self.dead)
            found[self._without_text] = self.dead
            self._targets[state] = found
        return self._targets[state]

    def mask(self, state: int, remaining: int | None = None) -> NDArray[np.bool_]:
        """Return which tokens may follow, the ends included; `remaining` tokens at most."""
        targets = self.targets(state)
        near = self.alive if remaining is None else self.distance < remaining
        allowed = near[targets]
        allowed[list(self.vocabulary.ends)] = self.accepting[state]
        return allowed

    def advance(self, state: int, token: int) -> int:
        """Return the state after a token that is text."""
        if not self.vocabulary.text[token]:
            return self.dead
        for byte in self.vocabulary.tokens[token] or b"":
            state = int(self._table[state, byte])
        return state

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """The states from which the end is reachable by tokens."""
        if set(np.flatnonzero((self._table != self.dead).any(axis=0)).tolist()) <= self._single:
            return self._by_bytes
        return self.distance < _FAR

    @cached_property
    def distance(self) -> NDArray[np.int32]:
        """The fewest tokens from each state that tokens reach to an accepting one."""
        sources: dict[int, list[int]] = {}
        seen = {self.start}
        for state in (queue := [self.start]):
            for target in np.flatnonzero(np.bincount(self.targets(state))).tolist():
                sources.setdefault(target, []).append(state)
                if target not in seen and target != self.dead:
                    seen.add(target)
                    queue.append(target)
        found = np.full(len(self.accepting), _FAR, dtype=np.int32)
        level = [state for state in queue if self.accepting[state]]
        for steps in range(len(queue)):
            found[level] = steps
            before = set(chain.from_iterable(sources.get(state, ()) for state in level))
            level = [state for state in before if found[state] == _FAR]
        return found

    @property
    def states(self) -> list[int]:
        """The states that tokens reach and from which they reach the end."""
        return np.flatnonzero(self.distance < _FAR).tolist()

    @cached_property
    def longest(self) -> int:
        """The most tokens that the end can be away."""
        return int(self.distance[self.states].max())

    def shortest(self, state: int) -> list[int]:
        """Return the fewest tokens that lead from a live state to an accepting one."""
        tokens = []
        while not self.accepting[state]:
            targets = self.targets(state)
            tokens.append(int(np.argmin(self.distance[targets])))
            state = int(targets[tokens[-1]])
        return tokens

    def spell(self, text: bytes) -> tuple[int, ...]:
        """Return the fewest tokens that spell a string that some spell."""
        numbers = self.vocabulary.numbers
        best: list[tuple[int, ...] | None] = [(), *[None] * len(text)]
        for end in range(1, len(text) + 1):
            for begin in range(end):
                before, last = best[begin], numbers.get(text[begin:end])
                if before is not None and last:
                    found = best[end]
                    if found is None or len(before) + 1 < len(found):
                        best[end] = (*before, last[0])
        found = best[-1]
        assert found is not None
        return found
