# SPDX-License-Identifier: Apache-2.0
"""Double words against Python's integers, and everything that is refused."""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Callable

import numpy as np
import pytest
from rich.console import Console

import ringlet
from ringlet import info, wide

SPECIAL = wide.special_primes(124, 1)[0]
GENERAL = wide.ntt_primes(124, 1 << 20, 1)[0]
NARROW = wide.ntt_primes(100, 1 << 20, 1)[0]
LIMIT = 1 << 124
# Prime and composite, of one word and of two, up to the limit.
ODD_MODULI = [3, 97, (1 << 64) - 1, (1 << 64) + 1, NARROW, SPECIAL, GENERAL, LIMIT - 59, LIMIT - 1]
WIDE_KERNELS = [
    f"{k.table}/{k.algorithm}"
    for k in ringlet.kernel_catalog()
    if k.operation == "wide" and k.available
]


def bit_reverse(i: int, bits: int) -> int:
    return int(f"{i:0{bits}b}"[::-1], 2)


def sample(q: int, count: int, seed: int) -> list[int]:
    """Elements of [0, q), the edges first."""
    source = random.Random(seed)
    edges = [q - 1, 0, 1, q - 2, q // 2, min(q - 1, (1 << 64) - 1), min(q - 1, 1 << 64)]
    return (edges + [source.randrange(q) for _ in range(count)])[:count]


def defined_transform(a: list[int], q: int, root: int, ring: str) -> list[int]:
    """The definition: values at powers of the root, in bit-reversed order."""
    n = len(a)
    bits = n.bit_length() - 1
    reversed_places = [bit_reverse(i, bits) for i in range(n)]
    exponents = [2 * i + 1 if ring == "negacyclic" else i for i in reversed_places]
    points = [pow(root, e, q) for e in exponents]
    return [sum(c * pow(x, j, q) for j, c in enumerate(a)) % q for x in points]


def product(a: list[int], b: list[int], q: int, ring: str) -> list[int]:
    """The product of polynomials modulo X^N + 1 or X^N - 1, term by term."""
    n = len(a)
    sign = -1 if ring == "negacyclic" else 1
    result = [0] * n
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            if i + j < n:
                result[i + j] += x * y
            else:
                result[i + j - n] += sign * x * y
    return [value % q for value in result]


def kernels_of(q: int) -> list[str]:
    """The names of the kernels of this processor that take q."""
    names = []
    for name in WIDE_KERNELS:
        try:
            wide.Eltwise(q, kernels=name)
        except ringlet.InvalidArgument:
            continue
        names.append(name)
    return names


def test_integers_and_arrays_are_the_same_elements() -> None:
    values = [0, 1, (1 << 64) - 1, 1 << 64, (1 << 64) + 5, (1 << 128) - 1]
    array = wide.from_integers(values)
    assert array.dtype == np.uint64 and array.shape == (6, 2)
    assert [[int(low), int(high)] for low, high in array] == [
        [v % (1 << 64), v >> 64] for v in values
    ]
    assert wide.to_integers(array) == values
    assert array.flags.writeable and array.flags.c_contiguous
    assert wide.to_integers(wide.from_integers(range(1000))) == list(range(1000))
    assert wide.to_integers(wide.from_integers(np.arange(3, dtype=np.int8))) == [0, 1, 2]
    assert wide.to_integers(wide.from_integers(np.array(values, dtype=object))) == values
    assert wide.to_integers(wide.from_integers(iter(values))) == values
    assert wide.from_integers([]).shape == (0, 2) and wide.to_integers(wide.from_integers([])) == []
    strided = np.zeros((12, 4), dtype=np.uint64)[::2, ::2]
    strided[:] = array
    assert wide.to_integers(strided) == values


@pytest.mark.parametrize("q", ODD_MODULI)
def test_elementwise_is_integer_arithmetic(q: int) -> None:
    kernels = kernels_of(q)
    assert kernels
    for name in kernels:
        plan = wide.Eltwise(q, kernels=name)
        assert plan.kernel_name == name and plan.modulus == q
        for size in (1, 2, 7, 8, 9, 67):
            x = sample(q, size, seed=size)
            y = sample(q, size, seed=size + 1)[::-1]
            scalar = y[-1]
            words = sample(1 << 128, size, seed=3)
            a, b = wide.from_integers(x), wide.from_integers(y)
            for result, expected in (
                (plan.add(a, b), [u + v for u, v in zip(x, y, strict=True)]),
                (plan.subtract(a, b), [u - v for u, v in zip(x, y, strict=True)]),
                (plan.multiply(a, b), [u * v for u, v in zip(x, y, strict=True)]),
                (plan.axpy(scalar, a, b), [scalar * u + v for u, v in zip(x, y, strict=True)]),
                (plan.reduce(wide.from_integers(words)), words),
            ):
                assert wide.to_integers(result) == [v % q for v in expected]
            assert plan.dot(a, b) == sum(u * v for u, v in zip(x, y, strict=True)) % q
            assert wide.to_integers(a) == x and wide.to_integers(b) == y


def test_squares_of_the_largest_element_and_long_sums() -> None:
    for q in (SPECIAL, GENERAL, LIMIT - 1):
        for name in kernels_of(q):
            plan = wide.Eltwise(q, kernels=name)
            a = wide.from_integers([q - 1] * 5000)
            assert set(wide.to_integers(plan.multiply(a, a))) == {1}
            assert plan.dot(a, a) == 5000
            assert set(wide.to_integers(plan.axpy(q - 1, a, a))) == {0}


def test_carry_of_two_full_words() -> None:
    """The low words of 2^64-1 + 2^64-1 carry, and so do sums of the high words below 2^124."""
    full = (1 << 64) - 1
    assert wide.Eltwise(GENERAL).add([full, (1 << 123) - 1], [full, 1]) == [2 * full, 1 << 123]
    slide = wide.Eltwise(wide.SLIDES_MODULI[1].value).add(
        [10584767088513669645227322334904293961], [6244677895615559459255339645556150149]
    )
    assert slide == [1721598893985236639459157817449453831]


def test_sequences_in_sequences_out() -> None:
    plan = wide.Eltwise(97)
    assert plan.add([1, 96], (5, 5)) == [6, 4]
    assert plan.subtract(range(3), [1, 1, 1]) == [96, 0, 1]
    assert plan.multiply([np.uint64(90), True], [90, 90]) == [90 * 90 % 97, 90]
    assert plan.axpy(2, [3], [4]) == [10]
    assert plan.axpy(np.int8(2), [3], [4]) == [10]
    assert plan.reduce([(1 << 128) - 1]) == [((1 << 128) - 1) % 97]
    total = plan.dot([3, 4], [5, 6])
    assert total == 39 and type(total) is int
    assert plan.dot([], []) == 0 and plan.add([], []) == []
    # The first vector says what the result is; `out` comes before it.
    array = wide.from_integers([3, 4])
    assert plan.add([1, 2], array) == [4, 6]
    assert isinstance(plan.add(array, [1, 2]), np.ndarray)
    out = np.zeros((2, 2), dtype=np.uint64)
    assert plan.add([1, 2], [3, 4], out) is out and wide.to_integers(out) == [4, 6]


@pytest.mark.parametrize("ring", ["negacyclic", "cyclic"])
@pytest.mark.parametrize("degree", [16, 32, 64])
def test_transform_is_the_definition(degree: int, ring: str) -> None:
    for q in (NARROW, GENERAL, SPECIAL):
        for name in kernels_of(q):
            plan = wide.Ntt(degree, q, ring=ring, kernels=name)
            assert plan.kernel_name == name
            a = sample(q, degree, seed=degree)
            values = plan.forward(a)
            assert values == defined_transform(a, q, plan.root_of_unity, ring)
            assert plan.inverse(values) == a


def test_root_is_the_smallest_one() -> None:
    q, n = SPECIAL, 16
    for ring, order in (("negacyclic", 2 * n), ("cyclic", n)):
        plan = wide.Ntt(n, q, ring=ring)
        w = plan.root_of_unity
        assert pow(w, order // 2, q) == q - 1
        assert w == min(pow(w, k, q) for k in range(1, order, 2))
        assert (plan.degree, plan.modulus, plan.ring) == (n, q, ring)
        assert plan.table_bytes > 0 and plan.kernel_name in repr(plan) and str(q) in repr(plan)


def test_root_of_the_caller() -> None:
    q, n = GENERAL, 32
    smallest = wide.Ntt(n, q).root_of_unity
    other = pow(smallest, 5, q)
    plan = wide.Ntt(n, q, root=other)
    assert plan.root_of_unity == other
    a = sample(q, n, seed=7)
    assert plan.forward(a) == defined_transform(a, q, other, "negacyclic")
    for root in (1, 0, q - 1, smallest * smallest % q, q, smallest + q, -1, 1 << 130):
        with pytest.raises(ringlet.InvalidArgument, match="root"):
            wide.Ntt(n, q, root=root)


@pytest.mark.parametrize("ring", ["negacyclic", "cyclic"])
def test_product_is_the_convolution(ring: str) -> None:
    for degree in (16, 128):
        for q in (GENERAL, SPECIAL):
            for name in kernels_of(q):
                plan = wide.Ntt(degree, q, ring=ring, kernels=name)
                x, y = sample(q, degree, seed=1), sample(q, degree, seed=2)[::-1]
                a, b = wide.from_integers(x), wide.from_integers(y)
                expected = product(x, y, q, ring)
                assert plan.multiply(x, y) == expected
                assert wide.to_integers(plan.multiply(a, b)) == expected
                square = product(x, x, q, ring)
                assert plan.multiply(x, x) == square
                assert wide.to_integers(plan.multiply(a, a, out=a)) == square
                assert wide.to_integers(plan.multiply(wide.from_integers(x), b, b)) == expected
                assert wide.to_integers(b) == expected


def test_product_by_values() -> None:
    """inverse(forward(a) * forward(b)) is the product, at a length where nobody counts by hand."""
    n, q = 4096, GENERAL
    plan, eltwise = wide.Ntt(n, q), wide.Eltwise(q)
    a = wide.from_integers(sample(q, n, seed=11))
    power = [0] * n
    power[1000] = 3
    b = wide.from_integers(power)
    by_values = plan.inverse(eltwise.multiply(plan.forward(a), plan.forward(b)))
    shifted = wide.to_integers(a)
    expected = [-v for v in shifted[n - 1000 :]] + shifted[: n - 1000]
    assert wide.to_integers(by_values) == [3 * v % q for v in expected]
    assert (plan.multiply(a, b) == by_values).all()


def test_kernels_agree_and_return(rng: np.random.Generator) -> None:
    for q in (GENERAL, SPECIAL):
        for degree in (1 << 10, 1 << 16):
            words = rng.integers(0, 1 << 64, (degree, 2), dtype=np.uint64)
            a = wide.Eltwise(q).reduce(words)
            reference = wide.Ntt(degree, q, kernels="scalar64").forward(a)
            for name in kernels_of(q):
                plan = wide.Ntt(degree, q, kernels=name)
                assert (plan.forward(a) == reference).all(), name
                assert (plan.inverse(reference) == a).all(), name


def test_arrays_are_read_and_written_where_they_are() -> None:
    q, n = GENERAL, 64
    plan, eltwise = wide.Ntt(n, q), wide.Eltwise(q)
    x = sample(q, n, seed=5)
    expected = plan.forward(x)
    backing = np.zeros((2 * n, 2), dtype=np.uint64)
    a, out = backing[:n], backing[n:]
    a[:] = wide.from_integers(x)
    # The words of `out` are in the caller's own memory, behind the operand's.
    assert plan.forward(a, out=out) is out
    assert wide.to_integers(backing[n:]) == expected and wide.to_integers(a) == x
    assert plan.inverse(out, out=out) is out and wide.to_integers(backing[n:]) == x
    for call in (eltwise.add, eltwise.subtract, eltwise.multiply, plan.multiply):
        fresh = call(a, out)
        assert not np.shares_memory(fresh, backing) and fresh.ctypes.data % 64 == 0
        assert call(a, out, out=out) is out and (out == fresh).all()
        out[:] = a
    assert eltwise.axpy(3, a, out, out=a) is a
    assert wide.to_integers(backing[:n]) == [4 * v % q for v in x]
    assert eltwise.reduce(a, out=a) is a


def test_operands_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """What reaches the core is the caller's array itself where its elements are contiguous."""
    plan = wide.Eltwise(97)
    seen: list[np.ndarray] = []

    class Recorder:
        def add(self, a: np.ndarray, b: np.ndarray, out: None, check: bool) -> np.ndarray:
            seen.extend((a, b))
            return a

    monkeypatch.setattr(plan, "_inner", Recorder())
    whole = np.zeros((20, 2), dtype=np.uint64)
    read_only = whole[5:10].copy()
    read_only.flags.writeable = False
    plan.add(whole[5:10], read_only)
    assert np.shares_memory(seen[0], whole) and seen[0].ctypes.data == whole[5:].ctypes.data
    assert np.shares_memory(seen[1], read_only)
    plan.add(whole[::2], whole[::-1][:10])
    assert not any(np.shares_memory(copied, whole) for copied in seen[2:])


def test_other_strides_are_copied() -> None:
    q = GENERAL
    plan = wide.Eltwise(q)
    x, y = sample(q, 9, seed=1), sample(q, 9, seed=2)
    expected = [u * v % q for u, v in zip(x, y, strict=True)]
    a, b = wide.from_integers(x), wide.from_integers(y)
    planes = np.ascontiguousarray(b.T).T
    apart = np.zeros((18, 3), dtype=np.uint64)[::2, :2]
    apart[:] = a
    shifted = np.frombuffer(bytes(1) + a.tobytes(), dtype=np.uint8)[1:].view(np.uint64)
    assert not shifted.flags.aligned
    for first, second in ((apart, b), (a, planes), (a[::-1], b[::-1]), (shifted.reshape(9, 2), b)):
        order = -1 if first.strides[0] < 0 else 1
        assert wide.to_integers(plan.multiply(first, second)) == expected[::order]
    repeated = np.broadcast_to(wide.from_integers([5]), (9, 2))
    assert wide.to_integers(plan.multiply(a, repeated)) == [5 * v % q for v in x]


def test_unchecked_elements_harm_nobody() -> None:
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
        0,
        1,
        2,
        96,
        LIMIT,
        LIMIT + 1,
        1 << 200,
        -5,
        3.5,
        "97",
        None,
        pytest.param(10**5000, id="huge"),
    ],
)
def test_modulus_is_refused(q: object) -> None:
    for call in (wide.Eltwise, lambda q: wide.Ntt(16, q), wide.longest_transform):
        with pytest.raises(ringlet.InvalidArgument) as caught:
            call(q)
        error = caught.value
        assert error.operation.startswith("wide.")
        assert error.offending and error.limit and error.remedy


