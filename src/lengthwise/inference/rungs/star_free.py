"""The searcher of star-free languages: rules by literals, and lines of states."""

import numpy as np

from lengthwise.inference.rungs.automata import ValueAutomaton
from lengthwise.inference.rungs.chains import Line, StateLines
from lengthwise.inference.rungs.classes import STAGED, Staged
from lengthwise.inference.rungs.fitting import Bench, Chosen
from lengthwise.inference.searcher import Attempt, Searcher, SearchTask
from lengthwise.languages.ladder import answer
from lengthwise.languages.verdicts import LadderSubject

_STATES = (3, 4, 5, 6, 7, 8)
_TURNS = 8
"""Number of times that lines of each number of states are searched."""

_SYMBOLS_READ = 400_000_000
"""Approximate number of symbols that an attempt at lines may read."""

_MOST_LINES = 16
_ROUNDS = 4


class Chain(Searcher):
    """Automata whose states form a line, where each symbol moves one step at most."""

    name = "chain"
    most = _TURNS * len(_STATES)
    """Number of attempts."""

    @property
    def most_classes(self) -> float:
        """Greatest number of states."""
        return max(_STATES)

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Search lines of three states, then of more; then anew, from more words."""
        if number >= self.most:
            return None
        turn, place = divmod(number, len(_STATES))
        states, count = _STATES[place], 400 if turn == 0 else 1_000
        if states < task.sample.num_classes:
            return Attempt(None)
        bench, draw = Bench(task), np.random.default_rng(number)
        rows = bench.draw_rows(count, number)
        work = states * task.sample.num_symbols * 3 * 16 * bench.words.part(rows).digits.size
        number_of_lines = int(np.clip(_SYMBOLS_READ // work, 1, _MOST_LINES))
        line: Line | None = None
        for _ in range(_ROUNDS):
            lines = StateLines(bench.words.part(rows))
            line = (
                lines.improve(line, draw) if line else lines.anneal(states, number_of_lines, draw)
            )
            wrong = bench.wrong(self._rule(bench, line))
            more = np.setdiff1d(wrong, rows)
            if task.noise > 0 or not line.is_right or not len(more):
                break
            rows = np.concatenate([rows, draw.permutation(more)[:count]])
        return bench.attempt(self._rule(bench, line)) if line else Attempt(None)

    @staticmethod
    def _rule(bench: Bench, line: Line) -> Chosen:
        """Let the bench know the line, as a count; the rule has no literals."""
        moves = line.moves
        mark = np.arange(len(moves))[:, None]
        bench.counters = [
            ValueAutomaton(np.append(moves, mark, axis=1), np.arange(len(moves)), line.start)
        ]
        return Chosen((), np.ones(bench.sample.num_symbols, dtype=bool))


_STAGED = {searcher.name: searcher for searcher in STAGED}
_PARTS: tuple[Staged | Chain, ...] = (
    _STAGED["TLT"],
    Chain(),
    *(_STAGED[name] for name in ("PT", "TLTT", "TPLT")),
)


class StarFree(Searcher):
    """Star-free languages: what the searchers of smaller classes find, and lines of states."""

    name = "star-free"

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Make an attempt at each of the smaller classes, in turn."""
        order = [
            (part, turn)
            for turn in range(max(part.most for part in _PARTS))
            for part in _PARTS
            if turn < part.most
        ]
        if number >= len(order):
            return None
        part, turn = order[number]
        attempt = part.attempt(turn, task)
        if isinstance(part, Chain) and attempt is not None and attempt.language is not None:
            verdict = answer(LadderSubject(attempt.language), "star_free")
            if verdict.holds is False:
                return Attempt(None)
        return attempt
