"""Random walks through an automaton to a set of states, each exactly uniform among all of them.

Exactness at the price of floating point. The counts are kept as float64 with an exponent each, and
the boundaries between symbols follow from them with an error that is bounded (`_error`). A symbol
is decided by a random number of `bits` bits, which stands for an interval. Where that interval
stays clear of all boundaries by more than the error, the decision is the right one; where it does
not, about once in 2^28 boundaries, the word is drawn with exact integers and as many further random
bits as it takes. The distribution is that of the exact integers.

Words are at the right end of a batch, so all words of all lengths have the same number of symbols
to come at the same place, and each place is one step of a few vector operations (in numpy, whose
small operations start faster than torch's).
"""

from itertools import accumulate

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Generator, Tensor

from lengthwise.tasks.automaton import PAD, Automaton

MAX_COUNTS = 2**27
"""Most counts (length x state x class) that a sampler keeps, 12 bytes each."""

_MAX_TABLE = 2**25
"""Most boundaries kept in a table, 4 bytes each; past it they are computed for each word."""

_BLOCK = 2**21
"""Most boundaries looked at before doubtful decisions are settled."""

_BLOCK_PLACES = 1024
"""Most places in such a block: the exact counts for all of them are held while one is settled."""

_FEW_SYMBOLS = 8
"""Most symbols whose boundaries are fetched one by one; rows of them are quicker for more."""

_NOTHING = -(2**30)
"""The exponent of a count of zero."""

Words = Int[Tensor, "word time"]
Each = Int[Tensor, " word"]
"""A number for each word."""


def longest_walk(lengths: Each) -> int:
    """Return the greatest length; 0 if there is none."""
    return int(lengths.max()) if len(lengths) else 0


