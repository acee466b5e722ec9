# SPDX-License-Identifier: Apache-2.0
"""The encrypted array: shape, layout and blocks, with the operators of NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import linear, numpy_calls, sums
from .container import packed
from .functions import Functions
from .refusals import compared, needs_decryption, refuse_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _methods(names: str) -> Iterator[Callable[..., Any]]:
    """Yields, for each name, a method that calls NumPy's function of this name: it computes, or
    refuses and says what to write instead."""

    def calls(function: Callable[..., Any]) -> Callable[..., Any]:
        def method(self: EncryptedArray, *arguments: Any, **options: Any) -> Any:
            return function(self, *arguments, **options)

        method.__name__ = function.__name__
        method.__doc__ = f"Calls numpy.{function.__name__} with the array."
        return method

    return (calls(getattr(np, name)) for name in names.split())


class EncryptedArray(Functions):
    """An array of encrypted numbers, with the operations of NumPy.

    `Client.encrypt` makes arrays, and so do operations on arrays. `+`, `-`, `*`, `**`, `@` take
    arrays of the same client, NumPy's arrays, pandas' series and numbers on either side, and
    broadcast them. Functions of NumPy work where there is a way to compute them on encrypted
    numbers, and else raise WrongCall. Immutable.

    An array may take several ciphertexts. Its layout, which `repr` shows, tells where each number
    is. Operations choose the layout of their result by cost.
    """

    __array_priority__ = 1000
    __pandas_priority__ = 10000

    @property
    def T(self) -> EncryptedArray:
        """The array with its axes in the opposite order. Costs nothing."""
        return self.transpose()

    def __len__(self) -> int:
        if not self.shape:
            refuse_call("len", "an array without axes", "arrays with an axis", "use .size")
        return self.shape[0]

    def __iter__(self) -> Iterator[EncryptedArray]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        level = "" if self.level is None else f" level={self.level}"
        return (
            f"<ringlet.EncryptedArray {self.engine.scheme} shape={self.shape} dtype={self.dtype}"
            f"{level} layout: {self.layout}>"
        )

    def __matmul__(self, other: Any) -> EncryptedArray:
        result: EncryptedArray = linear.matmul(self, other)
        return result

    def __rmatmul__(self, other: Any) -> EncryptedArray:
        result: EncryptedArray = linear.matmul(other, self)
        return result

    def __getitem__(self, key: Any) -> EncryptedArray:
        return linear.item(self, key)

    # What would need decryption.

    def __bool__(self) -> NoReturn:
        needs_decryption("bool()")

    def __float__(self) -> NoReturn:
        needs_decryption("float()")

    def __int__(self) -> NoReturn:
        needs_decryption("int()")

    def __index__(self) -> NoReturn:
        needs_decryption("an index")

    def __array__(self, *arguments: Any, **options: Any) -> NoReturn:
        needs_decryption("numpy.asarray", "; for frame @ array, write frame.to_numpy() @ array")

    def item(self, *index: Any) -> NoReturn:
        """Raises WrongCall, as float(array) does."""
        needs_decryption("item")

    def tolist(self) -> NoReturn:
        """Raises WrongCall, as float(array) does."""
        needs_decryption("tolist")

    def __complex__(self) -> NoReturn:
        needs_decryption("complex()")

    def __round__(self, *digits: Any) -> NoReturn:
        needs_decryption("round()")

    # What encrypted numbers have no polynomial for.

    def _without_polynomial(self, *others: Any) -> NoReturn:
        refuse_call(
            "// % divmod << >> & | ^ ~", "an encrypted array", "+ - * ** @, and / by known numbers",
            "decrypt first, with client.decrypt(array)",
        )  # fmt: skip

    __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = _without_polynomial
    __mod__ = __rmod__ = _without_polynomial
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __invert__ = _without_polynomial
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _without_polynomial

    def __abs__(self) -> NoReturn:
        numpy_calls.refuse_numpy("absolute")

    def __rpow__(self, base: Any) -> NoReturn:
        numpy_calls.refuse_numpy("power")

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        refuse_call(
            "EncryptedArray.__setitem__", "an assignment to elements", "arrays never change",
            "multiply by a mask and add: x * (1 - mask) + value * mask",
        )  # fmt: skip

    def _compare(self, other: Any) -> NoReturn:
        compared()

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compare
    __hash__ = None  # type: ignore[assignment]

    # NumPy's functions.

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return numpy_calls.call_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        return numpy_calls.call_function(function, inputs, options)

    # Methods with NumPy's names.

    all, any, argmax, argmin, argsort, max, min, sort = _methods(
        "all any argmax argmin argsort max min sort"
    )
    clip, cumprod, nonzero, prod, ptp, round, searchsorted, std = _methods(
        "clip cumprod nonzero prod ptp round searchsorted std"
    )
    diagonal, repeat, squeeze, swapaxes, take, trace = _methods(
        "diagonal repeat squeeze swapaxes take trace"
    )

    def sum(self, axis: Any = None, keepdims: bool = False) -> EncryptedArray:
        """Returns the sum over axes. Costs a rotation for each doubling of their lengths, and a
        level if axes outside of them stay."""
        return sums.total(self, axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> EncryptedArray:
        """Returns the mean over axes, for CKKS. Takes one level."""
        return sums.mean(self, axis, keepdims)

    def var(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> EncryptedArray:
        """Returns the variance over axes, for CKKS. Takes two levels, four if axes outside of them
        stay."""
        return sums.variance(self, axis, ddof, keepdims)

    def dot(self, other: Any) -> EncryptedArray:
        """Returns numpy.dot(self, other) for up to two axes: `@`, or the product by a number."""
        result: EncryptedArray = np.dot(self, other)
        return result

    def cumsum(self, axis: int | None = None) -> EncryptedArray:
        """Returns the sums of all elements up to each one, along an axis or of the flat array."""
        return linear.cumulative(self, axis)

    def transpose(self, *axes: Any) -> EncryptedArray:
        """Returns the array with its axes in another order. Costs nothing."""
        return linear.transpose(self, axes)

    def reshape(self, *shape: Any) -> EncryptedArray:
        """Returns the elements, in row-major order, under another shape. Free if only axes of
        length 1 come or go, and where the numbers have the right slots already."""
        return linear.reshape(self, shape)

    def ravel(self) -> EncryptedArray:
        """Returns the elements in row-major order along one axis."""
        return self.reshape(-1)

    flatten = ravel

    def to_bytes(self) -> bytes:
        """Returns the array as bytes, for Server.load and Client.load: its layout and ciphertexts,
        without keys."""
        parts = [b"" if block is None else block.to_bytes() for block in self.blocks]
        description = {
            "kind": "array",
            "layout": self.layout.description(),
            "dtype": str(self.dtype),
            "is_clean": self.is_clean,
        }
        return packed(description, parts)
