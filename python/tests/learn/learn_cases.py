# SPDX-License-Identifier: Apache-2.0
"""Fitted models of scikit-learn on its data sets, and rows of them through client and server."""

import functools
import os
import warnings

import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

import numpy as np
from sklearn import datasets
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
)
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR

from ringlet import learn

#: RINGLET_TEST_SCALE=large computes every row of the data sets, not a batch alone.
IS_LARGE = os.environ.get("RINGLET_TEST_SCALE") == "large"


@functools.cache
def data(name):
    return getattr(datasets, f"load_{name}")(return_X_y=True)


def perceptron(activation, *sizes, kind=MLPClassifier, alpha=1):
    options = {"solver": "lbfgs", "alpha": alpha, "max_iter": 200, "random_state": 1}
    return kind(hidden_layer_sizes=sizes, activation=activation, **options)


def fitted(model, rows, labels):
    """The model, fitted; whether it converges does not matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows, labels)


def scaled(model, scaler=StandardScaler):
    return make_pipeline(scaler(), model)


DIGITS = {"range": (0, 16), "batch": 16}

# Name -> data set, model, options of learn.compile.
CASES = {
    "iris softmax": ("iris", scaled(LogisticRegression()), {}),
    "wine softmax": ("wine", scaled(LogisticRegression()), {}),
    "breast cancer sigmoid": ("breast_cancer", scaled(LogisticRegression()), {}),
    "digits softmax": ("digits", scaled(LogisticRegression(max_iter=500), MinMaxScaler), DIGITS),
    "diabetes linear": ("diabetes", LinearRegression(), {}),
    "ridge": ("diabetes", scaled(Ridge()), {}),
    "lasso": ("diabetes", scaled(Lasso(), RobustScaler), {}),
    "elastic net": ("diabetes", scaled(ElasticNet(), MaxAbsScaler), {}),
    "linear svr": ("diabetes", LinearSVR(random_state=1), {"batch": 32}),
    "ridge classifier": ("wine", scaled(RidgeClassifier()), {}),
    "linear svc": ("digits", scaled(LinearSVC(), MinMaxScaler), DIGITS),
    "svc linear": ("breast_cancer", scaled(SVC(kernel="linear")), {}),
    "svc cubic": ("iris", scaled(SVC(kernel="poly", coef0=1)), {}),
    "svc square": ("wine", scaled(SVC(kernel="poly", degree=2, break_ties=True)), {"batch": 8}),
    "svc of pairs": ("iris", SVC(kernel="linear", decision_function_shape="ovo"), {}),
    "svc of two": ("breast_cancer", scaled(SVC(kernel="poly", degree=2, coef0=1)), {"batch": 4}),
    "nu svc": ("iris", NuSVC(kernel="poly", degree=2), {"batch": 8}),
    "svr linear": ("diabetes", SVR(kernel="linear", C=10), {}),
    "svr square": ("diabetes", scaled(NuSVR(kernel="poly", degree=2, nu=0.1)), {"batch": 4}),
    "iris tanh": ("iris", scaled(perceptron("tanh", 4)), {"batch": 64}),
    "wine linear layers": ("wine", scaled(perceptron("identity", 5)), {}),
    "breast cancer logistic": ("breast_cancer", scaled(perceptron("logistic", 4)), {}),
    "digits relu": ("digits", scaled(perceptron("relu", 16), MinMaxScaler), DIGITS),
    "diabetes relu": (
        "diabetes", scaled(perceptron("relu", 4, kind=MLPRegressor, alpha=300)), {"batch": 64},
    ),
    "two layers": ("iris", scaled(perceptron("relu", 4, 3)), {"degree": 31}),
    "hidden values of the example": (
        "breast_cancer", scaled(perceptron("relu", 4)), {"degree": 31, "intervals": "example"},
    ),
    "sigmoid on the server": (
        "breast_cancer", scaled(LogisticRegression()), {"probabilities": "server", "degree": 31},
    ),
}  # fmt: skip


@functools.cache
def compiled(name):
    """The fitted model of a case, its compiled model, and the rows that the test encrypts."""
    data_set, model, options = CASES[name]
    rows = data(data_set)[0]
    model = fitted(model, *data(data_set))
    found = learn.compile(model, rows, **options)
    if not IS_LARGE:
        rows = rows[:: max(1, len(rows) // found.batch)][: found.batch]
    return model, found, rows


def computed(model, rows):
    """The client of a compiled model, and the encrypted scores of the rows."""
    client = model.client()
    return client, model.server(client.public).run(client.encrypt(rows))


def error(ours, theirs):
    return float(abs(np.asarray(ours) - theirs).max())
