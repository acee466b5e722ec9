# SPDX-License-Identifier: Apache-2.0
"""Encrypted indicators of the largest element."""

import numpy as np
import pytest
from array_draws import Draw
from numpy.polynomial import chebyshev
from support import refused, toy
from test_numpy_calls import random_layout
from test_programs import low_server

import ringlet
from ringlet import bfv, ckks
from ringlet.arrays import Spec, one_hot_argmax
from ringlet.arrays.argmax import _sign_stages

NOISE = 1e-4
BITS = 4


@pytest.fixture(scope="module")
def client():
    """Of fourteen levels."""
    return ckks.Client(secret=toy(ckks, [60] + [45] * 14, [60], scale_bits=45))


def check(indicators, scores, axis, step):
    """What one_hot_argmax promises, for scores that are multiples of a step or closer."""
    assert indicators.shape == scores.shape
    scores, indicators = np.moveaxis(scores, axis, -1), np.moveaxis(indicators, axis, -1)
    assert indicators.min() > -NOISE and indicators.sum(-1).max() < 1 + NOISE
    for row, found in zip(
        scores.reshape(-1, scores.shape[-1]), indicators.reshape(-1, scores.shape[-1])
    ):
        is_largest = row == row.max()
        count = is_largest.sum()
        assert count == 1 or found.max() < 0.5 + NOISE
        assert (found[~is_largest] < 0.5 + NOISE).all()
        if (row[~is_largest] < row.max() - 0.99 * step).all():
            assert found[is_largest].min() > 0.9 * 2.0 ** (1 - count) - NOISE
            assert found[~is_largest].sum() < 0.1 + NOISE


def drawn(d, count, kind):
    """Whole numbers from -2^(BITS - 1) to 2^(BITS - 1): apart by one, any, with equal ones, or all
    closer than one."""
    half = 2 ** (BITS - 1)
    if kind == "neighbours":
        return d.rng.permutation(count) + d.integer(-half, half - count + 1)
    numbers = d.rng.choice(np.arange(-half, half + 1), count, replace=kind != "any")
    return numbers * d.rng.uniform(0, 1 / (2 * half)) if kind == "close" else numbers


@pytest.mark.parametrize("bits", [1, 2, 3, 5, 8, 12, 14, 16])
def test_polynomials_of_the_sign(bits):
    for error in (0.1, 0.01, 0.0001):
        gap = 2.0**-bits
        x = np.concatenate([np.geomspace(gap / 1000, gap, 1000), np.geomspace(gap, 1, 100000)])
        y = x
        for stage in _sign_stages(gap, error):
            y = chebyshev.chebval(y, np.real(stage.coefficients))
        assert y.min() > 0 and y.max() < 0.5 + 1e-5
        assert y[x >= gap].min() > 0.5 - error - 1e-5


SHAPES = [((3,), 0), ((4, 3), 1), ((4, 3), 0), ((2, 5, 2), -2), ((3, 9), -1), ((1, 2, 3), 2)]


@pytest.mark.parametrize("kind", ["neighbours", "any", "equal", "close"])
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_the_largest_element(client, seed, shape, axis, kind):
    for n, magnitude in enumerate((0.01, 300)):
        d = Draw([seed, n], "ckks")
        step = magnitude / 2 ** (BITS - 1)
        others = np.delete(shape, axis)
        rows = [drawn(d, shape[axis], kind) for _ in range(np.prod(others, dtype=int))]
        scores = np.moveaxis(step * np.reshape(rows, (*others, shape[axis])), -1, axis)
        x = client.encrypt(scores, layout=random_layout(d, shape, client.slots))
        result = one_hot_argmax(x, axis, magnitude=magnitude, bits=BITS)
        indicators = client.decrypt(result)
        check(indicators, scores, axis, step)
        assert np.isclose(client.decrypt(result.sum()), indicators.sum(), 0, NOISE), result


def test_a_program_returns_the_class(rng):
    def classify(x):
        return one_hot_argmax(x, magnitude=4, bits=2)

    program = ringlet.compile(classify, Spec((2, 3), magnitude=4.0), precision=4)
    assert program.circuit.depth <= 2 + 4 + 2
    assert program.found.counts.relinearizations < 15  # All pairs are in one ciphertext.
    secret = toy(ckks, [60] + [45] * 8, [60], scale_bits=45, degree=2 * program.circuit.row_length)
    client = ckks.Client(secret=secret, program=program)
    server = low_server(client.server().to_bytes())
    scores = np.array([[-4.0, -2.0, 0.0], [2.0, 4.0, -4.0]])
    sent = server.load(client.encrypt(scores).to_bytes())
    indicators = client.decrypt(client.load(server.run(sent).to_bytes()))
    check(indicators, scores, 1, 2)
    assert indicators.argmax(1).tolist() == [2, 1]


def test_refusals(client):
    x = client.encrypt([[0.5, 0.25]])
    refused(lambda: one_hot_argmax(x, 2), "axis = 2")
    refused(lambda: one_hot_argmax(x, 0), "(1, 2)", "two elements")
    refused(lambda: one_hot_argmax(x, None), "one axis")
    for name, values in {"bits": (0, 17, 2.5), "magnitude": (0, "x", np.inf, np.nan)}.items():
        for value in values:
            refused(lambda n=name, v=value: one_hot_argmax(x, **{n: v}), f"{name} = {value!r}")
    refused(lambda: one_hot_argmax(x + 1j), "complex128")
    refused(lambda: one_hot_argmax([1.0, 2.0]), "list")
    columns = client.encrypt([[0.5, 0.25]], layout="columns")
    refused(lambda: one_hot_argmax(columns * [1, 0]), "zeros")
    integers = bfv.Client(secret=toy(bfv, [50, 50])).encrypt([1, 2])
    refused(lambda: one_hot_argmax(integers), "int64")
    short = ckks.Client(secret=toy(ckks, [50, 40, 40])).encrypt([0.5, 0.25])
    refused(lambda: one_hot_argmax(short), "depth", error=ringlet.LogicError)
