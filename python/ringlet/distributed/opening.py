# SPDX-License-Identifier: Apache-2.0
"""Opens clients of Dask and processes of this machine, within a time limit."""

from __future__ import annotations

import multiprocessing
import signal
from multiprocessing import resource_tracker
from typing import Any

import dask
from distributed import Client, LocalCluster, Security

from ..errors import DistributedError, InvalidArgument, MissingPackage, RingletError
from .limits import Limits
from .watch import LOST, Call, scheduler_lost

_OPERATION = "ringlet.distributed.connect"
# The time for local processes to start, and for a late answer to arrive.
_START_SECONDS, _ANSWER_SECONDS = 30.0, 2.0

# By default, Dask's profiler wakes a hundred times a second and its event loops fifty times. Local
# workers lose time for computing by that.
_SELDOM_WATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "2s",
}


def open_client(
    address: Any, workers: int | None, limits: Limits, security: Any
) -> tuple[Client, list[Any]]:
    """Returns a Dask client, and the objects to close at the end."""
    if isinstance(address, Client):
        if address.status != "running":
            raise scheduler_lost(f"{address!r:.100}", f"the client is {address.status}")
        return address, []
    if address is None and getattr(multiprocessing.current_process(), "_inheriting", False):
        # This is a worker that runs the script of its client. The client reports the error.
        raise SystemExit(1)
    opened: list[Any] = []
    opening = Call(_open, address, workers, limits, security, opened)
    # A scheduler may accept the connection and never answer.
    patience = limits.worker_timeout + (_START_SECONDS if address is None else _ANSWER_SECONDS)
    try:
        if not opening.wait(patience):
            raise TimeoutError(f"no answer for {patience:.0f} s")
        opening.value()
    except BaseException as error:
        Call(_close_once_open, opening, opened)
        if not isinstance(error, Exception):
            raise
        raise _not_opened(address, error) from error
    return opened[0], opened


def _close_once_open(opening: Call, opened: list[Any]) -> None:
    opening.wait(10 * _START_SECONDS)
    for thing in opened:
        thing.close()


def _not_opened(address: Any, error: Exception) -> RingletError:
    what = f"{type(error).__name__}: {error}"
    if isinstance(error, ImportError):
        return MissingPackage(
            _OPERATION,
            what,
            "the package cryptography, which makes the keys of local processes",
            'pip install "ringlet[distributed]"; or security=False, with which every user of this '
            "machine can run code in this process",
        )
    if address is None:
        return DistributedError(
            _OPERATION,
            f"the local workers do not start: {what:.300}",
            'processes that import the script without running it (if __name__ == "__main__":)',
            "move the statements of the script below that line, and read the workers' output",
        )
    if isinstance(error, LOST):
        return scheduler_lost(str(address), what)
    return InvalidArgument(
        _OPERATION,
        f"address = {address!r:.100} ({what:.300})",
        "the address of a Dask scheduler, and a Security if the address begins with tls://",
        "pass the address that the scheduler prints when it starts, such as tcp://host:8786",
    )


def _keep_interrupts_from_workers() -> None:
    """Blocks SIGINT in this thread, so that the workers that it starts inherit the block. Ctrl-C in
    a terminal reaches all processes, and workers would print tracebacks. The client ends them
    instead."""
    resource_tracker.ensure_running()  # up to Python 3.12 its start would unblock the signal
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _open(
    address: Any, workers: int | None, limits: Limits, security: Any, opened: list[Any]
) -> None:
    """Opens a client and appends it to `opened`. If `address` is None, first starts a cluster on
    this machine and appends that too."""
    if address is None:
        _keep_interrupts_from_workers()
        with dask.config.set(_SELDOM_WATCHED):
            address = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                # No dashboard. Dask always starts a small HTTP server, here on any free port.
                dashboard_address="127.0.0.1:0",
                memory_limit=limits.worker_memory,
                security=Security.temporary() if security is None else security or None,
                scheduler_kwargs={"allowed_failures": limits.retries, "dashboard": False},
                env={"RINGLET_THREADS": "1"},
            )
        opened.append(address)
        security = None
    client = Client(
        address, security=security or None, timeout=limits.worker_timeout, set_as_default=False
    )
    opened.insert(0, client)
