"""Compare facts with recorded ones, and name every field that differs."""

from collections.abc import Iterator
from typing import Any

from golden.facts import DIGEST

TOLERANCE = 1e-3
"""Largest difference of losses on another machine."""

_FIRST_RECORDS = 2
"""Records of a list that are compared on another machine: differences grow from step to step."""


def differences(recorded: Any, found: Any, *, exact: bool, where: str = "") -> Iterator[str]:
    """Yield a line for each field that differs.

    A name that is found but was not recorded is no difference, so that commands may say more. With
    `exact=False` only exit statuses and losses are compared, the latter to `TOLERANCE`.
    """
    if isinstance(recorded, dict) and isinstance(found, dict):
        for key, value in recorded.items():
            path = f"{where}/{key}" if where else str(key)
            if key in found:
                yield from differences(value, found[key], exact=exact, where=path)
            else:
                yield f"{path}: recorded {_brief(value)}, but now missing"
    elif isinstance(recorded, list) and isinstance(found, list):
        if exact and len(recorded) != len(found):
            yield f"{where}: recorded {len(recorded)} entries, but now {len(found)}"
        pairs = list(zip(recorded, found, strict=False))
        for index, (old, new) in enumerate(pairs if exact else pairs[:_FIRST_RECORDS]):
            yield from differences(old, new, exact=exact, where=f"{where}[{index}]")
    elif not _agree(recorded, found, exact=exact or where.endswith("status"), where=where):
        yield f"{where}: recorded {_brief(recorded)}, but now {_brief(found)}"


def _agree(recorded: Any, found: Any, *, exact: bool, where: str) -> bool:
    if exact:
        return type(recorded) is type(found) and recorded == found
    name = where.rpartition("/")[2].partition("[")[0]
    if name.endswith("loss") and isinstance(recorded, float) and isinstance(found, float):
        return abs(recorded - found) <= TOLERANCE * max(1.0, abs(recorded))
    return True


def _brief(value: Any) -> str:
    text = repr(value)
    if text.startswith(f"'{DIGEST}"):
        return text
    return text if len(text) <= 80 else f"{text[:77]}..."
