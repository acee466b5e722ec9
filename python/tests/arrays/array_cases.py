# SPDX-License-Identifier: Apache-2.0
"""NumPy calls that work on encrypted arrays, with random shapes and options: docs/arrays.md lists
them.

A case is called twice with equal draws, once with NumPy's arrays and once with encrypted ones. So
what a call draws depends on shapes alone.
"""

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from array_draws import (
    alike,
    encrypted_factors,
    factors,
    known,
    one,
    other_factor,
    pair,
    product_shapes,
    split_options,
)

import ringlet

ALL = ("ckks", "bfv", "bgv")
CKKS = ("ckks",)


@dataclass(frozen=True)
class Case:
    """A call that works.

    - text: the call, as the page shows it.
    - call: of a Draw, for options, and of arrays.
    - operands: what is encrypted.
    """

    text: str
    call: Any
    operands: Any = one()
    schemes: tuple[str, ...] = ALL


def series(d, x):
    numbers = pd.Series(d.numbers(x.shape))
    result = d.of(lambda: x * numbers, lambda: numbers * x, lambda: x - numbers,
                  lambda: numbers + x)()  # fmt: skip
    return np.asarray(result) if isinstance(x, np.ndarray) else result


def frame(d, x):
    numbers = pd.DataFrame(d.numbers(x.shape))
    result = d.of(lambda: x * numbers, lambda: numbers - x, lambda: numbers + x)()
    return np.asarray(result) if isinstance(x, np.ndarray) else result


def polyval(d, x):
    p = d.numbers(d.integer(2, 6))
    p[0] = 1
    return np.polyval(p, x)


def dot_known(d, x):
    shape = d.of((), x.shape[-1:], (x.shape[-1], 3))
    return np.dot(x, d.numbers(shape))


def polynomial(d, x):
    p = d.numbers(d.integer(2, 6))
    p[-1] = 1
    return np.polyval(p[::-1], x) if isinstance(x, np.ndarray) else x.polynomial(p)


def average(d, x):
    axis = d.axis(x)
    shape = d.of(x.shape, (x.shape[axis],))
    weights = d.of(None, d.rng.uniform(1, 2, shape))
    return np.average(x, d.of(axis, None) if weights is None else axis, weights)


def variance(d, x):
    """Random options that leave a divisor above 0."""
    axes = d.axes(x)
    count = np.ones(x.shape).sum(axes).flat[0] if axes != () else 1
    ddof = d.integer(0, 1) if count > 1 else 0
    return np.var(x, axis=axes, ddof=ddof, keepdims=d.flag())


def covariance(d, x):
    is_rows = x.ndim == 1 or d.flag()
    count = x.shape[-1 if is_rows else 0]
    options = d.of({"bias": True}, {}, {"ddof": 0}) if count > 1 else {"bias": True}
    return np.cov(x, rowvar=is_rows, **options)


def difference(d, x):
    axis = d.axis(x)
    return np.diff(x, d.integer(0, min(2, x.shape[axis] - 1)), axis)


def masked(d, x):
    mask = d.rng.integers(0, 2, x.shape).astype(bool)
    mask.flat[d.integer(0, x.size - 1)] = True
    return x[mask]


def compress(d, x):
    axis = d.axis(x)
    condition = d.rng.integers(0, 2, x.shape[axis])
    condition[d.integer(0, x.shape[axis] - 1)] = 1
    return np.compress(condition, x, axis)


def broadcast_to(d, x):
    shape = [d.integer(1, 4) if n == 1 else n for n in x.shape]
    return np.broadcast_to(x, (*(d.integer(1, 3) for _ in range(d.integer(0, 2))), *shape))


def concatenate(d, *arrays):
    axis = d.axis(arrays[0])
    parts = [*arrays, np.zeros(arrays[0].shape, int)]
    return np.concatenate(d.of(list(arrays), tuple(arrays), parts), axis=axis)


def windows(x, kernel, stride, padding):
    """The windows of images under a kernel, as an array with two more axes."""
    border = [(0, 0)] * (x.ndim - 2) + [(padding, padding)] * 2
    views = np.lib.stride_tricks.sliding_window_view(np.pad(x, border), kernel, (-2, -1))
    return views[..., ::stride, ::stride, :, :]


