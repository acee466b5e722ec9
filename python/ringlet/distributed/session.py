# SPDX-License-Identifier: Apache-2.0
"""Interface of a cluster to jobs, tables and matrices."""

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
        """Returns a Watch: it checks the scheduler, the workers and a time limit from now on."""

    def operation(self, circuit: Circuit, level: int) -> tuple[Operation, tuple[Shape, ...]]:
        """Sends a circuit to the scheduler. Returns the Operation that evaluates it on inputs of
        this level, and the shapes of its results."""

    def parcels(self, circuit: Circuit, given: Any) -> tuple[Parcel, ...]:
        """Checks the inputs of one evaluation and returns their bytes."""

    def parcel(self, ciphertext: Any) -> Parcel:
        """Checks a ciphertext and returns its bytes."""

    def task(self, job: str, number: int, operation: Operation, inputs: tuple[Any, ...]) -> Task:
        """Returns a task on the session's context."""
