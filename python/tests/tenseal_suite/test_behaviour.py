# SPDX-License-Identifier: Apache-2.0
"""Sizes, depths, keys and errors on which programs for TenSEAL rely; on both modules."""

import numpy as np
import pytest
from world import B, IMAGE, A, M, P, Q, error_of, numbers

LONG = np.arange(5000) / 1000


def test_vectors_longer_than_the_slots(world):
    x = world.v(LONG)
    assert x.size() == 5000 and len(x.ciphertext()) > 1
    np.testing.assert_allclose(numbers(x * LONG + 1), LONG * LONG + 1, atol=1e-3)
    np.testing.assert_allclose(numbers(x.sum()), [LONG.sum()], rtol=1e-5)
    np.testing.assert_allclose(numbers(world.v(LONG).dot(x)), [LONG @ LONG], rtol=1e-5)


def test_results_of_size_1_are_broadcast(world):
    one = world.v().dot(B)
    assert one.size() == 1 and one.shape == [1]
    np.testing.assert_allclose(numbers(world.v().sum() + world.v()), A.sum() + A, atol=1e-3)
    one = world.ts.ckks_vector(world.c, [2.0])
    np.testing.assert_allclose(numbers(world.v() * one), 2 * A, atol=1e-3)


def test_the_depth_of_the_parameters_suffices(world):
    """[60, 40, 40, 60]: two products, whichever they are."""
    squared = (A * A).reshape(-1)
    np.testing.assert_allclose(numbers((world.v() ** 2).mm(M)), squared @ M, atol=1e-3)
    np.testing.assert_allclose(numbers(world.v().mm(M).square()), (A @ M) ** 2, atol=1e-3)
    np.testing.assert_allclose(
        numbers(world.v().polyval([1, 0.5, 2.0])), 1 + 0.5 * A + 2 * A * A, atol=1e-3
    )
    np.testing.assert_allclose(numbers((world.v() * B).dot(B)), [(A * B) @ B], atol=1e-3)
    tensor = world.t().mm(world.t(Q.T)).reshape([4]).mul([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(
        numbers(tensor), (P @ Q.T).reshape(-1) * [1, 2, 3, 4], atol=1e-3
    )
    assert issubclass(error_of(lambda: world.v() ** 8), ValueError)


def test_tensors_with_a_batch(world):
    batch = np.arange(10.0).reshape(5, 2) / 4
    x = world.t(batch, batch=True)
    assert x.shape == [2] and x.decrypt().shape == [5, 2]
    weights = np.array([0.5, -2.0])
    np.testing.assert_allclose(numbers(world.t(batch, batch=True) + [1, 2]), batch + [1, 2],
                               atol=1e-3)  # fmt: skip
    product = world.t(batch, batch=True) * world.t(weights)
    np.testing.assert_allclose(numbers(product.sum_batch()), (batch * weights).sum(0), atol=1e-3)
    np.testing.assert_allclose(numbers(world.t(batch, batch=True).sum(1)), batch.sum(1), atol=1e-3)


def test_tensors_need_no_galois_keys(world):
    context = world.ckks_context()
    x = world.ts.ckks_tensor(context, P.tolist())
    np.testing.assert_allclose(numbers(x.mm(Q.T.tolist())), P @ Q.T, atol=1e-3)
    np.testing.assert_allclose(numbers(x.sum(1)), P.sum(1), atol=1e-3)


def test_convolution_and_packing(world):
    encoded, count = world.ts.im2col_encoding(world.c, IMAGE.tolist(), 2, 2, 2)
    assert count == 4
    kernels = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 2.0], [1.0, 0.0]])]
    views = np.lib.stride_tricks.sliding_window_view(IMAGE, (2, 2))[::2, ::2]
    wanted = [(views * kernel).sum((2, 3)).reshape(-1) + 1 for kernel in kernels]
    channels = [encoded.conv2d_im2col(kernel.tolist(), count) + 1 for kernel in kernels]
    packed = world.ts.CKKSVector.pack_vectors(channels)
    assert packed.size() == 8
    np.testing.assert_allclose(numbers(packed), np.concatenate(wanted), atol=1e-3)


def test_server_without_secret_key(world):
    client = world.ckks_context()
    client.generate_galois_keys()
    server = client.copy()
    server.make_context_public()
    x = world.ts.ckks_vector(server, A.tolist())
    assert error_of(x.decrypt) is not None and issubclass(error_of(x.decrypt), ValueError)
    np.testing.assert_allclose(x.decrypt(client.secret_key()), A, atol=1e-3)
    assert client.is_private() and server.is_public()


