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

It keeps the maps and the vectors, and no product. A second derivative is not defined. Each `scan`
returns $h$ at all positions and, apart, at the last one, from where the next stretch begins.

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
"""Linear maps at positions, as tensors of one kind of `StepMaps`."""


class StepMaps(ABC):
    """A kind of linear maps: how they act, and how two of them make one."""

    @staticmethod
    @abstractmethod
    def advance(maps: Map, vectors: Tensor, inputs: Tensor) -> Tensor:
        """Return the images of the vectors, plus the inputs."""

    @staticmethod
    @abstractmethod
    def join(later: Map, earlier: Map) -> Map:
        """Return the maps that act as `earlier`, then `later`."""


class DiagonalMaps(StepMaps):
    """A factor for each number: `(factors,)`."""

    @staticmethod
    def advance(maps: Map, vectors: Tensor, inputs: Tensor) -> Tensor:
        """Return the products of entries, plus the inputs."""
        return torch.addcmul(inputs, maps[0], vectors)

    @staticmethod
    def join(later: Map, earlier: Map) -> Map:
        """Return the products of factors."""
        return (later[0] * earlier[0],)


class DenseMaps(StepMaps):
    """A matrix: `(matrices,)`, with axes `to` and `from`."""

    @staticmethod
    def advance(maps: Map, vectors: Tensor, inputs: Tensor) -> Tensor:
        """Return the products with the matrices, plus the inputs."""
        return (maps[0] @ vectors[..., None])[..., 0] + inputs

    @staticmethod
    def join(later: Map, earlier: Map) -> Map:
        """Return the products of the matrices."""
        return (later[0] @ earlier[0],)


class RoutedMaps(StepMaps):
    """A matrix with one nonzero number in each column: `(factors, rows)`, both with axis `from`.

    Number i of a vector is multiplied by `factors[i]` and added to number `rows[i]`.
    """

    @staticmethod
    def advance(maps: Map, vectors: Tensor, inputs: Tensor) -> Tensor:
        """Return the sums of what comes to each number, plus the inputs."""
        factors, rows = maps
        return inputs.scatter_add(-1, rows, factors * vectors)

    @staticmethod
    def join(later: Map, earlier: Map) -> Map:
        """Return the product: a column of it is a column of `earlier`, moved by `later`."""
        (factors, rows), (first_factors, first_rows) = later, earlier
        return factors.gather(-1, first_rows) * first_factors, rows.gather(-1, first_rows)


class RoutedBack(StepMaps):
    """The transposes of `RoutedMaps`, from the same tensors."""

    @staticmethod
    def advance(maps: Map, vectors: Tensor, inputs: Tensor) -> Tensor:
        """Return for each number the one that it was added to, times its factor, plus the input."""
        factors, rows = maps
        return torch.addcmul(inputs, factors, vectors.gather(-1, rows))

    @staticmethod
    def join(later: Map, earlier: Map) -> Map:
        """Return the transpose of the product in the other order."""
        return RoutedMaps.join(earlier, later)


def run(
    kind: type[StepMaps],
    maps: Map,
    inputs: Tensor,
    start: Tensor,
    states: Tensor,
    *,
    backwards: bool = False,
) -> None:
    """Write $h$ at all positions into `states`; `backwards` begins with the last position.

    Args:
        kind: kind of the maps.
        maps: $A$ at each position.
        inputs: $b$ at each position.
        start: $h$ before the first position that is read.
        states: what is written, of the form of `inputs`.
    """
    length = len(inputs)
    spans = isqrt(length) if start.numel() < NUMBERS_AT_ONCE else 1
    size = length // max(spans, 1)
    whole = spans * size if spans > 1 else 0

    def at(parts: Map, index: int) -> Map:
        return tuple(part[index] for part in parts)

    def read(positions: range, state: Tensor) -> Tensor:
        for position in reversed(positions) if backwards else positions:
            state = kind.advance(at(maps, position), state, inputs[position])
            states[position] = state
        return state

    def read_spans(state: Tensor) -> Tensor:
        if not whole:
            return state
        span_maps, span_inputs, span_states = (
            [part[:whole].view(spans, size, *part.shape[1:]).transpose(0, 1) for part in parts]
            for parts in (maps, [inputs], [states])
        )
        first, *others = reversed(range(size)) if backwards else range(size)
        product, ends = at(tuple(span_maps), first), span_inputs[0][first]
        for index in others:
            here = at(tuple(span_maps), index)
            product = kind.join(here, product)
            ends = kind.advance(here, ends, span_inputs[0][index])
        begins = torch.empty_like(ends)
        for span in reversed(range(spans)) if backwards else range(spans):
            begins[span] = state
            state = kind.advance(at(product, span), state, ends[span])
        for index in (first, *others):
            begins = kind.advance(at(tuple(span_maps), index), begins, span_inputs[0][index])
            span_states[0][index] = begins
        return state

    rest = range(whole, length)
    if backwards:
        read_spans(read(rest, start))
    else:
        read(rest, read_spans(start))


