"""Programs: the start and the step of a recurrence, in operations that the checker bounds.

A program is lines of ASCII. `start` and `step` begin its two parts; a line names the result of one
operation; `return` ends a part.

    start
    %0 = take @embedding.weight [2]
    return %3 %1
    step
    %0 = take @embedding.weight %symbol
    %1 = add %0 %state.0
    %2 = addmm @answer.bias %1 @map.0
    return %2 %1

The first thing that a part returns are logits, `[1, class]`, and the others the state, whose shapes
`start` gives. `%symbol` is `[1]`, and stands only in a step, as `%state.N` do. `@name`
is an array of the certificate. Integers, numbers and lists of integers stand for themselves. Arrays
are those of one word, and axes count from 0. docs/certificate.md has the operations.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Arithmetic, Floats
from lengthwise.proofs.check.networks import ARRAY_NAME
from lengthwise.proofs.check.numbers import Choices, Numbers, require_few_numbers
from lengthwise.proofs.check.operations import Operations
from lengthwise.proofs.check.schema import require

_LINE = re.compile(r"%(\d{1,6}) = ([a-z_0-9]+)((?: \S+)*)")
_TOKEN = re.compile(
    rf"(?P<value>%(?:symbol|state\.\d{{1,3}}|\d{{1,6}}))|@(?P<array>{ARRAY_NAME.pattern})"
    r"|(?P<list>\[(?:\d{1,9}(?:,\d{1,9})*)?\])|(?P<number>-?\d{1,30}(?:\.\d{1,30})?(?:e[-+]?\d{1,3})?)"
)
_MOST_LINES = 10_000

Value = Numbers | Choices
Token = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class _Operation:
    """One line: an operation and its arguments."""

    name: str
    arguments: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines, and what they return."""

    lines: tuple[_Operation, ...]
    returned: tuple[Token, ...]


class TracedProgram:
    """The start and the step of a recurrence.

    Args:
        text: lines, as above.
        arrays: arrays by name; those of floats are weights and other constants.
        arithmetic: that of the network.

    Raises:
        CertificateError: a line is not one of a program, or its parts do not fit together.
    """

    def __init__(
        self, text: str, arrays: Mapping[str, NDArray[Any]], arithmetic: Arithmetic
    ) -> None:
        lines = text.split("\n")
        require(len(lines) <= _MOST_LINES, f"a program has at most {_MOST_LINES:,} lines")
        require("step" in lines and lines[0] == "start", "a program has a start and a step")
        middle = lines.index("step")
        self._start, self._step = _read(lines[1:middle]), _read(lines[middle + 1 :])
        self._arrays = arrays
        self._operations = Operations(arithmetic)
        logits, *state = self._run(self._start, {})
        self.first = (logits, tuple(state))
        self.shapes = [part.centre.shape[1:] for part in state]
        require(all(shape[:1] == (1,) for shape in self.shapes), "a state is of one word")

    @property
    def width(self) -> int:
        """Numbers in a state."""
        return sum(map(prod, self.shapes))

    def step(self, states: Floats, symbols: Integers) -> tuple[Numbers, tuple[Numbers, ...]]:
        """Return logits and states after symbols `[lane]`, from states `[lane, width]`."""
        values: dict[str, Value] = {"%symbol": Choices.exact(symbols[:, None])}
        ends = np.cumsum([prod(shape) for shape in self.shapes])[:-1]
        for number, (part, shape) in enumerate(
            zip(np.split(states, ends, axis=1), self.shapes, strict=True)
        ):
            values[f"%state.{number}"] = Numbers.exact(part.reshape(-1, *shape))
        logits, *state = self._run(self._step, values)
        fits = [part.centre.shape[1:] for part in state] == self.shapes
        require(fits, "a step returns a state of the shapes of the first one")
        return logits, tuple(state)

    def _run(self, part: _Part, values: dict[str, Value]) -> list[Numbers]:
        for number, line in enumerate(part.lines):
            run = _OPERATIONS.get(line.name)
            require(run is not None, f"{line.name:.20} is an operation of programs")
            assert run is not None
            arguments = [self._argument(token, values) for token in line.arguments]
            try:
                values[f"%{number}"] = run(self._operations, *arguments)
            except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError):
                require(False, f"{line.name} takes the arguments in line {number} of its part")
        returned = [self._argument(token, values) for token in part.returned]
        found = [value for value in returned if isinstance(value, Numbers)]
        require(len(found) == len(returned) > 1, "a part returns logits and a state, of numbers")
        return found

    def _argument(self, token: Token, values: Mapping[str, Value]) -> Any:
        kind, content = token
        if kind == "value":
            require(content in values, f"{content} is known where it is used")
            return values[content]
        if kind == "array":
            require(content in self._arrays, f"the file has the array {content}")
            array = self._arrays[content][None]
            if array.dtype.kind == "f":
                return Numbers.exact(array.astype(np.float64))
            return Choices.exact(array)
        return content


