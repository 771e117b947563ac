"""The speed of training, smoothed over the last steps."""

import time
from collections.abc import Callable


class Clock:
    """Measures words per second, smoothed over the last steps."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._last = now()
        self._rate = 0.0

    def restart(self) -> None:
        """Exclude the time since the last step."""
        self._last = self._now()

    def rate(self, num_words: float) -> float:
        """Return the rate after a step of that many words."""
        elapsed, self._last = self._now() - self._last, self._now()
        current = num_words / max(elapsed, 1e-9)
        self._rate = current if self._rate == 0 else 0.95 * self._rate + 0.05 * current
        return round(self._rate, 1)
