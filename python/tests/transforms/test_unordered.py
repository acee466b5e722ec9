# SPDX-License-Identifier: Apache-2.0
"""Values in the order of a kernel, and two transforms at once."""

import numpy as np
import pytest
from support import refused, refused_call

import ringlet

KERNELS = {
    f"{k.table}/{k.algorithm}": k
    for k in ringlet.kernel_catalog()
    if k.operation == "ntt" and k.available
}
WIDE_Q = ringlet.generate_ntt_primes(45, 1 << 12, 1)[0]
NARROW_Q = ringlet.generate_ntt_primes(29, 1 << 12, 1)[0]


def modulus_of(kernel):
    """A prime that the kernel takes."""
    return WIDE_Q if WIDE_Q < KERNELS[kernel].modulus_limit else NARROW_Q


def plan_of(kernel, degree):
    """A plan of that degree, or of the smallest that the kernel takes."""
    degree = max(degree, KERNELS[kernel].min_degree)
    return ringlet.Ntt(degree, modulus_of(kernel), kernels=kernel)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("degree", [64, 512, 2048])
def test_unordered_is_the_transform_after_reordering(kernel, degree, rng):
    plan, q = plan_of(kernel, degree), modulus_of(kernel)
    a = rng.integers(0, q, (3, plan.degree), dtype=np.uint64)
    values = plan.forward_unordered(a)
    assert values.order == plan.unordered_order
    assert values.array.shape == a.shape
    assert (plan.to_bit_reversed(values) == plan.forward(a)).all()
    assert (plan.from_bit_reversed(plan.forward(a)).array == values.array).all()
    assert (plan.inverse_unordered(values) == a).all()
    lazy = plan.forward_unordered(a + np.uint64(q), input_mod_factor=2, output_mod_factor=4)
    assert (lazy.array < 4 * q).all() and (lazy.array % np.uint64(q) == values.array).all()
    row = plan.forward_unordered(a[1])
    assert (row.array == values.array[1]).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_unordered_products(kernel, rng):
    plan, q = plan_of(kernel, 128), modulus_of(kernel)
    a, b = rng.integers(0, q, (2, 2, plan.degree), dtype=np.uint64)
    x, y = plan.forward_unordered(a), plan.forward_unordered(b, output_mod_factor=4)
    product = plan.multiply_unordered(x, y, input_mod_factor=4)
    expected = plan.multiply(a, b)
    assert (plan.inverse_unordered(product) == expected).all()
    in_place = plan.multiply_unordered(x, y, out=x.array, input_mod_factor=4)
    assert in_place.array is x.array and (x.array == product.array).all()
    assert plan.inverse_unordered(in_place, out=x.array) is x.array
    assert (x.array == expected).all()
    total = ringlet.Eltwise(q).add(plan.forward_unordered(a).array, plan.forward_unordered(b).array)
    back = plan.inverse_unordered(plan.as_unordered(total))
    assert (back == (a + b) % np.uint64(q)).all()


def test_orders_are_values():
    n = 64
    portable = ringlet.Ntt(n, WIDE_Q, kernels="scalar64").unordered_order
    assert portable.is_bit_reversed and portable.name == "bit-reversed" and portable.degree == n
    other = ringlet.Ntt(n, ringlet.generate_ntt_primes(40, n, 1)[0], kernels="scalar64")
    assert other.unordered_order == portable and hash(other.unordered_order) == hash(portable)
    assert ringlet.Ntt(2 * n, WIDE_Q, kernels="scalar64").unordered_order != portable
    orders = {plan_of(kernel, n).unordered_order for kernel in KERNELS}
    for order in orders:
        assert order.name == "bit-reversed" or order.name in KERNELS
        assert order.name in repr(order) and str(order.degree) in repr(order)
    assert portable != "bit-reversed"


