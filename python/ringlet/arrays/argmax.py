# SPDX-License-Identifier: Apache-2.0
"""An encrypted indicator of the largest element along an axis."""

from __future__ import annotations

import functools
import math
import numbers
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.polynomial import chebyshev

from .._core import Polynomial
from .elementwise import Elementwise
from .layout import Dimension, Layout, power_of_two
from .maps import LinearMap
from .refusals import check_terms, normal_axes, refuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

A = TypeVar("A", bound=Elementwise)

_MOST_BITS = 16
_ERROR = 0.1  # Of a decided indicator.


def one_hot_argmax(scores: A, axis: int = -1, *, magnitude: float = 1.0, bits: int = 8) -> A:
    """Returns about 1 at the largest element along an axis, and about 0 at the others, for CKKS.

    - scores: real numbers from -magnitude to magnitude. Larger ones give wrong results.
    - bits: from 1 to 16. A step is 2 * magnitude / 2^bits: the range has 2^bits of them.

    If the largest element exceeds each other one by a step or more, its indicator is at least 0.9,
    and those of the others have a sum of at most 0.1. Elements that are closer to the largest one
    share at most 1 with it: of m equal ones, each gets about 2^(1 - m). Indicators are from 0 to 1,
    and only the largest element can get more than 1/2. The noise adds to these figures.

    All pairs of elements are compared at once. The comparison c_jk is about 1 where element j
    exceeds element k; indicator j is the product of all c_jk. Takes about bits + 5 + log2(length)
    levels.

    Raises InvalidArgument for integers, complex numbers, an axis of one element, and options
    outside of these ranges.
    """
    place, count = _checked(scores, axis, magnitude, bits)
    stages = _sign_stages(2.0**-bits, _ERROR / (count - 1))
    pairs = _differences(scores, place, 0.5 / magnitude)
    index = np.indices(pairs.shape, sparse=True)
    is_one = (index[0] == index[place + 1]) | (index[0] >= count)
    constants = pairs.layout.spread(np.broadcast_to(np.where(is_one, 1.0, 0.5), pairs.shape))
    extent = pairs.layout.extent(0)
    blocks = []
    for number in range(scores.layout.block_count):
        row = range(number, len(pairs.blocks), scores.layout.block_count)
        used = [b for b in row if pairs.blocks[b] is not None]
        key = ("one_hot_argmax", pairs.layout, place, bits, number)
        declare = functools.partial(_indicators, stages, constants[used], extent)
        blocks.append(scores.engine.apply(key, declare, *(pairs.blocks[b] for b in used)))
    return scores.made(scores.layout, blocks)


def _checked(scores: Any, axis: Any, magnitude: Any, bits: Any) -> tuple[int, int]:
    """Returns the axis from 0 on, and its length."""
    name = "one_hot_argmax"
    if not isinstance(scores, Elementwise) or scores.dtype.kind != "f":
        given = getattr(scores, "dtype", type(scores).__name__)
        refuse(name, f"scores of {given}", "an encrypted array of real numbers", "use CKKS")
    if any(block is None for block in scores.blocks):
        refuse(name, "a ciphertext of zeros", "encrypted numbers", "leave it out")
    axes = normal_axes(name, axis, scores.ndim)
    if len(axes) != 1 or scores.shape[axes[0]] < 2:
        limit = "one axis with two elements or more"
        refuse(name, f"axis = {axis} of shape {scores.shape}", limit, "name another axis")
    is_right = isinstance(bits, numbers.Integral) and isinstance(magnitude, numbers.Real)
    if not is_right or not 1 <= bits <= _MOST_BITS or not 0 < magnitude < math.inf:
        limit = f"bits from 1 to {_MOST_BITS}, a positive magnitude"
        given = f"bits = {bits!r}, magnitude = {magnitude!r}"
        refuse(name, given, limit, "pass numbers in these ranges")
    return axes[0], scores.shape[axes[0]]


