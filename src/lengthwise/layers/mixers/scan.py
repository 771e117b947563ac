r"""Linear recurrences $h_t = A_t h_{t-1} + b_t$ over all positions, with gradients.

`scan` takes about $2 \sqrt T$ steps for T positions. It splits them into about $\sqrt T$ spans,
and reads all spans at once from zero, to get the product of each span's maps and its last vector.
A second loop over the spans gives the vector before each, and a third reads all spans again, from
there. Where one position has so many numbers that a step fills the processor, a plain loop is
quicker, as it reads all numbers once; `scan` then takes that.

The gradient is a recurrence of the same form in the other direction. With $g_t$ the gradient of
$h_t$ as an output,

$$\lambda_t = A_{t+1}^\top \lambda_{t+1} + g_t, \qquad
  \partial b_t = \lambda_t, \qquad \partial A_t = \lambda_t h_{t-1}^\top .$$

It keeps the maps and the vectors, and no product. A second derivative is not defined.

Axes:
    position  positions, the first axis of all tensors here
    axes      any axes, such as words and heads
    to        numbers of a vector after a map
    from      numbers of a vector before it
"""

from abc import ABC, abstractmethod
from math import isqrt
from typing import Any, TypeAlias

import torch
from jaxtyping import Float, Num
from torch import Tensor
from torch.autograd.function import once_differentiable

NUMBERS_AT_ONCE = 2**14
"""From so many numbers at a position on, a loop over positions is the quickest."""

Map: TypeAlias = tuple[Tensor, ...]
"""Linear maps at positions, as tensors of one kind of `Maps`."""


class Maps(ABC):
    """A kind of linear maps: how they act, and how two of them make one."""

    @staticmethod
    @abstractmethod
    def act(maps: Map, vectors: Tensor) -> Tensor:
        """Return the images of the vectors."""

    @staticmethod
    @abstractmethod
    def join(later: Map, earlier: Map) -> Map:
        """Return the maps that act as `earlier`, then `later`."""


class DiagonalMaps(Maps):
    """A factor for each number: `(factors,)`."""

    @staticmethod
    def act(maps: Map, vectors: Tensor) -> Tensor:
        """Return the products of entries."""
        return maps[0] * vectors

    @staticmethod
    def join(later: Map, earlier: Map) -> Map:
        """Return the products of factors."""
        return (later[0] * earlier[0],)


class DenseMaps(Maps):
    """A matrix: `(matrices,)`, with axes `to` and `from`."""

    @staticmethod
    def act(maps: Map, vectors: Tensor) -> Tensor:
        """Return the products with the matrices."""
        return (maps[0] @ vectors[..., None])[..., 0]

    @staticmethod
    def join(later: Map, earlier: Map) -> Map:
        """Return the products of the matrices."""
        return (later[0] @ earlier[0],)


class RoutedMaps(Maps):
    """A matrix with one nonzero number in each column: `(factors, rows)`, both with axis `from`.

    Number i of a vector is multiplied by `factors[i]` and added to number `rows[i]`.
    """

    @staticmethod
    def act(maps: Map, vectors: Tensor) -> Tensor:
        """Return the sums of what comes to each number."""
        factors, rows = maps
        moved = factors * vectors
        return torch.zeros_like(moved).scatter_add_(-1, rows.expand_as(moved), moved)

    @staticmethod
    def join(later: Map, earlier: Map) -> Map:
        """Return the product: a column of it is a column of `earlier`, moved by `later`."""
        (factors, rows), (first_factors, first_rows) = later, earlier
        return factors.gather(-1, first_rows) * first_factors, rows.gather(-1, first_rows)


class RoutedBack(Maps):
    """The transposes of `RoutedMaps`, from the same tensors."""

    @staticmethod
    def act(maps: Map, vectors: Tensor) -> Tensor:
        """Return for each number the one that it was added to, times its factor."""
        factors, rows = maps
        return factors * vectors.gather(-1, rows.expand_as(vectors))

    @staticmethod
    def join(later: Map, earlier: Map) -> Map:
        """Return the transpose of the product in the other order."""
        return RoutedMaps.join(earlier, later)


