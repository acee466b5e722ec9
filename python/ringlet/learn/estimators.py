# SPDX-License-Identifier: Apache-2.0
"""Reads fitted estimators of scikit-learn, by the names of their classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import InvalidArgument
from .link import Link

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Affine:
    """weights @ x + bias; weights have shape (outputs, inputs)."""

    weights: NDArray[np.float64]
    bias: NDArray[np.float64]


@dataclass(frozen=True)
class Function:
    """A function of each element: relu, tanh, logistic, or power, which is x^degree."""

    name: str
    degree: int = 0


Steps = list[Affine | Function]


def refuse(offending: str, limit: str, remedy: str) -> NoReturn:
    """Raises InvalidArgument for `learn.compile`."""
    raise InvalidArgument("learn.compile", offending, limit, remedy)


def read(model: Any) -> tuple[Steps, Link]:
    """Returns what a fitted estimator or pipeline computes, and what follows its scores. Affine
    steps in a row become one.

    Raises InvalidArgument for estimators that are not supported or not fitted.
    """
    *transformers, estimator = _chain(model)
    steps: Steps = [_scaler(t) for t in transformers]
    name = type(estimator).__name__
    if name not in _READERS:
        has_best = name.endswith("SearchCV")
        refuse(f"a {name}", f"{', '.join(_READERS)}, alone or behind scalers in a Pipeline",
               "pass its best_estimator_" if has_best else "fit one of these")  # fmt: skip
    try:
        own, link = _READERS[name](estimator)
    except AttributeError:
        _unfitted(name)
    folded: Steps = []
    for step in [*steps, *own]:
        before = folded[-1] if folded else None
        if isinstance(step, Affine) and isinstance(before, Affine):
            bias = step.weights @ before.bias + step.bias
            folded[-1] = Affine(step.weights @ before.weights, bias)
        else:
            folded.append(step)
    return folded, link


def _chain(model: Any) -> list[Any]:
    if type(model).__name__ != "Pipeline":
        return [model]
    parts = [part for _, part in model.steps if part is not None and part != "passthrough"]
    return [leaf for part in parts for leaf in _chain(part)]


def _unfitted(name: str) -> NoReturn:
    refuse(f"a {name} that is not fitted", "fitted models", "call its fit(X, y) before")


def _dense(values: Any) -> NDArray[np.float64]:
    dense = values.toarray() if hasattr(values, "toarray") else values
    return np.asarray(dense, np.float64)


# Scaler -> its attribute that is subtracted; None for those that only multiply.
_SCALERS = {"StandardScaler": "mean_", "RobustScaler": "center_", "MinMaxScaler": None,
            "MaxAbsScaler": None}  # fmt: skip


def _scaler(scaler: Any) -> Affine:
    name = type(scaler).__name__
    if name not in _SCALERS:
        refuse(f"a {name} in a pipeline", f"scalers: {', '.join(_SCALERS)}",
               "transform the table before encryption, and compile the last step")  # fmt: skip
    if getattr(scaler, "clip", False):
        refuse(f"a {name} with clip=True", "affine scalers", "fit with clip=False, and pass range=")
    if not hasattr(scaler, "scale_"):
        _unfitted(name)
    count = scaler.n_features_in_
    scale = np.ones(count) if scaler.scale_ is None else _dense(scaler.scale_)
    if name == "MinMaxScaler":
        return Affine(np.diag(scale), _dense(scaler.min_))
    attribute = _SCALERS[name]
    centre = getattr(scaler, attribute) if attribute else None
    shift = np.zeros(count) if centre is None else _dense(centre)
    return Affine(np.diag(1 / scale), -shift / scale)


def _linear(model: Any) -> Affine:
    weights = np.atleast_2d(_dense(model.coef_))
    bias = np.broadcast_to(_dense(model.intercept_), len(weights))
    return Affine(weights, bias.astype(np.float64))


def _linear_regressor(model: Any) -> tuple[Steps, Link]:
    affine = _linear(model)
    return [affine], Link.regression(len(affine.bias), np.ndim(model.coef_) == 1)


def _linear_classifier(model: Any) -> tuple[Steps, Link]:
    kind = getattr(getattr(model, "_label_binarizer", None), "y_type_", "")
    if kind.startswith("multilabel"):
        return [_linear(model)], Link.labels_of(model.classes_, has_probabilities=False)
    return [_linear(model)], Link.classes(model.classes_, has_probabilities=False)


def _logistic(model: Any) -> tuple[Steps, Link]:
    is_binary = len(model.classes_) == 2
    ways = (getattr(model, "multi_class", "auto"), model.solver)
    if not is_binary and (ways[0] == "ovr" or ways[1] == "liblinear"):
        refuse("a LogisticRegression with one model for each class", "multinomial models",
               "fit with solver='lbfgs'")  # fmt: skip
    if is_binary and ways[0] == "multinomial":
        refuse("a LogisticRegression with two classes and multi_class='multinomial'",
               "multi_class='auto' for two classes", "fit with multi_class='auto'")  # fmt: skip
    return [_linear(model)], Link.classes(model.classes_, has_probabilities=True)


def _pairs(dual: NDArray[np.float64], counts: NDArray[Any]) -> NDArray[np.float64]:
    """Returns libsvm's weights of the support vectors for each pair of classes i < j, in order."""
    ends = np.cumsum(counts)
    rows = []
    for i in range(len(counts)):
        for j in range(i + 1, len(counts)):
            row = np.zeros(dual.shape[1])
            for own, other in ((i, j - 1), (j, i)):
                part = slice(ends[own] - counts[own], ends[own])
                row[part] = dual[other, part]
            rows.append(row)
    return np.array(rows)


