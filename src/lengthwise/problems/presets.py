"""How large, and how long? Presets are numbers only; all code is shared.

`paper` is what Chi et al. (2023) state (Table 4) and their code adds per task; where the code says
nothing of a task, the middle of the three rates of Table 4 is used.
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
"""Seconds, for the tests; minutes on two cores; the paper's own sizes, for an accelerator."""

_TOMITA = {"d_model": 64, "learning_rate": 5e-4, "max_length": 50}

_PAPER_TASKS: Mapping[str, Mapping[str, Any]] = {
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


def preset_settings(preset: str, spec: str) -> dict[str, Any]:
    """The numbers of a preset for a language.

    Raises:
        ConfigError: there is no such preset.
    """
    settings = dict(PRESETS[preset])
    if preset == "paper":
        settings |= _PAPER_TASKS.get(spec, {})
    return settings
