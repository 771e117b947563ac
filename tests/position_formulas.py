"""Logits by their printed formulas, one query, key and head at a time, in plain floats."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from lengthwise.layers.biases import AlibiPosition, KerplePosition, T5Position
from lengthwise.layers.layer_biases import RecencyPosition
from lengthwise.layers.position import Position
from lengthwise.layers.transformer_xl import TransformerXlPosition

Vector = list[float]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A query q at place i and a key k at place j, in one head of one layer."""

    layer: int
    head: int
    q: Vector
    k: Vector
    i: int
    j: int

    @property
    def product(self) -> float:
        return dot(self.q, self.k) / math.sqrt(len(self.q))


def dot(left: Vector, right: Vector) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def bucket(delta: int, causal: bool) -> int:
    """As in T5's code, with the logarithm guarded against rounding."""
    found, num_buckets = 0, 32
    if causal:
        distance = max(delta, 0)
    else:
        num_buckets = 16
        found += 16 if delta < 0 else 0
        distance = abs(delta)
    exact = num_buckets // 2
    if distance < exact:
        return found + distance
    more = math.log(distance / exact) / math.log(128 / exact) * (num_buckets - exact)
    return found + min(exact + math.floor(more + 1e-9), num_buckets - 1)


def t5(position: Position, pair: Pair) -> float:
    assert isinstance(position, T5Position)
    row = bucket(pair.i - pair.j, position.causal)
    return pair.product + position.table[row, pair.head].item()


def alibi(position: Position, pair: Pair) -> float:
    assert isinstance(position, AlibiPosition)
    slope: float = 2 ** (-8 * (pair.head + 1) / position.num_heads)
    return pair.product - slope * abs(pair.i - pair.j)


def kerple_log(position: Position, pair: Pair) -> float:
    assert isinstance(position, KerplePosition)
    p, a = (max(weight[pair.head].item(), 0.01) for weight in (position.p, position.a))
    return pair.product - p * math.log(1 + a * abs(pair.i - pair.j))


def kerple_power(position: Position, pair: Pair) -> float:
    assert isinstance(position, KerplePosition)
    p, a = (max(weight[pair.head].item(), 0.01) for weight in (position.p, position.a))
    power: float = abs(pair.i - pair.j) ** min(p, 2)
    return pair.product - a * power


def recency(position: Position, pair: Pair) -> float:
    assert isinstance(position, RecencyPosition)
    slope, own = (each[pair.layer, pair.head].item() for each in (position.slope, position.own))
    return pair.product - slope * abs(pair.i - pair.j) - (own if pair.i == pair.j else 0.0)


def hops(position: Position, pair: Pair) -> float:
    return pair.product - (0 if pair.i - pair.j == 2**pair.layer else 16_384)


def rope(position: Position, pair: Pair) -> float:
    size = len(pair.q)

    def rotate(x: Vector, place: int) -> Vector:
        found = list(x)
        for r in range(size // 2):
            angle = place * 10_000 ** (-2 * r / size)
            turned = complex(*x[2 * r : 2 * r + 2]) * complex(math.cos(angle), math.sin(angle))
            found[2 * r : 2 * r + 2] = [turned.real, turned.imag]
        return found

    return dot(rotate(pair.q, pair.i), rotate(pair.k, pair.j)) / math.sqrt(size)


def transformer_xl(position: Position, pair: Pair) -> float:
    assert isinstance(position, TransformerXlPosition)
    matrix, size = position.w[pair.layer].tolist(), len(pair.q)
    width = len(matrix[0])
    waves = []
    for c in range(width):
        angle = (pair.i - pair.j) / 10_000 ** (2 * (c // 2) / width)
        waves.append(math.cos(angle) if c % 2 else math.sin(angle))
    u, v = (vector[pair.head, 0].tolist() for vector in (position.u, position.v))
    keys = [dot(row, waves) for row in matrix[pair.head * size : (pair.head + 1) * size]]
    asked = dot([a + b for a, b in zip(pair.q, u, strict=True)], pair.k)
    distance = dot([a + b for a, b in zip(pair.q, v, strict=True)], keys)
    return (asked + distance) / math.sqrt(size)


ACTING: dict[str, Callable[[Position, Pair], float]] = {
    "t5": t5,
    "alibi": alibi,
    "kerple-log": kerple_log,
    "kerple-power": kerple_power,
    "recency": recency,
    "hops": hops,
    "rope": rope,
    "transformer-xl": transformer_xl,
}
"""Positions that act in attention."""
