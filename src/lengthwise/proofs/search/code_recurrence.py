"""Recurrences whose elements are codes of bits or tokens, numbered as they occur.

A network whose state is discrete implements `Coded`, and `CodeRecurrence` makes a `Recurrence` of
it, which `explore` decides about. One that also bounds its numbers implements `BoundedCoded`;
`TrackedCodes` then says whether rounding could change anything that was computed.

Axes:
    prefix  beginnings of words
    place   bits or tokens of a code
    class   classes
"""

from typing import Any, Protocol

import numpy as np

from lengthwise.errors import VerificationError
from lengthwise.models.custom_network import Adapted
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.bounded import BoundedCoded, Codes, Decided, require_real
from lengthwise.proofs.search.binary_algebra import MarginTracker

_BATCH = 2048


class Coded(Protocol):
    """A network that reads words from left to right and keeps a code alone between symbols.

    It is given codes as it returned them: bits, or integers.
    """

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        ...

    def start(self) -> Codes:
        """Return the code `[place]` of the empty word: bits, or integers."""
        ...

    def step(self, codes: Any, symbols: Integers) -> Codes:
        """Return the codes `[prefix, place]` after symbols `[prefix]`, from those before them."""
        ...

    def classes(self, codes: Any) -> Integers:
        """Return the class `[prefix]` of the words that led to codes `[prefix, place]`."""
        ...


