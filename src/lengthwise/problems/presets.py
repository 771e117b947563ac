"""Presets: sizes, steps and schedules of training. They are settings only; all code is shared.

`paper` has the values that Chi et al. (2023) state (Table 4), and for RegularGPT those that their
code has for a task. The rate of other models is the middle of the three of Table 4.
"""

from collections.abc import Mapping
from typing import Any

from lengthwise.registry import Catalogue

PRESETS: Catalogue[Mapping[str, Any]] = Catalogue(
    "preset",
    {
        "smoke": {
            "d_model": 16,
            "num_heads": 2,
            "steps": 40,
            "validate_every": 20,
            "batch_size": 32,
            "validation_words": 64,
        },
        "laptop": {},
        "paper": {
            "d_model": 256,
            "steps": 100_000,
            "validate_every": 1000,
            "learning_rate": 3e-4,
            "schedule": "constant",
        },
    },
)
"""`smoke`: seconds, for the tests. `laptop`: minutes on two cores. `paper`: the paper's own sizes,
for an accelerator."""

LENGTHS_OF_PAPER: Mapping[str, int] = {
    **dict.fromkeys(("d-2", "d-3", "d-4", "tomita-3", "tomita-4", "tomita-5", "tomita-6"), 50),
    "d-12": 80,
}
"""Greatest length of the words of training of the preset `paper`, by language, where it is not 40.
The paper prints 50; for D_12 its authors' code has 80."""

_TOMITA = {"d_model": 64, "learning_rate": 5e-4}

BY_PAPER: Mapping[str, Mapping[str, Any]] = {
    "even-pairs": {"d_model": 256, "learning_rate": 3e-5, "steps": 10_000},
    "modular-arithmetic": {"d_model": 256, "learning_rate": 1e-4, "steps": 1_000_000},
    "parity": {"d_model": 64, "learning_rate": 3e-4},
    "cycle-navigation": {"d_model": 256, "learning_rate": 5e-4, "steps": 10_000},
    "d-2": {"d_model": 64, "learning_rate": 5e-4},
    "d-3": {"d_model": 64, "learning_rate": 1e-4},
    "d-4": {"d_model": 64, "learning_rate": 1e-4},
    "d-12": {"d_model": 64, "learning_rate": 1e-4, "steps": 50_000},
    "tomita-3": _TOMITA,
    "tomita-4": _TOMITA,
    "tomita-5": {**_TOMITA, "learning_rate": 1e-4},
    "tomita-6": _TOMITA,
}
"""How the authors' code trains RegularGPT on a language, by its name, where it is not as in the
preset: Table 4 of the paper says width 256 for all of them."""

INITIAL_OF_PAPER: Mapping[str, Any] = {"initial": "haiku"}
"""How the authors' code draws the weights of RegularGPT, whatever the language."""
