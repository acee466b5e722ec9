# SPDX-License-Identifier: Apache-2.0
"""Layers as the server computes them, and how far their results are from the model's.

Every layer's numbers are scaled to [-1, 1]. Interval arithmetic bounds what a layer takes and
returns for all inputs within their ranges; polynomials replace functions on these intervals.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import Polynomial
from .estimators import Affine, Function, Steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..arrays import EncryptedArray

_INTERVAL_MARGIN = 1 + 2.0**-10  # Noise takes no number out of its interval.
_GRID = 1 << 16
_CLOSE = 1 << 12  # Degree of a polynomial that stands for the function.
_TURNS = 10  # After them the error of relu is 2 % above the least.


def _logistic(x: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(0.5 + 0.5 * np.tanh(x / 2))


# Name -> the function, bounds of its first and of its second derivative beside a kink at 0, and the
# half height of a strip around the real line where it is analytic and at most 1.
_FUNCTIONS: dict[str, tuple[Callable[[Any], Any], float, float, float]] = {
    "relu": (lambda x: np.maximum(x, 0), 1.0, 0.0, 0.0),
    "tanh": (np.tanh, 1.0, 0.77, math.pi / 4),
    "logistic": (_logistic, 0.25, 0.097, math.pi / 2),
}


def _least_maximum(function: Callable[[Any], Any], degree: int) -> NDArray[np.float64]:
    """Returns Chebyshev coefficients with about the least maximum error on [-1, 1], by Lawson's
    iteration: least squares whose weights grow where the error is large."""
    count = 8 * (degree + 1)
    u = np.cos((np.arange(count) + 0.5) * np.pi / count)
    matrix = np.polynomial.chebyshev.chebvander(u, degree)
    values, weights, coefficients = function(u), np.ones(count), np.zeros(degree + 1)
    for _ in range(_TURNS):
        weighted = matrix.T * weights
        coefficients = np.linalg.solve(weighted @ matrix, weighted @ values)
        weights = weights * (abs(matrix @ coefficients - values) + 1e-15)
        weights /= weights.sum()
    return coefficients


@functools.lru_cache(maxsize=64)
def approximated(name: str, radius: float, degree: int) -> tuple[Polynomial, float]:
    """Returns a polynomial p with p(u) close to f(radius * u) on [-1, 1], and a bound of the error.

    The error is measured on a grid of angles t with u = cos t, where 0 is one of them. Two bounds
    of what lies between hold, and the less is taken: h^2 / 8 times the second derivative by t, with
    Bernstein's inequality for p; and the growth of a polynomial of degree D between the points, for
    the one that is as close to f as f is analytic (Trefethen, Approximation Theory, theorem 8.2).
    """
    function, slope, bend, strip = _FUNCTIONS[name]
    coefficients = _least_maximum(lambda u: function(radius * u), degree)
    coefficients[abs(coefficients) < 1e-12 * abs(coefficients).max()] = 0
    u = np.cos(np.linspace(0, np.pi, _GRID + 1))
    u[_GRID // 2] = 0
    values = np.polynomial.chebyshev.chebval(u, coefficients)
    measured = abs(values - function(radius * u)).max()
    step = math.pi / _GRID
    largest = abs(values).max() / math.cos(degree * step / 2)
    error = measured + step**2 / 8 * (degree**2 * largest + radius * slope + radius**2 * bend)
    if strip:
        height = strip / radius
        growth = height + math.hypot(1, height)
        rest = 4 * growth**-_CLOSE / (growth - 1)
        error = min(error, (measured + rest) / math.cos(_CLOSE * step / 2) + rest)
    rounding = 1e-15 * degree * abs(coefficients).sum()
    return Polynomial(coefficients, basis="chebyshev"), float(error + rounding)


@dataclass
class _State:
    """Numbers between two steps: the model's are `scale` times the server's plus `offset`.

    - low, high: bounds of the model's numbers.
    - error: bound of the differences, without the noise of encryption.
    - values: the model's numbers for an example, shape (rows, count), or None.
    """

    scale: NDArray[np.float64]
    offset: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    error: NDArray[np.float64]
    values: NDArray[np.float64] | None


def _without_constants(steps: Steps) -> Steps:
    """Returns the steps without hidden values whose weights are all 0: they become part of the next
    step's bias, because a ciphertext holds no known numbers alone."""
    found = list(steps)
    for place in range(len(steps) - 2):
        layer, function, following = found[place : place + 3]
        if isinstance(function, Function) and isinstance(layer, Affine):
            assert isinstance(following, Affine)
            used = layer.weights.any(1)
            known = _value(function, layer.bias[~used])
            bias = following.bias + following.weights[:, ~used] @ known
            found[place] = Affine(layer.weights[used], layer.bias[used])
            found[place + 2] = Affine(following.weights[:, used], bias)
    return found


