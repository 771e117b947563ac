"""The protocol of the arena: the same sizes, words, budget and selection for every network.

Words are `audited` and at most 40 symbols long. The weights that are kept are those of the best
validation on such words, so selection never sees a length of the test. A network that answers at
every position learns from the class after every prefix where each prefix has one, and any other
network from the class of the whole word; the record says which.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from lengthwise.arenas.suites import SUITES
from lengthwise.languages.language import Language
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.custom import OwnEntry
from lengthwise.models.custom_network import adapt
from lengthwise.models.entry import ModelEntry
from lengthwise.models.recognisers import MODELS
from lengthwise.objectives.catalogue import OBJECTIVES
from lengthwise.problems.plan import Plan
from lengthwise.problems.planning import make_plan
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.registry import as_problem
from lengthwise.problems.sweep_tests import Test
from lengthwise.registry import Catalogue
from lengthwise.sweeps.grid import require_settable

EXAMINATION = "examination"
"""Name of the test of every cell."""

_LENGTHS = (1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 35, 40, *range(41, 501, 17))


@dataclass(frozen=True, kw_only=True, slots=True)
class Size:
    """One size of the arena."""

    settings: Mapping[str, Any]
    """Settings of training and of those networks that have them."""
    words_per_length: int
    budget: float
    """Seconds of an examination."""


_LAPTOP = {
    **{"d_model": 32, "num_heads": 2, "num_layers": 1, "d_hidden": 64},
    **{"steps": 1_000, "batch_size": 32, "learning_rate": 3e-3, "schedule": "cosine"},
    **{"validate_every": 100, "validation_words": 512, "patience": 3},
    **{"max_length": 40, "protocol": "audited"},
}

SIZES: Catalogue[Size] = Catalogue(
    "preset",
    {
        "smoke": Size(
            settings={
                **_LAPTOP,
                **{"d_model": 8, "d_hidden": 16, "steps": 20, "validate_every": 10},
                **{"max_length": 10},
            },
            words_per_length=4,
            budget=1.0,
        ),
        "laptop": Size(settings=_LAPTOP, words_per_length=32, budget=6.0),
    },
    expected=Size,
)
"""The sizes by the names of presets."""


def protocol_settings(suite: str, preset: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the protocol, those of the suite and those given, over each other.

    The rate rises over the first twentieth of the steps, unless `warmup` is given.
    """
    chosen = {**SIZES[preset].settings, **SUITES[suite].settings, **settings}
    if isinstance(chosen["steps"], int):
        chosen.setdefault("warmup", chosen["steps"] // 20)
    return chosen


def make_plans(
    networks: Sequence[str], languages: Sequence[str], *, suite: str, preset: str, settings: Any
) -> list[Plan]:
    """Return the plan of each network on each language, language by language, with seed 0.

    `settings` are the caller's, which replace those of the protocol. Each must be one of some
    network, and is left out of the others.

    Raises:
        ConfigError: a name is unknown, or a value does not fit.
    """
    chosen = protocol_settings(suite, preset, settings)
    known = {"objective"}
    plans = []
    for spec in languages:
        problem = as_problem(spec)
        for name in networks:
            entry = MODELS[name]
            names = set().union(*problem.setup.settable(entry).values()) - {"seed"}
            known |= names
            own = {name: value for name, value in chosen.items() if name in names}
            if isinstance(problem, Recognition):
                own["objective"] = chosen.get("objective", choose_objective(entry, problem.symbols))
            if "position" in names - own.keys() and _ends_with_training(entry):
                own["position"] = "sinusoidal"
            plans.append(make_plan(problem, name, preset=preset, settings=own))
    other = "; languages=[...], or --only, gives languages and tasks"
    require_settable(settings, known, networks, other=other)
    return plans


def _ends_with_training(entry: ModelEntry) -> bool:
    """Return whether each usual position of a network has a trained vector of its own."""
    if isinstance(entry, OwnEntry):
        return False
    usual = {setting.name: setting.default for setting in fields(entry.config)}
    return POSITIONS[entry.defaults.get("position", usual["position"])].is_table


def choose_objective(entry: ModelEntry, language: Language) -> str:
    """Return what a network learns from: every prefix if it can, otherwise the whole word."""
    if language.domain is None and _answers_everywhere(entry, language):
        return "prefix"
    return "final" if OBJECTIVES["final"].fits(entry) else entry.objective


def _answers_everywhere(entry: ModelEntry, language: Language) -> bool:
    if isinstance(entry, OwnEntry):
        sizes = {"vocab_size": language.num_symbols, "num_classes": language.num_classes}
        return adapt(entry.build(entry.configure(sizes))).answers_everywhere
    return OBJECTIVES["prefix"].fits(entry)


def make_test(plan: Plan, words_per_length: int, budget: float) -> Test:
    """Return the test of the cells of a plan, whose words are the same for all networks.

    Networks that recognise languages are examined, for `budget` seconds; others have the test of
    their problem.
    """
    examination = {"function": "lengthwise.arenas.cell:examine_run", "budget": budget}
    return Test(
        name=EXAMINATION,
        lengths=_LENGTHS,
        words_per_length=words_per_length,
        measure=examination if isinstance(plan.problem, Recognition) else None,
    )
