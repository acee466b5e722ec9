# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pooling with known kernels: linear maps of images."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .elementwise import Elementwise
from .linear import matmul
from .maps import LinearMap, digest
from .refusals import check_terms, known_numbers, refuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .layout import Shape

A = TypeVar("A", bound=Elementwise)


def _pair(operation: str, value: Any, least: int) -> tuple[int, int]:
    """Returns two integers, for rows and columns."""
    try:
        pair = (value, value) if isinstance(value, (int, np.integer)) else tuple(value)
        rows, columns = (int(v.__index__()) for v in pair)
    except (TypeError, ValueError, AttributeError):
        rows = columns = -1
    if min(rows, columns) < least:
        refuse(operation, f"{value!r}", f"an integer from {least} on, or two", "pass a number")
    return rows, columns


def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """Returns numpy.convolve(a, v, mode) of an encrypted and a known vector."""
    array, kernel = (a, v) if isinstance(a, Elementwise) else (v, a)
    if isinstance(kernel, Elementwise) or array.ndim != 1 or np.ndim(kernel) != 1:
        refuse("convolve", "two encrypted vectors, or matrices", "a vector and a known vector",
               "use conv2d for images")  # fmt: skip
    numbers = known_numbers("convolve", kernel, array.is_exact)
    check_terms("convolve", array.size * len(numbers))
    rows: Any = np.eye(array.size, dtype=np.int64)
    return matmul(array, np.stack([np.convolve(row, numbers, mode) for row in rows]))


def _windows(
    shape: Shape,
    kernel: Shape,
    stride: tuple[int, int],
    padding: tuple[int, int],
) -> NDArray[np.int64]:
    """Returns the index of the pixel under each place of the kernel, -1 outside of the image: shape
    (rows, columns, kernel rows, kernel columns)."""
    pixels = np.pad(
        np.arange(math.prod(shape)).reshape(shape),
        [(p, p) for p in padding],
        constant_values=-1,
    )
    views = np.lib.stride_tricks.sliding_window_view(pixels, kernel)
    return views[:: stride[0], :: stride[1]]


def _checked(
    operation: str, array: Elementwise, kernel: Shape, stride: Any, padding: Any
) -> NDArray[np.int64]:
    image = array.shape[-2:]
    steps, border = _pair(operation, stride, 1), _pair(operation, padding, 0)
    if any(k > n + 2 * p for k, n, p in zip(kernel, image, border, strict=True)):
        refuse(
            operation, f"a kernel of {kernel} for an image of {image}", "kernels inside the image",
            "pass padding=, or a smaller kernel",
        )  # fmt: skip
    return _windows(image, kernel, steps, border)


def conv2d(array: A, weights: Any, bias: Any = None, stride: Any = 1, padding: Any = 0) -> A:
    """Returns the cross-correlation of images with known kernels, as torch.nn.functional.conv2d.

    - array: of shape (rows, columns), (channels, rows, columns) or (images, channels, rows,
      columns).
    - weights: of shape (kernel rows, kernel columns) for one channel, or (outputs, channels, kernel
      rows, kernel columns); the result then has an axis for outputs.
    - bias: None, or a number for each output.
    - stride, padding: an integer, or one for rows and one for columns; padding is by zeros.

    Takes one level.
    """
    numbers = known_numbers("conv2d", weights, array.is_exact)
    is_plain = numbers.ndim == 2 and array.ndim == 2
    kernels = numbers[None, None] if is_plain else numbers
    channels = array.shape[-3] if array.ndim > 2 else 1
    if kernels.ndim != 4 or not 2 <= array.ndim <= 4 or kernels.shape[1] != channels:
        refuse(
            "conv2d", f"weights of shape {numbers.shape} for images of shape {array.shape}",
            "(outputs, channels, rows, columns) with the channels of the images",
            "reshape the weights",
        )  # fmt: skip
    windows = _checked("conv2d", array, kernels.shape[-2:], stride, padding)
    name = ("conv2d", digest(numbers), digest(windows))
    result = array.transformed(
        name, lambda: _convolution(array.shape, kernels, windows, not is_plain)
    )
    if bias is None:
        return result
    offsets = known_numbers("conv2d", bias, array.is_exact)
    return result + (offsets if is_plain else np.reshape(offsets, (-1, 1, 1)))


def _convolution(
    shape: Shape, kernels: NDArray[Any], windows: NDArray[np.int64], has_outputs: bool
) -> LinearMap:
    """Returns the map of images of this shape.

    - has_outputs: whether the result has an axis for the kernels.
    """
    outputs, channels, *size = kernels.shape
    rows, columns = windows.shape[:2]
    leading = shape[:1] if len(shape) == 4 else ()
    batch = math.prod(leading)
    full = (batch, outputs, rows, columns, channels, *size)
    check_terms("conv2d", math.prod(full))
    starts = (np.arange(batch)[:, None] * channels + np.arange(channels)) * math.prod(shape[-2:])
    inside = windows[None, None, :, :, None]
    sources = np.where(inside < 0, -1, starts[:, None, None, None, :, None, None] + inside)
    sources = np.broadcast_to(sources, full).reshape(-1)
    factors = np.broadcast_to(kernels[None, :, None, None], full).reshape(-1)
    targets = np.repeat(np.arange(batch * outputs * rows * columns), channels * math.prod(size))
    used = np.flatnonzero((sources >= 0) & (factors != 0))
    result = (*leading, *((outputs,) if has_outputs else ()), rows, columns)
    last = len(result) - 1
    axes = {last: len(shape) - 1, last - 1: len(shape) - 2, **({0: 0} if leading else {})}
    return LinearMap(result, targets[used], sources[used], factors[used], axes)


def average_pool2d(array: A, size: Any, stride: Any = None, padding: Any = 0) -> A:
    """Returns the means over windows of the last two axes; `stride` is `size` by default. Zeros of
    the padding count. Takes one level; for integers, use sum_pool2d."""
    rows, columns = _pair("average_pool2d", size, 1)
    return sum_pool2d(array, size, stride, padding, 1 / (rows * columns))


def sum_pool2d(
    array: A, size: Any, stride: Any = None, padding: Any = 0, factor: Any = 1
) -> A:
    """Returns the sums over windows of the last two axes, times a factor."""
    if array.ndim < 2:
        refuse("sum_pool2d", f"shape {array.shape}", "two axes or more", "reshape the array")
    kernel = _pair("sum_pool2d", size, 1)
    steps = kernel if stride is None else stride
    windows = _checked("sum_pool2d", array, kernel, steps, padding)

    def linear_map() -> LinearMap:
        images = math.prod(array.shape[:-2])
        starts = np.arange(images) * (array.shape[-2] * array.shape[-1])
        check_terms("sum_pool2d", images * windows.size)
        sources = np.where(windows < 0, -1, starts[:, None, None, None, None] + windows).reshape(-1)
        targets = np.repeat(np.arange(images * windows[..., 0, 0].size), math.prod(kernel))
        used = np.flatnonzero(sources >= 0)
        axes = {a: a for a in range(array.ndim)}
        shape = (*array.shape[:-2], *windows.shape[:2])
        weights = np.full(len(used), factor)
        return LinearMap(shape, targets[used], sources[used], weights, axes)

    name = ("sum_pool2d", digest(windows), digest(np.asarray(factor)))
    return array.transformed(name, linear_map)
