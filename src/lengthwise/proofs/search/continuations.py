"""Representatives that continuations tell apart, as those of the states of a minimal automaton.

A *continuation* is a word that is read after a prefix. Two states are *alike* if the network gives
the same class after each of some continuations. From the start on, a state after a
representative becomes one itself if it is not alike to its nearest representative, until no step of
a word of the domain leads to such a state.

So representatives are close only where answers differ. Directions in which states drift, and which
no answer depends on, need none, unlike with a radius. The network's own answers decide; no class of
a word is seen. The idea is that of L* (Angluin 1987), whose states are rows of such answers.

Axes:
    row           states
    continuation  continuations
    step          a representative and a symbol: `representative * symbols + symbol`
"""

import time
from collections.abc import Sequence
from itertools import count, product

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.languages.verdicts import Word
from lengthwise.models.stepping import Rows, StateError, Steps
from lengthwise.proofs.check.arrays import Booleans
from lengthwise.proofs.search.snapped_states import distances
from lengthwise.proofs.search.state_tables import Domain, step_in_batches

MOST_SHORT = 32
"""Most continuations of the first level, which has all words up to a length."""

_ROWS = 64
"""Rows whose continuations are read at once."""


def short_continuations(num_symbols: int) -> list[Word]:
    """Return all words of one symbol, of two and so on, as long as they are few."""
    words: list[Word] = []
    for length in count(1):
        if words and len(words) + num_symbols**length > MOST_SHORT:
            return words
        words.extend(product(range(num_symbols), repeat=length))
    raise AssertionError


def tell_apart(
    steps: Steps, words: Sequence[Word], most: int, end: float, domain: Domain
) -> Rows | None:
    """Return the start, and states that follow from each other and that continuations tell apart.

    None: they would be more than `most`, the time is up, equal states are not alike, or a number
    that a continuation leads to is not finite.
    """
    try:
        return _tell_apart(steps, words, most, end, domain)
    except StateError:
        return None


def _tell_apart(
    steps: Steps, words: Sequence[Word], most: int, end: float, domain: Domain
) -> Rows | None:
    symbols = torch.arange(steps.num_symbols)
    counts = torch.from_numpy(_counts(domain, words))
    _, fresh = steps.start()
    answers = _answers_after(steps, fresh, words)
    known, known_answers = fresh[:0], answers[:0]
    after, after_answers = fresh[:0], answers[:0]
    nearest, away = torch.empty(0, dtype=torch.long), torch.empty(0, dtype=torch.float64)
    while True:
        closer = distances(after, fresh).min(dim=1)
        is_closer = closer.values < away
        nearest = torch.where(is_closer, closer.indices + len(known), nearest)
        away = torch.where(is_closer, closer.values, away)
        known, known_answers = torch.cat([known, fresh]), torch.cat([known_answers, answers])
        _, states = step_in_batches(
            steps, fresh.repeat_interleave(len(symbols), dim=0), symbols.repeat(len(fresh))
        )
        found = distances(states, known).min(dim=1)
        nearest, away = torch.cat([nearest, found.indices]), torch.cat([away, found.values])
        after = torch.cat([after, states])
        after_answers = torch.cat([after_answers, _answers_after(steps, states, words)])
        unlike, used = _follow(domain, nearest, after_answers, known_answers, counts)
        if not unlike:
            return known[used]
        taken = _leaders(unlike, after, after_answers, away)
        is_in_time = len(known) + len(taken) <= most and time.monotonic() < end
        if not is_in_time or bool((away[taken] == 0).any()):
            return None
        fresh, answers = after[taken], after_answers[taken]


def _follow(
    domain: Domain, nearest: Tensor, after: Tensor, known: Tensor, counts: Tensor
) -> tuple[list[int], list[int]]:
    """Return the steps of words that lead to a state unlike its nearest, and used representatives.

    Where they do, words are not followed further.
    """
    num_symbols = domain.transitions.shape[1]
    new = [(0, domain.start)] if domain.begins[domain.start] else []
    met, unlike = dict.fromkeys(new), dict[int, None]()
    while new:
        row, symbol, states = domain.steps_from(new)
        step = torch.from_numpy(row * num_symbols + symbol)
        near = nearest[step]
        is_alike = ((after[step] == known[near]) | ~counts[states]).all(dim=1).tolist()
        unlike.update(dict.fromkeys(step[~torch.tensor(is_alike, dtype=torch.bool)].tolist()))
        pairs = zip(near.tolist(), states, is_alike, strict=True)
        new = [(to, state) for to, state, alike in dict.fromkeys(pairs) if alike]
        new = [pair for pair in new if pair not in met]
        met.update(dict.fromkeys(new))
    return list(unlike), sorted({0, *(representative for representative, _ in met)})


def _leaders(unlike: list[int], after: Tensor, answers: Tensor, away: Tensor) -> list[int]:
    """Return the steps without those whose state is nearer to that of an earlier one, and alike."""
    states, rows = after[unlike], answers[unlike]
    between = distances(states, states)
    taken: list[int] = []
    for place, step in enumerate(unlike):
        if taken:
            to = taken[int(between[place, taken].argmin())]
            is_near = bool(between[place, to] < away[step])
            if is_near and (torch.equal(rows[place], rows[to]) or not between[place, to]):
                continue
        taken.append(place)
    return [unlike[place] for place in taken]


def _answers_after(
    steps: Steps, rows: Rows, words: Sequence[Word]
) -> Int[Tensor, "row continuation"]:
    """Return the answers of the network after each continuation of states.

    Continuations of one beginning share its steps.
    """
    return torch.cat([_read(steps, part, words) for part in torch.split(rows, _ROWS)])


def _read(steps: Steps, rows: Rows, words: Sequence[Word]) -> Int[Tensor, "row continuation"]:
    found = torch.empty(len(rows), len(words), dtype=torch.long)
    number: dict[Word, int] = {(): 0}
    states = rows[None]
    for length in range(1, max(map(len, words)) + 1):
        begun = sorted({word[:length] for word in words if len(word) >= length})
        before = states[[number[word[:-1]] for word in begun]].flatten(0, 1)
        symbols = torch.tensor([word[-1] for word in begun]).repeat_interleave(len(rows))
        logits, after = step_in_batches(steps, before, symbols)
        states = after.reshape(len(begun), len(rows), -1)
        answers = logits.argmax(dim=1).reshape(len(begun), len(rows))
        number = {word: place for place, word in enumerate(begun)}
        for column, word in enumerate(words):
            if len(word) == length:
                found[:, column] = answers[number[word]]
    return found


def _counts(domain: Domain, words: Sequence[Word]) -> Booleans:
    """Return whether continuations lead to words of the domain, `[state, continuation]`."""
    ends = np.repeat(np.arange(len(domain.transitions))[:, None], len(words), axis=1)
    for column, word in enumerate(words):
        for symbol in word:
            ends[:, column] = domain.transitions[ends[:, column], symbol]
    inside: Booleans = domain.inside[ends]
    return inside
