"""The time of an inference: all its phases share one budget, and show how far it is used up."""

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lengthwise.training.progress import Count

_SHARE = 0.5
"""Greatest share of the budget that is kept for the statement."""

_LEAST = 1.0
"""Seconds that a search has, however long reading took; half of a budget of less than two."""


@dataclass(slots=True)
class Timer:
    """Counts the seconds of an inference from its start."""

    budget: float
    progress: "Count | None" = None
    """Shows the seconds used up, of those of the budget, with a note."""
    start: float = field(default_factory=time.monotonic)
    end: float = math.inf
    """The moment at which the search ends."""

    @property
    def used(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.start

    @property
    def left(self) -> float:
        """The seconds that are left to the search."""
        return max(self.end - time.monotonic(), 0.0)

    def begin_search(self) -> None:
        """Set the end of the search: the statement, which reads all words, is left as many seconds
        as reading took so far."""
        kept = min(self.used, _SHARE * self.budget)
        least = time.monotonic() + min(_LEAST, self.budget / 2)
        self.end = max(self.start + self.budget - kept, least)

    def show(self, note: str) -> None:
        """Show the seconds used up."""
        if self.progress is not None:
            total = max(int(self.budget), 1)
            self.progress(min(int(self.used), total), total, note)
