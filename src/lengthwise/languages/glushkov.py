"""Builds the automaton of a regular expression, whose states are the positions of its symbols.

Idea. Number the places at which the expression names a symbol (or a class of symbols). Reading a
symbol leads to a place that names it. So a part of the expression is known by the places at which
its words begin and end, by the places that follow each place, and by whether the empty word is one
of its words (Glushkov, 1961). No step reads nothing, and each operator is a line or two.

Sets of places are the bits of an integer, which Python joins 64 at a time. A set of places is a
state of the deterministic machine, and what follows it is looked up four places at a time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from lengthwise.errors import LanguageError
from lengthwise.languages.builders import MAX_STATES, from_step_function
from lengthwise.languages.language import Language

MAX_TABLE = 1_000_000
"""Most entries of a table of states by symbols before it is minimised."""

MAX_LOOKUPS = 8_000_000
"""Most sets of places that are joined on the way; about two seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fragment:
    """A part of an expression: its places are `begin`, ..., `end` - 1."""

    begin: int
    end: int
    first: int
    """Places of the first symbols of its words, as bits."""
    last: int
    """Places of the last symbols."""
    empty: bool
    """Whether the empty word is one of its words."""


class PositionAutomaton:
    """The places of an expression while it is put together, part by part; place 0 is its begin."""

    def __init__(self) -> None:
        self._symbols: list[frozenset[str]] = [frozenset()]
        self._follow = [0]
        """The places that may come after each place, as bits."""

    def nothing(self) -> Fragment:
        """The empty word."""
        here = len(self._symbols)
        return Fragment(begin=here, end=here, first=0, last=0, empty=True)

    def one_of(self, symbols: frozenset[str]) -> Fragment:
        """One place that names these symbols; no word at all, if there are none."""
        here = self._add(symbols, 0)
        return Fragment(begin=here, end=here + 1, first=1 << here, last=1 << here, empty=False)

    def joined(self, parts: Sequence[Fragment]) -> Fragment:
        """One after the other. Halves are joined, so that few places are linked more than once."""
        if not parts:
            return self.nothing()
        if len(parts) == 1:
            return parts[0]
        middle = len(parts) // 2
        left, right = self.joined(parts[:middle]), self.joined(parts[middle:])
        self._link(left, right.first)
        return Fragment(
            begin=left.begin,
            end=right.end,
            first=left.first | (right.first if left.empty else 0),
            last=right.last | (left.last if right.empty else 0),
            empty=left.empty and right.empty,
        )

    def repeated(self, part: Fragment, least: int, most: int | None) -> Fragment:
        """From `least` to `most` times, or any number from `least` on."""
        if most == 0:
            return replace(part, first=0, last=0, empty=True)
        if not part.first:  # it has the empty word at most
            return replace(part, empty=part.empty or least == 0)
        copies = [part] + [self._copy(part) for _ in range(max(least, most or 1) - 1)]
        if most is None:
            self._link(copies[-1], copies[-1].first)
        return self.joined([replace(c, empty=c.empty or i >= least) for i, c in enumerate(copies)])

    def either(self, left: Fragment, right: Fragment) -> Fragment:
        """The words of one or the other."""
        return Fragment(
            begin=left.begin,
            end=right.end,
            first=left.first | right.first,
            last=left.last | right.last,
            empty=left.empty or right.empty,
        )

    def both(self, left: Fragment, right: Fragment) -> Fragment:
        """The words of both: a place of each, of one symbol."""
        here, height = len(self._symbols), right.end - right.begin
        for one, other in product(range(left.begin, left.end), range(right.begin, right.end)):
            self._add(self._symbols[one] & self._symbols[other], 0)

        def pairs(ones: int, others: int) -> int:
            others >>= right.begin
            return _any(others << here + (one - left.begin) * height for one in _bits(ones, left))

        for place, (one, other) in enumerate(
            product(self._follow[left.begin : left.end], self._follow[right.begin : right.end]),
            start=here,
        ):
            self._follow[place] = pairs(one, other)
        return Fragment(
            begin=here,
            end=len(self._symbols),
            first=pairs(left.first, right.first),
            last=pairs(left.last, right.last),
            empty=left.empty and right.empty,
        )

    def shuffled(self, left: Fragment, right: Fragment) -> Fragment:
        """A word of each, mixed: how far each has been read, and which of them was read last."""
        sides = (left, right)
        here = len(self._symbols)
        sizes = [1 + side.end - side.begin for side in sides]  # place 0 is before the first symbol
        follow = [[side.first, *self._follow[side.begin : side.end]] for side in sides]
        ends = [[side.empty, *(bool(side.last >> p & 1) for p in _range(side))] for side in sides]
        symbols = [[frozenset[str](), *(self._symbols[p] for p in _range(side))] for side in sides]

        def after(i: int, j: int) -> int:
            one = _any(
                1 << here + 2 * ((1 + p - left.begin) * sizes[1] + j)
                for p in _bits(follow[0][i], left)
            )
            other = _any(
                1 << here + 2 * (i * sizes[1] + 1 + p - right.begin) + 1
                for p in _bits(follow[1][j], right)
            )
            return one | other

        last = 0
        for i, j in product(range(sizes[0]), range(sizes[1])):
            later = after(i, j)
            places = self._add(symbols[0][i], later), self._add(symbols[1][j], later)
            if ends[0][i] and ends[1][j]:
                last |= _any(1 << place for place in places)
        return Fragment(
            begin=here,
            end=len(self._symbols),
            first=after(0, 0),
            last=last,
            empty=left.empty and right.empty,
        )

    def language(self, whole: Fragment, alphabet: Sequence[str]) -> Language:
        """The minimised machine of an expression.

        Raises:
            LanguageError: it has too many states before it is minimised, or too large ones.
        """
        self._follow[0] = whole.first
        places: dict[frozenset[str], int] = {}
        for place in _range(whole):
            places[self._symbols[place]] = places.get(self._symbols[place], 0) | 1 << place
        named = dict.fromkeys(alphabet, 0)
        for symbols, here in places.items():
            for symbol in symbols:
                named[symbol] |= here
        final = whole.last | (1 if whole.empty else 0)
        after = _After(self._follow[: whole.end])
        most = max(1, min(MAX_STATES, MAX_TABLE // len(alphabet)))
        return from_step_function(
            alphabet,
            1,
            lambda state, symbol: after(state) & named[symbol],
            lambda state: int(state & final != 0),
            class_names=("0", "1"),
            max_states=most,
        )

    def _add(self, symbols: frozenset[str], follow: int) -> int:
        self._symbols.append(symbols)
        self._follow.append(follow)
        return len(self._symbols) - 1

    def _link(self, part: Fragment, following: int) -> None:
        """Let these places follow the end of a part."""
        for place in _bits(part.last, part):
            self._follow[place] |= following

    def _copy(self, part: Fragment) -> Fragment:
        shift = len(self._symbols) - part.begin
        for place in _range(part):
            self._add(self._symbols[place], self._follow[place] << shift)
        return Fragment(
            begin=part.begin + shift,
            end=part.end + shift,
            first=part.first << shift,
            last=part.last << shift,
            empty=part.empty,
        )


class _After:
    """The places that follow a set of places, looked up by hexadecimal digit of the set."""

    def __init__(self, follow: Sequence[int]) -> None:
        padded = [*follow, *[0] * (-len(follow) % 4)]
        self._tables = [
            {f"{n:x}": _any(four[i] for i in range(4) if n >> i & 1) for n in range(1, 16)}
            for four in (padded[i : i + 4] for i in range(0, len(padded), 4))
        ]
        self._last = (0, 0)
        self._lookups = 0

    def __call__(self, places: int) -> int:
        if self._last[0] != places:  # asked for once for each symbol
            digits = zip(self._tables, f"{places:x}"[::-1], strict=False)
            found = [table[d] for table, d in digits if d != "0"]
            self._last = places, _any(found)
            self._lookups += len(found)
            if self._lookups > MAX_LOOKUPS:
                raise LanguageError(
                    f"its states are sets of places, which take more than {MAX_LOOKUPS:,} steps to "
                    f"follow. Use a smaller expression."
                )
        return self._last[1]


def _range(part: Fragment) -> range:
    return range(part.begin, part.end)


def _bits(places: int, part: Fragment) -> Iterator[int]:
    """The places of a part that are in a set."""
    digits = bin(places >> part.begin)[:1:-1]
    return (place for place, digit in enumerate(digits, start=part.begin) if digit == "1")


def _any(sets: Iterable[int]) -> int:
    found = 0
    for each in sets:
        found |= each
    return found
