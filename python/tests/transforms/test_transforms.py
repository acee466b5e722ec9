# SPDX-License-Identifier: Apache-2.0
"""Transforms and element-wise operations against Python's integers."""

import numpy as np
import pytest
from double_words import defined_transform
from support import refused_call

import ringlet


def moduli_of(table, degree):
    """Primes on both sides of the limit of the table's transform, and narrow ones."""
    kernels = ringlet.kernel_catalog()
    limit = max(k.modulus_limit for k in kernels if k.table == table and k.operation == "ntt")
    widths = {20, 30, min(limit.bit_length() - 1, 61)}
    if limit < 1 << 60:
        widths.add(limit.bit_length())
    return [ringlet.generate_ntt_primes(bits, degree, 1)[0] for bits in sorted(widths)]


@pytest.mark.parametrize("degree", [2, 4, 8, 16, 32, 64])
def test_forward_is_the_definition(table, degree, rng):
    for q in moduli_of(table, degree):
        plan = ringlet.Ntt(degree, q, kernels=table)
        a = rng.integers(0, q, degree, dtype=np.uint64)
        a[:2] = (q - 1, 0)
        transformed = plan.forward(a)
        expected = defined_transform(a.tolist(), q, plan.root_of_unity, "negacyclic")
        assert transformed.tolist() == expected
        assert (plan.inverse(transformed) == a).all()


def test_large_degrees_agree_with_scalar64(table, rng):
    for degree in (1024, 8192):
        for q in moduli_of(table, degree):
            plan = ringlet.Ntt(degree, q, kernels=table)
            reference = ringlet.Ntt(degree, q, kernels="scalar64")
            a = rng.integers(0, q, degree, dtype=np.uint64)
            assert (plan.forward(a) == reference.forward(a)).all()
            assert (plan.inverse(a) == reference.inverse(a)).all()
            assert (plan.inverse(plan.forward(a)) == a).all()


def test_root_of_the_caller(rng):
    n, q = 16, 97
    smallest = ringlet.minimal_primitive_root(2 * n, q)
    other = pow(smallest, 5, q)
    plan = ringlet.Ntt(n, q, root=other)
    assert plan.root_of_unity == other
    a = rng.integers(0, q, n, dtype=np.uint64)
    assert plan.forward(a).tolist() == defined_transform(a.tolist(), q, other, "negacyclic")
    refused_call(ringlet.Ntt, n, q, root=1, says=["root"])


@pytest.mark.parametrize(
    ("degree", "modulus"),
    [
        *((degree, 97) for degree in (0, 1, 12, 1 << 21, -16, 16.0, "16", 2**70)),
        *((16, q) for q in (0, 1, 96, 33 * 97, 101, 2**61 + 1, 2**64)),
    ],
)
def test_plan_refuses(degree, modulus):
    refused_call(ringlet.Ntt, degree, modulus)


@pytest.mark.parametrize("modulus", [0, 1, 1 << 63, -5, 2**80, 3.5, [], [97, 1], "97"])
def test_elementwise_refuses_modulus(modulus):
    refused_call(ringlet.Eltwise, modulus)


def test_elementwise_refuses_large_scalar():
    a, plan = np.zeros(4, dtype=np.uint64), ringlet.Eltwise(97)
    refused_call(plan.multiply_scalar, a, 97, says=["97"])
    refused_call(plan.multiply_scalar_add, a, 97, a, says=["97"])


def test_kernel_is_chosen_once_and_shown():
    q = ringlet.generate_ntt_primes(49, 1024, 1)[0]
    assert ringlet.Ntt(1024, q, kernels="scalar64").kernel_name.startswith("scalar64/")
    catalog = ringlet.kernel_catalog()
    names = {f"{k.table}/{k.algorithm}" for k in catalog if k.operation == "ntt" and k.available}
    assert ringlet.Ntt(1024, q, kernels="").kernel_name in names
    assert "multiply" in {k.operation for k in catalog}
    assert "/" in ringlet.Eltwise(q).kernel_name("multiply")
    refused_call(ringlet.Eltwise(q).kernel_name, "divide")
    for unknown in ("nonsense", "scalar64/nonsense"):
        refused_call(ringlet.Ntt, 1024, q, kernels=unknown, says=["nonsense"])


