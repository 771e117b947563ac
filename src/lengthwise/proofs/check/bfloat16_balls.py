r"""Interval arithmetic on balls for networks in bfloat16, whose sums are longer than its numbers.

*The semantics.* The network was cast by `.bfloat16()`: its weights, and all numbers that one
operation hands to the next, are of bfloat16 (8 binary digits, unit roundoff u = 2^-8). What torch
does, and what is covered, is that

- a product with a matrix is summed up in float32, in any order, each addition rounded to nearest,
  and rounded to bfloat16; a bias may be added before, or after, which rounds once more;
- products that are formed one by one (attention) are rounded each, then summed in float32;
- tanh, the logistic function, GELU, the layer norm are computed in float32 and rounded once;
- softmax is computed in float32, but differences from the largest logit, exp, and the weights may
  each be rounded;
- any other operation rounds its result once.

Whatever leaves out one of these roundings, such as compiled code that keeps numbers in float32, is
covered, too. Units that add otherwise are not: NVIDIA's tensor cores cut numbers off (Fasi, Higham,
Mikaitis and Pranesh, Numerical behavior of NVIDIA tensor cores, 2021), and ARM's BFDOT rounds to
odd. Nor are sums in bfloat16: torch makes them on GPUs only if
`torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction` is on, which `certify` refuses.

*The bounds.* So every operation is the one of float32 (`balls.Arithmetic`), with roundings of its
result added: they are relative to the result, not to the terms of its sums.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.balls import (
    Arithmetic,
    Ball,
    Floats,
    Matrix,
    outward,
)

Precision = Literal["weights", "bfloat16"]
"""The arithmetic of a network: that of its weights' type, or bfloat16, to which they are cast."""

_RESULT_AND_BIAS = 2
"""Roundings of a product with a matrix: of its sum, and after a bias that is added apart."""
_OF_SOFTMAX = 4
"""Relative roundings of a weight: of its exp, of those in the sum, and of the quotient. The fourth
is more than the product of these with the roundings of a sum over weights, which are added to them.
"""


@dataclass(frozen=True, slots=True)
class Narrow(Arithmetic):
    """Operations on balls for networks whose numbers are narrower than their sums."""

    wide: Arithmetic
    """The arithmetic of sums."""

    @classmethod
    def bfloat16(cls) -> "Narrow":
        """Return the arithmetic of bfloat16 with sums in float32."""
        wide = Arithmetic.of("float32")
        return cls(unit=2.0**-8, largest=(2 - 2.0**-7) * 2.0**127, tiny=wide.tiny, wide=wide)

    def sums(self, terms: float) -> float:
        """Return the relative error of a sum of that many products, each rounded by itself."""
        rounded = self.gamma(1 + _RESULT_AND_BIAS)
        return self.wide.gamma(terms) * (1 + rounded) + rounded

    def linear(self, x: Ball, matrix: Matrix) -> Ball:
        """Return W x + b, rounded after the sum and after the bias."""
        found = self.wide.linear(x, matrix)
        size = found.bound_norms() + matrix.bias_norm
        rows = len(matrix.weight)
        lost = np.sqrt(rows) * self.bound_underflow(1, size)
        fresh = self.safe(size, self.gamma(_RESULT_AND_BIAS) * size + lost)
        return Ball(found.centre, outward(found.radius + fresh))

    def numbers(self, x: Ball, matrix: Matrix) -> tuple[Floats, Floats]:
        """Return W x + b with a radius for each number."""
        centre, radius = self.wide.numbers(x, matrix)
        size = np.abs(centre) + radius + np.abs(matrix.bias)
        fresh = self.safe(size, self.gamma(_RESULT_AND_BIAS) * size + self.bound_underflow(1, size))
        return centre, outward(radius + fresh)

    def gelu(self, x: Ball) -> Ball:
        """Return x Φ(x), rounded once."""
        return self.round(self.wide.gelu(x))

    def tanh(self, x: Ball) -> Ball:
        """Return tanh x, rounded once."""
        return self.round(self.wide.tanh(x))

    def sigmoid(self, x: Ball) -> Ball:
        """Return the logistic function of x, rounded once."""
        return self.round(self.wide.sigmoid(x))

    def layer_norm(self, x: Ball, weight: Floats, bias: Floats, epsilon: float) -> Ball:
        """Return the layer norm, rounded once."""
        return self.round(self.wide.layer_norm(x, weight, bias, epsilon))

    def softmax(
        self, logits: Floats, radius: Floats, present: NDArray[np.bool_]
    ) -> tuple[Floats, Floats, float]:
        """Return weights over axis -2, how far they can move together, and the relative rounding.

        The rounding of a difference of two logits is as if one of them had moved.
        """
        size = np.where(present, np.abs(logits) + radius, 0.0).max(axis=-2, keepdims=True)
        moved = outward(radius + 2 * self.gamma(1) * size)
        weights, strayed, relative = self.wide.softmax(logits, moved, present)
        rounded = self.gamma(_OF_SOFTMAX)
        return weights, strayed, relative * (1 + rounded) + rounded


def bfloat16_rounded(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return float32 numbers rounded to bfloat16, to nearest, ties to even; still as float32.

    A number that is too large becomes infinite. NaN is not handled: weights are numbers.
    """
    bits = np.ascontiguousarray(numbers, dtype=np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32).reshape(numbers.shape)
