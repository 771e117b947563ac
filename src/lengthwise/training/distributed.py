"""Is a batch divided among processes, as `torchrun` or `accelerate launch` started them?

Each process draws the batch of all and takes its share. What they return are parts of one sum (a
loss, its gradient, a number of words), so that with any number of processes and any remainder the
sum is what one process finds alone, but for rounding. All sums, and with them all weights, are the
same bits in every process. For that reason gradients are summed here, in one piece: torch's own
wrapper takes the mean of means, which is another number where shares differ in size.
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

from lengthwise.data.extra import require_extra
from lengthwise.errors import RunError
from lengthwise.settings import require

if TYPE_CHECKING:
    from accelerate import PartialState

Items = TypeVar("Items", NDArray[np.int64], Sequence[NDArray[np.int64]])


class ProcessGroup(Protocol):
    """All processes that train one model, seen from one of them.

    Raises:
        RunError: of sums and waiting: another process has stopped.
    """

    @property
    def count(self) -> int:
        """How many there are."""
        ...

    @property
    def is_main(self) -> bool:
        """Whether this is the one that writes and speaks."""
        ...

    def share(self, items: Items) -> Items:
        """Those that are this process's to work on."""
        ...

    def summed(self, *figures: float) -> tuple[float, ...]:
        """The sum of each over all processes, which all of them must ask for."""
        ...

    def sum_gradients(self, model: nn.Module) -> None:
        """Put in place of the gradients their sums over all processes."""
        ...

    def wait(self) -> None:
        """Go on when all processes are here."""
        ...


class Alone:
    """One process, to which all of this comes down to nothing."""

    count = 1
    is_main = True

    def share(self, items: Items) -> Items:
        """All of them."""
        return items

    def summed(self, *figures: float) -> tuple[float, ...]:
        """The figures."""
        return figures

    def sum_gradients(self, model: nn.Module) -> None:
        """Nothing."""

    def wait(self) -> None:
        """Nothing."""


ALONE = Alone()


class Joined:
    """Some processes, joined by the library accelerate."""

    def __init__(self, state: "PartialState") -> None:
        self._state = state
        self.count: int = state.num_processes
        self.is_main: bool = state.is_main_process

    def share(self, items: Items) -> Items:
        """Every so many-th, from its own number on."""
        return items[self._state.process_index :: self.count]

    def summed(self, *figures: float) -> tuple[float, ...]:
        """The sum of each, in double precision."""
        own = torch.tensor(figures, dtype=torch.float64, device=self._state.device)
        return tuple(_sum(own).tolist())

    def sum_gradients(self, model: nn.Module) -> None:
        """One message for all gradients; a weight that this process did not use has zeros."""
        trained = [p for p in model.parameters() if p.requires_grad]
        own = [torch.zeros_like(p) if p.grad is None else p.grad for p in trained]
        whole = _sum(torch.cat([gradient.flatten() for gradient in own]))
        parts = torch.split(whole, [p.numel() for p in trained])
        for parameter, part in zip(trained, parts, strict=True):
            parameter.grad = part.view_as(parameter).to(parameter.dtype)

    def wait(self) -> None:
        """A barrier."""
        with _all_there():
            self._state.wait_for_everyone()


def _sum(own: torch.Tensor) -> torch.Tensor:
    from accelerate.utils import reduce  # noqa: PLC0415

    with _all_there():
        return reduce(own, "sum")


@contextmanager
def _all_there() -> Iterator[None]:
    """Say it if the others cannot be reached."""
    try:
        yield
    except RuntimeError as error:
        raise RunError(
            f"another process has stopped ({str(error).splitlines()[0]}). See what it said; given "
            f"again, the command goes on from the last checkpoint."
        ) from error


@dataclass(frozen=True, slots=True)
class Rank:
    """Which process this is, as the environment says."""

    index: int
    count: int

    @classmethod
    def here(cls) -> "Rank":
        """That of this process.

        Raises:
            ConfigError: it is said to be one of several, but not which.
        """
        count = _whole("WORLD_SIZE", "1")
        if count < 2:
            return cls(0, 1)
        _whole("LOCAL_RANK")  # without it accelerate would leave each alone
        return cls(_whole("RANK"), count)


def require_alone(what: str) -> None:
    """Refuse to do one of several processes' share of work that is not divided.

    Raises:
        ConfigError: there are several.
    """
    count = Rank.here().count
    require(
        count == 1,
        f"{what} is not divided among processes, but there are {count}; only training on text:DIR "
        f"is. Start one, without torchrun.",
    )


def join(device: str) -> ProcessGroup:
    """The processes that were started together with this one; `ALONE`, if there are none.

    From then on `auto` is an accelerator of its own for each.

    Raises:
        ConfigError: accelerate is not installed, or there are too few accelerators.
    """
    if Rank.here().count == 1:
        return ALONE
    require_extra("accelerate")
    from accelerate import PartialState  # noqa: PLC0415

    on_processor = device == "cpu" or (device == "auto" and not torch.accelerator.is_available())
    if not on_processor:
        needed, there = _whole("LOCAL_WORLD_SIZE"), torch.accelerator.device_count()
        require(
            needed <= there,
            f"{needed} processes on a machine need an accelerator each, but there are {there}. "
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
    """A number that the launcher leaves in the environment."""
    text = os.environ.get(name, otherwise)
    require(
        text.isdigit(),
        f"the environment says WORLD_SIZE={os.environ.get('WORLD_SIZE')!r} and {name}={text!r}, "
        f"which is no number. Start with torchrun or accelerate launch, or unset WORLD_SIZE.",
    )
    return int(text)
