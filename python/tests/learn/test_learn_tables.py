# SPDX-License-Identifier: Apache-2.0
"""DataFrames, bytes, what client and server hold, and what is refused."""

import struct
import subprocess
import sys

import numpy as np
import pytest
from learn_cases import CASES, compiled, computed, data, error, fitted, scaled
from sklearn.cluster import KMeans
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.svm import SVC, LinearSVC
from support import refused

import ringlet
from ringlet import ckks, learn

ROWS, LABELS = data("iris")


def test_frames_give_frames():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    table = pandas.DataFrame(ROWS, columns=names)
    kinds = np.array(["setosa", "versicolor", "virginica"])[LABELS]
    model = scaled(LogisticRegression()).fit(table, kinds)
    found = learn.compile(model, table, batch=16)
    part = table[names[::-1]].iloc[40:60]
    client, scores = computed(found, part)
    expected = pandas.DataFrame(model.predict_proba(part[names]), part.index, sorted(set(kinds)))
    pandas.testing.assert_frame_equal(client.predict_proba(scores), expected, atol=2**-15, rtol=0)
    labels = client.predict(scores)
    assert (labels.index == part.index).all() and (labels == model.predict(part[names])).all()
    assert list(client.decision_function(scores).columns) == sorted(set(kinds))
    loaded = client.load(scores.to_bytes())
    assert isinstance(client.predict(loaded), np.ndarray)
    assert (client.predict(loaded, index=part.index) == labels).all()
    refused(lambda: client.encrypt(part.drop(columns="petal width")), "without", "petal width")
    part = part.assign(**{"sepal width": 90.0})
    refused(lambda: client.encrypt(part), "'sepal width'", "out of range", "range=")
    ranges = {name: (0, 10) for name in names}
    assert learn.compile(model, range=ranges).columns.high.tolist() == [10] * 4
    refused(lambda: learn.compile(model, range={"sepal length": (0, 1)}), "'sepal width'")


def test_everything_can_be_sent(tmp_path):
    model, found, rows = compiled("iris softmax")
    client = learn.Client.from_bytes(found.client_bytes())
    server = learn.Server.from_bytes(found.server(client.keys()).to_bytes())
    sent = client.encrypt(rows).to_bytes()
    scores = client.load(server.run(server.load(sent)).to_bytes())
    assert error(client.predict_proba(scores), model.predict_proba(rows)) < 2**-15
    ckks.save_secret_key(client.secret, tmp_path / "key")
    secret = ckks.load_secret_key(tmp_path / "key")
    again = learn.Client.from_bytes(found.client_bytes(), secret=secret)
    assert (again.predict(again.load(scores.to_bytes())) == model.predict(rows)).all()


def test_a_client_gets_no_weights():
    model, found, _ = compiled("iris softmax")
    known = found.client_bytes()
    folded = model[-1].coef_ / model[0].scale_
    for number in [*model[-1].coef_.ravel(), *model[-1].intercept_, *folded.ravel()]:
        assert repr(float(number)).encode() not in known
        assert struct.pack("<d", number) not in known
    assert len(known) < 4096
    assert all(word in repr(found) for word in ("columns=4", "batch=1024", "error_bound="))
    assert "columns=4" in repr(found.client())


def test_nothing_is_imported_without_a_model():
    code = "import sys, ringlet.learn; assert not {'sklearn', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


