# SPDX-License-Identifier: Apache-2.0
"""Encrypted scores, probabilities and labels of every estimator, compared with scikit-learn's."""

import numpy as np
import pytest
from learn_cases import CASES, compiled, computed, data, error, fitted, perceptron, scaled
from sklearn.linear_model import RidgeClassifier
from sklearn.neural_network import MLPRegressor
from sklearn.svm import SVR

from ringlet import learn
from ringlet.learn.network import _FUNCTIONS, approximated

# libsvm's votes are no continuous function of the scores.
WITHOUT_SCORES = {"svc cubic", "svc square", "nu svc"}


@pytest.mark.parametrize("name", CASES)
def test_labels_are_scikit_learns_and_errors_within_the_bound(name):
    model, found, rows = compiled(name)
    client, scores = computed(found, rows)
    assert 0 < found.error_bound == client.error_bound
    if not hasattr(model, "classes_"):
        assert error(client.predict(scores), model.predict(rows)) <= found.error_bound
        assert found.error_bound < 0.03 * np.ptp(model.predict(rows))
        return
    assert (client.predict(scores) == model.predict(rows)).all()
    if hasattr(model, "predict_proba"):
        bound = found.probability_error_bound
        assert error(client.predict_proba(scores), model.predict_proba(rows)) <= bound
    if hasattr(model, "decision_function") and not client.link.is_probability:
        ours, theirs = client.decision_function(scores), model.decision_function(rows)
        assert ours.shape == theirs.shape
        if name in WITHOUT_SCORES:  # Within a vote: confidences have slope 1/3.
            assert error(ours, theirs) <= found.error_bound * (len(model.classes_) - 1) / 3
        else:
            assert error(ours, theirs) <= found.error_bound


@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic"])
def test_bound_holds_in_the_corners_of_the_ranges(activation, rng):
    """Rows that no data set has, where hidden values reach the ends of their intervals."""
    model = fitted(scaled(perceptron(activation, 3, kind=MLPRegressor)), *data("iris"))
    found = learn.compile(model, range=(-2, 9), degree=15, batch=256)
    rows = rng.choice([-2.0, 9.0, 3.5], size=(found.batch, 4))
    client, scores = computed(found, rows)
    largest = error(client.predict(scores), model.predict(rows))
    assert found.error_bound / 20 < largest <= found.error_bound


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_approximations_are_as_close_as_they_say(name, rng):
    function = _FUNCTIONS[name][0]
    for radius in (0.5, 3.0, 30.0, 300.0):
        for degree in (1, 2, 7, 63, 255):
            polynomial, bound = approximated(name, radius, degree)
            u = np.concatenate([rng.uniform(-1, 1, 20_000), rng.uniform(-1e-3, 1e-3, 1000)])
            coefficients = np.real(polynomial.coefficients)
            found = np.polynomial.chebyshev.chebval(u, coefficients)
            largest = abs(found - function(radius * u)).max()
            assert largest <= bound <= 1.1 * largest + 1e-11 * radius


def test_several_batches_and_a_last_one_that_is_not_full():
    model = fitted(CASES["iris softmax"][1], *data("iris"))
    rows = data("iris")[0]
    found = learn.compile(model, rows, batch=4)
    client, scores = computed(found, rows[:10])
    assert len(scores.arrays) == 3 and len(scores) == 10 and found.batch == 4
    assert error(client.predict_proba(scores), model.predict_proba(rows[:10])) < 2**-15


def test_labels_that_do_not_exclude_each_other():
    rows, labels = data("iris")
    several = np.stack([labels > 0, labels < 2, rows[:, 0] > 6], 1)
    model = fitted(perceptron("tanh", 3), rows, several)
    for place in ("client", "server"):
        found = learn.compile(model, rows, probabilities=place, batch=8, degree=31)
        client, scores = computed(found, rows[::20])
        bound = found.probability_error_bound
        assert error(client.predict_proba(scores), model.predict_proba(rows[::20])) <= bound
        is_sure = abs(model.predict_proba(rows[::20]) - 0.5) > bound
        assert (client.predict(scores) == model.predict(rows[::20]))[is_sure].all()


def test_hidden_values_that_are_constant():
    rows, labels = data("diabetes")
    model = fitted(perceptron("logistic", 3, kind=MLPRegressor, alpha=1000), rows, labels)
    model.coefs_[0][:, 1] = 0
    square = fitted(SVR(kernel="poly", degree=2, coef0=0), rows, labels)
    for each in (model, square):
        client, scores = computed(found := learn.compile(each, rows, batch=8), rows[:8])
        assert error(client.predict(scores), each.predict(rows[:8])) <= found.error_bound < 0.1


def test_labels_without_probabilities():
    rows, labels = data("iris")
    model = RidgeClassifier().fit(rows, np.stack([labels > 0, labels < 2], 1).astype(int))
    client, scores = computed(learn.compile(model, rows, batch=16, security=192), rows[::10])
    assert (client.predict(scores) == model.predict(rows[::10])).all()
    assert error(client.decision_function(scores), model.decision_function(rows[::10])) < 2**-14


def test_several_results_of_a_regression():
    rows, _ = data("iris")
    model = CASES["ridge"][1].fit(rows[:, :2], rows[:, 2:])
    client, scores = computed(learn.compile(model, rows[:, :2], batch=8), rows[:8, :2])
    assert error(client.predict(scores), model.predict(rows[:8, :2])) < 2**-15
