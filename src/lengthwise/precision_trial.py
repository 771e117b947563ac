"""Try one precision on one device: products, attention and norms, forward and backward.

`lengthwise.precision` runs this file as a separate program, because a precision that does not work
may kill the process. The program needs only torch, and nothing of lengthwise. Its last line on
standard output is a JSON object with `outcome` (`right`, `wrong`, `raised` or `out of reach`) and
`detail`; each line before it names what it `tries`.

Axes:
    rows, inner, columns  of a matrix product
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress

import torch
from torch import Tensor
from torch.nn import functional as F

Function = Callable[..., Tensor]
"""Maps some tensors to one, in whatever precision they have."""

SIZES = ((1, 1, 1), (3, 5, 2), (16, 16, 16), (7, 64, 33), (64, 128, 256), (129, 257, 65))
"""Rows, inner and columns of products: small ones that torch computes itself, and larger ones that
it passes to a library such as oneDNN, with sizes that are not multiples of its blocks."""

BATCH, HEADS, PLACES, WIDTH = 2, 2, 17, 16
"""Shape of the attention that is tried."""

UNITS_OF_HALF, UNITS = 8, 32
"""Units of the precision that a result may be off by, relative to the largest number in it.
Sums of half precision are taken in single precision, and rounded once; about 1 was measured in half
precision, and 6 in single."""

HALF = (torch.bfloat16, torch.float16)

_AUTOCAST = "a linear map under autocast"
"""The name of the last trial, which is for half precision only."""


class WrongError(Exception):
    """Raised if a result differs from that in double precision by more than rounding can."""


def try_precision(dtype: torch.dtype, device: torch.device) -> None:
    """Compute what lengthwise uses in a precision, and compare it with double precision.

    Raises:
        WrongError: a result differs.
        Exception: whatever torch raises, if it cannot compute something.
    """
    generator = torch.Generator().manual_seed(0)
    for name, function, shapes in functions():
        _tell_that(name)
        inputs = [torch.randn(*shape, generator=generator) for shape in shapes]
        _compare(name, function, [tensor.to(dtype) for tensor in inputs], device)
    if dtype in HALF:
        _tell_that(_AUTOCAST)
        _compare_autocast(dtype, device, generator)


def _tell_that(name: str) -> None:
    """Print the next trial, so that it is known if the process is killed."""
    print(json.dumps({"tries": name}), flush=True)


def functions() -> Iterator[tuple[str, Function, list[tuple[int, ...]]]]:
    """Yield each function that is tried, with its name and the shapes of its arguments."""
    for rows, inner, columns in SIZES:
        yield "a matrix product", torch.matmul, [(rows, inner), (inner, columns)]
        yield "a product of many matrices", torch.matmul, [(3, rows, inner), (3, inner, columns)]
        yield "a linear map", F.linear, [(rows, inner), (columns, inner), (columns,)]
        yield "a linear map", F.linear, [(2, rows, inner), (columns, inner), (columns,)]
        yield "a matrix times a vector", torch.mv, [(rows, inner), (inner,)]
    yield "an embedding", _embedding, [(11, WIDTH)]
    yield "softmax", _softmax, [(PLACES, PLACES)]
    yield "log_softmax", _log_softmax, [(PLACES, PLACES)]
    yield "layer_norm", _layer_norm, [(PLACES, WIDTH), (WIDTH,), (WIDTH,)]
    yield "relu", torch.relu, [(PLACES, WIDTH)]
    yield "gelu", F.gelu, [(PLACES, WIDTH)]
    yield "tanh", torch.tanh, [(PLACES, WIDTH)]
    yield "sigmoid", torch.sigmoid, [(PLACES, WIDTH)]
    vectors: list[tuple[int, ...]] = [(BATCH, HEADS, PLACES, WIDTH)] * 3
    yield "attention", F.scaled_dot_product_attention, vectors
    yield "causal attention", _causal, vectors
    yield "attention with a bias", F.scaled_dot_product_attention, [*vectors, (PLACES, PLACES)]


def _embedding(table: Tensor) -> Tensor:
    return F.embedding(torch.tensor([0, 3, 3, 10], device=table.device), table)


def _softmax(logits: Tensor) -> Tensor:
    return logits.softmax(dim=-1)


def _log_softmax(logits: Tensor) -> Tensor:
    return logits.log_softmax(dim=-1)


def _layer_norm(vectors: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return F.layer_norm(vectors, vectors.shape[-1:], weight, bias)


def _causal(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)


def _compare(name: str, function: Function, inputs: list[Tensor], device: torch.device) -> None:
    """Compare a function and its gradients on a device with those in double precision."""
    expected = _with_gradients(function, [tensor.double() for tensor in inputs])
    results = _with_gradients(function, [tensor.to(device) for tensor in inputs])
    places = [name, *[f"a gradient of {name}"] * len(inputs)]
    for place, result, other in zip(places, results, expected, strict=True):
        _require_near(place, result, other, inputs[0].dtype)


def _compare_autocast(dtype: torch.dtype, device: torch.device, generator: torch.Generator) -> None:
    """Compare a linear map under autocast, whose weights stay in single precision."""

    def under_autocast(*tensors: Tensor) -> Tensor:
        with torch.autocast(device.type, dtype=dtype):
            return F.linear(*tensors)

    inputs = [torch.randn(s, generator=generator) for s in ((64, 128), (32, 128), (32,))]
    expected = _with_gradients(F.linear, [tensor.double() for tensor in inputs])
    results = _with_gradients(under_autocast, [tensor.to(device) for tensor in inputs])
    for result, other in zip(results, expected, strict=True):
        _require_near(_AUTOCAST, result, other, dtype)


def _with_gradients(function: Function, inputs: list[Tensor]) -> list[Tensor]:
    """Return a result, and the gradient of half the sum of its squares by each input."""
    leaves = [tensor.detach().requires_grad_() for tensor in inputs]
    result = function(*leaves)
    return [result.detach(), *torch.autograd.grad(result, leaves, result.detach())]


def _require_near(name: str, result: Tensor, expected: Tensor, dtype: torch.dtype) -> None:
    """Refuse a result that is off by more than rounding, or holds a NaN."""
    error = float((result.cpu().double() - expected).abs().max())
    units = UNITS_OF_HALF if dtype in HALF else UNITS
    allowed = units * torch.finfo(dtype).eps * max(1.0, float(expected.abs().max()))
    if not error <= allowed:  # a NaN is no less and no more
        raise WrongError(f"{name} was off by {error:.3g}, where {allowed:.3g} is allowed")


def _forbid_core_files() -> None:
    """Prevent a core file in the user's folder when the trial is killed."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415  there is none on Windows

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(precision: str, device: str) -> None:
    """Try a precision, and print the result."""
    _forbid_core_files()
    outcome, detail = "right", ""
    try:
        torch.zeros(1, device=device).item()
    except Exception as error:  # such as an accelerator that serves one process at a time
        outcome, detail = "out of reach", _in_a_line(error)
    else:
        try:
            try_precision(getattr(torch, precision), torch.device(device))
        except WrongError as error:
            outcome, detail = "wrong", str(error)
        except Exception as error:
            outcome, detail = "raised", _in_a_line(error)
    print(json.dumps({"outcome": outcome, "detail": detail}), flush=True)


def _in_a_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


if __name__ == "__main__":
    main(*sys.argv[1:])
