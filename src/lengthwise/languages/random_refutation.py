r"""Random words that show that a language is not of a class, where deciding it takes too long.

A class below is that of the languages whose syntactic semigroup, of the maps that words induce on
the states of the minimal automaton, satisfies equations. Two sides of an equation that differ for
some words are a witness against the class. It needs the states alone, not the semigroup, which may
have more elements than can be listed.

`power(x)` is the idempotent power of x: x repeated k times, with the least k for which one time and
any more do the same. If x turns states in a circle there is no such k with x^k x = x^k; the
language is then not star-free, and of no class here, as all of them are star-free.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.errors import LanguageError
from lengthwise.languages.locally_testable import find_turning_words, in_context
from lengthwise.languages.verdicts import (
    Decide,
    Integers,
    LadderSubject,
    Piece,
    PumpedWord,
    Verdict,
    Word,
    plain,
    unlike,
)

MOST_DRAWS = 400
"""Largest number of draws of words for one question."""

MAX_MOVES = 10_000_000
"""Largest number of moves of states that are followed for one question."""


@dataclass(frozen=True, slots=True)
class Power:
    """The idempotent power of a product."""

    of: tuple["Factor", ...]


Factor = int | Power
"""The number of a word, or a power."""

Side = tuple[Factor, ...]


def power(*factors: Factor) -> Power:
    """Return the idempotent power of a product."""
    return Power(factors)


@dataclass(frozen=True, kw_only=True, slots=True)
class Equations:
    """Pairs of products that are equal for all words, and what words that differ have in common."""

    sides: tuple[tuple[Side, Side], ...]
    alike: str


_X, _Y, _Z, _U, _V, _W = range(6)
_E, _F = power(_X), power(_Y)
_XY, _XYZ, _EF = power(_X, _Y), power(_X, _Y, _Z), power(_E, _F)
_KNAST = power(_E, _Z, _F, _U), power(_E, _V, _F, _W)

EQUATIONS: Mapping[str, Equations] = {
    "definite": Equations(sides=(((_Y, _E), (_E,)),), alike="end alike"),
    "generalised_definite": Equations(sides=(((_E, _Y, _E), (_E,)),), alike="begin and end alike"),
    "locally_testable": Equations(
        sides=(
            ((_E, _Y, _E, _Y, _E), (_E, _Y, _E)),
            ((_E, _Y, _E, _Z, _E), (_E, _Z, _E, _Y, _E)),
        ),
        alike="have the same windows",
    ),
    "threshold_testable": Equations(
        sides=(((_E, _Z, _F, _U, _E, _V, _F), (_E, _V, _F, _U, _E, _Z, _F)),),
        alike="have as many windows of each kind, up to any threshold",
    ),
    "l_trivial": Equations(
        sides=(((_Y, _XY), (_XY,)),),
        alike="look alike to what never comes back, read from the right",
    ),
    "da": Equations(
        sides=(((_XYZ, _Y, _XYZ), (_XYZ,)),),
        alike="look alike to a fixed number of moves to the next or the last place of a symbol",
    ),
    "r_infinity": Equations(
        sides=(((_EF, _E), (_EF,)),), alike="agree except for the last to be written"
    ),
    "dot_depth_one": Equations(
        sides=(((_KNAST[0], _E, _KNAST[1]), (_KNAST[0], _E, _Z, _F, _W, _E, _KNAST[1])),),
        alike="have the same subsequences of windows",
    ),
    "star_free": Equations(sides=(((_E, _X), (_E,)),), alike="agree except for one turn"),
}
"""The equations of each class that can be refuted by drawn words (`languages.locally_testable` and
`languages.green` have their sources; R-infinity: idempotents that are R-related are equal).
"""


def or_drawn(key: str, decide: Decide) -> Decide:
    """Return the question that draws words where it is not decided otherwise."""

    def answer(subject: LadderSubject) -> Verdict:
        try:
            verdict = decide(subject)
        except LanguageError as error:
            verdict = Verdict(holds=None, says=f"not decided: {error}")
        return (
            verdict
            if verdict.holds is not None
            else _refute_by_draws(subject, EQUATIONS[key], verdict)
        )

    return answer


def _refute_by_draws(subject: LadderSubject, equations: Equations, undecided: Verdict) -> Verdict:
    """Return the verdict by the first drawn words that refute a class, the shortest drawn first."""
    generator, moves = random.Random(0), _Moves(subject)
    symbols = range(subject.machine.num_symbols)
    for draw in range(MOST_DRAWS):
        longest = 1 + draw * min(len(subject.steps), 40) // MOST_DRAWS
        words = [generator.choices(symbols, k=generator.randint(1, longest)) for _ in range(6)]
        for sides in equations.sides:
            try:
                first, two = (
                    moves.product(side, [tuple(word) for word in words]) for side in sides
                )
            except _TurnsError as error:
                turning = find_turning_words(subject, plain(error.word), error.state)
                return unlike(subject, turning, equations.alike)
            if (first[0] != two[0]).any():
                witness = in_context(subject, first[1].pieces, two[1].pieces)
                return unlike(subject, witness, equations.alike)
        if moves.work > MAX_MOVES:
            break
    show = "draw of words shows" if draw == 0 else "draws of words show"
    return Verdict(holds=None, says=f"{undecided.says} (and {draw + 1:,} {show} nothing)")


class _TurnsError(Exception):
    """A word that turns states in a circle."""

    def __init__(self, word: PumpedWord, state: int) -> None:
        self.word, self.state = word, state


class _Moves:
    """The state maps of products of words, and the number of moves that were followed."""

    def __init__(self, subject: LadderSubject) -> None:
        self._subject = subject
        self.work = 0

    def product(self, side: Side, words: Sequence[Word]) -> tuple[Integers, PumpedWord]:
        """Return the map of a product, and the product.

        Raises:
            _TurnsError: the product has no idempotent power that absorbs it.
        """
        state_map = np.arange(len(self._subject.steps))
        pieces: list[Piece] = []
        for factor in side:
            if isinstance(factor, int):
                moves, piece = self._subject.moves(words[factor]), Piece(words[factor])
                self.work += len(words[factor]) * len(moves)
            else:
                moves, piece = self._power(*self.product(factor.of, words))
            state_map = moves[state_map]
            self.work += len(state_map)
            if pieces and not pieces[-1].pumped and not piece.pumped:
                piece = Piece((*pieces.pop().at(1), *piece.at(1)))
            pieces.append(piece)
        return state_map, PumpedWord(tuple(pieces))

    def _power(self, moves: Integers, word: PumpedWord) -> tuple[Integers, Piece]:
        """Return the map x^k for the first k = 1, 2, 4, ... with x^k x = x^k, and the piece."""
        powered, times = moves, 1
        while (wrong := moves[powered] != powered).any():
            if times >= len(moves):  # then x^k leads to circles alone
                raise _TurnsError(word, int(powered[np.flatnonzero(wrong)[0]]))
            powered, times = powered[powered], 2 * times
            self.work += 2 * len(moves)
        return powered, Piece(plain(word), times=times, pumped=True)