def test_number_theory():
    primes = ringlet.generate_ntt_primes(30, 1024, 3)
    assert primes == sorted(primes, reverse=True)
    for q in primes:
        assert q.bit_length() == 30 and q % 2048 == 1 and ringlet.is_prime(q)
        root = ringlet.minimal_primitive_root(2048, q)
        assert pow(root, 1024, q) == q - 1
    assert [n for n in range(30) if ringlet.is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    assert not ringlet.is_prime(3215031751)  # a strong pseudoprime to the bases 2, 3, 5 and 7
    for bad in ((1, 1024, 1), (64, 1024, 1), (30, 12, 1), (12, 1024, 100)):
        refused_call(ringlet.generate_ntt_primes, *bad)
    refused_call(ringlet.minimal_primitive_root, 64, 97)


def test_transforms_take_batches(table, rng):
    n, rows = 64, 5
    q = ringlet.generate_ntt_primes(49, n, 1)[0]
    plan = ringlet.Ntt(n, q, kernels=table)
    large = rng.integers(0, q, (rows, 2 * n), dtype=np.uint64)
    for a in (large[:, :n].copy(), large[:, 7 : 7 + n], large[::2, :n], large[:0, :n]):
        before = a.copy()
        single = [plan.forward(row.copy()) for row in before]
        values = plan.forward(a)
        assert values.shape == a.shape and (a == before).all()
        assert all((x == y).all() for x, y in zip(values, single, strict=True))
        assert plan.inverse(values, out=values) is values and (values == before).all()
        assert plan.forward(a, out=a) is a
        assert plan.inverse(a, out=a) is a and (a == before).all()


def test_transforms_take_range_factors(table, rng):
    n = 128
    q = ringlet.generate_ntt_primes(49, n, 1)[0]
    plan = ringlet.Ntt(n, q, kernels=table)
    a = rng.integers(0, q, (2, n), dtype=np.uint64)
    values = plan.forward(a)
    for factor in (2, 4):
        raised = a + rng.integers(0, factor, a.shape, dtype=np.uint64) * np.uint64(q)
        assert (plan.forward(raised, input_mod_factor=factor) == values).all()
        lazy = plan.forward(raised, input_mod_factor=factor, output_mod_factor=4)
        assert (lazy < 4 * q).all() and (lazy % np.uint64(q) == values).all()
    raised = values + rng.integers(0, 2, a.shape, dtype=np.uint64) * np.uint64(q)
    assert (plan.inverse(raised, input_mod_factor=2) == a).all()
    lazy = plan.inverse(raised, input_mod_factor=2, output_mod_factor=2)
    assert (lazy < 2 * q).all() and (lazy % np.uint64(q) == a).all()
    out = np.full(a.shape, 7, dtype=np.uint64)
    for call, factors in (
        (plan.forward, {"input_mod_factor": 3}),
        (plan.forward, {"input_mod_factor": 8}),
        (plan.forward, {"input_mod_factor": -1}),
        (plan.forward, {"output_mod_factor": 2}),
        (plan.inverse, {"input_mod_factor": 4}),
        (plan.inverse, {"output_mod_factor": 4}),
        (plan.inverse, {"output_mod_factor": 2**40}),
    ):
        refused_call(call, a, out, **factors, says=["factor"])
    large = np.full(n, 2 * q, dtype=np.uint64)
    refused_call(plan.forward, large, out[0], input_mod_factor=2, says=["2*q"])
    assert (out == 7).all()


def negacyclic(a, b, q):
    """a * b modulo X^N + 1 by the definition, with Python's integers."""
    n = len(a)
    full = np.concatenate([np.convolve(a.astype(object), b.astype(object)), [0]])
    return [int(x) % q for x in full[:n] - full[n:]]


@pytest.mark.parametrize("degree", [2, 8, 16, 128, 1024])
def test_negacyclic_product(table, degree, rng):
    for q in moduli_of(table, degree):
        plan = ringlet.Ntt(degree, q, kernels=table)
        a, b = rng.integers(0, q, (2, degree), dtype=np.uint64)
        a[0] = b[-1] = q - 1
        expected = negacyclic(a, b, q)
        assert plan.multiply(a, b).tolist() == expected
        assert plan.multiply(a, a).tolist() == negacyclic(a, a, q)
        by_values = ringlet.Eltwise(q).multiply(plan.forward(a), plan.forward(b))
        assert plan.inverse(by_values).tolist() == expected
        assert plan.multiply(a + np.uint64(q), b, input_mod_factor=2).tolist() == expected
        lazy = plan.multiply(a, b, output_mod_factor=2)
        assert (lazy < 2 * q).all() and (lazy % np.uint64(q)).tolist() == expected
        copy = a.copy()
        assert plan.multiply(copy, b, out=copy) is copy and copy.tolist() == expected


def test_negacyclic_product_of_batches(rng):
    n, rows = 64, 5
    q = ringlet.generate_ntt_primes(60, n, 1)[0]
    plan = ringlet.Ntt(n, q)
    large = rng.integers(0, q, (rows, 2 * n), dtype=np.uint64)
    a, b = large[:, :n], large[:, n:]
    before = large.copy()
    product = plan.multiply(a, b)
    assert product.shape == a.shape and (large == before).all()
    assert all((plan.multiply(x, y) == z).all() for x, y, z in zip(a, b, product, strict=True))
    one = np.zeros(n, dtype=np.uint64)
    one[0] = 1
    assert (plan.multiply(a, np.broadcast_to(one, a.shape)) == a).all()
    assert plan.multiply(a, b, out=b) is b and (b == product).all()
    assert (a == before[:, :n]).all()
    out = np.full((rows, n), 7, dtype=np.uint64)
    for x, y in (
        (a, b[:-1]), (a, b[0]), (a[:, :-1], b[:, :-1]), (a, b.astype(np.int64)),
        (a, np.full_like(a, q)),
    ):  # fmt: skip
        refused_call(plan.multiply, x, y, out)
    refused_call(plan.multiply, a, b, out, input_mod_factor=8)
    refused_call(plan.multiply, a, b, out, output_mod_factor=4)
    refused_call(plan.multiply, a[:-1], b[:-1], a[1:])
    assert (out == 7).all() and (a == before[:, :n]).all()


def test_batches_of_transforms_refuse():
    n = 16
    plan = ringlet.Ntt(n, 97)
    good = np.arange(4 * n, dtype=np.uint64).reshape(4, n) % np.uint64(97)
    before = good.copy()
    for a in (
        good.T, good[:, ::2], good[:, :8], good.reshape(2, 2, n), good.astype(np.int64),
        np.full((4, n), 97, dtype=np.uint64),
    ):  # fmt: skip
        refused_call(plan.forward, a)
    for out in (good[::-1], good[:3], good.T, np.broadcast_to(good[0], good.shape)):
        refused_call(plan.forward, good, out=out)
    refused_call(plan.forward, good[:-1], out=good[1:], says=["overlap"])
    assert (good == before).all()