MODELS = {
    "another estimator": (lambda: KMeans(2), ["a KMeans", "LogisticRegression", "MLPClassifier"]),
    "a search": (lambda: GridSearchCV(SVC(), {}), ["a GridSearchCV", "best_estimator_"]),
    "not fitted": (lambda: LogisticRegression(), ["LogisticRegression", "not fitted", "fit(X, y)"]),
    "scaler not fitted": (
        lambda: make_pipeline(StandardScaler(), LinearSVC()), ["a StandardScaler", "not fitted"],
    ),
    "another kernel": (lambda: SVC().fit(ROWS, LABELS), ["'rbf'", "'linear'", "kernel='poly'"]),
    "another transformer": (
        lambda: scaled(LinearSVC(), Normalizer).fit(ROWS, LABELS), ["a Normalizer", "before"],
    ),
    "clipped": (
        lambda: scaled(LinearSVC(), lambda: MinMaxScaler(clip=True)).fit(ROWS, LABELS),
        ["clip=True"],
    ),
    "poisson": (
        lambda: MLPRegressor("poisson", (2,), max_iter=1).fit(ROWS, LABELS + 1), ["loss='poisson'"],
    ),
    "no model": (lambda: 3, ["a int"]),
    "no weights": (lambda: Lasso(100).fit(ROWS, LABELS), ["the same for every row"]),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_models_are_refused_by_name(name):
    model, words = MODELS[name]
    refused(lambda: learn.compile(model(), ROWS), "learn.compile", *words)


OPTIONS = {
    "neither": ({"example": None}, ["neither an example nor a range"]),
    "other columns": ({"example": ROWS[:, :3]}, ["(150, 3)", "(rows, 4)"]),
    "text": ({"example": [["a"] * 4]}, ["no real numbers"]),
    "no interval": ({"range": (3, 2)}, ["range", "low <= high"]),
    "one number": ({"range": 3}, ["range", "low <= high"]),
    "degree": ({"degree": 256}, ["degree = 256", "1 to 255"]),
    "batch": ({"batch": 0}, ["batch = 0", "1 to 65536"]),
    "intervals": ({"intervals": "all"}, ["intervals = 'all'", "range or example"]),
    "no example": ({"example": None, "range": (0, 9), "intervals": "example"}, ["an example"]),
    "probabilities": ({"probabilities": "both"}, ["probabilities = 'both'"]),
    "softmax": ({"probabilities": "server"}, ["probabilities='server'", "softmax"]),
    "precision": ({"precision": 90}, ["precision"]),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_are_refused(name):
    options, words = OPTIONS[name]
    model = fitted(CASES["iris softmax"][1], ROWS, LABELS)
    refused(lambda: learn.compile(model, **{"example": ROWS, **options}), *words)


def test_tables_and_scores_are_refused():
    model, found, rows = compiled("iris softmax")
    client, scores = computed(found, rows)
    server = found.server(client.public)
    for table, words in (
        (rows[0], ["shape (4,)"]),
        (rows[:0], ["shape (0, 4)"]),
        (rows * 1j, ["no real numbers"]),
        (np.ma.array(rows, mask=rows > 5), ["masked elements", "filled"]),
        (rows[:, :2], [f"({len(rows)}, 2)", "(rows, 4)"]),
        (np.where(rows == rows[0, 2], np.nan, rows), ["'column 2'", "not finite", "fill or drop"]),
        (np.vstack([rows, [1e6, 0, 0, 0]]), ["'column 0'", f"row {len(rows)}", "out of range"]),
    ):
        error = refused(lambda table=table: client.encrypt(table), "learn.Client.encrypt", *words)
        assert "1e" not in error.offending
    refused(lambda: server.run(rows), "a ndarray", "EncryptedRows")
    refused(lambda: client.predict(rows), "a ndarray", "EncryptedRows")
    refused(lambda: client.predict(client.encrypt(rows)), "scores of shape (rows, 3)")
    other = ckks.SecretContext(ckks.Parameters(4096))
    known = found.client_bytes()
    refused(lambda: learn.Client.from_bytes(known, secret=other), "secret key of other parameters")
    refused(lambda: found.server(other.public()), "other param")
    _, other, rows = compiled("linear svc")
    client, scores = computed(other, rows)
    refused(lambda: client.predict_proba(scores), "without probabilities", "decision_function")


def test_scores_are_hidden_where_the_server_computes_probabilities():
    _, found, rows = compiled("sigmoid on the server")
    client, scores = computed(found, rows)
    refused(lambda: client.decision_function(scores), "probabilities='server'", "predict_proba")


def test_damaged_bytes_are_refused(rng):
    good = compiled("iris softmax")[1].client_bytes()
    for _ in range(200):
        damaged = bytearray(good)
        damaged[rng.integers(len(good))] ^= 1 << rng.integers(8)
        try:
            learn.Client.from_bytes(damaged)
        except (ringlet.InvalidArgument, ringlet.RuntimeFailure):
            continue
    for text, other in ((b'"names"', b'"nomes"'), (b'"binary"', b'"binory"'), (b"[1,", b"[x,")):
        if text in good:
            refused(lambda t=text, o=other: learn.Client.from_bytes(good.replace(t, o)),
                    error=ringlet.RuntimeFailure)  # fmt: skip
