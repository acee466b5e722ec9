# SPDX-License-Identifier: Apache-2.0
"""The data and the model, unencrypted: scikit-learn's breast-cancer set, 569 rows of 30 features.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ..errors import MissingPackage

# Rows that are encrypted, all in one ciphertext.
ROWS = 256
# Blocks of ROWS slots: the smallest power of two that is not below the 30 features.
BLOCKS = 32
# Standardised features are clipped at this limit: outliers say little and would widen the range in
# which the polynomial has to follow the sigmoid.
FEATURE_LIMIT = 2.0
_REGULARISATION = 0.1
_SEED = 0
_DEGREE = 15
# The range of the fit, relative to the largest score of the training rows.
_RANGE_MARGIN = 1.05
# The least slope of the polynomial, so that probabilities have the order of their scores.
_LEAST_SLOPE = 1e-3


@dataclass(frozen=True)
class Model:
    """Logistic regression, with a polynomial in place of the sigmoid.

    score = row . weights + bias and probability = sum_k coefficients[k] * T_k(score / score_range)
    with Chebyshev's T_k.
    """

    weights: NDArray[np.float64]
    bias: float
    score_range: int
    coefficients: NDArray[np.float64]

    def scores(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return rows @ self.weights + self.bias

    def polynomial(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        t = scores / self.score_range
        return chebyshev.chebvander(t, len(self.coefficients) - 1) @ self.coefficients


@dataclass(frozen=True)
class Task:
    """A trained model, and the rows that were not used to train it."""

    model: Model
    train_count: int
    rows: NDArray[np.float64]
    labels: NDArray[np.bool_]


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 / (1.0 + np.exp(-x))


def pack(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the slots of up to ROWS rows: block f holds feature f of all rows; missing numbers
    are 0."""
    slots = np.zeros((BLOCKS, ROWS))
    slots[: rows.shape[1], : len(rows)] = rows.T
    return slots.ravel()


def fit_sigmoid(score_range: float) -> NDArray[np.float64]:
    """Returns the Chebyshev coefficients of the polynomial nearest to sigmoid(score_range * t) on
    [-1, 1].

    Of all polynomials that rise everywhere and stay in [0, 1], it has the smallest largest
    distance. It is odd around 1/2, so a grid on [0, 1] is enough for the linear programme. Its
    unknowns are the odd coefficients and the distance.
    """
    from scipy.optimize import linprog

    t = np.cos(np.linspace(0, np.pi / 2, 500))
    values = chebyshev.chebvander(t, _DEGREE)[:, 1::2]
    derivatives = chebyshev.chebder(np.eye(_DEGREE + 1))[:, 1::2]
    slopes = chebyshev.chebvander(t, _DEGREE - 1) @ derivatives
    target = sigmoid(score_range * t) - 0.5
    one, zero = np.ones((len(t), 1)), np.zeros((len(t), 1))
    # t[0] is 1, where the polynomial is largest.
    left = np.block([[values, -one], [-values, -one], [-slopes, zero], [values[:1], zero[:1]]])
    right = np.concatenate([target, -target, np.full(len(t), -_LEAST_SLOPE), [0.5]])
    distance = np.eye(left.shape[1])[-1]
    solution = linprog(distance, left, right, bounds=(None, None), method="highs").x
    coefficients = np.zeros(_DEGREE + 1)
    coefficients[0], coefficients[1::2] = 0.5, solution[:-1]
    return coefficients


def prepare() -> Task:
    """Loads the data, splits it, standardises it by the training rows, and trains the model."""
    try:
        from sklearn.datasets import load_breast_cancer
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import train_test_split
    except ImportError as error:
        raise MissingPackage(
            "ringlet demo",
            str(error),
            "scikit-learn, which brings the data and the training",
            "python -m pip install scikit-learn",
        ) from None
    features, labels = load_breast_cancer(return_X_y=True)
    train, test, train_labels, test_labels = train_test_split(
        features, labels, test_size=ROWS, stratify=labels, random_state=_SEED
    )
    mean, deviation = train.mean(axis=0), train.std(axis=0)

    def standardise(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.clip((rows - mean) / deviation, -FEATURE_LIMIT, FEATURE_LIMIT)

    trained = LogisticRegression(C=_REGULARISATION, max_iter=1000)
    trained.fit(standardise(train), train_labels)
    weights = trained.coef_[0]
    bias = float(trained.intercept_[0])
    largest = np.abs(standardise(train) @ weights + bias).max()
    score_range = math.ceil(largest * _RANGE_MARGIN)
    model = Model(weights, bias, score_range, fit_sigmoid(score_range))
    return Task(model, len(train), standardise(test), test_labels == 1)
