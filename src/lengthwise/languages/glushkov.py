"""Glushkov automata: the states are the positions of symbols in a regular expression.

Idea. Number the positions at which the expression names a symbol (or a class of symbols). Reading a
symbol leads to a position that names it. So a fragment of the expression is described by the
positions at which its words begin and end, by the positions that follow each position, and by
whether the empty word is one of its words (Glushkov, 1961). There are no epsilon transitions, and
each operator is a line or two.

Sets of positions are the bits of an integer, which Python joins 64 at a time. A set of positions is
a state of the deterministic automaton, and the positions that follow it are looked up four at a
time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from lengthwise.errors import LanguageError
from lengthwise.languages.builders import from_step_function
from lengthwise.languages.language import Language

MAX_TABLE = 1_000_000
"""Largest number of entries of a transition table before minimisation."""

MAX_STATES = 200_000
"""Largest number of states before minimisation; each takes about a kilobyte."""

MAX_LOOKUPS = 8_000_000
"""Largest number of set unions while states are explored; about two seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fragment:
    """A fragment of an expression: its positions are `begin`, ..., `end` - 1."""

    begin: int
    end: int
    first: int
    """Positions of the first symbols of its words, as bits."""
    last: int
    """Positions of the last symbols, as bits."""
    empty: bool
    """Whether the empty word is one of its words."""


