# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package.

Each one names four things: the operation that refused, the offending value, the limit, and what the
caller can do. The classes also derive from the built-in exception that a Python programmer expects.
"""

from __future__ import annotations

__all__ = [
    "ContextMismatch",
    "DistributedError",
    "InvalidArgument",
    "JobTimeout",
    "LogicError",
    "MissingPackage",
    "OutOfDeviceMemory",
    "OutOfRange",
    "ResultRejected",
    "RingletError",
    "RuntimeFailure",
    "SchedulerLost",
    "TaskFailed",
    "WorkersLost",
]


class RingletError(Exception):
    """Base of all exceptions of the package."""

    operation: str
    offending: str
    limit: str
    remedy: str

    def __init__(self, operation: str, offending: str, limit: str, remedy: str) -> None:
        super().__init__(operation, offending, limit, remedy)
        self.operation = operation
        self.offending = offending
        self.limit = limit
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.operation}: {self.offending}; limit: {self.limit}; remedy: {self.remedy}"


class InvalidArgument(RingletError, ValueError):
    """An argument outside of what the operation accepts."""


class ContextMismatch(InvalidArgument):
    """An object of other parameters than the context that it meets; names both fingerprints."""


class OutOfRange(RingletError, IndexError):
    """An index outside of a container of the library."""


class LogicError(RingletError, RuntimeError):
    """A call that the state of the object does not allow."""


class RuntimeFailure(RingletError, RuntimeError):
    """A failure of the surroundings: memory, randomness, files, devices, an unusable setting."""


class OutOfDeviceMemory(RuntimeFailure, MemoryError):
    """The memory of a device is used up; the operands of the operation are as they were."""


class MissingPackage(RuntimeFailure, ImportError):
    """A part of ringlet whose optional packages are not installed."""


class DistributedError(RuntimeFailure):
    """A job on several machines that ended without its result. Its inputs are as they were."""


class SchedulerLost(DistributedError):
    """The scheduler cannot be reached, or does not answer any more."""


class WorkersLost(DistributedError):
    """No worker is left, or a task took more workers down than it may."""


class TaskFailed(DistributedError):
    """A task that a worker could not compute, whose error it sent."""


class ResultRejected(DistributedError):
    """A result that is not what was asked for: damaged, of another task, or not reproducible."""


class JobTimeout(DistributedError, TimeoutError):
    """A job that took longer than it may."""
