"""The program of a recurrence: its start and step, traced by `torch.export`.

`trace` runs both methods once on stand-ins for tensors, and writes each operation of torch as one
or more of those that the checker bounds (`proofs/check/program.py`). A step that decides something
by the numbers of a state in Python, draws at random, or uses another operation has no program.

What rests on no weight is computed here, and is a constant of the file.
"""

import logging
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, fx, nn
from torch._ops import OpOverload
from torch.export import export

from lengthwise.memory import lacks_memory
from lengthwise.models.stepped import leaves, rebuild
from lengthwise.models.stepping import Steps
from lengthwise.proofs.check.arrays import TYPES
from lengthwise.proofs.check.networks import CONSTANT


class _UntracedError(Exception):
    """A step that has no program; the message says why."""


@dataclass(frozen=True, slots=True)
class StepProgram:
    """A program, its arrays by name, and why there is none."""

    text: str
    arrays: dict[str, NDArray[Any]]
    reason: str = ""


class _Start(nn.Module):
    def __init__(self, steps: Steps, model: nn.Module) -> None:
        super().__init__()
        self.model, self._steps = model, steps

    def forward(self) -> tuple[Tensor, ...]:
        logits, state = self._steps.stepping.start()
        return (logits, *leaves(state))


class _Step(nn.Module):
    def __init__(self, steps: Steps, model: nn.Module) -> None:
        super().__init__()
        self.model, self._steps = model, steps

    def forward(self, symbols: Tensor, *parts: Tensor) -> tuple[Tensor, ...]:
        state = rebuild(self._steps.template, iter(parts))
        logits, after = self._steps.stepping.step(state, symbols)
        return (logits, *leaves(after))


def trace(steps: Steps, model: nn.Module) -> StepProgram:
    """Return the program of a recurrence, whose arrays are named as in the model's state
    dictionary.
    """
    arrays: dict[str, NDArray[Any]] = {
        name: weight.detach().cpu().numpy() for name, weight in model.state_dict().items()
    }
    try:
        first = [part.detach() for part in leaves(steps.template)]
        symbol = torch.zeros(1, dtype=torch.long, device=steps.device)
        lines = ["start", *_Writer(_Start(steps, model), (), arrays).lines]
        lines += ["step", *_Writer(_Step(steps, model), (symbol, *first), arrays).lines]
    except _UntracedError as error:
        return StepProgram("", {}, str(error))
    return StepProgram("\n".join(lines), arrays)


@dataclass(frozen=True, slots=True)
class _Raw:
    """An argument that is written as it stands."""

    text: str


class _Writer:
    """Writes the lines of one traced method."""

    def __init__(
        self, module: nn.Module, inputs: tuple[Tensor, ...], arrays: dict[str, NDArray[Any]]
    ) -> None:
        self.arrays = arrays
        self.lines: list[str] = []
        exported = _export(module, inputs)
        graph, signature = exported.graph, exported.graph_signature
        if signature.buffers_to_mutate or signature.user_inputs_to_mutate:
            raise _UntracedError("it changes tensors in place")
        self._refs: dict[fx.Node, str] = {}
        self._known: dict[fx.Node, Any] = {}
        self._place(exported)
        [output] = [node for node in graph.nodes if node.op == "output"]
        needed = _needed(output)
        for node in graph.nodes:
            if node.op == "call_function" and node in needed:
                self._visit(node)
        self.lines.append(f"return {' '.join(map(self.write, output.args[0]))}")

    def _place(self, exported: Any) -> None:
        """Name the inputs and the weights of a graph; other tensors are constants."""
        signature = exported.graph_signature
        weights = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
        others = {**weights, **signature.inputs_to_lifted_tensor_constants}
        names = iter(["%symbol", *(f"%state.{number}" for number in range(1_000))])
        for node in exported.graph.nodes:
            if node.op != "placeholder":
                continue
            name = weights.get(node.name, "").removeprefix("model.")
            if name in self.arrays:
                self._refs[node] = f"@{name}"
            elif node.name in others:
                self._known[node] = exported.constants[others[node.name]]
            else:
                self._refs[node] = next(names)

    def _visit(self, node: fx.Node) -> None:
        if all(each in self._known for each in node.all_input_nodes):
            values = fx.node.map_arg((node.args, node.kwargs), self._known.__getitem__)
            self._known[node] = node.target(*values[0], **values[1])  # type: ignore[operator]
            return
        name = name_of(node.target)
        write = WRITERS.get(name)
        if write is None:
            raise _UntracedError(f"it uses {name}")
        self._refs[node] = write(self, node)

    def write(self, value: Any) -> str:
        """Return an argument as it stands in a line."""
        if isinstance(value, _Raw):
            return value.text
        if isinstance(value, fx.Node):
            if value in self._refs:
                return self._refs[value]
            value = self._known[value]
        if isinstance(value, Tensor):
            return self._constant(value)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return f"[{','.join(str(int(each)) for each in value)}]"
        if isinstance(value, bool | int | float):
            return str(int(value)) if isinstance(value, bool) else repr(value)
        raise _UntracedError(f"{value!r:.40} stands in it")

    def _constant(self, value: Tensor) -> str:
        value = value.long() if value.dtype == torch.bool else value
        array = value.detach().cpu().contiguous().numpy()
        if array.dtype.name not in TYPES:
            raise _UntracedError(f"it has constants of {array.dtype.name}")
        constants = {name: a for name, a in self.arrays.items() if name.startswith(CONSTANT)}
        for name, known in constants.items():
            if known.dtype == array.dtype and np.array_equal(known, array):
                return f"@{name}"
        name = f"{CONSTANT}{len(constants)}"
        self.arrays[name] = array
        return f"@{name}"

    def emit(self, operation: str, *arguments: Any) -> str:
        """Write a line, and return the name of its value."""
        words = " ".join(map(self.write, arguments))
        self.lines.append(f"%{len(self.lines)} = {operation} {words}")
        return f"%{len(self.lines) - 1}"


