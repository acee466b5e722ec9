# SPDX-License-Identifier: Apache-2.0
"""Checks the scheduler and the workers, so that no call waits forever."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from distributed import Client
from distributed.scheduler import KilledWorker

from ..errors import JobTimeout, SchedulerLost, WorkersLost
from .limits import Limits

POLL_SECONDS = 0.1
LOST = (OSError, asyncio.TimeoutError)
"""Errors that a client raises if its scheduler does not answer."""

_WATCH_SECONDS = 1.0
_OPERATION = "ringlet.distributed"


class Call:
    """Runs a function in its own thread. The thread does not keep the process alive if the function
    never returns."""

    def __init__(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        self.error: BaseException | None = None
        self._value: Any = None
        self._is_done = threading.Event()
        work = (call, arguments, options)
        threading.Thread(target=self._run, args=work, daemon=True).start()

    def _run(self, call: Callable[..., Any], arguments: Any, options: Any) -> None:
        try:
            self._value = call(*arguments, **options)
        except BaseException as error:  # raised in the thread that asked
            self.error = error
        self._is_done.set()

    def wait(self, seconds: float) -> bool:
        """Waits at most this many seconds. Returns True if the function has ended."""
        return self._is_done.wait(seconds)

    def value(self) -> Any:
        """Returns the result of the function, or raises its error. Call it only after `wait`
        returned True."""
        if self.error is not None:
            raise self.error
        return self._value


class Absence:
    """Measures how long something has been missing. The time between two checks counts for at most
    one second: after a longer pause, this process was late and nobody else."""

    def __init__(self) -> None:
        self._was_missing = False
        self._seconds = self._looked = 0.0

    def seconds_of(self, is_missing: bool) -> float:
        """Returns the seconds for which the thing has been missing. is_missing: whether it is
        missing now.
        """
        now = time.monotonic()
        step = min(now - self._looked, _WATCH_SECONDS)
        self._seconds = self._seconds + step if is_missing and self._was_missing else 0.0
        self._looked, self._was_missing = now, is_missing
        return self._seconds


class Watch:
    """Checks the scheduler, the workers and the time limit of one job, from its creation on. It
    calls `revive` regularly with the number of workers."""

    def __init__(
        self,
        client: Client,
        limits: Limits,
        address: str,
        revive: Callable[[int], None],
        timeout: float | None,
    ) -> None:
        self._client = client
        self._limits = limits
        self._address = address
        self._revive = revive
        self._timeout = timeout
        self._asked: Call | None = None
        self._has_answer = False
        self._silent, self._empty = Absence(), Absence()
        self._started = self._next = time.monotonic()
        self.nthreads: dict[str, int] = {}

    def check(self) -> None:
        """Raises JobTimeout, SchedulerLost or WorkersLost if the job cannot go on. Asks the
        scheduler from time to time."""
        now = time.monotonic()
        if self._timeout is not None and now - self._started > self._timeout:
            raise JobTimeout(
                _OPERATION,
                f"a job that has not finished after {now - self._started:.1f} s",
                f"timeout = {self._timeout} s",
                "use a longer timeout, add workers, or compute less in one job",
            )
        if self._client.status != "running":
            raise scheduler_lost(self._address, "closed the connection")
        if self._asked is None and now >= self._next:
            self._next = now + _WATCH_SECONDS
            self._asked = Call(self._client.nthreads)
        elif self._asked is not None and self._asked.wait(0):
            asked, self._asked = self._asked, None
            self._has_answer = asked.error is None
            if self._has_answer:
                self.nthreads = dict(asked.value())
                self._revive(len(self.nthreads))
        silent = self._silent.seconds_of(self._asked is not None or not self._has_answer)
        empty = self._empty.seconds_of(not self.nthreads)
        limit = self._limits.worker_timeout
        if silent > limit:
            raise scheduler_lost(self._address, f"no answer for {silent:.0f} s")
        if empty > limit:
            raise WorkersLost(
                _OPERATION,
                f"no worker at {self._address} for {empty:.0f} s",
                f"worker_timeout = {limit} s",
                "start workers (dask worker ADDRESS) and repeat the job; its inputs are unchanged",
            )

    def call(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Runs a function and returns its result or raises its error. Raises SchedulerLost or
        WorkersLost if it cannot finish."""
        running = Call(call, *arguments, **options)
        while not running.wait(POLL_SECONDS):
            self.check()
        try:
            return running.value()
        except Exception as error:
            if self._client.status != "running":
                raise scheduler_lost(self._address, "closed the connection") from error
            if isinstance(error, LOST):
                what = f"{type(error).__name__}: {error}"
                raise scheduler_lost(self._address, what) from error
            raise

    def ask_threads(self) -> dict[str, int]:
        """Asks for the number of threads of each worker and returns it, by address."""
        self.nthreads = dict(self.call(self._client.nthreads))
        return self.nthreads


def scheduler_lost(address: str, what: str) -> SchedulerLost:
    """Returns the error for a lost scheduler."""
    return SchedulerLost(
        _OPERATION,
        f"the scheduler at {address}: {what}",
        "a scheduler that answers until the job is over",
        "start a scheduler, connect and run the job again; its inputs are unchanged",
    )


def no_second_worker(worker: str) -> WorkersLost:
    """Returns the error for a task that cannot be repeated, because there is no second worker."""
    return WorkersLost(
        _OPERATION,
        f"only {worker} is left, and the task must be computed twice",
        'two workers for verify = "repeat"',
        'add workers, or use verify = "digest"',
    )


def workers_killed(error: KilledWorker) -> WorkersLost:
    """Returns the error for a task whose workers all died."""
    last = getattr(error.last_worker, "address", error.last_worker)
    return WorkersLost(
        _OPERATION,
        f"task {error.task} ran on {error.allowed_failures + 1} workers that all died, the last "
        f"one {last}",
        f"at most {error.allowed_failures} lost workers",
        "read the workers' logs and check their memory; the inputs are unchanged",
    )
