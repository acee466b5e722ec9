# SPDX-License-Identifier: Apache-2.0
"""What ringlet.tenseal does otherwise than TenSEAL, and better."""

import numpy as np
import pytest
from support import refused
from world import A, M, P, World, numbers

import ringlet
import ringlet.tenseal as ts


@pytest.fixture(scope="module")
def world():
    return World(ts)


@pytest.mark.parametrize("degree, sizes, limit", [
    (8192, [31, 26, 26, 26, 26, 26, 26, 31], "214 bits"),
    (4096, [40, 40, 29], "106 bits"),
    (16384, [60, 60, 60, 60, 60, 60, 60, 20], "430 bits"),
])  # fmt: skip
def test_weak_parameters_are_refused(degree, sizes, limit):
    """TenSEAL takes them: it checks the table of 2018."""
    refused(
        lambda: ts.context(ts.SCHEME_TYPE.CKKS, degree, coeff_mod_bit_sizes=sizes),
        limit, "128 bits of security", f"poly_modulus_degree={2 * degree}",
    )  # fmt: skip


def test_the_scale_is_that_of_the_keys(world):
    context = world.ckks_context()
    x = ts.ckks_vector(context, A.tolist(), 2**30)
    np.testing.assert_allclose(numbers(x), A, atol=1e-6)
    refused(lambda: ts.ckks_vector(context, A.tolist(), 2**41), "global_scale")
    refused(lambda: setattr(context, "global_scale", 2**30), "before the first encryption")


def test_other_keys_are_noticed(world):
    other = world.ckks_context()
    x = world.v()
    refused(lambda: x + ts.ckks_vector(other, A.tolist()), "secret key")
    refused(lambda: x.decrypt(other.secret_key()), "secret key")


def test_keys_that_come_later(world):
    context = world.ckks_context()
    x, y = ts.ckks_vector(context, A.tolist()), ts.ckks_vector(context, A.tolist())
    refused(lambda: x.dot(y), "context.generate_galois_keys()")
    context.generate_galois_keys()
    np.testing.assert_allclose(numbers(x.dot(y)), [A @ A], atol=1e-3)


@pytest.mark.parametrize("make", [
    lambda c: c.serialize(),
    lambda c: ts.ckks_vector(c, [1.0]).serialize(),
    lambda c: ts.ckks_tensor(c, [[1.0]], batch=True).serialize(),
], ids=["context", "vector", "tensor"])  # fmt: skip
def test_damaged_bytes(world, make, rng):
    """Every cut and most changes are noticed; nothing else happens than an error of Ringlet."""
    context = world.ckks_context()
    data = make(context)
    readers = [ts.context_from, lambda d: ts.ckks_vector_from(context, d),
               lambda d: ts.ckks_tensor_from(context, d)]  # fmt: skip
    for _ in range(40):
        place, bit = int(rng.integers(len(data))), int(rng.integers(8))
        head = int(rng.integers(200))
        for broken in (data[:place], _flipped(data, place, bit), _flipped(data, head, bit)):
            for read in readers:
                try:
                    read(broken)
                except ringlet.RingletError:
                    pass


def _flipped(data, place, bit):
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def test_large_tensors_are_packed(world, rng):
    x, y = rng.uniform(-1, 1, (20, 24)), rng.uniform(-1, 1, (24, 18))
    tensor = world.t(x)
    assert len(tensor.ciphertext()) == 1
    np.testing.assert_allclose(numbers(tensor.mm(y)), x @ y, atol=1e-3)
    np.testing.assert_allclose(numbers(tensor * x + 1), x * x + 1, atol=1e-3)
    np.testing.assert_allclose(numbers(tensor.transpose().sum(0)), x.sum(1), atol=1e-3)
    np.testing.assert_allclose(numbers(tensor.reshape([24, 20])), x.reshape(24, 20), atol=1e-3)
    np.testing.assert_allclose(numbers(tensor[3:5, 2]), x[3:5, 2:3], atol=1e-3)
    np.testing.assert_allclose(numbers(tensor + world.t(x[0])), x + x[0], atol=1e-3)


def test_products_of_a_batch(world, rng):
    """TenSEAL's `dot` of a batch and a vector sums over the batch."""
    x, y = rng.uniform(-1, 1, (5, 3)), rng.uniform(-1, 1, (5, 2, 3))
    weights, matrix = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, (3, 4))
    for known in (True, False):
        w, m = (v if known else world.t(v) for v in (weights, matrix))
        vectors, matrices = world.t(x, batch=True), world.t(y, batch=True)
        np.testing.assert_allclose(numbers(vectors.dot(w)), x @ weights, atol=1e-3)
        np.testing.assert_allclose(numbers(vectors.dot(m)), x @ matrix, atol=1e-3)
        np.testing.assert_allclose(numbers(matrices.dot(w)), y @ weights, atol=1e-3)
        np.testing.assert_allclose(numbers(matrices.mm(m)), y @ matrix, atol=1e-3)
        total = (vectors.dot(m) + 1).sum_batch()
        np.testing.assert_allclose(numbers(total), (x @ matrix + 1).sum(0), atol=1e-3)


def test_zeros(world):
    """Products by 0 are fresh encryptions of 0."""
    np.testing.assert_allclose(numbers(world.v() * 0), 0 * A, atol=1e-3)
    np.testing.assert_allclose(numbers(world.v().polyval([0, 0])), 0 * A, atol=1e-3)
    np.testing.assert_allclose(numbers(world.t() * 0 + 1), 0 * P + 1, atol=1e-3)
    np.testing.assert_allclose(numbers(world.t().mm([[0.0]] * 3) + 2), [[2], [2]], atol=1e-3)
    np.testing.assert_allclose(numbers(world.v().mm(0 * M)), [0, 0], atol=1e-3)
    for x in (world.v(), world.t(), world.t(batch=True)):
        assert np.abs(numbers(x - x)).max() < 1e-3


def test_keys_before_the_scale():
    context = ts.context(ts.SCHEME_TYPE.CKKS, 8192, coeff_mod_bit_sizes=[60, 40, 40, 60])
    context.generate_galois_keys()
    context.global_scale = 2**35
    x = ts.ckks_vector(context, A.tolist())
    assert x.scale() == 2.0**35
    np.testing.assert_allclose(numbers(x.sum()), [A.sum()], atol=1e-3)


def test_numpy_on_the_left(world):
    np.testing.assert_allclose(numbers(A - world.v()), 0 * A, atol=1e-3)
    np.testing.assert_allclose(numbers(P * world.t()), P * P, atol=1e-3)
