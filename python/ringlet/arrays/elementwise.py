# SPDX-License-Identifier: Apache-2.0
"""Sums, differences, products and powers of encrypted arrays, element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .alignment import aligned, block_of, lifted, moved, operand_layout, zero_slots
from .layout import Layout, Shape
from .maps import takes_no_level
from .refusals import broadcast, known_numbers, refuse, refuse_call
from .storage import Blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self


class Elementwise(Blocks):
    """Operators that broadcast their operands as NumPy does."""

    def _binary(self, other: Any, operation: str) -> Self:
        if isinstance(other, Elementwise):
            return self._combined(other, operation)
        known = known_numbers(operation, other, self.is_exact)
        if operation == "multiply":
            return self.multiply_known(known)
        return self.add_known(-known if operation == "subtract" else known)

    def __add__(self, other: Any) -> Self:
        return self._binary(other, "add")

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        return self._binary(other, "subtract")

    def __rsub__(self, other: Any) -> Self:
        return (-self)._binary(other, "add")

    def __mul__(self, other: Any) -> Self:
        return self._binary(other, "multiply")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Self:
        if isinstance(other, Elementwise):
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

    def __pow__(self, exponent: Any) -> Self:
        if not isinstance(exponent, (int, np.integer)) or not 1 <= exponent <= 1 << 20:
            refuse(
                "__pow__", f"exponent = {exponent!r}", "an integer from 1 to 2^20",
                "use array.polynomial(...) for other functions",
            )  # fmt: skip
        rest, square = int(exponent), self
        while rest % 2 == 0:
            rest, square = rest // 2, square * square
        result = square
        while rest > 1:
            rest, square = rest // 2, square * square
            result = result * square if rest % 2 else result
        return result

    def __neg__(self) -> Self:
        return self.mapped(lambda block: -block, is_clean=True)

    def __pos__(self) -> Self:
        return self

    def broadcast_to(self, shape: Shape, like: Layout | None = None) -> Self:
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
            raised = self.relabelled(lifted(self.layout, shape))
            result, array = like, moved(raised, operand_layout(like, raised.shape))
        blocks, zeros = [], zero_slots(array, result.period)
        is_clean = True
        for index, is_padding in zip(np.ndindex(*result.grid), result.index_map() < 0, strict=True):
            block = block_of(array.layout, result, index)
            blocks.append(array.blocks[block])
            is_clean &= bool(zeros[block][is_padding].all())
        return self.made(result, blocks, is_clean=is_clean)

    def _combined(self, other: Any, operation: str) -> Self:
        """Returns the sum, difference or product of two encrypted arrays."""
        if self.engine is not other.engine:
            refuse(
                operation, "arrays of two clients or of two functions", "arrays of one client",
                "encrypt both with one client; a server binds arrays with server.load",
            )  # fmt: skip
        operate = getattr(self, f"_{operation}_blocks")
        dtype = np.result_type(self.dtype, other.dtype)
        if self.layout == other.layout:
            blocks = [operate(a, b) for a, b in zip(self.blocks, other.blocks, strict=True)]
            are_clean = self.is_clean, other.is_clean
            is_clean = any(are_clean) if operation == "multiply" else all(are_clean)
            return self.made(
                self.layout, blocks, is_clean=is_clean or self.layout.is_full, dtype=dtype
            )
        shape = broadcast(operation, self.shape, other.shape)
        result, (a, b) = aligned([self, other], shape)
        zeros = zero_slots(a, result.period), zero_slots(b, result.period)
        blocks, is_clean = [], True
        for index, is_padding in zip(np.ndindex(*result.grid), result.index_map() < 0, strict=True):
            i, j = block_of(a.layout, result, index), block_of(b.layout, result, index)
            blocks.append(operate(a.blocks[i], b.blocks[j]))
            both = zeros[0][i], zeros[1][j]
            is_zero = both[0] | both[1] if operation == "multiply" else both[0] & both[1]
            is_clean &= bool(is_zero[is_padding].all())
        return self.made(result, blocks, is_clean=is_clean, dtype=dtype)

    def _add_blocks(self, a: Any, b: Any) -> Any:
        return b if a is None else a if b is None else a + b

    def _subtract_blocks(self, a: Any, b: Any) -> Any:
        return a if b is None else -b if a is None else a - b

    def _multiply_blocks(self, a: Any, b: Any) -> Any:
        return None if a is None or b is None else self.engine.multiply(a, b)

    def add_known(self, known: NDArray[Any]) -> Self:
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

    def multiply_known(self, known: NDArray[Any]) -> Self:
        """Returns the product by numbers in the clear, which known_numbers has checked."""
        array = self.broadcast_to(broadcast("multiply", self.shape, known.shape))
        slots = array.layout.spread(np.broadcast_to(known, array.shape))
        blocks: list[Any] = []
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

    def cleaned(self, factor: float = 1) -> Self:
        """Returns the array times a number, with 0 in slots without an element."""
        return self.multiply_known(np.asarray(factor))


def _short(number: Any) -> Any:
    """Returns an integer for a whole number that takes no level as one."""
    is_whole = number == np.round(number.real)
    return int(number.real) if is_whole and takes_no_level(int(number.real)) else number