@pytest.mark.parametrize(
    ("call", "operation", "part", "remedy"),
    [
        (lambda: wide.Ntt(16, 97 * 33), "wide.Ntt", "composite", "wide.ntt_primes"),
        (lambda: wide.Ntt(16, LIMIT - 1), "wide.Ntt", "composite", "wide.ntt_primes"),
        (lambda: wide.Ntt(16, LIMIT - 59), "wide.Ntt", "length 2;", "1 mod 32"),
        (lambda: wide.Ntt(16, LIMIT - 59, "cyclic"), "wide.Ntt", "length 4;", "1 mod 16"),
        (lambda: wide.Ntt(32, LIMIT - 719, "cyclic"), "wide.Ntt", "length 16;", "1 mod 32"),
        (lambda: wide.Ntt(8, SPECIAL), "wide.Ntt", "degree = 8", "power of two"),
        (lambda: wide.Ntt(1 << 21, SPECIAL), "wide.Ntt", "degree = 2097152", "power of two"),
        (lambda: wide.Ntt(48, SPECIAL), "wide.Ntt", "degree = 48", "power of two"),
        (lambda: wide.Ntt(-16, SPECIAL), "wide.Ntt", "degree = -16", "smaller"),
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
        (lambda: wide.Eltwise(97).add([1, 2], [1]), "wide.Eltwise.add", "b has 1", "one length"),
        (lambda: wide.Eltwise(97).add([1], "1"), "wide.Eltwise.add", "b of type str", "one of"),
        (lambda: wide.Ntt(16, SPECIAL).forward([1] * 15), "wide.Ntt.forward", "15", "each power"),
        (
            lambda: wide.Ntt(16, SPECIAL).multiply([1] * 16, [1] * 17),
            "wide.Ntt.multiply",
            "b has 17",
            "one length",
        ),
        (
            lambda: wide.Ntt(16, SPECIAL).inverse([SPECIAL] * 16),
            "wide.Ntt.inverse",
            f"a[0] = {SPECIAL}",
            "reduce",
        ),
    ],
)
def test_refusals(call: Callable[[], object], operation: str, part: str, remedy: str) -> None:
    with pytest.raises(ringlet.InvalidArgument) as caught:
        call()
    error = caught.value
    assert error.operation == operation
    assert part in str(error) and remedy in error.remedy


