# SPDX-License-Identifier: Apache-2.0
"""Element-wise modular arithmetic on NumPy arrays of uint64; the modulus is an argument.

Arrays have shape (n,), or (rows, n) for a batch. The words of a row are contiguous; rows may lie
any whole number of words apart. Arrays are read and written in place, never copied or converted.
All arrays of a call have one shape; `numpy.broadcast_to(row, (rows, n))` repeats a row without a
copy.

The modulus `q` is one integer, or a sequence with one integer for each row (a residue number
system). Sums and differences take q in [2, 2^63), all other functions q in [2, 2^62). q need not be
prime. A scalar is an integer, or a sequence with one integer for each row.

Values are in [0, q), and are checked; results are in [0, q). If a function has other ranges, its
docstring states them. `out` is the array to write, and is returned. It may be an operand, but must
not overlap an operand in another way. Without it the result is a new array.

All functions raise `ringlet.InvalidArgument` for arguments that do not fit; nothing is written
then. They release the interpreter's lock during the work.

The module keeps the kernels of the moduli that were used last (at most 256 `Eltwise` objects).
RINGLET_FORCE_KERNELS selects the kernels; by default they are the best of the processor. `Eltwise`
has the same operations for a modulus and kernels that are chosen once.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from ._core import Comparison, Eltwise
from .errors import InvalidArgument

__all__ = [
    "add",
    "compare_add",
    "compare_subtract",
    "dot",
    "multiply",
    "multiply_accumulate",
    "multiply_add",
    "negate",
    "reduce",
    "reduce_range",
    "subtract",
]

Array = npt.NDArray[np.uint64]
Scalars = SupportsIndex | Sequence[SupportsIndex]
_CACHED_PLANS = 256


@functools.lru_cache(maxsize=_CACHED_PLANS)
def _cached_plan(q: int | tuple[int, ...]) -> Eltwise:
    return Eltwise(q)


def _key(q: Scalars) -> int | tuple[int, ...]:
    try:
        return operator.index(q)  # type: ignore[arg-type]
    except TypeError:
        return tuple(operator.index(modulus) for modulus in q)  # type: ignore[union-attr]


def _plan(q: Scalars) -> Eltwise:
    try:
        key = _key(q)
    except TypeError:
        raise InvalidArgument(
            "ringlet.vector",
            f"q = {q!r}"[:80],
            "an integer, or a sequence of integers, one for each row",
            "pass the modulus as an int",
        ) from None
    return _cached_plan(key)


def add(a: Array, b: Array | Scalars, q: Scalars, out: Array | None = None) -> Array:
    """Returns (a + b) mod q. b is an array of a's shape, or a scalar in [0, q)."""
    return _plan(q).add(a, b, out)


def subtract(a: Array, b: Array | Scalars, q: Scalars, out: Array | None = None) -> Array:
    """Returns (a - b) mod q. b is an array of a's shape, or a scalar in [0, q)."""
    return _plan(q).subtract(a, b, out)


def negate(a: Array, q: Scalars, out: Array | None = None) -> Array:
    """Returns -a mod q."""
    return _plan(q).negate(a, out)


def multiply(
    a: Array,
    b: Array | Scalars,
    q: Scalars,
    out: Array | None = None,
    *,
    input_mod_factor: int = 1,
) -> Array:
    """Returns a * b mod q. b is an array of a's shape, or a scalar in [0, q).

    - input_mod_factor: 1, 2 or 4, and 8 with a scalar; arrays hold values in [0, input_mod_factor *
      q). input_mod_factor * q must be below 2^64.
    """
    return _plan(q).multiply(a, b, out, input_mod_factor=input_mod_factor)


def multiply_add(
    a: Array,
    b: Array | Scalars,
    c: Array,
    q: Scalars,
    out: Array | None = None,
    *,
    input_mod_factor: int = 1,
) -> Array:
    """Returns (a * b + c) mod q. b is an array of a's shape, or a scalar in [0, q).

    - input_mod_factor: with a scalar 1, 2, 4 or 8, and a and c hold values in [0, input_mod_factor
      * q). With three arrays the factor is 1.
    """
    return _plan(q).multiply_add(a, b, c, out, input_mod_factor=input_mod_factor)


def multiply_accumulate(
    a: Array | Sequence[Array],
    b: Array | Sequence[Array],
    q: Scalars,
    out: Array | None = None,
) -> Array:
    """Returns the sum over k of a[k] * b[k] mod q, reduced once at the end.

    - a, b: arrays of shape (terms, n) or (terms, rows, n), or sequences of arrays of shape (n,) or
      (rows, n); at least one term. The result has the shape of one term.
    """
    return _plan(q).multiply_accumulate(a, b, out)


def dot(a: Array, b: Array, q: Scalars, out: Array | None = None) -> int | Array:
    """Returns the sum of a * b mod q along the last dimension.

    The result is an int for arrays of shape (n,), and an array of shape (rows,) for arrays of shape
    (rows, n).
    """
    return _plan(q).dot(a, b, out)


def reduce(a: Array, q: Scalars, out: Array | None = None) -> Array:
    """Returns a mod q, for any 64-bit values."""
    return _plan(q).reduce(a, out)


def reduce_range(
    a: Array,
    q: Scalars,
    input_mod_factor: int,
    output_mod_factor: int,
    out: Array | None = None,
) -> Array:
    """Returns values congruent to a modulo q, brought from [0, input_mod_factor * q) to [0,
    output_mod_factor * q).

    (input_mod_factor, output_mod_factor) is (2, 1), (4, 1) or (4, 2).
    """
    return _plan(q).reduce_range(a, input_mod_factor, output_mod_factor, out)


def compare_add(
    a: Array,
    comparison: Comparison,
    bound: Scalars,
    summand: Scalars,
    out: Array | None = None,
) -> Array:
    """Returns a + summand modulo 2^64 where `a comparison bound` holds, and a elsewhere.

    All values are any 64-bit words; there is no modulus.
    """
    return _cached_plan(2).compare_add(a, comparison, bound, summand, out)


def compare_subtract(
    a: Array,
    comparison: Comparison,
    bound: Scalars,
    difference: Scalars,
    q: Scalars,
    out: Array | None = None,
) -> Array:
    """Returns (a - difference) mod q where `a comparison bound` holds, and a mod q elsewhere.

    a and bound are any 64-bit words, and are compared before the reduction. difference is in [0,
    q).
    """
    return _plan(q).compare_subtract(a, comparison, bound, difference, out)