class Walk:
    """Random walks to any of several goals (sets of states), each uniform among all that get there.

    Axes: `to_come` symbols, `state`, `goal`, `symbol`. A `key` says where a walk is and where it
    goes: (goal * num_states + state) * num_symbols, so that key + symbol is an index too. The
    boundary after a symbol is the probability of the symbols up to it, times 2^bits, rounded down.
    """

    def __init__(self, automaton: Automaton, goals: NDArray[np.bool_], bits: int) -> None:
        self._bits = bits
        self._start = automaton.start
        self._targets = automaton.transitions.numpy()
        self._num_states, self._num_symbols = self._targets.shape
        self._goals = goals
        offsets = np.arange(goals.shape[1])[:, None, None] * self._num_states
        self._next_key = (offsets + self._targets[None]).reshape(-1) * self._num_symbols
        mantissas, exponents = np.frexp(goals.astype(np.float64))
        exponents[~goals] = _NOTHING
        self._mantissas, self._exponents = mantissas[None], exponents[None]
        self._table = np.zeros((1, goals.size * self._num_symbols), dtype=np.int32)

    def draw(self, goals: Each, lengths: Each, generator: Generator) -> Words:
        """Draw one walk for each goal and length; there must be one."""
        longest = longest_walk(lengths)
        if self._num_symbols > 1:
            self._grow(longest)
        order = torch.argsort(lengths, descending=True, stable=True)
        counts = np.searchsorted(
            -lengths[order].numpy(), -np.arange(longest, 0, -1), side="right"
        )  # how many words have begun at each place
        keys = (goals[order].numpy() * self._num_states + self._start) * self._num_symbols
        small = np.int8 if self._num_symbols <= 127 else np.int32
        symbols = np.full((longest, len(keys)), PAD, dtype=small)
        size = max(1, min(_BLOCK_PLACES, _BLOCK // max(1, len(keys) * (self._num_symbols - 1))))
        for start in range(0, longest, size):
            end = min(start + size, longest)
            to_come = np.arange(longest - start, longest - end, -1)
            keys = self._block(keys, to_come, counts[start:end], symbols[start:end], generator)
        tokens = torch.from_numpy(symbols).T.contiguous().long()
        return tokens.index_select(0, order.argsort())

    def _block(
        self,
        keys: NDArray[np.int64],
        to_come: NDArray[np.int64],
        counts: NDArray[np.int64],
        symbols: NDArray[np.int8] | NDArray[np.int32],
        generator: Generator,
    ) -> NDArray[np.int64]:
        """Draw the symbols of successive places into `symbols`; the keys after them."""
        shape = (len(to_come), len(keys))
        chances = _integers(shape, self._bits, generator)
        # Words that have not begun keep a boundary that no number comes near.
        boundaries = np.full((*shape, self._num_symbols - 1), -(2**30), dtype=np.int32)
        current = keys.copy()
        self._walk(current, to_come.tolist(), counts.tolist(), chances, boundaries)
        passed = boundaries <= chances[:, :, None]
        draws = passed[:, :, 0] if self._num_symbols == 2 else passed.sum(axis=2)
        np.copyto(symbols, draws, where=np.arange(len(keys)) < counts[:, None], casting="unsafe")

        doubtful = self._doubtful(to_come, chances, boundaries)
        for word in np.flatnonzero(doubtful).tolist():
            first = int((counts <= word).sum())
            current[word], symbols[first:, word] = self._redraw(
                int(keys[word]), to_come[first:].tolist(), chances[first:, word].tolist(), generator
            )
        return current

    def _walk(
        self,
        keys: NDArray[np.int64],
        to_come: list[int],
        counts: list[int],
        chances: NDArray[np.int32],
        boundaries: NDArray[np.int32],
    ) -> None:
        """Move `keys` from place to place, and leave the boundaries that were met.

        One symbol leaves nothing to decide, and no boundary ever asks for the keys. With two
        symbols and a table, a place has one boundary and takes four operations.
        """
        if self._num_symbols == 1:
            return
        if self._num_symbols != 2 or to_come[0] >= len(self._table):
            for r, count, chance, row_boundaries in zip(
                to_come, counts, chances, boundaries, strict=True
            ):
                current = keys[:count]
                row_boundaries[:count] = self._look_up(r, current)[:, :-1]
                current += np.add.reduce(row_boundaries[:count] <= chance[:count, None], axis=1)
                self._next_key.take(current, out=current, mode="clip")
            return
        bits = np.empty(len(keys), dtype=np.bool_)
        count, current, now = -1, keys, bits
        rows = self._table[to_come[-1] : to_come[0] + 1][::-1]
        places = zip(rows, counts, chances, boundaries[:, :, 0], strict=True)
        for row, begun_here, chance, row_boundaries in places:
            if begun_here != count:
                count, current, now = begun_here, keys[:begun_here], bits[:begun_here]
            row.take(current, out=row_boundaries[:count], mode="clip")
            np.less_equal(row_boundaries[:count], chance[:count], out=now)
            np.add(current, now, out=current)
            self._next_key.take(current, out=current, mode="clip")

    def _doubtful(
        self, to_come: NDArray[np.int64], chances: NDArray[np.int32], boundaries: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Return the words with a number so near to a boundary that rounding may have decided.

        A number u stands for the interval from u to u + 1, and a true boundary B with the rounded
        one b lies between b - e and b + 1 + e. If u >= b + 1 + e, then u >= B; if u + 1 <= b - e,
        then u + 1 <= B. Any other u is within 1 + e of b.
        """
        slack = 1 + np.floor(np.ldexp(_error(to_come, self._num_symbols), self._bits))
        distance = np.abs(boundaries - chances[:, :, None])
        near = distance <= slack.astype(np.int32)[:, None, None]
        return near.any(axis=(0, 2)) if near.any() else np.zeros(chances.shape[1], dtype=np.bool_)

    # ---- counts in floating point ------------------------------------------------------------

    def _grow(self, longest: int) -> None:
        """Extend the counts to `longest` symbols to come, and the table of boundaries if small.

        Whoever asks has made sure that there is room.
        """
        known = len(self._mantissas)
        if longest < known:
            return
        size = self._goals.size
        total = max(longest + 1, min(2 * known, MAX_COUNTS // size))
        mantissas = np.empty((total, *self._goals.shape))
        exponents = np.empty(mantissas.shape, dtype=np.int32)
        mantissas[:known], exponents[:known] = self._mantissas, self._exponents
        for r in range(known, total):
            terms, top = _terms(mantissas[r - 1][self._targets], exponents[r - 1][self._targets])
            mantissas[r], more = np.frexp(terms.sum(axis=-2))
            exponents[r] = top + more
        self._mantissas, self._exponents = mantissas, exponents
        if total * self._table[0].size <= _MAX_TABLE:
            self._extend_table(total)

    def _extend_table(self, total: int) -> None:
        known = len(self._table)
        table = np.empty((total, self._table.shape[1]), dtype=np.int32)
        table[:known] = self._table
        size = max(1, _BLOCK // table.shape[1])
        for begin in range(known, total, size):
            end = min(begin + size, total)
            before = slice(begin - 1, end - 1)
            terms, _ = _terms(
                self._mantissas[before][:, self._targets], self._exponents[before][:, self._targets]
            )
            by_goal = terms.transpose(0, 3, 1, 2)
            table[begin:end] = _boundaries(by_goal, self._bits).reshape(end - begin, -1)
        self._table = table

    def _look_up(self, r: int, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the boundaries of each key, with `r` symbols to come."""
        if r < len(self._table) and self._num_symbols <= _FEW_SYMBOLS:
            return self._table[r].take(keys[:, None] + np.arange(self._num_symbols))
        place = keys // self._num_symbols
        if r < len(self._table):
            return self._table[r].reshape(-1, self._num_symbols).take(place, axis=0)
        goals, states = np.divmod(place, self._num_states)
        index = (r - 1, self._targets[states], goals[:, None])
        terms, _ = _terms(self._mantissas[index][:, :, None], self._exponents[index][:, :, None])
        return _boundaries(terms[:, :, 0], self._bits)

    # ---- exact integers ----------------------------------------------------------------------

    def _redraw(
        self, key: int, to_come: list[int], chances: list[int], generator: Generator
    ) -> tuple[int, list[int]]:
        """Draw one word as `_block` does, in exact integers: the key after it, and its symbols."""
        goal, state = divmod(key // self._num_symbols, self._num_states)
        targets = self._targets.tolist()
        counts = self._exact_counts(goal, to_come[-1] - 1, to_come[0] - 1)
        symbols = []
        for r, chance in zip(to_come, chances, strict=True):
            after = counts[r - to_come[-1]]
            steps = [after[target] for target in targets[state]]
            symbol = _decide(list(accumulate(steps)), chance, self._bits, generator)
            symbols.append(symbol)
            state = targets[state][symbol]
        return (goal * self._num_states + state) * self._num_symbols, symbols

    def _exact_counts(self, goal: int, fewest: int, most: int) -> list[list[int]]:
        """Return the number of walks from each state, for `fewest` to `most` symbols to come."""
        targets = self._targets.tolist()
        ways = [int(count) for count in self._goals[:, goal]]
        tables = [ways] if fewest == 0 else []
        for r in range(1, most + 1):
            ways = [sum(ways[target] for target in row) for row in targets]
            if r >= fewest:
                tables.append(ways)
        return tables


def _integers(shape: tuple[int, int], bits: int, generator: Generator) -> NDArray[np.int32]:
    """Draw uniform integers of at most 30 bits: two from each 63 random bits, which is quicker."""
    size = shape[0] * shape[1]
    pairs = torch.empty((size + 1) // 2, dtype=torch.int64).random_(generator=generator)
    return (pairs.numpy().view(np.int32) & (2**bits - 1))[:size].reshape(shape)


def _decide(cumulative: list[int], chance: int, bits: int, generator: Generator) -> int:
    """Return the symbol of a real number whose first bits are given, exactly.

    Further bits are drawn until it is clear between which boundaries the number lies.
    """
    while True:
        total = cumulative[-1]
        low = sum(c << bits <= chance * total for c in cumulative)
        high = sum(c << bits < (chance + 1) * total for c in cumulative)
        if low == high:
            return low
        more = int(torch.randint(2**32, (1,), generator=generator))
        chance, bits = (chance << 32) | more, bits + 32


def _terms(
    mantissas: NDArray[np.float64], exponents: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return counts by symbol (last axis but one) in units of 2^top, their largest exponent."""
    top = exponents.max(axis=-2)
    return np.ldexp(mantissas, exponents - np.expand_dims(top, -2)), top


def _boundaries(terms: NDArray[np.float64], bits: int) -> NDArray[np.int32]:
    """Return the boundaries after each symbol (last axis); anything where no walk goes."""
    cumulative = terms.cumsum(axis=-1)
    total = np.maximum(cumulative[..., -1:], np.finfo(np.float64).tiny)
    return np.floor(np.ldexp(cumulative / total, bits)).astype(np.int32)


def _error(to_come: NDArray[np.int64], num_symbols: int) -> NDArray[np.float64]:
    """Return how far a boundary, as a probability, can be from the true one.

    With u = 2^-53: a sum of k counts adds a relative error of k u at most (underflow included: the
    terms are in units of the largest), so a count N_r has r k u; a boundary is a quotient of two
    sums of such, hence off by less than (2 r k + 2) u. Doubled, for terms of second order.
    """
    return np.ldexp((to_come * num_symbols + 1).astype(np.float64), -51)
