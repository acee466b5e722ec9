# SPDX-License-Identifier: Apache-2.0
"""Encrypted tensors with TenSEAL's interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.layout import Layout
from . import cells
from .abstract import AbstractTensor, in_place, operation, rows
from .plain import PlainTensor
from .refusals import WrongShape, refuse, refuse_type, with_value_errors

if TYPE_CHECKING:
    from ..arrays.array import EncryptedArray

_MAX_CELLS = 256  # Larger tensors are packed where there are Galois keys.


class Tensor(AbstractTensor):
    """An encrypted tensor.

    A tensor with batch=True has its first axis, which `shape` leaves out, in the slots, and a
    ciphertext for each index of the others. So has one of up to 256 numbers, and one without Galois
    keys; the slots of a ciphertext all hold its number. Larger tensors are packed in rows.
    """

    def _encrypt(self, context: Any, tensor: Any, batch: bool) -> None:
        self._context = self._checked_context(context)
        values = self._numbers("encrypt", tensor)
        if not values.size or (batch and not values.ndim):
            name = type(self).__name__
            refuse(name, f"shape {values.shape}", "at least one number", "pass a list")
        self._is_batch = bool(batch)
        if batch:
            slots = context.engine.slots
            self._array = context.encrypted(values, Layout.columns(values.shape, slots))
        elif values.size > _MAX_CELLS and context.has_galois_keys():
            self._array = rows(values, context)
        else:
            self._array = context.encrypted(values, Layout(values.shape, ()))

    def _describe(self, description: dict[str, Any]) -> None:
        self._is_batch = description.get("batch") is True and self._array.ndim > 0

    def _description(self) -> dict[str, Any]:
        return {"batch": self._is_batch}

    @property
    def shape(self) -> list[int]:
        """Lengths of the axes, without that of the batch."""
        return list(self.array.shape[self._is_batch :])

    def decrypt(self, secret_key: Any = None) -> PlainTensor:
        """Returns the numbers as a PlainTensor; the batch is the first axis.

        - secret_key: a SecretKey, for tensors of a public context.
        """
        return PlainTensor._of(self.context().decrypted(self.array, secret_key))

    # Operators.

    def _new(self, array: Any) -> Any:
        array, is_batch = array if isinstance(array, tuple) else (array, self._is_batch)
        result = super()._new(array)
        result._is_batch = is_batch
        return result

    def _both(self, name: str, other: Any) -> tuple[Any, Any, bool]:
        """Returns both arrays with as many axes, and whether the result has a batch."""
        own, operand = self.array, self._encrypted_operand(name, other)
        is_batch = self._is_batch or (operand is not None and other._is_batch)
        theirs: Any = self._numbers(name, other) if operand is None else operand
        ndims = own.ndim - self._is_batch, theirs.ndim - (operand is not None and other._is_batch)
        if self._is_batch:
            own = _with_axes(own, max(ndims))
        if operand is not None and other._is_batch:
            theirs = _with_axes(theirs, max(ndims))
        if operand is None and is_batch:
            theirs = np.expand_dims(theirs, tuple(range(1 + max(ndims) - theirs.ndim)))
        try:
            np.broadcast_shapes(own.shape, theirs.shape)
        except ValueError:
            raise WrongShape(
                name, f"shapes {own.shape} and {theirs.shape}",
                "equal lengths, or length 1, from the last axis on", "reshape a tensor",
            ) from None  # fmt: skip
        return own, theirs, is_batch

    def _binary(self, name: str, other: Any) -> Any:
        own, theirs, is_batch = self._both(name, other)
        known = isinstance(theirs, np.ndarray)
        if cells.are_cells(own, self._is_batch) and (
            known or cells.are_cells(theirs, other._is_batch)
        ):
            batches = self._is_batch, not known and other._is_batch
            return cells.combined(name, own, theirs, batches), is_batch
        if name == "mul":
            return own * theirs, is_batch
        return own + theirs if name == "add" else own - theirs, is_batch

    def _product(self, name: str, other: Any, ndims: tuple[int, int]) -> Any:
        if isinstance(other, (AbstractTensor, str)):
            self._encrypted_operand(name, other)
        theirs: Any = other.array if isinstance(other, Tensor) else self._numbers(name, other)
        is_batch = isinstance(other, Tensor) and other._is_batch
        shapes = [self.shape, list(theirs.shape[is_batch:])]
        inner = shapes[1][-2 if len(shapes[1]) > 1 else 0] if shapes[1] else None
        if not all(1 <= len(s) <= 2 for s in shapes) or shapes[0][-1] != inner:
            limit = "(m, k) and (k, n)"
            refuse(name, f"shapes {shapes[0]} and {shapes[1]}", limit, "reshape a tensor")
        if any(len(s) < n for s, n in zip(shapes, ndims, strict=True)):
            refuse(name, f"shapes {shapes[0]} and {shapes[1]}", "two matrices", "use dot")
        own = self.array
        if cells.are_cells(own, self._is_batch) and (
            not isinstance(other, Tensor) or cells.are_cells(theirs, is_batch)
        ):
            batches = self._is_batch, is_batch
            return cells.product(own, theirs, batches), any(batches)
        if self._is_batch or is_batch:
            refuse(name, "a tensor with a batch and a packed one", "two of one kind",
                   "encrypt the larger one in parts of up to 256 numbers")  # fmt: skip
        return own @ theirs

    @operation
    def dot(self, other: Any) -> Any:
        """Returns the product of vectors and matrices. Takes one level of CKKS."""
        return self._product("dot", other, (1, 1))

    @operation
    def mm(self, other: Any) -> Any:
        """Returns the product of two matrices. Takes one level of CKKS."""
        return self._product("mm", other, (2, 2))

    # Sums and shapes.

    @operation
    def sum(self, axis: int = 0) -> Any:
        """Returns the sum over an axis; for tensors with a batch, axis 0 is that of the batch.

        Raises ValueError for an axis that is not there.
        """
        if not isinstance(axis, (int, np.integer)) or axis < 0:
            refuse_type("sum", axis, "an axis from 0 on")
        if axis >= self.array.ndim:
            refuse("sum", f"axis = {axis}", f"axes of shape {self.array.shape}", "name another")
        return self._summed(int(axis))

    def _summed(self, axis: int) -> Any:
        is_over_batch = self._is_batch and axis == 0
        if is_over_batch:
            self.context().need("galois", "sum over the batch")
        return self.array.sum(axis), self._is_batch and not is_over_batch

    @operation
    def sum_batch(self) -> Any:
        """Returns the sum over the batch. Raises ValueError for tensors without one."""
        if not self._is_batch:
            refuse("sum_batch", "a tensor without a batch", "batch=True", "use sum")
        return self._summed(0)

    @operation
    def reshape(self, shape: Any) -> Any:
        """Returns the numbers, in row-major order, under another shape of as many."""
        wanted = [int(n) for n in shape]
        own, size = self.array, int(np.prod(self.shape))
        if min(wanted, default=1) < 1:
            refuse_type("reshape", shape, "a list of lengths from 1 on")
        if int(np.prod(wanted)) != size:
            refuse("reshape", f"shape {wanted}", f"{size} numbers", "pass a shape of as many")
        if cells.are_cells(own, self._is_batch):
            return cells.rearranged(own, self._is_batch, lambda grid: grid.reshape(wanted))
        return own.reshape(*wanted) if wanted else own.reshape(())

    @operation
    def broadcast(self, shape: Any) -> Any:
        """Returns the numbers repeated to a shape. Raises RuntimeError if they do not fit."""
        try:
            wanted = np.broadcast_shapes(tuple(self.shape), tuple(shape))
        except ValueError:
            wanted = ()
        if wanted != tuple(shape):
            raise WrongShape(
                "broadcast", f"shape {self.shape} for {shape!r}",
                "equal lengths, or length 1, from the last axis on", "reshape the tensor",
            )  # fmt: skip
        own = self.array
        if cells.are_cells(own, self._is_batch):
            return cells.rearranged(own, self._is_batch, lambda g: np.broadcast_to(g, wanted))
        return own.broadcast_to(wanted)

    @operation
    def transpose(self) -> Any:
        """Returns the tensor with its axes, without that of the batch, in the opposite order."""
        own, first = self.array, int(self._is_batch)
        order = [*range(first), *range(own.ndim - 1, first - 1, -1)]
        return own.transpose(order) if order else own

    dot_, mm_, sum_, sum_batch_ = map(in_place, (dot, mm, sum, sum_batch))
    __matmul__, __imatmul__ = mm, mm_
    reshape_, broadcast_, transpose_ = map(in_place, (reshape, broadcast, transpose))


def _with_axes(array: EncryptedArray, ndim: int) -> EncryptedArray:
    """Returns an array of a batch with axes of length 1 behind the first, `ndim` besides it."""
    missing = ndim + 1 - array.ndim
    return array.reshape(array.shape[0], *(1,) * missing, *array.shape[1:]) if missing else array


class BFVTensor(Tensor):
    """An encrypted tensor of integers modulo plain_modulus.

    - tensor: integers; fractions are cut off.
    - batch: whether the first axis goes along the slots.
    """

    _scheme = "bfv"

    def __init__(self, context: Any = None, tensor: Any = None, batch: bool = False) -> None:
        self._encrypt(context, tensor, batch)


class CKKSTensor(Tensor):
    """An encrypted tensor of real numbers.

    - scale: by default the global scale. Ringlet encodes at the scale of the context.
    - batch: whether the first axis goes along the slots.
    """

    _scheme = "ckks"

    def __init__(
        self,
        context: Any = None,
        tensor: Any = None,
        scale: float | None = None,
        batch: bool = False,
    ) -> None:
        self._checked_context(context).scale_for(scale)
        self._encrypt(context, tensor, batch)

    def scale(self) -> float:
        """Returns the scale of the ciphertexts."""
        return float(self.array.blocks[0].scale)

    @with_value_errors
    def __getitem__(self, item: Any) -> Any:
        key = item if isinstance(item, tuple) else (item,)
        if len(key) > len(self.shape) or not all(isinstance(k, (int, slice)) for k in key):
            limit = f"up to {len(self.shape)} integers and slices"
            refuse_type("__getitem__", item, limit)
        slices = tuple(k if isinstance(k, slice) else slice(k, k + 1 or None) for k in key)
        own = self.array
        places = np.empty(self.shape, bool)[slices]
        if not places.size:
            refuse("__getitem__", f"index {item!r}", f"shape {self.shape}", "use other indices")
        if cells.are_cells(own, self._is_batch):
            return self._new(cells.rearranged(own, self._is_batch, lambda grid: grid[slices]))
        return self._new(own[slices])
