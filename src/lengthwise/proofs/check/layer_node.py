"""Transformer layers inside chunks of vectors, from the weights alone, in float64.

This is an independent implementation of `models.regular_gpt.Layer`, on balls (`balls.py`) and
without torch, so that a proof rests neither on the order of additions nor on the model's own code.

Axes:
    node    chunks; each becomes a vector
    chunk   positions of a chunk
    query   positions that attend: all of the chunk, or the last alone
    head    attention heads
    width   numbers in a vector
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import VerificationError
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Arithmetic, Ball, Floats, Matrix, norm_bound
from lengthwise.proofs.check.bfloat16_balls import Narrow, Precision, bfloat16_rounded

LAYER_NORM_EPSILON = 1e-5
"""Epsilon of torch's layer norm."""


Method = TypeVar("Method", bound=Callable[..., Any])


def quietly(method: Method) -> Method:
    """Silence numpy's warnings in a method: infinite radii mark overflows."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")(method)


def require_one_type(weights: Mapping[str, NDArray[Any]]) -> str:
    """Return the type of all weights, float32 or float64.

    Raises:
        VerificationError: they are of another type, or of several.
    """
    types = {weight.dtype.name for weight in weights.values()}
    if types not in ({"float32"}, {"float64"}):
        raise VerificationError(
            f"bounds on rounding are for weights of float32 or of float64 alone, but these "
            f"are {sorted(types)}. Use model.float()."
        )
    return types.pop()


def arithmetic_of(weights: Mapping[str, NDArray[Any]], precision: Precision) -> Arithmetic:
    """Return the arithmetic of a network: that of its weights' type, or bfloat16.

    Weights of bfloat16 are given as the same numbers in float32.

    Raises:
        VerificationError: they are of another type, of several, or no numbers of bfloat16.
    """
    name = require_one_type(weights)
    if precision == "weights":
        return Arithmetic.of(name)
    exact = name == "float32" and all(
        np.array_equal(bfloat16_rounded(weight), weight) for weight in weights.values()
    )
    if not exact:
        raise VerificationError(
            "a network in bfloat16 has weights that are numbers of bfloat16, stored as float32, "
            "but these are not. Round them, as certify with precision='bfloat16' does."
        )
    return Narrow.bfloat16()


@dataclass(frozen=True, slots=True)
class ChunkBalls:
    """Balls at the positions of chunks, each an entry of a table.

    Functions of a single position are computed once for each entry of the table.
    """

    table: Ball
    rows: Integers
    """`rows[node, chunk]`"""

    @property
    def balls(self) -> Ball:
        """The balls at the positions, `[node, chunk]`."""
        return self.table[self.rows]

    def last(self) -> "ChunkBalls":
        """Return the last position of each chunk, `[node, 1]`."""
        return ChunkBalls(self.table, self.rows[:, -1:])

    @classmethod
    def of(cls, balls: Ball) -> "ChunkBalls":
        """Build chunks whose balls may all differ."""
        shape = balls.radius.shape
        flat = Ball(balls.centre.reshape(-1, balls.centre.shape[-1]), balls.radius.reshape(-1))
        return cls(flat, np.arange(len(flat.radius)).reshape(shape))


@dataclass(frozen=True, slots=True)
class Attended:
    """The output of attention before the output matrix."""

    gathered: Ball
    local: Floats
    """The part of the radius that does not come, with these weights, from the radii of values."""
    weights: Floats
    """`weights[node, query, chunk, head]`."""


class LayerNode:
    """Base of networks made of transformer layers inside chunks.

    `settings` have `d_model`, `num_heads`, `norm` and `activation`; `weights` are named as in the
    network's state dictionary. The unit roundoff is that of the weights' type, or of the
    `precision` that they were rounded to.

    Raises:
        VerificationError: the weights are of several types.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        weights: Mapping[str, NDArray[Any]],
        precision: Precision = "weights",
    ) -> None:
        self._width = int(settings["d_model"])
        self._heads = int(settings["num_heads"])
        self._norm = settings["norm"]
        self._activation = settings["activation"]
        self._is_rational = is_rational(settings)
        self._weights = {name: np.asarray(w, dtype=np.float64) for name, w in weights.items()}
        self._matrices: dict[tuple[str, int, int | None], Matrix] = {}
        self.arithmetic = arithmetic_of(weights, precision)

    def _layer(self, x: ChunkBalls, present: NDArray[np.bool_], name: str, *, every: bool) -> Ball:
        arithmetic = self.arithmetic
        own_balls = (x if every else x.last()).balls
        seen = ChunkBalls(self._before(x.table, f"{name}.attention_norm"), x.rows)
        attended = self._attend(seen, present, f"{name}.attention", every=every)
        branch = arithmetic.linear(attended.gathered, self._matrix(f"{name}.attention.output"))
        h = self._after(arithmetic.add(own_balls, branch), f"{name}.attention_norm")
        inner = self._before(h, f"{name}.feed_forward_norm")
        hidden = arithmetic.linear(inner, self._matrix(f"{name}.expand"))
        active = arithmetic.relu if self._activation == "relu" else arithmetic.gelu
        branch = arithmetic.linear(active(hidden), self._matrix(f"{name}.contract"))
        return self._after(arithmetic.add(h, branch), f"{name}.feed_forward_norm")

    def _attend(
        self, x: ChunkBalls, present: NDArray[np.bool_], name: str, *, every: bool
    ) -> "Attended":
        """Compute softmax attention inside chunks, from all positions or from the last alone."""
        arithmetic = self.arithmetic
        chunk, width = x.rows.shape[1], x.table.centre.shape[-1]
        size = width // self._heads
        asked_of = arithmetic.scale(x.table, size**-0.5)
        asking = x.rows if every else x.rows[:, -1:]
        queries = [
            arithmetic.linear(asked_of, part)[asking]
            for part in self._head_parts(f"{name}.query", 0)
        ]
        keys = [
            arithmetic.linear(x.table, part)[x.rows]
            for part in self._head_parts(f"{name}.key_value", 0)
        ]
        values = [
            arithmetic.linear(x.table, part)[x.rows]
            for part in self._head_parts(f"{name}.key_value", width)
        ]
        bias = self._weights[f"{name}.bias"]
        positions = np.arange(chunk)
        query_positions = positions if every else positions[-1:]
        offset = query_positions[:, None] - positions
        seen = (offset >= 0) & (present[:, None, :] | (offset == 0))
        centres, radii, local, weights = [], [], [], []
        for head in range(self._heads):
            q, k, v = queries[head], keys[head], values[head]
            shift = bias[head][np.maximum(offset, 0)]
            logits, radius = self._logits(q, k, shift)
            if self._is_rational:
                weight, moved, relative = arithmetic.rectify(logits, radius, seen)
                middle = np.zeros(1)  # movements of these weights have any sum
            else:
                weight, moved, relative = arithmetic.softmax(
                    logits[..., None], radius[..., None], seen[..., None]
                )
                weight, moved = weight[..., 0], moved[..., 0]
                middle = v.centre.mean(axis=1, keepdims=True)
            spread, size_of_v = norm_bound(v.centre - middle), v.bound_norms()
            centres.append(np.einsum("nqk,nkd->nqd", weight, v.centre))
            largest = weight + moved
            rounding = relative + arithmetic.sums(chunk + 1)
            together = _sum_positions(largest, size_of_v)
            if self._is_rational:
                heaviest = norm_bound(largest)
                together = arithmetic.safe(together + heaviest, together)
            else:
                heaviest = np.full((len(x.rows), 1), sqrt(chunk))  # weights are 1 at most
            lost = arithmetic.bound_underflow(chunk, norm_bound(size_of_v)[:, None] + heaviest)
            other = _sum_positions(moved, spread) + rounding * together
            other = other + sqrt(size) * lost
            radii.append(other + _sum_positions(largest, v.radius))
            stretched = (
                self._head_parts(f"{name}.key_value", width)[head].stretch * x.table.radius[x.rows]
            )
            fresh = _sum_positions(largest, _rest(v.radius, stretched))
            local.append(other + fresh + _sum_positions(moved, v.radius))
            weights.append(weight)
        return Attended(
            gathered=Ball(np.concatenate(centres, axis=-1), norm_bound(np.stack(radii, axis=-1))),
            local=norm_bound(np.stack(local, axis=-1)),
            weights=np.stack(weights, axis=-1),
        )

    def _logits(self, q: Ball, k: Ball, shift: Floats) -> tuple[Floats, Floats]:
        """Return products of queries and keys, with the bias of their offset, and their radii."""
        logits = np.einsum("nqd,nkd->nqk", q.centre, k.centre) + shift
        terms = q.centre.shape[-1]
        q_size, k_size = q.bound_norms()[:, :, None], k.bound_norms()[:, None, :]
        radius = (
            q.radius[:, :, None] * k_size
            + norm_bound(q.centre)[:, :, None] * (k.radius[:, None, :])
        )
        size = q_size * k_size + np.abs(shift)
        lost = self.arithmetic.bound_underflow(terms, q_size + k_size)
        fresh = self.arithmetic.safe(size, self.arithmetic.sums(terms + 2) * size + lost)
        return logits, radius + fresh

    def _head_parts(self, name: str, first: int) -> list[Matrix]:
        size = self._width // self._heads
        return [
            self._matrix(name, first + head * size, first + (head + 1) * size)
            for head in range(self._heads)
        ]

    def _before(self, x: Ball, name: str) -> Ball:
        return self._layer_norm(x, f"{name}.norm") if self._norm == "pre" else x

    def _after(self, x: Ball, name: str) -> Ball:
        return self._layer_norm(x, f"{name}.norm") if self._norm == "post" else x

    def _layer_norm(self, x: Ball, name: str) -> Ball:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return self.arithmetic.layer_norm(x, weight, bias, LAYER_NORM_EPSILON)

    def _matrix(self, name: str, first: int = 0, last: int | None = None) -> Matrix:
        """Return rows `first` to `last` of a matrix, with their biases."""
        key = (name, first, last)
        if key not in self._matrices:
            weight, bias = self._weights[f"{name}.weight"], self._weights.get(f"{name}.bias")
            cut = slice(first, last)
            self._matrices[key] = Matrix(weight[cut], None if bias is None else bias[cut])
        return self._matrices[key]


