"""The plan of a run: everything that determines its result, and the stages that may follow."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from torch import nn

from lengthwise.models.entry import Entry
from lengthwise.problems.capabilities import formal
from lengthwise.settings import Config, Parts
from lengthwise.tasks.task import Task

if TYPE_CHECKING:
    from lengthwise.problems.base import Problem


SECTIONS = ("network", "data", "objective", "training")
"""The sections of settings, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Route:
    """A stage of training without a model's name."""

    model: str
    chosen: str = ""
    """Reason why it is taken."""
    steps: int | None = None
    """Steps after which it is given up, where another follows, unless the user sets them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Everything that determines a run: the problem, a model by name, and all settings."""

    problem: "Problem"
    model: str
    preset: str
    network: Any
    data: Any
    objective: Any
    training: Any
    stage: int = 1
    """Number of the stage that this plan is of."""
    later: tuple["Plan", ...] = ()
    """Plans of the stages that follow, each if the one before it ends without a proof."""
    barrier: str = ""
    """Reason why no stage follows the last one, if a setting of the user keeps it away."""
    chosen: str = ""
    """Reason why it has this model, if that was not named."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Origin of each value that is not the default of its class, by the setting's name with its
    section; empty in a plan that was stored (`planning.origins_of`)."""

    def __repr__(self) -> str:
        return f"Plan({self.title}, {self.preset} preset, seed {self.training.seed})"

    @property
    def alone(self) -> "Plan":
        """The plan as one that no stage comes before or after, and whose model was named."""
        return replace(self, stage=1, later=(), barrier="", chosen="")

    @property
    def stages(self) -> tuple["Plan", ...]:
        """This plan and those of the stages that follow it, each with what follows it."""
        return (self, *self.next.stages) if self.later else (self,)

    @property
    def next(self) -> "Plan":
        """The plan of the next stage."""
        first, *rest = self.later
        return replace(first, stage=self.stage + 1, later=tuple(rest), barrier=self.barrier)

    @property
    def is_staged(self) -> bool:
        """True if its run has several stages."""
        return self.stage > 1 or bool(self.later)

    @property
    def title(self) -> str:
        """The name of the problem, and the model, unless each stage has its own."""
        return self.problem.name if self.is_staged else f"{self.problem.name}, {self.model}"

    @property
    def num_stages(self) -> int:
        """Number of stages that the run can have."""
        return self.stage + len(self.later)

    @property
    def entry(self) -> Entry:
        """The entry of its model, which builds the network."""
        model_entry: Entry = self.problem.setup.models[self.model]
        return model_entry

    @property
    def threads(self) -> int:
        """Number of processor threads."""
        return int(self.training.threads)

    @property
    def supervision(self) -> str:
        """The labels that training sees."""
        return self.problem.describe_supervision(self)[0]

    @property
    def trained_on(self) -> str:
        """The examples that training draws."""
        return self.problem.describe_supervision(self)[1]

    @property
    def task(self) -> Task:
        """The words of the formal language that it is about.

        Raises:
            RunError: it is about something else.
        """
        return formal(self.problem).words_of(self)

    def draw(self) -> nn.Module:
        """Build the network with the initial weights of the seed.

        Raises:
            ConfigError: it would be too large.
        """
        return self.entry.draw_from(self.network, self.training.seed)

    def build(self) -> nn.Module:
        """Build the network without loading its weights.

        Raises:
            ConfigError: it would be too large.
        """
        self.entry.require_moderate(self.network)
        return self.entry.build(self.network)

    def with_seed(self, seed: int) -> "Plan":
        """Return the same plan, in all its stages, with another seed of training."""
        later = tuple(stage.with_seed(seed) for stage in self.later)
        return replace(self, training=replace(self.training, seed=seed), later=later)

    @property
    def sections(self) -> dict[str, Config]:
        """The settings by section."""
        return {name: getattr(self, name) for name in SECTIONS}

    @property
    def settings(self) -> Parts:
        """The values of all settings by section."""
        return {name: section.to_dict() for name, section in self.sections.items()}

    @property
    def non_defaults(self) -> dict[str, Any]:
        """The values that are not the defaults of their class, by name with the section."""
        parts = {section: part.non_defaults() for section, part in self.sections.items()}
        return {f"{s}.{name}": value for s in parts for name, value in parts[s].items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, as `config.json` has them."""
        return {
            "problem": {"kind": self.problem.kind, **self.problem.to_dict()},
            **self._own(),
            **self._list_staged_values([stage._own() for stage in self.later]),
        }

    def _own(self) -> dict[str, Any]:
        """Return the values that differ from stage to stage."""
        choice = {"chosen": self.chosen} if self.chosen else {}
        return {"model": self.model, **choice, "preset": self.preset, **self.settings}

    def _list_staged_values(self, later: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the values of a run with several stages; none of a run with one."""
        values = {"stage": self.stage, "later": later, "barrier": self.barrier}
        usual = {"stage": 1, "later": [], "barrier": ""}
        return {name: value for name, value in values.items() if value != usual[name]}

    def identity(self) -> dict[str, Any]:
        """Return the settings that differ from their defaults, whatever section they are in.

        Jobs of sweeps are recognised by a digest of them, which a setting that is added later, with
        its default, or that moves to another section therefore does not change.
        """
        later = [stage._own_identity() for stage in self.later]
        return {
            **self.problem.identity(),
            **self._own_identity(),
            **self._list_staged_values(later),
        }

    def _own_identity(self) -> dict[str, Any]:
        """Return what is set in a stage. Arguments of a network of one's own may have any name, so
        settings of networks are apart from those of the other sections, whose names are unique."""
        set_here: Parts = {name: part.non_defaults() for name, part in self.sections.items()}
        network = set_here.pop("network")
        settings = {name: value for part in set_here.values() for name, value in part.items()}
        return {
            "model": self.model,
            "preset": self.preset,
            "network": network,
            "settings": settings,
        }