def pool(d, x):
    size, stride, padding = (d.integer(1, 2), d.integer(1, 2)), d.integer(1, 2), d.integer(0, 1)
    size = tuple(min(s, n) for s, n in zip(size, x.shape[-2:]))
    is_mean = d.scheme == "ckks" and d.flag()
    if isinstance(x, np.ndarray):
        sums = windows(x, size, stride, padding).sum((-2, -1))
        return sums / np.prod(size) if is_mean else sums
    function = ringlet.arrays.average_pool2d if is_mean else ringlet.arrays.sum_pool2d
    return function(x, size, stride=stride, padding=padding)


def conv2d(d, x):
    size = tuple(min(d.integer(1, 3), n) for n in x.shape[-2:])
    stride, padding, outputs = d.integer(1, 2), d.integer(0, 2), d.integer(1, 2)
    is_plain = x.ndim == 2 and d.flag()
    channels = x.shape[-3] if x.ndim > 2 else 1
    weights = d.numbers(size if is_plain else (outputs, channels, *size))
    weights[weights == 0] = 2
    bias = d.of(None, d.numbers(() if is_plain else outputs)) if padding == 0 else None
    if not isinstance(x, np.ndarray):
        return ringlet.arrays.conv2d(x, weights, bias, stride=stride, padding=padding)
    views = windows(x if x.ndim > 2 else x[None], size, stride, padding)
    kernels = weights.reshape(-1, channels, *size)
    result = np.einsum("...cijkl,ockl->...oij", views, kernels)
    result = result if bias is None else result + np.reshape(bias, (-1, 1, 1))
    return result[0] if is_plain else result


ARITHMETIC = [
    Case("x + y", lambda d, x, y: x + y, pair),
    Case("x - y", lambda d, x, y: x - y, pair),
    Case("x * y", lambda d, x, y: x * y, pair),
    Case("x + known, known + x", lambda d, x: x + known(d, x) if d.flag() else known(d, x) + x),
    Case("x - known, known - x", lambda d, x: x - known(d, x) if d.flag() else known(d, x) - x),
    Case("x * known, known * x", lambda d, x: x * known(d, x) if d.flag() else known(d, x) * x),
    Case("x + 2, 2 - x, 3 * x", lambda d, x: d.of(x + 2, 2 - x, 3 * x, x * 0 + x, x - d.numbers())),
    Case("x / known", lambda d, x: x / (known(d, x) + 3), schemes=CKKS),
    Case("x ** 3", lambda d, x: x ** d.integer(1, 5)),
    Case("-x, +x", lambda d, x: -x if d.flag() else +x),
    Case("x += known, x *= known", lambda d, x: d.of(operator.iadd, operator.imul)(
        x, d.rng.integers(-3, 4, x.shape)), one(1)),
    Case("pandas.Series * x, x + Series", series, one(1, 1)),
    Case("pandas.DataFrame * x, x + DataFrame", frame, one(2, 2)),
    Case("np.add(x, y)", lambda d, x, y: np.add(x, y), pair),
    Case("np.subtract(x, y)", lambda d, x, y: np.subtract(x, y), pair),
    Case("np.multiply(x, y)", lambda d, x, y: np.multiply(x, y), pair),
    Case("np.divide(x, known)", lambda d, x: np.divide(x, known(d, x) - 3), schemes=CKKS),
    Case("np.negative(x), np.positive(x)", lambda d, x: d.of(np.negative, np.positive)(x)),
    Case("np.square(x)", lambda d, x: np.square(x)),
    Case("np.power(x, 3)", lambda d, x: np.power(x, d.integer(1, 4))),
    Case("np.conjugate(x), x.conj()", lambda d, x: np.conjugate(x) if d.flag() else x.conj()),
    Case("np.polyval(coefficients, x)", polyval),
]

PRODUCTS = [
    Case("x @ known", lambda d, x: x @ other_factor(d, x), factors()),
    Case("known @ x", lambda d, x: other_factor(d, x, False) @ x, factors(is_left=False)),
    Case("x @ y", lambda d, x, y: x @ y, encrypted_factors),
    Case("np.matmul(x, known)", lambda d, x: np.matmul(x, other_factor(d, x)), factors()),
    Case("np.dot(x, y), x.dot(y)", lambda d, x, y: np.dot(x, y) if d.flag() else x.dot(y),
         lambda d: [d.numbers(shape) for shape in product_shapes(d, False)]),
    Case("np.dot(x, known)", dot_known, factors(False)),
    Case("np.inner(x, known)", lambda d, x: np.inner(x, d.numbers(
        d.of((), (3,))[: x.ndim > 1] + x.shape[-1:])), one(1, 2)),
    Case("np.inner(x, y)", lambda d, x, y: np.inner(x, y), alike(1, 2, longest=4)),
    Case("np.outer(x, y)", lambda d, x, y: np.outer(x, y),
         lambda d: [d.array(0, 2, 3), d.array(0, 1, 4)[..., None][:5]]),
    Case("np.outer(x, known)", lambda d, x: np.outer(x, d.numbers(4)), one(0, 2, 4)),
    Case("np.vdot(x, y)", lambda d, x, y: np.vdot(x, y), alike()),
    Case("np.convolve(x, known, mode)", lambda d, x: np.convolve(
        x, d.numbers(d.integer(1, 6)), d.of("full", "same", "valid")), one(1, 1)),
    Case("np.average(x, axis, weights)", average, one(1), CKKS),
]