def _differences(scores: A, place: int, factor: float) -> A:
    """Returns (element - element k of its row) * factor, with a new first axis for k that ends in
    zeros, up to a power of two. It is the outermost dimension, so that products along it have the
    layout of the scores."""
    count = scores.shape[place]
    check_terms("one_hot_argmax", 2 * count * scores.size)
    length = power_of_two(count)
    extent = min(length, scores.engine.slots // scores.layout.period)
    if extent < length:
        scores.engine.is_crowded = True  # Longer rows would have room for all pairs.
    inner = [Dimension(d.extent, d.axis + (d.axis >= 0)) for d in scores.layout.dimensions]
    target = Layout((length, *scores.shape), (Dimension(extent, 0), *inner)[extent == 1 :])

    def pairs() -> LinearMap:
        own = np.arange(scores.size).reshape(scores.shape)
        theirs = np.expand_dims(np.moveaxis(own, place, 0), place + 1)
        both = np.stack(np.broadcast_arrays(own, theirs)).reshape(2, -1)
        used = np.flatnonzero(both[0] != both[1])
        weights = np.repeat([factor, -factor], len(used))
        return LinearMap(target.shape, np.tile(used, 2), both[:, used].reshape(-1), weights, {})

    return scores.transformed(("one_hot_argmax", place, factor), pairs, target)


def _indicators(
    stages: tuple[Polynomial, ...],
    constants: NDArray[np.float64],
    extent: int,
    *differences: Any,
) -> Any:
    """Declares c = sign(difference) / 2 + constant, and the product of all c along the first
    dimension and over the ciphertexts."""
    circuit = differences[0].circuit
    factors = []
    for x, constant in zip(differences, constants, strict=True):
        circuit.bound(x, 1)
        for stage in stages:
            x = x.polynomial(stage)
            circuit.bound(x, 1)
        x = x + np.tile(constant, circuit.row_length // len(constant))
        circuit.bound(x, 1)
        factors.append(x)
    while len(factors) > 1:
        rest = factors[len(factors) & ~1 :]
        factors = [a * b for a, b in zip(factors[::2], factors[1::2])] + rest
    product = factors[0]
    stride = constants.shape[1] // extent
    for k in range(extent.bit_length() - 1):
        product = product * product.rotate(stride << k)
    circuit.bound(product, 1)
    return product


@functools.lru_cache(maxsize=64)
def _sign_stages(gap: float, error: float) -> tuple[Polynomial, ...]:
    """Returns odd polynomials whose composition has half the sign of x and is at most 1/2 in
    absolute value, for x in [-1, 1]. For x >= gap it is at least 1/2 - error.

    Each stage is about the best for the image of [gap, 1] under those before, as Lee, Lee, No and
    Kim do it ("Minimax approximation of sign function by composite polynomial for homomorphic
    comparison", IACR ePrint 2020/834). Their degrees are 2^k - 1, which use all of k levels.
    """
    stages: list[Polynomial] = []
    low = gap
    while True:
        for degree in (7, 15, 31):
            coefficients, least = _odd_minimax(low, degree)
            if 1 - least <= 2 * error:
                return (*stages, Polynomial(coefficients / 2, basis="chebyshev"))
        coefficients, low = _odd_minimax(low, 15)
        stages.append(Polynomial(coefficients, basis="chebyshev"))


def _odd_minimax(low: float, degree: int) -> tuple[NDArray[np.float64], float]:
    """Returns Chebyshev coefficients of an odd polynomial p with low <= p / max p where x is in
    [low, 1], for about the largest such bound, and this bound. Uses the iteration of Lawson, which
    weights least squares by the errors (1961)."""
    x = 1 - (1 - low) * (1 - np.cos(np.linspace(0, np.pi, 100 * degree))) / 2
    basis = chebyshev.chebvander(x, degree)[:, 1::2]
    weights = np.ones(len(x))
    for _ in range(60):
        root = np.sqrt(weights)
        solution = np.linalg.lstsq(basis * root[:, None], root, rcond=None)[0]
        weights *= abs(basis @ solution - 1)
        weights /= weights.max()
    values = basis @ solution
    largest = values.max() * (1 + 1e-5)  # Also between the points.
    coefficients = np.zeros(degree + 1)
    coefficients[1::2] = solution / largest
    return coefficients, float(values.min() / largest)
