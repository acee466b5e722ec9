# SPDX-License-Identifier: Apache-2.0
"""Single evaluations whose results are read later."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import distributed

from .jobs import Job, Node
from .session import Session
from .watch import POLL_SECONDS


class Pending:
    """A running evaluation. `Cluster.submit` makes it.

    `future` is Dask's future; `result` releases it once it has the value. With verify="repeat", the
    second worker starts when `result` is called. Several threads may use one Pending.
    """

    def __init__(self, session: Session, node: Node) -> None:
        self._job = Job(session, [node], session.verify)
        self._results = self._job.results()
        self._lock = threading.Lock()
        self._value: Any = None
        self._error: BaseException | None = None
        self._is_known = False
        self.future: distributed.Future = self._job.start()

    def check_alive(self) -> None:
        """Raises the error that `result` would raise if there is no worker or no scheduler."""
        self._job.check_alive()

    def done(self) -> bool:
        """Returns True if the worker has finished. `result` may still raise an error."""
        return self._is_known or self.future.done()

    def result(self) -> Any:
        """Waits for the result, verifies it and returns it: a ciphertext, or a tuple of
        ciphertexts. Raises the errors of `Cluster.run`."""
        with self._lock:
            if self._error is not None:
                raise self._error
            if not self._is_known:
                try:
                    ((_, outputs),) = self._results
                except BaseException as error:
                    self._error = error  # There is no second answer.
                    raise
                self._value = outputs[0] if len(outputs) == 1 else tuple(outputs)
                self._is_known = True
        return self._value

    def __repr__(self) -> str:
        status = "finished" if self._is_known else self.future.status
        return f"<ringlet.distributed.Pending {self.future.key}: {status}>"


def as_completed(pending: Iterable[Pending]) -> Iterator[Pending]:
    """Yields the evaluations in the order in which they finish. Raises SchedulerLost, WorkersLost
    or JobTimeout if no more can finish."""
    done: queue.SimpleQueue[distributed.Future] = queue.SimpleQueue()
    by_key = {item.future.key: item for item in pending}
    for item in by_key.values():
        item.future.add_done_callback(done.put)
    while by_key:
        try:
            item = by_key.pop(done.get(timeout=POLL_SECONDS).key)
        except queue.Empty:
            next(iter(by_key.values())).check_alive()
            continue
        yield item