def run(
    kind: type[Maps], maps: Map, inputs: Tensor, start: Tensor, *, backwards: bool = False
) -> Tensor:
    """Return $h$ at all positions, without a gradient; `backwards` begins with the last position.

    Args:
        kind: kind of the maps.
        maps: $A$ at each position.
        inputs: $b$ at each position.
        start: $h$ before the first position that is read.
    """
    length = len(inputs)
    spans = isqrt(length) if start.numel() < NUMBERS_AT_ONCE else 1
    size = length // max(spans, 1)
    whole = spans * size if spans > 1 else 0
    states = torch.empty_like(inputs)

    def at(position: int) -> Map:
        return tuple(part[position] for part in maps)

    def read(positions: range, state: Tensor) -> Tensor:
        for position in reversed(positions) if backwards else positions:
            state = kind.act(at(position), state) + inputs[position]
            states[position] = state
        return state

    def read_spans(state: Tensor) -> Tensor:
        if not whole:
            return state
        span_maps = tuple(part[:whole].unflatten(0, (spans, size)) for part in maps)
        span_inputs = inputs[:whole].unflatten(0, (spans, size))
        span_states = states[:whole].unflatten(0, (spans, size))
        first, *others = reversed(range(size)) if backwards else range(size)
        product: Map = tuple(part[:, first] for part in span_maps)
        ends = span_inputs[:, first]
        for index in others:
            here = tuple(part[:, index] for part in span_maps)
            product = kind.join(here, product)
            ends = kind.act(here, ends) + span_inputs[:, index]
        begins = torch.empty_like(ends)
        for span in reversed(range(spans)) if backwards else range(spans):
            begins[span] = state
            state = kind.act(tuple(part[span] for part in product), state) + ends[span]
        for index in (first, *others):
            here = tuple(part[:, index] for part in span_maps)
            begins = kind.act(here, begins) + span_inputs[:, index]
            span_states[:, index] = begins
        return state

    rest = range(whole, length)
    if backwards:
        read_spans(read(rest, start))
    else:
        read(rest, read_spans(start))
    return states


def _before(states: Tensor, start: Tensor) -> Tensor:
    return torch.cat([start[None], states[:-1]])


def _gradients(
    kind: type[Maps], maps: Map, gradient: Tensor
) -> tuple[Tensor, Tensor]:
    """Return lambda at all positions, and the gradient of the start."""
    shifted = tuple(part[1:] for part in maps)
    earlier = run(kind, shifted, gradient[:-1], gradient[-1], backwards=True)
    adjoint = torch.cat([earlier, gradient[-1:]])
    return adjoint, kind.act(tuple(part[0] for part in maps), adjoint[0])


class _DiagonalScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, factors: Tensor, inputs: Tensor, start: Tensor) -> Tensor:
        states = run(DiagonalMaps, (factors,), inputs, start)
        ctx.save_for_backward(factors, states, start)
        return states

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        factors, states, start = ctx.saved_tensors
        adjoint, of_start = _gradients(DiagonalMaps, (factors,), gradient)
        return adjoint * _before(states, start), adjoint, of_start


class _DenseScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrices: Tensor, inputs: Tensor, start: Tensor) -> Tensor:
        states = run(DenseMaps, (matrices,), inputs, start)
        ctx.save_for_backward(matrices, states, start)
        return states

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        matrices, states, start = ctx.saved_tensors
        adjoint, of_start = _gradients(DenseMaps, (matrices.mT,), gradient)
        return adjoint[..., None] * _before(states, start)[..., None, :], adjoint, of_start


class _RoutedScan(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, routes: Tensor, factors: Tensor, inputs: Tensor, start: Tensor
    ) -> Tensor:
        rows = routes.argmax(dim=-2)
        states = run(RoutedMaps, (factors, rows), inputs, start)
        ctx.save_for_backward(rows, factors, states, start)
        return states

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        rows, factors, states, start = ctx.saved_tensors
        before = _before(states, start)
        adjoint, of_start = _gradients(RoutedBack, (factors.conj(), rows), gradient)
        came = (factors * before).conj()
        of_routes = adjoint[..., :, None] * came[..., None, :]
        of_factors = adjoint.gather(-1, rows) * before.conj()
        return of_routes.real, of_factors, adjoint, of_start


def scan_diagonal(
    factors: Float[Tensor, "position *axes"],
    inputs: Float[Tensor, "position *axes"],
    start: Float[Tensor, "*axes"],
) -> Float[Tensor, "position *axes"]:
    """Return $h$ at all positions, where each number has a factor of its own."""
    return _DiagonalScan.apply(factors, inputs, start)


def scan_dense(
    matrices: Float[Tensor, "position *axes to from"],
    inputs: Float[Tensor, "position *axes to"],
    start: Float[Tensor, "*axes to"],
) -> Float[Tensor, "position *axes to"]:
    """Return $h$ at all positions, where the maps are matrices."""
    return _DenseScan.apply(matrices, inputs, start)


def scan_routed(
    routes: Float[Tensor, "position *axes to from"],
    factors: Num[Tensor, "position *axes from"],
    inputs: Num[Tensor, "position *axes to"],
    start: Num[Tensor, "*axes to"],
) -> Num[Tensor, "position *axes to"]:
    r"""Return $h_t = P_t (d_t \odot h_{t-1}) + b_t$ at all positions, of complex numbers.

    $P_t$ has one 1 in each column, in the row where `routes` is greatest. The gradient of `routes`
    is that of $P_t$, as if it were a matrix of any numbers.
    """
    return _RoutedScan.apply(routes, factors, inputs, start)