def test_symmetric_encryption(world):
    context = world.ckks_context(encryption_type=world.ts.ENCRYPTION_TYPE.SYMMETRIC)
    np.testing.assert_allclose(numbers(world.ts.ckks_vector(context, [1.0, 2.0])), [1, 2],
                               atol=1e-3)  # fmt: skip
    for call in (context.public_key, context.has_public_key, context.make_context_public):
        assert issubclass(error_of(call), ValueError)


ERRORS = {
    "no context": (TypeError, lambda w: w.ts.ckks_vector(None, [1.0])),
    "no vector": (ValueError, lambda w: w.ts.ckks_vector(w.c, [[1.0], [2.0]])),
    "empty vector": (ValueError, lambda w: w.ts.ckks_vector(w.c, [])),
    "ragged": (TypeError, lambda w: w.ts.ckks_tensor(w.c, [[1.0], [2.0, 3.0]])),
    "text": (TypeError, lambda w: w.ts.ckks_vector(w.c, "ab")),
    "not finite": (ValueError, lambda w: w.ts.ckks_vector(w.c, [float("nan")])),
    "other sizes": (ValueError, lambda w: w.v() + [1, 2, 3]),
    "other size in dot": (ValueError, lambda w: w.v().dot([1, 2, 3])),
    "add text": (TypeError, lambda w: w.v() + "a"),
    "vector and tensor": (TypeError, lambda w: w.v() + w.t()),
    "matrix of another size": (ValueError, lambda w: w.v().mm(M.T.tolist())),
    "vector for a matrix": (ValueError, lambda w: w.v().mm(A.tolist())),
    "encrypted matrix": (TypeError, lambda w: w.v().mm(w.v())),
    "no coefficients": (ValueError, lambda w: w.v().polyval([])),
    "negative power": (TypeError, lambda w: w.v().pow(-1)),
    "shapes of tensors": (RuntimeError, lambda w: w.t() + [1, 2]),
    "broadcast": (RuntimeError, lambda w: w.t().broadcast([3, 3])),
    "reshape": (ValueError, lambda w: w.t().reshape([4])),
    "axis": (ValueError, lambda w: w.t().sum(2)),
    "no batch": (ValueError, lambda w: w.t().sum_batch()),
    "no matrix": (ValueError, lambda w: w.t(A).mm([[1.0]])),
    "inner sizes": (ValueError, lambda w: w.t().mm(Q.tolist())),
    "no global scale": (ValueError, lambda w: w.ts.context(
        w.ts.SCHEME_TYPE.CKKS, 8192, coeff_mod_bit_sizes=[60, 40, 60]).global_scale),
    "no scheme": (ValueError, lambda w: w.ts.context()),
    "degree": (ValueError, lambda w: w.ts.context(
        w.ts.SCHEME_TYPE.CKKS, 1000, coeff_mod_bit_sizes=[30, 30])),
    "security": (ValueError, lambda w: w.ts.context(
        w.ts.SCHEME_TYPE.CKKS, 4096, coeff_mod_bit_sizes=[60, 40, 40, 60])),
    "one prime": (RuntimeError, lambda w: w.ts.context(
        w.ts.SCHEME_TYPE.BFV, 2048, plain_modulus=40961)),
    "no plain modulus": (ValueError, lambda w: w.ts.context(w.ts.SCHEME_TYPE.BFV, 4096)),
    "no Galois keys": (ValueError, lambda w: w.ts.ckks_vector(w.ckks_context(), [1.0, 2]).sum()),
    "switch": (TypeError, lambda w: setattr(w.c, "auto_relin", "yes")),
    "scale text": (TypeError, lambda w: setattr(w.c, "global_scale", "x")),
    "bytes of a context": (RuntimeError, lambda w: w.ts.context_from(b"xx")),
    "type of bytes": (TypeError, lambda w: w.ts.ckks_vector_from(w.c, "xx")),
    "type of key": (TypeError, lambda w: w.v().decrypt("key")),
    "missing context": (ValueError, lambda w: w.ts.lazy_ckks_vector_from(b"").context()),
    "fraction in BFV": (TypeError, lambda w: w.bv() * 1.5),
    "plain type": (ValueError, lambda w: w.ts.plain_tensor([1], dtype="x")),
    "plain shape": (ValueError, lambda w: w.ts.plain_tensor([1, 2], [3])),
    "plain index": (ValueError, lambda w: w.ts.plain_tensor([1, 2]).at([5])),
    "plain bytes": (RuntimeError, lambda w: w.ts.plain_tensor_from(b"abc")),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_types_of_errors(world, name):
    kind, call = ERRORS[name]
    assert issubclass(error_of(lambda: call(world)) or str, kind)


