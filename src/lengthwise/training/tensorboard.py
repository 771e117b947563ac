"""TensorBoard: the figures of a run by step, written in addition to the usual display.

    train/loss, train/accuracy, train/words_per_second   after every step
    validation/loss, validation/accuracy, ...            after every validation

A run that was interrupted continues in the same folder, and no figure is written twice.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.data.extra import require_extra
from lengthwise.training.loop import Progress

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

_TRAINING = ("loss", "accuracy", "words_per_second")

_OF_STAGE = ("stage", "stages", "stage_steps", "steps_before")


@contextmanager
def track_progress(progress: Progress, folder: Path) -> Iterator[Progress]:
    """Return a progress that also writes for TensorBoard.

    Raises:
        ConfigError: tensorboard is not installed.
    """
    require_extra("tensorboard", "track")
    tracking = Tracking(progress, folder)
    try:
        yield tracking
    finally:
        tracking.close()


class Tracking:
    """A progress that writes the figures for TensorBoard and passes them to another progress."""

    def __init__(self, progress: Progress, folder: Path) -> None:
        self._progress, self._folder = progress, folder
        self._writer: SummaryWriter | None = None

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Write the numbers of the record, and pass it on; stages follow each other."""
        place = step + record.get("steps_before", 0)
        writer = self._writer = self._writer or self._open_writer(place)
        for name, value in record.items():
            if isinstance(value, int | float) and name not in _OF_STAGE:
                writer.add_scalar(_tag(name), value, place)
        self._progress.update(step, record)

    def close(self) -> None:
        """Write the remaining figures and close the file."""
        if self._writer is not None:
            self._writer.close()

    def _open_writer(self, step: int) -> "SummaryWriter":
        """Open a writer that discards an interrupted run's figures from this step on."""
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415

        return SummaryWriter(str(self._folder), purge_step=step)


def _tag(name: str) -> str:
    part = "train" if name in _TRAINING else "validation"
    return f"{part}/{name.removeprefix('validation_')}"
