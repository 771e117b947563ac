"""The cost of a language on every rung, and the choice of the shallowest rung."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.constructions.defaults import COMPARED_AT
from lengthwise.constructions.rungs import RUNGS, Rung, RungDesign, Settings
from lengthwise.constructions.setting_values import complete
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.languages.language import Language


@dataclass(frozen=True, kw_only=True)
class _Step:
    """A rung, with the size of a language's network or the reason why there is none."""

    name: str
    rung: Rung
    design: RungDesign | None
    refused: str
    range: Mapping[str, int | None]
    """The longest words of the claim by precision."""

    @property
    def layers(self) -> int | None:
        """Number of layers that run on a word of `COMPARED_AT` symbols."""
        return None if self.design is None else self.rung.depth(self.design, COMPARED_AT)

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values; sizes are null where there is no network."""
        config = None if self.design is None else self.design.config
        return {
            "rung": self.name,
            "reached": self.design is not None,
            "refused": self.refused or None,
            "layers": self.rung.grows or self.layers,
            f"layers_at_{COMPARED_AT}": self.layers,
            "heads": None if config is None else getattr(config, "num_heads", 1),
            "width": None if config is None else config.d_model,  # type: ignore[attr-defined]
            "parameters": None if self.design is None else self.design.num_parameters,
            "range": dict(self.range),
        }


def resolve_auto(design: RungDesign, settings: Settings) -> dict[str, Any]:
    """Return the settings, with what the design decided in place of `auto`."""
    return {key: getattr(design, key, value) for key, value in settings.items()}


def climb(language: Language) -> list[_Step]:
    """Return every rung with its usual settings, in the order of `RUNGS`."""
    steps = []
    for name, rung in RUNGS.items():
        design, refused, range_ = None, "", dict[str, int | None]()
        settings = complete(rung.design, {})
        try:
            design = rung.design(language, **settings)
            range_ = dict(rung.claim(resolve_auto(design, settings))["range"])
        except (ConstructionError, LanguageError) as error:
            refused = str(error)
        steps.append(_Step(name=name, rung=rung, design=design, refused=refused, range=range_))
    return steps


def shallowest(language: Language) -> _Step:
    """Return the rung with the fewest layers on a word of `COMPARED_AT` symbols.

    Of several, it is the one with the fewest parameters.

    Raises:
        ConstructionError: the language is too large for every rung.
    """
    reached = [step for step in climb(language) if step.design is not None]
    if not reached:
        raise ConstructionError(
            f"{language.spec or 'the language'} is too large for every rung. Use a smaller "
            f"language, or name a rung to see why."
        )

    def cost(step: _Step) -> tuple[int, int]:
        assert step.design is not None
        assert step.layers is not None
        return step.layers, step.design.num_parameters

    return min(reached, key=cost)
