# SPDX-License-Identifier: Apache-2.0
"""Tensors with a ciphertext for each number, or for each number of a batch.

Sums, products, indices and new shapes take ciphertexts as they are: no rotation, no mask, and so no
Galois key and no level besides that of a product.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.layout import Dimension, Layout
from ..arrays.maps import takes_no_level

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..arrays.array import EncryptedArray

Grid = Any  # An array of NumPy whose elements are ciphertexts.


def are_cells(array: EncryptedArray, is_batch: bool) -> bool:
    """Tells whether no axis but that of the batch is in the slots."""
    dimensions = array.layout.dimensions
    return all(d.axis == 0 and is_batch for d in dimensions)


def _grid(array: EncryptedArray) -> Grid:
    grid = np.empty(array.layout.block_count, object)
    for place, block in enumerate(array.blocks):
        grid[place] = block
    return grid.reshape(array.layout.grid)


def _from_grid(
    like: EncryptedArray, grid: Grid, length: int | None, is_clean: bool
) -> EncryptedArray:
    """Returns the array of these ciphertexts; the first axis is that of a batch of this length."""
    blocks = np.asarray(grid, object)
    if length is None:
        return like.made(Layout(blocks.shape, ()), blocks.reshape(-1).tolist(), is_clean=is_clean)
    extent = like.layout.extent(0)
    layout = Layout.of((length, *blocks.shape[1:]), [Dimension(extent, 0)])
    return like.made(layout, blocks.reshape(-1).tolist(), is_clean=is_clean)


def spaced(array: EncryptedArray, layout: Layout) -> EncryptedArray:
    """Returns the array in a layout with the same first slots, and anything behind them."""
    return array if array.layout == layout else array.made(layout, array.blocks, is_clean=False)


def _of_one_extent(a: Any, b: Any) -> list[Any]:
    """Returns two batches of one length with as many slots for each: those that TenSEAL wrote are
    not repeated."""
    longest = max(a.layout.dimensions, b.layout.dimensions, key=lambda d: d[0].extent if d else 1)
    return [spaced(x, Layout(x.shape, longest)) for x in (a, b)]


def rearranged(
    array: EncryptedArray, is_batch: bool, function: Callable[[Grid], Grid]
) -> EncryptedArray:
    """Returns what a function that only moves elements makes of the axes besides the batch."""
    grid = _grid(array)
    if not is_batch:
        return _from_grid(array, function(grid), None, array.is_clean)
    parts = [function(np.asarray(part, object)) for part in grid]
    whole = np.empty((len(parts), *np.shape(parts[0])), object)
    for place, part in enumerate(parts):
        whole[place] = part
    return _from_grid(array, whole, array.shape[0], array.is_clean)


def combined(name: str, a: EncryptedArray, b: Any, batches: tuple[bool, bool]) -> EncryptedArray:
    """Returns the sum, difference or product by element; b is encrypted, or known numbers.

    - batches: whether a and b have a first axis that is in the slots.
    """
    engine = a.engine
    known = isinstance(b, np.ndarray)
    if all(batches) and a.shape[0] == b.shape[0]:
        a, b = _of_one_extent(a, b)
    functions = {
        ("add", False): lambda x, y, _: x + y,
        ("sub", False): lambda x, y, _: x - y,
        ("mul", False): lambda x, y, _: engine.multiply(x, y),
        ("add", True): lambda x, y, mask: engine.add_known(x, y * mask),
        ("sub", True): lambda x, y, mask: engine.add_known(x, -y * mask),
        ("mul", True): lambda x, y, _: None if y == 0 else engine.multiply_known(x, _short(y)),
    }
    longer = b if batches[1] and (not batches[0] or b.shape[0] > a.shape[0]) else a
    theirs = b if known else _grid(b)
    masks = _masks(longer, theirs.ndim) if any(batches) else 1
    result = np.frompyfunc(functions[name, known], 3, 1)(_grid(a), theirs, masks)
    is_clean = _is_clean(a, b, batches, all if name != "mul" else any)
    return _from_grid(longer, result, longer.shape[0] if any(batches) else None, is_clean)


def _is_clean(a: Any, b: Any, batches: tuple[bool, bool], combine: Any) -> bool:
    """Tells whether slots behind the batch hold 0 in a sum (all) or in a product (any)."""
    if isinstance(b, np.ndarray) or not any(batches):
        return bool(a.is_clean)
    return bool(combine([has and x.is_clean for has, x in zip(batches, (a, b), strict=True)]))


def _masks(array: EncryptedArray, ndim: int) -> Grid:
    """Returns 1, or 1 in the slots with a number, for each ciphertext along the batch."""
    dimension = Dimension(array.layout.extent(0), 0)
    is_there = Layout.of(array.shape[:1], [dimension]).index_map() >= 0
    masks = np.empty(len(is_there), object)
    for place, row in enumerate(is_there):
        masks[place] = 1 if row.all() else row.astype(np.int64)
    return masks.reshape(-1, *(1,) * (max(ndim, array.ndim) - 1))


def _short(number: Any) -> Any:
    """Returns an integer for a whole number that takes no level as one."""
    value = number.item() if isinstance(number, np.generic) else number
    return int(value) if value == int(value) and takes_no_level(int(value)) else value


def product(a: EncryptedArray, b: Any, batches: tuple[bool, bool]) -> EncryptedArray:
    """Returns a @ b for vectors and matrices; b is encrypted, or known numbers.

    - batches: whether a and b have a first axis that is in the slots.
    """
    known = isinstance(b, np.ndarray)
    if all(batches) and a.shape[0] == b.shape[0]:
        a, b = _of_one_extent(a, b)
    left, right = _grid(a), b if known else _grid(b)
    has_row, has_column = left.ndim - batches[0] == 2, right.ndim - batches[1] == 2
    left = left if has_row else np.expand_dims(left, -2)
    right = right if has_column else np.expand_dims(right, -1)
    count = max(len(left) if batches[0] else 1, len(right) if batches[1] else 1)
    left = left if batches[0] else np.broadcast_to(left, (count, *left.shape))
    right = right if batches[1] else np.broadcast_to(right, (count, *right.shape))
    terms = _known_terms if known else _encrypted_terms
    shape = (count, left.shape[-2], right.shape[-1])
    whole = np.empty(shape, object)
    for n, i, j in itertools.product(*map(range, shape)):
        whole[n, i, j] = terms(a.engine, left[n, i].tolist(), right[n, :, j].tolist())
    whole = whole if any(batches) else whole[0]
    whole = whole if has_column else whole[..., 0]
    axis = -2 if has_column else -1
    whole = whole if has_row else whole[(..., 0, slice(None)) if axis == -2 else (..., 0)]
    like = a if batches[0] or not batches[1] else b
    length = like.shape[0] if any(batches) else None
    return _from_grid(like, whole, length, _is_clean(a, b, batches, any))


def _known_terms(engine: Any, values: list[Any], factors: list[Any]) -> Any:
    """Returns the sum of products by known numbers, rescaled once."""
    pairs = [(v, f) for v, f in zip(values, factors, strict=True) if f]
    if not pairs:
        return None
    shorts = [_short(f) for _, f in pairs]
    level = {v.level for v, _ in pairs} if engine.scheme == "ckks" else {0}
    if len(level) > 1 or engine.scheme != "ckks" or all(isinstance(f, int) for f in shorts):
        return _total(engine.multiply_known(v, f) for (v, _), f in zip(pairs, shorts, strict=True))
    if level == {0}:
        engine.multiply_known(values[0], 0.5)  # Raises the error of a missing level.
    return _total(v.multiply(float(f), scale=v.scale) for v, f in pairs).rescale()


def _encrypted_terms(engine: Any, values: list[Any], others: list[Any]) -> Any:
    """Returns the sum of products of ciphertexts, relinearized and rescaled once."""
    is_ckks = engine.scheme == "ckks"
    levels = {x.level for x in (*values, *others)}
    if len(levels) > 1 or (is_ckks and levels == {0}):
        return _total(engine.multiply(v, w) for v, w in zip(values, others, strict=True))
    total = _total(v.multiply(w) for v, w in zip(values, others, strict=True)).relinearize()
    return total.rescale() if is_ckks else total


def _total(terms: Any) -> Any:
    iterator = iter(terms)
    total = next(iterator)
    for term in iterator:
        total = total + term
    return total
