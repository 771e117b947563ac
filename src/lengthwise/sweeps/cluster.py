"""Jobs on many machines: workers of a Dask scheduler, which share a file system."""

import gc
import re
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any, Self, TypeVar

from lengthwise.errors import ConfigError, RunError
from lengthwise.settings import require

T = TypeVar("T")


class DaskExecutor:
    """The workers of a scheduler, such as `tcp://10.0.0.1:8786`.

    If a worker dies, Dask itself gives its job to another one, a few times
    (`distributed.scheduler.allowed-failures`); only a job that Dask gives up is `is_worker_lost`.

    Raises:
        ConfigError: `distributed` is not installed, or nothing answers at the address.
    """

    slots = None

    def __init__(self, address: str, *, timeout: float = 10.0) -> None:
        require(
            re.fullmatch(r"((tcp|tls|ucx|ws|wss)://)?[^/]+:\d+", address) is not None,
            f"scheduler {address!r} is not an address. Write it as tcp://HOST:PORT.",
        )
        try:
            from distributed import Client, KilledWorker
        except ImportError:
            raise ConfigError(
                "a scheduler needs the library distributed, which is not installed. "
                "Use pip install 'lengthwise[sweep]'."
            ) from None
        reason = ""
        try:
            self._client = Client(address, timeout=timeout, set_as_default=False)
        except Exception as error:  # some protocols raise errors of their own
            reason = str(error).partition("\n")[0] or type(error).__name__
        if reason:
            gc.collect()  # closes the rest of the client, which is slow and fails at exit
            raise ConfigError(
                f"no Dask scheduler answers at {address!r} ({reason}). Start one with `dask "
                f"scheduler`, or correct the address; tls, wss and ucx must be set up in Dask."
            )
        self._address = address
        self._killed = KilledWorker
        self._executor = self._client.get_executor(pure=False)

    def submit(self, function: Callable[..., T], /, *arguments: Any) -> "Future[T]":
        """Call the function on some worker."""
        self.require_alive()
        future: Future[T] = self._executor.submit(function, *arguments)
        return future

    def is_worker_lost(self, error: BaseException) -> bool:
        """Return whether workers died of the job, or the scheduler lost it."""
        return isinstance(error, self._killed | CancelledError)

    def require_alive(self) -> None:
        """Raise `RunError` if the scheduler has stopped; distributed then leaves futures open."""
        if self._client.status in ("closing", "closed"):
            raise RunError(
                f"the Dask scheduler at {self._address!r} has gone. Start one, and run the sweep "
                f"again; what is finished is kept."
            )

    def stop(self) -> None:
        """Cancel the jobs that have not begun.

        A job that a worker has begun runs to its end, and is kept.
        """
        if self._client.status == "running":
            self._executor.shutdown(wait=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._client.close()