class CodeRecurrence:
    """The `Recurrence` of a network with codes: a number for each code, as it is met first.

    A network that `adapt` has wrapped counts as what it wraps.

    Examples:
        >>> import lengthwise as lw
        >>> import numpy as np
        >>> class Ones:
        ...     num_symbols = 2
        ...     def start(self):
        ...         return np.array([0])  # the number of ones modulo 2
        ...     def step(self, codes, symbols):
        ...         return codes ^ symbols[:, None]
        ...     def classes(self, codes):
        ...         return codes[:, 0]
        >>> lw.interpret.decide(lw.interpret.CodeRecurrence(Ones()), "parity").is_closed
        True

    Raises:
        VerificationError: the network lacks what `Coded` names, or a method returns something else
            than that says, such as numbers that are not whole, or as many bits as the code of the
            empty word does not have.
    """

    def __init__(self, coded: Coded | Adapted) -> None:
        self._coded: Any = coded.module if isinstance(coded, Adapted) else coded
        _require_coded(self._coded)
        self._number: dict[bytes, int] = {}
        self._packed: list[bytes] = []
        self._taken: list[Integers] = []
        self._are_bits = True
        self._num_places = 0

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        return self._coded.num_symbols

    @property
    def owner(self) -> object:
        """The network whose methods are called, within its bounds."""
        return self._coded.bounded if isinstance(self._coded, TrackedCodes) else self._coded

    @property
    def packed(self) -> list[bytes]:
        """The codes that were met, in the order of their numbers: eight bits to a byte, or eight
        bytes to a token."""
        return self._packed

    def start(self) -> int:
        """Return the number of the code of the empty word."""
        code = self._check_returned("start", self._coded.start(), (None,))
        self._are_bits = code.dtype == np.bool_
        self._num_places = len(code)
        return int(self._number_codes(code[None])[0])

    def step(self, elements: Integers, symbols: Integers) -> Integers:
        """Return the numbers of the codes after `symbols`, from the `elements` before them."""
        parts = [np.empty(0, dtype=np.int64)]
        for first in range(0, len(elements), _BATCH):
            part = slice(first, first + _BATCH)
            codes = self._coded.step(self.codes(elements[part]), symbols[part].copy())
            shape = (len(elements[part]), self._num_places)
            parts.append(self._number_codes(self._check_returned("step", codes, shape)))
        self._taken.append(elements * self.num_symbols + symbols)
        return np.concatenate(parts)

    def sample_steps(self, most: int) -> tuple[Integers, Integers]:
        """Return the codes and symbols of `most` steps that were taken, at most, evenly spaced."""
        steps = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *self._taken]))
        steps = steps[:: max(1, -(-len(steps) // most))]
        return steps // self.num_symbols, steps % self.num_symbols

    def read(self, level: int, elements: Integers) -> Integers:
        """Return the classes of the words that led to `elements`; `level` decides nothing."""
        parts = [np.empty(0, dtype=np.int64)]
        for first in range(0, len(elements), _BATCH):
            codes = self.codes(elements[first : first + _BATCH])
            classes = self._check_returned("classes", self._coded.classes(codes), (len(codes),))
            parts.append(classes.astype(np.int64))
        return np.concatenate(parts)

    def codes(self, elements: Integers) -> Codes:
        """Return the codes `[element, place]` of the numbers `elements`."""
        packed = b"".join(self._packed[element] for element in elements.tolist())
        if not self._are_bits:
            tokens = np.frombuffer(packed, dtype=np.int64).copy()  # a network may change them
            return tokens.reshape(len(elements), self._num_places)
        rows = np.frombuffer(packed, dtype=np.uint8).reshape(
            len(elements), -(-self._num_places // 8)
        )
        return np.unpackbits(rows, axis=1, count=self._num_places).astype(np.bool_)

    def _check_returned(
        self, method: str, returned: object, shape: tuple[int | None, ...]
    ) -> Codes:
        """Return what a method of the network returned, if it is an array of this shape; None
        stands for any length."""
        kind = "bits or integers"
        if method == "step":
            kind = "bits" if self._are_bits else "integers"
        description = f"a {type(returned).__name__}"
        if isinstance(returned, np.ndarray):
            description = f"one of {returned.dtype} {list(returned.shape)}"
            is_kind = method != "step" or (returned.dtype == np.bool_) == self._are_bits
            has_shape = len(returned.shape) == len(shape) and all(
                expected in (size, None)
                for size, expected in zip(returned.shape, shape, strict=True)
            )
            if is_kind and has_shape and np.can_cast(returned.dtype, np.int64):
                return returned
        remedy = (
            " Wrap the network in lengthwise.proofs.search.code_recurrence.TrackedCodes."
            if isinstance(returned, Decided)
            else ""
        )
        axes = ", ".join("place" if n is None else str(n) for n in shape)
        name = type(self.owner).__name__
        raise VerificationError(
            f"{name}.{method} has to return an array of {kind} [{axes}], but it returned "
            f"{description}.{remedy}"
        )

    def _number_codes(self, codes: Codes) -> Integers:
        numbers = np.empty(len(codes), dtype=np.int64)
        packed = np.packbits(codes, axis=1) if self._are_bits else np.asarray(codes, dtype=np.int64)
        for row, code in enumerate(packed):
            key = code.tobytes()
            numbers[row] = self._number.setdefault(key, len(self._number))
            if numbers[row] == len(self._packed):
                self._packed.append(key)
        return numbers


def _require_coded(network: object) -> None:
    """Refuse a network that lacks the number of symbols or a method."""
    if network is None or isinstance(network, type):
        raise VerificationError(
            f"a network with codes is an object with num_symbols, start, step and classes, but got "
            f"{network!r:.60}. Make one, and give it."
        )
    name, number = type(network).__name__, getattr(network, "num_symbols", None)
    is_whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if number is None or not is_whole or number < 1:
        description = "it has none" if number is None else f"it is {number!r:.20}"
        raise VerificationError(
            f"{name}.num_symbols has to be an integer of 1 or more, but {description}. Set it to "
            f"the number of symbols."
        )
    lacking = [name for name in ("start", "step", "classes") if not hasattr(network, name)]
    if lacking:
        raise VerificationError(
            f"a network with codes has the methods start, step and classes, but {name} has no "
            f"{' and no '.join(lacking)}. Write what is missing."
        )


class TrackedCodes:
    """The codes of a network with bounds, and how certain they are.

    Distances and radii are believed as the network gives them: nothing checks that they are true,
    or that there is one for every number that a value was read off.

    Raises:
        VerificationError: a method returns something else than a `Decided` with as many radii as
            distances, and without negative radii.
    """

    def __init__(self, bounded: BoundedCoded) -> None:
        _require_coded(bounded)
        self.bounded = bounded
        self._has_begun = False
        self.signs, self.answers = MarginTracker(), MarginTracker()

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        return self.bounded.num_symbols

    @property
    def is_certain(self) -> bool:
        """True if no rounding could have changed a code or an answer that was computed."""
        return self._has_begun and self.signs.room > 0 and self.answers.room > 0

    def start(self) -> Codes:
        """Return the code of the empty word."""
        self._has_begun = True
        return self._record("start", self.bounded.start(), self.signs)[0]

    def step(self, codes: Codes, symbols: Integers) -> Codes:
        """Return the codes after symbols."""
        return self._record("step", self.bounded.step(codes, symbols), self.signs)

    def classes(self, codes: Codes) -> Integers:
        """Return the classes with the largest logits."""
        return self._record("classes", self.bounded.classes(codes), self.answers)

    def _record(self, method: str, decided: object, tracker: MarginTracker) -> Any:
        """Return values that were decided, and include how certain they are."""
        if not isinstance(decided, Decided):
            description = f"it returned a {type(decided).__name__}"
        elif np.shape(decided.distance) != np.shape(decided.radius):
            description = (
                f"there are {np.size(decided.distance)} distances, {np.size(decided.radius)} radii"
            )
        elif np.any(np.real(decided.radius) < 0):
            description = f"a radius is {np.min(decided.radius):.3g}"
        else:
            distance, radius = np.asarray(decided.distance), np.asarray(decided.radius)
            require_real(distance, radius)
            tracker.see(distance, radius)
            return decided.values
        raise VerificationError(
            f"{type(self.bounded).__name__}.{method} has to return a Decided with a radius of 0 "
            f"or more for each distance, but {description}."
        )
