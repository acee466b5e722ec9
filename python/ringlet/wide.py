# SPDX-License-Identifier: Apache-2.0
"""Vectors of double words: residues modulo one q of up to 124 bits, and their transforms.

    from ringlet import wide

    q = wide.special_primes(124, 1)[0]               # or wide.ntt_primes(124, 4096)[0]
    wide.Eltwise(q).multiply([1, q - 1], [5, 5])     # [5, q - 5]
    ntt = wide.Ntt(4096, q)
    a = wide.from_integers(range(4096))              # an array of uint64 of shape (4096, 2)
    square = ntt.multiply(a, a)                      # modulo X^4096 + 1
    wide.to_integers(square)[:3]                     # Python's integers

Vectors are arrays of uint64 of shape (n, 2), the low and the high word of each element, or
sequences of integers. The result is what the first vector is: a new array, or a list of integers.
Arrays whose elements lie one after the other are read where they are; others are copied first.
Arrays of another type or shape are refused with `ringlet.InvalidArgument`, which says what to do,
and nothing is written then.

`out` is an array to write instead, of shape (n, 2), contiguous and writable; it is returned. It may
be an operand, but must not overlap one in another way.

Elements are in [0, q), and are checked; `check=False` leaves that out for callers who know, and
with elements of q and above the results are then unspecified (never a crash, nor a word outside of
`out`). Results are in [0, q). The time of a call depends on lengths, q, scalars and on whether it
is refused, not on elements; that holds for arrays, as Python's own integers do not promise it. The
interpreter's lock is released during the work, and objects may be used by many threads.

Kernels and algorithms: `ringlet/ntt/wide.hpp`, docs/wide.md. After Zhang et al., "Towards Closing
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
    """The bytes of one element; refuses what is none."""
    try:
        return operator.index(value).to_bytes(_ELEMENT_BYTES, "little")
    except TypeError:
        offending = f"{name}[{place}] of type {type(value).__name__}"
        remedy = "pass integers of Python or NumPy, or an array of uint64 of shape (n, 2)"
    except OverflowError:
        sign = "negative" if operator.index(value) < 0 else "2^128 or more"
        offending = f"{name}[{place}] is {sign}"
        remedy = "reduce it first, with % q"
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
    """The vector as an array for the core. Arrays that are not contiguous are copied; what is no
    array of double words at all is for the core to refuse."""
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
    """A result in the kind of the first vector, or `out`."""
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
    """Integers in [0, 2^128) as an array of uint64 of shape (n, 2): low words, high words.

    Raises InvalidArgument that names the first value that is no such integer. Variable time.
    """
    return _from_integers("wide.from_integers", "values", values)


def to_integers(array: Array) -> list[int]:
    """The integers of an array of uint64 of shape (n, 2), whatever its strides.

    Raises InvalidArgument on other types and shapes. Variable time.
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
            "pass an array as wide.from_integers makes it",
        )
    return [high << _WORD_BITS | low for low, high in array.tolist()]


class Eltwise:
    """Element-wise arithmetic on double words modulo an odd q, 3 <= q < 2^124, prime or not.

    The kernel is chosen once, here; `kernel_name` shows it. `kernels` is a text as in
    RINGLET_FORCE_KERNELS; None takes that variable. Vectors of a call have the same length n, which
    may be 0.
    Raises InvalidArgument if q is even, below 3 or of more than 124 bits, or if `kernels` names a
    kernel that does not take q.
    """

    _inner: _core.WideEltwise

    def __init__(self, q: SupportsIndex, kernels: str | None = None) -> None:
        operation = "wide.Eltwise"
        if kernels is not None:
            _expect_text(operation, kernels, "kernels")
        self._inner = _core.WideEltwise(_integer(operation, q, "q"), kernels)

    @property
    def modulus(self) -> int:
        """q."""
        return self._inner.modulus

    @property
    def kernel_name(self) -> str:
        """ "table/algorithm" of what runs."""
        return self._inner.kernel_name

    def __repr__(self) -> str:
        return f"wide.Eltwise(q={self.modulus}, kernel={self.kernel_name!r})"

    def add(self, a: V, b: Vector, out: Array | None = None, *, check: bool = True) -> V:
        """(a + b) mod q, elements in [0, q).

        Raises InvalidArgument on elements outside of [0, q), different lengths, arrays that are not
        of uint64 and shape (n, 2), and on an `out` that is read-only, has gaps or overlaps an
        operand otherwise than by being it.
        """
        return _binary("wide.Eltwise.add", self._inner.add, a, b, out, check)

    def subtract(self, a: V, b: Vector, out: Array | None = None, *, check: bool = True) -> V:
        """(a - b) mod q; otherwise as add."""
        return _binary("wide.Eltwise.subtract", self._inner.subtract, a, b, out, check)

    def multiply(self, a: V, b: Vector, out: Array | None = None, *, check: bool = True) -> V:
        """a * b mod q, element by element; otherwise as add."""
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
        """(scalar * a + b) mod q, as in BLAS, for an integer in [0, q), which is public.

        WideEltwise::multiply_scalar_add in C++. Raises InvalidArgument on another scalar, and as
        add.
        """

        operation = "wide.Eltwise.axpy"
        factor = _integer(operation, scalar, "scalar")

        def run(x: Array, y: Array, out: Array | None, check: bool) -> Array:
            return self._inner.axpy(factor, x, y, out, check)

        return _binary(operation, run, a, b, out, check)

    def dot(self, a: Vector, b: Vector, *, check: bool = True) -> int:
        """The sum of a * b mod q, an int; 0 for no elements. Raises InvalidArgument as add."""
        operation = "wide.Eltwise.dot"
        x = _operand(operation, "a", a)
        y = x if b is a else _operand(operation, "b", b)
        return self._inner.dot(x, y, bool(check))

    def reduce(self, a: V, out: Array | None = None) -> V:
        """a mod q for any double words, which are integers in [0, 2^128).

        Raises InvalidArgument as add does, and takes elements of q and above.
        """
        return _as_given(a, self._inner.reduce(_operand("wide.Eltwise.reduce", "a", a), out), out)


