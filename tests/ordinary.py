"""Says what the ordinary tests leave to `make test-all`.

A test marked `slow` is heavy as a whole. One marked `slow_for(*cases)` is so for these cases, and
one marked `slow_except(*cases)` for all others. A costly property gets few examples:
`max_examples=few(5)`.
"""

from collections.abc import Iterable

import pytest
from hypothesis import settings

THOROUGH = "thorough"
"""Profile of hypothesis in `make test-all`."""


def few(ordinary: int, thorough: int = 400) -> int:
    """Return the number of examples of a property: `ordinary`, or `thorough` in that profile."""
    return thorough if settings.get_current_profile_name() == THOROUGH else ordinary


def mark_slow_cases(items: Iterable[pytest.Item], *, whole: bool) -> None:
    """Mark cases as slow where `slow_for` or `slow_except` of their test says so.

    `whole` says that all cases of each test are there: then a name without a case is refused.
    """
    unmet: dict[tuple[str, str], set[str]] = {}
    for item in items:
        for kind in ("slow_for", "slow_except"):
            for marker in item.iter_markers(kind):
                test, _, case = item.nodeid.partition("[")
                case = case.removesuffix("]")
                if (case in marker.args) == (kind == "slow_for"):
                    item.add_marker(pytest.mark.slow)
                unmet.setdefault((test, kind), set(marker.args)).discard(case)
    for (test, kind), cases in unmet.items():
        if whole and cases:
            raise pytest.UsageError(f"{test}: {kind} names no case by {sorted(cases)}.")
