"""Layout of settings in `config.json`: by section, and in format 1 with other names.

    now                     format 1
    training.steps          loop.steps
    data.max_length         recognition.max_length
    objective.replay        recognition.lessons

Run folders of format 1 are read, and jobs of sweeps are still recognised by its layout.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SECTIONS = ("network", "data", "objective", "training")
"""The sections of settings, in the order in which they are shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Format1:
    """Layout of the settings of a problem in run folders of format 1."""

    part: str
    """Name of the part that held the settings of data and objective."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Settings that had another name or section: `{"objective.replay": "recognition.lessons"}`."""

    values: Mapping[str, Mapping[Any, Any]] = field(default_factory=dict)
    """Values that had another name: `{"objective.supervision": {"codebook": "assigned"}}`."""
    always: frozenset[str] = frozenset()
    """Settings that digests of jobs include even if they are the default: `{"data.protocol"}`."""

    def path(self, section: str, name: str) -> str:
        """Return the path of a present setting in format 1."""
        usual = {"network": "network", "training": "loop"}.get(section, self.part)
        return self.names.get(f"{section}.{name}", f"{usual}.{name}")

    def _today(self, section: str, name: str, value: Any) -> Any:
        names = self.values.get(f"{section}.{name}", {})
        return next((today for today, then in names.items() if then == value), value)

    def write(self, sections: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return present settings in the layout of format 1."""
        found: dict[str, Any] = {"network": {}, self.part: {}, "loop": {}}
        for section, values in sections.items():
            for name, value in values.items():
                part, _, inner = self.path(section, name).rpartition(".")
                names = self.values.get(f"{section}.{name}")
                (found[part] if part else found)[inner] = (
                    names.get(value, value) if names else value
                )
        return found

    def read(
        self, values: Mapping[str, Any], known: Mapping[str, Mapping[str, object]]
    ) -> dict[str, dict[str, Any]]:
        """Return settings of format 1 by present sections.

        `known` are the present names by section. A name that is not known is kept as it is, so that
        it is refused with its section.
        """
        homes = {
            self.path(section, name): (section, name)
            for section, names in known.items()
            for name in names
        }
        found: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
        of_part = {"network": "network", "loop": "training", self.part: "data"}
        for part, section in of_part.items():
            for name, value in values[part].items():
                home, here = homes.get(f"{part}.{name}", (section, name))
                found[home][here] = self._today(home, here, value)
        for path in (path for path in self.names.values() if "." not in path):
            home, here = homes[path]
            found[home][here] = values[path]
        return found
