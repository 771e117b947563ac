"""Distributed training: batches are divided among processes of `torchrun` or `accelerate launch`.

Each process draws the whole batch and takes its share. The processes return parts of one sum (a
loss, its gradient, a number of words). So with any number of processes and any remainder the sum is
the one that a single process computes, except for rounding. All sums, and with them all weights,
are the same bits in every process. For that reason gradients are summed here, in one piece: torch's
own wrapper takes the mean of means, which is another number where shares differ in size.
"""

import atexit
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lengthwise.errors import RunError
from lengthwise.settings import require

if TYPE_CHECKING:
    from accelerate import PartialState

Items = TypeVar("Items", NDArray[np.int64], Sequence[NDArray[np.int64]])


class ProcessGroup(Protocol):
    """The group of processes that train one model together, as one of its members sees it.

    Raises:
        RunError: raised by sums and by waiting if another process has stopped.
    """

    @property
    def count(self) -> int:
        """Number of processes."""
        ...

    @property
    def is_main(self) -> bool:
        """Whether this process is the one that writes files and prints messages."""
        ...

    def share(self, items: Items) -> Items:
        """Return the items that this process works on."""
        ...

    def all_reduce(self, *figures: float) -> tuple[float, ...]:
        """Return the sum of each figure over all processes; every process must call this."""
        ...

    def sum_gradients(self, model: nn.Module) -> None:
        """Replace the gradients by their sums over all processes."""
        ...

    def wait(self) -> None:
        """Wait until all processes have called this."""
        ...


class Alone:
    """A group of one process, in which nothing is divided and sums are unchanged."""

    count = 1
    is_main = True

    def share(self, items: Items) -> Items:
        """Return all items."""
        return items

    def all_reduce(self, *figures: float) -> tuple[float, ...]:
        """Return the figures unchanged."""
        return figures

    def sum_gradients(self, model: nn.Module) -> None:
        """Leave the gradients as they are."""

    def wait(self) -> None:
        """Return at once."""


ALONE = Alone()


class Joined:
    """Several processes, connected by the library accelerate."""

    def __init__(self, state: "PartialState") -> None:
        self._state = state
        self.count: int = state.num_processes
        self.is_main: bool = state.is_main_process

    def share(self, items: Items) -> Items:
        """Return every `count`-th item, beginning with the one at this process's index."""
        return items[self._state.process_index :: self.count]

    def all_reduce(self, *figures: float) -> tuple[float, ...]:
        """Return the sum of each figure over all processes, in double precision."""
        values = torch.tensor(figures, dtype=torch.float64, device=self._state.device)
        return tuple(_sum(values).tolist())

    def sum_gradients(self, model: nn.Module) -> None:
        """Sum all gradients in one message; a weight not used here counts as zeros."""
        trained = [p for p in model.parameters() if p.requires_grad]
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in trained]
        total = _sum(torch.cat([gradient.flatten() for gradient in gradients]))
        parts = torch.split(total, [p.numel() for p in trained])
        for parameter, part in zip(trained, parts, strict=True):
            parameter.grad = part.view_as(parameter).to(parameter.dtype)

    def wait(self) -> None:
        """Wait at a barrier."""
        with _all_there():
            self._state.wait_for_everyone()


def _sum(tensor: torch.Tensor) -> torch.Tensor:
    from accelerate.utils import reduce  # noqa: PLC0415

    with _all_there():
        return reduce(tensor, "sum")


@contextmanager
def _all_there() -> Iterator[None]:
    """Turn a failure to reach the other processes into a `RunError` with one line."""
    try:
        yield
    except RuntimeError as error:
        raise RunError(
            f"another process has stopped ({str(error).splitlines()[0]}). See what it said. Run "
            f"the command again: it continues from the last checkpoint."
        ) from error


@dataclass(frozen=True, slots=True)
class Rank:
    """The index of a process and the number of processes, as the environment gives them."""

    index: int
    count: int

    @classmethod
    def here(cls) -> "Rank":
        """Return the rank of this process.

        Raises:
            ConfigError: the environment says that there are several processes, but not which it is.
        """
        count = _whole("WORLD_SIZE", "1")
        if count < 2:
            return cls(0, 1)
        _whole("LOCAL_RANK")  # without it accelerate would not connect the processes
        return cls(_whole("RANK"), count)


def require_alone(work: str) -> None:
    """Refuse to run as one of several processes if the work cannot be divided.

    Raises:
        ConfigError: there are several processes.
    """
    count = Rank.here().count
    require(
        count == 1,
        f"{work} is not divided among processes, but there are {count}; only training on text:DIR "
        f"is. Start one, without torchrun.",
    )


def join(device: str) -> ProcessGroup:
    """Return the group of the processes that were started with this one; `ALONE` if there are none.

    After this call, the device `auto` is a separate accelerator for each process.

    Raises:
        ConfigError: accelerate is not installed, or there are too few accelerators.
    """
    if Rank.here().count == 1:
        return ALONE
    from lengthwise.data.extra import require_extra  # noqa: PLC0415  for several processes alone

    require_extra("accelerate")
    from accelerate import PartialState  # noqa: PLC0415

    on_processor = device == "cpu" or (device == "auto" and not torch.accelerator.is_available())
    if not on_processor:
        needed, available = _whole("LOCAL_WORLD_SIZE"), torch.accelerator.device_count()
        require(
            needed <= available,
            f"{needed} processes on a machine need an accelerator each, but there are {available}. "
            f"Start fewer, or use device cpu.",
        )
        require(
            ":" not in device,
            f"device {device!r} is one for all processes. Use auto, and each has its own.",
        )
    state = PartialState(cpu=on_processor)
    atexit.register(state.destroy_process_group)
    return Joined(state)


def _whole(name: str, otherwise: str = "") -> int:
    """Return an integer that the launcher leaves in the environment."""
    text = os.environ.get(name, otherwise)
    require(
        text.isdigit(),
        f"the environment says WORLD_SIZE={os.environ.get('WORLD_SIZE')!r} and {name}={text!r}, "
        f"which is not a number. Start with torchrun or accelerate launch, or unset WORLD_SIZE.",
    )
    return int(text)
