# SPDX-License-Identifier: Apache-2.0
"""Functions of each element: polynomials and what polynomials approximate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import Approximation, InverseApproximation, Polynomial, SignApproximation
from .elementwise import Elementwise
from .refusals import known_numbers, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self


class Functions(Elementwise):
    """Functions of the elements of an encrypted array, in the slots of its ciphertexts."""

    def polynomial(self, coefficients: Any) -> Self:
        """Returns p(x) for every element x, with the least depth and few products.

        - coefficients: [c0, c1, ...] of degree 1 or more, or a ringlet.Polynomial or
          ringlet.Approximation. BFV and BGV take integers only.
        """
        if isinstance(coefficients, Approximation):
            coefficients = coefficients.polynomial
        if not isinstance(coefficients, Polynomial):
            numbers = known_numbers("polynomial", coefficients, self.is_exact)
            numbers = np.trim_zeros(np.atleast_1d(numbers), "b")
            if numbers.ndim != 1 or len(numbers) < 2:
                refuse(
                    "polynomial", f"coefficients = {coefficients!r}", "degree 1 or more",
                    "pass [c0, c1, ...]; use numbers in the clear for a constant",
                )  # fmt: skip
            coefficients = Polynomial(numbers)
        p = coefficients
        key = ("polynomial", p.basis, p.interval, tuple(p.coefficients))
        result = self._each(key, lambda x: x.polynomial(p), at_zero=p(0))
        return result.with_dtype(np.result_type(self.dtype, np.asarray(p.coefficients)))

    def conj(self) -> Self:
        """Returns the complex conjugates, for CKKS. Costs a key switch for each ciphertext; nothing
        for real numbers."""
        if self.dtype.kind != "c":
            return self
        return self.mapped(lambda block: block.conjugate(), is_clean=True)

    def sign(self, approximation: SignApproximation) -> Self:
        """Returns about 1 for x >= gap and -1 for x <= -gap; CKKS, for numbers in [-1, 1].

        - approximation: ringlet.sign_approximation(gap, precision).
        """
        return self._each(_key("sign", approximation), lambda x: x.sign(approximation))

    def absolute(self, approximation: SignApproximation) -> Self:
        """Returns about the absolute values; CKKS, for numbers in [-1, 1]."""
        key = _key("absolute", approximation)
        return self._each(key, lambda x: x.absolute_value(approximation))

    def inverse(self, approximation: InverseApproximation) -> Self:
        """Returns about 1/x; CKKS, for numbers in the approximation's interval.

        - approximation: ringlet.inverse_approximation(interval, error).
        """
        a = approximation
        key = ("inverse", a.method, a.interval, a.iterations, a.error)
        return self._each(key, lambda x: x.inverse(a), at_zero=None)

    def compare(self, other: Any, approximation: SignApproximation) -> Self:
        """Returns about 1 where x > other and 0 where x < other; CKKS, for differences in [-1, 1].

        - other: an encrypted array, or numbers in the clear.
        """
        difference: Self = self - other
        return difference.sign(approximation) * 0.5 + 0.5

    def maximum(self, other: Any, approximation: SignApproximation) -> Self:
        """Returns about the larger of x and other; CKKS, for differences in [-1, 1]."""
        return self._extreme(other, approximation, 0.5)

    def minimum(self, other: Any, approximation: SignApproximation) -> Self:
        """Returns about the smaller of x and other; CKKS, for differences in [-1, 1]."""
        return self._extreme(other, approximation, -0.5)

    def _extreme(self, other: Any, approximation: SignApproximation, half: float) -> Self:
        total: Self = self + other
        difference: Self = self - other
        return total * 0.5 + difference.absolute(approximation) * half

    def _each(
        self, key: tuple[Any, ...], function: Callable[[Any], Any], at_zero: complex | None = 0
    ) -> Self:
        """Returns function(block) for each block.

        - at_zero: what the function makes of a slot that holds 0; None if that is not known.
        """
        blocks = []
        padding = np.where(self.layout.index_map() < 0, -_real(at_zero or 0), 0)
        for block, correction in zip(self.blocks, padding, strict=True):
            if block is None:
                refuse("polynomial", "a ciphertext of zeros", "encrypted numbers", "leave it out")
            value = self.engine.apply(key, function, block)
            if self.is_clean and correction.any():
                value = self.engine.add_known(value, correction)
            blocks.append(value)
        is_clean = self.is_clean and at_zero is not None
        return self.made(self.layout, blocks, is_clean=is_clean)


def _real(number: complex) -> Any:
    """Returns a number without an imaginary part of 0, and a whole one as an integer."""
    if number.imag:
        return number
    return int(number.real) if number.real == int(number.real) else number.real


def _key(name: str, approximation: SignApproximation) -> tuple[Any, ...]:
    a = approximation
    return (name, a.n, a.g_count, a.f_count, a.gap, a.error)
