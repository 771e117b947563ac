"""How operations of torch are written as those of programs.

Each entry of `WRITERS` takes a node of a traced graph, and emits one line or several.

Axes count from 0 in a line, and shapes are those of one word.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch._ops import OpOverload


class UntracedError(Exception):
    """A step that has no program; the message says why."""


@dataclass(frozen=True, slots=True)
class Raw:
    """An argument that is written as it stands."""

    text: str


class Writer(Protocol):
    """What writes lines."""

    def write(self, value: Any) -> str:
        """Return an argument as it stands in a line."""
        ...

    def emit(self, operation: str, *arguments: Any) -> str:
        """Write a line, and return the name of its value."""
        ...


Write = Callable[[Writer, Any], str]
"""Writes a node, and returns the name of its value."""


def operation_name(target: Any) -> str:
    """Return the name of an operation of torch without its namespace."""
    return str(target).removeprefix("aten.") if isinstance(target, OpOverload) else target.__name__


def _shape(node: Any) -> tuple[int, ...]:
    return tuple(node.meta["val"].shape)


def _padded(node: Any, *defaults: Any) -> tuple[Any, ...]:
    """Return the arguments of a node, the first and those that have defaults."""
    return (*node.args, *defaults[len(node.args) - 1 :])


def _same(operation: str, count: int = 1) -> Write:
    """Write an operation of the same arguments, and no others."""

    def write(writer: Writer, node: Any) -> str:
        if len(node.args) != count or node.kwargs:
            raise UntracedError(f"{operation} has settings of its own")
        return writer.emit(operation, *node.args)

    return write


def _of_two(operation: str) -> Write:
    """Write x + a y, or its like."""

    def write(writer: Writer, node: Any) -> str:
        x, y = node.args[:2]
        rest = {name: value for name, value in node.kwargs.items() if name != "alpha"}
        if rest or len(node.args) > 2:
            raise UntracedError(f"{operation} has settings of its own")
        if operation != "mul" and node.meta["val"].dtype == torch.bool:  # 1 + 1 is 1
            raise UntracedError(f"it uses {operation} of booleans")
        if (alpha := node.kwargs.get("alpha", 1)) != 1:
            y = Raw(writer.emit("mul", y, alpha))
        return writer.emit(operation, x, y)

    return write


def _view(writer: Writer, node: Any) -> str:
    return writer.emit("view", node.args[0], _shape(node))


def _alias(writer: Writer, node: Any) -> str:
    return writer.write(node.args[0])


def _copy(writer: Writer, node: Any) -> str:
    """Write a conversion, which may make numbers of choices, and nothing else."""
    before, after = (each.meta["val"].dtype for each in (node.args[0], node))
    if before == after or (before == torch.bool and after == torch.int64):
        return writer.write(node.args[0])
    if before.is_floating_point or not after.is_floating_point:
        raise UntracedError(f"it makes {after} of {before}")
    return writer.emit("add", node.args[0], 0)


def _select(writer: Writer, node: Any) -> str:
    x, axis, place = node.args
    place, axis = place % _shape(x)[axis], axis % len(_shape(x))
    part = writer.emit("slice", x, axis, place, place + 1, 1)
    return writer.emit("view", Raw(part), _shape(node))


def _slice(writer: Writer, node: Any) -> str:
    x, axis, first, end, step = _padded(node, 0, 0, None, 1)
    axis %= len(_shape(x))
    ends = slice(first, end, step).indices(_shape(x)[axis])
    return writer.emit("slice", x, axis, *ends)


def _in_parts(writer: Writer, node: Any) -> str:
    """Write nothing yet: each part is written where it is taken (`_getitem`)."""
    return ""


def _getitem(writer: Writer, node: Any) -> str:
    """Write a part of what an operation returns."""
    many, place = node.args
    name = operation_name(many.target)
    if name == "split_with_sizes.default":
        x, sizes, axis = (*many.args, 0)[:3]
        first = sum(sizes[:place])
        return writer.emit("slice", x, axis % len(_shape(x)), first, first + sizes[place], 1)
    if name in ("max.dim", "min.dim"):
        x, axis, keep = _padded(many, 0, False)
        axis %= len(_shape(x))
        if name == "min.dim":
            x = Raw(writer.emit("neg", x))
        if place == 1:
            return writer.emit("argmax", x, axis, bool(keep))
        found = writer.emit("amax", x, [axis], bool(keep))
        return found if name == "max.dim" else writer.emit("neg", Raw(found))
    if place != 0 or name not in ("native_layer_norm.default", "native_group_norm.default"):
        raise UntracedError(f"it uses part {place} of {name}")
    if name == "native_layer_norm.default":
        x, axes, weight, bias, epsilon = many.args
        weight, bias = 1 if weight is None else weight, 0 if bias is None else bias
        if len(axes) == 1:
            return writer.emit("layer_norm", x, weight, bias, epsilon)
        size = math.prod(axes)
        x, weight, bias = (
            each if isinstance(each, int) else Raw(writer.emit("view", each, shape))
            for each, shape in (
                (x, (*_shape(x)[: -len(axes)], size)),
                (weight, (size,)),
                (bias, (size,)),
            )
        )
        normed = Raw(writer.emit("layer_norm", x, weight, bias, epsilon))
        return writer.emit("view", normed, _shape(node))
    x, weight, bias, _, _, _, groups, epsilon = many.args
    weight, bias = 1 if weight is None else weight, 0 if bias is None else bias
    return writer.emit("group_norm", x, groups, weight, bias, epsilon)


def _permute(writer: Writer, node: Any) -> str:
    x, axes = node.args
    return writer.emit("permute", x, [axis % len(axes) for axis in axes])


def _cat(writer: Writer, node: Any) -> str:
    parts, axis = (*node.args, 0)[:2]
    return writer.emit("cat", axis % len(_shape(parts[0])), *parts)


def _pad(writer: Writer, node: Any) -> str:
    """Write a padding of the last axis with one number."""
    x, sizes, value = (*node.args, 0.0)[:3]
    if len(sizes) != 2 or min(sizes) < 0:
        raise UntracedError("it pads several axes")
    parts = []
    for size in sizes:
        shape = (*_shape(x)[:-1], size)
        parts.append([torch.full(shape, value, dtype=x.meta["val"].dtype)] if size else [])
    return writer.emit("cat", len(_shape(x)) - 1, *parts[0], x, *parts[1])


def _pow(writer: Writer, node: Any) -> str:
    x, exponent = node.args
    if exponent in (1, 2, 3):
        found = writer.write(x)
        for _ in range(int(exponent) - 1):
            found = writer.emit("mul", Raw(found), x)
        return found
    return writer.emit("pow", x, float(exponent))


def _over(operation: str) -> Write:
    def write(writer: Writer, node: Any) -> str:
        if node.kwargs:
            raise UntracedError(f"{operation} has settings of its own")
        x, axes, keep = _padded(node, [], False)
        rank = len(_shape(x))
        axes = [axes] if isinstance(axes, int) else (axes or range(rank))
        axes = [axis % rank for axis in axes]
        name = "sum" if operation == "mean" else operation
        found = writer.emit(name, x, axes, bool(keep))
        if operation == "mean":
            return writer.emit("div", Raw(found), math.prod(_shape(x)[axis] for axis in axes))
        return found

    return write


def _var(writer: Writer, node: Any) -> str:
    """Write a variance: the sum of squares of what is left of the mean, divided."""
    x, axes = _padded(node, None)
    rank, shape = len(_shape(x)), _shape(x)
    axes = [axis % rank for axis in (axes or range(rank))]
    count = math.prod(shape[axis] for axis in axes)
    correction = node.kwargs.get("correction", 1)
    free = count - (1 if correction is None else correction)
    if free <= 0:
        raise UntracedError("it uses a variance of one number")
    mean = Raw(writer.emit("div", Raw(writer.emit("sum", x, axes, True)), count))
    rest = Raw(writer.emit("sub", x, mean))
    squares = Raw(writer.emit("mul", rest, rest))
    keep = bool(node.kwargs.get("keepdim", False))
    return writer.emit("div", Raw(writer.emit("sum", squares, axes, keep)), free)


def _repeat(writer: Writer, node: Any) -> str:
    x, times = node.args
    shape = (*(1,) * (len(times) - len(_shape(x))), *_shape(x))
    found = writer.emit("view", x, shape)
    for axis, count in enumerate(times):
        if count > 1:
            found = writer.emit("cat", axis, *[Raw(found)] * count)
    return found


def _log_softmax(writer: Writer, node: Any) -> str:
    x, axis, _ = node.args
    axes = [axis % len(_shape(x))]
    rest = Raw(writer.emit("sub", x, Raw(writer.emit("amax", x, axes, True))))
    total = Raw(writer.emit("sum", Raw(writer.emit("exp", rest)), axes, True))
    return writer.emit("sub", rest, Raw(writer.emit("log", total)))


def _convolution(writer: Writer, node: Any) -> str:
    """Write a convolution of a window that is as wide as its kernel."""
    x, weight, bias, _, padding, _, is_transposed, _, groups = node.args
    if is_transposed or any(padding) or _shape(x)[2:] != _shape(weight)[2:]:
        raise UntracedError("it uses a convolution of more than one window")
    outputs, size = _shape(weight)[0], math.prod(_shape(weight)[1:])
    window = Raw(writer.emit("view", x, (groups, 1, size)))
    kernel = Raw(writer.emit("view", weight, (groups, outputs // groups, size)))
    found = writer.emit("sum", Raw(writer.emit("mul", window, kernel)), [2], False)
    found = writer.emit("view", Raw(found), (outputs,))
    if bias is not None:
        found = writer.emit("add", Raw(found), bias)
    return writer.emit("view", Raw(found), _shape(node))


def _amin(writer: Writer, node: Any) -> str:
    x, axes, keep = _padded(node, [], False)
    axes = [axis % len(_shape(x)) for axis in (axes or range(len(_shape(x))))]
    turned = Raw(writer.emit("neg", x))
    return writer.emit("neg", Raw(writer.emit("amax", turned, axes, bool(keep))))


def _leaky(writer: Writer, node: Any) -> str:
    x, slope = _padded(node, 0.01)
    if not 0 <= slope <= 1:
        raise UntracedError("it uses a leaky relu with another slope")
    return writer.emit("maximum", x, Raw(writer.emit("mul", x, slope)))


def _logical(operation: str) -> Write:
    """Write a combination of two choices: their sum or product is 0, or 1 or more."""

    def write(writer: Writer, node: Any) -> str:
        if any(each.meta["val"].dtype != torch.bool for each in node.args):
            raise UntracedError("it combines the bits of integers")
        return writer.emit("gt", Raw(writer.emit(operation, *node.args)), 0.5)

    return write


def _not(writer: Writer, node: Any) -> str:
    if node.args[0].meta["val"].dtype != torch.bool:
        raise UntracedError("it turns the bits of integers over")
    return writer.emit("eq", node.args[0], 0)


def _index(writer: Writer, node: Any) -> str:
    """Write rows of an array."""
    x, places = node.args
    if len(places) != 1 or places[0] is None or places[0].meta["val"].dtype != torch.int64:
        raise UntracedError("it reads an array at other places than rows")
    return writer.emit("take", x, places[0])


def _length(writer: Writer, node: Any) -> str:
    """Write the Euclidean norm over axes."""
    x, kind, axes, keep = _padded(node, 2, None, False)
    if kind != 2 or node.kwargs:
        raise UntracedError("it uses a norm other than the Euclidean one")
    rank = len(_shape(x))
    axes = [axis % rank for axis in (range(rank) if axes is None else axes)]
    squares = Raw(writer.emit("mul", x, x))
    return writer.emit("sqrt", Raw(writer.emit("sum", squares, axes, bool(keep))))


def _argmax(writer: Writer, node: Any) -> str:
    x, axis, keep = _padded(node, None, False)
    if axis is None:
        raise UntracedError("it uses the largest of all numbers")
    return writer.emit("argmax", x, axis % len(_shape(x)), bool(keep))


def _elu(writer: Writer, node: Any) -> str:
    if node.kwargs or any(factor != 1 for factor in node.args[1:]):
        raise UntracedError("it uses an elu with other factors")
    return writer.emit("elu", node.args[0])


def _hardtanh(writer: Writer, node: Any) -> str:
    return _between(writer, *_padded(node, -1.0, 1.0))


def _clamp(writer: Writer, node: Any) -> str:
    return _between(writer, *_padded(node, None, None))


def _between(writer: Writer, x: Any, least: Any, most: Any) -> str:
    found = writer.write(x)
    for name, end in (("maximum", least), ("minimum", most)):
        if end is not None:
            found = writer.emit(name, Raw(found), end)
    return found


def _softmax(writer: Writer, node: Any) -> str:
    x, axis, _ = node.args
    return writer.emit("softmax", x, axis % len(_shape(x)))


def _take(writer: Writer, node: Any) -> str:
    return writer.emit("take", *node.args[:2])


def _reciprocal(writer: Writer, node: Any) -> str:
    return writer.emit("div", 1, node.args[0])


_OF_CHOICES = (("logical", "default"), ("bitwise", "Tensor"))

WRITERS: dict[str, Write] = {
    **{
        f"{name}.{kind}": _of_two(name)
        for name in ("add", "sub", "mul", "div")
        for kind in ("Tensor", "Scalar")
    },
    **{
        f"{name}.default": _same(name)
        for name in (
            *("neg", "abs", "exp", "log", "log1p", "tanh", "sigmoid", "relu", "gelu"),
            *("sin", "cos", "sqrt", "rsqrt"),
        )
    },
    **{f"{name}.default": _same(name, 2) for name in ("maximum", "minimum")},
    **{
        f"{name}.{kind}": _same(name, 2)
        for name in ("eq", "ne", "gt", "ge", "lt", "le")
        for kind in ("Tensor", "Scalar")
    },
    **dict.fromkeys(("alias.default", "clone.default", "detach.default"), _alias),
    **dict.fromkeys(
        (
            *("view.default", "_unsafe_view.default", "unsqueeze.default"),
            *("squeeze.dims", "squeeze.dim", "squeeze.default"),
        ),
        _view,
    ),
    **{name: _same("matmul", 2) for name in ("mm.default", "bmm.default")},
    "addmm.default": _same("addmm", 3),
    "where.self": _same("where", 3),
    "_to_copy.default": _copy,
    "select.int": _select,
    "slice.Tensor": _slice,
    "split_with_sizes.default": _in_parts,
    "native_layer_norm.default": _in_parts,
    "native_group_norm.default": _in_parts,
    "getitem": _getitem,
    "permute.default": _permute,
    "expand.default": lambda writer, node: writer.emit("expand", node.args[0], _shape(node)),
    "cat.default": _cat,
    "constant_pad_nd.default": _pad,
    "pow.Tensor_Scalar": _pow,
    "sum.dim_IntList": _over("sum"),
    "mean.dim": _over("mean"),
    "linalg_vector_norm.default": _length,
    "amin.default": _amin,
    **dict.fromkeys(("max.dim", "min.dim"), _in_parts),
    "var.correction": _var,
    "repeat.default": _repeat,
    "convolution.default": _convolution,
    "leaky_relu.default": _leaky,
    **dict.fromkeys(("logical_not.default", "bitwise_not.default"), _not),
    **{f"{kind}_and.{form}": _logical("mul") for kind, form in _OF_CHOICES},
    **{f"{kind}_or.{form}": _logical("add") for kind, form in _OF_CHOICES},
    "index.Tensor": _index,
    "amax.default": _over("amax"),
    "argmax.default": _argmax,
    "elu.default": _elu,
    "clamp.default": _clamp,
    "hardtanh.default": _hardtanh,
    "_softmax.default": _softmax,
    "_log_softmax.default": _log_softmax,
    "embedding.default": _take,
    "reciprocal.default": _reciprocal,
}
"""How operations of torch are written, by name."""