def _export(module: nn.Module, inputs: tuple[Tensor, ...]) -> Any:
    """Trace a module into operations of torch that are not made of others."""
    with warnings.catch_warnings(), _quiet():
        warnings.simplefilter("ignore")
        try:
            return export(module, inputs, strict=False).run_decompositions()
        except Exception as error:
            if lacks_memory(error):
                raise
            raise _UntracedError("torch.export does not trace it") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep torch from logging what it does not trace."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _needed(output: fx.Node) -> set[fx.Node]:
    """Return the nodes that an output rests on."""
    found: set[fx.Node] = set()
    queue = [output]
    while queue:
        for node in queue.pop().all_input_nodes:
            if node not in found:
                found.add(node)
                queue.append(node)
    return found


def name_of(target: Any) -> str:
    """Return the name of an operation of torch without its namespace."""
    return str(target).removeprefix("aten.") if isinstance(target, OpOverload) else target.__name__


# ---- how operations are written ------------------------------------------------------------------

Write = Callable[[_Writer, fx.Node], str]


def _shape(node: Any) -> tuple[int, ...]:
    return tuple(node.meta["val"].shape)


def _same(operation: str, count: int = 1) -> Write:
    """Write an operation of the same arguments, and no others."""

    def write(writer: _Writer, node: fx.Node) -> str:
        if len(node.args) != count or node.kwargs:
            raise _UntracedError(f"{operation} has settings of its own")
        return writer.emit(operation, *node.args)

    return write


def _of_two(operation: str) -> Write:
    """Write x + a y, or its like."""

    def write(writer: _Writer, node: fx.Node) -> str:
        x, y = node.args[:2]
        rest = {name: value for name, value in node.kwargs.items() if name != "alpha"}
        if rest or len(node.args) > 2:
            raise _UntracedError(f"{operation} has settings of its own")
        if (alpha := node.kwargs.get("alpha", 1)) != 1:
            y = _Raw(writer.emit("mul", y, alpha))
        return writer.emit(operation, x, y)

    return write


def _view(writer: _Writer, node: fx.Node) -> str:
    return writer.emit("view", node.args[0], _shape(node))


def _alias(writer: _Writer, node: fx.Node) -> str:
    return writer.write(node.args[0])


def _copy(writer: _Writer, node: fx.Node) -> str:
    """Write a conversion, which may make numbers of choices, and nothing else."""
    before, after = (each.meta["val"].dtype for each in (node.args[0], node))
    if before == after or (before == torch.bool and after == torch.int64):
        return writer.write(node.args[0])
    if before.is_floating_point or not after.is_floating_point:
        raise _UntracedError(f"it makes {after} of {before}")
    return writer.emit("add", node.args[0], 0)


def _select(writer: _Writer, node: fx.Node) -> str:
    x, axis, place = node.args
    place, axis = place % _shape(x)[axis], axis % len(_shape(x))
    part = writer.emit("slice", x, axis, place, place + 1, 1)
    return writer.emit("view", _Raw(part), _shape(node))


def _slice(writer: _Writer, node: fx.Node) -> str:
    x, axis, first, end, step = (*node.args, *(0, 0, None, 1)[len(node.args) - 1 :])
    axis %= len(_shape(x))
    first, end, step = slice(first, end, step).indices(_shape(x)[axis])
    return writer.emit("slice", x, axis, first, end, step)


def _split(writer: _Writer, node: fx.Node) -> str:
    return ""