def _read(lines: Sequence[str]) -> _Part:
    """Read the lines of one part."""
    require(bool(lines) and lines[-1].startswith("return "), "a part ends by what it returns")
    operations = []
    for number, line in enumerate(lines[:-1]):
        match = _LINE.fullmatch(line)
        require(match is not None, f"{line!a:.40} is a line of a program")
        assert match is not None
        require(int(match[1]) == number, "the lines of a part are numbered in their order")
        operations.append(_Operation(match[2], _tokens(match[3])))
    return _Part(tuple(operations), _tokens(lines[-1].removeprefix("return")))


def _tokens(text: str) -> tuple[Token, ...]:
    found: list[Token] = []
    for word in text.split():
        match = _TOKEN.fullmatch(word)
        require(match is not None, f"{word!a:.40} is an argument of an operation")
        assert match is not None
        assert match.lastgroup is not None
        kind, content = match.lastgroup, match[match.lastgroup]
        if kind == "list":
            found.append((kind, tuple(map(int, filter(None, content[1:-1].split(","))))))
        elif kind == "number":
            found.append(
                (kind, int(content) if re.fullmatch(r"-?\d+", content) else float(content))
            )
        else:
            found.append((kind, content))
    return tuple(found)


# ---- the operations ------------------------------------------------------------------------------


def _number(operations: Operations, value: Any) -> Numbers:
    """Return numbers: an array, choices, or a number, rounded to the network's type or not."""
    if isinstance(value, Numbers):
        return value
    if isinstance(value, Choices):
        return value.as_numbers(operations.arithmetic.unit)
    require(type(value) in (int, float), "an argument is an array or a number")
    centre, arithmetic = np.full(1, float(value)), operations.arithmetic
    size = np.abs(centre)
    return Numbers.bounded(centre, arithmetic.safe(size, 2 * arithmetic.unit * size))


def _choices(value: Any) -> Choices:
    if isinstance(value, tuple):
        return Choices.exact(np.array(value, dtype=np.int64)[None])
    require(isinstance(value, Choices), "an argument is of integers or booleans")
    chosen: Choices = value
    return chosen


def _align(*values: Any) -> list[Any]:
    """Give arrays as many axes as the one that has most, the new ones after that of lanes."""
    most = max(_array(value).ndim for value in values)
    return [
        value.move(lambda a: a.reshape(len(a), *(1,) * (most - a.ndim), *a.shape[1:]))
        for value in values
    ]


def _array(value: Value) -> NDArray[Any]:
    return value.centre if isinstance(value, Numbers) else value.values


def _binary(name: str) -> Callable[..., Value]:
    def run(operations: Operations, x: Any, y: Any) -> Value:
        both = _align(_number(operations, x), _number(operations, y))
        found: Value = getattr(operations, name)(*both)
        return found

    return run


def _unary(name: str) -> Callable[..., Value]:
    def run(operations: Operations, x: Any) -> Value:
        found: Value = getattr(operations, name)(_number(operations, x))
        return found

    return run


def _compare(kind: str) -> Callable[..., Value]:
    def run(operations: Operations, x: Any, y: Any) -> Value:
        if isinstance(x, Choices) and type(y) is int:
            y = Choices.exact(np.full(1, y))
        both = [v if isinstance(v, Choices) else _number(operations, v) for v in (x, y)]
        return operations.compare(kind, *_align(*both))

    return run


def _where(operations: Operations, choice: Any, x: Any, y: Any) -> Value:
    parts = (_choices(choice), _number(operations, x), _number(operations, y))
    return operations.where(*_align(*parts))


def _matmul(operations: Operations, x: Any, y: Any) -> Value:
    x, y = _align(_number(operations, x), _number(operations, y))
    return operations.matmul(x, y)


def _addmm(operations: Operations, bias: Any, x: Any, y: Any) -> Value:
    bias, x, y = _align(*(_number(operations, value) for value in (bias, x, y)))
    return operations.addmm(bias, x, y)


def _take(operations: Operations, table: Any, rows: Any) -> Value:
    return operations.take(_number(operations, table), _choices(rows))


def _over(name: str) -> Callable[..., Value]:
    def run(operations: Operations, x: Any, axes: Any, keep: Any) -> Value:
        x = _number(operations, x)
        inner = [_axis(x, axis) for axis in axes]
        require(len(set(inner)) == len(inner) > 0, "axes are distinct")
        found: Value = getattr(operations, name)(x, inner, bool(keep))
        return found

    return run


def _argmax(operations: Operations, x: Any, axis: Any, keep: Any) -> Value:
    x = _number(operations, x)
    return operations.argmax(x, _axis(x, axis), bool(keep))


def _softmax(operations: Operations, x: Any, axis: Any) -> Value:
    x = _number(operations, x)
    return operations.softmax(x, _axis(x, axis))


