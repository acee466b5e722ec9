# SPDX-License-Identifier: Apache-2.0
"""Errors of encrypted arrays, and checks of what comes from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import _core
from ..errors import InvalidArgument, WrongCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: Largest number of terms of a linear map, and of ciphertexts of an array.
MAX_TERMS = 1 << 24
MAX_CIPHERTEXTS = 1 << 14


def refuse(operation: str, offending: str, limit: str, remedy: str) -> NoReturn:
    """Raises InvalidArgument."""
    raise InvalidArgument(f"EncryptedArray.{operation}", offending, limit, remedy)


def refuse_call(operation: str, offending: str, limit: str, remedy: str) -> NoReturn:
    """Raises WrongCall: the operation does not exist for encrypted arrays."""
    raise WrongCall(operation, offending, limit, remedy)


def needs_decryption(operation: str, otherwise: str = "") -> NoReturn:
    """Raises WrongCall for an operation whose result is a number in the clear."""
    refuse_call(
        operation,
        "an encrypted array, whose numbers nobody can read here",
        "arrays in the clear",
        f"decrypt the array first, with client.decrypt(array){otherwise}",
    )


def compared() -> NoReturn:
    """Raises WrongCall for a comparison."""
    refuse_call(
        "comparison of encrypted arrays", "a result that is encrypted", "numbers in the clear",
        "use x.compare(y, ringlet.sign_approximation(gap, precision)), or decrypt first",
    )  # fmt: skip


def known_numbers(operation: str, values: Any, is_exact: bool) -> NDArray[Any]:
    """Returns numbers in the clear as an array: int64 for exact schemes, else float64, complex128
    or int64.

    Raises InvalidArgument for other types, and for numbers that are not finite.
    """
    if values is not None:
        _core.refuse_masked(values, f"EncryptedArray.{operation}", "values")
    try:
        array = np.asarray(values)
    except WrongCall:
        raise
    except (ValueError, OverflowError):
        refuse(operation, "a list that is no array", "rows of one length", "use rows of one length")
    kinds = "iub" if is_exact else "iubfc"
    if array.dtype.kind not in kinds:
        wanted = "integers" if is_exact else "real or complex numbers"
        remedy = "round the numbers to int64" if is_exact else "convert them with astype(float)"
        refuse(operation, f"numbers of dtype {array.dtype}", wanted, remedy)
    if array.dtype.kind == "u" and (array > np.iinfo(np.int64).max).any():
        refuse(operation, "an integer above 2^63 - 1", "int64", "pass smaller integers")
    if array.dtype.kind in "iub":
        return array.astype(np.int64)
    if not np.isfinite(array).all():
        refuse(operation, "a number that is not finite", "finite numbers", "replace nan and inf")
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def check_magnitude(operation: str, numbers: Any, magnitude: float) -> None:
    """Raises InvalidArgument for numbers above the magnitude of a client."""
    if np.abs(numbers).max() > magnitude:
        limit = f"magnitude = {magnitude:g}"
        refuse(operation, "a larger number", limit, "make a client with a larger magnitude")


def broadcast(operation: str, *shapes: Sequence[int]) -> tuple[int, ...]:
    """Returns the common shape. Raises InvalidArgument, in NumPy's words, if there is none."""
    try:
        return np.broadcast_shapes(*map(tuple, shapes))
    except ValueError:
        text = " ".join(str(tuple(shape)) for shape in shapes)
        refuse(
            operation,
            f"operands could not be broadcast together with shapes {text}",
            "equal lengths, or length 1, from the last axis on",
            "reshape an operand, as for NumPy",
        )


def normal_axes(operation: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """Returns the axes as numbers from 0 on, ascending; None stands for all."""
    given = range(ndim) if axis is None else np.atleast_1d(np.asarray(axis, object)).tolist()
    try:
        axes = sorted(int(a.__index__()) + (ndim if a < 0 else 0) for a in given)
    except (TypeError, AttributeError):
        refuse(operation, f"axis = {axis!r}", "an integer, integers or None", "name an axis")
    if axes and not 0 <= axes[0] <= axes[-1] < ndim:
        limit = f"axes from {-ndim} to {ndim - 1}" if ndim else "None, for an array without axes"
        refuse(operation, f"axis = {axis!r}", limit, "name an axis of the array")
    if len(set(axes)) < len(axes):
        refuse(operation, f"duplicate value in axis = {axis!r}", "each axis once", "leave one out")
    return tuple(axes)


def check_terms(operation: str, count: int) -> None:
    """Raises InvalidArgument for a linear map with too many terms."""
    if count > MAX_TERMS:
        refuse(operation, f"{count} products", f"{MAX_TERMS}", "compute the result in parts")