def test_kernels_are_refused_where_they_do_not_take_the_modulus() -> None:
    with pytest.raises(ringlet.InvalidArgument, match="nonsense"):
        wide.Eltwise(97, kernels="scalar64/nonsense")
    refused = [name for name in WIDE_KERNELS if name not in kernels_of(LIMIT - 1)]
    for name in refused:
        with pytest.raises(ringlet.InvalidArgument, match=name) as caught:
            wide.Ntt(16, GENERAL, kernels=name)
        assert caught.value.limit and caught.value.remedy
    assert set(kernels_of(SPECIAL)) >= set(refused)


@pytest.mark.parametrize("method", ["add", "subtract", "multiply", "axpy", "reduce", "ntt"])
def test_arrays_are_refused_and_nothing_is_written(method: str) -> None:
    n, q = 16, GENERAL
    eltwise, ntt = wide.Eltwise(q), wide.Ntt(n, q)

    def call(a: np.ndarray, out: np.ndarray | None = None) -> object:
        if method == "reduce":
            return eltwise.reduce(a, out)
        if method == "axpy":
            return eltwise.axpy(2, a, a, out)
        if method == "ntt":
            ntt.inverse(a, out)
            ntt.multiply(a, a, out)
            return ntt.forward(a, out)
        return getattr(eltwise, method)(a, a, out)

    backing = wide.from_integers(sample(q, 4 * n, seed=9))
    before = backing.copy()
    good = backing[:n]
    read_only = good.copy()
    read_only.flags.writeable = False
    wrong: list[tuple[object, str]] = [
        (good.astype(np.int64), "int64"),
        (good.astype(np.float64), "float64"),
        (good.astype(">u8"), ">u8"),
        (good.astype(object), "object"),
        (good.reshape(-1), r"\(32,\)"),
        (good.reshape(4, 4, 2), r"\(4, 4, 2\)"),
        (good.reshape(2, 16), r"\(2, 16\)"),
        (np.zeros((), dtype=np.uint64), r"\(\)"),
    ]
    for a, part in wrong:
        with pytest.raises(ringlet.InvalidArgument, match=part) as caught:
            call(a)  # type: ignore[arg-type]
        assert caught.value.remedy
    wrong_results: list[tuple[object, str]] = [
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
    ]
    for out, part in wrong_results:
        if part == "object":
            part = "dtype object"
        with pytest.raises(ringlet.InvalidArgument, match=part) as caught:
            call(good, out)  # type: ignore[arg-type]
        assert caught.value.remedy
    assert (backing == before).all() and (read_only == good).all()