def _layer_norm(operations: Operations, x: Any, weight: Any, bias: Any, epsilon: Any) -> Value:
    x = _number(operations, x)
    require(x.centre.ndim > 1, "a norm is over an axis")
    width = (x.centre.shape[-1],)
    weight, bias = _known(weight, width), _known(bias, width)
    return operations.layer_norm(x, weight, bias, _epsilon(epsilon))


def _group_norm(operations: Operations, x: Any, groups: Any, *rest: Any) -> Value:
    x, (weight, bias, epsilon) = _number(operations, x), rest
    width = (x.centre.shape[2],)
    require(groups > 0 and width[0] % groups == 0, "groups have the same number of channels")
    weight, bias = _known(weight, width), _known(bias, width)
    return operations.group_norm(x, groups, weight, bias, _epsilon(epsilon))


def _epsilon(value: Any) -> float:
    """Return what a norm adds to a variance; with a negative one no bound would hold."""
    require(type(value) in (int, float) and 0 <= value <= 1, "ε of a norm is from 0 to 1")
    return float(value)


def _known(value: Any, shape: tuple[int, ...]) -> Floats:
    """Return an array that all words share and no rounding moves."""
    if type(value) is int and value in (0, 1):
        return np.full(shape, float(value))
    exact = isinstance(value, Numbers) and not value.radius.any() and len(value.centre) == 1
    require(exact and value.centre.shape[1:] == shape, "weights of a norm are arrays of the file")
    array: Floats = value.centre[0]
    return array


def _axis(x: Value, axis: Any) -> int:
    array = _array(x)
    require(type(axis) is int and 0 <= axis < array.ndim - 1, "an axis is one of the array")
    return int(axis) + 1


def _moving(x: Any, function: Callable[[NDArray[Any]], NDArray[Any]]) -> Value:
    require(isinstance(x, Numbers | Choices), "an argument is an array")
    value: Value = x
    return value.move(function)


def _view(operations: Operations, x: Any, shape: Any) -> Value:
    return _moving(x, lambda a: a.reshape(len(a), *shape))


def _permute(operations: Operations, x: Any, axes: Any) -> Value:
    return _moving(x, lambda a: a.transpose(0, *(axis + 1 for axis in axes)))


def _expand(operations: Operations, x: Any, shape: Any) -> Value:
    require_few_numbers((1, *shape))
    [x] = [_moving(x, lambda a: a.reshape(len(a), *(1,) * (len(shape) + 1 - a.ndim), *a.shape[1:]))]
    if isinstance(x, Numbers):
        return x.spread((len(x.centre), *shape))
    return _moving(x, lambda a: np.broadcast_to(a, (len(a), *shape)))


def _slice(operations: Operations, x: Any, axis: Any, *ends: Any) -> Value:
    counts = all(type(end) is int and end >= 0 for end in ends)
    require(len(ends) == 3 and counts and ends[2] > 0, "a slice has two ends and a step")
    key = (*(slice(None),) * _axis(x, axis), slice(*ends))
    return _moving(x, lambda a: a[key])


def _cat(operations: Operations, axis: Any, *parts: Any) -> Value:
    parts = tuple(_number(operations, part) for part in parts)
    lanes, along = max(len(part.centre) for part in parts), _axis(parts[0], axis)
    require_few_numbers((1, sum(part.centre[0].size for part in parts)))
    whole = [part.spread((lanes, *part.centre.shape[1:])) for part in parts]
    centre, radius = (
        np.concatenate([getattr(part, name) for part in whole], axis=along)
        for name in ("centre", "radius")
    )
    return Numbers(centre, radius, np.sqrt(sum(part.total**2 for part in whole)))


def _pow(operations: Operations, x: Any, exponent: Any) -> Value:
    return operations.pow(_number(operations, x), float(exponent))


_OPERATIONS: Mapping[str, Callable[..., Value]] = {
    **{name: _binary(name) for name in ("add", "sub", "mul", "div", "maximum", "minimum")},
    **{
        name: _unary(name)
        for name in (
            *("neg", "abs", "relu", "gelu", "tanh", "sigmoid", "exp", "log", "log1p", "elu"),
            *("sin", "cos", "sqrt", "rsqrt"),
        )
    },
    **{name: _compare(name) for name in ("eq", "ne", "gt", "ge", "lt", "le")},
    **{name: _over(name) for name in ("sum", "amax")},
    "where": _where,
    "matmul": _matmul,
    "addmm": _addmm,
    "take": _take,
    "argmax": _argmax,
    "softmax": _softmax,
    "layer_norm": _layer_norm,
    "group_norm": _group_norm,
    "pow": _pow,
    "view": _view,
    "permute": _permute,
    "expand": _expand,
    "slice": _slice,
    "cat": _cat,
}
"""The operations, by name; of an array, axes and shapes are those of one word."""
