"""The records of validations, one a line of `metrics.jsonl`."""

from pathlib import Path
from typing import Any

from lengthwise.files import read_lines, require_kinds

_ALWAYS = {
    "step": "a whole number",
    "loss": "a number",
    "validation_loss": "a number",
    "validation_accuracy": "a share",
    "perfect": "true or false",
}
"""The values that every record of a validation has, with their kinds."""

_OPTIONAL = {
    "words_per_second": "a number",
    "validation_score": "a number",
    "lesson_length": "a whole number",
    "longest": "a whole number",
    "grows_to": "a whole number",
    "codes": "a whole number",
    "states": "a whole number or null",
    "proved": "true or false",
    "right_to": "a whole number or null",
    "first_wrong": "a text or null",
    "wrong": "a whole number",
    "chunks": "a whole number",
}
"""The optional values of such a record, with their kinds."""


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file.

    Raises:
        RunError: it is damaged.
    """
    records = list(read_lines(path))
    for number, record in enumerate(records, start=1):
        there = {k: kind for k, kind in _OPTIONAL.items() if k in record}
        where = f"{path}, line {number}"
        remedy = "Train again in a new folder."
        require_kinds(record, _ALWAYS | there, where=where, remedy=remedy)
    return records
