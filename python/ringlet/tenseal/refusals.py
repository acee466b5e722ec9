# SPDX-License-Identifier: Apache-2.0
"""Errors with the types that TenSEAL's callers expect, and checks of numbers."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from .. import _core
from ..errors import InvalidArgument, LogicError, WrongCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_Result = TypeVar("_Result")


class WrongShape(InvalidArgument, RuntimeError):
    """Tensors whose shapes do not fit. TenSEAL raises RuntimeError for them."""


def refuse(operation: str, offending: str, limit: str, remedy: str) -> NoReturn:
    """Raises InvalidArgument, a ValueError."""
    raise InvalidArgument(f"ringlet.tenseal: {operation}", offending, limit, remedy)


def refuse_type(operation: str, value: Any, limit: str) -> NoReturn:
    """Raises WrongCall, a TypeError and a ValueError."""
    name = type(value).__name__
    raise WrongCall(
        f"ringlet.tenseal: {operation}", f"a value of type {name}", limit, "pass one of these"
    )


def checked(operation: str, value: Any, kind: Any, limit: str) -> Any:
    """Returns the value. Raises WrongCall if it is of another type."""
    if not isinstance(value, kind):
        refuse_type(operation, value, limit)
    return value


def with_value_errors(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """Returns the function; what a state does not allow is a ValueError, as in TenSEAL."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> _Result:
        try:
            return function(*arguments, **options)
        except LogicError as e:
            raise InvalidArgument(e.operation, e.offending, e.limit, e.remedy) from None

    return call


def numbers(operation: str, values: Any, is_exact: bool = False) -> NDArray[Any]:
    """Returns numbers as an array of float64, or of int64, towards 0, for exact schemes.

    Raises WrongCall for what is no rectangular array of real numbers, InvalidArgument for numbers
    that are not finite.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in "iubf":
        refuse_type(operation, values, "real numbers, or rectangular lists of them")
    if not np.isfinite(array).all():
        refuse(operation, "a number that is not finite", "finite numbers", "replace nan and inf")
    return array.astype(np.int64 if is_exact else np.float64)


def read_bytes(operation: str, data: Any) -> bytes:
    """Returns bytes. Raises WrongCall for other types."""
    return bytes(checked(operation, data, (bytes, bytearray, memoryview), "bytes"))


def centred(values: NDArray[Any], modulus: int) -> NDArray[np.int64]:
    """Returns integers modulo t, in [-floor(t/2), t - floor(t/2))."""
    half = modulus // 2
    return np.asarray((values + half) % modulus - half)


def limit_of(degree: int) -> int:
    """Returns the most bits of a modulus with 128 bits of security."""
    return int(_core.max_modulus_bits(degree))
