"""The portfolio: several searchers share a budget of time, and the best automaton is kept.

The next attempt is that of the searcher that has read the fewest symbols so far, by its share. An
attempt that reads too many symbols is put off, and made again when the other searchers have read
as many.

Training alone makes automata; validation only helps to choose (`judge`).

An automaton that misjudges no more words than wrong labels make it can have states that the words
hardly tell apart: so the best one is reduced (`reducing`). Where labels may be wrong, it is settled
if no change of a transition or two, split or merge saves bits.

The search ends when an automaton explains the words and every other searcher has read as much as
the one that found it, to a limit; when one explains them, has several states and is settled, and
the searchers have read some more, all together; when it is proved that there is none with fewer
states, or none with as many as are allowed; when no searcher has an attempt left; or when the
budget is used up. What it finds depends on the words alone, unless the budget ends it.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from lengthwise.inference.distinguish import count_needed_states
from lengthwise.inference.exact import Exact
from lengthwise.inference.hill_climbing import Climb
from lengthwise.inference.judge import Hypothesis, Judge
from lengthwise.inference.needed_states import NeededStates
from lengthwise.inference.network_guide import Guide
from lengthwise.inference.reducing import reduce_states
from lengthwise.inference.rungs.catalogue import RUNGS
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import (
    AttemptLostError,
    AttemptPutOffError,
    Read,
    SearchClock,
    Searcher,
    SearchTask,
    to_language,
)
from lengthwise.inference.splitting import Splitting, settle
from lengthwise.inference.state_merging import StateMerging
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict

SEARCHERS: tuple[Searcher, ...] = (
    StateMerging(),
    NeededStates(),
    *RUNGS.values(),
    Climb(),
    Exact(),
    Guide(),
    Splitting(),
)
"""The searchers that are used by default, in the order in which they begin."""

_PATIENCE, _PATIENCE_WITH_NOISE = 20_000_000, 200_000_000
"""Symbols that the other searchers read at most after an automaton that explains the words. With
noise, an automaton of too few or too many states can explain them, too: then every searcher, the
one that found it included, also reads at least the lesser number."""

_WORK_IF_SETTLED, _DOUBT, _PARTS = 20_000_000, 20.0, 4
"""A search ends if its automaton is settled, and the searchers have read W exp(d²/2) (1 + D s)
symbols besides what found it. W and D are the first two numbers; s is the share of the bits that
the automaton has of those that it saves: the less, the less likely another one is better. It
misjudges d standard deviations more words than labels are wrong on average: the more, the rarer are
right automata that misjudge as many. A searcher counts for one of so many parts of that at most, or
of as many as there are searchers with attempts left."""

_TURN, _LONGER = 100_000_000, 4
"""Symbols that an attempt may read before it is put off, for each share of its searcher, and how
many times as many it may read next time; and symbols that making the best automaton smaller may
read until it is."""

End: TypeAlias = Literal["", "explained", "exhausted", "out of time", "stopped"]
"""Why a search ended: an automaton explains the words; no attempt is left; the budget is used up;
the user stopped it."""


@dataclass(slots=True)
class SearchState:
    """The progress of a search, from which a stopped search continues."""

    attempts: dict[str, int] = field(default_factory=dict)
    """Number of the next attempt of each searcher; -1 if it has none left."""
    work: dict[str, int] = field(default_factory=dict)
    """Symbols that each has read, once it has made an attempt, or was put off."""
    turns: dict[str, int] = field(default_factory=dict)
    """Symbols that an attempt of each may read, once one was put off."""
    best: Hypothesis | None = None
    """The best automaton so far; None before a search begins."""
    work_at_best: int = 0
    """Symbols that its searcher had read when it found it."""
    least_states: int = 1
    """States that every automaton has that fits the words, as far as that is proved."""
    seconds: float = 0.0
    end: End = ""

    def left(self, searchers: Sequence[Searcher]) -> list[Searcher]:
        """Return the searchers that have attempts left."""
        return [each for each in searchers if self.attempts.get(each.name, 0) >= 0]

    def work_of(self, searcher: Searcher) -> int:
        """Return the symbols that a searcher has read; a late one counts some from the start."""
        return searcher.late + self.work.get(searcher.name, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "attempts": self.attempts,
            "work": self.work,
            "turns": self.turns,
            "best": None if self.best is None else self.best.to_dict(),
            "work_at_best": self.work_at_best,
            "least_states": self.least_states,
            "seconds": self.seconds,
            "end": self.end,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], judge: Judge) -> Self:
        """Return what `to_dict` stored; the best automaton is judged again."""
        best = values["best"]
        known = {name: value for name, value in values.items() if name != "best"}
        best_hypothesis = None
        if best is not None:
            best_hypothesis = judge(from_dict(best["language"]), best["searcher"], best["size"])
        return cls(**known, best=best_hypothesis)


def search_automaton(
    judge: Judge,
    *,
    max_states: int = 256,
    budget: float = math.inf,
    searchers: Sequence[Searcher] = SEARCHERS,
    state: SearchState | None = None,
    keep: Callable[[SearchState], None] = lambda state: None,
    show: Callable[[SearchState], None] = lambda state: None,
) -> SearchState:
    """Search for the automaton that explains labelled words best, for at most `budget` seconds.

    The search continues from `state`, where another one ended, and `keep` is called with the state
    after every attempt, `show` several times a second. An interrupt (Ctrl-C) ends the search, and
    what it has is returned: at least the automaton that gives every word the commonest label.
    """
    state = SearchState() if state is None else state
    if state.end in ("out of time", "stopped"):
        state.end = ""
    if state.best is None:
        state.best = judge(_constant(judge.train), "the commonest label")
    before = state.seconds

    def show_after(seconds: float) -> None:
        state.seconds = before + seconds
        show(state)

    clock = SearchClock(budget, show_after)
    task = SearchTask(judge.train, judge.noise, max_states)
    examined, enough = None, math.inf
    able = [each for each in searchers if each.most_classes >= judge.train.num_classes]
    try:
        while not state.end:
            if state.best is not examined:
                is_settled = _improve(state, judge, replace(task, read=clock.read))
                examined, enough = state.best, _enough(state.best, judge, is_settled)
            state.end = _end_of(able, state, judge, max_states, enough)
            if not state.end:
                clock.read()
                now = replace(task, best=state.best.language, least_states=state.least_states)
                _attempt(state.left(able), now, state, judge, clock.read)
            state.seconds = before + clock.seconds
            keep(state)
    except AttemptLostError:
        state.end = "out of time"
    except KeyboardInterrupt:
        state.end = state.end or "stopped"
    state.seconds = before + clock.seconds
    keep(state)
    return state


def _constant(sample: Sample) -> Language:
    """Return the automaton that gives every word the commonest class."""
    loops = np.zeros((1, sample.num_symbols), dtype=np.int64)
    return to_language(loops, np.array([sample.shares.argmax()]), sample)


@dataclass(slots=True)
class _Turn:
    """Counts what an attempt reads, and ends it if that is too much."""

    most: float
    go_on: Read
    work: int = 0

    def read(self, symbols: int) -> None:
        """Count symbols; end the attempt if the time is used up or it has read too many."""
        self.work += symbols
        self.go_on(symbols)
        if self.work > self.most:
            raise AttemptPutOffError


def _attempt(
    searchers: Sequence[Searcher],
    task: SearchTask,
    state: SearchState,
    judge: Judge,
    read: Read,
) -> None:
    """Make the next attempt, or put it off."""
    searcher = min(searchers, key=lambda searcher: state.work_of(searcher) / searcher.share)
    name, number = searcher.name, state.attempts.get(searcher.name, 0)
    most = state.turns.get(name, int(_TURN * searcher.share))
    turn = _Turn(most if len(searchers) > 1 else math.inf, read)
    try:
        attempt = searcher.attempt(number, replace(task, read=turn.read))
    except AttemptPutOffError:
        state.turns[name] = _LONGER * most
        state.work[name] = state.work.get(name, 0) + most
        return
    if attempt is None:
        state.attempts[name] = -1
        return
    state.attempts[name] = number + 1
    state.work[name] = state.work.get(name, 0) + max(turn.work, 1)
    if attempt.language is not None and attempt.language.num_states <= task.max_states:
        _keep_better(judge(attempt.language, name, attempt.bits), state, judge)
    state.least_states = max(state.least_states, attempt.least_states)


def _improve(state: SearchState, judge: Judge, task: SearchTask) -> bool:
    """Make the best automaton smaller, if it misjudges no more words than wrong labels make it, or
    settle it, if labels may be wrong; return whether it is settled."""
    best = state.best
    assert best is not None
    if not judge.is_likely(best):
        return False
    turn = _Turn(_TURN, task.read)
    now = replace(task, least_states=state.least_states, read=turn.read)
    with suppress(AttemptPutOffError):
        for language in itertools.chain([best.language], reduce_states(best.language, now)):
            best = _keep_better(judge(language, best.searcher), state, judge)
            if judge.noise > 0:
                settled = settle(replace(task, best=language))
                if settled is not None:
                    best = _keep_better(judge(settled, best.searcher), state, judge)
                    return best.language == settled
            turn.work = 0
    return False


def _enough(best: Hypothesis, judge: Judge, is_settled: bool) -> float:
    """Return the symbols that searchers read after a settled automaton before the search ends."""
    if not is_settled or best.language.num_states == 1:
        return math.inf
    doubt = math.exp(max(judge.excess(best), 0.0) ** 2 / 2) * (1 + _DOUBT * judge.share(best))
    return math.ceil(_WORK_IF_SETTLED * doubt)


def _end_of(
    searchers: Sequence[Searcher], state: SearchState, judge: Judge, most: int, enough: float
) -> End:
    """Return why a search is over, if it is."""
    best, left = state.best, state.left(searchers)
    assert best is not None
    if best.language.num_states <= state.least_states and judge.fits_all(best):
        return "explained"
    if state.least_states > most:
        return "exhausted"
    if judge.explains(best):
        read = dict(state.work)
        if best.searcher in read:
            read[best.searcher] -= state.work_at_best
        parts = max(min(_PARTS, len(left)), 1)
        if sum(min(parts * work, enough) for work in read.values()) >= parts * enough:
            return "explained"
        since = {each.name: each.late + read.get(each.name, 0) for each in left}
        if judge.noise == 0 or best.all_wrong == 0:
            since.pop(best.searcher, None)
            patience = min(state.work_at_best, _PATIENCE)
        else:
            patience = max(min(state.work_at_best, _PATIENCE_WITH_NOISE), _PATIENCE)
        if min(since.values(), default=math.inf) >= patience:
            return "explained"
    return "" if left else "exhausted"


def _keep_better(hypothesis: Hypothesis, state: SearchState, judge: Judge) -> Hypothesis:
    """Keep an automaton if it is better than the best one; return the better one."""
    best = state.best
    if best is not None and hypothesis.rank(judge.noise) >= best.rank(judge.noise):
        return best
    state.best, state.work_at_best = hypothesis, state.work.get(hypothesis.searcher, 0)
    if judge.fits_all(hypothesis):
        proved = count_needed_states(hypothesis.language, judge.train)
        state.least_states = max(state.least_states, proved)
    return hypothesis
