# SPDX-License-Identifier: Apache-2.0
"""Selections, products by matrices and other linear maps of encrypted arrays."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .alignment import moved
from .functions import Functions
from .layout import REPEATED, Dimension, Layout, Shape, power_of_two
from .maps import LinearMap, digest
from .refusals import broadcast, check_terms, known_numbers, normal_axes, refuse
from .sums import total

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

A = TypeVar("A", bound=Functions)


def numbered(shape: Shape, first: int = 1) -> NDArray[np.int64]:
    """Returns an array of this shape with the numbers `first`, first + 1, ..."""
    return np.arange(first, first + math.prod(shape), dtype=np.int64).reshape(shape)


def select(
    arrays: Sequence[A],
    function: Callable[..., NDArray[np.int64]],
    axes: dict[int, int] | None = None,
) -> A:
    """Returns what a function that only moves elements makes of the arrays.

    - function: is called with arrays of positive integers of the same shapes. Its result tells for
      each element which one it is, or 0 for the number 0.
    - axes: for axes of the result that run along an axis of the arrays, that axis.
    """
    firsts = np.cumsum([1, *(a.size for a in arrays)])
    chosen = np.asarray(function(*(numbered(a.shape, int(f)) for a, f in zip(arrays, firsts))))
    if chosen.size == 0:
        refuse("select", f"a result of shape {chosen.shape}", "at least one element", "select some")
    result: A | None = None
    for array, first in zip(arrays, firsts):
        own = np.where((chosen >= first) & (chosen < first + array.size), chosen - first + 1, 0)
        if not own.any():
            continue
        kept = {r: a for r, a in (axes or {}).items() if r < chosen.ndim}
        name = ("select", digest(own), tuple(kept.items()))
        part = array.transformed(
            name, functools.partial(LinearMap.selection, own, kept),
            result.layout if result is not None else None,
        )  # fmt: skip
        result = part if result is None else result + part
    if result is None:
        refuse("select", "a result of zeros alone", "a result with encrypted numbers", "use zeros")
    return result


def item(array: A, key: Any) -> A:
    """Returns array[key] for integers, slices, None, Ellipsis, and arrays of integers or bool."""
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, Functions):
            refuse(
                "__getitem__", "an encrypted index or mask", "indices in the clear",
                "multiply by the mask: array * mask keeps the shape",
            )  # fmt: skip
    try:
        chosen = numbered(array.shape)[key]
    except IndexError as error:
        limit = f"indices of shape {array.shape}"
        refuse("__getitem__", f"index {key!r}: {error}", limit, "use other indices")
    return select([array], lambda _: chosen, _kept_axes(key, array.ndim))


def _kept_axes(key: Any, ndim: int) -> dict[int, int]:
    """Returns which axis of the array each axis of array[key] runs along, for integers and
    slices."""
    parts = list(key) if isinstance(key, tuple) else [key]
    taken = sum(part is not None and part is not Ellipsis for part in parts)
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
    axes: dict[int, int] = {}
    source = target = 0
    for part in parts:
        if part is Ellipsis:
            for _ in range(ndim - taken):
                axes[target] = source
                source, target = source + 1, target + 1
        elif part is None:
            target += 1
        elif isinstance(part, slice):
            axes[target] = source
            source, target = source + 1, target + 1
        elif isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            source += 1
        else:
            return {}
    return axes


def transpose(array: A, axes: Any) -> A:
    """Returns array.transpose(*axes), by other names for the axes and another order of the
    ciphertexts."""
    if len(axes) == 1 and (axes[0] is None or not isinstance(axes[0], (int, np.integer))):
        axes = axes[0] or ()
    order = [int(a) + (array.ndim if a < 0 else 0) for a in axes] or list(range(array.ndim))[::-1]
    if sorted(order) != list(range(array.ndim)):
        limit = f"each axis of {array.ndim} once"
        refuse("transpose", f"axes = {tuple(axes)}", limit, "name every axis")
    shape = tuple(array.shape[a] for a in order)
    layout = array.layout.with_shape(shape, {old: new for new, old in enumerate(order)})
    places = np.arange(array.layout.block_count).reshape(array.layout.grid).transpose(order)
    blocks = [array.blocks[place] for place in places.reshape(-1)]
    return array.made(layout, blocks, is_clean=array.is_clean)


def reshape(array: A, shape: Any) -> A:
    """Returns array.reshape(*shape) in row-major order."""
    wanted = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
    try:
        chosen = numbered(array.shape).reshape(wanted)
    except (ValueError, TypeError):
        limit = f"{array.size} elements, as in shape {array.shape}"
        refuse("reshape", f"shape {tuple(shape)}", limit, "pass a shape of as many elements")
    long_axes = [a for a, n in enumerate(array.shape) if n > 1]
    places = [a for a, n in enumerate(chosen.shape) if n > 1]
    if [array.shape[a] for a in long_axes] == [chosen.shape[a] for a in places]:
        axes = dict(zip(long_axes, places, strict=True))
        return array.relabelled(array.layout.with_shape(chosen.shape, axes))
    return select([array], lambda _: chosen)


def _operand(operation: str, operand: Any, is_exact: bool) -> tuple[Shape, Any]:
    """Returns the shape, and numbers in the clear as an array."""
    if isinstance(operand, Functions):
        return operand.shape, operand
    known = known_numbers(operation, operand, is_exact)
    return known.shape, known


def matmul(left: Any, right: Any) -> Any:
    """Returns left @ right, as numpy.matmul does, with one or two encrypted operands."""
    array: Functions = left if isinstance(left, Functions) else right
    (a_shape, a), (b_shape, b) = (_operand("matmul", x, array.is_exact) for x in (left, right))
    if not a_shape or not b_shape or a_shape[-1] != b_shape[-2 if len(b_shape) > 1 else 0]:
        refuse(
            "matmul", f"shapes {a_shape} and {b_shape}", "(..., m, k) @ (..., k, n)",
            "transpose an operand, or use * for products by numbers",
        )  # fmt: skip
    if isinstance(left, Functions) and isinstance(right, Functions):
        return _encrypted_product(left, right)
    known, is_left = (b, True) if array is left else (a, False)
    name = ("matmul", is_left, digest(known))
    return array.transformed(name, lambda: _product_map(array.shape, known, is_left))


def _product_map(shape: Shape, known: NDArray[Any], is_left: bool) -> LinearMap:
    """Returns the map of an array of this shape to its product by a known one.

    - is_left: whether the array is on the left.
    """
    sources = numbered(shape, 0)
    a, b = (sources, known) if is_left else (known, sources)
    a_rows = a if a.ndim > 1 else a[None, :]
    b_rows = b if b.ndim > 1 else b[:, None]
    batch = broadcast("matmul", a_rows.shape[:-2], b_rows.shape[:-2])
    full = (*batch, a_rows.shape[-2], b_rows.shape[-1], b_rows.shape[-2])
    check_terms("matmul", math.prod(full))
    left = np.broadcast_to(a_rows[..., :, None, :], full).reshape(-1)
    right = np.broadcast_to(b_rows.swapaxes(-1, -2)[..., None, :, :], full).reshape(-1)
    result = (*batch, *a.shape[-2:-1], *(b.shape[-1:] if b.ndim > 1 else ()))
    targets = np.repeat(np.arange(math.prod(result)), full[-1])
    taken, weights = (left, right) if is_left else (right, left)
    used = np.flatnonzero(weights)
    axes = _product_axes(len(shape), len(result), is_left)
    return LinearMap(result, targets[used], taken[used], weights[used], axes)


def _product_axes(ndim: int, result_ndim: int, is_left: bool) -> dict[int, int]:
    """Returns which axis of the encrypted operand each axis of a product runs along."""
    shift = result_ndim - ndim
    axes = {r: r - shift for r in range(max(0, shift), result_ndim)}
    if ndim == 1:
        return {result_ndim - 1: 0} if result_ndim else {}
    if is_left and shift < 0:  # (m, k) @ (k,)
        return {r: r for r in range(result_ndim)}
    return axes


def _encrypted_product(a: A, b: A) -> A:
    if a.ndim == 1 and b.ndim == 1:
        return total(a * b, None)
    if b.ndim == 1:
        return total(a * b, -1)
    if a.ndim == 1:
        return total(reshape(a, (-1, 1)) * b, -2)
    d = max(2, power_of_two(max(*a.shape, *b.shape)))
    slots = a.engine.slots
    if a.ndim > 2 or b.ndim > 2 or d * d > slots:
        columns = reshape(a, (*a.shape, 1))
        rows = reshape(b, (*b.shape[:-2], 1, *b.shape[-2:]))
        return total(columns * rows, -2)

    def places(shape: Shape) -> Layout:
        parts = [Dimension(d, 0), Dimension(d, 1), Dimension(slots // (d * d), REPEATED)]
        return Layout.of(shape, parts)

    clean = (matrix if matrix.is_clean else matrix.cleaned() for matrix in (a, b))
    x, y = (moved(matrix, places(matrix.shape)).blocks[0] for matrix in clean)
    product = None
    if x is not None and y is not None:
        key = ("matrix_product", d)
        product = a.engine.apply(key, lambda x, y: x.matrix_product(y, d), x, y)
    dtype = np.result_type(a.dtype, b.dtype)
    return a.made(places((a.shape[0], b.shape[1])), [product], dtype=dtype)


def cumulative(array: A, axis: int | None) -> A:
    """Returns the cumulative sums along an axis, or of the flat array."""
    flat = reshape(array, (-1,)) if axis is None else array
    (place,) = normal_axes("cumsum", 0 if axis is None else axis, flat.ndim)
    n = flat.shape[place]
    check_terms("cumsum", flat.size * n)
    order = [a for a in range(flat.ndim) if a != place] + [place]
    back = [order.index(a) for a in range(flat.ndim)]
    sums: A = matmul(transpose(flat, order), np.triu(np.ones((n, n), np.int64)))
    return transpose(sums, back)


def difference(array: A, n: int, axis: int) -> A:
    """Returns the n-th differences along an axis, as one linear map."""
    (place,) = normal_axes("diff", axis, array.ndim)
    length = array.shape[place] - n
    if n < 0 or length < 1:
        refuse("diff", f"n = {n}", f"0 to {array.shape[place] - 1}", "pass a smaller n")

    def linear_map() -> LinearMap:
        places = np.moveaxis(numbered(array.shape, 0), place, -1)
        parts = [np.moveaxis(places[..., k : k + length], -1, place) for k in range(n + 1)]
        size = parts[0].size
        check_terms("diff", size * (n + 1))
        weights = np.repeat([(-1) ** (n - k) * math.comb(n, k) for k in range(n + 1)], size)
        sources = np.concatenate([part.reshape(-1) for part in parts])
        targets = np.tile(np.arange(size), n + 1)
        axes = {a: a for a in range(array.ndim)}
        return LinearMap(parts[0].shape, targets, sources, weights, axes)

    return array.transformed(("diff", n, place), linear_map)
