"""The search for a small function that explains pairs of words.

1. *Sequential*: the symbol at a position is the question, and what is before it the beginning
   (`sides.merge_side`); and the same from the other end.
2. *Bimachine*. The first pass reads words from their ends: a question is a symbol with all symbols
   before it, of those that many pairs share, and merging gives the right automaton. In the second
   pass a question is a symbol with the state of that automaton, and merging gives the left
   automaton and the table. Each automaton is then merged again from the other one. The passes also
   begin at the other end.

Small automata are tried first. The search ends with a function that misjudges no output symbol of
training and validation, or with noise no more than wrong outputs explain, and that is much shorter
than the outputs. Training alone makes functions.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from lengthwise.inference.judge import label_bits
from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.pairs.sides import (
    Merged,
    Questions,
    ask_symbols,
    merge_side,
    shared_contexts,
)
from lengthwise.inference.portfolio import End
from lengthwise.inference.sample import Array
from lengthwise.inference.searcher import AttemptLostError, Read, SearchClock
from lengthwise.languages.functions.function import Function
from lengthwise.languages.minimise import Table

_STATES = (16, 64)
"""Greatest numbers of states of an automaton that are tried before the one that is allowed."""

_CAUTIONS = (384.0, 24.0)
"""Bits of evidence at which merging begins to decide."""

_SHARED, _SHARE = 4, 0.01
"""Least number and least share of the pairs that share the symbols of a question."""

_ROUNDS = 2
"""Number of times that both automata are merged from each other."""

_LIKELY, _UNLIKELY = 3.0, 6.0
"""Standard deviations of more errors than wrong outputs make on average with which a function ends
the search at once, or once all functions with at most so many states were tried."""

_COMPRESSED = 0.5
"""Share of the bits of the outputs below which a function and its errors explain them."""


@dataclass(frozen=True, slots=True)
class FunctionHypothesis:
    """A function, judged by the pairs of training and validation."""

    function: Function
    """Its symbols are numbers."""
    wrong: int
    """Output symbols that it misjudges."""
    bits: float
    """Bits of the function, and of the outputs that it misjudges."""


@dataclass(slots=True)
class FunctionSearch:
    """The progress of a search."""

    train: Paired
    valid: Paired
    noise: float = 0.0
    max_states: int = 256
    best: FunctionHypothesis | None = None
    end: End = ""
    seconds: float = 0.0
    show: Callable[["FunctionSearch"], None] = field(default=lambda search: None)

    @property
    def symbols(self) -> int:
        """Number of output symbols of training and validation."""
        return int(self.train.lengths.sum() + self.valid.lengths.sum())

    def run(self, budget: float = math.inf) -> FunctionHypothesis:
        """Search for at most `budget` seconds; an interrupt (Ctrl-C) keeps the best function.

        The result is at least the function that writes the commonest output of each symbol.
        """

        def show_after(seconds: float) -> None:
            self.seconds = seconds
            self.show(self)

        clock = SearchClock(budget, show_after)
        self.best = self._judge(_by_symbol(self.train))
        try:
            self.end = "explained" if self._find(clock.read) else "exhausted"
        except AttemptLostError:
            self.end = "out of time"
        except KeyboardInterrupt:
            self.end = "stopped"
        self.seconds = clock.seconds
        return self.best

    def _find(self, read: Read) -> bool:
        """Return whether a function explains the pairs.

        With noise, one with somewhat more errors than are likely is taken if no other of at most so
        many states is better.
        """
        assert self.best is not None
        for most in sorted(
            {min(states, self.max_states) for states in (*_STATES, self.max_states)}
        ):
            for functions in _attempts(self.train, self.noise, most, read):
                for made in map(self._judge, functions):
                    self.best = min(self.best, made, key=self._rank)
                if self._explains(self.best, _LIKELY):
                    return True
            if self._explains(self.best, _UNLIKELY):
                return True
        return False

    def _judge(self, function: Function) -> FunctionHypothesis:
        wrong = sum(int(part.wrong(function).sum()) for part in (self.train, self.valid))
        of_labels = label_bits(wrong, self.symbols, self.train.num_outputs, self.noise)
        return FunctionHypothesis(function, wrong, _size_in_bits(function) + of_labels)

    def _rank(self, made: FunctionHypothesis) -> tuple[bool, float]:
        return (self.noise == 0 and made.wrong > 0, made.bits)

    def _explains(self, made: FunctionHypothesis, deviations: float) -> bool:
        """Return whether a function has no more errors than so many standard deviations above those
        of wrong outputs, and is much shorter than the outputs."""
        count, noise = self.symbols, self.noise
        if made.wrong > noise * count + deviations * math.sqrt(noise * (1 - noise) * count):
            return False
        outputs = np.bincount(self.train.outputs[self.train.inside]) + 0.5
        shares = outputs / outputs.sum()
        entropy = -float((shares * np.log2(shares)).sum())
        return made.wrong == 0 or made.bits < _COMPRESSED * max(entropy, noise) * count


def _attempts(train: Paired, noise: float, most: int, read: Read) -> Iterator[Iterator[Function]]:
    """Yield attempts at a function of training whose automata have at most so many states."""
    turned = train.reverse()
    for caution in _CAUTIONS:

        def merge(pairs: Paired, asked: Questions, caution: float = caution) -> Merged:
            return merge_side(
                pairs, asked, noise=noise, max_states=most, caution=caution, read=read
            )

        for kind in (_sequential, _bimachines):
            yield kind(train, merge)
            yield (made.reverse() for made in kind(turned, merge))


_Merge = Callable[[Paired, Questions], Merged]


def _sequential(pairs: Paired, merge: _Merge) -> Iterator[Function]:
    made = _left_of(pairs, _loops(pairs), merge)
    if made is not None:
        yield made


def _bimachines(pairs: Paired, merge: _Merge) -> Iterator[Function]:
    least = max(_SHARED, int(_SHARE * len(pairs)))
    contexts, turned = shared_contexts(pairs, least), pairs.reverse()
    if not contexts.count:
        return
    numbers = np.where(pairs.inside, pairs.turn(contexts.numbers), -1)
    merged = merge(turned, Questions(numbers, contexts.count))
    if merged is None:
        return
    right, before = merged[0], None
    for _ in range(_ROUNDS):
        made = _left_of(pairs, right, merge)
        if made is None or made == before:
            return
        yield made
        again = _left_of(turned, made.left, merge)
        if again is None:
            return
        before = again.reverse()
        yield before
        right = again.left


def _left_of(pairs: Paired, right: Table, merge: _Merge) -> Function | None:
    """Return the function with this right automaton and a left one that is merged, if there is
    one that is small enough."""
    merged = merge(pairs, ask_symbols(pairs, right))
    if merged is None:
        return None
    left, answers = merged
    cells = answers.reshape(len(left), pairs.num_symbols, len(right))
    return _function(pairs, left, right, np.where(cells < 0, _commonest(pairs)[:, None], cells))


def _by_symbol(pairs: Paired) -> Function:
    return _function(pairs, _loops(pairs), _loops(pairs), _commonest(pairs)[None, :, None])


def _commonest(pairs: Paired) -> Array:
    """Return the commonest output of each symbol."""
    counts = np.zeros((pairs.num_symbols, pairs.num_outputs), dtype=np.int64)
    np.add.at(counts, (pairs.inputs[pairs.inside], pairs.outputs[pairs.inside]), 1)
    return counts.argmax(axis=1)


def _loops(pairs: Paired) -> Table:
    """Return the automaton of one state."""
    return ((0,) * pairs.num_symbols,)


def _function(pairs: Paired, left: Table, right: Table, cells: Array) -> Function:
    return Function(
        alphabet=tuple(map(str, range(pairs.num_symbols))),
        outputs=tuple(map(str, range(pairs.num_outputs))),
        left=left,
        right=right,
        table=tuple(tuple(tuple(row) for row in rows) for rows in cells.tolist()),
    )


def _size_in_bits(function: Function) -> float:
    """Return the bits that name the targets and the outputs of a function."""
    left, right, symbols = len(function.left), len(function.right), len(function.alphabet)
    targets = symbols * (left * math.log2(left) + right * math.log2(right))
    return targets + left * symbols * right * math.log2(max(len(function.outputs), 2))
