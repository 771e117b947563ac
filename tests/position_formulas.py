"""Logits by their printed formulas, one query, key and head at a time, in plain floats."""

import math
from collections.abc import Callable

from torch import nn

Vector = list[float]


def dot(left: Vector, right: Vector) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def plain(
    position: nn.Module, layer: int, head: int, q: Vector, k: Vector, i: int, j: int
) -> float:
    return dot(q, k) / math.sqrt(len(q))


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


def t5(position: nn.Module, layer: int, head: int, q: Vector, k: Vector, i: int, j: int) -> float:
    row = bucket(i - j, position.causal)
    return plain(position, layer, head, q, k, i, j) + position.table[row, head].item()


def alibi(
    position: nn.Module, layer: int, head: int, q: Vector, k: Vector, i: int, j: int
) -> float:
    slope = 2 ** (-8 * (head + 1) / position.num_heads)
    return plain(position, layer, head, q, k, i, j) - slope * abs(i - j)


def kerple_log(
    position: nn.Module, layer: int, head: int, q: Vector, k: Vector, i: int, j: int
) -> float:
    p, a = max(position.p[head].item(), 0.01), max(position.a[head].item(), 0.01)
    return plain(position, layer, head, q, k, i, j) - p * math.log(1 + a * abs(i - j))


def kerple_power(
    position: nn.Module, layer: int, head: int, q: Vector, k: Vector, i: int, j: int
) -> float:
    p, a = position.p[head].item(), max(position.a[head].item(), 0.01)
    return plain(position, layer, head, q, k, i, j) - a * abs(i - j) ** min(max(p, 0.01), 2)


def rope(position: nn.Module, layer: int, head: int, q: Vector, k: Vector, i: int, j: int) -> float:
    def rotated(x: Vector, place: int) -> Vector:
        found = list(x)
        for r in range(len(x) // 2):
            turn = complex(x[2 * r], x[2 * r + 1])
            angle = place * 10_000 ** (-2 * r / len(x))
            turn *= complex(math.cos(angle), math.sin(angle))
            found[2 * r : 2 * r + 2] = [turn.real, turn.imag]
        return found

    return dot(rotated(q, i), rotated(k, j)) / math.sqrt(len(q))


def transformer_xl(
    position: nn.Module, layer: int, head: int, q: Vector, k: Vector, i: int, j: int
) -> float:
    size, matrix = len(q), position.w[layer].tolist()
    width = len(matrix[0])
    waves = []
    for c in range(width):
        angle = (i - j) / 10_000 ** (2 * (c // 2) / width)
        waves.append(math.cos(angle) if c % 2 else math.sin(angle))
    asked = dot([a + b for a, b in zip(q, position.u[head, 0].tolist(), strict=True)], k)
    keys = [dot(row, waves) for row in matrix[head * size : (head + 1) * size]]
    distance = dot([a + b for a, b in zip(q, position.v[head, 0].tolist(), strict=True)], keys)
    return (asked + distance) / math.sqrt(size)


Formula = Callable[[nn.Module, int, int, Vector, Vector, int, int], float]

ACTING: dict[str, Formula] = {
    "t5": t5,
    "alibi": alibi,
    "kerple-log": kerple_log,
    "kerple-power": kerple_power,
    "rope": rope,
    "transformer-xl": transformer_xl,
}
"""Positions that act in attention."""
