# SPDX-License-Identifier: Apache-2.0
"""Encrypted logistic regression: inference, and three steps of training, on breast-cancer data.

A hospital has measurements of cell nuclei, 256 patients for training and 256 others. It encrypts
them; a server computes. Every feature is a ciphertext of its own, every slot a patient.

Inference: the server has a model, its own, and returns encrypted probabilities. The sigmoid is a
polynomial of degree 7. Training: the server is given encrypted features and labels, makes three
steps of gradient descent with a cubic polynomial in place of the sigmoid, and returns encrypted
weights. It sees neither data nor weights. The same polynomials in the clear stand beside.

    python examples/applications/logistic_regression.py [--device gpu:0]
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from functools import reduce
from pathlib import Path

import numpy as np
from common import Report, bits, options, read_csv, start
from numpy.typing import NDArray

import ringlet
from ringlet import ckks

Array = NDArray[np.float64]
FEATURES = [f"worst_{n}" for n in ("radius", "texture", "perimeter", "area", "smoothness")]
FEATURES += [f"worst_{n}" for n in ("compactness", "concavity", "concave_points")]
PATIENTS = 256  # of each part; a power of two
LIMIT = 3.0  # standardised features are clipped here
STEPS, RATE = 3, 0.5
# Closest cubic to 1/(1 + exp(u)) for |u| <= 8 (Kim, Song, Wang, Xia and Jiang, 2018).
CONSTANT, LINEAR, CUBIC = 0.5, -0.15012, 0.001593


def load(folder: Path) -> tuple[Array, Array, Array, Array]:
    """Features with a column of ones, and labels 1 and -1: of the even rows, then of the odd."""
    table = read_csv(folder / "breast_cancer.csv", least_rows=2 * PATIENTS)
    chosen = table.columns(FEATURES)
    train, test = (slice(start, 2 * PATIENTS, 2) for start in (0, 1))
    mean, deviation = chosen[train].mean(axis=0), chosen[train].std(axis=0)
    scaled = np.clip((chosen - mean) / deviation, -LIMIT, LIMIT)
    scaled = np.column_stack([scaled, np.ones(len(chosen))])
    labels = 2 * table.columns(["benign"])[:, 0] - 1
    return scaled[train], labels[train], scaled[test], labels[test]


def accuracy(scores: Array, labels: Array) -> float:
    return float(np.mean((scores > 0) == (labels > 0)))


# In the clear -----------------------------------------------------------------------------------


def descend(signed: Array, steps: int, rate: float, sigmoid: bool) -> Array:
    """Gradient descent from 0 on rows times their labels, with the sigmoid or the polynomial."""
    weights = np.zeros(signed.shape[1])
    for _ in range(steps):
        u = signed @ weights
        slope = 1 / (1 + np.exp(u)) if sigmoid else CONSTANT + LINEAR * u + CUBIC * u**3
        weights = weights + rate / len(signed) * (slope @ signed)
    return weights


# What the server computes, declared before anything is encrypted --------------------------------


def inference_circuit(weights: Array) -> tuple[ringlet.Circuit, ringlet.Polynomial, float]:
    """Probabilities from one input for each feature; the polynomial of score / largest score."""
    largest = LIMIT * float(np.abs(weights).sum())
    sigmoid = ringlet.chebyshev_approximation(
        lambda x: 1 / (1 + math.exp(-largest * x)), (-1, 1), degree=7
    ).polynomial
    circuit = ringlet.Circuit(PATIENTS)
    features = [circuit.input(LIMIT) for _ in weights]
    score = sum_of(x * float(w / largest) for x, w in zip(features, weights, strict=True))
    circuit.bound(score, 1)
    circuit.output(score.polynomial(sigmoid))
    return circuit, sigmoid, largest


def training_circuit(count: int) -> ringlet.Circuit:
    """Weights after all steps from rows times labels, `count` inputs; a weight fills all slots."""
    circuit = ringlet.Circuit(PATIENTS)
    signed = [circuit.input(LIMIT) for _ in range(count)]
    # rate/PATIENTS (c0 + c1 u + c3 u^3) z = c0' z + (c3' z) u (u^2 + c1/c3): three levels a step.
    constant = [z * (CONSTANT * RATE / PATIENTS) for z in signed]
    cubic = [z * (CUBIC * RATE / PATIENTS) for z in signed]

    def total(value: ringlet.CircuitValue) -> ringlet.CircuitValue:
        """The sum over all patients, in every slot; no sum of some of them exceeds 1."""
        for step in range(PATIENTS.bit_length() - 1):
            value = value + value.rotate(1 << step)
            circuit.bound(value, 1)
        return value

    weights = [total(c) for c in constant]
    for _ in range(STEPS - 1):
        u = sum_of(w * z for w, z in zip(weights, signed, strict=True))
        circuit.bound(u, 8)
        factor = u * u + LINEAR / CUBIC
        circuit.bound(factor, -LINEAR / CUBIC)
        moves = [total((z * u) * factor + c) for z, c in zip(cubic, constant, strict=True)]
        weights = [w + move for w, move in zip(weights, moves, strict=True)]
        for weight in weights:
            circuit.bound(weight, 1)
    for weight in weights:
        circuit.output(weight)
    return circuit


def sum_of(values: Iterable[ringlet.CircuitValue]) -> ringlet.CircuitValue:
    return reduce(operator.add, values)


# The two sides ----------------------------------------------------------------------------------


class Server:
    """Has a circuit, and with it the model; says which parameters and rotations it takes."""

    def __init__(self, circuit: ringlet.Circuit, precision: float, device: str) -> None:
        found = ringlet.suggest_parameters("ckks", circuit=circuit, precision=precision)
        self.circuit, self.device = circuit, device
        self.parameters = found.parameters.to_bytes()
        self.rotations = circuit.rotations

    def answer(self, keys: bytes, inputs: list[bytes]) -> list[bytes]:
        public = ckks.PublicContext.from_bytes(keys).on(self.device)
        results = public.runner(self.circuit)(*(public.load_ciphertext(data) for data in inputs))
        results = results if isinstance(results, tuple) else (results,)
        return [result.to_bytes() for result in results]


class Hospital:
    """Holds the secret key."""

    def __init__(self, parameters: bytes, rotations: list[int]) -> None:
        self.secret = ckks.SecretContext(ckks.Parameters.from_bytes(parameters))
        self.keys = self.secret.public(rotations=rotations).to_bytes()

    def encrypt(self, rows: Array) -> list[bytes]:
        """One ciphertext for each column, repeated as the slots are more than the patients."""
        times = self.secret.slot_count // PATIENTS
        return [self.secret.encrypt(np.tile(column, times)).to_bytes() for column in rows.T]

    def decrypt(self, answer: bytes) -> Array:
        return self.secret.decrypt(self.secret.load_ciphertext(answer))[:PATIENTS]


def compute(
    report: Report, name: str, circuit: ringlet.Circuit, precision: float, rows: Array, device: str
) -> Array:
    """The whole protocol: one row of the result for each output, one number for each patient."""
    with report.phase(f"{name}, server: parameters"):
        server = Server(circuit, precision, device)
    with report.phase(f"{name}, hospital: keys"):
        hospital = Hospital(server.parameters, server.rotations)
    with report.phase(f"{name}, hospital: encrypts"):
        request = hospital.encrypt(rows)
    with report.phase(f"{name}, server: computes"):
        answers = server.answer(hospital.keys, request)
    with report.phase(f"{name}, hospital: decrypts"):
        results = np.array([hospital.decrypt(answer) for answer in answers])
    report.show(f"{name}, parameters", repr(hospital.secret.parameters))
    report.sent(f"{name}, to the server: keys", hospital.keys)
    report.sent(f"{name}, to the server: data", *request)
    report.sent(f"{name}, to the hospital", *answers)
    return results


def run_inference(report: Report, model: Array, rows: Array, labels: Array, device: str) -> None:
    """Probabilities for the other patients, beside those of the same polynomial in the clear."""
    circuit, sigmoid, largest = inference_circuit(model)
    # 12 bits: an error below 2^-12 for all features, which is within the tolerance.
    chances = compute(report, "inference", circuit, 12, rows, device)[0]
    clear = np.array([sigmoid(score / largest).real for score in rows @ model])
    error = float(np.abs(chances - clear).max())
    report.show("inference, accuracy encrypted", accuracy(chances - 0.5, labels))
    report.show("inference, accuracy in the clear", accuracy(clear - 0.5, labels))
    report.show("inference, accuracy with the sigmoid", accuracy(rows @ model, labels))
    report.show("inference, precision in bits", bits(error))
    report.check("probabilities within 1e-3 of those in the clear", error < 1e-3)


def run_training(report: Report, signed: Array, rows: Array, labels: Array, device: str) -> None:
    """Weights from the patients for training, tried on the others."""
    # The worst data still give 8 bits, which keeps N at 16384. Real data are far from the worst:
    # the check below requires more.
    circuit = training_circuit(signed.shape[1])
    weights = compute(report, "training", circuit, 8, signed, device)[:, 0]
    clear = descend(signed, STEPS, RATE, sigmoid=False)
    error = float(np.abs(weights - clear).max())
    for name, weight, expected in zip([*FEATURES, "bias"], weights, clear, strict=True):
        report.show(f"weight of {name}", f"{weight:+.5f}, in the clear {expected:+.5f}")
    report.show("training, accuracy encrypted", accuracy(rows @ weights, labels))
    report.show("training, accuracy in the clear", accuracy(rows @ clear, labels))
    report.show("training, precision in bits", bits(error))
    report.check("weights within 1e-3 of those in the clear", error < 1e-3)


def main() -> int:
    chosen = options(__doc__).parse_args()
    report = Report("logistic_regression", chosen)
    train, train_labels, rows, labels = load(chosen.data)
    signed = train * train_labels[:, None]
    model = descend(signed, steps=100, rate=1.0, sigmoid=True)
    run_inference(report, model, rows, labels, chosen.device)
    run_training(report, signed, rows, labels, chosen.device)
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(start(main))