class PositionAutomaton:
    """The positions of an expression, added fragment by fragment; position 0 is the start."""

    def __init__(self) -> None:
        self._symbols: list[frozenset[str]] = [frozenset()]
        self._follow = [0]
        """The positions that may follow each position, as bits."""

    def nothing(self) -> Fragment:
        """Return the fragment of the empty word."""
        position = len(self._symbols)
        return Fragment(begin=position, end=position, first=0, last=0, empty=True)

    def one_of(self, symbols: frozenset[str]) -> Fragment:
        """Add a position that names these symbols; without symbols the fragment has no word."""
        position = self._add(symbols, 0)
        return Fragment(
            begin=position, end=position + 1, first=1 << position, last=1 << position, empty=False
        )

    def concatenate(self, parts: Sequence[Fragment]) -> Fragment:
        """Concatenate fragments, halves first, so that few positions are linked more than once."""
        if not parts:
            return self.nothing()
        if len(parts) == 1:
            return parts[0]
        middle = len(parts) // 2
        left, right = self.concatenate(parts[:middle]), self.concatenate(parts[middle:])
        self._link(left, right.first)
        return Fragment(
            begin=left.begin,
            end=right.end,
            first=left.first | (right.first if left.empty else 0),
            last=right.last | (left.last if right.empty else 0),
            empty=left.empty and right.empty,
        )

    def repeat(self, part: Fragment, least: int, most: int | None) -> Fragment:
        """Repeat a fragment `least` to `most` times, or `least` or more times without `most`."""
        if most == 0:
            return replace(part, first=0, last=0, empty=True)
        if not part.first:  # it has the empty word at most
            return replace(part, empty=part.empty or least == 0)
        copies = [part] + [self._copy(part) for _ in range(max(least, most or 1) - 1)]
        if most is None:
            self._link(copies[-1], copies[-1].first)
        return self.concatenate(
            [replace(c, empty=c.empty or i >= least) for i, c in enumerate(copies)]
        )

    def either(self, left: Fragment, right: Fragment) -> Fragment:
        """Return the union of two fragments."""
        return Fragment(
            begin=left.begin,
            end=right.end,
            first=left.first | right.first,
            last=left.last | right.last,
            empty=left.empty or right.empty,
        )

    def both(self, left: Fragment, right: Fragment) -> Fragment:
        """Return the intersection: its positions are pairs of positions with a common symbol."""
        start, height = len(self._symbols), right.end - right.begin
        for first, other in product(range(left.begin, left.end), range(right.begin, right.end)):
            self._add(self._symbols[first] & self._symbols[other], 0)

        def pairs(ones: int, others: int) -> int:
            others >>= right.begin
            return _any(
                others << start + (position - left.begin) * height for position in _bits(ones, left)
            )

        for position, (first, other) in enumerate(
            product(self._follow[left.begin : left.end], self._follow[right.begin : right.end]),
            start=start,
        ):
            self._follow[position] = pairs(first, other)
        return Fragment(
            begin=start,
            end=len(self._symbols),
            first=pairs(left.first, right.first),
            last=pairs(left.last, right.last),
            empty=left.empty and right.empty,
        )

    def shuffle(self, left: Fragment, right: Fragment) -> Fragment:
        """Return the shuffle; a position says how far each is read, and which was read last."""
        sides = (left, right)
        start = len(self._symbols)
        # position 0 is before the first symbol
        sizes = [1 + side.end - side.begin for side in sides]
        follow = [[side.first, *self._follow[side.begin : side.end]] for side in sides]
        ends = [[side.empty, *(bool(side.last >> p & 1) for p in _range(side))] for side in sides]
        symbols = [[frozenset[str](), *(self._symbols[p] for p in _range(side))] for side in sides]

        def after(i: int, j: int) -> int:
            left_moves = _any(
                1 << start + 2 * ((1 + p - left.begin) * sizes[1] + j)
                for p in _bits(follow[0][i], left)
            )
            other = _any(
                1 << start + 2 * (i * sizes[1] + 1 + p - right.begin) + 1
                for p in _bits(follow[1][j], right)
            )
            return left_moves | other

        last = 0
        for i, j in product(range(sizes[0]), range(sizes[1])):
            later = after(i, j)
            positions = self._add(symbols[0][i], later), self._add(symbols[1][j], later)
            if ends[0][i] and ends[1][j]:
                last |= _any(1 << position for position in positions)
        return Fragment(
            begin=start,
            end=len(self._symbols),
            first=after(0, 0),
            last=last,
            empty=left.empty and right.empty,
        )

    def language(self, whole: Fragment, alphabet: Sequence[str]) -> Language:
        """Build the minimised automaton of an expression.

        Raises:
            LanguageError: it has too many states before minimisation, or too large ones.
        """
        self._follow[0] = whole.first
        positions: dict[frozenset[str], int] = {}
        for position in _range(whole):
            symbols = self._symbols[position]
            positions[symbols] = positions.get(symbols, 0) | 1 << position
        positions_of = dict.fromkeys(alphabet, 0)
        for symbols, bit in positions.items():
            for symbol in symbols:
                positions_of[symbol] |= bit
        final = whole.last | (1 if whole.empty else 0)
        after = _After(self._follow[: whole.end])
        return from_step_function(
            alphabet,
            1,
            lambda state, symbol: after(state) & positions_of[symbol],
            lambda state: int(state & final != 0),
            class_names=("0", "1"),
            max_states=max(1, min(MAX_STATES, MAX_TABLE // len(alphabet))),
        )

    def _add(self, symbols: frozenset[str], follow: int) -> int:
        self._symbols.append(symbols)
        self._follow.append(follow)
        return len(self._symbols) - 1

    def _link(self, part: Fragment, following: int) -> None:
        """Let positions follow the end of a fragment."""
        for position in _bits(part.last, part):
            self._follow[position] |= following

    def _copy(self, part: Fragment) -> Fragment:
        shift = len(self._symbols) - part.begin
        for position in _range(part):
            self._add(self._symbols[position], self._follow[position] << shift)
        return Fragment(
            begin=part.begin + shift,
            end=part.end + shift,
            first=part.first << shift,
            last=part.last << shift,
            empty=part.empty,
        )


class _After:
    """Function from a set of positions to those that follow it, by hexadecimal digit of the set."""

    def __init__(self, follow: Sequence[int]) -> None:
        padded = [*follow, *[0] * (-len(follow) % 4)]
        self._tables = [
            {f"{n:x}": _any(four[i] for i in range(4) if n >> i & 1) for n in range(1, 16)}
            for four in (padded[i : i + 4] for i in range(0, len(padded), 4))
        ]
        self._last = (0, 0)
        self._lookups = 0

    def __call__(self, positions: int) -> int:
        if self._last[0] != positions:  # asked for once for each symbol
            digits = zip(self._tables, f"{positions:x}"[::-1], strict=False)
            sets = [table[d] for table, d in digits if d != "0"]
            self._last = positions, _any(sets)
            self._lookups += len(sets)
            if self._lookups > MAX_LOOKUPS:
                raise LanguageError(
                    f"its states are sets of places, which take more than {MAX_LOOKUPS:,} steps to "
                    f"follow. Use a smaller expression."
                )
        return self._last[1]


def _range(part: Fragment) -> range:
    return range(part.begin, part.end)


def _bits(positions: int, part: Fragment) -> Iterator[int]:
    """Return the positions of a fragment that are in a set."""
    digits = bin(positions >> part.begin)[:1:-1]
    return (position for position, digit in enumerate(digits, start=part.begin) if digit == "1")


def _any(sets: Iterable[int]) -> int:
    union = 0
    for positions in sets:
        union |= positions
    return union