SUMS = [
    Case("np.sum(x, axis, keepdims)", lambda d, x: np.sum(x, axis=d.axes(x), keepdims=d.flag())),
    Case("x.sum(axis, keepdims)", lambda d, x: x.sum(d.axes(x), keepdims=d.flag())),
    Case("x.mean(axis, keepdims)", lambda d, x: x.mean(d.axes(x), keepdims=d.flag()), schemes=CKKS),
    Case("np.mean(x, axis, keepdims)", lambda d, x: np.mean(x, d.axes(x), keepdims=d.flag()),
         schemes=CKKS),
    Case("np.var(x, axis, ddof, keepdims)", variance, one(1), CKKS),
    Case("np.cov(x, rowvar, bias, ddof)", covariance, one(1, 2), CKKS),
    Case("np.cumsum(x, axis)", lambda d, x: np.cumsum(x, d.of(None, d.axis(x))), one(1, 3)),
    Case("np.diff(x, n, axis)", difference, one(1, 3)),
    Case("np.trace(x, offset)", lambda d, x: np.trace(x, d.integer(1 - x.shape[0], x.shape[1] - 1)),
         one(2, 3)),
    Case("np.add.reduce(x, axis)", lambda d, x: np.add.reduce(x, d.axis(x)), one(1)),
]

PARTS = [
    Case("x[i, a:b:c, None, ...]", lambda d, x: x[d.key(x)]),
    Case("x[[i, j, ...]]", lambda d, x: x[d.rng.integers(-len(x), len(x), d.shape(1, 2))], one(1)),
    Case("x[mask]", masked),
    Case("for row in x", lambda d, x: [row for row in x][:: d.of(1, -1)], one(1, 3)),
    Case("np.take(x, indices, axis)", lambda d, x: np.take(
        x, d.rng.integers(0, x.shape[(a := d.axis(x))], d.shape(0, 2)), a), one(1, 3)),
    Case("np.take_along_axis(x, indices, axis)", lambda d, x: np.take_along_axis(
        x, d.rng.integers(0, x.shape[(a := d.axis(x))], x.shape), axis=a), one(1, 3)),
    Case("np.delete(x, i, axis)", lambda d, x: np.delete(
        x, d.integer(0, x.shape[(a := d.axis(x))] - 1), axis=a),
        lambda d: [d.numbers(tuple(n + 1 for n in d.shape(1, 3, 5)))]),
    Case("np.compress(condition, x, axis)", compress, one(1, 3)),
    Case("np.split(x, parts, axis)", lambda d, x: np.split(x, *split_options(d, x)), one(1, 3)),
    Case("np.array_split(x, parts, axis)", lambda d, x: np.array_split(
        x, d.integer(1, x.shape[(a := d.axis(x))]), a), one(1, 3)),
    Case("np.hsplit(x, parts), vsplit, dsplit", lambda d, x: d.of(np.hsplit, np.vsplit, np.dsplit)(
        x, 1), one(3)),
    Case("np.diagonal(x, offset), np.diag(x)", lambda d, x: np.diag(x, d.integer(0, 1))
         if x.ndim == 1 else np.diagonal(x, d.integer(1 - x.shape[0], x.shape[1] - 1)), one(1, 3)),
    Case("x.take(i, a), x.repeat(n, a), x.diagonal(), x.trace()", lambda d, x: d.of(
        lambda: x.take([0], 1), lambda: x.repeat(2, 0), x.diagonal, x.trace)(), one(2, 3)),
    Case("np.tril(x, k), np.triu(x, k)", lambda d, x: d.of(np.tril, np.triu)(
        x, d.integer(-1, 1) * (x.shape[-1] > 1 < x.shape[-2])), one(2, 3)),
]

