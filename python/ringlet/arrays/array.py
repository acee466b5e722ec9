# SPDX-License-Identifier: Apache-2.0
"""The encrypted array: shape, layout and blocks, with the operators of NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import linear, numpy_calls, sums
from .alignment import aligned, block_of, moved, operand_layout, zero_slots
from .functions import Functions
from .layout import Layout, Shape
from .maps import LinearMap, cheapest, takes_no_level
from .refusals import broadcast, known_numbers, needs_decryption, refuse, refuse_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray


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

    def __init__(
        self,
        engine: Any,
        layout: Layout,
        blocks: Sequence[Any],
        dtype: np.dtype[Any],
        is_clean: bool = True,
    ) -> None:
        self.engine = engine
        self.layout = layout
        self.blocks = tuple(blocks)
        self.dtype = dtype
        #: Whether slots without an element are known to hold 0.
        self.is_clean = is_clean

    # What NumPy's arrays tell of themselves.

    @property
    def shape(self) -> Shape:
        """Lengths of the axes."""
        return self.layout.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.layout.size

    @property
    def T(self) -> EncryptedArray:
        """The array with its axes in the opposite order. Costs nothing."""
        return self.transpose()

    @property
    def level(self) -> int | None:
        """CKKS and BGV: how many levels are left for products, the least over all ciphertexts; None
        while a function is traced."""
        levels = [getattr(block, "level", None) for block in self.blocks if block is not None]
        return min(levels) if levels and None not in levels else None

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

    # How operations make arrays.

    @property
    def is_exact(self) -> bool:
        """True for integers of BFV and BGV."""
        return bool(self.engine.scheme != "ckks")

    def made(
        self,
        layout: Layout,
        blocks: Sequence[Any],
        *,
        is_clean: bool = True,
        dtype: np.dtype[Any] | None = None,
    ) -> EncryptedArray:
        """Returns an array of the same engine."""
        return EncryptedArray(self.engine, layout, blocks, dtype or self.dtype, is_clean)

    def relabelled(self, layout: Layout) -> EncryptedArray:
        """Returns the same ciphertexts under another layout that has the same slots."""
        return self.made(layout, self.blocks, is_clean=self.is_clean)

    def transformed(self, linear_map: LinearMap, target: Layout | None = None) -> EncryptedArray:
        """Returns the linear map of the array, in the layout `target` or in the cheapest."""
        slots = self.engine.slots
        targets = linear_map.layouts(self.layout, slots) if target is None else [target]
        _, way = cheapest(linear_map, self.layout, targets)
        chosen = way.plan(self.is_clean)
        blocks = [self.engine.linear(self.blocks, d, chosen.folds) for d in chosen.diagonals]
        dtype = np.result_type(self.dtype, linear_map.weights.dtype)
        return self.made(chosen.layout, blocks, dtype=dtype)

    def mapped(self, function: Callable[[Any], Any], *, is_clean: bool) -> EncryptedArray:
        """Returns the array with the function of each block; the function takes zeros to zeros."""
        blocks = [None if block is None else function(block) for block in self.blocks]
        return self.made(self.layout, blocks, is_clean=self.is_clean and is_clean)

    def broadcast_to(self, shape: Shape, like: Layout | None = None) -> EncryptedArray:
        """Returns the array repeated to a shape, as numpy.broadcast_to does."""
        if shape == self.shape:
            return self
        if broadcast("broadcast_to", self.shape, shape) != tuple(shape):
            refuse(
                "broadcast_to", f"shape {self.shape} for {shape}", "a shape that only gets longer",
                "reshape the array",
            )  # fmt: skip
        result, (array,) = aligned([self], shape)
        if like is not None:
            raised = self.reshape((1,) * (len(shape) - self.ndim) + self.shape)
            result, array = like, moved(raised, operand_layout(like, raised.shape))
        blocks, zeros = [], zero_slots(array, result.period)
        is_clean = True
        for index, is_padding in zip(np.ndindex(*result.grid), result.index_map() < 0, strict=True):
            block = block_of(array.layout, result, index)
            blocks.append(array.blocks[block])
            is_clean &= bool(zeros[block][is_padding].all())
        return self.made(result, blocks, is_clean=is_clean)

    def _combined(self, other: EncryptedArray, operation: str) -> EncryptedArray:
        """Returns the sum, difference or product of two encrypted arrays."""
        if self.engine is not other.engine:
            refuse(
                operation, "arrays of two clients or of two functions", "arrays of one client",
                "encrypt both with one client; a server binds arrays with server.load",
            )  # fmt: skip
        shape = broadcast(operation, self.shape, other.shape)
        result, (a, b) = aligned([self, other], shape)
        zeros = zero_slots(a, result.period), zero_slots(b, result.period)
        operate = getattr(self, f"_{operation}_blocks")
        blocks, is_clean = [], True
        for index, is_padding in zip(np.ndindex(*result.grid), result.index_map() < 0, strict=True):
            i, j = block_of(a.layout, result, index), block_of(b.layout, result, index)
            blocks.append(operate(a.blocks[i], b.blocks[j]))
            both = zeros[0][i], zeros[1][j]
            is_zero = both[0] | both[1] if operation == "multiply" else both[0] & both[1]
            is_clean &= bool(is_zero[is_padding].all())
        dtype = np.result_type(self.dtype, other.dtype)
        return self.made(result, blocks, is_clean=is_clean, dtype=dtype)

    def _add_blocks(self, a: Any, b: Any) -> Any:
        return b if a is None else a if b is None else a + b

    def _subtract_blocks(self, a: Any, b: Any) -> Any:
        return a if b is None else -b if a is None else a - b

    def _multiply_blocks(self, a: Any, b: Any) -> Any:
        return None if a is None or b is None else self.engine.multiply(a, b)

    def add_known(self, known: NDArray[Any]) -> EncryptedArray:
        """Returns the sum with numbers in the clear, which known_numbers has checked."""
        array = self.broadcast_to(broadcast("add", self.shape, known.shape))
        slots = array.layout.spread(np.broadcast_to(known, array.shape))
        blocks = []
        for block, vector in zip(array.blocks, slots, strict=True):
            if not vector.any():
                blocks.append(block)
            elif block is None:
                refuse(
                    "add", "a ciphertext of the result that would hold known numbers alone",
                    "results with an encrypted operand", "add these numbers after decryption",
                )  # fmt: skip
            else:
                is_one = (vector == vector[0]).all()
                blocks.append(array.engine.add_known(block, vector[0] if is_one else vector))
        dtype = np.result_type(self.dtype, known.dtype)
        return array.made(array.layout, blocks, is_clean=array.is_clean, dtype=dtype)

    def multiply_known(self, known: NDArray[Any]) -> EncryptedArray:
        """Returns the product by numbers in the clear, which known_numbers has checked."""
        array = self.broadcast_to(broadcast("multiply", self.shape, known.shape))
        slots = array.layout.spread(np.broadcast_to(known, array.shape))
        blocks = []
        for block, vector, indices in zip(
            array.blocks, slots, array.layout.index_map(), strict=True
        ):
            used = vector[indices >= 0] if array.is_clean else vector
            if block is None or not used.any():
                blocks.append(None)
                continue
            factor = _short(used[0]) if (used == used[0]).all() else vector
            is_one = np.ndim(factor) == 0 and factor == 1
            blocks.append(block if is_one else array.engine.multiply_known(block, factor))
        dtype = np.result_type(self.dtype, known.dtype)
        return array.made(array.layout, blocks, dtype=dtype)

    def cleaned(self, factor: float = 1) -> EncryptedArray:
        """Returns the array times a number, with 0 in slots without an element."""
        return self.multiply_known(np.asarray(factor))

    # Operators.

    def _binary(self, other: Any, operation: str) -> EncryptedArray:
        if isinstance(other, EncryptedArray):
            return self._combined(other, operation)
        known = known_numbers(operation, other, self.is_exact)
        if operation == "multiply":
            return self.multiply_known(known)
        return self.add_known(-known if operation == "subtract" else known)

    def __add__(self, other: Any) -> EncryptedArray:
        return self._binary(other, "add")

    __radd__ = __add__

    def __sub__(self, other: Any) -> EncryptedArray:
        return self._binary(other, "subtract")

    def __rsub__(self, other: Any) -> EncryptedArray:
        return (-self)._binary(other, "add")

    def __mul__(self, other: Any) -> EncryptedArray:
        return self._binary(other, "multiply")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> EncryptedArray:
        if isinstance(other, EncryptedArray):
            refuse_call(
                "EncryptedArray.__truediv__", "an encrypted divisor", "divisors in the clear",
                "multiply by divisor.inverse(ringlet.inverse_approximation(interval, error))",
            )  # fmt: skip
        known = known_numbers("__truediv__", other, self.is_exact)
        if self.is_exact or not known.all():
            what = "integers" if self.is_exact else "a divisor 0"
            refuse("__truediv__", what, "numbers of CKKS, divisors other than 0", "use CKKS")
        return self.multiply_known(1 / known)

    def __rtruediv__(self, other: Any) -> NoReturn:
        refuse_call(
            "EncryptedArray.__rtruediv__", "an encrypted divisor", "divisors in the clear",
            "use array.inverse(ringlet.inverse_approximation(interval, error))",
        )  # fmt: skip

    def __pow__(self, exponent: Any) -> EncryptedArray:
        if not isinstance(exponent, (int, np.integer)) or not 1 <= exponent <= 1 << 20:
            refuse(
                "__pow__", f"exponent = {exponent!r}", "an integer from 1 to 2^20",
                "use array.polynomial(...) for other functions",
            )  # fmt: skip
        half = 1 << max(0, int(exponent) - 1).bit_length() - 1 if exponent > 1 else 0
        return self**half * self ** (int(exponent) - half) if half else self

    def __matmul__(self, other: Any) -> EncryptedArray:
        return linear.matmul(self, other)

    def __rmatmul__(self, other: Any) -> EncryptedArray:
        return linear.matmul(other, self)

    def __neg__(self) -> EncryptedArray:
        return self.mapped(lambda block: -block, is_clean=True)

    def __pos__(self) -> EncryptedArray:
        return self

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
        needs_decryption("numpy.asarray")

    def _compare(self, other: Any) -> NoReturn:
        refuse_call(
            "comparison of encrypted arrays", "a result that is encrypted", "numbers in the clear",
            "use x.compare(y, ringlet.sign_approximation(gap, precision)), or decrypt first",
        )  # fmt: skip

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compare  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    # NumPy's functions.

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return numpy_calls.call_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        return numpy_calls.call_function(function, inputs, options)

    # Methods with NumPy's names.

    def sum(self, axis: Any = None, keepdims: bool = False) -> EncryptedArray:
        """Returns the sum over axes. Costs a rotation for each doubling of their lengths, and a
        level if axes outside of them stay."""
        return sums.total(self, axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> EncryptedArray:
        """Returns the mean over axes, for CKKS. Takes one level."""
        return sums.mean(self, axis, keepdims)

    def var(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> EncryptedArray:
        """Returns the variance over axes, for CKKS. Takes two levels, three if axes outside of them
        stay."""
        return sums.variance(self, axis, ddof, keepdims)

    def dot(self, other: Any) -> EncryptedArray:
        """Returns numpy.dot(self, other) for up to two axes: `@`, or the product by a number."""
        is_number = self.ndim == 0 or np.ndim(other) == 0
        return self * other if is_number else self @ other

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

    def conj(self) -> EncryptedArray:
        """Returns the complex conjugates, for CKKS. Costs a key switch for each ciphertext; nothing
        for real numbers."""
        if self.dtype.kind != "c":
            return self
        return self.mapped(lambda block: block.conjugate(), is_clean=True)

    def to_bytes(self) -> bytes:
        """Returns the array as bytes, for Server.load and Client.load: its layout and ciphertexts,
        without keys."""
        from .files import array_to_bytes

        return array_to_bytes(self)


def _short(number: Any) -> Any:
    """Returns an integer for a whole number that takes no level as one."""
    is_whole = number == np.round(number.real)
    return int(number.real) if is_whole and takes_no_level(int(number.real)) else number