def _getitem(writer: _Writer, node: fx.Node) -> str:
    """Write a part of what an operation returns."""
    many, place = node.args
    name = name_of(many.target)
    if name == "split_with_sizes.default":
        x, sizes, axis = (*many.args, 0)[:3]
        first = sum(sizes[:place])
        return writer.emit("slice", x, axis % len(_shape(x)), first, first + sizes[place], 1)
    if place != 0 or name not in ("native_layer_norm.default", "native_group_norm.default"):
        raise _UntracedError(f"it uses part {place} of {name}")
    if name == "native_layer_norm.default":
        x, axes, weight, bias, epsilon = many.args
        width = math.prod(axes)
        flat = writer.emit("view", x, (*_shape(x)[: -len(axes)], width))
        if len(axes) > 1:
            raise _UntracedError("it uses a layer norm of several axes")
        weight, bias = 1 if weight is None else weight, 0 if bias is None else bias
        return writer.emit("layer_norm", _Raw(flat), weight, bias, epsilon)
    x, weight, bias, _, _, _, groups, epsilon = many.args
    weight, bias = 1 if weight is None else weight, 0 if bias is None else bias
    return writer.emit("group_norm", x, groups, weight, bias, epsilon)


def _permute(writer: _Writer, node: fx.Node) -> str:
    x, axes = node.args
    return writer.emit("permute", x, [axis % len(axes) for axis in axes])


def _cat(writer: _Writer, node: fx.Node) -> str:
    parts, axis = (*node.args, 0)[:2]
    return writer.emit("cat", axis % len(_shape(parts[0])), *parts)


def _pad(writer: _Writer, node: fx.Node) -> str:
    """Write a padding of the last axis with one number."""
    x, sizes, value = (*node.args, 0.0)[:3]
    if len(sizes) != 2 or min(sizes) < 0:
        raise _UntracedError("it pads several axes")
    parts = []
    for size in sizes:
        shape = (*_shape(x)[:-1], size)
        parts.append([torch.full(shape, value, dtype=x.meta["val"].dtype)] if size else [])
    return writer.emit("cat", len(_shape(x)) - 1, *parts[0], x, *parts[1])


def _pow(writer: _Writer, node: fx.Node) -> str:
    x, exponent = node.args
    if exponent in (1, 2, 3):
        found = writer.write(x)
        for _ in range(exponent - 1):
            found = writer.emit("mul", _Raw(found), x)
        return found
    return writer.emit("pow", x, float(exponent))


def _over(operation: str) -> Write:
    def write(writer: _Writer, node: fx.Node) -> str:
        x, axes, keep = (*node.args, *([], False)[len(node.args) - 1 :])
        rank = len(_shape(x))
        axes = [axes] if isinstance(axes, int) else (axes or range(rank))
        axes = [axis % rank for axis in axes]
        name = "sum" if operation == "mean" else operation
        found = writer.emit(name, x, axes, bool(keep))
        if operation == "mean":
            return writer.emit("div", _Raw(found), math.prod(_shape(x)[axis] for axis in axes))
        return found

    return write


def _argmax(writer: _Writer, node: fx.Node) -> str:
    x, axis, keep = (*node.args, *(None, False)[len(node.args) - 1 :])
    if axis is None:
        raise _UntracedError("it uses the largest of all numbers")
    return writer.emit("argmax", x, axis % len(_shape(x)), bool(keep))


def _elu(writer: _Writer, node: fx.Node) -> str:
    if node.kwargs or any(factor != 1 for factor in node.args[1:]):
        raise _UntracedError("it uses an elu with other factors")
    return writer.emit("elu", node.args[0])


def _clamp(writer: _Writer, node: fx.Node) -> str:
    x, least, most = (*node.args, *(None, None)[len(node.args) - 1 :])
    found = writer.write(x)
    for name, end in (("maximum", least), ("minimum", most)):
        if end is not None:
            found = writer.emit(name, _Raw(found), end)
    return found


def _softmax(writer: _Writer, node: fx.Node) -> str:
    x, axis, _ = node.args
    return writer.emit("softmax", x, axis % len(_shape(x)))


def _take(writer: _Writer, node: fx.Node) -> str:
    return writer.emit("take", *node.args[:2])


def _reciprocal(writer: _Writer, node: fx.Node) -> str:
    return writer.emit("div", 1, node.args[0])


WRITERS: dict[str, Write] = {
    **{
        f"{name}.{kind}": _of_two(name)
        for name in ("add", "sub", "mul", "div")
        for kind in ("Tensor", "Scalar")
    },
    **{
        f"{name}.default": _same(name)
        for name in (
            *("neg", "abs", "exp", "log1p", "tanh", "sigmoid", "relu", "gelu"),
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
    "split_with_sizes.default": _split,
    "native_layer_norm.default": _split,
    "native_group_norm.default": _split,
    "getitem": _getitem,
    "permute.default": _permute,
    "expand.default": lambda writer, node: writer.emit("expand", node.args[0], _shape(node)),
    "cat.default": _cat,
    "constant_pad_nd.default": _pad,
    "pow.Tensor_Scalar": _pow,
    "sum.dim_IntList": _over("sum"),
    "mean.dim": _over("mean"),
    "amax.default": _over("amax"),
    "argmax.default": _argmax,
    "elu.default": _elu,
    "clamp.default": _clamp,
    "_softmax.default": _softmax,
    "embedding.default": _take,
    "reciprocal.default": _reciprocal,
}
"""How operations of torch are written, by name."""
