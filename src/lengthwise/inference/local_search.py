"""Local search over automata: redirect a transition, recast a symbol, split or drop a state.

The search climbs the likelihood of the classes by the state that a word ends in: it moves where the
number of misjudged words does not, and wrong labels do not stop it. Each move is scored exactly, by
reading the words. Candidates are read on few words first, and only those that are not clearly worse
on more.

Moving one transition of an automaton with too few states gives no signal where two must move
together. With a few states more than are needed, there nearly always is a move that helps; the
states that are not needed are dropped in the end.

Axes:
    candidate  automata that are compared
    state      states; the start is state 0
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from lengthwise.inference.packed_words import PackedWords, count_misjudged, log_likelihood
from lengthwise.inference.sample import Array
from lengthwise.inference.searcher import Read, read_freely

_FIRST = 400
"""Number of words on which candidates are read first; each time four times as many follow."""

_MARGIN = 3.0
"""Difference of log-likelihood by which a candidate may be worse on some of the words."""

_KEPT = 4
"""Candidates that are read on more words, besides the automaton as it is."""

_HEATED = 2
"""Number of parts of the words that heated moves look at."""

_PAIRS = 8_000
"""Pairs of transitions that are redirected at once, and compared."""

_BLOCKS = 2**27
"""Greatest number of blocks by which pairs are compared first; with longer words they are fewer."""

_ENTRIES = 2**22
"""Greatest number of transitions of all candidates that are made at once."""

_SCALE = 20.0
"""Difference of log-likelihood that heated moves overlook at first."""

_EXACT = 1e-9
"""Differences of log-likelihood below which two are equal."""

_PROPOSING = 1_600
"""Greatest number of words by which splits and drops are proposed."""


class WorkUsedUpError(Exception):
    """A local search has read all the symbols it is allowed to read."""


class LocalSearch:
    """Searches for automata that fit words, and counts the work it did."""

    def __init__(
        self,
        words: PackedWords,
        draw: np.random.Generator,
        *,
        enough: float = 0.0,
        most_work: float = np.inf,
        read: Read = read_freely,
    ) -> None:
        self.words = words
        self.enough = enough
        """Number of words that may be misjudged by an automaton that fits."""
        self.work = 0
        """Blocks of words that were read."""
        self._draw = draw
        self.most_work = most_work
        self._read = read
        bounds = [0]
        while bounds[-1] < len(words):
            bounds.append(min(len(words), max(_FIRST, 4 * bounds[-1])))
        self._tiers = [words.part(*pair) for pair in pairwise(bounds)]
        self._proposing = words.part(0, _PROPOSING)

    # ---- scoring -----------------------------------------------------------------------------

    def counts(self, moves: Array, words: PackedWords | None = None) -> Array:
        """Return how many words of each class end in each state of candidates.

        Raises:
            WorkUsedUpError: too much was read already.
        """
        words = self.words if words is None else words
        if self.work > self.most_work:
            raise WorkUsedUpError
        self.work += len(moves) * words.blocks.size
        return words.counts(moves, self._read)

    def score(self, moves: Array) -> float:
        """Return the log-likelihood of an automaton, on all words."""
        return float(log_likelihood(self.counts(moves[None]))[0])

    def fits(self, moves: Array) -> bool:
        """Return whether an automaton misjudges few enough words."""
        return int(count_misjudged(self.counts(moves[None]))[0]) <= self.enough

    def _best(self, candidates: Array, now: int, heat: float = 0.0) -> tuple[int, bool]:
        """Return a candidate that is better than candidate `now`, or `now`; and whether it is
        right on all words.

        With heat, it is drawn: each with a probability that falls with what it loses.
        """
        candidates_left = np.arange(len(candidates))
        total = np.zeros((len(candidates), candidates.shape[1], self.words.num_classes), dtype=int)
        tiers = self._tiers[:_HEATED] if heat else self._tiers
        for tier in tiers:
            total = total + self.counts(candidates[candidates_left], tier)
            likelihood = log_likelihood(total)
            noisy = likelihood
            if heat:
                noisy = likelihood + heat * self._draw.gumbel(size=len(candidates_left))
            if tier is tiers[-1]:
                break
            is_now = candidates_left == now
            least = max(
                noisy.max() - 3 * _MARGIN, -np.inf if heat else likelihood[is_now][0] - _MARGIN
            )
            going = is_now | (noisy >= least)
            rivals = np.flatnonzero(going & ~is_now)
            rivals = rivals[np.argsort(-noisy[rivals], kind="stable")][:_KEPT]
            going = is_now.copy()
            going[rivals] = True
            if going.sum() == 1:
                return now, False
            candidates_left, total = candidates_left[going], total[going]
        best = int(noisy.argmax())
        own_place = int(np.flatnonzero(candidates_left == now)[0])
        if not heat and noisy[best] <= noisy[own_place] + _EXACT:
            best = own_place
        is_right = tier is self._tiers[-1] and not count_misjudged(total[best])
        return int(candidates_left[best]), bool(is_right)

    # ---- moves -------------------------------------------------------------------------------

    def redirect(self, moves: Array, heat: float = 0.0) -> bool:
        """Redirect each transition, in a drawn order, to its best target.

        `moves` changes in place. The result says whether something changed.
        """
        states = len(moves)
        before = moves.copy()
        for edge in self._draw.permutation(moves.size):
            state, symbol = divmod(int(edge), moves.shape[1])
            candidates = np.repeat(moves[None], states, axis=0)
            candidates[:, state, symbol] = np.arange(states)
            target, is_right = self._best(candidates, int(moves[state, symbol]), heat)
            moves[state, symbol] = target
            if is_right:
                break
        return bool((moves != before).any())

    def recast(self, moves: Array) -> bool:
        """Give each symbol, in a drawn order, the best of the actions that are plain or known.

        These are to stay, to lead to one state, and to do as another symbol does.
        """
        states, symbols = moves.shape
        before = moves.copy()
        identity = np.arange(states)
        resets = np.repeat(identity[:, None], states, axis=1)
        for symbol in self._draw.permutation(symbols).tolist():
            known = np.unique(moves.T, axis=0)
            known = known[self._some(len(known), moves.size)]
            plain = np.concatenate([moves.T[[symbol]], identity[None], resets])
            actions = np.unique(np.concatenate([known, plain]), axis=0)
            candidates = np.repeat(moves[None], len(actions), axis=0)
            candidates[:, :, symbol] = actions
            now = int(np.flatnonzero((actions == moves[:, symbol]).all(axis=1))[0])
            best, _ = self._best(candidates, now)
            moves[:, symbol] = actions[best]
        return bool((moves != before).any())

    def restart(self, moves: Array) -> bool:
        """Start in the best state, which becomes state 0."""
        candidates = []
        for state in range(len(moves)):
            renamed = np.arange(len(moves))
            renamed[[0, state]] = renamed[[state, 0]]
            candidates.append(renamed[moves][renamed])
        best, _ = self._best(np.array(candidates), 0)
        moves[:] = candidates[best]
        return best > 0

    def redirect_two(self, moves: Array) -> bool:
        """Redirect the best two transitions at once, of some that are drawn, if that helps."""
        states, width = moves.shape
        blocks = max(self._tiers[0].blocks.size, 1)
        pairs = min(_PAIRS, _ENTRIES // moves.size, _BLOCKS // blocks)
        candidates = np.repeat(moves.reshape(1, -1), pairs + 1, axis=0)
        rows = np.arange(1, pairs + 1)
        for _ in range(2):
            edges = self._draw.integers(0, moves.size, pairs)
            candidates[rows, edges] = self._draw.integers(0, states, pairs)
        best, _ = self._best(candidates.reshape(-1, states, width), 0)
        moves[:] = candidates[best].reshape(states, width)
        return best > 0

    def descend(self, moves: Array) -> None:
        """Redirect, recast and restart until nothing helps; `moves` changes in place."""
        while count_misjudged(self.counts(moves[None]))[0]:
            if not (self.redirect(moves) or self.recast(moves) or self.restart(moves)):
                break

    def split(self, moves: Array, heat: float) -> Array:
        """Lead a transition to a new state, which continues as its target does."""
        states, symbols = moves.shape
        edges = self._some(moves.size, moves.size + symbols)
        candidates = np.empty((len(edges), states + 1, symbols), dtype=np.int64)
        candidates[:, :states] = moves
        candidates[:, states] = moves[moves.ravel()[edges]]
        candidates[np.arange(len(edges)), edges // symbols, edges % symbols] = states
        return self._propose(candidates, heat)

    def drop(self, moves: Array, heat: float) -> Array:
        """Leave a state out: what led to it leads to another state."""
        return self._propose(self._drop_states(moves), heat)

    def _drop_states(self, moves: Array) -> Array:
        """Return automata with one state fewer, as many as are made at once."""
        return drop_states(moves, self._some((len(moves) - 1) ** 2, moves.size))

    def _some(self, count: int, size: int) -> Array:
        """Return the numbers of the candidates of a size that are made at once."""
        most = max(1, _ENTRIES // size)
        return np.arange(count) if count <= most else self._draw.choice(count, most, replace=False)

    def _propose(self, candidates: Array, heat: float) -> Array:
        likelihood = log_likelihood(self.counts(candidates, self._proposing))
        noisy = likelihood + heat * self._draw.gumbel(size=len(likelihood))
        return candidates[int(noisy.argmax())].copy()

    # ---- searching ---------------------------------------------------------------------------

    def grow(self, moves: Array, most_states: int) -> Iterator[Array]:
        """Yield better and better automata up to a number of states; the last one may fit.

        States are split until an automaton fits. At the greatest number, a few states are dropped
        and others split, from the best automaton so far, endlessly.
        """
        best, best_score, top = moves, -np.inf, -np.inf
        while most_states > 1:
            moves = best.copy()
            if len(moves) >= most_states:
                for _ in range(int(self._draw.integers(1, 4))):
                    if len(moves) > 1:
                        moves = self.drop(moves, _SCALE)
            score = -np.inf
            while len(moves) < most_states:
                moves = self.split(moves, _SCALE)
                for heat in (_SCALE / 2, _SCALE / 4):
                    self.redirect(moves, heat)
                self.descend(moves)
                if (score := self.score(moves)) > top:
                    top = score
                    yield moves
                if self.fits(moves):
                    yield moves
                    return
            if score >= best_score:
                best, best_score = moves, score

    def shrink(self, moves: Array) -> Array:
        """Leave out states while the automaton, after a descent, still fits about as well."""
        score = self.score(moves)
        while len(moves) > 1:
            candidates = self._drop_states(moves)
            likelihood = log_likelihood(self.counts(candidates, self._proposing))
            least = score - _state_cost(moves)
            for candidate in np.argsort(-likelihood, kind="stable")[:_KEPT]:
                smaller = candidates[candidate].copy()
                self.descend(smaller)
                if self.fits(smaller) and (new_score := self.score(smaller)) > least:
                    moves, score = smaller, new_score
                    break
            else:
                break
        return moves

    def extend(self, moves: Array) -> Array:
        """Split states while that explains more of the labels than a state costs."""
        while (score := self.score(moves)) < -_EXACT:
            larger = self.split(moves, 0.0)
            self.descend(larger)
            if self.score(larger) < score + _state_cost(larger):
                break
            moves = larger
        return moves


def _state_cost(moves: Array) -> float:
    """Return what a state costs, as a difference of log-likelihood: the choice of its targets."""
    return float(moves.shape[1] * np.log(len(moves)))


def drop_states(moves: Array, pairs: Array | None = None) -> Array:
    """Return automata with a state less: what led to one leads to another.

    `pairs` are numbers of the pairs of states, the first state after the start with all others
    first; all of them by default.
    """
    states, symbols = moves.shape
    pairs = np.arange((states - 1) ** 2) if pairs is None else pairs
    smaller = np.empty((len(pairs), max(states - 1, 1), symbols), dtype=np.int64)
    for row, pair in enumerate(pairs.tolist()):
        state, other = 1 + pair // (states - 1), pair % (states - 1)
        other += other >= state
        fewer = np.delete(np.where(moves == state, other, moves), state, axis=0)
        smaller[row] = fewer - (fewer > state)
    return smaller


def commonest_classes(counts: Array, common: int) -> Array:
    """Return the commonest class of the words that end in each state, `counts[state, class]`;
    `common` where none ends."""
    return np.where(counts.any(axis=-1), counts.argmax(axis=-1), common)
