# SPDX-License-Identifier: Apache-2.0
"""What ringlet.wide refuses, and that nothing is written then."""

import numpy as np
import pytest
from double_words import GENERAL, LIMIT, SPECIAL, WIDE_KERNELS, kernels_of, sample
from support import refused, refused_call

from ringlet import wide


def test_unchecked_elements_harm_nobody():
    n = 64
    for q in (GENERAL, SPECIAL):
        largest = np.full((n, 2), (1 << 64) - 1, dtype=np.uint64)
        good = wide.from_integers(sample(q, n, seed=1))
        backing = np.full((n + 2, 2), 7, dtype=np.uint64)
        out = backing[1:-1]
        for name in kernels_of(q):
            plan, ntt = wide.Eltwise(q, kernels=name), wide.Ntt(n, q, kernels=name)
            for call in (plan.add, plan.subtract, plan.multiply, ntt.multiply):
                assert call(largest, good, out, check=False) is out
            plan.axpy(2, largest, good, out, check=False)
            plan.dot(largest, good, check=False)
            ntt.inverse(ntt.forward(largest, out, check=False), out, check=False)
            assert (backing[[0, -1]] == 7).all()
            for call in (plan.add, plan.subtract, plan.multiply, ntt.multiply):
                assert (call(good, good, check=False) == call(good, good)).all()


@pytest.mark.parametrize(
    "q",
    [
        0, 1, 2, 96, LIMIT, LIMIT + 1, 1 << 200, -5, 3.5, "97", None,
        pytest.param(10**5000, id="huge"),
    ],
)  # fmt: skip
def test_modulus_is_refused(q):
    for call in (wide.Eltwise, lambda q: wide.Ntt(16, q), wide.longest_transform):
        assert refused_call(call, q).operation.startswith("wide.")


@pytest.mark.parametrize(
    ("call", "operation", "part", "remedy"),
    [
        (lambda: wide.Ntt(16, 97 * 33), "wide.Ntt", "composite", "generate a wide prime"),
        (lambda: wide.Ntt(16, LIMIT - 1), "wide.Ntt", "composite", "generate a wide prime"),
        (lambda: wide.Ntt(16, LIMIT - 59), "wide.Ntt", "length 2;", "1 mod 32"),
        (lambda: wide.Ntt(16, LIMIT - 59, "cyclic"), "wide.Ntt", "length 4;", "1 mod 16"),
        (lambda: wide.Ntt(32, LIMIT - 719, "cyclic"), "wide.Ntt", "length 16;", "1 mod 32"),
        (lambda: wide.Ntt(8, SPECIAL), "wide.Ntt", "degree = 8", "power of two"),
        (lambda: wide.Ntt(1 << 21, SPECIAL), "wide.Ntt", "degree = 2097152", "power of two"),
        (lambda: wide.Ntt(48, SPECIAL), "wide.Ntt", "degree = 48", "power of two"),
        (lambda: wide.Ntt(-16, SPECIAL), "wide.Ntt", "degree = -16", "in that range"),
        (lambda: wide.Ntt(16.0, SPECIAL), "wide.Ntt", "degree of type float", "int()"),
        (lambda: wide.Ntt(16, SPECIAL, ring="twisted"), "wide.Ntt", "'twisted'", "one of these"),
        (lambda: wide.Ntt(16, SPECIAL, ring=None), "wide.Ntt", "NoneType", "str"),
        (lambda: wide.Ntt(16, SPECIAL, root="2"), "wide.Ntt", "root of type str", "int()"),
        (lambda: wide.longest_transform(15), "wide.longest_transform", "composite", "prime"),
        (lambda: wide.longest_transform(97, "x"), "wide.longest_transform", "'x'", "one of"),
        (lambda: wide.ntt_primes(99, 16), "wide.ntt_primes", "bits = 99", "range"),
        (lambda: wide.ntt_primes(125, 16), "wide.ntt_primes", "bits = 125", "range"),
        (lambda: wide.ntt_primes(124, 17), "wide.ntt_primes", "degree = 17", "power of two"),
        (lambda: wide.ntt_primes(124, 16, 1001), "wide.ntt_primes", "count = 1001", "fewer"),
        (lambda: wide.special_primes(105), "wide.special_primes", "bits = 105", "range"),
        (lambda: wide.special_primes(106, 9), "wide.special_primes", "count = 9", "more bits"),
        (lambda: wide.ntt_primes(124, None), "wide.ntt_primes", "degree of type None", "int()"),
        (lambda: wide.from_integers(5), "wide.from_integers", "type int", "one of"),
        (lambda: wide.from_integers([1, 1 << 128]), "wide.from_integers", "values[1]", "% q"),
        (lambda: wide.from_integers([-1]), "wide.from_integers", "negative", "% q"),
        (lambda: wide.from_integers([1, 2.0]), "wide.from_integers", "values[1]", "integers"),
        (lambda: wide.to_integers([1]), "wide.to_integers", "list", "from_integers"),
        (lambda: wide.to_integers(np.zeros((2, 3))), "wide.to_integers", "(2, 3)", "from_integers"),
        (lambda: wide.Eltwise(97, kernels=5), "wide.Eltwise", "kernels of type int", "str"),
        (lambda: wide.Eltwise(97).axpy(97, [1], [1]), "wide.Eltwise.axpy", "= 97", "scalar % q"),
        (lambda: wide.Eltwise(97).axpy(-1, [1], [1]), "wide.Eltwise.axpy", "= -1", "scalar % q"),
        (
            lambda: wide.Eltwise(97).axpy("x", [1], [1]),
            "wide.Eltwise.axpy",
            "scalar of type str",
            "int()",
        ),
        (lambda: wide.Eltwise(97).add([1, 97], [1, 1]), "wide.Eltwise.add", "a[1] = 97", "reduce"),
        (lambda: wide.Eltwise(97).dot([1], [98]), "wide.Eltwise.dot", "b[0] = 98", "reduce"),
        (lambda: wide.Eltwise(97).add([1, 2], [1]), "wide.Eltwise.add", "b has 1", "same length"),
        (lambda: wide.Eltwise(97).add([1], "1"), "wide.Eltwise.add", "b of type str", "one of"),
        (lambda: wide.Ntt(16, SPECIAL).forward([1] * 15), "wide.Ntt.forward", "15", "each power"),
        (
            lambda: wide.Ntt(16, SPECIAL).multiply([1] * 16, [1] * 17),
            "wide.Ntt.multiply",
            "b has 17",
            "same length",
        ),
        (
            lambda: wide.Ntt(16, SPECIAL).inverse([SPECIAL] * 16),
            "wide.Ntt.inverse",
            f"a[0] = {SPECIAL}",
            "reduce",
        ),
    ],
)
def test_refusals(call, operation, part, remedy):
    error = refused(call, part)
    assert error.operation == operation and remedy in error.remedy


