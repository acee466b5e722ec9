# SPDX-License-Identifier: Apache-2.0
"""Brings arrays to one shape and one layout, so that operations go slot by slot."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from .layout import FIRST, REPEATED, Dimension, Layout, Shape
from .maps import LinearMap, cheapest
from .storage import Blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

A = TypeVar("A", bound=Blocks)

_CIPHERTEXT_COST = 0.5  # Of a result, in key switches.
_MANY = 64  # A layout with this many times the fewest ciphertexts is not considered.


def lifted(layout: Layout, shape: Shape) -> Layout:
    """Returns the layout with axes of length 1 in front, as many as the shape has more."""
    missing = len(shape) - len(layout.shape)
    axes = {axis: axis + missing for axis in range(len(layout.shape))}
    return layout.with_shape((1,) * missing + layout.shape, axes)


def operand_layout(result: Layout, shape: Shape) -> Layout:
    """Returns the layout of an operand of this shape, with as many axes as the result: it is
    repeated along the axes on which it is broadcast."""
    dimensions = [
        Dimension(d.extent, REPEATED)
        if d.axis >= 0 and shape[d.axis] == 1 and result.shape[d.axis] > 1
        else d
        for d in result.dimensions
    ]
    return Layout.of(shape, dimensions)


def zero_slots(array: Blocks, period: int) -> NDArray[np.bool_]:
    """Returns which slots are known to hold 0, for each block: shape (block_count, period)."""
    is_empty = array.layout.index_map() < 0
    return np.tile(is_empty & array.is_clean, (1, period // array.layout.period))


def aligned(arrays: list[A], shape: Shape) -> tuple[Layout, list[A]]:
    """Returns the layout of a result of this shape, and the arrays in the layouts that it asks of
    them. Arrays move as little as possible: at best they stay."""
    raised = [array.relabelled(lifted(array.layout, shape)) for array in arrays]
    slots = arrays[0].engine.slots
    candidates = [Layout.rows(shape, slots)]
    for array in raised:
        kept = [d for d in array.layout.dimensions if d.axis < 0 or array.shape[d.axis] > 1]
        candidates.insert(0, Layout.of(shape, kept))

    fewest = min(layout.block_count for layout in candidates)
    limit = max([_MANY * fewest, *(len(array.blocks) for array in arrays)])

    candidates = [layout for layout in candidates if layout.block_count <= limit]

    def bound(result: Layout) -> float:
        stays = sum(a.layout == operand_layout(result, a.shape) for a in raised)
        return _CIPHERTEXT_COST * result.block_count + len(raised) - stays

    least, result = float("inf"), candidates[0]
    for candidate in sorted(candidates, key=bound):
        if bound(candidate) >= least:
            break
        moves = sum(
            _moving_cost(a.layout, a.is_clean, operand_layout(candidate, a.shape)) for a in raised
        )
        cost = moves + _CIPHERTEXT_COST * candidate.block_count
        if cost < least:
            least, result = cost, candidate
    return result, [moved(array, operand_layout(result, array.shape)) for array in raised]


def block_of(layout: Layout, result: Layout, index: Shape) -> int:
    """Returns the block of an operand that belongs to the block `index` of the result's grid."""
    own = [0 if layout.shape[axis] == 1 else i for axis, i in enumerate(index)]
    return int(np.ravel_multi_index(own, layout.grid)) if own else 0


@functools.lru_cache(maxsize=1024)
def _moving_cost(source: Layout, is_clean: bool, target: Layout) -> float:
    if source == target:
        return 0.0
    distances = _copies(source, is_clean, target)
    if distances is not None:
        return float(len(distances) * source.block_count)
    return cheapest(_identity(source), source, [target])[0]


def _identity(layout: Layout) -> LinearMap:
    return LinearMap.selection(np.arange(1, layout.size + 1).reshape(layout.shape))


def _copies(source: Layout, is_clean: bool, target: Layout) -> list[int] | None:
    """Returns the distances of rotations whose sums repeat an array as `target` asks, or None if
    the two layouts differ by more."""
    ours = source.dimensions
    if not is_clean or source.shape != target.shape or not ours:
        return None
    outer = len(ours) - len(target.dimensions)
    theirs = (Dimension(2, REPEATED),) * max(0, outer) + target.dimensions
    if outer < 0 or len(ours) != len(theirs):
        return None
    distances = []
    for position, (own, wanted) in enumerate(zip(ours, theirs, strict=True)):
        is_first = own.axis == FIRST or (own.axis >= 0 and source.shape[own.axis] == 1)
        fits = position < outer or own.extent == wanted.extent
        if is_first and wanted.axis == REPEATED and fits:
            stride = source.stride(position)
            distances += [stride * k for k in _powers(own.extent)]
        elif own != wanted:
            return None
    return distances


def _powers(extent: int) -> list[int]:
    return [1 << k for k in range(extent.bit_length() - 1)]


def moved(array: A, target: Layout) -> A:
    """Returns the array in another layout of its shape."""
    if array.layout == target:
        return array
    distances = _copies(array.layout, array.is_clean, target)
    if distances is None:
        return array.transformed(("identity",), lambda: _identity(array.layout), target)
    blocks = []
    for block in array.blocks:
        for distance in distances if block is not None else ():
            block = array.engine.fold(block, -distance)
        blocks.append(block)
    return array.made(target, blocks)
