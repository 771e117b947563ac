"""Climbing: automata of few states from words that are all long, by local search.

Words of 15 symbols and more hardly share a beginning, so that merging states is at chance. Local
search (`local_search`) reads all words by a whole automaton instead. It begins with one state and
splits; what fits some of the words is corrected by more of them, and then loses the states that it
does not need. Counting needs a start of its own, since an automaton that counts gives no signal
before it is complete: one attempt tries all of these.
"""

import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from lengthwise.inference.local_search import LocalSearch, WorkUsedUpError, commonest_classes
from lengthwise.inference.packed_words import PackedWords, count_weighted, log_likelihood
from lengthwise.inference.rungs.counting import symbol_counts
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import Attempt, Searcher, SearchTask, to_language
from lengthwise.inference.state_merging import bound_wrong_labels
from lengthwise.languages.language import Language

_STATES = (14, 12, 18, 10)
"""Greatest numbers of states of the attempts that grow an automaton."""

_WORDS = (1_500, 3_000)
"""Numbers of words that an automaton grows by; later ones are corrected by more."""

_WORK = 150_000_000
"""Blocks of words that the first attempts to grow may read."""

_WIDE = 2
"""Greatest factor by which more is read for large alphabets."""

_DOUBLINGS = 2
"""Greatest number of times that the work of an attempt is doubled."""

_LARGEST = 40
"""Greatest number of states of a best automaton that is grown from."""

_MODULI = range(2, 9)
"""Moduli of counters."""

_COUNTERS = 5_000
"""Greatest number of counters of one modulus that are tried."""

_AT_ONCE = 2**22
"""Ends of words that are counted at once."""

_EVIDENCE = 8.0
"""Log-likelihood by which the best counter must be above chance, beyond their number."""


