# SPDX-License-Identifier: Apache-2.0
"""Checks results before the caller receives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import DistributedError, InvalidArgument, ResultRejected, RingletError, TaskFailed
from .frames import Parcel
from .tasks import Result, Task, seal

_OPERATION = "ringlet.distributed"
# A ciphertext's file has 96 bytes of frame and a few words before its polynomials.
_HEAD_BYTES = 1024


@dataclass(frozen=True)
class Shape:
    """The planned level and scale of a ciphertext. The scale is 1 for BFV and BGV."""

    level: int
    scale: float


def ciphertext_bytes(parameters: Any, level: int) -> int:
    """Returns the largest size in bytes of the file of a ciphertext of two polynomials at this
    level."""
    return 2 * (level + 1) * parameters.degree * 8 + _HEAD_BYTES


def check_result(
    result: Any, task: Task, lineage: bytes, shapes: Sequence[Shape], public: Any
) -> list[Any]:
    """Checks a result and returns its ciphertexts, bound to the public context.

    Raises TaskFailed if the worker could not compute the task, ResultRejected for any other fault.
    """
    if type(result) is not Result:
        raise _rejected(task, f"an object of type {type(result).__name__}", "a Result", None)
    if (result.job, result.number) != (task.job, task.number):
        raise _rejected(
            task, f"result {result.job}/{result.number}", f"{task.job}/{task.number}", result
        )
    if isinstance(result.error, RingletError):
        raise _failed(task, result)
    if result.fingerprint != public.fingerprint:
        raise _rejected(
            task,
            f"a result of context {result.fingerprint!s:.16}",
            f"context {public.fingerprint[:16]}",
            result,
        )
    if result.lineage != lineage:
        raise _rejected(task, "a result of other inputs", "the inputs that were sent", result)
    if len(result.outputs) != len(shapes):
        raise _rejected(task, f"{len(result.outputs)} ciphertexts", f"{len(shapes)}", result)
    if result.digest != seal(result):
        raise _rejected(task, "a digest of other bytes", "the SHA-256 of the result", result)
    return [
        _checked(task, parcel, shape, public, result)
        for parcel, shape in zip(result.outputs, shapes, strict=True)
    ]


def _checked(task: Task, parcel: Parcel, shape: Shape, public: Any, result: Result) -> Any:
    limit = ciphertext_bytes(public.parameters, shape.level)
    try:
        data = parcel.open(limit, task.frame_bytes)
        ciphertext = public.load_ciphertext(data)
    except RingletError as error:
        raise _rejected(task, error.offending, error.limit, result) from error
    scale = getattr(ciphertext, "scale", 1.0)
    if (ciphertext.size, ciphertext.level, scale) != (2, shape.level, shape.scale):
        raise _rejected(
            task,
            f"a ciphertext of {ciphertext.size} polynomials at level {ciphertext.level}, "
            f"scale {scale!r}",
            f"2 polynomials at level {shape.level}, scale {shape.scale!r}",
            result,
        )
    return ciphertext


def check_same(task: Task, first: Result, second: Result) -> None:
    """Raises ResultRejected unless two workers gave the same bytes."""
    if [p.digest for p in first.outputs] != [p.digest for p in second.outputs]:
        raise ResultRejected(
            _OPERATION,
            f"task {task.number}: {first.worker} and {second.worker} gave different ciphertexts",
            "equal ciphertexts from all workers",
            "compute the task with the public context yourself; remove the worker that differs",
        )


def check_input(public: Any, ciphertext: Any, operation: str) -> None:
    """Raises InvalidArgument if an input is not a ciphertext, ContextMismatch if it has another
    context."""
    if not hasattr(ciphertext, "fingerprint") or not hasattr(ciphertext, "to_bytes"):
        raise InvalidArgument(
            operation,
            f"an input of type {type(ciphertext).__name__}",
            "ciphertexts",
            "encrypt the inputs",
        )
    public.bind(ciphertext)


def _rejected(task: Task, offending: str, limit: str, result: Result | None) -> ResultRejected:
    worker = "a worker" if result is None else f"{result.worker!s:.60}"
    return ResultRejected(
        _OPERATION,
        f"task {task.number}: the result of {worker}: {offending}",
        limit,
        "remove that worker from the cluster and run the job again; its inputs are unchanged",
    )


def _failed(task: Task, result: Result) -> DistributedError:
    error = result.error
    assert error is not None
    if isinstance(error, ResultRejected):
        return _rejected(task, error.offending, error.limit, result)
    failed = TaskFailed(
        _OPERATION,
        f"task {task.number} on {result.worker}: {error.operation}: {error.offending}",
        error.limit,
        error.remedy,
    )
    failed.__cause__ = error
    return failed
