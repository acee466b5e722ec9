# SPDX-License-Identifier: Apache-2.0
"""The data and the model, all in the clear: scikit-learn's breast-cancer set, 569 rows of 30."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingPackage

TEST_ROWS = 256
# Standardised features are clipped here, as outliers say little and would widen the range in which
# the polynomial has to follow the sigmoid.
FEATURE_LIMIT = 3.0
_REGULARISATION = 0.1
_SEED = 0
_POLYNOMIAL_DEGREE = 7
# The range of the fit against the largest score of the training rows.
_RANGE_MARGIN = 1.1


@dataclass(frozen=True)
class Model:
    """Logistic regression, with an odd polynomial in place of the sigmoid.

    score = row . weights + bias and probability = 1/2 + sum_k odd_coefficients[k] * t^(2k + 1) for
    t = score / score_range: least squares on |t| <= 1.
    """

    weights: NDArray[np.float64]
    bias: float
    score_range: float
    odd_coefficients: NDArray[np.float64]

    def scores(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return rows @ self.weights + self.bias

    def polynomial(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        t = scores / self.score_range
        return 0.5 + sum(c * t ** (2 * k + 1) for k, c in enumerate(self.odd_coefficients))


@dataclass(frozen=True)
class Task:
    """A trained model and the rows that it has not seen."""

    model: Model
    train_count: int
    rows: NDArray[np.float64]
    labels: NDArray[np.bool_]


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 / (1.0 + np.exp(-x))


def fit_sigmoid(score_range: float) -> NDArray[np.float64]:
    """Coefficients of t, t^3, ... whose sum is nearest to sigmoid(score_range * t) - 1/2."""
    t = np.linspace(-1.0, 1.0, 2001)
    powers = np.stack([t**k for k in range(1, _POLYNOMIAL_DEGREE + 1, 2)], axis=1)
    solution = np.linalg.lstsq(powers, sigmoid(score_range * t) - 0.5, rcond=None)[0]
    return solution.astype(np.float64)


def prepare() -> Task:
    """Loads, splits, standardises by the training rows, and trains."""
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
        features, labels, test_size=TEST_ROWS, stratify=labels, random_state=_SEED
    )
    mean, deviation = train.mean(axis=0), train.std(axis=0)

    def standardise(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.clip((rows - mean) / deviation, -FEATURE_LIMIT, FEATURE_LIMIT)

    trained = LogisticRegression(C=_REGULARISATION, max_iter=1000)
    trained.fit(standardise(train), train_labels)
    weights = trained.coef_[0]
    bias = float(trained.intercept_[0])
    largest = np.abs(standardise(train) @ weights + bias).max()
    score_range = float(np.ceil(largest * _RANGE_MARGIN))
    model = Model(weights, bias, score_range, fit_sigmoid(score_range))
    return Task(model, len(train), standardise(test), test_labels == 1)
