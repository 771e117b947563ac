"""The objectives by name, which of them a model can learn from, and whose a setting is."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Self

from lengthwise.errors import ConfigError
from lengthwise.models.entry import Entry, ModelEntry
from lengthwise.models.recognisers import MODELS
from lengthwise.objectives.base import ObjectiveConfig, WordObjective
from lengthwise.registry import Catalogue
from lengthwise.settings import require

OBJECTIVES: Catalogue[WordObjective] = Catalogue(
    "objective",
    {
        "final": "lengthwise.objectives.final:FINAL",
        "prefix": "lengthwise.objectives.prefix:PREFIX",
        "node": "lengthwise.objectives.node:NODE",
        "transition": "lengthwise.objectives.transition:TRANSITION",
        "composition": "lengthwise.objectives.composition:COMPOSITION",
        "codebook": "lengthwise.objectives.codebook:CODEBOOK",
        "maps": "lengthwise.objectives.maps:MAPS",
        "states": "lengthwise.objectives.states:STATES",
    },
    group="lengthwise.objectives",
    expected=WordObjective,
)


class AnyObjectiveConfig(ObjectiveConfig):
    """The settings of the objective that they name."""

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild the settings of the objective that is named among them.

        Raises:
            ConfigError: there is no such objective, a setting is not its own, or does not fit.
        """
        if not isinstance(values, Mapping) or "name" not in values:
            raise ConfigError(
                "the settings of an objective need its name, which current runs have. Give "
                "objective.name, or train again in a new folder."
            )
        kind: Any = OBJECTIVES[values["name"]].settings
        for name in values:
            require_own(name, values["name"])
        config: Self = kind.from_dict(values)
        return config


def all_objectives() -> Iterator[tuple[str, WordObjective]]:
    """Return the objectives by name, but those of other packages that are broken."""
    for name in OBJECTIVES:
        with suppress(ConfigError):
            yield name, OBJECTIVES[name]


def objectives_of(entry: Entry) -> tuple[str, ...]:
    """Return the names of the objectives that a model can learn from."""
    return tuple(name for name, objective in all_objectives() if objective.fits(entry))


def names_of(objective: str, entry: Entry) -> set[str]:
    """Return the names of the settings of an objective that act on a network of this model."""
    return {"name", *OBJECTIVES[objective].names(entry.config)}


def names_of_settings(entry: Entry) -> set[str]:
    """Return the names of the settings of all objectives that act on a network of this model."""
    return {"name"}.union(*(objective.names(entry.config) for _, objective in all_objectives()))


def require_own(setting: str, objective: str, entry: Entry | None = None) -> None:
    """Refuse a setting of another objective than the one that is chosen for a model.

    Raises:
        ConfigError: it belongs to others alone.
    """
    if setting in OBJECTIVES[objective].settings.__dataclass_fields__:
        return
    owners = [
        n for n, objective in all_objectives() if setting in objective.settings.__dataclass_fields__
    ]
    able = [name for name in owners if entry is not None and OBJECTIVES[name].fits(entry)]
    remedy = f", or give --objective {' or '.join(able)}" if able else ""
    require(
        not owners,
        f"{setting} is a setting of objective {' and '.join(owners)}, but this run learns from "
        f"{objective!r}. Leave it out{remedy}.",
    )


_SHOWN = 6
"""Most models that a message names."""


def require_fit(model: str, entry: ModelEntry, objective: str) -> None:
    """Refuse an objective that a model, called `model`, cannot learn from.

    Raises:
        ConfigError: it does not fit.
    """
    if OBJECTIVES[objective].fits(entry):
        return
    able = [name for name, model_entry in MODELS.items() if OBJECTIVES[objective].fits(model_entry)]
    raise ConfigError(
        f"objective={objective!r} is not for {model}, which learns from "
        f"{' or '.join(objectives_of(entry))}. Use {entry.objective}, or another model, such as "
        f"{' or '.join(able[:_SHOWN])}.",
    )
