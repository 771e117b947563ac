"""What of the configuration of a run must be the same for the run to continue."""

import json
from collections.abc import Mapping
from typing import Any

_PLACES = {"corpus": "folder", "words": "file"}
"""Data of a problem that may be moved, and the setting that says where they are."""


def lasting(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration without the values that may change when a run continues."""
    found = {key: value for key, value in _plain(config).items() if key != "environment"}
    if "problem" in found:
        found["problem"] = _without_places(found["problem"])
    return found


def _plain(value: Any) -> Any:
    """Return the value as it is after being written to JSON and read again."""
    return json.loads(json.dumps(value))


def _without_places(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return the problem of a configuration without the place of its data, which may be moved."""
    found = dict(problem)
    for data, place in _PLACES.items():
        if isinstance(given := found.get(data), Mapping):
            found[data] = {key: value for key, value in given.items() if key != place}
    return found
