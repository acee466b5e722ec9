# SPDX-License-Identifier: Apache-2.0
"""Writes the CSV files of this folder from scikit-learn's bundled data sets.

    python examples/data/make_data.py [FOLDER]      # this folder by default

The data files are the sets as they are, one header line and one line a record, numbers in their
shortest decimal form. digits_network.csv is trained here, in the clear and with a fixed seed: a
network of 64 inputs, 24 hidden units with the square as their activation and 10 outputs, whose
weights are then rounded to integers. It needs NumPy and scikit-learn; the applications need neither
scikit-learn nor this script.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from threadpoolctl import threadpool_limits

TRAINING_IMAGES = 1200
HIDDEN = 24
STEPS = 400
LEARNING_RATE = 0.02
DECAY = 1e-4
# The largest absolute values of the rounded weights of the two layers.
FIRST_LIMIT = 31
SECOND_LIMIT = 31

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def number(value: float) -> str:
    """The shortest decimal form that reads back as the same double; integers without a point."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def write(path: Path, names: Sequence[str], rows: NDArray[np.generic]) -> None:
    """One header line, then one line for each row."""
    lines = [",".join(names), *(",".join(number(value) for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def data_sets() -> dict[str, tuple[list[str], Array]]:
    """Column names and rows of each file, by its name."""
    cancer = load_breast_cancer()
    diabetes = load_diabetes(scaled=False)
    digits = load_digits()
    wine = load_wine()

    def with_target(data: Array, target: NDArray[np.generic]) -> Array:
        return np.column_stack([data, target]).astype(np.float64)

    cancer_names = [str(name).replace(" ", "_") for name in cancer.feature_names]
    pixels = [f"pixel_{row}_{column}" for row in range(8) for column in range(8)]
    wine_names = [str(name).replace("/", "_") for name in wine.feature_names]
    return {
        "breast_cancer.csv": ([*cancer_names, "benign"], with_target(cancer.data, cancer.target)),
        "diabetes.csv": (
            [*diabetes.feature_names, "progression"],
            with_target(diabetes.data, diabetes.target),
        ),
        "digits.csv": ([*pixels, "digit"], with_target(digits.data, digits.target)),
        "wine.csv": ([*wine_names, "cultivar"], with_target(wine.data, wine.target)),
    }


def train(images: Array, labels: Integers, seed: int = 0) -> list[Array]:
    """W1, b1, W2, b2 of softmax(W2 (W1 x + b1)^2 + b2) for pixels x in [0, 1]: Adam, all images in
    every step."""
    rng = np.random.default_rng(seed)
    weights = [
        rng.normal(size=(HIDDEN, 64)) / 8,
        np.zeros(HIDDEN),
        rng.normal(size=(10, HIDDEN)) / 5,
        np.zeros(10),
    ]
    wanted = np.eye(10)[labels]
    first = [np.zeros_like(w) for w in weights]
    second = [np.zeros_like(w) for w in weights]
    for step in range(1, STEPS + 1):
        w1, b1, w2, b2 = weights
        inner = images @ w1.T + b1
        scores = inner**2 @ w2.T + b2
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        by_score = (chances - wanted) / len(images)
        by_inner = by_score @ w2 * 2 * inner
        gradients = [by_inner.T @ images, by_inner.sum(0), by_score.T @ inner**2, by_score.sum(0)]
        for i, gradient in enumerate(gradients):
            gradient = gradient + DECAY * weights[i]
            first[i] = 0.9 * first[i] + 0.1 * gradient
            second[i] = 0.999 * second[i] + 0.001 * gradient**2
            mean, square = first[i] / (1 - 0.9**step), second[i] / (1 - 0.999**step)
            weights[i] = weights[i] - LEARNING_RATE * mean / (np.sqrt(square) + 1e-8)
    return weights


def rounded(weights: list[Array]) -> list[Integers]:
    """The network for pixels in 0, ..., 16, in integers: outputs are multiplied by one number."""
    w1, b1, w2, b2 = weights
    first = FIRST_LIMIT / np.abs(w1).max()
    second = SECOND_LIMIT / np.abs(w2).max()
    # Here pixels are 16 times as large, hidden units 16 * first times, their squares that squared.
    scales = (first, 16 * first, second, (16 * first) ** 2 * second)
    parts = zip((w1, b1, w2, b2), scales, strict=True)
    return [np.rint(w * scale).astype(np.int64) for w, scale in parts]


def network_rows(weights: list[Integers]) -> NDArray[np.int64]:
    """One row for each unit, hidden ones first: its layer, its bias, its weights, zeros behind."""
    w1, b1, w2, b2 = weights
    rows = np.zeros((HIDDEN + 10, 2 + 64), dtype=np.int64)
    rows[:HIDDEN, 0], rows[HIDDEN:, 0] = 1, 2
    rows[:HIDDEN, 1], rows[HIDDEN:, 1] = b1, b2
    rows[:HIDDEN, 2:] = w1
    rows[HIDDEN:, 2 : 2 + HIDDEN] = w2
    return rows


def trained_network(digits: Array) -> NDArray[np.int64]:
    """The rows of digits_network.csv for the rows of digits.csv."""
    part = digits[:TRAINING_IMAGES]
    # One thread, so that the order of sums does not depend on the number of processors.
    with threadpool_limits(1):
        return network_rows(rounded(train(part[:, :64] / 16, part[:, 64].astype(np.int64))))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parent)
    folder = parser.parse_args().folder
    if not folder.is_dir():
        parser.error(f"there is no folder {folder}: make it first")
    sets = data_sets()
    for name, (names, rows) in sets.items():
        write(folder / name, names, rows)
    names = ["layer", "bias", *(f"weight_{i}" for i in range(64))]
    write(folder / "digits_network.csv", names, trained_network(sets["digits.csv"][1]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
