"""Gates: a kind, which is a truth table, and the names of the signals that it reads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.errors import CircuitError, unknown_name
from lengthwise.languages.validation import is_encodable, short

KINDS: Mapping[str, tuple[int, ...]] = {
    "NOR": (1, 0, 0, 0),
    "AND": (0, 0, 0, 1),
    "OR": (0, 1, 1, 1),
    "XOR": (0, 1, 1, 0),
    "NAND": (1, 1, 1, 0),
    "NOT": (1, 0),
    "CONST0": (0,),
    "CONST1": (1,),
}
"""Each kind of gate and its truth table: inputs a, b give entry 2a + b; one input a, entry a."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Gate:
    """A gate, which computes the signal of its name from the signals that it reads.

    Raises:
        CircuitError: the kind is not in `KINDS`, or takes another number of inputs.
    """

    name: str
    kind: str
    inputs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.name)
        check_kind(f"gate {self.name!r}", self.kind, self.inputs)
        for name in self.inputs:
            check_name(name)


class FreshNames:
    """Generator of unused signal names: `y.1`, `y.2`, ... for signals needed to compute `y`."""

    def __init__(self, used: Iterable[str]) -> None:
        self._used = set(used)
        self._last: dict[str, int] = {}

    def take(self, owner: str, wanted: str | None = None) -> str:
        """Return `wanted` if it is unused, otherwise the owner's name with the next free number."""
        name = wanted
        while name is None or name in self._used:
            self._last[owner] = self._last.get(owner, 0) + 1
            name = f"{owner}.{self._last[owner]}"
        self._used.add(name)
        return name


def gate_value(kind: str, bits: Iterable[int]) -> int:
    """Return the value of a gate for the values of its inputs, which are not checked.

    >>> gate_value("NOR", (0, 0)), gate_value("XOR", (1, 1)), gate_value("CONST1", ())
    (1, 0, 1)
    """
    index = 0
    for bit in bits:
        index = 2 * index + bit
    return KINDS[kind][index]


def check_kind(subject: str, kind: object, sources: object) -> None:
    """Refuse an unknown kind of gate, and one with a wrong number of inputs.

    Raises:
        CircuitError: with `subject`, such as "gate 'y'", in the message.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise unknown_name(f"kind of {subject}:", str(kind), KINDS, error=CircuitError)
    count = len(KINDS[kind]).bit_length() - 1
    if not isinstance(sources, tuple):
        raise CircuitError(f"the inputs of {subject} are a tuple, but they are {short(sources)}.")
    if len(sources) != count:
        raise CircuitError(
            f"{subject} is {kind}, which takes {count} input{'s' * (count != 1)}, but it has "
            f"{len(sources)}: {short(sources)}."
        )


def check_names(subject: str, names: object) -> None:
    """Refuse names that are not a tuple of distinct one-line strings.

    Raises:
        CircuitError: with `subject` in the message.
    """
    if not isinstance(names, tuple):
        raise CircuitError(f"{subject} are a tuple of strings, but they are {short(names)}.")
    seen: set[str] = set()
    for name in names:
        check_name(name)
        if name in seen:
            raise CircuitError(
                f"every signal has a name of its own, but {short(name)} appears twice. "
                f"Rename one of the two."
            )
        seen.add(name)


def check_name(name: object) -> None:
    """Refuse a signal name that is not a one-line text.

    Raises:
        CircuitError: with the name in the message.
    """
    if not isinstance(name, str) or name.splitlines() != [name] or not is_encodable(name):
        raise CircuitError(f"a signal's name is a string of one line, but one is {short(name)}.")


def check_bits(bits: Sequence[int], inputs: Sequence[str]) -> tuple[int, ...]:
    """Convert bits to Python integers, one for each input.

    Raises:
        CircuitError: there are too few or too many, or one is neither 0 nor 1.
    """
    if len(bits) != len(inputs):
        raise CircuitError(
            f"every input needs a bit, but there are {len(inputs)} inputs "
            f"({short(' '.join(inputs))}) and {len(bits)} bits."
        )
    for name, bit in zip(inputs, bits, strict=True):
        if not isinstance(bit, int | np.integer | np.bool_) or bit not in (0, 1):
            raise CircuitError(f"a bit is 0 or 1, but input {name!r} gets {short(bit)}.")
    return tuple(map(int, bits))
