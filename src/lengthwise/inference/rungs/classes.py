"""Searchers for the classes that literals decide, with and without a tier.

Each searcher has a list of attempts, the cheap ones first: short literals before long ones, few
words before many, the tier of all symbols before others, and a narrow beam before a wide one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.inference.rungs.fitting import Bench, Choose, Combine, Cover, fit_rule
from lengthwise.inference.rungs.literals import (
    MOST_TIMES,
    Kind,
    Mask,
    order_windows,
    subsequences,
    windows,
)
from lengthwise.inference.rungs.patterns import patterns
from lengthwise.inference.rungs.rules import score_literals
from lengthwise.inference.rungs.tiers import Judge, LeftEntropy, Uncovered
from lengthwise.inference.searcher import Attempt, Searcher, SearchTask

_SUBSEQUENCES_TRIED, _PATTERNS_TRIED = 8_000, 2_000
"""Approximate numbers of subsequences and of patterns that are made of each length."""

_FEW_PATTERNS = patterns(6, 400, in_blocks=True)
"""The patterns that judge a tier."""

_STARTS = 4
"""Number of tiers from which each attempt at a tier begins."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """The choice of literals of an attempt, its number of words, and its judge of tiers."""

    choose: Choose
    words: int = 1_000
    judge: Judge | None = None
    judging: int = 600
    """Number of words that judge a tier."""

    def fit(self, bench: Bench, turn: int = 0) -> Attempt:
        """Return the automaton of the rule that misjudges fewest words; each turn begins with
        another tier."""
        return fit_rule(
            bench,
            self.choose,
            count=self.words,
            seed=turn,
            judge=self.judge,
            judging=self.judging,
            start=None if self.judge is None else _start(turn, bench),
        )


class Staged(Searcher):
    """A searcher with a list of stages, each of which begins from some tiers."""

    def __init__(self, name: str, stages: Sequence[Stage], starts: int = 1) -> None:
        self.name, self._stages, self._starts = name, stages, starts

    @property
    def most_classes(self) -> float:
        """Greatest number of values of its rules."""
        return max(stage.choose.num_values for stage in self._stages)

    @property
    def most(self) -> int:
        """Number of attempts."""
        return len(self._stages) * self._starts

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Make the attempt of a stage."""
        if number >= self.most:
            return None
        order = [
            (stage, turn)
            for first in range(0, self._starts, 2)
            for stage in self._stages
            for turn in range(first, min(first + 2, self._starts))
        ]
        stage, turn = order[number]
        return stage.fit(Bench(task), turn)


def _start(turn: int, bench: Bench) -> Mask:
    """Return the tier from which an attempt begins: the two symbols whose numbers say most of the
    class, then all symbols, the four best ones, and then random ones.
    """
    symbols = bench.task.sample.num_symbols
    if turn == 1:
        return np.ones(symbols, dtype=bool)
    if turn > 2:
        return np.random.default_rng(turn).random(symbols) < 0.5
    words = bench.words.part(bench.draw_rows(2_000, turn))
    left = np.full(symbols, np.inf)
    pool = windows(1, times=MOST_TIMES)(words)
    score = score_literals(pool, words)
    for number, bits in enumerate(score.bits.tolist()):
        ((symbol,),) = pool.get(number).blocks
        left[symbol] = min(left[symbol], bits)
    start = np.zeros(symbols, dtype=bool)
    start[np.argsort(left, kind="stable")[: 2 + turn]] = True
    return start


def _covering(kinds: Sequence[Kind], covered: int) -> list[Stage]:
    """Return stages for rules that none of some literals, or one of them, has to hold."""
    return [Stage(choose=Cover(kind=kind, covered=covered), words=1_000) for kind in kinds]


def _covering_on_tier(kinds: Sequence[Kind], covered: int) -> list[Stage]:
    """Return stages for the same on a tier; entropy judges where no literal holds of words of one
    class alone before the tier is nearly right."""
    judges: list[tuple[Kind, Judge]] = [
        *((kind, Uncovered(kind=kind, covered=covered)) for kind in kinds),
        *((kind, LeftEntropy(kind=kind)) for kind in kinds[:2]),
    ]
    return [Stage(choose=Cover(kind=kind, covered=covered), judge=judge) for kind, judge in judges]


