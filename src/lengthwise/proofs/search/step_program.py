"""The program of a recurrence: its start and step, traced by `torch.export`.

`trace` runs both methods once on stand-ins for tensors, and writes each operation of torch as one
or more of those that the checker bounds (`proofs/check/program.py`). A step that decides something
by the numbers of a state in Python, draws at random, or uses another operation has no program.

What rests on no weight is computed here, and is a constant of the file.
"""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, fx, nn

from lengthwise.errors import in_a_line
from lengthwise.memory import lacks_memory
from lengthwise.models.stepped import leaves, rebuild
from lengthwise.models.stepping import Steps
from lengthwise.proofs.check.arrays import TYPES
from lengthwise.proofs.check.networks import ARRAY_NAME, CONSTANT
from lengthwise.proofs.search.network import weights_of
from lengthwise.proofs.search.operation_lines import WRITERS, Raw, UntracedError, operation_name

_FLOATS = (torch.float32, torch.float64)


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
    try:
        arrays = _weights_of(model)
        first = [part.detach() for part in leaves(steps.template)]
        if others := [part.dtype for part in first if part.dtype not in _FLOATS]:
            raise UntracedError(f"its state has {others[0]}")
        symbol = torch.zeros(1, dtype=torch.long, device=steps.device)
        lines = ["start", *_start_of(steps, model, arrays)]
        lines += ["step", *_Writer(_Step(steps, model), (symbol, *first), arrays).lines]
    except UntracedError as error:
        return StepProgram("", {}, str(error))
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        if lacks_memory(error):
            raise
        return StepProgram("", {}, f"it has an unusual form ({in_a_line(error)})")
    return StepProgram("\n".join(lines), arrays)


def _start_of(steps: Steps, model: nn.Module, arrays: dict[str, NDArray[Any]]) -> list[str]:
    """Return the lines of the start; constants, where it is not traced."""
    try:
        return _Writer(_Start(steps, model), (), arrays).lines
    except UntracedError:
        with torch.no_grad():
            logits, state = steps.stepping.start()
        names = [f"{CONSTANT}{number}" for number in range(1 + len(list(leaves(state))))]
        if logits.dtype not in _FLOATS:
            raise UntracedError(f"its logits are of {logits.dtype}") from None
        for name, part in zip(names, (logits, *leaves(state)), strict=True):
            arrays[name] = part.detach().cpu().numpy()
        return [f"return @{' @'.join(names)}"]


class _Writer:
    """Writes the lines of one traced method."""

    def __init__(
        self, module: nn.Module, inputs: tuple[Tensor, ...], arrays: dict[str, NDArray[Any]]
    ) -> None:
        self.arrays = arrays
        self.lines: list[str] = []
        types = {array.dtype.name for array in arrays.values() if array.dtype.kind == "f"}
        self._dtype = getattr(torch, types.pop()) if len(types) == 1 else None
        exported = _export(module, inputs)
        graph, signature = exported.graph, exported.graph_signature
        if signature.buffers_to_mutate or signature.user_inputs_to_mutate:
            raise UntracedError("it changes tensors in place")
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
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            raise UntracedError("it draws at random")
        if all(each in self._known for each in node.all_input_nodes):
            values = fx.node.map_arg((node.args, node.kwargs), self._known.__getitem__)
            self._known[node] = node.target(*values[0], **values[1])  # type: ignore[operator]
            return
        made = node.meta["val"]
        for value in made if isinstance(made, tuple | list) else (made,):
            if (value.is_floating_point() or value.is_complex()) and value.dtype != self._dtype:
                raise UntracedError(f"it computes in {value.dtype}")
        name = operation_name(node.target)
        write = WRITERS.get(name)
        if write is None:
            raise UntracedError(f"it uses {name}")
        self._refs[node] = write(self, node)

    def write(self, value: Any) -> str:
        """Return an argument as it stands in a line."""
        if isinstance(value, Raw):
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
        raise UntracedError(f"{value!r:.40} stands in it")

    def _constant(self, value: Tensor) -> str:
        value = value.long() if value.dtype == torch.bool else value
        array = value.detach().cpu().contiguous().numpy()
        if array.dtype.name not in TYPES:
            raise UntracedError(f"it has constants of {array.dtype.name}")
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


def _weights_of(model: nn.Module) -> dict[str, NDArray[Any]]:
    """Return the arrays of a state dictionary."""
    weights = weights_of(model)
    for name, weight in model.state_dict().items():
        if str(weight.dtype).removeprefix("torch.") not in TYPES:
            raise UntracedError(f"{name} is of {weight.dtype}")
        if not ARRAY_NAME.fullmatch(name):
            raise UntracedError(
                f"{name!a:.40} is the name of a weight, with other than A-Za-z0-9_."
            )
    return weights


def _export(module: nn.Module, inputs: tuple[Tensor, ...]) -> Any:
    """Trace a module into operations of torch that are not made of others."""
    from torch.export import export  # noqa: PLC0415  it imports a compiler, for seconds

    with warnings.catch_warnings(), _quiet():
        warnings.simplefilter("ignore")
        try:
            return export(module, inputs, strict=False).run_decompositions()
        except Exception as error:
            if lacks_memory(error):
                raise
            raise UntracedError("torch.export does not trace it") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep torch from logging what it does not trace."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            yield
    finally:
        logging.disable(before)


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
