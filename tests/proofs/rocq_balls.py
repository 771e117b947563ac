"""Bounds on rounding as `proofs/theories/Balls.v` computes them, in Python's integers: an oracle.

It evaluates networks that `rocq_networks.record_of` reads from the text of a file, and knows
neither the exporter nor `lengthwise.proofs.check`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Ball = tuple[int, int] | None
"""Centre and radius in units; None for a number of which nothing is known."""
Balls = list[Ball]

DIGITS, EXPONENT_LIMIT = 24, 128
"""Those of float32."""


def numbers_of(record: Any) -> list[Fraction]:
    """All numbers of a record."""
    if isinstance(record, Fraction):
        return [record]
    values = record.values() if isinstance(record, dict) else record
    return (
        [number for each in values for number in numbers_of(each)]
        if isinstance(record, dict | list)
        else []
    )


class BallNetwork:
    """Base of networks of a file: sums of balls, memory, and logits."""

    def __init__(self, record: dict[str, Any], memory: str, answer: str) -> None:
        self.record, self.memory, self.answer = record, record[memory], record[answer]
        places = max(number.denominator.bit_length() - 1 for number in numbers_of(record))
        self.weight_places = places
        self.places = max(DIGITS + 16, places)
        assert self.places + 57 <= EXPONENT_LIMIT

    def kept(self, places: int, centre: int, radius: int) -> Ball:
        total = abs(centre) + radius
        return (centre, radius) if max(total.bit_length() - 1, 0) < places + 30 else None

    def weight(self, number: Fraction) -> Ball:
        centre = number * 2**self.weight_places
        assert centre.denominator == 1
        whole = abs(int(centre))
        if whole and (whole // (whole & -whole)).bit_length() > DIGITS:
            return None
        return self.kept(self.weight_places, int(centre), 0)

    def raised(self, numbers: Sequence[Fraction]) -> Balls:
        shift = self.places - self.weight_places
        balls = (self.weight(number) for number in numbers)
        return [None if b is None else (b[0] << shift, b[1] << shift) for b in balls]

    def enlarged(self, terms: int, x: Balls) -> Balls:
        larger: Balls = []
        for ball in x:
            if ball is None:
                larger.append(None)
                continue
            once = (terms * (abs(ball[0]) + ball[1]) >> DIGITS) + 1
            larger.append((ball[0], ball[1] + once + (terms * once >> DIGITS) + 1))
        return larger

    def row(self, places: int, terms: int, row: Balls, x: Balls, more: Balls) -> Ball:
        """The ball of a sum; `x` and `more` are enlarged."""
        centre = radius = 0
        for one, other in zip(row, x, strict=True):
            if one is None or other is None:
                return None
            centre += one[0] * other[0]
            radius += abs(one[0]) * other[1] + one[1] * (abs(other[0]) + other[1])
        for ball in more:
            if ball is None:
                return None
            centre, radius = centre + (ball[0] << places), radius + (ball[1] << places)
        return self.kept(self.places, centre >> places, (radius >> places) + 3)

    def rows(self, rows: Sequence[Sequence[Fraction]], x: Balls, *more: Balls) -> Balls:
        """Rows of weights times a vector, and further vectors."""
        terms = len(x) + len(more)
        x, added = self.enlarged(terms, x), [self.enlarged(terms, each) for each in more]
        places = self.weight_places
        return [
            self.row(places, terms, list(map(self.weight, row)), x, [each[i] for each in added])
            for i, row in enumerate(rows)
        ]

    def plus(self, x: Balls, y: Balls) -> Balls:
        """One addition of each two numbers."""
        found: Balls = []
        for one, other in zip(x, y, strict=True):
            if one is None or other is None:
                found.append(None)
                continue
            centre, radius = one[0] + other[0], one[1] + other[1]
            lost = (abs(centre) + radius >> DIGITS) + 2
            found.append(self.kept(self.places, centre, radius + lost))
        return found

    def affine(self, f: dict[str, Any], x: Balls) -> Balls:
        return self.rows(f["weight"], x, self.raised(f["bias"]))

    def recall(self, bits: Sequence[bool]) -> Balls:
        on, off = self.memory["on"], self.memory["off"]
        return self.affine(self.memory["recalled"], self.raised([on if b else off for b in bits]))

    def written(self, x: Balls) -> Balls:
        return self.affine(self.memory["written"], x)

    def logits(self, x: Balls) -> Balls:
        return self.affine(self.answer, x)


def rectified(x: Balls) -> Balls:
    """max(x, 0)"""
    return [None if ball is None else (max(ball[0], 0), ball[1]) for ball in x]


def signs(x: Balls) -> tuple[bool, ...] | None:
    """The signs of numbers, if all are certain."""
    found = []
    for ball in x:
        if ball is None or -ball[1] <= ball[0] <= ball[1]:
            return None
        found.append(ball[0] > 0)
    return tuple(found)


def largest(x: Balls) -> int | None:
    """The number that is certainly larger than all others."""
    for i, own in enumerate(x):
        others = x[:i] + x[i + 1 :]
        if own is not None and all(o is not None and sum(o) < own[0] - own[1] for o in others):
            return i
    return None


class BallRecurrence(BallNetwork):
    """A network that reads symbol by symbol."""

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record, "cell_memory", "read_out")

    def start(self) -> Balls:
        return self.written(self.raised(self.record["first_vector"]))

    def step(self, bits: Sequence[bool], symbol: int) -> Balls:
        moved = self.affine(self.record["recurrent"], self.recall(bits))
        row = self.raised(self.record["symbol_rows"][symbol])
        return self.written(rectified(self.plus(row, moved)))

    def accepts(self, codes: Sequence[Sequence[bool]], num_symbols: int) -> bool:
        """Whether all signs and answers are certain."""
        numbers = [self.start(), *(self.step(c, a) for c in codes for a in range(num_symbols))]
        sure = all(signs(each) is not None for each in numbers)
        return sure and all(largest(self.logits(self.recall(code))) is not None for code in codes)


class BallTree(BallNetwork):
    """A tree."""

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record, "node_memory", "answer")

    def leaf(self, symbol: int | None) -> Balls:
        """The vector of a symbol; None stands for the pad."""
        record = self.record
        return self.raised(record["pad"] if symbol is None else record["symbols"][symbol])

    def compose(self, x: list[Balls]) -> Balls:
        """The numbers whose signs are the code of a chunk."""
        for layer in self.record["layers"]:
            x = [self._at(layer, x[: place + 1]) for place in range(len(x))]
        return self.written(x[-1])

    def _at(self, layer: dict[str, Any], x: list[Balls]) -> Balls:
        gathered: Balls = []
        scale, share = (self.weight(self.record[name]) for name in ("query_scale", "share"))
        once = self.enlarged(1, x[-1])
        asked = [self.row(self.weight_places, 1, [scale], [ball], []) for ball in once]
        for head in layer["heads"]:
            query = self.rows(head["query"], asked)
            terms = len(query) + 1
            weights, values = [], []
            for seen, bias in zip(reversed(x), head["offset_bias"], strict=False):
                more = self.enlarged(terms, self.raised([bias]))
                key = self.rows(head["key"], seen)
                logit = self.row(self.places, terms, key, self.enlarged(terms, query), more)
                positive = self.enlarged(1, rectified([logit]))
                weights.append(self.row(self.weight_places, 1, [share], positive, []))
                values.append(self.rows(head["value"], seen))
            count = len(weights)
            for column in zip(*values, strict=True):
                larger = self.enlarged(count, list(column))
                gathered.append(self.row(self.places, count, weights, larger, []))
        h = self.plus(x[-1], self.rows(layer["output"], gathered))
        hidden = rectified(self.affine(layer["expand"], h))
        return self.plus(h, self.affine(layer["contract"], hidden))


def balls_of(record: dict[str, Any]) -> BallTree | BallRecurrence:
    """The network of a record."""
    return BallTree(record) if "places" in record else BallRecurrence(record)
