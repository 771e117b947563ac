"""Linear temporal logic of the future on finite words: the language that a formula defines.

A word belongs to the language if the formula holds at its first position. With positions 1..n:

    a            the symbol at i is a (or, where symbols are sets, it contains a)
    X f, N f     next: i < n, and f holds at i + 1; weak next: i = n, or f holds at i + 1
    f U g        until: g holds at some j >= i, and f at all of i..j - 1
    F f, G f     finally: true U f; globally: !F !f
    f W g        weak until: (f U g) | G f
    f R g, f M g release: !(!f U !g); strong release: g U (f & g)

(De Giacomo and Vardi 2013.) At the empty word no symbol and no `X`, `F` or `U` holds, and each `N`
and `G` does, so that `G a` contains the empty word and `F a` does not; `F true` asks for a word
with a symbol.

The automaton comes by progression: a state is what the rest of the word has to satisfy, a positive
Boolean combination of obligations, and reading a symbol rewrites it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple, TypeAlias

from lengthwise.errors import LanguageError
from lengthwise.languages.builders import from_step_function
from lengthwise.languages.language import Language
from lengthwise.languages.ltl import MAX_STATES, Formula

MAX_COMPARISONS = 30_000_000
"""Largest number of pairs of sets of obligations that are compared for a formula: seconds."""

MAX_PROPOSITIONS = 8
"""Largest number of propositions; each set of them is a symbol."""


class Obligation(NamedTuple):
    """A sub-formula, or its negation, that has to hold at the next position."""

    formula: int
    holds: bool
    """False for the negation."""
    at_end: bool
    """True if it is satisfied where the word has ended."""


Alternatives: TypeAlias = frozenset[int]
"""Sets of obligations as bits, no set within another; the rest of a word satisfies all of one."""

_TRUE: Alternatives = frozenset([0])
_FALSE: Alternatives = frozenset()


def future_automaton(
    formula: Formula, alphabet: Sequence[str], meaning: Mapping[str, Collection[str]] | None = None
) -> Language:
    """Return the minimal automaton of a formula about the future.

    Args:
        formula: the formula, of the operators of `ltl_parser.FUTURE`.
        alphabet: the symbols of words.
        meaning: the symbols of the formula that hold at each symbol of a word; by default itself.

    Raises:
        LanguageError: there are more than `MAX_STATES` states, or more than `MAX_COMPARISONS` steps
            are needed.
    """
    progression = _Progression(formula, meaning or {symbol: {symbol} for symbol in alphabet})
    return from_step_function(
        alphabet,
        progression.start(),
        progression.after,
        lambda state: int(progression.accepts(state)),
        max_states=MAX_STATES,
        refusal=progression.refusal.format(what="{most} states"),
    )


def sets_of(propositions: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return a symbol for each set of propositions, by size: `{}`, `p`, `q`, `p+q`.

    Raises:
        LanguageError: there are more than `MAX_PROPOSITIONS`, or one occurs twice.
    """
    if not 0 < len({*propositions}) == len(propositions) <= MAX_PROPOSITIONS:
        raise LanguageError(
            f"a formula has 1 to {MAX_PROPOSITIONS} different propositions, since each set of them "
            f"is a symbol, but these are {' '.join(propositions)!r:.60}. Name each once."
        )
    return {
        "+".join(subset) or "{}": frozenset(subset)
        for size in range(len(propositions) + 1)
        for subset in combinations(propositions, size)
    }


class _Progression:
    """Rewrites what has to hold from one position to the next."""

    def __init__(self, formula: Formula, meaning: Mapping[str, Collection[str]]) -> None:
        self._formula, self._meaning = formula, meaning
        self._bits: dict[Obligation, int] = {}
        self._now = cache(self._progress)
        self._comparisons = 0
        operators = sum(node.kind in ("until", "next") for node in formula.nodes)
        self.refusal = (
            f"the formula has {operators} temporal operators and needs more than {{what}}, the "
            f"most that are made. Use a smaller formula."
        )
        """What is said of a formula that needs too much of `what`."""

    def start(self) -> Alternatives:
        """Return what has to hold of a whole word."""
        root = self._formula.root
        return self._next(Obligation(root, holds=True, at_end=self._holds_at_end(root)))

    def after(self, state: Alternatives, symbol: str) -> Alternatives:
        """Return what has to hold after a symbol where `state` has to hold at it."""
        return self._any(
            self._all(
                self._now(one.formula, symbol, holds=one.holds)
                for one, bit in self._bits.copy().items()
                if obligations & bit
            )
            for obligations in state
        )

    def accepts(self, state: Alternatives) -> bool:
        """Return whether the word may end here."""
        satisfied = sum(bit for one, bit in self._bits.items() if one.at_end)
        return any(not obligations & ~satisfied for obligations in state)

    def _holds_at_end(self, index: int) -> bool:
        node = self._formula.nodes[index]
        match node.kind:
            case "true":
                return True
            case "not":
                return not self._holds_at_end(node.of[0])
            case "and":
                return all(map(self._holds_at_end, node.of))
            case "or":
                return any(map(self._holds_at_end, node.of))
            case _:
                return False

    def _progress(self, index: int, symbol: str, *, holds: bool) -> Alternatives:
        node = self._formula.nodes[index]
        match node.kind:
            case "symbol":
                return _TRUE if (node.symbol in self._meaning[symbol]) == holds else _FALSE
            case "true":
                return _TRUE if holds else _FALSE
            case "not":
                return self._now(node.of[0], symbol, holds=not holds)
            case "and" | "or":
                parts = [self._now(part, symbol, holds=holds) for part in node.of]
                return self._all(parts) if (node.kind == "and") == holds else self._any(parts)
            case "next":
                return self._next(Obligation(node.of[0], holds, at_end=not holds))
            case _:
                left, right = (self._now(part, symbol, holds=holds) for part in node.of)
                later = self._next(Obligation(index, holds, at_end=not holds))
                if holds:
                    return self._any([right, self._all([left, later])])
                return self._all([right, self._any([left, later])])

    def _next(self, obligation: Obligation) -> Alternatives:
        return frozenset([self._bits.setdefault(obligation, 1 << len(self._bits))])

    def _any(self, parts: Iterable[Alternatives]) -> Alternatives:
        return self._least({one for part in parts for one in part})

    def _all(self, parts: Iterable[Alternatives]) -> Alternatives:
        joint = _TRUE
        for part in parts:
            joint = self._least({left | right for left in joint for right in part})
        return joint

    def _least(self, sets: Collection[int]) -> Alternatives:
        """Return the sets that contain no other one."""
        kept: list[int] = []
        for one in sorted(sets, key=int.bit_count):
            self._comparisons += len(kept)
            if self._comparisons > MAX_COMPARISONS:
                what = f"{MAX_COMPARISONS:,} steps of the search for its states"
                raise LanguageError(self.refusal.format(what=what))
            if not any(other & one == other for other in kept):
                kept.append(one)
        return frozenset(kept)
