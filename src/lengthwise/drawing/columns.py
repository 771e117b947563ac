"""Items in columns: an order with few crossings, and heights at which lines are nearly straight.

A drawing in layers (Sugiyama et al., 1981): lines join items of neighbouring columns. The order
within a column follows the mean place of the neighbours, column by column and back. Heights are
then moved to the mean of the neighbours' under the distances that items need, which is an isotonic
regression in each column.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field

_SWEEPS = 24
_MOVES = 100


@dataclass(eq=False, slots=True)
class Item:
    """A box of a column, whose line runs at height `y`."""

    column: int
    above: float
    """Room above the line, in pixels."""
    below: float
    stiffness: float = 1.0
    """How much it keeps its lines level."""
    is_bend: bool = False
    """True if it only lets a line through."""
    y: float = 0.0
    place: int = 0
    """Its number in the column, from above."""
    before: list["Item"] = field(default_factory=list)
    """Neighbours in the column to the left."""
    after: list["Item"] = field(default_factory=list)
    """Neighbours in the column to the right."""


def connect(left: Item, right: Item) -> None:
    """Draw a line between items of neighbouring columns."""
    left.after.append(right)
    right.before.append(left)


def arrange(columns: Sequence[list[Item]], gap: float) -> None:
    """Order the items of each column, and set their heights; `gap` is the room between two."""
    _order(columns)
    _raise(columns, gap)


def _order(columns: Sequence[list[Item]]) -> None:
    _number(columns)
    fewest, best = _crossings(columns), [list(column) for column in columns]
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        rightwards = sweep % 2 == 0
        for column in columns[1:] if rightwards else columns[-2::-1]:
            places = {item: _mean_place(item, rightwards=rightwards) for item in column}
            if sweep % 4 >= 2:  # equal means change places, or they never would
                column.reverse()
            column.sort(key=places.__getitem__)
            _number([column])
        for column in columns:
            _exchange(column)
        if (number := _crossings(columns)) < fewest:
            fewest, best = number, [list(column) for column in columns]
    for column, order in zip(columns, best, strict=True):
        column[:] = order
    _number(columns)


def _number(columns: Sequence[list[Item]]) -> None:
    for column in columns:
        for place, item in enumerate(column):
            item.place = place


def _mean_place(item: Item, *, rightwards: bool) -> float:
    near = item.before if rightwards else item.after
    return sum(each.place for each in near) / len(near) if near else item.place


def _exchange(column: list[Item]) -> None:
    """Exchange neighbours as long as that removes crossings."""
    improved = True
    while improved:
        improved = False
        for place in range(len(column) - 1):
            upper, lower = column[place], column[place + 1]
            if _between(upper, lower) > _between(lower, upper):
                column[place], column[place + 1] = lower, upper
                upper.place, lower.place = lower.place, upper.place
                improved = True


def _between(upper: Item, lower: Item) -> int:
    """Return how many lines of two items of a column cross if the first is above."""
    return sum(
        a.place > b.place
        for near_upper, near_lower in ((upper.before, lower.before), (upper.after, lower.after))
        for a in near_upper
        for b in near_lower
    )


def _crossings(columns: Sequence[list[Item]]) -> int:
    total = 0
    for column in columns:
        seen: list[int] = []
        for item in column:
            ends = sorted(each.place for each in item.after)
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _raise(columns: Sequence[list[Item]], gap: float) -> None:
    for column in columns:
        height = 0.0
        for item in column:
            item.y = height + item.above
            height = item.y + item.below + gap
        for item in column:
            item.y -= (height - gap) / 2
    for move in range(_MOVES):
        for column in columns if move % 2 == 0 else columns[::-1]:
            _settle(column, gap)


def _settle(column: Sequence[Item], gap: float) -> None:
    """Move items to the mean height of their neighbours, as near as the order allows."""
    offset, blocks = 0.0, []
    offsets = []
    for number, item in enumerate(column):
        if number:
            offset += column[number - 1].below + gap + item.above
        offsets.append(offset)
        near = [(each.y, item.stiffness * each.stiffness) for each in (*item.before, *item.after)]
        weight = sum(w for _, w in near)
        wanted = sum(y * w for y, w in near) / weight if near else item.y
        blocks.append(((wanted - offset), weight or 0.1, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (y2, w2, n2), (y1, w1, n1) = blocks.pop(), blocks.pop()
            blocks.append(((y1 * w1 + y2 * w2) / (w1 + w2), w1 + w2, n1 + n2))
    heights = [y for y, _, count in blocks for _ in range(count)]
    for item, height, own in zip(column, heights, offsets, strict=True):
        item.y = height + own
