# SPDX-License-Identifier: Apache-2.0
"""Limits of a job. A job that exceeds one of them ends with an error."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from dask.utils import parse_bytes

from ..errors import InvalidArgument
from .frames import MAX_FRAME_BYTES

# Seconds that Python's locks can wait; NaN and infinity are outside of each range.
_SECONDS = (Real, 1e-3, 1e8)
_RANGES: dict[str, tuple[Any, float, float]] = {
    "timeout": _SECONDS,
    "retries": (Integral, 0, 1 << 31),
    "worker_timeout": _SECONDS,
    "load_timeout": _SECONDS,
    "max_frame_bytes": (Integral, 1024, MAX_FRAME_BYTES),
    "max_bytes_in_flight": (Integral, 1, 1 << 62),
    "tasks_per_thread": (Integral, 1, 1 << 31),
}


@dataclass(frozen=True)
class Limits:
    """Limits of a job. Raises InvalidArgument for a value out of range.

    - timeout: seconds for a whole job; None for no limit.
    - retries: number of new attempts for a task that raised an error, or whose local worker died
      while it ran. For other clusters, Dask's setting for worker deaths applies.
    - worker_timeout: seconds without any worker, or without an answer of the scheduler, after which
      the job fails.
    - load_timeout: seconds in which all workers must fetch and load the context in `connect`.
    - max_frame_bytes: largest length of a frame in bytes, at most 4 MiB.
    - max_bytes_in_flight: largest number of bytes of inputs and expected results of all submitted,
      unfinished tasks. Further tasks wait in the client.
    - tasks_per_thread: number of submitted tasks for each thread of the workers.
    - worker_memory: memory that a local worker may use before it is restarted: bytes, a text such
      as "2 GiB", or "auto" for Dask's default.
    """

    timeout: float | None = None
    retries: int = 3
    worker_timeout: float = 30.0
    load_timeout: float = 300.0
    max_frame_bytes: int = MAX_FRAME_BYTES
    max_bytes_in_flight: int = 256 << 20
    tasks_per_thread: int = 4
    worker_memory: int | str = "auto"

    def __post_init__(self) -> None:
        """Raises InvalidArgument for a value out of range."""
        for name, (kind, low, high) in _RANGES.items():
            value = getattr(self, name)
            if value is None and name == "timeout":
                continue
            if not isinstance(value, kind) or not low <= value <= high:
                whole = "an integer" if kind is Integral else "a number"
                _refuse(name, value, f"{whole} from {low} to {high}")
        if self.worker_memory != "auto" and not _is_memory(self.worker_memory):
            limit = 'a number of bytes, "auto", or a size such as "2 GiB"'
            _refuse("worker_memory", self.worker_memory, limit)


def _is_memory(size: Any) -> bool:
    if isinstance(size, Integral):
        return int(size) > 0
    try:
        return isinstance(size, str) and parse_bytes(size) > 0
    except ValueError:
        return False


def _refuse(name: str, value: object, limit: str) -> None:
    raise InvalidArgument("Limits", f"{name} = {value!r}", limit, "pass a value within this limit")