def _forward(
    ctx: Any, kind: type[StepMaps], maps: Map, inputs: Tensor, start: Tensor
) -> tuple[Tensor, Tensor]:
    states = inputs.new_empty(len(inputs) + 1, *inputs.shape[1:])
    states[0] = start
    run(kind, maps, inputs, start, states[1:])
    ctx.save_for_backward(*maps, states)
    return states[1:], states[-1].clone()


def _gradients(
    kind: type[StepMaps], maps: Map, gradient: Tensor, of_last: Tensor
) -> tuple[Tensor, Tensor]:
    """Return lambda at all positions, and the gradient of the start."""
    adjoint = torch.empty_like(gradient, memory_format=torch.contiguous_format)
    adjoint[-1] = gradient[-1] + of_last
    later = tuple(part[1:] for part in maps)
    run(kind, later, gradient[:-1], adjoint[-1], adjoint[:-1], backwards=True)
    first = tuple(part[0] for part in maps)
    return adjoint, kind.advance(first, adjoint[0], torch.zeros_like(adjoint[0]))


class _DiagonalScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, factors: Tensor, inputs: Tensor, start: Tensor) -> tuple[Tensor, Tensor]:
        return _forward(ctx, DiagonalMaps, (factors,), inputs, start)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor, of_last: Tensor) -> tuple[Tensor, ...]:
        factors, states = ctx.saved_tensors
        adjoint, of_start = _gradients(DiagonalMaps, (factors,), gradient, of_last)
        return adjoint * states[:-1], adjoint, of_start


class _DenseScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrices: Tensor, inputs: Tensor, start: Tensor) -> tuple[Tensor, Tensor]:
        return _forward(ctx, DenseMaps, (matrices,), inputs, start)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor, of_last: Tensor) -> tuple[Tensor, ...]:
        matrices, states = ctx.saved_tensors
        adjoint, of_start = _gradients(DenseMaps, (matrices.mT,), gradient, of_last)
        return adjoint[..., None] * states[:-1, ..., None, :], adjoint, of_start


class _RoutedScan(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, routes: Tensor, factors: Tensor, inputs: Tensor, start: Tensor
    ) -> tuple[Tensor, Tensor]:
        return _forward(ctx, RoutedMaps, (factors, routes.argmax(dim=-1)), inputs, start)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor, of_last: Tensor) -> tuple[Tensor, ...]:
        factors, rows, states = ctx.saved_tensors
        before = states[:-1]
        adjoint, of_start = _gradients(RoutedBack, (factors.conj(), rows), gradient, of_last)
        # The real part of what came, times the conjugate of the adjoint.
        of_routes = torch.view_as_real(factors * before) @ torch.view_as_real(adjoint).mT
        return of_routes, adjoint.gather(-1, rows) * before.conj(), adjoint, of_start


Scanned: TypeAlias = tuple[Num[Tensor, "position *axes to"], Num[Tensor, "*axes to"]]
"""The vectors at all positions, and the last one."""


def scan_diagonal(
    factors: Float[Tensor, "position *axes to"],
    inputs: Float[Tensor, "position *axes to"],
    start: Float[Tensor, "*axes to"],
) -> Scanned:
    """Return $h$, where each number has a factor of its own."""
    return _DiagonalScan.apply(factors, inputs, start)  # type: ignore[no-untyped-call]


def scan_dense(
    matrices: Float[Tensor, "position *axes to from"],
    inputs: Float[Tensor, "position *axes to"],
    start: Float[Tensor, "*axes to"],
) -> Scanned:
    """Return $h$, where the maps are matrices."""
    return _DenseScan.apply(matrices, inputs, start)  # type: ignore[no-untyped-call]


def scan_routed(
    routes: Float[Tensor, "position *axes from to"],
    factors: Num[Tensor, "position *axes from"],
    inputs: Num[Tensor, "position *axes to"],
    start: Num[Tensor, "*axes to"],
) -> Scanned:
    r"""Return $h_t = P_t (d_t \odot h_{t-1}) + b_t$, of complex numbers.

    $P_t$ has one 1 in each column, in the row where the column's `routes` are greatest. The
    gradient of `routes` is that of $P_t$, as if it were a matrix of any numbers.
    """
    return _RoutedScan.apply(routes, factors, inputs, start)  # type: ignore[no-untyped-call]
