# SPDX-License-Identifier: Apache-2.0
"""Sums over axes, means and variances."""

from __future__ import annotations

import functools
import math
from typing import Any, TypeVar

import numpy as np

from .functions import Functions
from .layout import FIRST, REPEATED, Dimension, Layout
from .refusals import normal_axes, refuse

A = TypeVar("A", bound=Functions)


def total(array: A, axis: Any, keepdims: bool = False, factor: float = 1) -> A:
    """Returns the sum over axes, times a factor.

    Ciphertexts are added, then slots by rotations. Where axes outside of a summed one stay, sums
    are right in the first place of its dimension alone: a mask clears the others, and the factor
    comes with it.
    """
    axes = normal_axes("sum", axis, array.ndim)
    if not array.is_clean:
        array, factor = array.cleaned(factor), 1
    if not axes:
        return array * factor if factor != 1 else array
    array = _added_blocks(array, axes)
    layout = array.layout
    folded: list[int] = []
    dimensions: list[Dimension] = []
    is_inside = False
    for position, dimension in enumerate(layout.dimensions):
        if dimension.axis in axes:
            folded += [layout.stride(position) << k for k in range(_log(dimension.extent))]
            dimensions.append(Dimension(dimension.extent, FIRST if is_inside else REPEATED))
        else:
            dimensions.append(dimension)
            is_inside |= dimension.axis != REPEATED
    fold = array.engine.fold
    blocks = [b if b is None else functools.reduce(fold, folded, b) for b in array.blocks]
    kept = tuple(1 if a in axes else n for a, n in enumerate(array.shape))
    target = Layout.of(kept, dimensions)
    is_masked = _needs_mask(layout, axes)
    result = array.made(target, blocks, is_clean=not is_masked)
    if is_masked or factor != 1:
        result = result.cleaned(factor)
    if keepdims:
        return result
    stay = [a for a in range(array.ndim) if a not in axes]
    shape = tuple(kept[a] for a in stay)
    return result.relabelled(target.with_shape(shape, {a: i for i, a in enumerate(stay)}))


def _needs_mask(layout: Layout, axes: tuple[int, ...]) -> bool:
    """Tells whether an axis that stays, or a spaced dimension, is outside of a summed one."""
    inside = False
    for dimension in layout.dimensions:
        if dimension.axis in axes:
            if inside:
                return True
        else:
            inside |= dimension.axis != REPEATED
    return False


def _log(extent: int) -> int:
    return extent.bit_length() - 1


def _added_blocks(array: A, axes: tuple[int, ...]) -> A:
    """Returns the array with the ciphertexts along the axes added up."""
    grid = array.layout.grid
    sums: dict[tuple[int, ...], Any] = {}
    for index, block in zip(np.ndindex(*grid), array.blocks, strict=True):
        place = tuple(0 if a in axes else i for a, i in enumerate(index))
        before = sums.get(place)
        sums[place] = before if block is None else block if before is None else before + block
    shape = tuple(
        min(n, array.layout.extent(a)) if a in axes else n for a, n in enumerate(array.shape)
    )
    return array.made(Layout(shape, array.layout.dimensions), list(sums.values()))


def _count(array: Functions, axis: Any) -> int:
    return math.prod(array.shape[a] for a in normal_axes("mean", axis, array.ndim))


def _need_division(array: Functions, operation: str) -> None:
    if array.is_exact:
        refuse(
            operation, "integers", "numbers of CKKS",
            "use sum, and divide after decryption, or encrypt with ckks.Client",
        )  # fmt: skip


def mean(array: A, axis: Any, keepdims: bool) -> A:
    """Returns the mean over axes."""
    _need_division(array, "mean")
    return total(array, axis, keepdims, 1 / _count(array, axis))


def deviations(operation: str, array: A, axis: Any, ddof: int) -> A:
    """Returns (x - mean) / sqrt(n - ddof). The square roots of the divisor go into x and into the
    mean, where they take no level of their own."""
    _need_division(array, operation)
    count = _count(array, axis)
    if not 0 <= ddof < count:
        refuse(operation, f"ddof = {ddof}", f"0 to {count - 1}", "pass a smaller ddof")
    if count == 1:  # An array minus itself would need no key.
        return array.cleaned(0)
    root = (count - ddof) ** -0.5
    factor = root / count
    is_masked = _needs_mask(array.layout, normal_axes("var", axis, array.ndim))
    centre = total(array, axis, keepdims=True, factor=factor if is_masked else 1)
    centre = centre.broadcast_to(array.shape, like=array.layout)
    if not (is_masked and centre.is_clean):
        centre = centre * np.full(array.shape, 1 if is_masked else factor)
    return array * np.full(array.shape, root) - centre


def variance(array: A, axis: Any, ddof: int, keepdims: bool) -> A:
    """Returns sum((x - mean)^2) / (n - ddof)."""
    x = deviations("var", array, axis, ddof)
    return total((x * x.conj()).with_dtype(np.dtype(np.float64)), axis, keepdims)