def _value(function: Function, x: NDArray[Any]) -> NDArray[Any]:
    power = function.degree
    return np.asarray(x**power if power else _FUNCTIONS[function.name][0](x))


class Network:
    """What the server computes of rows that are scaled to [-1, 1].

    - error: bound of the errors of scores by approximation, without noise; shape (columns,).
    - low, high: bounds of the scores.
    - widths: number of values of each layer.
    """

    def __init__(self, steps: Steps, ranges: Any, degree: int, example: Any = None) -> None:
        self.layers: list[Any] = []
        self.widths = [len(ranges[0])]
        low, high = ranges
        half = (high - low) / 2
        state = _State(half, (low + high) / 2, low, high, np.zeros(len(low)), example)
        steps = _without_constants(steps)
        for position, step in enumerate(steps):
            if isinstance(step, Affine):
                following = steps[position + 1] if position + 1 < len(steps) else None
                state = self._affine(state, step, following)
            elif step.name == "power":
                state = self._power(state, step.degree)
            else:
                state = self._function(state, step.name, degree)
        self.error = state.error + 1e-11 * np.maximum(abs(state.low), abs(state.high))
        self.low, self.high = state.low, state.high

    def _affine(self, state: _State, step: Affine, following: Any) -> _State:
        weights, bias = step.weights, step.bias
        centre = weights @ ((state.low + state.high) / 2) + bias
        reach = abs(weights) @ ((state.high - state.low) / 2)
        error = abs(weights) @ state.error
        low, high, values = centre - reach, centre + reach, None
        if state.values is not None:
            values = state.values @ weights.T + bias
            margin = 0.1 * (values.max(0) - values.min(0))
            low = np.maximum(low, values.min(0) - margin)
            high = np.minimum(high, values.max(0) + margin)
        radius = np.ones(len(bias))
        if isinstance(following, Function):
            radius = np.maximum(abs(low), abs(high)) * _INTERVAL_MARGIN + error
            radius[radius == 0] = 1
            if following.name in ("tanh", "logistic"):
                radius[:] = radius.max()
        shift = (weights @ state.offset + bias) / radius
        self.layers.append(Affine(weights * state.scale / radius[:, None], shift))
        self.widths.append(len(bias))
        return _State(radius, np.zeros(len(bias)), low, high, error, values)

    def _power(self, state: _State, degree: int) -> _State:
        ends = np.stack([state.low**degree, state.high**degree])
        low = ends.min(0)
        if degree % 2 == 0:
            low = np.where((state.low < 0) & (state.high > 0), 0, low)
        self.layers.append(Function("power", degree))
        values = None if state.values is None else state.values**degree
        return _State(state.scale**degree, state.offset, low, ends.max(0), state.error, values)

    def _function(self, state: _State, name: str, degree: int) -> _State:
        function, slope, *_ = _FUNCTIONS[name]
        is_homogeneous = name == "relu"
        polynomial, error = approximated(
            name, 1.0 if is_homogeneous else float(state.scale[0]), degree
        )
        scale = state.scale if is_homogeneous else np.ones(len(state.scale))
        self.layers.append(polynomial)
        values = None if state.values is None else function(state.values)
        bound = scale * error + slope * state.error
        return _State(scale, state.offset, function(state.low), function(state.high), bound, values)

    def __call__(self, rows: EncryptedArray) -> EncryptedArray:
        """Returns the scores of scaled rows, shape (rows, columns)."""
        values: Any = rows
        for layer in self.layers:
            if isinstance(layer, Affine):
                values = values @ layer.weights.T + layer.bias
            elif isinstance(layer, Function):
                values = values**layer.degree
            else:
                values = values.polynomial(layer)
        return values  # type: ignore[no-any-return]