def test_other_orders_are_refused():
    n = 64
    plans = [plan_of(kernel, degree) for kernel in KERNELS for degree in (n, 2 * n)]
    for plan in plans:
        out = np.full(plan.degree, 7, dtype=np.uint64)
        own = plan.as_unordered(np.zeros(plan.degree, dtype=np.uint64))
        for other in plans:
            if other.unordered_order == plan.unordered_order:
                continue
            foreign = other.as_unordered(np.zeros(other.degree, dtype=np.uint64))
            name = foreign.order.name
            refused_call(plan.inverse_unordered, foreign, out, says=[name])
            refused_call(plan.to_bit_reversed, foreign, out, says=[name])
            refused_call(plan.multiply_unordered, foreign, own, out, says=["a in ", name])
            refused_call(plan.multiply_unordered, own, foreign, out, says=["b in ", name])
        assert (out == 7).all()


def test_unordered_refuses_wrong_arrays():
    n = 16
    plan = ringlet.Ntt(n, 97)
    good = np.arange(4 * n, dtype=np.uint64).reshape(4, n) % np.uint64(97)
    before = good.copy()
    values = plan.as_unordered(good[1])
    for call in (
        lambda: plan.forward_unordered(good[:, :8]),
        lambda: plan.forward_unordered(good.astype(np.int64)),
        lambda: plan.forward_unordered(np.full(n, 97, dtype=np.uint64)),
        lambda: plan.forward_unordered(good[:-1], good[1:]),
        lambda: plan.forward_unordered(good, input_mod_factor=3),
        lambda: plan.inverse_unordered(values, good[0, :8]),
        lambda: plan.inverse_unordered(values, good.reshape(-1)[n - 1 : 2 * n - 1]),
        lambda: plan.inverse_unordered(values, output_mod_factor=4),
        lambda: plan.multiply_unordered(values, plan.as_unordered(good)),
        lambda: plan.multiply_unordered(values, values, good.reshape(-1)[1 : n + 1]),
        lambda: plan.multiply_unordered(values, values, good[0], input_mod_factor=8),
        lambda: plan.as_unordered(good.T),
        lambda: plan.from_bit_reversed(good[:, :8]),
        lambda: plan.to_bit_reversed(values, good),
    ):
        refused(call)
    assert (good == before).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_two_at_once_have_the_bits_of_two_calls(kernel, rng):
    for degree in (64, 1024):
        plan, q = plan_of(kernel, degree), modulus_of(kernel)
        a, b = rng.integers(0, q, (2, 3, plan.degree), dtype=np.uint64)
        x, y = plan.forward_two(a, b)
        assert (x == plan.forward(a)).all() and (y == plan.forward(b)).all()
        u, v = plan.inverse_two(x, y, out=(x, y))
        assert u is x and v is y and (u == a).all() and (v == b).all()
        raised = a + np.uint64(q)
        x, y = plan.forward_two(raised[0], b[0], input_mod_factor=2, output_mod_factor=4)
        assert (x == plan.forward(raised[0], input_mod_factor=2, output_mod_factor=4)).all()
        assert (y == plan.forward(b[0], input_mod_factor=2, output_mod_factor=4)).all()
        x, y = plan.forward_two(a, a)
        assert (x == y).all()


def test_two_at_once_refuse():
    n = 16
    plan = ringlet.Ntt(n, 97)
    words = np.arange(6 * n, dtype=np.uint64) % np.uint64(97)
    before = words.copy()
    a, b, x, y = (words[i * n : (i + 1) * n] for i in range(4))
    large = np.full(n, 97, dtype=np.uint64)
    for call in (plan.forward_two, plan.inverse_two):
        for arguments in (
            (a, b, x), (a, b, (x,)), (a, b, (x, x)), (a, b, (x, words[2 * n + 1 : 3 * n + 1])),
            (a, b, (b, x)), (a, b, (x, a)), (a, b, (b, a)), (a, a, (a, x)),
            (a, b, (words[1 : n + 1], y)), (a, b[:8], (x, y)),
            (a, words[: 2 * n].reshape(2, n), (x, y)), (a, large, (x, y)), (large, b, (x, y)),
            (a, b, (x, y[:8])), (a, b, 7),
        ):  # fmt: skip
            refused_call(call, *arguments)
        refused_call(call, a, b, (x, y), input_mod_factor=3, says=["factor"])
    assert (words == before).all()