def _sum_positions(weights: Floats, sizes: Floats) -> Floats:
    """Sum over the positions of a chunk, for each query."""
    return np.einsum("nqk,nk->nq", weights, sizes)


def _rest(radius: Floats, part: Floats) -> Floats:
    """Return the radius minus a part of it; infinite if it was infinite."""
    finite = np.isfinite(radius) & np.isfinite(part)
    return np.subtract(radius, part, out=np.full_like(radius, np.inf), where=finite).clip(min=0.0)


def is_rational(settings: Mapping[str, Any]) -> bool:
    """Return whether attention has weights of ReLU and memory has no norm."""
    return "attention" in settings


LAYER_CHOICES: Mapping[str, tuple[str, ...]] = {
    "norm": ("post", "pre", "none"),
    "activation": ("relu", "gelu"),
}
"""Values of the settings of layers."""


def require_choices(settings: Mapping[str, Any], choices: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse a setting that has none of its values.

    Raises:
        VerificationError: the message names it.
    """
    for name, known in choices.items():
        if settings[name] not in known:
            raise VerificationError(f"{name}={settings[name]!r} is none of {', '.join(known)}.")


def layer_shapes(
    settings: Mapping[str, Any], count: int, chunk_size: int
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights of all layers, and of the final norm."""
    width, hidden = settings["d_model"], settings["ff_factor"] * settings["d_model"]
    shapes: dict[str, tuple[int, ...]] = {}
    norms = ["final_norm"] if settings["norm"] == "pre" else []
    for index in range(count):
        layer = f"layers.{index}"
        shapes |= {
            f"{layer}.attention.query.weight": (width, width),
            f"{layer}.attention.key_value.weight": (2 * width, width),
            f"{layer}.attention.output.weight": (width, width),
            f"{layer}.attention.bias": (settings["num_heads"], chunk_size),
            f"{layer}.expand.weight": (hidden, width),
            f"{layer}.expand.bias": (hidden,),
            f"{layer}.contract.weight": (width, hidden),
            f"{layer}.contract.bias": (width,),
        }
        if settings["norm"] != "none":
            norms += [f"{layer}.attention_norm.norm", f"{layer}.feed_forward_norm.norm"]
    return shapes | norm_shapes(norms, width)


def norm_shapes(names: Sequence[str], width: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights of layer norms."""
    return {f"{name}.{part}": (width,) for name in names for part in ("weight", "bias")}


def require_shapes(
    weights: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]
) -> None:
    """Refuse weights of other names or shapes.

    Raises:
        VerificationError: some differ.
    """
    shapes_given = {name: weight.shape for name, weight in weights.items()}
    if shapes_given != shapes:
        wrong = sorted({name for name, _ in shapes_given.items() ^ shapes.items()})
        raise VerificationError(
            f"the weights are not those of the settings: {', '.join(wrong[:3])} differ."
        )