class Ntt:
    """Number-theoretic transforms of N double words modulo a prime q < 2^124.

    N is a power of two from 16 to 2^20. Coefficients in natural order become values in bit-reversed
    order, for ring="negacyclic", modulo X^N + 1, and ring="cyclic", modulo X^N - 1:

        negacyclic  result[i] = sum_j a[j] * w^((2*bit_reverse(i) + 1) * j) mod q, w of order 2N;
        cyclic      result[i] = sum_j a[j] * w^(bit_reverse(i) * j) mod q, w of order N.

    w is `root`, or the smallest such root. The kernel is chosen once, here; `kernel_name` shows it.
    `kernels` is a text as in RINGLET_FORCE_KERNELS; None takes that variable.
    Raises InvalidArgument on other degrees; if q is even, composite, below 3 or of more than 124
    bits; if q has no transform of this length, naming the longest one that it has
    (`longest_transform`); if `root` has another order; or if `kernels` names a kernel that does not
    take q.
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
        """N."""
        return self._inner.degree

    @property
    def modulus(self) -> int:
        """q."""
        return self._inner.modulus

    @property
    def ring(self) -> str:
        """ "negacyclic" or "cyclic"."""
        return self._inner.ring

    @property
    def root_of_unity(self) -> int:
        """w."""
        return self._inner.root_of_unity

    @property
    def kernel_name(self) -> str:
        """ "table/algorithm" of what runs."""
        return self._inner.kernel_name

    @property
    def table_bytes(self) -> int:
        """Bytes of the tables of factors."""
        return self._inner.table_bytes

    def __repr__(self) -> str:
        return (
            f"wide.Ntt(degree={self.degree}, q={self.modulus}, ring={self.ring!r}, "
            f"kernel={self.kernel_name!r})"
        )

    def forward(self, a: V, out: Array | None = None, *, check: bool = True) -> V:
        """N coefficients in [0, q) to the N values of the transform.

        Raises InvalidArgument on another length, elements outside of [0, q), arrays that are not of
        uint64 and shape (N, 2), and on an `out` that is read-only, has gaps or overlaps `a`
        otherwise than by being it.
        """
        x = _operand("wide.Ntt.forward", "a", a)
        return _as_given(a, self._inner.forward(x, out, bool(check)), out)

    def inverse(self, a: V, out: Array | None = None, *, check: bool = True) -> V:
        """N values to coefficients, the factor 1/N included; otherwise as forward."""
        x = _operand("wide.Ntt.inverse", "a", a)
        return _as_given(a, self._inner.inverse(x, out, bool(check)), out)

    def multiply(self, a: V, b: Vector, out: Array | None = None, *, check: bool = True) -> V:
        """The product of two polynomials, N coefficients each, modulo q and X^N + 1 or X^N - 1.

        Three transforms; a square (the same vector twice) takes two. Raises InvalidArgument as
        forward.
        """
        return _binary("wide.Ntt.multiply", self._inner.multiply, a, b, out, check)


def ntt_primes(bits: SupportsIndex, degree: SupportsIndex, count: SupportsIndex = 1) -> list[int]:
    """The `count` largest primes of exactly `bits` bits that are 1 mod 2*degree, decreasing.

    They have negacyclic transforms of lengths up to `degree`, cyclic ones up to twice that. The
    list is shorter if there are fewer. Raises InvalidArgument unless `bits` is from 100 to 124,
    `degree` a power of two from 2 to 2^20 and `count` at most 1000.
    """
    operation = "wide.ntt_primes"
    return _core.wide_ntt_primes(
        _integer(operation, bits, "bits"),
        _integer(operation, degree, "degree"),
        _integer(operation, count, "count"),
    )


def special_primes(bits: SupportsIndex, count: SupportsIndex = 1) -> list[int]:
    """The `count` largest primes k * 2^104 + 1 of exactly `bits` bits, decreasing.

    Products modulo them take fewer steps, and they have transforms of every length. Raises
    InvalidArgument unless `bits` is from 106 to 124, or if fewer than `count` such primes exist.
    """
    operation = "wide.special_primes"
    return _core.wide_special_primes(
        _integer(operation, bits, "bits"), _integer(operation, count, "count")
    )


def longest_transform(q: SupportsIndex, ring: str = "negacyclic") -> int:
    """The longest power of two that the prime q has a transform of; 1 if it has none.

    Whether `Ntt` has it too is another question: it takes lengths from 16 to 2^20.
    Raises InvalidArgument if q is even, composite, below 3 or of more than 124 bits.
    """
    operation = "wide.longest_transform"
    _expect_text(operation, ring, "ring")
    return _core.wide_longest_transform(_integer(operation, q, "q"), ring)


@dataclass(frozen=True)
class PublishedModulus:
    """A modulus of the publication, and what it allows."""

    name: str
    value: int
    source: str

    def longest_transform(self, ring: str) -> int:
        """The longest transform modulo it: computed, see the function of this name."""
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
