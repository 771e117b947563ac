"""How does a run look in TensorBoard? Its figures by step, written beside what a person is shown.

    train/loss, train/accuracy, train/words_per_second   after every step
    validation/loss, validation/accuracy, ...            after every validation

A run that was interrupted goes on in the same folder, and nothing is there twice.
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


@contextmanager
def tracked(progress: Progress, folder: Path | None) -> Iterator[Progress]:
    """A progress that writes for TensorBoard, too, if there is a folder to write to.

    Raises:
        ConfigError: tensorboard is not installed.
    """
    if folder is None:
        yield progress
        return
    require_extra("tensorboard", "track")
    tracking = Tracking(progress, folder)
    try:
        yield tracking
    finally:
        tracking.close()


class Tracking:
    """Writes the figures, and hands them on."""

    def __init__(self, progress: Progress, folder: Path) -> None:
        self._progress, self._folder = progress, folder
        self._writer: SummaryWriter | None = None

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Write what the record has of numbers."""
        writer = self._writer = self._writer or self._opened(step)
        for name, value in record.items():
            if isinstance(value, int | float):
                writer.add_scalar(_tag(name), value, step)
        self._progress.update(step, record)

    def close(self) -> None:
        """Write what is left to write."""
        if self._writer is not None:
            self._writer.close()

    def _opened(self, step: int) -> "SummaryWriter":
        """A writer that takes back what an interrupted run wrote of this step and later ones."""
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415

        return SummaryWriter(str(self._folder), purge_step=step)


def _tag(name: str) -> str:
    part = "train" if name in _TRAINING else "validation"
    return f"{part}/{name.removeprefix('validation_')}"
