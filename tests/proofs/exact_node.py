"""The node function of RegularGPT in rational numbers, written as plainly as its formulas.

An oracle for `lengthwise.proofs.check.node`. It shares no code with it. Floats are fractions, so
sums and products are exact. Roots, exponentials and erf are rounded to 400 binary digits; where a
value is cut off (exp below e^-1000, erf beyond 16) it is off by less than 1e-100. So is, relative
to the largest number on the way, every result.

Vectors are lists; a matrix is a list of rows.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = list[Fraction]

BITS = 400
EPSILON = Fraction(1, 100_000)
ABSENT = -1


def round_number(x: Fraction) -> Fraction:
    """The same number to `BITS` binary digits."""
    if x == 0:
        return x
    shift = BITS - (abs(x.numerator).bit_length() - x.denominator.bit_length())
    if shift >= 0:
        return Fraction(round(x * (1 << shift)), 1 << shift)
    return Fraction(round(x / (1 << -shift)) << -shift)


def root(x: Fraction) -> Fraction:
    """The square root, by that of a whole number."""
    if x == 0:
        return x
    shift = max(0, 2 * BITS - (x.numerator.bit_length() - x.denominator.bit_length()))
    shift += shift % 2
    return Fraction(isqrt((x.numerator << shift) // x.denominator), 1 << (shift // 2))


def exponential(x: Fraction) -> Fraction:
    """e^x for x up to 0: the series for x / 2^k, squared k times; below -1000 it is 0."""
    assert x <= 0
    if x < -1000:
        return Fraction(0)
    halvings = 20  # x / 2^20 is below 0.001
    one = 1 << (2 * BITS)
    small = x.numerator * one // (x.denominator << halvings)
    total, term, count = one, one, 0
    while term:
        count += 1
        term = abs(term) * abs(small) // one // count * (-1 if count % 2 else 1)
        total += term
    for _ in range(halvings):
        total = total * total // one
    return Fraction(total, one)


@cache
def pi() -> Fraction:
    """16 arctan(1/5) - 4 arctan(1/239)."""

    def arctan(inverse: int) -> Fraction:
        one = 1 << (2 * BITS)
        return Fraction(
            sum((-1) ** k * one // (inverse ** (2 * k + 1) * (2 * k + 1)) for k in range(2 * BITS)),
            one,
        )

    return round_number(16 * arctan(5) - 4 * arctan(239))


def error_function(x: Fraction) -> Fraction:
    """erf(x) = 2/sqrt(pi) e^(-x^2) sum of 2^k x^(2k+1) / (2k+1)!!, a series without signs."""
    if abs(x) > 16:
        return Fraction(1 if x > 0 else -1)
    x = round_number(x)
    one = 1 << (2 * BITS)
    square = 2 * x.numerator**2 * one // x.denominator**2
    term = total = one  # of the series over x
    count = 0
    while term:
        count += 1
        term = term * square // one // (2 * count + 1)
        total += term
    return round_number(2 / root(pi()) * exponential(-x * x) * x * Fraction(total, one))


def product(x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


class ExactNode:
    """The functions of one network in real arithmetic."""

    def __init__(self, settings: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> None:
        self.settings = settings
        self.weights = {name: _fractions(w) for name, w in weights.items()}
        self.rational = "attention" in settings
        width = settings["d_model"]
        scale = settings["embedding_scale"]
        self.scale = root(Fraction(width)) if scale is None else Fraction(scale)

    def leaves(self) -> list[Vector]:
        return [
            [round_number(a * self.scale) for a in row] for row in self.weights["embedding.weight"]
        ]

    def recall(self, code: Sequence[bool]) -> Vector:
        signs = [Fraction(1 if bit else -1) for bit in code]
        read = self._linear("memory.read", signs)
        return read if self.rational else self._norm("memory.norm", read)

    def numbers(self, gathered: Vector) -> Vector:
        return self._linear("memory.write", gathered)

    def logits(self, vector: Vector) -> Vector:
        if self.settings["norm"] == "pre":
            vector = self._norm("final_norm", vector)
        return self._linear("answer", vector)

    def gather(self, below: Sequence[Vector], children: Sequence[int]) -> Vector:
        pad = [round_number(a * self.scale) for a in self.weights["pad"]]
        x = [pad if child == ABSENT else below[child] for child in children]
        present = [child != ABSENT or self.settings["pad"] == "learned" for child in children]
        present[-1] = True
        for index in range(self.settings["num_layers"]):
            x = [self._place(f"layers.{index}", x[: place + 1], present) for place in range(len(x))]
        return x[-1]

    def _place(self, name: str, x: list[Vector], present: list[bool]) -> Vector:
        """The last of the places x, which sees those before it that are present, and itself."""
        place, norm = len(x) - 1, self.settings["norm"]
        seen = [at for at in range(place + 1) if present[at] or at == place]
        inner = x if norm != "pre" else [self._norm(f"{name}.attention_norm.norm", v) for v in x]
        h = _sum(x[place], self._attention(f"{name}.attention", inner, seen))
        if norm == "post":
            h = self._norm(f"{name}.attention_norm.norm", h)
        inside = self._norm(f"{name}.feed_forward_norm.norm", h) if norm == "pre" else h
        hidden = [self._active(a) for a in self._linear(f"{name}.expand", inside)]
        h = _sum(h, self._linear(f"{name}.contract", hidden))
        if norm == "post":
            h = self._norm(f"{name}.feed_forward_norm.norm", h)
        return [round_number(a) for a in h]

    def _attention(self, name: str, x: list[Vector], seen: list[int]) -> Vector:
        width, heads = len(x[0]), self.settings["num_heads"]
        size = width // heads
        query = self._linear(f"{name}.query", x[-1])
        both = {at: self._linear(f"{name}.key_value", x[at]) for at in seen}
        gathered: Vector = []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            logits = {
                at: product(query[part], both[at][:width][part]) / root(Fraction(size))
                + self.weights[f"{name}.bias"][head][len(x) - 1 - at]
                for at in seen
            }
            if self.rational:
                power = {at: max(logit, Fraction(0)) for at, logit in logits.items()}
                whole = Fraction(self.settings["chunk_size"])
            else:
                largest = max(logits.values())
                power = {
                    at: exponential(round_number(logit - largest)) for at, logit in logits.items()
                }
                whole = sum(power.values(), Fraction(0))
            gathered += [
                round_number(
                    sum((power[at] * both[at][width + i] for at in seen), Fraction(0)) / whole
                )
                for i in range(part.start, part.stop)
            ]
        return self._linear(f"{name}.output", gathered)

    def _active(self, x: Fraction) -> Fraction:
        if self.settings["activation"] == "relu":
            return max(x, Fraction(0))
        return round_number(x / 2 * (1 + error_function(x / root(Fraction(2)))))

    def _linear(self, name: str, x: Vector) -> Vector:
        weight = self.weights[f"{name}.weight"]
        bias = self.weights.get(f"{name}.bias") or [Fraction(0)] * len(weight)
        return [product(row, x) + b for row, b in zip(weight, bias, strict=True)]

    def _norm(self, name: str, x: Vector) -> Vector:
        mean = sum(x, Fraction(0)) / len(x)
        centred = [a - mean for a in x]
        deviation = root(product(centred, centred) / len(x) + EPSILON)
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return [
            round_number(a / deviation * w + b)
            for a, w, b in zip(centred, weight, bias, strict=True)
        ]


def _sum(x: Vector, y: Vector) -> Vector:
    return [a + b for a, b in zip(x, y, strict=True)]


def _fractions(weight: NDArray[Any]) -> Any:
    """Floats as nested lists of the fractions that they are."""
    if weight.ndim == 0:
        return Fraction(float(np.float64(weight)))
    return [_fractions(np.asarray(part)) for part in weight]
