"""Executors, which decide where jobs run, with the interface of `concurrent.futures`.

InProcess           this process, one job after another
LocalProcesses      processes of this machine (`processes`)
DaskExecutor        workers of a Dask scheduler, on any machines (`cluster`)
"""

from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from lengthwise.sweeps.cluster import DaskExecutor
from lengthwise.sweeps.processes import LocalProcesses

T = TypeVar("T")


class Executor(Protocol):
    """Runs functions, and distinguishes a worker that died from a function that raised."""

    @property
    def slots(self) -> int | None:
        """Number of functions that it takes at a time; None for any number."""
        ...

    def submit(self, function: Callable[..., T], /, *arguments: Any) -> "Future[T]":
        """Call a function elsewhere; the function and its arguments must be picklable."""
        ...

    def is_worker_lost(self, error: BaseException) -> bool:
        """Return whether the error of a future means that its worker died."""
        ...

    def require_alive(self) -> None:
        """Check that results can still arrive; called from time to time while none does.

        Raises:
            RunError: no result can arrive any more.
        """
        ...

    def stop(self) -> None:
        """Stop the functions that are running, at once where that is possible."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release the workers."""
        ...


class InProcess:
    """Calls functions at once, in this process."""

    slots = 1

    def submit(self, function: Callable[..., T], /, *arguments: Any) -> "Future[T]":
        """Call the function, and return a future that is done."""
        future: Future[T] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:  # not KeyboardInterrupt
            future.set_exception(error)
        return future

    def is_worker_lost(self, error: BaseException) -> bool:
        """Return False: if this process dies, no caller is left."""
        return False

    def require_alive(self) -> None:
        """Do nothing: the caller is alive."""

    def stop(self) -> None:
        """Do nothing: no function is running when this can be called."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def executor_for(workers: int = 1, scheduler: str | None = None) -> Executor:
    """Return the executor for a command's options: a scheduler's workers if one is named.

    Raises:
        ConfigError: there are no workers, or the scheduler cannot be reached.
    """
    if scheduler is not None:
        return DaskExecutor(scheduler)
    if workers == 1:
        return InProcess()
    return LocalProcesses(workers)
