# SPDX-License-Identifier: Apache-2.0
"""Looking after the scheduler and the workers, so that nothing waits for what never comes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from ..errors import SchedulerLost, WorkersLost
from .limits import Limits

POLL_SECONDS = 0.1
_WATCH_SECONDS = 1.0
_OPERATION = "ringlet.distributed"


class Call:
    """A call in a thread of its own, which keeps no process alive if it never returns."""

    def __init__(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        self.error: BaseException | None = None
        self._value: Any = None
        self._is_done = threading.Event()
        work = (call, arguments, options)
        threading.Thread(target=self._run, args=work, daemon=True).start()

    def _run(self, call: Callable[..., Any], arguments: Any, options: Any) -> None:
        try:
            self._value = call(*arguments, **options)
        except BaseException as error:  # handed to the thread that asked
            self.error = error
        self._is_done.set()

    def wait(self, seconds: float) -> bool:
        """Whether it is done after at most so many seconds."""
        return self._is_done.wait(seconds)

    def value(self) -> Any:
        """What a call that is done gave; raises what it raised."""
        if self.error is not None:
            raise self.error
        return self._value


class Watch:
    """Looks after the scheduler and the workers of one client, from now on. `revive` is told now
    and then how many workers there are."""

    def __init__(
        self, client: Client, limits: Limits, address: str, revive: Callable[[int], None]
    ) -> None:
        self._client = client
        self._limits = limits
        self._address = address
        self._revive = revive
        self._asked: Call | None = None
        now = time.monotonic()
        self._answered, self._populated, self._next = now, now, now
        self.nthreads: dict[str, int] = {}

    def check(self) -> None:
        """Raises SchedulerLost or WorkersLost; asks the scheduler now and then."""
        now = time.monotonic()
        if self._client.status != "running":
            raise scheduler_lost(self._address, "closed the connection")
        if self._asked is None:
            if now >= self._next:
                self._next = now + _WATCH_SECONDS
                self._asked = Call(self._client.nthreads)
        elif self._asked.wait(0):
            asked, self._asked = self._asked, None
            if asked.error is None:
                self._answered, self.nthreads = now, dict(asked.value())
                self._revive(len(self.nthreads))
            if self.nthreads:
                self._populated = now
        limit = self._limits.worker_timeout
        if now - self._answered > limit:
            raise scheduler_lost(self._address, f"no answer for {now - self._answered:.0f} s")
        if now - self._populated > limit:
            raise WorkersLost(
                _OPERATION,
                f"no worker at {self._address} for {now - self._populated:.0f} s",
                f"worker_timeout = {limit} s",
                "start workers (dask worker ADDRESS); inputs are as they were",
            )

    def call(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """What the call gives, or raises; SchedulerLost or WorkersLost if it cannot give it."""
        running = Call(call, *arguments, **options)
        while not running.wait(POLL_SECONDS):
            self.check()
        return running.value()

    def ask_threads(self) -> dict[str, int]:
        """Threads of each worker, now."""
        self.nthreads = dict(self.call(self._client.nthreads))
        return self.nthreads

    def others(self, future: Future, reported: str) -> tuple[str, ...]:
        """All workers but those that hold the result, and the one that says it made it. Waits for
        one to come, WorkersLost if none does within worker_timeout."""
        held = self.call(self._client.who_has, [future])
        holders = {address for addresses in held.values() for address in addresses}
        deadline = time.monotonic() + self._limits.worker_timeout
        while True:
            others = tuple(sorted(set(self.ask_threads()) - holders - {reported}))
            if others:
                return others
            if time.monotonic() > deadline:
                raise no_second_worker(reported)
            self.check()
            time.sleep(POLL_SECONDS)


def scheduler_lost(address: str, what: str) -> SchedulerLost:
    """The error for a scheduler that is gone."""
    return SchedulerLost(
        _OPERATION,
        f"the scheduler at {address}: {what}",
        "a scheduler that answers until the job is over",
        "start one, connect again and run the job again: its inputs are as they were",
    )


def no_second_worker(worker: str) -> WorkersLost:
    """The error for a repetition that has no worker."""
    return WorkersLost(
        _OPERATION,
        f"only {worker} to compute a task twice",
        'two workers for verify = "repeat"',
        'add workers, or take verify = "digest"',
    )


def workers_killed(error: KilledWorker) -> WorkersLost:
    """The error for a task that took its workers down."""
    last = getattr(error.last_worker, "address", error.last_worker)
    return WorkersLost(
        _OPERATION,
        f"task {error.task} ran on {error.allowed_failures + 1} workers that all died, the last "
        f"one {last}",
        f"{error.allowed_failures} deaths",
        "look at the workers' logs and memory; the inputs are as they were",
    )
