# SPDX-License-Identifier: Apache-2.0
"""Where the numbers of an array are: in which ciphertext and in which slot.

A layout splits each axis of the array into blocks and gives the numbers of one block to the slots
of one ciphertext, as a row-major grid of *dimensions*. The slots hold this grid, its *period*,
over and over. Slots without a number hold 0. This is the tile tensor of Aharoni et al., "HElayers:
a tile tensors framework for large neural networks on encrypted data", PETS 2023.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Shape = tuple[int, ...]

#: Instead of an axis of the array: a dimension along which the numbers are repeated, and one along
#: which they are in the first place alone, with zeros behind.
REPEATED = -1
FIRST = -2


def power_of_two(number: int) -> int:
    """Returns the least power of two that is at least `number`."""
    return 1 << max(0, number - 1).bit_length()


@dataclass(frozen=True)
class Dimension:
    """A dimension of the grid of slots.

    - extent: number of places, a power of two from 2 on.
    - axis: the axis of the array that runs along it, REPEATED or FIRST.
    """

    extent: int
    axis: int


@dataclass(frozen=True)
class Layout:
    """The places of the numbers of an array of this shape.

    - shape: lengths of the axes, each at least 1.
    - dimensions: of the grid of slots, outermost first. An axis has at most one; an axis without
      one has a ciphertext for each of its indices.
    """

    shape: Shape
    dimensions: tuple[Dimension, ...]

    @staticmethod
    def of(shape: Shape, dimensions: Iterator[Dimension] | list[Dimension]) -> Layout:
        """Returns the layout without dimensions that say nothing: of extent 1, and repetitions
        outside of all others, which the period gives."""
        kept = [d for d in dimensions if d.extent > 1]
        while kept and kept[0].axis == REPEATED:
            kept.pop(0)
        return Layout(tuple(shape), tuple(kept))

    @staticmethod
    def rows(shape: Shape, slots: int) -> Layout:
        """Returns the row-major layout: inner axes have a dimension of their own as long as the
        slots last."""
        dimensions: list[Dimension] = []
        for axis in range(len(shape) - 1, -1, -1):
            extent = min(power_of_two(shape[axis]), slots)
            dimensions.insert(0, Dimension(extent, axis))
            slots //= extent
        return Layout.of(shape, dimensions)

    @staticmethod
    def columns(shape: Shape, slots: int) -> Layout:
        """Returns the layout with the first axis along the slots, and a ciphertext for each index
        of the other axes."""
        if not shape:
            return Layout((), ())
        return Layout.of(shape, [Dimension(min(power_of_two(shape[0]), slots), 0)])

    @staticmethod
    def apart(shape: Shape, slots: int) -> Layout:
        """Returns the layout with a ciphertext for each number, in all of its slots."""
        return Layout(shape, ())

    @functools.cached_property
    def period(self) -> int:
        """Number of slots after which everything repeats."""
        return math.prod(d.extent for d in self.dimensions)

    @property
    def size(self) -> int:
        """Number of elements of the array."""
        return math.prod(self.shape)

    def extent(self, axis: int) -> int:
        """Returns the number of indices of an axis that share a ciphertext."""
        return next((d.extent for d in self.dimensions if d.axis == axis), 1)

    @functools.cached_property
    def grid(self) -> Shape:
        """Number of ciphertexts along each axis."""
        return tuple(-(-n // self.extent(axis)) for axis, n in enumerate(self.shape))

    @functools.cached_property
    def block_count(self) -> int:
        """Number of ciphertexts."""
        return math.prod(self.grid)

    def stride(self, position: int) -> int:
        """Returns the distance, in slots, of neighbours along dimensions[position]."""
        return math.prod(d.extent for d in self.dimensions[position + 1 :])

    def index_map(self) -> NDArray[np.int64]:
        """Returns the flat index of the element in each slot, or -1 for a slot without one: shape
        (block_count, period), read-only."""
        return _index_map(self)

    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the block of each element, shape (size,), and all its slots within a period,
        shape (size, copies)."""
        return _places(self)

    @property
    def is_full(self) -> bool:
        """True if every slot holds an element."""
        return bool((self.index_map() >= 0).all())

    def is_in_order(self, slots: int) -> bool:
        """Tells whether the elements, row-major, are in the first slots of the ciphertexts."""
        blocks, places = self.places()
        return bool((blocks * slots + places[:, 0] == np.arange(self.size)).all())

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Returns the numbers of an array of this shape in their slots: shape (block_count,
        period), with zeros in slots without a number."""
        indices = self.index_map()
        flat = np.ascontiguousarray(values).reshape(-1)
        return np.where(indices >= 0, flat[indices], flat.dtype.type(0))

    def gathered(self, slots: NDArray[Any]) -> NDArray[Any]:
        """Returns the array whose slots are given, shape (block_count, period or more)."""
        blocks, places = self.places()
        return slots[blocks, places[:, 0]].reshape(self.shape)

    def with_shape(self, shape: Shape, axes: dict[int, int]) -> Layout:
        """Returns the layout of the same slots for an array of another shape.

        - axes: the new axis of each old one; axes that are not there become FIRST.
        """
        moved = [
            Dimension(d.extent, d.axis if d.axis < 0 else axes.get(d.axis, FIRST))
            for d in self.dimensions
        ]
        return Layout.of(shape, moved)

    def description(self) -> dict[str, Any]:
        """Returns the layout as JSON has it."""
        pairs = [[d.extent, d.axis] for d in self.dimensions]
        return {"shape": list(self.shape), "dimensions": pairs}

    def __str__(self) -> str:
        names = {REPEATED: "repeated", FIRST: "spaced"}
        parts = [
            f"{d.extent} {names.get(d.axis, f'of axis {d.axis}')}" for d in self.dimensions
        ] or ["one number"]
        plural = "" if self.block_count == 1 else "s"
        return f"{' x '.join(parts)} in {self.block_count} ciphertext{plural}"


@functools.lru_cache(maxsize=256)
def _index_map(layout: Layout) -> NDArray[np.int64]:
    grid = layout.grid
    dims = len(grid) + len(layout.dimensions)
    flat = np.zeros((1,) * dims, np.int64)
    is_there = np.ones((1,) * dims, bool)

    def along(position: int, count: int) -> NDArray[np.int64]:
        return np.arange(count).reshape([-1 if k == position else 1 for k in range(dims)])

    coordinates = [along(axis, count) * layout.extent(axis) for axis, count in enumerate(grid)]
    for position, dimension in enumerate(layout.dimensions):
        places = along(len(grid) + position, dimension.extent)
        if dimension.axis >= 0:
            coordinates[dimension.axis] = coordinates[dimension.axis] + places
        elif dimension.axis == FIRST:
            is_there = is_there & (places == 0)
    for axis, coordinate in enumerate(coordinates):
        flat = flat * layout.shape[axis] + coordinate
        is_there = is_there & (coordinate < layout.shape[axis])
    whole = grid + tuple(d.extent for d in layout.dimensions)
    result = np.broadcast_to(np.where(is_there, flat, -1), whole)
    result = np.ascontiguousarray(result.reshape(layout.block_count, layout.period))
    result.flags.writeable = False
    return result


@functools.lru_cache(maxsize=256)
def _places(layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    indices = layout.index_map().reshape(-1)
    filled = np.flatnonzero(indices >= 0)
    ordered = filled[np.argsort(indices[filled], kind="stable")].reshape(layout.size, -1)
    return ordered[:, 0] // layout.period, ordered % layout.period