class Climb(Searcher):
    """Grows automata by local search, from one state or from the best automaton so far."""

    name = "climbing"

    @property
    def most_classes(self) -> float:
        """Greatest number of states that are grown from."""
        return _LARGEST

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Try counters first; then grow automata, by turns from one state and from the best."""
        draw = np.random.default_rng(number)
        words = DrawnWords.of(task, draw)
        if number == 0:
            return words.result(_find_counter(words))
        turn, goes_on = divmod(number - 1, 2)
        most_states = min(_STATES[turn % len(_STATES)], task.max_states)
        moves = np.zeros((1, task.sample.num_symbols), dtype=np.int64)
        best = task.best
        if goes_on and best is not None and 1 < best.num_states <= _LARGEST:
            moves = moves_of(best)
            most_states = min(max(most_states, best.num_states + 2), task.max_states)
        wide = min(max(1, task.sample.num_symbols // 8), _WIDE)
        most_work = wide * _WORK * 2 ** min(turn // 2, _DOUBLINGS)
        num_words = _WORDS[turn // 2 % len(_WORDS)]
        return words.result(_grow(words, moves, most_states, num_words, most_work))


@dataclass(frozen=True, slots=True)
class DrawnWords:
    """The words of a task in a drawn order, since a sample has the shortest first."""

    task: SearchTask
    order: Array
    packed: PackedWords
    draw: np.random.Generator

    @classmethod
    def of(cls, task: SearchTask, draw: np.random.Generator) -> "DrawnWords":
        """Draw an order for the words of a task."""
        order = draw.permutation(len(task.sample))
        return cls(task, order, PackedWords.of(task.sample, order), draw)

    def search(self, some: int, most_work: float) -> LocalSearch:
        """Return a local search by the first words."""
        part = self.packed.part(0, some)
        noise, lines = self.task.noise, part.lines
        enough = bound_wrong_labels(noise, len(part))
        if lines is not None:
            enough = max(bound_wrong_labels(noise, int(lines.sum())) - int(lines[:, 1].sum()), 0.0)
        return LocalSearch(
            part,
            self.draw,
            enough=enough,
            most_work=most_work,
            read=self.task.read,
        )

    def result(self, moves: Array | None) -> Attempt:
        """Return an automaton with the commonest class of each state."""
        if moves is None:
            return Attempt(None)
        counts = self.packed.counts(moves[None], self.task.read)[0]
        sample: Sample = self.task.sample
        classes = commonest_classes(counts, int(sample.shares.argmax()))
        return Attempt(to_language(moves, classes, sample))


def _find_counter(words: DrawnWords) -> Array | None:
    """Return the counter that explains the classes best, improved, if it is above chance."""
    search = words.search(_WORDS[0], np.inf)
    numbers = symbol_counts(words.task.sample.part(words.order[: _WORDS[0]]))
    best, best_score = None, -np.inf
    chance = search.score(np.zeros((1, words.packed.num_symbols), dtype=np.int64))
    for modulus in _MODULI:
        if modulus > words.task.max_states:
            break
        moves = _counters(modulus, words.packed.num_symbols)
        scores = log_likelihood(_ends(moves, numbers, search.words))
        words.task.read(len(moves) * numbers.size)
        score = float(scores.max()) - np.log(len(moves))
        if score > max(best_score, chance + _EVIDENCE):
            best, best_score = moves[scores.argmax()].copy(), score
    if best is None:
        return None
    return correct(words, best, search, _WORK)


def _ends(moves: Array, numbers: Array, words: PackedWords) -> Array:
    """Return how many words of each class end in each state of counters, `[candidate, state,
    class]`, from the number of each symbol in each word."""
    (count, modulus, _), classes, found = moves.shape, words.num_classes, []
    step = max(1, _AT_ONCE // max(len(words), 1))
    for first in range(0, count, step):
        some = moves[first : first + step]
        ends = (some[:, 0].astype(np.float64) @ numbers.T).astype(np.int64) % modulus
        codes = (np.arange(len(some))[:, None] * modulus + ends) * classes + words.classes
        weights = None if words.weights is None else np.tile(words.weights, len(some))
        counts = count_weighted(codes.ravel(), weights, len(some) * modulus * classes)
        found.append(counts.reshape(len(some), modulus, classes))
    return np.concatenate(found)


def _counters(modulus: int, symbols: int) -> Array:
    """Return automata that add up weights of the symbols, `[candidate, state, symbol]`.

    All weights are tried if they are not too many; else those of one symbol or two.
    """
    if modulus**symbols <= _COUNTERS:
        every: Iterator[tuple[int, ...]] = itertools.product(range(modulus), repeat=symbols)
        weights = np.array(list(every)[1:])
    else:
        pairs = np.array(list(itertools.combinations(range(symbols), 2)))
        if len(pairs) * (modulus - 1) > _COUNTERS:
            pairs = pairs[:0]
        weights = np.zeros((symbols + len(pairs) * (modulus - 1), symbols), dtype=np.int64)
        weights[:symbols] = np.eye(symbols, dtype=np.int64)
        rows = np.arange(len(pairs) * (modulus - 1))
        pair, other = pairs[rows // (modulus - 1)], 1 + rows % (modulus - 1)
        weights[symbols + rows, pair[:, 0]] = 1
        weights[symbols + rows, pair[:, 1]] = other
    return (np.arange(modulus)[None, :, None] + weights[:, None, :]) % modulus


def moves_of(language: Language) -> Array:
    """Return the transitions `[state, symbol]`, with the start as state 0."""
    states = range(language.num_states)
    order = [language.start, *(state for state in states if state != language.start)]
    return np.argsort(order)[np.array(language.transitions, dtype=np.int64)[order]]


def _grow(
    words: DrawnWords, moves: Array, most_states: int, num_words: int, most_work: int
) -> Array:
    """Return an automaton that grew by some words, from another one, and was corrected by all."""
    search = words.search(num_words, most_work)
    try:
        if len(moves) > 1:
            search.descend(moves)
            while search.redirect_two(moves):
                search.descend(moves)
        if not search.fits(moves):
            for better in search.grow(moves, most_states):
                moves = better.copy()
    except WorkUsedUpError:
        return moves
    return correct(words, moves, search, most_work)


def correct(words: DrawnWords, moves: Array, search: LocalSearch, most_work: int) -> Array:
    """Return an automaton that is corrected by more and more words, and shrinks while it fits.

    If it does not fit all words after that, more states are split.
    """
    sizes = [len(words.packed)]
    num_words = len(search.words)
    while (num_words := 4 * num_words) < len(words.packed):
        sizes.insert(-1, num_words)
    with suppress(WorkUsedUpError):
        if search.fits(moves):
            moves = search.shrink(moves)
        for size in sizes:
            search = words.search(size, most_work)
            search.descend(moves)
            if not search.fits(moves):
                limit = min(words.task.max_states, len(moves) + 4)
                for better in search.grow(moves, limit):
                    moves = better.copy()
            if search.fits(moves):
                search.most_work = np.inf
                moves = search.shrink(moves)
                search.most_work = most_work
        if words.task.noise:
            while search.redirect_two(moves):
                search.descend(moves)
            moves = search.extend(moves)
    return moves
