"""Plans as the digests of recorded parts have them: with all settings of all objectives."""

from collections.abc import Mapping
from typing import Any

_LABELS: Mapping[str, Any] = {
    "code_consistency": 1.0,
    "margin": 0.1,
    "chunk_lengths": "training",
    "replay": True,
    "bits": "straight-through",
    "anneal": 0,
    "associativity": 0.0,
    "identity": 0.0,
}
"""The settings of objectives with their defaults, when the records began."""

_WORDS: Mapping[str, Any] = {"curriculum": 0, "order": "as-drawn"}
"""Those that were settings of the words."""


def as_recorded(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return a plan, or settings as a user gives them, with its objective as in the first records.

    What has no objective is returned as it is.
    """
    objective = plan.get("objective")
    if isinstance(objective, str):
        rest = {name: each for name, each in plan.items() if name != "objective"}
        return {**rest, "supervision": objective}
    if not isinstance(objective, Mapping) or "name" not in objective:
        return dict(plan)
    objective = dict(objective)
    named, data = {"supervision": objective.pop("name")}, dict(plan["data"])
    if "protocol" in data:  # words of a language
        data |= {name: objective.pop(name, usual) for name, usual in _WORDS.items()}
        named |= _LABELS
    return {**plan, "data": data, "objective": {**named, **objective}}
