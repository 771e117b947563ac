"""What users choose from where they set up training on a problem: models, settings and options."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from lengthwise.models.entry import Entry
from lengthwise.registry import Catalogue
from lengthwise.settings import Config, NoSettings
from lengthwise.training.settings import TrainingConfig


class Defaults(NamedTuple):
    """Values of settings with one origin."""

    origin: str
    """Who says so, as people read it: `preset smoke`."""
    values: Mapping[str, Any]
    """Values by name, with or without the section."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """The models, settings and options of a problem, with the defaults of models and presets."""

    models: Catalogue[Any]
    default_model: str
    data: type[Config]
    objective: type[Config] = NoSettings
    training: type[TrainingConfig] = TrainingConfig
    given: frozenset[str] = frozenset()
    """Settings that follow from the subject, which nobody sets: `{"network.vocab_size"}`."""
    derived: frozenset[str] = frozenset()
    """Settings whose default follows from others: `{"network.max_length"}`."""
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Numbers of presets, for all models and subjects."""
    unit: str = "words"
    """Unit in which training counts its examples."""
    train_options: frozenset[str] = frozenset()
    """The options among `--alphabet` and `--protocol` that `train` takes."""
    evaluate_options: frozenset[str] = frozenset()
    predict_options: frozenset[str] = frozenset()

    def sections(self, entry: Entry) -> dict[str, type[Config]]:
        """Return the class of the settings of each section."""
        return {
            "network": entry.config,
            "data": self.data,
            "objective": self.objective,
            "training": self.training,
        }

    def settable(self, entry: Entry, objective: str | None = None) -> dict[str, set[str]]:
        """Return the names of the settings that a user may set, by section.

        Where there are several objectives, they are those of one, or of all.
        """
        names = {
            section: {
                setting.name
                for setting in fields(kind)
                if f"{section}.{setting.name}" not in self.given
            }
            for section, kind in self.sections(entry).items()
        }
        names["network"] -= entry.fixed
        return names

    def of_model(self, model: str) -> Defaults:
        """Return the defaults of a model, by its name."""
        entry = self.models[model]
        network = {f"network.{name}": value for name, value in entry.defaults.items()}
        return Defaults(f"model {model}", {**network, **entry.training})

    def of_preset(self, preset: str, model: str, subject: str) -> Iterator[Defaults]:
        """Return the numbers of a preset, and then those of the model in it.

        `subject` is the name of the problem.
        """
        yield Defaults(f"preset {preset}", self.presets.get(preset, {}))
        yield Defaults(f"{model}, {preset}", self.models[model].presets.get(preset, {}))
