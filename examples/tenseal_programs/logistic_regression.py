# SPDX-License-Identifier: Apache-2.0
"""Encrypted logistic regression: a model is evaluated, and one step of its training is made.

Evaluation: a client encrypts the measurements of each patient; a server has the model and returns
encrypted scores. Training: the server has encrypted measurements, labels and weights, and makes one
step of gradient descent. A cubic polynomial stands in for the sigmoid.

    python examples/tenseal_programs/logistic_regression.py
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import ringlet.tenseal as ts

Array = NDArray[np.float64]
DATA = Path(__file__).resolve().parents[1] / "data" / "breast_cancer.csv"
COLUMNS = ["worst_radius", "worst_texture", "worst_smoothness", "worst_concavity"]
SIGMOID = [0.5, 0.197, 0.0, -0.004]
WEIGHTS, BIAS = np.array([-1.6, -0.8, -0.6, -1.1]), 0.4


def load(count: int) -> tuple[Array, Array]:
    """Returns standardised measurements, shape (count, 4), and labels 0 or 1."""
    table = np.genfromtxt(DATA, delimiter=",", names=True)
    values = np.stack([table[name] for name in COLUMNS], 1)
    values = (values - values.mean(0)) / values.std(0)
    return np.clip(values[:count], -2, 2), table["benign"][:count]


def evaluate(patients: Array) -> Array:
    """Returns scores that a server computed on encrypted patients with a model in the clear."""
    context = ts.context(ts.SCHEME_TYPE.CKKS, 4096, coeff_mod_bit_sizes=[36, 30, 36])
    context.global_scale = 2**30
    context.generate_galois_keys()
    encrypted = [ts.ckks_vector(context, row.tolist()).serialize() for row in patients]

    server = ts.context_from(context.serialize())
    rows = [ts.ckks_vector_from(server, data) for data in encrypted]
    scores = [(row.dot(WEIGHTS.tolist()) + BIAS).serialize() for row in rows]

    return np.array([ts.ckks_vector_from(context, data).decrypt()[0] for data in scores])


def train(patients: Array, labels: Array) -> tuple[Array, Array]:
    """Returns weights and bias after one step on encrypted patients, labels and weights."""
    context = ts.context(ts.SCHEME_TYPE.CKKS, 16384,
                         coeff_mod_bit_sizes=[60, 40, 40, 40, 40, 40, 40, 60])  # fmt: skip
    context.global_scale = 2**40
    context.generate_galois_keys()
    weights = ts.ckks_vector(context, WEIGHTS.tolist())
    bias = ts.ckks_vector(context, [BIAS])
    delta, shift = 0, 0
    for row, label in zip(patients, labels, strict=True):
        x, y = ts.ckks_vector(context, row.tolist()), ts.ckks_vector(context, [float(label)])
        error = (x.dot(weights) + bias).polyval(SIGMOID) - y
        delta = x * error + delta
        shift = error + shift
    weights -= delta * (1 / len(labels))
    bias -= shift * (1 / len(labels))
    return np.array(weights.decrypt()), np.array(bias.decrypt())


def main() -> None:
    patients, labels = load(40)
    scores = evaluate(patients)
    wanted = patients @ WEIGHTS + BIAS
    print(f"accuracy {np.mean((scores > 0) == labels):.2f} of {len(labels)} patients")
    print(f"largest error of a score {np.abs(scores - wanted).max():.1e}")
    assert np.abs(scores - wanted).max() < 0.01

    patients, labels = patients[:6], labels[:6]
    weights, bias = train(patients, labels)
    errors = np.polyval(SIGMOID[::-1], patients @ WEIGHTS + BIAS) - labels
    new_weights, new_bias = WEIGHTS - errors @ patients / 6, BIAS - errors.mean()
    error = max(np.abs(weights - new_weights).max(), np.abs(bias - new_bias).max())
    print(f"largest error of a weight {error:.1e}")
    assert error < 1e-4


if __name__ == "__main__":
    main()