def test_kernels_are_refused_where_they_do_not_take_the_modulus():
    refused_call(wide.Eltwise, 97, kernels="scalar64/nonsense", says=["nonsense"])
    unfit = [name for name in WIDE_KERNELS if name not in kernels_of(LIMIT - 1)]
    for name in unfit:
        refused_call(wide.Ntt, 16, GENERAL, kernels=name, says=[name])
    assert set(kernels_of(SPECIAL)) >= set(unfit)


@pytest.mark.parametrize(
    "method", ["add", "subtract", "multiply", "axpy", "reduce", "inverse", "product", "forward"]
)
def test_arrays_are_refused_and_nothing_is_written(method):
    n, q = 16, GENERAL
    eltwise, ntt = wide.Eltwise(q), wide.Ntt(n, q)
    call = {
        "reduce": lambda a, out=None: eltwise.reduce(a, out),
        "axpy": lambda a, out=None: eltwise.axpy(2, a, a, out),
        "inverse": lambda a, out=None: ntt.inverse(a, out),
        "product": lambda a, out=None: ntt.multiply(a, a, out),
        "forward": lambda a, out=None: ntt.forward(a, out),
    }.get(method, lambda a, out=None: getattr(eltwise, method)(a, a, out))
    backing = wide.from_integers(sample(q, 4 * n, seed=9))
    before = backing.copy()
    good = backing[:n]
    read_only = good.copy()
    read_only.flags.writeable = False
    wrong = [
        (good.astype(np.int64), "int64"),
        (good.astype(np.float64), "float64"),
        (good.astype(">u8"), ">u8"),
        (good.astype(object), "object"),
        (good.reshape(-1), "(32,)"),
        (good.reshape(4, 4, 2), "(4, 4, 2)"),
        (good.reshape(2, 16), "(2, 16)"),
        (np.zeros((), dtype=np.uint64), "()"),
    ]
    for a, part in wrong:
        refused_call(call, a, says=[part])
    for out, part in (
        *wrong,
        (read_only, "read-only"),
        (backing[n : 3 * n : 2], "gaps"),
        (backing.reshape(-1, 4)[:n, :2], "gaps"),
        (backing.reshape(-1, 4)[:n, ::2], "stride"),
        (backing[n : 2 * n][::-1], "gaps"),
        (backing[n : 2 * n - 1], "15 elements"),
        (backing[1 : n + 1], "overlap"),
        (backing.reshape(-1)[1 : 2 * n + 1].reshape(n, 2), "overlap"),
        ([0] * n, "list"),
    ):
        refused_call(call, good, out, says=["dtype object" if part == "object" else part])
    assert (backing == before).all() and (read_only == good).all()


def test_large_elements_are_refused_before_anything_is_written():
    n, q = 16, GENERAL
    eltwise, ntt = wide.Eltwise(q), wide.Ntt(n, q)
    good = wide.from_integers(sample(q, n, seed=1))
    bad = good.copy()
    bad[-1] = wide.from_integers([q])[0]
    out = np.full((n, 2), 7, dtype=np.uint64)
    for call in (eltwise.add, eltwise.subtract, eltwise.multiply, ntt.multiply):
        refused_call(call, bad, good, out, says=[f"a[15] = {q}"])
        refused_call(call, good, bad, out, says=[f"b[15] = {q}"])
    refused_call(ntt.forward, bad, out, says=["a[15]"])
    refused_call(ntt.inverse, bad, out, says=["a[15]"])
    refused_call(eltwise.axpy, 1, good, bad, out, says=["b[15]"])
    assert (out == 7).all()
    assert wide.to_integers(eltwise.reduce(bad))[-1] == 0
