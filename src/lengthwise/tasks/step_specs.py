"""Step tasks by name: `steps:addition`, `steps:circuit:FILE`, `steps:group:S5`, with settings."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from lengthwise.circuits.adders import adder, adder_circuit
from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.circuit_files import read_circuit
from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.circuits.multipliers import multiplier_circuit
from lengthwise.errors import ConfigError, LanguageError, TaskError, unknown_name
from lengthwise.languages.benchmark_languages import BENCHMARKS
from lengthwise.languages.named_languages import CATALOGUE
from lengthwise.languages.spec import parse
from lengthwise.settings import require_known
from lengthwise.tasks.step_tasks import CircuitSteps, StateSteps, StepTask

PREFIX = "steps:"

_MOST_SYMBOLS = 4096


def is_step_spec(spec: str) -> bool:
    """Return whether a specification names a step task, not a language."""
    return spec.startswith(PREFIX)


def settings_of(spec: str) -> dict[str, Any]:
    """Return the settings of the task that a specification names, with the defaults.

    Raises:
        ConfigError: it does not begin with `steps:`.
    """
    if not is_step_spec(spec):
        raise ConfigError(f"a step task is written like steps:addition, but got {spec!r}.")
    body = spec.removeprefix(PREFIX)
    if body in _CIRCUITS:
        return {"bits": _CIRCUITS[body].bits, "order": _CIRCUITS[body].order}
    return {"order": "gates"} if body.startswith(_FILE) else {"length": 16}


def make_step_task(spec: str, settings: Mapping[str, Any] | None = None) -> StepTask:
    """Make the step task of a specification.

    `steps:addition` and `steps:multiplication` have `bits`; their `order`, and that of
    `steps:circuit:FILE`, is a list of gates, or a name: for addition 1 and 2 (the paper's
    representations) or `carries`, otherwise `gates`, all in the order of the circuit. Any other is
    a language, of whose words with `length` symbols the states are written.

    Raises:
        ConfigError: a setting is unknown, or of another kind.
        CircuitError, LanguageError: the circuit, the order or the language is wrong.
    """
    if not isinstance(spec, str):
        raise ConfigError(f"a step task is a line, such as 'steps:addition', but got {spec!r:.40}.")
    known = settings_of(spec)
    require_known(settings or {}, known)
    values, body = {**known, **(settings or {})}, spec.removeprefix(PREFIX)
    if "length" in values:
        _require_number("length", values["length"], _MOST_SYMBOLS)
        _require_known(body)
        language = parse(body)
        name = f"the states of {body} after each of {values['length']} symbols"
        return StateSteps(name=name, language=language, length=values["length"])
    order = values["order"]
    if body.startswith(_FILE):
        return _in_order(body, read_circuit(body.removeprefix(_FILE)), order)
    circuits = _CIRCUITS[body]
    _require_number("bits", values["bits"], circuits.most_bits)
    return circuits.make(values["bits"], order)


def resize(task: StepTask, size: int) -> StepTask:
    """Return the same task for numbers of `size` bits, or words of `size` symbols.

    Raises:
        ConfigError: the size is not possible.
        TaskError: the circuit comes from a file, or its gates are in an order of the user's.
    """
    if isinstance(task, StateSteps):
        _require_number("length", size, _MOST_SYMBOLS)
        name = task.name.replace(f"of {task.length} symbols", f"of {size} symbols")
        return replace(task, length=size, name=name)
    bits = task.num_inputs // 2
    for body, circuits in _CIRCUITS.items():
        if task.name.startswith(f"{body} of {bits}-bit numbers"):
            for order in circuits.orders:
                if circuits.make(bits, order) == task:
                    _require_number("bits", size, circuits.most_bits)
                    return circuits.make(size, order)
    raise TaskError(
        f"{task.name:.80} has one size. Tests at others are for additions, multiplications and "
        f"languages, in an order that has a name."
    )


def _require_known(body: str) -> None:
    """Refuse what names neither a circuit nor a language: a single word, or another problem."""
    if re.match(r"(words|labels|steps|text|pairs):", body):
        raise LanguageError(
            f"steps:TASK is about a circuit or a language, and {body!r:.60} is neither. Leave "
            f"`steps:` out."
        )
    if re.fullmatch(r"[\w-]*", body) and not re.fullmatch(r"d-\d+", body):
        known = [*_CIRCUITS, "circuit:FILE", "LANGUAGE", *CATALOGUE, *BENCHMARKS]
        if body not in known:
            raise unknown_name("task of steps:TASK,", body, known, LanguageError)


def _addition(bits: int, order: Any) -> StepTask:
    name = f"addition of {bits}-bit numbers"
    if type(order) in (int, str) and str(order) in ("1", "2"):
        return _all_gates(f"{name}, representation {order}", adder(bits, int(order)))
    if order == "carries":
        places = range(1, bits + 1)
        carries = (*(f"c{i + 1}" for i in places), *(f"e{i}" for i in places))
        return CircuitSteps(f"{name}, carries", adder(bits, 2), carries)
    if isinstance(order, str | int | float):
        raise ConfigError(
            f"order={order!r} is not an order of addition. Use 1, 2, carries or a list."
        )
    return _in_order(name, adder_circuit(bits), order)


def _multiplication(bits: int, order: Any) -> StepTask:
    return _in_order(f"multiplication of {bits}-bit numbers", multiplier_circuit(bits), order)


def _all_gates(name: str, sequence: GateSequence) -> StepTask:
    return CircuitSteps(name, sequence, sequence.names[sequence.num_inputs :])


def _in_order(name: str, circuit: Circuit, order: Any) -> StepTask:
    sequence = circuit.sequence()
    if order == "gates":
        return _all_gates(name, sequence)
    if not isinstance(order, list | tuple) or not all(isinstance(gate, str) for gate in order):
        raise ConfigError(f"order={order!r} is neither gates nor a list of names of gates.")
    return CircuitSteps(f"{name}, written: {' '.join(order)}", sequence, tuple(order))


def _require_number(name: str, value: Any, most: int) -> None:
    if type(value) is not int or not 1 <= value <= most:
        raise ConfigError(f"{name}={value!r} must be an integer from 1 to {most}.")


_FILE = "circuit:"


class _Circuits(NamedTuple):
    """Circuits of a kind, one for each number of bits."""

    bits: int
    """By default."""
    most_bits: int
    order: Any
    """By default."""
    make: Callable[[int, Any], StepTask]
    orders: tuple[Any, ...]
    """Those that have a name."""


_CIRCUITS: Mapping[str, _Circuits] = {
    "addition": _Circuits(8, 256, 2, _addition, (1, 2, "carries")),
    "multiplication": _Circuits(3, 64, "gates", _multiplication, ("gates",)),
}
