"""Jobs on all cores of this machine, in processes that are replaced when they die.

Each process is a pool by itself, so that when one dies its job is known. A process ends when the
pipe that it was given closes: this is how it is stopped, and how it detects that its parent process
has died.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any, Self, TypeVar

import torch

from lengthwise.settings import require

T = TypeVar("T")

_STOPPED = 3
"""Exit status of a process that was stopped."""


class LocalProcesses:
    """A number of processes, each with its share of the processor's threads.

    They are spawned, so a script that uses them must be guarded by `if __name__ == "__main__"`.
    """

    def __init__(self, workers: int) -> None:
        require(workers >= 1, f"workers={workers} would do nothing. Use 1 or more.")
        threads = max(1, (os.cpu_count() or 1) // workers)
        self._lanes = [_Lane(threads) for _ in range(workers)]

    @property
    def slots(self) -> int:
        """Number of processes."""
        return len(self._lanes)

    def submit(self, function: Callable[..., T], /, *arguments: Any) -> "Future[T]":
        """Call the function in a free process."""
        free = next(lane for lane in self._lanes if lane.is_free)
        return free.submit(function, *arguments)

    def is_worker_lost(self, error: BaseException) -> bool:
        """Return whether the process died, for example from lack of memory, or was killed."""
        return isinstance(error, BrokenProcessPool)

    def require_alive(self) -> None:
        """Do nothing: a process that dies ends its future."""

    def stop(self) -> None:
        """End all processes at once, whatever they are computing."""
        for lane in self._lanes:
            lane.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Lane:
    """One process, and the call that it is computing."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool: ProcessPoolExecutor | None = None
        self._pipe: Connection | None = None
        self._call: Future[Any] | None = None

    @property
    def is_free(self) -> bool:
        """True if the last call has ended."""
        return self._call is None or self._call.done()

    def submit(self, function: Callable[..., T], *arguments: Any) -> "Future[T]":
        """Call a function, in a new process if the last one has died."""
        try:
            call = self._running().submit(function, *arguments)
        except BrokenProcessPool:  # it died while it was idle
            self.stop()
            call = self._running().submit(function, *arguments)
        self._call = call
        return call

    def stop(self) -> None:
        """End the process."""
        if self._pipe is not None:
            self._pipe.close()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = self._pipe = self._call = None

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            ears, self._pipe = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(
                1, mp_context=context, initializer=_begin, initargs=(ears, self._threads)
            )
        return self._pool


def _begin(ears: Connection, threads: int) -> None:
    """Prepare a new process: its threads, its signals, and its end when the pipe closes."""
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, signal.SIG_IGN)  # the parent process handles them, and ends this one
    torch.set_num_threads(threads)
    threading.Thread(target=_end_with, args=(ears,), daemon=True).start()


def _end_with(ears: Connection) -> None:
    ears.poll(None)  # nothing is ever sent: it returns when the other end is closed
    os._exit(_STOPPED)
