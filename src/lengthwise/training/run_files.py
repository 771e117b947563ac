"""What the files of a run hold: records of validations, settings that last, and named tensors."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from lengthwise.errors import RunError
from lengthwise.files import read_lines, require_kinds, write_bytes

_ALWAYS = {
    "step": "an integer",
    "loss": "a number",
    "validation_loss": "a number",
    "validation_accuracy": "a share",
    "perfect": "true or false",
}
"""The values that every record of a validation has, with their kinds."""

_OPTIONAL = {
    "words_per_second": "a number",
    "validation_score": "a number",
    "lesson_length": "an integer",
    "longest": "an integer",
    "grows_to": "an integer",
    "codes": "an integer",
    "states": "an integer or null",
    "proved": "true or false",
    "right_to": "an integer or null",
    "first_wrong": "a string or null",
    "wrong": "an integer",
    "chunks": "an integer",
}
"""The optional values of such a record, with their kinds."""

_PLACES = {"corpus": "folder", "words": "file"}
"""Data of a problem that may be moved, and the setting that says where they are."""


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file.

    Raises:
        RunError: it is damaged.
    """
    records = list(read_lines(path))
    for number, record in enumerate(records, start=1):
        present = {k: kind for k, kind in _OPTIONAL.items() if k in record}
        where = f"{path}, line {number}"
        remedy = "Train again in a new folder."
        require_kinds(record, _ALWAYS | present, where=where, remedy=remedy)
    return records


def lasting(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration without the values that may change when a run continues."""
    values = {key: value for key, value in _plain(config).items() if key != "environment"}
    if "problem" in values:
        values["problem"] = _without_places(values["problem"])
    return values


def _plain(value: Any) -> Any:
    """Return the value as it is after being written to JSON and read again."""
    return json.loads(json.dumps(value))


def _without_places(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return the problem of a configuration without the place of its data, which may be moved."""
    parts = dict(problem)
    for data, place in _PLACES.items():
        if isinstance(source := parts.get(data), Mapping):
            parts[data] = {key: value for key, value in source.items() if key != place}
    return parts


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write tensors, on whatever device they are; of tied ones, each name gets its own."""
    stored: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, tensor in tensors.items():
        on_cpu = tensor.detach().cpu().contiguous()
        tied = on_cpu.data_ptr() in seen  # two names of one weight, which is stored twice
        stored[name] = on_cpu.clone() if tied else on_cpu
        seen.add(on_cpu.data_ptr())
    write_bytes(path, save(stored))


def load_tensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a file.

    Raises:
        RunError: it cannot be read.
    """
    try:
        return load(path.read_bytes())
    except (SafetensorError, OSError) as error:
        raise RunError(
            f"{path} cannot be read ({error}). Make it again, in a new folder."
        ) from None