def _squares(kernel: Affine, dual: NDArray[np.float64]) -> Steps:
    """Returns dual @ (kernel's numbers)^2 with a square for each column and one more, by the
    eigenvectors of these quadratic forms."""
    rows = np.column_stack([kernel.weights, kernel.bias])
    values, vectors = np.linalg.eigh(np.stack([(rows.T * weights) @ rows for weights in dual]))
    stacked = np.concatenate(vectors.swapaxes(1, 2))
    sums = np.repeat(np.eye(len(dual)), values.shape[1], axis=1) * values.ravel()
    first = Affine(stacked[:, :-1], stacked[:, -1])
    return [first, Function("power", 2), Affine(sums, np.zeros(len(dual)))]


def _support_vectors(model: Any) -> tuple[Steps, Link]:
    name = type(model).__name__
    dual, vectors = _dense(model.dual_coef_), _dense(model.support_vectors_)
    degree = model.degree if model.kernel == "poly" else 1
    if model.kernel not in ("linear", "poly") or degree < 1 or degree != int(degree):
        refuse(f"a {name} with kernel {model.kernel!r}", "'linear', 'poly' of degree 1 or more",
               "fit with kernel='poly'")  # fmt: skip
    if name.endswith("R"):
        link = Link.regression(1, True)
    elif len(model.classes_) == 2:
        link = Link.classes(model.classes_, has_probabilities=False)
    else:
        link, dual = Link.votes(model), _pairs(dual, model.n_support_)
    last = Affine(dual, _dense(model.intercept_))
    is_linear = model.kernel == "linear"
    gamma = 1.0 if is_linear else getattr(model, "_gamma", model.gamma)
    kernel = Affine(gamma * vectors, np.full(len(vectors), 0.0 if is_linear else model.coef0))
    if degree == 2 and len(dual) * (vectors.shape[1] + 1) < len(vectors):
        return [*_squares(kernel, dual), Affine(np.eye(len(dual)), last.bias)], link
    if degree > 1:
        return [kernel, Function("power", int(degree)), last], link
    return [kernel, last], link


def _perceptron(model: Any) -> tuple[Steps, Link]:
    steps: Steps = []
    for weights, bias in zip(model.coefs_, model.intercepts_, strict=True):
        steps.append(Affine(_dense(weights).T, _dense(bias)))
        if model.activation != "identity":
            steps.append(Function(model.activation))
    if model.activation != "identity":
        steps.pop()
    if type(model).__name__ == "MLPRegressor":
        if model.out_activation_ != "identity":
            refuse("an MLPRegressor with loss='poisson'", "loss='squared_error'",
                   "fit with loss='squared_error'")  # fmt: skip
        return steps, Link.regression(model.n_outputs_, model.n_outputs_ == 1)
    if model.out_activation_ == "logistic" and model.n_outputs_ > 1:
        return steps, Link.labels_of(model.classes_, has_probabilities=True)
    return steps, Link.classes(model.classes_, has_probabilities=True)


_READERS: dict[str, Callable[[Any], tuple[Steps, Link]]] = {
    "LogisticRegression": _logistic,
    **dict.fromkeys(("LinearSVC", "RidgeClassifier"), _linear_classifier),
    **dict.fromkeys(("LinearRegression", "Ridge", "Lasso", "ElasticNet", "LinearSVR"),
                    _linear_regressor),
    **dict.fromkeys(("SVC", "NuSVC", "SVR", "NuSVR"), _support_vectors),
    **dict.fromkeys(("MLPClassifier", "MLPRegressor"), _perceptron),
}  # fmt: skip