def _combining(
    kinds: Sequence[Kind], most_words: int = 3_000, more: Sequence[Stage] = ()
) -> list[Stage]:
    """Return stages for Boolean functions of few literals; a kind that is frequent in each word is
    searched for in fewer words. Other stages (`more`) come after the cheapest."""
    few, medium, many = (min(count, most_words) for count in (600, 1_500, 3_000))
    return [
        Stage(choose=Combine(kind=kinds[0], width=8), words=few),
        *more,
        Stage(choose=Combine(kind=kinds[1], width=8), words=few),
        *(Stage(choose=Combine(kind=kind, width=60), words=medium) for kind in kinds[:2]),
        *(Stage(choose=Combine(kind=kind, width=30, most=4), words=many) for kind in kinds[1:]),
        Stage(choose=Combine(kind=kinds[0], width=300), words=few),
    ]


def growing(grown: Kind, judge: Judge | None = None, words: int = 1_500) -> Stage:
    """Return the stage of patterns."""
    choose = Combine(kind=grown, width=30, most=4, again=3)
    return Stage(choose=choose, words=words, judge=judge, judging=500)


def _combining_on_tier(
    kinds: Sequence[Kind], cheapest: Kind, more: Sequence[Stage] = ()
) -> list[Stage]:
    """Return stages for the same on a tier, which the cheapest literals judge first."""
    return [
        *(
            Stage(
                choose=Combine(kind=kind, width=8),
                words=600,
                judge=LeftEntropy(kind=cheapest),
                judging=300,
            )
            for kind in kinds[:2]
        ),
        *(
            Stage(
                choose=Combine(kind=kind, width=20),
                judge=LeftEntropy(kind=kinds[min(1, place)], depth=2),
                judging=500,
            )
            for place, kind in enumerate(kinds)
        ),
        *more,
    ]


_WINDOWS = windows(2), windows(3), windows(4), windows(6)
_COUNTED = windows(2, times=5), windows(3, times=4), windows(6, times=5)
_SUBSEQUENCES = subsequences(2), subsequences(3)
_ORDERED = order_windows(2), order_windows(3, 2)
_LONG_SUBSEQUENCES = patterns(6, _SUBSEQUENCES_TRIED, in_blocks=False)
PATTERNS = patterns(12, _PATTERNS_TRIED, in_blocks=True)


STAGED = (
    Staged("SL", _covering(_WINDOWS, 0)),
    Staged("coSL", _covering(_WINDOWS, 1)),
    Staged("TSL", _covering_on_tier(_WINDOWS, 0), _STARTS),
    Staged("TcoSL", _covering_on_tier(_WINDOWS, 1), _STARTS),
    Staged("SP", _covering((*_SUBSEQUENCES, _LONG_SUBSEQUENCES), 0)),
    Staged("coSP", _covering((*_SUBSEQUENCES, _LONG_SUBSEQUENCES), 1)),
    Staged("LT", _combining(_WINDOWS)),
    Staged("TLT", _combining_on_tier(_WINDOWS, windows(2)), _STARTS),
    Staged("LTT", _combining(_COUNTED)),
    Staged("TLTT", _combining_on_tier(_COUNTED, _COUNTED[0]), _STARTS),
    Staged("PT", _combining(_SUBSEQUENCES, 600, [growing(_LONG_SUBSEQUENCES)])),
    Staged("PLT", _combining(_ORDERED, 600, [growing(PATTERNS)])),
    Staged(
        "TPLT",
        _combining_on_tier(
            (order_windows(2, 2), _ORDERED[1]),
            windows(2),
            [growing(PATTERNS, LeftEntropy(kind=_FEW_PATTERNS, depth=2), 1_000)],
        ),
        _STARTS,
    ),
)
"""Strictly local, its complements (co), strictly piecewise, locally testable, locally threshold
testable, piecewise testable and piecewise locally testable languages; T: on a tier."""
