"""Two of the smallest published adders of ten-digit numbers, judged on all pairs.

AdderBoard (github.com/anadim/AdderBoard) ranks transformers that add two numbers of ten digits by
their parameters, and judges them on 10,010 of the 10^20 pairs. Both networks are written here anew
from what their authors published. In both a layer of one head reads digits, lowest first, and
writes the sum digit by digit, each from the last token's query:

    hand-made   8 parameters, by kswain98: `[0] a [0]*9 b [0]`, width 2, rotary positions of period
                19, so that one query meets both digits of a number and, a tenth as strongly, the
                digits before; a pair of SiLUs subtracts 100 from large sums; parabolic logits
    trained     49 parameters, by warlockee: `[0] a [0, 0] b [0]`, width 3, a head of width 4, keys
                that are values, digits on an arc; gradient descent, then CMA-ES

Axes:
    pair   pairs of numbers
    place  tokens read so far
    digit  the ten digits
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
DIGITS = 10
"""Digits of a number; the sum has one more."""


class Adder(ABC):
    """A decoder of one layer and one head, in a type of numpy."""

    parameters: int
    prompt: tuple[str, ...]
    """The tokens before the sum: `0`, or a digit such as `a3`, lowest first."""

    def __init__(self, kind: type[np.floating[Any]] = np.float32) -> None:
        self.kind = kind

    @abstractmethod
    def queries(self, tokens: Array, place: int) -> Array:
        """Return the queries of tokens at a place, by which keys are multiplied."""

    @abstractmethod
    def keys(self, tokens: Array, places: Array) -> Array:
        """Return the keys of tokens at their places."""

    @abstractmethod
    def values(self, tokens: Array, places: Array) -> Array:
        """Return what a head takes from tokens at their places."""

    @abstractmethod
    def logits(self, tokens: Array, place: int, read: Array) -> Array:
        """Return the logits of the digits, from the last tokens and what the head has read."""

    def add(self, a: Array, b: Array) -> Array:
        """Return the digits of the sums that the network writes, `[pair, digit]`, lowest first."""
        digits = {"a": a, "b": b}
        columns = [
            np.zeros(len(a), dtype=np.int64) if name == "0" else digits[name[0]][:, int(name[1:])]
            for name in self.prompt
        ]
        while len(columns) < len(self.prompt) + DIGITS + 1:
            columns.append(self.write(np.stack(columns, axis=1)).argmax(axis=1))
        return np.stack(columns[len(self.prompt) :], axis=1)

    def write(self, tokens: Array) -> Array:
        """Return the logits of the digit after tokens `[pair, place]`."""
        length = tokens.shape[1]
        places = np.broadcast_to(np.arange(length), tokens.shape)
        query = self.queries(tokens[:, -1], length - 1)
        score = (query[:, None] * self.keys(tokens, places)).sum(axis=2)
        weight = np.exp(score - score.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        read = (weight[..., None] * self.values(tokens, places)).sum(axis=1)
        return self.logits(tokens[:, -1], length - 1, read)


def digits_of(numbers: Sequence[int]) -> Array:
    """Return the ten digits of each number, lowest first.

    >>> digits_of([45])[0].tolist()
    [5, 4, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    return np.array([[n // 10**i % 10 for i in range(DIGITS)] for n in numbers], dtype=np.int64)


def right_sums(a: Array, b: Array) -> Array:
    """Return the eleven digits of the sums, by the rule of school."""
    carry, columns = np.zeros(len(a), dtype=np.int64), []
    for i in range(DIGITS):
        total = a[:, i] + b[:, i] + carry
        columns.append(total % 10)
        carry = total // 10
    return np.stack([*columns, carry], axis=1)


def _rms(x: Array, weight: Array | float = 1.0) -> Array:
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + x.dtype.type(1e-6)) * weight


def _rotate(x: Array, angle: Array) -> Array:
    """Rotate pairs of neighbours by angles `[..., pair]`."""
    cos, sin = np.cos(angle), np.sin(angle)
    first, second = x[..., ::2], x[..., 1::2]
    turned = [first * cos - second * sin, first * sin + second * cos]
    return np.stack(turned, axis=-1).reshape(x.shape)


def _silu(x: Array) -> Array:
    return x / (1 + np.exp(-np.clip(x, -80, None)))


@dataclass(frozen=True, slots=True)
class HandMadeWeights:
    r"""Weights of the hand-made adder, by the formulas of its author.

    Digits d are $(c - d^2 / c, -d)$. After the head, the second number is about 10 times the digits
    to add, plus those before, less the last digit written: 10 times the sum with its carry, less
    the carry before. The SiLUs, steep around 94 and 95, subtract 100.
    """

    c: float = 1000.0
    omega: float = 2 * math.pi / 19
    phase: float = 2 * math.pi / 19 * 10.3
    value: float = -22 * 1000 / math.sqrt(2)
    gate: tuple[float, float] = (256 / 2 * -94.0, 256 / 2 * 1000.0)
    carry: float = 100 / 256.0
    norm: tuple[float, float] = (100 / math.sqrt(2), -1000 / math.sqrt(2) / 50)

    @property
    def scale(self) -> float:
        """The factor on scores: the place meant is ahead of the one before by log 10."""
        gap = math.cos(self.omega * 0.3) - math.cos(self.omega * 0.7)
        return math.log(10.0) / gap / 2


class HandMade(Adder):
    """The adder of 8 parameters."""

    parameters = 8
    prompt = (
        *("0", *(f"a{i}" for i in range(DIGITS)), *["0"] * 9),
        *(*(f"b{i}" for i in range(DIGITS)), "0"),
    )
    weights = HandMadeWeights()

    def __init__(self, kind: type[np.floating[Any]] = np.float32) -> None:
        super().__init__(kind)
        c, d = kind(self.weights.c), np.arange(10).astype(kind)
        self.table = np.stack([c - d * d / c, -d], axis=1)

    def queries(self, tokens: Array, place: int) -> Array:
        """Return the first number, turned by the phase and the place."""
        phase = self.kind(self.weights.phase)
        first = _rms(self.table[tokens])[..., 0]
        query = np.stack([first * np.cos(phase), -first * np.sin(phase)], axis=-1)
        angle = np.array([place * self.kind(self.weights.omega)], dtype=self.kind)
        return _rotate(_rms(query), angle) * self.kind(self.weights.scale)

    def keys(self, tokens: Array, places: Array) -> Array:
        """Return the first number, turned by the place."""
        first = _rms(self.table[tokens])[..., 0]
        key = np.stack([first, np.zeros_like(first)], axis=-1)
        return _rotate(
            _rms(key), places[..., None].astype(self.kind) * self.kind(self.weights.omega)
        )

    def values(self, tokens: Array, places: Array) -> Array:
        """Return the second number, scaled."""
        return _rms(self.table[tokens])[..., 1:] * self.kind(self.weights.value)

    def logits(self, tokens: Array, place: int, read: Array) -> Array:
        """Add what was read, subtract 100 if it is large, and compare with all digits."""
        x = self.table[tokens] + np.concatenate([np.zeros_like(read), read], axis=-1)
        h = _rms(x)
        a, b = map(self.kind, self.weights.gate)
        large = h[..., 0] * a + h[..., 1] * b
        larger = h[..., 0] * (a - b / self.kind(self.weights.c)) + h[..., 1] * b
        step = self.kind(self.weights.carry) * h[..., 0] * (_silu(larger) - _silu(large))
        x = x + np.stack([np.zeros_like(step), step], axis=-1)
        return (_rms(x) * np.array(self.weights.norm, dtype=self.kind)) @ self.table.T


class Trained(Adder):
    """The adder of 49 parameters, with the numbers that its author published."""

    parameters = 49
    prompt = (
        *("0", *(f"a{i}" for i in range(DIGITS)), "0", "0"),
        *(*(f"b{i}" for i in range(DIGITS)), "0"),
    )
    arc = (53.39081954956055, 1.2057271003723145, 0.1254480928182602)
    query = (
        (10.064225196838379, 2.774019479751587, 1.4579730033874512),
        (42.290523529052734, 11.11209487915039, -4.705548286437988),
        (-3.8117716312408447, -0.8938799500465393, -1.1917589902877808),
        (9.216836929321289, 2.2616913318634033, -0.2047961801290512),
    )
    key = (
        (8.945900917053223, -9.204228401184082, -5.801871299743652),
        (-9.97950267791748, -0.808920681476593, 0.5593137145042419),
        (2.180220365524292, 0.048893626779317856, -12.723864555358887),
        (-14.28452205657959, 11.919428825378418, -0.26181530952453613),
    )
    head_norm = (4.189301013946533, -0.5842321515083313, 0.807510256767273, 5.245909214019775)
    gate = (
        (-2.3539397716522217, -3.3044955730438232, -0.48936736583709717),
        (1.0696345567703247, -1.1602256298065186, 1.5745854377746582),
    )
    up = (
        (4.96342658996582, -1.1174434423446655, -0.8100679516792297),
        (-8.958495140075684, -0.7657700777053833, -0.6104097962379456),
    )
    norm = (1.3762867450714111, 9.654746055603027, -4.45611572265625)
    last_norm = (-10.625299453735352, 27.65289306640625, 0.33968111872673035)

    def __init__(self, kind: type[np.floating[Any]] = np.float32) -> None:
        super().__init__(kind)
        radius, start, stride = self._array(self.arc)
        angle = start + np.arange(10).astype(kind) * stride
        self.table = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)

    def queries(self, tokens: Array, place: int) -> Array:
        """Return the queries, normalised and turned, over the root of the head's width."""
        query = self._embed(tokens, np.array(place)) @ self._array(self.query).T
        return self._turn(query, np.array(place)) * self.kind(0.5)

    def keys(self, tokens: Array, places: Array) -> Array:
        """Return the keys, normalised and turned."""
        return self._turn(self.values(tokens, places), places)

    def values(self, tokens: Array, places: Array) -> Array:
        """Return the keys as they are."""
        return self._embed(tokens, places) @ self._array(self.key).T

    def logits(self, tokens: Array, place: int, read: Array) -> Array:
        """Add what was read, a gated layer, and compare with all digits."""
        x = self._vectors(tokens, np.array(place)) + read @ self._array(self.query)
        h, gate = _rms(x, self._array(self.norm)), self._array(self.gate)
        x = x + (_silu(h @ gate.T) * (h @ self._array(self.up).T)) @ gate
        return _rms(x, self._array(self.last_norm))[..., :2] @ self.table.T

    def _array(self, numbers: Sequence[Any]) -> Array:
        return np.array(numbers, dtype=np.float32).astype(self.kind)

    def _vectors(self, tokens: Array, places: Array) -> Array:
        sines = np.sin(places.astype(self.kind) * self.kind(1e-4))
        sines = np.broadcast_to(sines, tokens.shape)[..., None]
        return np.concatenate([self.table[tokens], sines], axis=-1)

    def _embed(self, tokens: Array, places: Array) -> Array:
        return _rms(self._vectors(tokens, places), self._array(self.norm))

    def _turn(self, x: Array, places: Array) -> Array:
        frequencies = np.array([1.0, 3.0**-0.5], dtype=self.kind)
        angle = places.astype(self.kind)[..., None] * frequencies
        return _rotate(_rms(x, self._array(self.head_norm)), angle)
