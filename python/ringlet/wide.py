# SPDX-License-Identifier: Apache-2.0
"""Arithmetic and transforms of vectors of residues modulo one q of up to 124 bits.

    from ringlet import wide

    q = wide.special_primes(124, 1)[0]               # or wide.ntt_primes(124, 4096)[0]
    wide.Eltwise(q).multiply([1, q - 1], [5, 5])     # [5, q - 5]
    ntt = wide.Ntt(4096, q)
    a = wide.from_integers(range(4096))              # an array of uint64 of shape (4096, 2)
    square = ntt.multiply(a, a)                      # modulo X^4096 + 1
    wide.to_integers(square)[:3]                     # Python's integers

A vector is an array of uint64 of shape (n, 2), with the low and the high word of each element, or a
sequence of integers. The result has the kind of the first vector: a new array, or a list of
integers. Arrays whose elements are contiguous are read in place; others are copied first.
Calls raise `ringlet.InvalidArgument` for arrays of another type or shape, and then write nothing.

`out` is the array to write, of shape (n, 2), contiguous and writable, and is returned. It may be an
operand, but must not overlap an operand in another way.

Elements are in [0, q), and are checked; results are in [0, q). `check=False` skips the check.
An element of q or more then gives an unspecified result, but never a crash or a write outside of
`out`.

Calls on arrays are constant time in the elements: their time depends on lengths, q, scalars and
whether the call is refused. Sequences are not, because Python's integers are not. The interpreter's
lock is released during the work, and several threads may use one object.

Kernels and algorithms: `ringlet/ntt/wide.hpp`, docs/wide.md. Source: Zhang et al., "Towards Closing
the Performance Gap for Cryptographic Kernels Between CPUs and Specialized Hardware" (MICRO 2025).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import InvalidArgument

__all__ = [
    "SLIDES_MODULI",
    "Eltwise",
    "Ntt",
    "PublishedModulus",
    "from_integers",
    "longest_transform",
    "ntt_primes",
    "special_primes",
    "to_integers",
]

Array = npt.NDArray[np.uint64]
Vector = Array | Sequence[int]
V = TypeVar("V", Array, Sequence[int])

_ELEMENT_BYTES = 16
_WORD_BITS = 64


def _expect_text(operation: str, value: Any, name: str) -> None:
    if not isinstance(value, str):
        raise InvalidArgument(
            operation, f"{name} of type {type(value).__name__}", f"{name} of type str", "pass a str"
        )


def _integer(operation: str, value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        offending = f"{name} of type {type(value).__name__}"
        raise InvalidArgument(operation, offending, "an integer", "convert it with int()") from None


def _element(operation: str, name: str, place: int, value: Any) -> bytes:
    """Returns the bytes of one element. Raises InvalidArgument if `value` is not an integer in [0,
    2^128)."""
    try:
        return operator.index(value).to_bytes(_ELEMENT_BYTES, "little")
    except TypeError:
        offending = f"{name}[{place}] of type {type(value).__name__}"
        remedy = "pass integers of Python or NumPy, or an array of uint64 of shape (n, 2)"
    except OverflowError:
        sign = "negative" if operator.index(value) < 0 else "2^128 or more"
        offending = f"{name}[{place}] is {sign}"
        remedy = "reduce the integers first, with % q"
    raise InvalidArgument(operation, offending, "integers in [0, 2^128)", remedy)


def _from_integers(operation: str, name: str, values: Iterable[SupportsIndex]) -> Array:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidArgument(
            operation,
            f"{name} of type {type(values).__name__}",
            "a sequence of integers, or an array of uint64 of shape (n, 2)",
            "pass one of these",
        )
    data = bytearray().join(_element(operation, name, i, value) for i, value in enumerate(values))
    return np.frombuffer(data, dtype="<u8").astype(np.uint64, copy=False).reshape(-1, 2)


def _operand(operation: str, name: str, vector: Vector) -> Array:
    """Returns a vector as an array for the core. An array of uint64 with gaps is copied. An array
    of numbers of another type is passed on, and the core rejects it."""
    if not isinstance(vector, np.ndarray):
        return _from_integers(operation, name, vector)
    if vector.dtype == np.object_:
        raise InvalidArgument(
            operation,
            f"{name} is an array of Python objects",
            "an array of uint64 of shape (n, 2), or a sequence of integers",
            f"pass wide.from_integers({name})",
        )
    if vector.dtype == np.uint64:
        return np.require(vector, requirements=["C", "A"])
    return vector


def _as_given(first: V, result: Array, out: Array | None) -> V:
    """Returns the result as a list if `first` was a sequence of integers and `out` is None, else as
    an array."""
    if out is not None or isinstance(first, np.ndarray):
        return result  # type: ignore[return-value]
    return to_integers(result)


def _binary(
    operation: str,
    run: Callable[[Array, Array, Array | None, bool], Array],
    a: V,
    b: Vector,
    out: Array | None,
    check: bool,
) -> V:
    x = _operand(operation, "a", a)
    y = x if b is a else _operand(operation, "b", b)
    return _as_given(a, run(x, y, out, bool(check)), out)


def from_integers(values: Iterable[SupportsIndex]) -> Array:
    """Returns integers in [0, 2^128) as an array of uint64 of shape (n, 2): low words, high words.

    Raises InvalidArgument, which names the first value that is no such integer. Variable time.
    """
    return _from_integers("wide.from_integers", "values", values)


def to_integers(array: Array) -> list[int]:
    """Returns the integers of an array of uint64 of shape (n, 2), with any strides, as a list.

    Raises InvalidArgument for other types and shapes. Variable time.
    """
    is_array = isinstance(array, np.ndarray)
    if not is_array or array.dtype != np.uint64 or array.ndim != 2 or array.shape[1] != 2:
        what = (
            f"dtype {array.dtype}, shape {array.shape}" if is_array else f"{type(array).__name__}"
        )
        raise InvalidArgument(
            "wide.to_integers",
            f"array of {what}",
            "an array of uint64 of shape (n, 2)",
            "pass an array that wide.from_integers made",
        )
    return [high << _WORD_BITS | low for low, high in array.tolist()]


class Eltwise:
    """Element-wise arithmetic on residues modulo an odd q, 3 <= q < 2^124, prime or not.

    - kernels: a kernel selection as in RINGLET_FORCE_KERNELS; None reads that variable.

    The object chooses its kernel once; `kernel_name` shows it. All vectors of a call have the same
    length n, which may be 0. Raises InvalidArgument if q is even, below 3 or of more than 124 bits,
    or if `kernels` names a kernel that does not take q.
    """

    _inner: _core.WideEltwise

    def __init__(self, q: SupportsIndex, kernels: str | None = None) -> None:
        operation = "wide.Eltwise"
        if kernels is not None:
            _expect_text(operation, kernels, "kernels")
        self._inner = _core.WideEltwise(_integer(operation, q, "q"), kernels)

    @property
    def modulus(self) -> int:
        """The modulus q."""
        return self._inner.modulus

    @property
    def kernel_name(self) -> str:
        """Name of the chosen kernel: "table/algorithm"."""
        return self._inner.kernel_name

    def __repr__(self) -> str:
        return f"wide.Eltwise(q={self.modulus}, kernel={self.kernel_name!r})"

    def add(self, a: V, b: Vector, out: Array | None = None, *, check: bool = True) -> V:
        """Returns (a + b) mod q, for elements in [0, q).

        Raises InvalidArgument for elements outside of [0, q), different lengths, and arrays that
        are not of uint64 and shape (n, 2). Raises it also for an `out` that is read-only, has gaps,
        or overlaps an operand without being this operand.
        """
        return _binary("wide.Eltwise.add", self._inner.add, a, b, out, check)

    def subtract(self, a: V, b: Vector, out: Array | None = None, *, check: bool = True) -> V:
        """Returns (a - b) mod q. Limits and errors are those of `add`."""
        return _binary("wide.Eltwise.subtract", self._inner.subtract, a, b, out, check)

    def multiply(self, a: V, b: Vector, out: Array | None = None, *, check: bool = True) -> V:
        """Returns a * b mod q, element by element. Limits and errors are those of `add`."""
        return _binary("wide.Eltwise.multiply", self._inner.multiply, a, b, out, check)

    def axpy(
        self,
        scalar: SupportsIndex,
        a: V,
        b: Vector,
        out: Array | None = None,
        *,
        check: bool = True,
    ) -> V:
        """Returns (scalar * a + b) mod q, as axpy in BLAS does.

        - scalar: an integer in [0, q); it is public. Raises InvalidArgument for another scalar;
          other limits and errors are those of `add`.
        """

        operation = "wide.Eltwise.axpy"
        factor = _integer(operation, scalar, "scalar")

        def run(x: Array, y: Array, out: Array | None, check: bool) -> Array:
            return self._inner.axpy(factor, x, y, out, check)

        return _binary(operation, run, a, b, out, check)

    def dot(self, a: Vector, b: Vector, *, check: bool = True) -> int:
        """Returns the sum of a * b mod q as an int, 0 for empty vectors. Errors are those of `add`.
        """
        operation = "wide.Eltwise.dot"
        x = _operand(operation, "a", a)
        y = x if b is a else _operand(operation, "b", b)
        return self._inner.dot(x, y, bool(check))

    def reduce(self, a: V, out: Array | None = None) -> V:
        """Returns a mod q, for any integers in [0, 2^128).

        Raises InvalidArgument as `add` does, but accepts elements of q and above.
        """
        return _as_given(a, self._inner.reduce(_operand("wide.Eltwise.reduce", "a", a), out), out)


class Ntt:
    """Number-theoretic transform (NTT) of N residues modulo a prime q < 2^124.

    Coefficients in natural order become values in bit-reversed order. ring="negacyclic" is modulo
    X^N + 1, ring="cyclic" modulo X^N - 1:

        negacyclic  result[i] = sum_j a[j] * w^((2*bit_reverse(i) + 1) * j) mod q, w of order 2N;
        cyclic      result[i] = sum_j a[j] * w^(bit_reverse(i) * j) mod q, w of order N.

    - degree: N, a power of two from 16 to 2^20.
    - root: w; by default the smallest such root.
    - kernels: a kernel selection as in RINGLET_FORCE_KERNELS; None reads that variable.

    The object chooses its kernel once; `kernel_name` shows it. Raises InvalidArgument

    - for another degree,
    - if q is even, composite, below 3 or of more than 124 bits,
    - if q has no transform of this length; the error names its longest one (`longest_transform`),
    - if `root` has another order,
    - if `kernels` names a kernel that does not take q.
    """

    _inner: _core.WideNtt

    def __init__(
        self,
        degree: SupportsIndex,
        q: SupportsIndex,
        ring: str = "negacyclic",
        root: SupportsIndex | None = None,
        kernels: str | None = None,
    ) -> None:
        operation = "wide.Ntt"
        _expect_text(operation, ring, "ring")
        if kernels is not None:
            _expect_text(operation, kernels, "kernels")
        n, modulus = _integer(operation, degree, "degree"), _integer(operation, q, "q")
        w = None if root is None else _integer(operation, root, "root")
        self._inner = _core.WideNtt(n, modulus, ring, w, kernels)

    @property
    def degree(self) -> int:
        """The degree N."""
        return self._inner.degree

    @property
    def modulus(self) -> int:
        """The modulus q."""
        return self._inner.modulus

    @property
    def ring(self) -> str:
        """Ring of the transform: "negacyclic" or "cyclic"."""
        return self._inner.ring

    @property
    def root_of_unity(self) -> int:
        """The root w."""
        return self._inner.root_of_unity

    @property
    def kernel_name(self) -> str:
        """Name of the chosen kernel: "table/algorithm"."""
        return self._inner.kernel_name

    @property
    def table_bytes(self) -> int:
        """Size of the tables of factors in bytes."""
        return self._inner.table_bytes

    def __repr__(self) -> str:
        return (
            f"wide.Ntt(degree={self.degree}, q={self.modulus}, ring={self.ring!r}, "
            f"kernel={self.kernel_name!r})"
        )

    def forward(self, a: V, out: Array | None = None, *, check: bool = True) -> V:
        """Returns the N values of the transform of N coefficients in [0, q).

        Raises InvalidArgument for another length, elements outside of [0, q), and arrays that are
        not of uint64 and shape (N, 2). Raises it also for an `out` that is read-only, has gaps, or
        overlaps `a` without being `a`.
        """
        x = _operand("wide.Ntt.forward", "a", a)
        return _as_given(a, self._inner.forward(x, out, bool(check)), out)

    def inverse(self, a: V, out: Array | None = None, *, check: bool = True) -> V:
        """Returns the N coefficients of N values; the factor 1/N is included. Errors are those of
        `forward`."""
        x = _operand("wide.Ntt.inverse", "a", a)
        return _as_given(a, self._inner.inverse(x, out, bool(check)), out)

    def multiply(self, a: V, b: Vector, out: Array | None = None, *, check: bool = True) -> V:
        """Returns the product of two polynomials of N coefficients modulo q and the ring's
        polynomial.

        The call computes three transforms, for a square (the same vector twice) two. Errors are
        those of `forward`.
        """
        return _binary("wide.Ntt.multiply", self._inner.multiply, a, b, out, check)


def ntt_primes(bits: SupportsIndex, degree: SupportsIndex, count: SupportsIndex = 1) -> list[int]:
    """Returns the `count` largest primes of exactly `bits` bits that are 1 mod 2*degree.

    The list is descending, and shorter if there are fewer such primes. The primes have negacyclic
    transforms of lengths up to `degree`, and cyclic ones up to twice that. Raises InvalidArgument
    unless `bits` is from 100 to 124, `degree` is a power of two from 2 to 2^20, and `count` is at
    most 1000.
    """
    operation = "wide.ntt_primes"
    return _core.wide_ntt_primes(
        _integer(operation, bits, "bits"),
        _integer(operation, degree, "degree"),
        _integer(operation, count, "count"),
    )


def special_primes(bits: SupportsIndex, count: SupportsIndex = 1) -> list[int]:
    """Returns the `count` largest primes k * 2^104 + 1 of exactly `bits` bits, descending.

    Products modulo these primes need fewer steps, and the primes have transforms of every length.
    Raises InvalidArgument unless `bits` is from 106 to 124, or if there are fewer than `count` such
    primes.
    """
    operation = "wide.special_primes"
    return _core.wide_special_primes(
        _integer(operation, bits, "bits"), _integer(operation, count, "count")
    )


def longest_transform(q: SupportsIndex, ring: str = "negacyclic") -> int:
    """Returns the length of the longest transform modulo the prime q: a power of two, or 1 if there
    is none.

    `Ntt` may not have this length: it takes lengths from 16 to 2^20. Raises InvalidArgument if q is
    even, composite, below 3 or of more than 124 bits.
    """
    operation = "wide.longest_transform"
    _expect_text(operation, ring, "ring")
    return _core.wide_longest_transform(_integer(operation, q, "q"), ring)


@dataclass(frozen=True)
class PublishedModulus:
    """A modulus of the publication: its name, its value and its place in the text."""

    name: str
    value: int
    source: str

    def longest_transform(self, ring: str) -> int:
        """Returns the longest transform modulo this value: longest_transform(value, ring)."""
        return longest_transform(self.value, ring)


SLIDES_MODULI: tuple[PublishedModulus, ...] = (
    PublishedModulus("2^124 - 719", (1 << 124) - 719, "slides, the number in base 2^64"),
    PublishedModulus(
        "15107846090143992465023504163010990279",
        15107846090143992465023504163010990279,
        "slides, the example of an addition",
    ),
    PublishedModulus("2^124 - 59", (1 << 124) - 59, "the code published with the paper"),
)
"""Moduli of Zhang et al. (MICRO 2025). None of them has a negacyclic transform that `Ntt` takes."""
