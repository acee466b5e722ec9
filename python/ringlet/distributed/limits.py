# SPDX-License-Identifier: Apache-2.0
"""How much a job may take before it ends in an error."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ..errors import InvalidArgument
from .frames import MAX_FRAME_BYTES


@dataclass(frozen=True)
class Limits:
    """What a job may take.

    timeout: seconds for a whole job, none by default. retries: how often a task is tried again that
    raised an error, or whose worker died while it ran. worker_timeout: seconds without any worker,
    or without an answer of the scheduler, until the job is given up. max_frame_bytes: length of a
    frame, at most 4 MiB. max_bytes_in_flight: bytes of inputs and expected results of all tasks
    that are submitted and not finished; further tasks wait with the client. tasks_per_thread: so
    many tasks are submitted for each thread of the workers. worker_memory: bytes, or as Dask writes
    them ("2 GiB"), that a local worker may use before it is restarted.
    """

    timeout: float | None = None
    retries: int = 3
    worker_timeout: float = 30.0
    max_frame_bytes: int = MAX_FRAME_BYTES
    max_bytes_in_flight: int = 256 << 20
    tasks_per_thread: int = 4
    worker_memory: int | str = "auto"

    def __post_init__(self) -> None:
        """InvalidArgument for what no job could keep to."""
        highest = {"max_frame_bytes": MAX_FRAME_BYTES}
        lowest = {"retries": 0, "max_frame_bytes": 1024}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str) or (field.name == "timeout" and value is None):
                continue
            low, high = lowest.get(field.name, 0), highest.get(field.name)
            is_least_allowed = field.name in lowest
            if value < low or (value == low and not is_least_allowed) or (high and value > high):
                raise InvalidArgument(
                    "Limits",
                    f"{field.name} = {value!r}",
                    f"{'at least' if is_least_allowed else 'more than'} {low}"
                    + (f", at most {high}" if high else ""),
                    "choose a number in that range",
                )
