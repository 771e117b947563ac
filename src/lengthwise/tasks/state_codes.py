"""Every step of a language's automaton, with a code for each state.

A network that reads symbol by symbol has only to know the state that a prefix leads to. With a code
for each state, what follows from a code and a symbol is one table. The code of state s has three
bits on: those of s modulo m, of s modulo m + 1, and of its class, with m the larger of `LEAST` and
twice the root of the number of states. So every state of up to `LEAST` has a bit of its own, and
codes of many states have few bits, which a network learns faster than a bit for each state; the
fewest bits, those of s in base 2, are learned much more slowly.

Axes:
    step   a state and a symbol
    state  states of the minimal automaton that are distinguished
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from lengthwise.errors import ConfigError
from lengthwise.languages.language import Language
from lengthwise.tasks.state_maps import IGNORED

LEAST = 64
"""Least modulus of the first bits of a code."""

MAX_STEPS = 100_000
"""Most transitions of an automaton whose states get codes."""


@dataclass(frozen=True, slots=True)
class StateCodes:
    """The table that is to be learned."""

    start: int
    states: Int[Tensor, " step"]
    """The state before each step, by number."""
    symbols: Int[Tensor, " step"]
    results: Int[Tensor, " step"]
    """The state after it."""
    codes: Bool[Tensor, "state bit"]
    classes: Int[Tensor, " state"]
    """The class of words that lead to each state; `IGNORED` outside the domain."""

    @property
    def num_bits(self) -> int:
        """Bits of a code."""
        return self.codes.shape[1]


@lru_cache(maxsize=8)
def make_state_codes(language: Language, max_length: int | None) -> StateCodes:
    """Return all steps in words of the domain of at most `max_length` symbols; None for all words.

    Raises:
        ConfigError: the minimal automaton has more than `MAX_STEPS` transitions.
    """
    machine = language.total().minimise()
    count = machine.num_states * machine.num_symbols
    if count > MAX_STEPS:
        raise ConfigError(
            f"objective='codebook' has codes for automata with at most {MAX_STEPS:,} "
            f"transitions, but that of {language.spec or 'the language'} has {count:,}. Use "
            f"objective='final'."
        )
    transitions, classes = np.array(machine.transitions), np.array(machine.classes)
    togo = _symbols_to(transitions, classes < language.num_classes)
    since = _symbols_from(transitions, machine.start)
    longest = np.finfo(np.float64).max if max_length is None else max_length
    states, symbols = np.indices(transitions.shape).reshape(2, -1)
    occurs = since[states] + 1 + togo[transitions.reshape(-1)] <= longest
    states, symbols = states[occurs], symbols[occurs]
    results = transitions[states, symbols]
    used = np.unique(np.concatenate([[machine.start], states, results]))
    state_classes = np.where(classes < language.num_classes, classes, IGNORED)[used]
    return StateCodes(
        start=int(np.searchsorted(used, machine.start)),
        states=torch.from_numpy(np.searchsorted(used, states)),
        symbols=torch.from_numpy(symbols),
        results=torch.from_numpy(np.searchsorted(used, results)),
        codes=torch.from_numpy(_codes(classes[used])),
        classes=torch.from_numpy(state_classes),
    )


def _codes(classes: np.ndarray) -> np.ndarray:
    """Return codes `[state, bit]` of states with these classes, without bits that are alike."""
    number = np.arange(len(classes))
    modulus = max(LEAST, 2 * math.isqrt(len(classes)) + 2)
    parts = (number % modulus, number % (modulus + 1), classes)
    bits = np.concatenate([part[:, None] == np.unique(part) for part in parts], axis=1)
    distinct = np.unique(bits[:, ~bits.all(axis=0)], axis=1)
    return distinct if distinct.shape[1] else np.ones((len(classes), 1), dtype=np.bool_)


def _symbols_from(transitions: np.ndarray, start: int) -> np.ndarray:
    """Return the number of symbols of the shortest word to each state."""
    distances = np.full(len(transitions), np.inf)
    new, length = np.array([start]), 0
    while len(new):
        distances[new] = length
        reached = np.unique(transitions[new])
        new, length = reached[distances[reached] == np.inf], length + 1
    return distances


def _symbols_to(transitions: np.ndarray, good: np.ndarray) -> np.ndarray:
    """Return the number of symbols of the shortest word from each state to a good one."""
    distances = np.where(good, 0.0, np.inf)
    before: list[list[int]] = [[] for _ in transitions]
    for state, row in enumerate(transitions.tolist()):
        for after in row:
            before[after].append(state)
    new, length = np.flatnonzero(good).tolist(), 1
    while new:
        earlier = {state for after in new for state in before[after] if distances[state] == np.inf}
        new = sorted(earlier)
        distances[new] = length
        length += 1
    return distances
