# SPDX-License-Identifier: Apache-2.0
"""What jobs, tables and matrices need of a cluster."""

from __future__ import annotations

from typing import Any, Protocol

from distributed import Client

from .. import Circuit
from .check import Shape
from .frames import Parcel
from .limits import Limits
from .tasks import Operation, Task
from .watch import Watch


class Session(Protocol):
    """A public context on the workers of a scheduler, to which tasks are sent."""

    public: Any
    client: Client
    verify: str
    limits: Limits
    address: str
    context_digest: str
    sent_bytes: int
    received_bytes: int

    def watch(self, timeout: float | None = None) -> Watch:
        """Something that looks after scheduler, workers and a time limit, from now on."""

    def operation(self, circuit: Circuit, level: int) -> tuple[Operation, tuple[Shape, ...]]:
        """A circuit on inputs of that level, known to the scheduler, and its results' shapes."""

    def parcels(self, circuit: Circuit, given: Any) -> tuple[Parcel, ...]:
        """The bytes of the inputs of one evaluation, checked."""

    def parcel(self, ciphertext: Any) -> Parcel:
        """The bytes of one ciphertext, checked."""

    def task(self, job: str, number: int, operation: Operation, inputs: tuple[Any, ...]) -> Task:
        """A task on the session's context."""
