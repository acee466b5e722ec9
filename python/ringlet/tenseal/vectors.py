# SPDX-License-Identifier: Apache-2.0
"""Encrypted vectors with TenSEAL's interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.layout import power_of_two
from .abstract import AbstractTensor, in_place, operation, rows
from .cells import spaced
from .refusals import checked, numbers, refuse, refuse_type, with_value_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from typing_extensions import Self

    from ..arrays.array import EncryptedArray
    from .enc_context import Context


class Vector(AbstractTensor):
    """An encrypted vector of any length. Its array has one axis, or two for an encoded matrix."""

    def _encrypt(self, context: Any, vector: Any) -> None:
        self._context = self._checked_context(context)
        values = self._numbers("encrypt", vector)
        if values.ndim != 1 or not values.size:
            name = type(self).__name__
            refuse(name, f"shape {values.shape}", "vectors of 1 number or more", "pass a list")
        self._array = rows(values, context)

    def size(self) -> int:
        """Returns the number of elements."""
        return self.array.size

    @property
    def shape(self) -> list[int]:
        """[size]"""
        return [self.size()]

    def decrypt(self, secret_key: Any = None) -> list[Any]:
        """Returns the numbers as a list.

        - secret_key: a SecretKey, for vectors of a public context.
        """
        values = self.context().decrypted(self.array, secret_key).reshape(-1).tolist()
        return list(values)

    def _operand(self, name: str, other: Any) -> Any:
        """Returns the other operand, in the shape of the array or of length 1."""
        array, own = self._encrypted_operand(name, other), self.array
        operand = self._numbers(name, other) if array is None else array
        if array is None and operand.ndim == 0 and name != "dot":
            return operand
        if array is None and operand.ndim != 1:
            refuse(name, f"numbers of shape {operand.shape}", "vectors", "pass a list of numbers")
        if operand.size == own.size:
            return operand.reshape(own.shape if own.ndim > 1 or array is None else (own.size,))
        if array is None or 1 not in (operand.size, own.size):
            refuse(
                name, f"vectors of different sizes, {own.size} and {operand.size}",
                "equal sizes, or an encrypted vector of size 1", "pass vectors of the same size",
            )  # fmt: skip
        return operand

    def _both(self, name: str, other: Any) -> tuple[Any, Any]:
        """Returns both operands. A vector that TenSEAL wrote may hold anything behind its numbers.
        Where it meets another vector, both are treated so, and neither moves."""
        own, operand = self.array, self._operand(name, other)
        if isinstance(operand, np.ndarray) or operand.shape != own.shape:
            return own, operand
        layouts = sorted((own.layout, operand.layout), key=lambda layout: layout.period)
        if all(layout.is_in_order(own.engine.slots) for layout in layouts):
            own, operand = spaced(own, layouts[1]), spaced(operand, layouts[1])
        return own, operand

    def _binary(self, name: str, other: Any) -> Any:
        own, operand = self._both(name, other)
        if name in ("mul", "dot"):
            return own * operand
        return own + operand if name == "add" else own - operand

    @operation
    def sum(self, axis: int = 0) -> Any:
        """Returns the sum of all elements, a vector of size 1."""
        self.context().need("galois", "sum")
        return self.array.sum().reshape(1)

    @operation
    def dot(self, other: Any) -> Any:
        """Returns the scalar product, a vector of size 1."""
        self.context().need("galois", "dot")
        return self._binary("dot", other).sum().reshape(1)

    sum_, dot_ = map(in_place, (sum, dot))

    @classmethod
    @with_value_errors
    def pack_vectors(cls, vectors: Sequence[Self]) -> Self:
        """Returns the vectors, of one size, as one vector."""
        for vector in vectors:
            checked("pack_vectors", vector, cls, f"a {cls.__name__}")
        if len({vector.size() for vector in vectors}) != 1:
            refuse(
                "pack_vectors", "no vectors, or vectors of different sizes",
                "one or more of the same size", "fill shorter vectors up with zeros",
            )  # fmt: skip
        context = vectors[0].context()
        context.need("galois", "pack_vectors")
        parts = [context.bound(vector.array).reshape(-1) for vector in vectors]
        packed: Any = np.concatenate(parts)
        return vectors[0]._new(packed)


class BFVVector(Vector):
    """An encrypted vector of integers modulo plain_modulus.

    - vector: integers; fractions are cut off.
    """

    _scheme = "bfv"

    def __init__(self, context: Any = None, vector: Any = None) -> None:
        self._encrypt(context, vector)


class CKKSVector(Vector):
    """An encrypted vector of real numbers.

    - scale: by default the global scale. Ringlet encodes at the scale of the context.
    """

    _scheme = "ckks"

    def __init__(self, context: Any = None, vector: Any = None, scale: float | None = None) -> None:
        self._checked_context(context).scale_for(scale)
        self._encrypt(context, vector)

    def scale(self) -> float:
        """Returns the scale of the ciphertexts."""
        return float(self.array.blocks[0].scale)

    @operation
    def mm(self, other: Any) -> Any:
        """Returns the product by a matrix of shape (size, n): a vector of size n. Takes one level.
        """
        if isinstance(other, AbstractTensor):
            refuse_type("mm", other, "a matrix of numbers")
        matrix = self._numbers("mm", other)
        self.context().need("galois", "mm")
        if matrix.ndim != 2 or matrix.shape[0] != self.size():
            limit = f"a matrix of shape ({self.size()}, n)"
            refuse("mm", f"numbers of shape {matrix.shape}", limit, "transpose the matrix")
        return self.array.reshape(-1) @ matrix

    @operation
    def enc_matmul_plain(self, other: Any, row_size: int) -> Any:
        """Returns matrix @ other for a matrix of enc_matmul_encoding: a vector of size row_size.

        - other: as many numbers as the matrix has columns.
        - row_size: number of rows.
        """
        factors = self._numbers("enc_matmul_plain", other).reshape(-1)
        self.context().need("galois", "enc_matmul_plain")
        array, padded = self.array, power_of_two(factors.size)
        if not factors.size or array.shape != (padded, row_size):
            refuse(
                "enc_matmul_plain", f"{factors.size} factors and {row_size} rows",
                f"those of the encoding, of shape {array.shape}", "pass what was encoded",
            )  # fmt: skip
        column = np.pad(factors, (0, padded - factors.size)).reshape(-1, 1)
        return (array * column).sum(0)

    @operation
    def conv2d_im2col(self, other: Any, windows_nb: int) -> Any:
        """Returns the cross-correlation of an image of im2col_encoding by a kernel: a vector of
        size windows_nb.

        - other: the kernel, a matrix of the encoded size.
        - windows_nb: what im2col_encoding returned.
        """
        kernel = self._numbers("conv2d_im2col", other)
        if kernel.ndim != 2:
            refuse("conv2d_im2col", f"shape {kernel.shape}", "a matrix", "reshape the kernel")
        return self.enc_matmul_plain(kernel.reshape(-1), windows_nb).array

    mm_, enc_matmul_plain_, conv2d_im2col_ = map(in_place, (mm, enc_matmul_plain, conv2d_im2col))
    matmul = __matmul__ = mm
    matmul_ = __imatmul__ = mm_


def _encoded(context: Context, matrix: NDArray[Any]) -> CKKSVector:
    """Encrypts a matrix column after column, filled up with zeros to a power of two of columns."""
    columns = matrix.shape[1]
    filled = np.pad(matrix, ((0, 0), (0, power_of_two(columns) - columns)))
    return CKKSVector._of(context, rows(np.ascontiguousarray(filled.T), context))


def _matrix(name: str, context: Any, tensor: Any) -> NDArray[Any]:
    CKKSVector._checked_context(context).scale_for(None)
    values = numbers(name, tensor)
    if values.ndim != 2 or not values.size:
        refuse(name, f"numbers of shape {values.shape}", "a matrix", "pass a list of rows")
    return values


def enc_matmul_encoding(context: Context, tensor: Any) -> CKKSVector:
    """Encrypts a matrix for CKKSVector.enc_matmul_plain."""
    return _encoded(context, _matrix("enc_matmul_encoding", context, tensor))


def im2col_encoding(
    context: Context, tensor: Any, kernel_n_rows: int, kernel_n_cols: int, stride: int
) -> tuple[CKKSVector, int]:
    """Encrypts the windows of an image for CKKSVector.conv2d_im2col.

    - tensor: the image, a matrix.
    - kernel_n_rows, kernel_n_cols: size of the kernel.
    - stride: distance of windows, in rows and in columns.

    Returns the vector and the number of windows.
    """
    image = _matrix("im2col_encoding", context, tensor)
    size = (kernel_n_rows, kernel_n_cols)
    fits = all(0 < k <= n for k, n in zip(size, image.shape, strict=True))
    if not fits or not isinstance(stride, (int, np.integer)) or stride < 1:
        refuse(
            "im2col_encoding", f"a kernel of {size} and stride {stride!r}",
            f"kernels inside of {image.shape}, strides from 1 on", "pass other numbers",
        )  # fmt: skip
    windows = np.lib.stride_tricks.sliding_window_view(image, size)[::stride, ::stride]
    lines = windows.reshape(-1, size[0] * size[1])
    return _encoded(context, lines), len(lines)
