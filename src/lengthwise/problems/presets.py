"""Presets: sizes, steps and schedules of training. They are settings only; all code is shared.

`paper` has the values that Chi et al. (2023) state (Table 4) and that their code adds per task;
where the code has no rate for a task, the middle of the three rates of Table 4 is used.
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

_TOMITA = {"d_model": 64, "learning_rate": 5e-4, "max_length": 50}

OF_PAPER: Mapping[str, Mapping[str, Any]] = {
    "even-pairs": {"learning_rate": 3e-5},
    "cycle-navigation": {"learning_rate": 5e-4},
    "modular-arithmetic": {"learning_rate": 1e-4, "steps": 1_000_000},
    "d-2": {"max_length": 50},
    "d-3": {"max_length": 50},
    "d-4": {"max_length": 50},
    "d-12": {"max_length": 80},
    "tomita-3": _TOMITA,
    "tomita-4": _TOMITA,
    "tomita-5": {**_TOMITA, "learning_rate": 1e-4},
    "tomita-6": _TOMITA,
}
"""Numbers of the preset `paper` for a language, by its name."""
