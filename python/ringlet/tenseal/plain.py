# SPDX-License-Identifier: Apache-2.0
"""Tensors of numbers in the clear."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..errors import RuntimeFailure
from .refusals import WrongShape, numbers, refuse, refuse_type

_TYPES = {"float": np.float64, "int": np.int64}


class PlainTensor:
    """A tensor of numbers in the clear.

    - tensor: numbers, or rectangular lists of them.
    - shape: another shape for as many numbers.
    - dtype: "float", or "int"; fractions are cut off.
    """

    def __init__(self, tensor: Any, shape: Any = None, dtype: str = "float") -> None:
        if dtype not in _TYPES:
            refuse("plain_tensor", f"dtype = {dtype!r}", "'float' or 'int'", "pass one of these")
        if isinstance(tensor, PlainTensor):
            refuse_type("plain_tensor", tensor, "real numbers, or rectangular lists of them")
        self.numbers = numbers("plain_tensor", tensor).astype(_TYPES[dtype])
        if shape is not None:
            self.reshape_(shape)

    @classmethod
    def _of(cls, values: Any) -> PlainTensor:
        result = cls.__new__(cls)
        result.numbers = np.array(values)
        return result

    @property
    def data(self) -> Any:
        """The numbers as an array of NumPy."""
        return self.numbers

    @property
    def raw(self) -> list[Any]:
        """The numbers in row-major order, as one list."""
        return list(self.numbers.reshape(-1).tolist())

    @property
    def dtype(self) -> str:
        """"float" or "int"."""
        return "int" if self.numbers.dtype.kind == "i" else "float"

    @property
    def shape(self) -> list[int]:
        """Lengths of the axes."""
        return list(self.numbers.shape)

    def __repr__(self) -> str:
        return f"<ringlet.tenseal.PlainTensor shape={self.shape} dtype={self.dtype!r}>"

    def __array__(self, *arguments: Any, **options: Any) -> Any:
        return np.array(self.numbers, *arguments, **options)

    def tolist(self) -> Any:
        """Returns the numbers as nested lists."""
        return self.numbers.tolist()

    def size(self) -> int:
        """Returns the length of the first axis."""
        return len(self)

    def __len__(self) -> int:
        return len(self.numbers) if self.numbers.ndim else 1

    def empty(self) -> bool:
        """Tells whether there are no numbers."""
        return self.numbers.size == 0

    def strides(self) -> list[int]:
        """Returns the distance of neighbours along each axis, in numbers."""
        contiguous = np.ascontiguousarray(self.numbers)
        return [stride // contiguous.itemsize for stride in contiguous.strides]

    def at(self, index: Any) -> Any:
        """Returns the number at an index for each axis. Raises ValueError for others."""
        places = tuple(index)
        if len(places) != self.numbers.ndim or any(
            not 0 <= i < n for i, n in zip(places, self.shape, strict=True)
        ):
            refuse("PlainTensor.at", f"index {index!r}", f"shape {self.shape}", "use other indices")
        return self.numbers[places].item()

    def batch(self, dim: int) -> Any:
        """Returns a list of the numbers along axis `dim`, for each index of the other axes."""
        if not 0 <= dim < self.numbers.ndim:
            limit = f"0 to {self.numbers.ndim - 1}"
            refuse("PlainTensor.batch", f"dim = {dim!r}", limit, "name an axis")
        last = np.moveaxis(self.numbers, dim, -1)
        return last.reshape(-1, self.shape[dim]).tolist()

    def reshape(self, shape: Any) -> PlainTensor:
        """Returns the numbers, in row-major order, under another shape."""
        return self._of(self.numbers).reshape_(shape)

    def reshape_(self, shape: Any) -> PlainTensor:
        """Changes the shape."""
        try:
            self.numbers = self.numbers.reshape(tuple(shape))
        except (ValueError, TypeError):
            limit = f"{self.numbers.size} numbers"
            refuse("PlainTensor.reshape", f"shape {shape!r}", limit, "pass a shape of as many")
        return self

    def broadcast(self, shape: Any) -> PlainTensor:
        """Returns the numbers repeated to a shape, as numpy.broadcast_to does."""
        return self._of(self.numbers).broadcast_(shape)

    def broadcast_(self, shape: Any) -> PlainTensor:
        """Repeats the numbers to a shape. Raises RuntimeError if they do not fit."""
        try:
            self.numbers = np.broadcast_to(self.numbers, tuple(shape))
        except ValueError:
            raise WrongShape(
                "PlainTensor.broadcast", f"shape {self.shape} for {shape!r}",
                "equal lengths, or length 1, from the last axis on", "reshape the tensor",
            ) from None  # fmt: skip
        return self

    def transpose(self) -> PlainTensor:
        """Returns the tensor with its axes in the opposite order."""
        return self._of(self.numbers.T)

    def transpose_(self) -> PlainTensor:
        """Puts the axes in the opposite order."""
        self.numbers = self.numbers.T
        return self

    def serialize(self) -> bytes:
        """Returns the numbers as JSON."""
        return json.dumps(self.tolist(), separators=(",", ":")).encode()

    @classmethod
    def load(cls, data: bytes, dtype: str = "float") -> PlainTensor:
        """Returns the tensor of `serialize`. Raises RuntimeError for other bytes."""
        try:
            return cls(json.loads(data), dtype=dtype)
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
            raise RuntimeFailure(
                "plain_tensor_from", "bytes that are no JSON", "the bytes of serialize",
                "pass the bytes unchanged",
            ) from None  # fmt: skip
