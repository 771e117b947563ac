"""The kinds of networks that certificates are about, and the rules of their settings.

The names and the limits are those of docs/certificate.md. The settings of `models` are declared
there a second time, and a test compares the two.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lengthwise.errors import CertificateError
from lengthwise.proofs.check.schema import require

Kind = Literal[
    "RegularGPT",
    "RationalGPT",
    "BinaryRecurrent",
    "Recurrent",
    "WindowScratchpad",
    "StateSlots",
    "Program",
    "Table",
]
"""A kind of network, by the name of the class that runs it; of the last two that is code of others.
"""

CONSTANT = "."
"""Begin of the names of arrays that are numbers of a program; no weight of a network has such a
name.
"""

ARRAY_NAME = re.compile(r"[0-9A-Za-z_.]{1,200}")
"""Names of arrays that a program may use."""

OF_CODE = ("Program", "Table")
"""Kinds of networks whose own code alone says what they are; the file names their class."""

MAX_POSITIONS = 32
"""Largest number of positions of a chunk, and of tokens that an answer depends on."""

_MOST_LAYERS = 2**12
_MOST_BITS_OF_SLOT = 12
_MOST_STATES = 2**24
_MOST_CHARACTERS = 2**20


@dataclass(frozen=True, slots=True)
class _Integer:
    """An integer within limits."""

    least: int
    most: int = 2**62

    def fault(self, value: object) -> str:
        """Return what is wrong with a value; nothing if it is allowed."""
        if type(value) is not int:
            return "is not an integer"
        if value < self.least:
            return f"is too small: {self.least} is the least"
        return "" if value <= self.most else f"is too large: {self.most} is the most"


@dataclass(frozen=True, slots=True)
class _Float:
    """A float that is 0 or more, and below a bound."""

    below: float = math.inf

    def fault(self, value: object) -> str:
        """Return what is wrong with a value; nothing if it is allowed."""
        if type(value) is not float:
            return "is not written as a float"
        return "" if 0 <= value < self.below else f"is not from 0 to {self.below}"


@dataclass(frozen=True, slots=True)
class _Scale:
    """A positive number, or None for the root of the width."""

    def fault(self, value: object) -> str:
        """Return what is wrong with a value; nothing if it is allowed."""
        if type(value) is int and 0 < value <= 2**62:
            return ""
        if value is None or (type(value) is float and 0 < value < math.inf):
            return ""
        return "is not a scale"


@dataclass(frozen=True, slots=True)
class _Name:
    """One of some names."""

    names: tuple[str, ...]

    def fault(self, value: object) -> str:
        """Return what is wrong with a value; nothing if it is allowed."""
        is_one = type(value) is str and value in self.names
        return "" if is_one else f"is none of {', '.join(self.names)}"


@dataclass(frozen=True, slots=True)
class _Text:
    """ASCII letters, digits, dots and underscores."""

    length: int | None = None

    def fault(self, value: object) -> str:
        """Return what is wrong with a value; nothing if it is allowed."""
        if type(value) is not str or not re.fullmatch(r"[0-9A-Za-z_.]{1,200}", value):
            return "is not a name of at most 200 letters, digits, dots and underscores"
        return "" if self.length in (None, len(value)) else f"has not {self.length} characters"


@dataclass(frozen=True, slots=True)
class _Program:
    """Lines of printable ASCII, which `program.py` reads."""

    def fault(self, value: object) -> str:
        """Return what is wrong with a value; nothing if it is allowed."""
        if type(value) is not str or len(value) > _MOST_CHARACTERS:
            return f"is not a string of at most {_MOST_CHARACTERS:,} characters"
        plain = value.isascii() and value.replace("\n", "").isprintable()
        return "" if plain else "has other characters than printable ASCII"


Rule = _Integer | _Float | _Scale | _Name | _Text | _Program
Rules = Mapping[str, Rule]

_COUNT = _Integer(1)
_LAYERS = _Integer(1, _MOST_LAYERS)
_NORM, _ACTIVATION = _Name(("post", "pre", "none")), _Name(("relu", "gelu"))

_REGULAR_GPT: Rules = {
    "vocab_size": _COUNT,
    "num_classes": _COUNT,
    "transition_size": _Integer(0),
    "chunk_size": _Integer(2),
    "num_layers": _LAYERS,
    "d_model": _COUNT,
    "num_heads": _COUNT,
    "ff_factor": _COUNT,
    "norm": _NORM,
    "activation": _ACTIVATION,
    "pad": _Name(("learned", "absent")),
    "memory": _Name(("continuous", "binary")),
    "num_bits": _COUNT,
    "noise": _Float(),
    "dropout": _Float(below=1.0),
    "embedding_scale": _Scale(),
}

RULES: Mapping[Kind, Rules] = {
    "RegularGPT": _REGULAR_GPT,
    "RationalGPT": {
        **_REGULAR_GPT,
        "norm": _Name(("none",)),
        "activation": _Name(("relu",)),
        "memory": _Name(("binary",)),
        "attention": _Name(("relu",)),
    },
    "BinaryRecurrent": {
        "vocab_size": _COUNT,
        "num_classes": _COUNT,
        "cell": _Name(("elman", "relu", "gru")),
        "d_model": _COUNT,
        "num_bits": _COUNT,
        "noise": _Float(),
    },
    "Recurrent": {
        "vocab_size": _COUNT,
        "num_classes": _COUNT,
        "cell": _Name(("elman", "elman-relu", "gru", "lstm")),
        "d_model": _COUNT,
        "num_layers": _LAYERS,
    },
    "Program": {
        "vocab_size": _COUNT,
        "num_classes": _COUNT,
        "network": _Text(),
        "program": _Program(),
    },
    "Table": {
        "vocab_size": _COUNT,
        "num_classes": _COUNT,
        "network": _Text(),
        "weights": _Text(64),
    },
    "WindowScratchpad": {
        "vocab_size": _COUNT,
        "num_classes": _COUNT,
        "num_states": _Integer(1, _MOST_STATES),
        "num_digits": _COUNT,
        "window": _Integer(2),
        "d_model": _COUNT,
        "num_heads": _COUNT,
        "num_layers": _LAYERS,
        "ff_factor": _COUNT,
        "norm": _NORM,
        "activation": _ACTIVATION,
    },
    "StateSlots": {
        "vocab_size": _COUNT,
        "num_classes": _COUNT,
        "num_slots": _COUNT,
        "num_bits": _Integer(1, _MOST_BITS_OF_SLOT),
        "chunk_size": _Integer(2, MAX_POSITIONS),
        "d_model": _COUNT,
        "d_hidden": _Integer(0),
    },
}
"""The settings of each kind, every one of them, and the values that each may have."""


def kind_of_network(strength: str, settings: Mapping[str, Any]) -> Kind:
    """Return the kind of network that a certificate is about, by the table in its format."""
    if strength == "structural":
        return "StateSlots"
    if strength == "tabulated":
        return "Table"
    if "program" in settings:
        return "Program"
    if "window" in settings:
        return "WindowScratchpad"
    if "attention" in settings:
        return "RationalGPT"
    if "cell" not in settings:
        return "RegularGPT"
    return "BinaryRecurrent" if "num_bits" in settings else "Recurrent"


def require_network_settings(kind: Kind, settings: Mapping[str, Any]) -> None:
    """Refuse settings that no network of a kind has.

    Raises:
        CertificateError: there are others, one is missing, or one has a value that is not allowed.
    """
    rules = RULES[kind]
    require(set(settings) == set(rules), f"its settings are just {', '.join(rules)}")
    for name, rule in rules.items():
        if fault := rule.fault(settings[name]):
            value = f"{settings[name]!a:.40}"
            raise CertificateError(f"the certificate does not hold: {name}={value} {fault}.")
    if "num_heads" in settings:
        require(settings["d_model"] % settings["num_heads"] == 0, "d_model is split over num_heads")
    if kind == "StateSlots":
        require(settings["num_slots"] <= 2 ** settings["num_bits"], "bits tell slots apart")
    if kind == "WindowScratchpad":
        digits = settings["num_digits"] <= settings["num_states"].bit_length()
        require(digits, "states have at most as many digits as in base 2")
        seen = window_length(settings) <= MAX_POSITIONS
        require(seen, f"an answer depends on at most {MAX_POSITIONS} tokens")


def window_length(settings: Mapping[str, Any]) -> int:
    """Return the tokens that an answer of a scratchpad depends on: L (w - 1) + 1."""
    return int(settings["num_layers"] * (settings["window"] - 1) + 1)


def base_of(settings: Mapping[str, Any]) -> int:
    """Return the values of a digit: the least B with B^num_digits of num_states or more."""
    states, digits = settings["num_states"], settings["num_digits"]
    base = max(1, round(states ** (1 / digits)) - 1)
    while base**digits < states:
        base += 1
    return int(base)
