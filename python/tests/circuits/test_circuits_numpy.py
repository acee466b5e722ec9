# SPDX-License-Identifier: Apache-2.0
"""Random linear transforms and polynomials against NumPy: CKKS within the precision that the
runner's estimate promises, BFV and BGV exactly, by matrices and polynomials of Python's integers.
"""

import numpy as np
import pytest
from support import ALL, toy

from ringlet import Circuit, ckks

CASES = 334  # of each scheme and kind: 10^3 transforms and 10^3 polynomials


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


def contexts(scheme):
    """Secret contexts of small rings; a polynomial of degree 15 takes all levels."""
    options = {"scale_bits": 45} if scheme is ckks else {"plain_bits": 17}
    return [toy(scheme, [55] + [45] * 5, degree=degree, **options) for degree in (64, 256)]


def random_row(scheme, length, rng):
    if scheme is ckks:
        return rng.uniform(-0.7, 0.7, length) + 1j * rng.uniform(-0.7, 0.7, length)
    return rng.integers(-(1 << 15), 1 << 15, length)


def random_matrix(scheme, length, rng):
    """Dense, of few diagonals, or of few entries; square or not."""
    shape = rng.integers(1, length + 1, 2)
    matrix = rng.uniform(-1, 1, shape) if scheme is ckks else rng.integers(-99, 100, shape)
    if scheme is ckks and rng.integers(2):
        matrix = matrix * (1 + 0.5j)
    kind = rng.integers(3)
    if kind == 1:
        wanted = rng.choice(length, 3)
        diagonals = (np.arange(shape[1]) - np.arange(shape[0])[:, None]) % length
        matrix = matrix * np.isin(diagonals, wanted)
    elif kind == 2:
        matrix = matrix * (rng.uniform(size=shape) < 0.1)
    if not matrix.any():
        matrix[-1, -1] = 1
    return matrix


def assert_result(secret, circuit, row, wanted):
    """The first row of what the circuit makes of `row`, on the keys that it lists alone."""
    runner = secret.public(circuit=circuit).runner(circuit)
    result = runner(secret.encrypt(circuit.tiled(row, secret)))
    if isinstance(secret, ckks.SecretContext):
        errors = np.abs(secret.decrypt_complex(result)[: circuit.row_length] - wanted)
        assert errors.max() < 2.0 ** -runner.estimate[0].precision_bits < 2.0**-10
    else:
        t = secret.parameters.plain_modulus
        found = secret.decrypt(result, signed=False)[: circuit.row_length]
        assert np.array_equal(found, wanted % t)


@ALL
def test_matrices_times_vectors(scheme, rng):
    rings = contexts(scheme)
    for _ in range(CASES):
        secret = rings[rng.integers(2)]
        circuit = Circuit(1 << int(rng.integers(1, 6)))
        matrix = random_matrix(scheme, circuit.row_length, rng)
        circuit.output(matrix @ circuit.input())
        assert circuit.depth == 1 and len(circuit.rotations) < circuit.row_length
        row = random_row(scheme, matrix.shape[1], rng)
        wanted = np.zeros(circuit.row_length, dtype=complex if scheme is ckks else object)
        exact = matrix if scheme is ckks else matrix.astype(object)
        wanted[: matrix.shape[0]] = exact @ row
        assert_result(secret, circuit, row, wanted)


@ALL
def test_polynomials(scheme, rng):
    rings = contexts(scheme)
    for case in range(CASES):
        secret = rings[rng.integers(2)]
        degree = int(rng.integers(1, 16))
        circuit = Circuit(1 << int(rng.integers(0, 6)))
        row = random_row(scheme, circuit.row_length, rng)
        x = circuit.input()
        if scheme is not ckks:
            coefficients = rng.integers(-(1 << 16), 1 << 16, degree + 1)
            coefficients[-1] = coefficients[-1] or 1
            circuit.output(x.polynomial(coefficients))
            wanted = np.polynomial.polynomial.polyval(
                row.astype(object), coefficients.astype(object)
            )
        elif case % 2:
            coefficients = rng.uniform(-1, 1, degree + 1)
            circuit.output(x.polynomial(coefficients))
            wanted = np.polynomial.polynomial.polyval(row, coefficients)
        else:
            row = row.real
            coefficients = rng.uniform(-1, 1, degree + 1)
            circuit.output(x.polynomial(coefficients, basis="chebyshev"))
            wanted = np.polynomial.chebyshev.chebval(row, coefficients)
        assert_result(secret, circuit, row, wanted)
