"""Where settings stand in `config.json`: by section, and in format 1 by other names.

    now                     format 1
    training.steps          loop.steps
    data.max_length         recognition.max_length
    objective.replay        recognition.lessons

Run folders of format 1 are read, and jobs of sweeps are still recognised by its layout.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lengthwise.settings import Parts

SECTIONS = ("network", "data", "objective", "training")
"""The sections of settings, in the order in which they are shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Format1:
    """Where the settings of a problem stood in run folders of format 1."""

    part: str
    """What held the settings of data and objective."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Settings that had another name or place: `{"objective.replay": "recognition.lessons"}`."""

    values: Mapping[str, Mapping[Any, Any]] = field(default_factory=dict)
    """Values that had another name: `{"objective.supervision": {"codebook": "assigned"}}`."""
    always: frozenset[str] = frozenset()
    """Settings that digests of jobs have even where they are the default: `{"data.protocol"}`."""

    def path(self, section: str, name: str) -> str:
        """Return where a setting of today stood."""
        usual = {"network": "network", "training": "loop"}.get(section, self.part)
        return self.names.get(f"{section}.{name}", f"{usual}.{name}")

    def write(self, sections: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return settings of today as format 1 laid them out."""
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
        """Return settings of format 1 by today's sections.

        `known` are the names of today by section. A name that is not known stays as it is, so that
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
                found[home][here] = value
        for path in (path for path in self.names.values() if "." not in path):
            home, here = homes[path]
            found[home][here] = values[path]
        return found


def sections_of(values: Mapping[str, Any]) -> Parts:
    """Return the settings that `config.json` holds, by section."""
    return {section: dict(values[section]) for section in SECTIONS}