def test_large_elements_are_refused_before_anything_is_written() -> None:
    n, q = 16, GENERAL
    eltwise, ntt = wide.Eltwise(q), wide.Ntt(n, q)
    good = wide.from_integers(sample(q, n, seed=1))
    bad = good.copy()
    bad[-1] = wide.from_integers([q])[0]
    out = np.full((n, 2), 7, dtype=np.uint64)
    for call in (eltwise.add, eltwise.subtract, eltwise.multiply, ntt.multiply):
        with pytest.raises(ringlet.InvalidArgument, match=rf"a\[15\] = {q}"):
            call(bad, good, out)
        with pytest.raises(ringlet.InvalidArgument, match=rf"b\[15\] = {q}"):
            call(good, bad, out)
    for single in (ntt.forward, ntt.inverse):
        with pytest.raises(ringlet.InvalidArgument, match=r"a\[15\]"):
            single(bad, out)
    with pytest.raises(ringlet.InvalidArgument, match=r"b\[15\]"):
        eltwise.axpy(1, good, bad, out)
    assert (out == 7).all()
    assert wide.to_integers(eltwise.reduce(bad))[-1] == 0


def is_probable_prime(n: int) -> bool:
    """Miller and Rabin, to the first twelve prime bases."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        power = pow(base, odd, n)
        if power not in (1, n - 1) and all(
            (power := power * power % n) != n - 1 for _ in range(twos - 1)
        ):
            return False
    return True


def test_primes_are_the_largest_ones() -> None:
    for bits, degree in ((100, 1 << 20), (117, 1024), (124, 2)):
        primes = wide.ntt_primes(bits, degree, 3)
        step = 2 * degree
        candidates = ((1 << bits) - step + 1 - i * step for i in range(1 << 20))
        assert primes == [next(c for c in candidates if is_probable_prime(c)) for _ in range(3)]
        assert all(type(q) is int and q.bit_length() == bits for q in primes)
    primes = wide.special_primes(124, 3)
    ks = ((1 << 20) - 1 - i for i in range(1 << 20))
    numbers = ((k << 104) + 1 for k in ks)
    assert primes == [next(c for c in numbers if is_probable_prime(c)) for _ in range(3)]
    assert wide.ntt_primes(124, 16, 0) == []


def test_longest_transforms() -> None:
    for q in (97, 3, 5, SPECIAL, GENERAL, LIMIT - 59):
        order = (q - 1) & -(q - 1)
        assert wide.longest_transform(q, "cyclic") == order
        assert wide.longest_transform(q) == wide.longest_transform(q, "negacyclic") == order // 2
    found = {modulus.name: modulus.longest_transform("cyclic") for modulus in wide.SLIDES_MODULI}
    assert found == {
        "2^124 - 719": 16,
        "15107846090143992465023504163010990279": 2,
        "2^124 - 59": 4,
    }
    for modulus in wide.SLIDES_MODULI:
        assert is_probable_prime(modulus.value) and modulus.source
        # The product of a power of a name is what it says.
        assert modulus.value == eval(modulus.name.replace("^", "**"))
    q = wide.SLIDES_MODULI[0].value
    a = sample(q, 16, seed=2)
    plan = wide.Ntt(16, q, ring="cyclic")
    assert plan.forward(a) == defined_transform(a, q, plan.root_of_unity, "cyclic")


def test_selection_of_kernels() -> None:
    for q in (GENERAL, SPECIAL):
        for kernels in ("scalar64", "scalar64/shoup128"):
            assert wide.Eltwise(q, kernels=kernels).kernel_name.startswith("scalar64/")
            assert wide.Ntt(16, q, kernels=kernels).kernel_name.startswith("scalar64/")
        best = wide.Eltwise(q, kernels="").kernel_name
        assert best in WIDE_KERNELS and wide.Ntt(16, q, kernels="").kernel_name == best


def test_info_shows_what_is_chosen() -> None:
    choices = dict(info.wide_choices())
    assert next(iter(choices)).startswith("odd q < 2^")
    assert any(moduli.endswith("odd q < 2^124") for moduli in choices)
    for moduli, q in (("odd q < 2^124", GENERAL), ("k*2^104 + 1 < 2^124", SPECIAL)):
        shown = next(kernel for text, kernel in choices.items() if text.endswith(moduli))
        assert shown == wide.Eltwise(q).kernel_name
    console = Console(width=200, record=True, file=io.StringIO())
    info.print_info(console)
    rows = [line for line in console.export_text().splitlines() if " wide " in line]
    for kernel in {k for k in ringlet.kernel_catalog() if k.operation == "wide"}:
        name = f"{kernel.table}/{kernel.algorithm}"
        assert any(name in row and "< 2^124" in row for row in rows), name


def test_the_lock_is_released_and_plans_are_shared() -> None:
    from concurrent.futures import ThreadPoolExecutor

    q = GENERAL
    plan = wide.Ntt(1024, q)
    inputs = [wide.from_integers(sample(q, 1024, seed=i)) for i in range(8)]
    expected = [plan.forward(a) for a in inputs]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(plan.forward, inputs * 4))
    assert all((x == y).all() for x, y in zip(results, expected * 4, strict=True))


def test_results_do_not_leak() -> None:
    a = wide.from_integers([1, 2, 3])
    plan = wide.Eltwise(97)
    count = sys.getrefcount(a)
    for _ in range(100):
        plan.add(a, a)
        plan.add(a, a, a)
        with pytest.raises(ringlet.InvalidArgument):
            plan.add(a, a[:2])
    assert sys.getrefcount(a) == count
