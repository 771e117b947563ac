"""State merging: a small automaton that fits labelled words, or fits all but a share of them.

The automaton grows from its start state. An edge that leads out of it so far, a state and a symbol,
is an open edge; words that pass it differ in what they have left to read. To let an open edge lead
to a state is to read on from there (folding): every word then ends in a state, or at another open
edge with a shorter suffix left. Two words that end in the same place, a state or an open edge with
the same suffix, must have one class. So an open edge that cannot lead to any state leads to a new
one, and one that can leads to the state with the most evidence (Lang, Pearlmutter and Price 1998,
"Results of the Abbadingo One DFA learning competition": evidence-driven state merging).

The evidence of a merge, in bits, is the logarithm of how much more likely the classes that meet are
if the two are one state than if they are independent. When a share e of the labels is wrong, two
words of one class have equal labels with probability 1 - 2e(1 - e), and a merge is refused when
more labels differ than three standard deviations above what that gives.

Axes:
    word  words of the sample
    case  pairs of a candidate state and a word that passes the open edge
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import TextError
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import Read, read_freely
from lengthwise.languages.language import Language

Floats = NDArray[np.float64]

NOWHERE = -1
"""Target of an open edge."""

STRICT = 3.0
"""Standard deviations of more different labels than on average at which a merge is refused."""

_CONTRADICTION = 14.0
"""Nats of evidence against one class at one place at which a merge is refused: chance 10^-6."""

_LEAST_BITS = 1.0
"""Bits of evidence below which all open edges are decided."""

_FEW = 48
"""Number of words by which candidates are judged first, since most fail at once."""


_READING, _STEP, _INSERTING, _JUDGING = 5, 1_000, 2, 17
"""Symbols of plain reading in the time that is taken to read a symbol, by each step of reading in
any case, for each sorted word to insert others, and to judge a case."""

_BETWEEN = 10_000_000
"""Approximate number of symbols of plain reading between two counts of them."""


class MergedTooLargeError(TextError):
    """The search passed the greatest number of states."""


@dataclass(frozen=True, slots=True)
class _Scores:
    """The judgement of candidates for an open edge: bits of evidence, and which are refused."""

    bits: Floats
    refused: NDArray[np.bool_]


class Merging:
    """The automaton so far, with the place of every word."""

    def __init__(
        self,
        sample: Sample,
        *,
        noise: float,
        max_states: int,
        read: Read = read_freely,
        shares: Floats | None = None,
    ) -> None:
        self._sample = sample
        self._count = read
        self._unread = 0 if shares is None else 1
        self._max_states = max_states
        self._num_symbols = sample.num_symbols
        self._noise, self._least = noise, 2 * noise * (1 - noise)
        shares = sample.shares if shares is None else shares
        self._gain = np.log2((1 - self._least) / shares)
        floor = max(self._least, 1e-9)
        self._loss = np.log2(floor / (1 - np.minimum(shares, 1 - 1e-9)))
        self.moves = np.full((8, sample.num_symbols), NOWHERE, dtype=np.int64)
        self.num_states = 1
        self._slots = max_states + 1
        self._refused: dict[int, NDArray[np.bool_]] = {}
        rows = np.arange(len(sample))
        self._place, self._left = self._read(self.moves, np.zeros_like(rows), sample.lengths)
        self._open = self._codes = np.zeros(0, dtype=np.int64)
        self._sort_in(rows)

    # ---- reading -----------------------------------------------------------------------------

    def _read(
        self, moves: Array, state: Array, left: Array, rows: Array | None = None
    ) -> tuple[Array, Array]:
        """Read words on from some states; return the place of each, and the symbols left there.

        A place is a state, or an open edge as `slots + state * symbols + symbol`.
        """
        place, rest = state.copy(), left.copy()
        symbols, width = self._sample.symbols, self._num_symbols
        flat, stride = symbols.ravel(), symbols.shape[1]
        table = moves.ravel()
        active = np.flatnonzero(left > self._unread)
        word_rows = active if rows is None else rows[active]
        state, left = state[active], left[active]
        base, work = word_rows * stride, 0
        while len(active):
            if (work := work + _READING * len(active) + _STEP) > _BETWEEN:
                self._count(work)
                work = 0
            edge = state * width + flat[base + left]
            target = table[edge]
            left = left - 1
            out = target < 0
            over = out | (left == self._unread)
            if over.any():
                ended = active[over]
                place[ended] = np.where(out[over], self._slots + edge[over], target[over])
                rest[ended] = left[over]
                keep = ~over
                active, base, left, target = active[keep], base[keep], left[keep], target[keep]
            state = target
        self._count(work)
        return place, rest

    def _keys(self, place: Array, left: Array, rows: Array) -> Array:
        """Return a number for each place and suffix."""
        return place * self._sample.num_suffixes + self._sample.suffixes[rows, left]

    def _sort_in(self, rows: Array) -> None:
        """Insert words among those that are sorted by place, and by place, suffix and class."""
        sample = self._sample
        self._count(_INSERTING * len(sample))
        place = self._place[rows]
        keys = self._keys(place, self._left[rows], rows)
        is_open = place >= self._slots
        self._open = _merge_sorted(self._open, place[is_open] * len(sample) + rows[is_open])
        self._codes = _merge_sorted(self._codes, keys * sample.num_classes + sample.classes[rows])
        self._different, self._counts = _count_codes(self._codes)
        self._known, self._majority, self._votes, self._total = find_majorities(
            self._different, self._counts, sample.num_classes
        )

    def _remove(self, edge: int) -> Array:
        """Remove the words at an open edge from those that are sorted, and return them."""
        place, sample = self._slots + edge, self._sample
        first, last = self._stretch(edge)
        rows = self._open[first:last] - place * len(sample)
        self._open = np.concatenate([self._open[:first], self._open[last:]])
        width = sample.num_suffixes * sample.num_classes
        first, last = np.searchsorted(self._codes, [place * width, (place + 1) * width])
        self._codes = np.concatenate([self._codes[:first], self._codes[last:]])
        return rows

    def _stretch(self, edge: int) -> Array:
        """Return where the words at an open edge begin and end among the words at open edges."""
        place, size = self._slots + edge, len(self._sample)
        return np.searchsorted(self._open, [place * size, (place + 1) * size])

    def open_edges(self) -> Array:
        """Return the open edges that words pass, by state and then by symbol."""
        return np.unique(self._open // len(self._sample)) - self._slots

    def _passing(self, edge: int) -> Array:
        """Return the words at an open edge, those with least left to read first."""
        first, last = self._stretch(edge)
        rows = self._open[first:last] % len(self._sample)
        return rows[np.argsort(self._left[rows], kind="stable")]

    # ---- judging -----------------------------------------------------------------------------

    def most_bits(self, edges: Array) -> Floats:
        """Return the most evidence that there can be for each open edge: that of all its words."""
        place, rows = np.divmod(self._open, len(self._sample))
        gains = self._gain[self._sample.classes[rows]]
        bits = np.bincount(place - self._slots, gains).astype(np.float64)
        return bits[edges]

    def judge(self, edge: int) -> _Scores:
        """Judge all states as targets of an open edge.

        Without noise, a state that was refused once is refused for ever, since places only merge.
        """
        rows = self._passing(edge)
        refused = np.ones(self.num_states, dtype=bool)
        before = self._refused.get(edge, refused[:0])
        candidates = np.flatnonzero(
            ~np.concatenate([before, np.zeros(len(refused) - len(before), dtype=bool)])
        )
        bits = np.full(self.num_states, -np.inf)
        for part in (rows[:_FEW], rows) if len(rows) > 2 * _FEW else (rows,):
            judgement = self._judge(edge, candidates, part)
            refused[candidates], bits[candidates] = judgement.refused, judgement.bits
            candidates = candidates[~judgement.refused]
            if not len(candidates):
                break
        if self._least == 0:
            self._refused[edge] = refused
        return _Scores(bits, refused)

    def _judge(self, edge: int, candidates: Array, rows: Array) -> _Scores:
        count, num_rows = len(candidates), len(rows)
        self._count(_JUDGING * count * num_rows)
        state, symbol = divmod(edge, self._num_symbols)
        numbers = np.repeat(np.arange(count), num_rows)
        every = np.tile(rows, count)
        place, left = self._read_if(state, symbol, candidates, numbers, every)
        keys = self._keys(place, left, every)
        labels = self._sample.classes[every]
        at = np.minimum(np.searchsorted(self._known, keys), len(self._known) - 1)
        is_met = self._known[at] == keys
        same = is_met & (self._majority[at] == labels)
        weights = np.where(same, self._gain[labels], np.where(is_met, self._loss[labels], 0.0))
        hits = np.bincount(numbers[same], minlength=count)
        misses = np.bincount(numbers[is_met & ~same], minlength=count)
        bits = np.bincount(numbers, weights, minlength=count).astype(np.float64)
        more = _among_themselves(keys, labels, numbers, self._sample.num_classes)
        for number, label, is_same in more:
            hits += np.bincount(number[is_same], minlength=count)
            misses += np.bincount(number[~is_same], minlength=count)
            weights = np.where(is_same, self._gain[label], self._loss[label])
            bits = bits + np.bincount(number, weights, minlength=count)
        total = hits + misses
        allowed = total * self._least
        if self._least > 0:
            allowed = allowed + 1 + STRICT * np.sqrt(allowed * (1 - self._least))
        refused = misses > allowed
        if self._unread and self._least > 0:
            refused |= self._contradicted(numbers, keys, labels, count)
        return _Scores(bits, refused)

    def _contradicted(
        self, numbers: Array, keys: Array, labels: Array, count: int
    ) -> NDArray[np.bool_]:
        """Return the candidates at which, in one place with one question, more words have another
        class than the commonest one than wrong labels explain (Chernoff's bound)."""
        size, classes = max(int(self._known[-1]), int(keys.max())) + 1, self._sample.num_classes
        codes, counts = _count_codes(np.sort((numbers * size + keys) * classes + labels))
        own = codes % (size * classes)
        at = np.minimum(np.searchsorted(self._different, own), len(self._different) - 1)
        joint = counts + np.where(self._different[at] == own, self._counts[at], 0)
        at_key, _, most, _ = find_majorities(codes, joint, classes)
        total = np.add.reduceat(counts, np.searchsorted(codes // classes, at_key))
        number, key = np.divmod(at_key, size)
        at = np.minimum(np.searchsorted(self._known, key), len(self._known) - 1)
        is_met = self._known[at] == key
        most = np.maximum(most, np.where(is_met, self._votes[at], 0))
        total = total + np.where(is_met, self._total[at], 0)
        share = 1 - most / total
        with np.errstate(divide="ignore", invalid="ignore"):
            nats = share * np.log(share / self._noise)
        nats = np.nan_to_num(nats) + (1 - share) * np.log((1 - share) / (1 - self._noise))
        is_refused = (share > self._noise) & (total * nats > _CONTRADICTION)
        return np.bincount(number[is_refused], minlength=count) > 0

    def _read_if(
        self, state: int, symbol: int, candidates: Array, numbers: Array, rows: Array
    ) -> tuple[Array, Array]:
        """Read words on behind an open edge, as if it led to a candidate."""
        loops = np.int64(self._slots + state * self._num_symbols + symbol)
        place, left = self._read(self.moves, candidates[numbers], self._left[rows], rows)
        while len(again := np.flatnonzero(place == loops)):
            at = candidates[numbers[again]]
            place[again], left[again] = self._read(self.moves, at, left[again], rows[again])
        return place, left

    # ---- deciding ----------------------------------------------------------------------------

    def limit(self, max_states: int) -> None:
        """Set the greatest number of states from now on."""
        self._max_states = min(self._max_states, max_states)

    def lead(self, edge: int, target: int) -> None:
        """Let an open edge lead to a state."""
        state, symbol = divmod(edge, self._num_symbols)
        self.moves[state, symbol] = target
        rows = self._remove(edge)
        at = np.full(len(rows), target)
        self._place[rows], self._left[rows] = self._read(self.moves, at, self._left[rows], rows)
        self._sort_in(rows)

    def promote(self, edge: int) -> None:
        """Let an open edge lead to a new state.

        Raises:
            MergedTooLargeError: the automaton would have too many states.
        """
        if self.num_states == self._max_states:
            raise MergedTooLargeError(f"more than {self._max_states} states.")
        if self.num_states == len(self.moves):
            more = np.full_like(self.moves, NOWHERE)
            self.moves = np.concatenate([self.moves, more])
        self.num_states += 1
        self.lead(edge, self.num_states - 1)

    def classes(self) -> Array:
        """Return the commonest class of the words that end in each state; -1 where none ends."""
        counts = self.votes()
        return np.where(counts.any(axis=1), counts.argmax(axis=1), NOWHERE)

    def votes(self) -> Array:
        """Return the number of words of each class that end in each state, `[state, class]`."""
        sample = self._sample
        ended = self._place < self._slots
        counts = np.zeros((self.num_states, sample.num_classes), dtype=np.int64)
        np.add.at(counts, (self._place[ended], sample.classes[ended]), 1)
        return counts


def merge_states(
    sample: Sample,
    *,
    noise: float = 0.0,
    caution: float,
    max_states: int,
    guesses: bool = True,
    read: Read = read_freely,
) -> Language:
    """Return an automaton that fits a sample, or, with noise, most of it.

    An open edge is decided when the best target has `caution` bits of evidence more than any other.
    When no edge has that, half of it is enough, and so on; in the end all edges are decided, as a
    guess. Right guesses need few new states, so without `guesses` only a few are allowed then.
    `read` counts the symbols that are read, and may raise what ends the search.

    Raises:
        MergedTooLargeError: the automaton would have too many states.
    """
    search = Merging(sample, noise=noise, max_states=max_states, read=read)
    decide_edges(search, caution=caution, guesses=guesses)
    return _language(search, sample)


def decide_edges(search: Merging, *, caution: float, guesses: bool = True) -> None:
    """Lead every open edge that words pass to a state, as `merge_states` says.

    Raises:
        MergedTooLargeError: the automaton would have too many states.
    """
    enough = caution
    while len(edges := search.open_edges()):
        decided = False
        for edge in edges[search.most_bits(edges) >= enough].tolist():
            judgement = search.judge(edge)
            if judgement.refused.all():
                search.promote(edge)
                decided = True
                continue
            bits = np.where(judgement.refused, -np.inf, judgement.bits)
            target = int(bits.argmax())
            second = float(np.partition(bits, -2)[-2]) if len(bits) > 1 else 0.0
            if bits[target] - max(second, 0.0) >= enough:
                search.lead(edge, target)
                decided = True
        if not decided:
            enough = enough / 2 if enough > _LEAST_BITS else -np.inf
            if enough < 0 and not guesses:
                search.limit(2 * search.num_states + 16)


def _language(search: Merging, sample: Sample) -> Language:
    """Return the automaton.

    An edge that no word passes leads back to its state, and a state in which no word ends has the
    commonest class. Both are guesses.
    """
    moves = search.moves[: search.num_states]
    own_state = np.arange(search.num_states)[:, None]
    classes = search.classes()
    common = int(sample.shares.argmax())
    return Language(
        alphabet=tuple(str(number) for number in range(sample.num_symbols)),
        transitions=tuple(map(tuple, np.where(moves < 0, own_state, moves).tolist())),
        classes=tuple(np.where(classes < 0, common, classes).tolist()),
        class_names=tuple(str(number) for number in range(sample.num_classes)),
    )


def _count_codes(codes: Array) -> tuple[Array, Array]:
    """Return the different ones of sorted codes, and how often each occurs."""
    firsts = np.flatnonzero(np.diff(codes, prepend=-1))
    return codes[firsts], np.diff(firsts, append=len(codes))


def find_majorities(
    codes: Array, counts: Array, num_classes: int
) -> tuple[Array, Array, Array, Array]:
    """Return each key of different codes `key * classes + class`, with the commonest class, how
    often it occurs, and the sum of all counts."""
    keys, classes = np.divmod(codes, num_classes)
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    if len(firsts) == len(keys):
        return keys, classes, counts, counts
    ranks = counts * num_classes + (num_classes - 1 - classes)
    most, last = np.divmod(np.maximum.reduceat(ranks, firsts), num_classes)
    return keys[firsts], num_classes - 1 - last, most, np.add.reduceat(counts, firsts)


def _merge_sorted(values: Array, more: Array) -> Array:
    """Return sorted values and others, sorted."""
    return np.sort(np.concatenate([values, np.sort(more)]), kind="stable")


def _among_themselves(
    keys: Array, labels: Array, numbers: Array, num_classes: int
) -> Iterator[tuple[Array, Array, NDArray[np.bool_]]]:
    """Yield cases that meet another one at a key: candidate, label, whether labels are equal."""
    order = np.lexsort((labels, keys, numbers))
    is_met = (np.diff(keys[order]) == 0) & (np.diff(numbers[order]) == 0)
    later, before = order[1:][is_met], order[:-1][is_met]
    if len(later):
        yield numbers[later], labels[later], labels[later] == labels[before]
