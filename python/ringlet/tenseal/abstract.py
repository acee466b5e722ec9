# SPDX-License-Identifier: Apache-2.0
"""What vectors and tensors have in common: contexts, bytes, operators, functions of elements."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.container import packed, unpacked
from ..arrays.files import array_from_bytes
from ..arrays.layout import Layout
from .enc_context import Context
from .refusals import (
    centred, checked, numbers, read_bytes, refuse, refuse_type, with_value_errors,
)  # fmt: skip
from .seal import is_for_tenseal, is_tenseal, read_tensor, tensor_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from typing_extensions import Self

    from ..arrays.array import EncryptedArray


def operation(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a method that wraps the array of `function` in a new object."""

    @functools.wraps(function)
    def call(self: AbstractTensor, *arguments: Any, **options: Any) -> Any:
        return self._new(with_value_errors(function)(self, *arguments, **options))

    return call


def in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the method that changes the object to the result of another method, and returns it.
    """

    @functools.wraps(function)
    def call(self: AbstractTensor, *arguments: Any, **options: Any) -> Any:
        result = getattr(self, function.__name__)(*arguments, **options)
        self.__dict__.update(result.__dict__)
        return self

    call.__name__ = f"{function.__name__}_"
    call.__doc__ = f"Changes the object to the result of `{function.__name__}`, and returns it."
    return call


class AbstractTensor:
    """Encrypted numbers in a context.

    Methods return new objects; those whose names end with an underscore change the object.
    """

    __array_ufunc__ = None  # NumPy's arrays leave operators to this class.
    _scheme: str
    _is_batch = False

    _context: Context | None = None
    _array: Any = None
    _public: Any = None  # The keys to which the array is bound.
    _data: bytes | None = None

    # Contexts and bytes.

    @classmethod
    def _checked_context(cls, context: Any) -> Context:
        checked(cls.__name__, context, Context, "a Context")
        if context.scheme != cls._scheme:
            limit = f"contexts of {cls._scheme.upper()}"
            refuse(cls.__name__, f"a context of {context.scheme.upper()}", limit, "make one")
        return context  # type: ignore[no-any-return]

    @classmethod
    def _of(cls, context: Context, array: EncryptedArray) -> Self:
        result = cls.__new__(cls)
        result._context, result._array = context, array
        return result

    def _new(self, array: EncryptedArray) -> Self:
        result = object.__new__(type(self))
        result.__dict__.update(self.__dict__, _array=array)
        return result

    def context(self) -> Context:
        """Returns the context. Raises ValueError before link_context."""
        if self._context is None:
            refuse(type(self).__name__, "missing context", "a linked context", "call link_context")
        return self._context

    @property
    def array(self) -> EncryptedArray:
        """The numbers as an array of ringlet, bound to the keys of the context."""
        context = self.context()
        array: EncryptedArray = self._read() if self._array is None else self._array
        is_whole = all(block is not None for block in array.blocks)
        is_bound = array.engine is context.engine and self._public is context.engine.public
        if not is_whole or not is_bound:
            array, self._public = context.bound(array), context.engine.public
        self._array = array
        return array

    data = array

    def link_context(self, ctx: Context) -> None:
        """Sets the context, of the same keys. Raises ValueError or RuntimeError if the ciphertexts
        do not fit it."""
        self._context = self._checked_context(ctx)
        _ = self.array

    def _read(self) -> EncryptedArray:
        name = type(self).__name__
        assert self._data is not None
        if is_tenseal(self._data):
            description, parts = read_tensor(name, self._data, self.context())
        else:
            description, parts = unpacked(name, name, self._data)
        if len(parts) != 1:
            refuse(name, "a description of no tensor", "bytes of serialize", "send them again")
        self._array = array = array_from_bytes(self.context().engine, parts[0])
        self._describe(description)
        self._data = None
        return array

    def _describe(self, description: dict[str, Any]) -> None:
        """Reads what `_description` wrote."""

    def _description(self) -> dict[str, Any]:
        return {}

    def serialize(self, format: str = "ringlet") -> bytes:
        """Returns the ciphertexts as bytes, without keys.

        - format: "ringlet", or "tenseal" for files that TenSEAL reads.
        """
        name, for_tenseal = type(self).__name__, is_for_tenseal(format)
        if self._data is not None and is_tenseal(self._data) == for_tenseal:
            return self._data
        if for_tenseal:
            return tensor_message(name, self.array, self._is_batch)
        return packed({"kind": name, **self._description()}, [self.array.to_bytes()])

    @classmethod
    def lazy_load(cls, data: bytes) -> Self:
        """Returns an object for the bytes of `serialize`. They are read by link_context."""
        result = cls.__new__(cls)
        result._data = read_bytes(cls.__name__, data)
        return result

    @classmethod
    def load(cls, context: Context, data: bytes) -> Self:
        """Returns the object in the bytes of `serialize`, or in TenSEAL's. Every part is checked.

        Raises RuntimeError for other bytes, ValueError for a context of other parameters.
        """
        result = cls.lazy_load(data)
        result.link_context(context)
        return result

    def copy(self) -> Self:
        """Returns a copy with the same context."""
        self.context()
        return self._new(self._array)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Self:
        return self.copy()

    def ciphertext(self) -> list[Any]:
        """Returns Ringlet's ciphertexts."""
        return list(self.array.blocks)

    # Numbers in the clear.

    def _numbers(self, name: str, values: Any) -> NDArray[Any]:
        """Returns numbers in the clear, for BFV as integers modulo t."""
        is_exact = self._scheme == "bfv"
        result = numbers(f"{type(self).__name__}.{name}", values, is_exact)
        if not is_exact:
            return result
        if result.ndim == 0 and not isinstance(values, (int, np.integer)):
            refuse_type(f"{type(self).__name__}.{name}", values, "integers")
        return centred(result, self.context().parameters.plain_modulus)

    def _constant(self, value: float) -> EncryptedArray:
        """Returns an array of this shape and layout, freshly encrypted."""
        array = self.array
        values = np.full(array.shape, value, array.dtype)
        return self.context().encrypted(values, array.layout)

    # Functions of each element.

    @operation
    def neg(self) -> Any:
        """Returns -x."""
        return -self.array

    @operation
    def square(self) -> Any:
        """Returns x * x. Takes one level of CKKS."""
        return self._binary("mul", self)

    @operation
    def pow(self, power: int) -> Any:
        """Returns x ** power, for power from 0 on, with the least depth."""
        is_integer = isinstance(power, (int, np.integer)) and not isinstance(power, bool)
        if not is_integer or power < 0:
            refuse_type("pow", power, "an integer from 0 on")
        if power == 0:
            return self._constant(1)
        half = 1 << (int(power) - 1).bit_length() >> 1
        if power == 1:
            return self.array
        return self.pow(half)._binary("mul", self.pow(power - half))

    @operation
    def polyval(self, coefficients: Any) -> Any:
        """Returns p(x) for every element.

        - coefficients: [c0, c1, ...]. ValueError for none, and for a constant other than 0.
        """
        values = np.trim_zeros(np.atleast_1d(self._numbers("polyval", coefficients)), "b")
        if np.size(coefficients) == 0:
            refuse("polyval", "no coefficients", "one or more", "pass [c0, c1, ...]")
        if not values.size:
            return self._constant(0)
        if len(values) > 2:
            self.context().need("relin", "polyval")
        return self.array.polynomial(values)

    neg_, square_, pow_, polyval_ = map(in_place, (neg, square, pow, polyval))

    # Operators.

    def _binary(self, name: str, other: Any) -> Any:
        raise NotImplementedError

    def _encrypted_operand(self, name: str, other: Any) -> EncryptedArray | None:
        """Returns an encrypted operand, bound to the context; None for numbers in the clear."""
        if type(other) is type(self):
            if name not in ("add", "sub"):
                self.context().need("relin", name)
            array = other.array
            return array if other._context is self._context else self.context().bound(array)
        if isinstance(other, (AbstractTensor, str)):
            refuse_type(name, other, f"a {type(self).__name__}, or numbers")
        return None

    @operation
    def add(self, other: Any) -> Any:
        """Returns the sum with another object or with numbers."""
        return self._binary("add", other)

    @operation
    def sub(self, other: Any) -> Any:
        """Returns the difference to another object or to numbers."""
        if other is self:
            return self._constant(0)
        return self._binary("sub", other)

    @operation
    def mul(self, other: Any) -> Any:
        """Returns the product with another object or with numbers. Takes one level of CKKS."""
        return self._binary("mul", other)

    add_, sub_, mul_ = map(in_place, (add, sub, mul))

    __add__ = __radd__ = add
    __sub__, __mul__, __rmul__, __neg__, __pow__ = sub, mul, mul, neg, pow
    __iadd__, __isub__, __imul__, __ipow__ = add_, sub_, mul_, pow_

    def __rsub__(self, other: Any) -> Any:
        return self.neg().add(other)

    def __repr__(self) -> str:
        return f"<ringlet.tenseal.{type(self).__name__} {self._array!r}>"


def rows(values: NDArray[Any], context: Context) -> EncryptedArray:
    """Encrypts numbers in row-major order."""
    return context.encrypted(values, Layout.rows(values.shape, context.engine.slots))