SHAPES = [
    Case("x.reshape(shape)", lambda d, x: x.reshape(d.split(x.size))),
    Case("np.reshape(x, shape)", lambda d, x: np.reshape(x, d.of(-1, d.split(x.size)))),
    Case("np.ravel(x), x.flatten()", lambda d, x: d.of(np.ravel(x), x.flatten(), x.ravel())),
    Case("np.transpose(x, axes), x.T", lambda d, x: d.of(
        x.T, np.transpose(x, d.rng.permutation(x.ndim).tolist()), x.transpose())),
    Case("np.swapaxes(x, a, b), x.swapaxes(a, b)", lambda d, x: d.of(
        lambda *axes: np.swapaxes(x, *axes), x.swapaxes)(d.axis(x), d.axis(x)), one(1)),
    Case("np.moveaxis(x, a, b)", lambda d, x: np.moveaxis(x, d.axis(x), d.axis(x)), one(1)),
    Case("np.rollaxis(x, axis)", lambda d, x: np.rollaxis(x, d.axis(x)), one(1)),
    Case("np.expand_dims(x, axis)", lambda d, x: np.expand_dims(x, d.integer(-1, x.ndim))),
    Case("np.squeeze(x), x.squeeze()", lambda d, x: d.of(np.squeeze(x), x.squeeze())),
    Case("np.atleast_1d(x), atleast_2d, atleast_3d", lambda d, x: d.of(
        np.atleast_1d, np.atleast_2d, np.atleast_3d)(x), one(0, 3)),
    Case("np.broadcast_to(x, shape)", broadcast_to, one(0, 3)),
    Case("np.flip(x, axis)", lambda d, x: np.flip(x, d.axes(x)), one(1)),
    Case("np.fliplr(x), np.flipud(x)", lambda d, x: d.of(np.fliplr, np.flipud)(x), one(2)),
    Case("np.rot90(x, k)", lambda d, x: np.rot90(x, d.integer(-1, 4)), one(2, 3)),
    Case("np.roll(x, shift, axis)", lambda d, x: np.roll(
        x, d.integer(-9, 9), d.of(None, d.axis(x))), one(1)),
    Case("np.repeat(x, n, axis)", lambda d, x: np.repeat(
        x, d.integer(1, 3), d.of(None, d.axis(x))), one(1, 3)),
    Case("np.tile(x, reps)", lambda d, x: np.tile(x, d.of(2, 3, (2, 1), (1, 2, 2))), one(0, 3)),
    Case("np.pad(x, width, mode)", lambda d, x: np.pad(x, d.of(1, (2, 0), (0, 1)), mode=d.of(
        "constant", "edge", "wrap", "symmetric")), one(1, 2)),
]

JOINS = [
    Case("np.concatenate([x, y], axis)", concatenate, alike(1, 3, 3, longest=3)),
    Case("np.stack([x, y], axis)", lambda d, *x: np.stack(
        x, d.integer(-x[0].ndim - 1, x[0].ndim)), alike(0, 3, 3, longest=3)),
    Case("np.vstack([x, y]), hstack, dstack", lambda d, *x: d.of(
        np.vstack, np.hstack, np.dstack)(x), alike(1, 3, 3, longest=3)),
    Case("np.column_stack([x, y])", lambda d, *x: np.column_stack(x), alike(1, 2, 3)),
    Case("np.block([[x, y], [z, 0]])", lambda d, x, y: np.block(
        [[x, y], [y, np.zeros(y.shape, int)]]), alike(2, 2)),
    Case("np.append(x, y, axis)", lambda d, x, y: np.append(x, y, d.of(None, d.axis(x))), alike()),
]

KNOWN = [
    Case("np.shape(x), np.ndim(x), np.size(x), len(x)", lambda d, x: x * (
        np.ndim(x) + np.size(x) + len(x) + sum(np.shape(x))), one(1)),
    Case("np.zeros_like(x), np.ones_like(x)", lambda d, x: x + d.of(
        np.zeros_like, np.ones_like)(x)),
]

IMAGES = [
    Case("conv2d(x, weights, bias, stride, padding)", conv2d, one(2, 4)),
    Case("average_pool2d(x, size), sum_pool2d", pool, one(2, 4)),
    Case("x.polynomial([c0, c1, c2])", polynomial),
]

GROUPS = {
    "Arithmetic": ARITHMETIC,
    "Products of matrices": PRODUCTS,
    "Sums": SUMS,
    "Parts": PARTS,
    "Shapes": SHAPES,
    "Joining": JOINS,
    "Images and polynomials": IMAGES,
    "What is known": KNOWN,
}
CASES = [case for cases in GROUPS.values() for case in cases]
