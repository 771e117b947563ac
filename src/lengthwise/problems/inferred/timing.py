"""The time of an inference: all its phases share one budget, and show how far it is used up."""

import time
from dataclasses import dataclass, field

from lengthwise.training.progress import Count

_MOST = 0.5
"""Greatest share of the budget that is kept for the statement."""


@dataclass(slots=True)
class Timer:
    """Counts the seconds of an inference from its start."""

    budget: float
    progress: Count | None = None
    """Shows the seconds used up, of those of the budget, with a note."""
    kept: float = 0.0
    """Seconds that are kept for the statement."""
    start: float = field(default_factory=time.monotonic)

    @property
    def used(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.start

    @property
    def left(self) -> float:
        """The seconds that are left to the search."""
        return max(self.budget - self.kept - self.used, 0.0)

    def keep_for_statement(self) -> None:
        """Keep as many seconds for the statement, which reads all words, as reading took so far."""
        self.kept = min(self.used, _MOST * self.budget)

    def show(self, note: str) -> None:
        """Show the seconds used up."""
        if self.progress is not None:
            total = max(int(self.budget), 1)
            self.progress(min(int(self.used), total), total, note)
