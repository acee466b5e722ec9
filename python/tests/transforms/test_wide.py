# SPDX-License-Identifier: Apache-2.0
"""Double words against Python's integers."""

import io
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from double_words import (
    GENERAL,
    LIMIT,
    NARROW,
    ODD_MODULI,
    SPECIAL,
    WIDE_KERNELS,
    defined_transform,
    is_probable_prime,
    kernels_of,
    product,
    sample,
)
from rich.console import Console
from support import refused_call

import ringlet
from ringlet import info, wide

PAGE = Path(__file__).parents[3] / "docs" / "wide.md"


def test_integers_and_arrays_are_the_same_elements():
    values = [0, 1, (1 << 64) - 1, 1 << 64, (1 << 64) + 5, (1 << 128) - 1]
    array = wide.from_integers(values)
    assert array.dtype == np.uint64 and array.shape == (6, 2)
    assert array.tolist() == [[v % (1 << 64), v >> 64] for v in values]
    assert array.flags.writeable and array.flags.c_contiguous
    strided = np.zeros((12, 4), dtype=np.uint64)[::2, ::2]
    strided[:] = array
    for same in (values, np.array(values, dtype=object), iter(values), strided):
        taken = same if same is strided else wide.from_integers(same)
        assert wide.to_integers(taken) == values
    for same in (range(1000), np.arange(3, dtype=np.int8), []):
        assert wide.to_integers(wide.from_integers(same)) == list(same)
    assert wide.from_integers([]).shape == (0, 2)


@pytest.mark.parametrize("q", ODD_MODULI)
def test_elementwise_is_integer_arithmetic(q):
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


def test_squares_of_the_largest_element_and_long_sums():
    for q in (SPECIAL, GENERAL, LIMIT - 1):
        for name in kernels_of(q):
            plan = wide.Eltwise(q, kernels=name)
            a = wide.from_integers([q - 1] * 5000)
            assert set(wide.to_integers(plan.multiply(a, a))) == {1}
            assert plan.dot(a, a) == 5000
            assert set(wide.to_integers(plan.axpy(q - 1, a, a))) == {0}


def test_carry_of_two_full_words():
    """The low words of 2^64-1 + 2^64-1 carry, and so do sums of the high words below 2^124."""
    full = (1 << 64) - 1
    assert wide.Eltwise(GENERAL).add([full, (1 << 123) - 1], [full, 1]) == [2 * full, 1 << 123]
    slide = wide.Eltwise(wide.SLIDES_MODULI[1].value).add(
        [10584767088513669645227322334904293961], [6244677895615559459255339645556150149]
    )
    assert slide == [1721598893985236639459157817449453831]


def test_sequences_in_sequences_out():
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
    # The first vector decides the type of the result, unless `out` is given.
    array = wide.from_integers([3, 4])
    assert plan.add([1, 2], array) == [4, 6]
    assert isinstance(plan.add(array, [1, 2]), np.ndarray)
    out = np.zeros((2, 2), dtype=np.uint64)
    assert plan.add([1, 2], [3, 4], out) is out and wide.to_integers(out) == [4, 6]


@pytest.mark.parametrize("ring", ["negacyclic", "cyclic"])
@pytest.mark.parametrize("degree", [16, 32, 64])
def test_transform_is_the_definition(degree, ring):
    for q in (NARROW, GENERAL, SPECIAL):
        for name in kernels_of(q):
            plan = wide.Ntt(degree, q, ring=ring, kernels=name)
            assert plan.kernel_name == name
            a = sample(q, degree, seed=degree)
            values = plan.forward(a)
            assert values == defined_transform(a, q, plan.root_of_unity, ring)
            assert plan.inverse(values) == a


def test_root_is_the_smallest_one():
    q, n = SPECIAL, 16
    for ring, order in (("negacyclic", 2 * n), ("cyclic", n)):
        plan = wide.Ntt(n, q, ring=ring)
        w = plan.root_of_unity
        assert pow(w, order // 2, q) == q - 1
        assert w == min(pow(w, k, q) for k in range(1, order, 2))
        assert (plan.degree, plan.modulus, plan.ring) == (n, q, ring)
        assert plan.table_bytes > 0 and plan.kernel_name in repr(plan) and str(q) in repr(plan)


def test_root_of_the_caller():
    q, n = GENERAL, 32
    smallest = wide.Ntt(n, q).root_of_unity
    other = pow(smallest, 5, q)
    plan = wide.Ntt(n, q, root=other)
    assert plan.root_of_unity == other
    a = sample(q, n, seed=7)
    assert plan.forward(a) == defined_transform(a, q, other, "negacyclic")
    for root in (1, 0, q - 1, smallest * smallest % q, q, smallest + q, -1, 1 << 130):
        refused_call(wide.Ntt, n, q, root=root, says=["root"])


@pytest.mark.parametrize("ring", ["negacyclic", "cyclic"])
def test_product_is_the_convolution(ring):
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


def test_product_by_values():
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


def test_kernels_agree_and_return(rng):
    for q in (GENERAL, SPECIAL):
        for degree in (1 << 10, 1 << 16):
            words = rng.integers(0, 1 << 64, (degree, 2), dtype=np.uint64)
            a = wide.Eltwise(q).reduce(words)
            reference = wide.Ntt(degree, q, kernels="scalar64").forward(a)
            for name in kernels_of(q):
                plan = wide.Ntt(degree, q, kernels=name)
                assert (plan.forward(a) == reference).all(), name
                assert (plan.inverse(reference) == a).all(), name


def test_arrays_are_read_and_written_where_they_are():
    q, n = GENERAL, 64
    plan, eltwise = wide.Ntt(n, q), wide.Eltwise(q)
    x = sample(q, n, seed=5)
    expected = plan.forward(x)
    backing = np.zeros((2 * n, 2), dtype=np.uint64)
    a, out = backing[:n], backing[n:]
    a[:] = wide.from_integers(x)
    # The words of `out` are in the caller's memory, after those of the operand.
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


def test_operands_are_not_copied(monkeypatch):
    """What reaches the core is the caller's array itself where its elements are contiguous."""
    plan = wide.Eltwise(97)
    seen = []

    class Recorder:
        def add(self, a, b, out, check):
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


def test_other_strides_are_copied():
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


def test_primes_are_the_largest_ones():
    for primes, step in (
        (wide.ntt_primes(117, 1024, 3), 2048),
        (wide.special_primes(117, 3), 1 << 104),
    ):
        candidates = ((1 << 117) - step + 1 - i * step for i in range(1 << 20))
        assert primes == [next(c for c in candidates if is_probable_prime(c)) for _ in range(3)]
        assert all(type(q) is int for q in primes)
    assert wide.ntt_primes(124, 16, 0) == []


def test_longest_transforms():
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
        base, _, rest = modulus.name.partition("^124 - ")
        assert modulus.value == (int(base) ** 124 - int(rest) if rest else int(base))
    q = wide.SLIDES_MODULI[0].value
    a = sample(q, 16, seed=2)
    plan = wide.Ntt(16, q, ring="cyclic")
    assert plan.forward(a) == defined_transform(a, q, plan.root_of_unity, "cyclic")


def test_selection_of_kernels():
    for q in (GENERAL, SPECIAL):
        for kernels in ("scalar64", "scalar64/shoup128"):
            assert wide.Eltwise(q, kernels=kernels).kernel_name.startswith("scalar64/")
            assert wide.Ntt(16, q, kernels=kernels).kernel_name.startswith("scalar64/")
        best = wide.Eltwise(q, kernels="").kernel_name
        assert best in WIDE_KERNELS and wide.Ntt(16, q, kernels="").kernel_name == best


def test_info_shows_what_is_chosen():
    choices = dict(info.wide_choices())
    assert next(iter(choices)).startswith("odd q < 2^")
    assert any(moduli.endswith("odd q < 2^124") for moduli in choices)
    for moduli, q in (("odd q < 2^124", GENERAL), ("k*2^104 + 1 < 2^124", SPECIAL)):
        shown = next(kernel for text, kernel in choices.items() if text.endswith(moduli))
        assert shown == wide.Eltwise(q).kernel_name
    console = Console(width=200, record=True, file=io.StringIO())
    info.print_info(console, with_kernels=True)
    rows = [line for line in console.export_text().splitlines() if " wide " in line]
    for kernel in {k for k in ringlet.kernel_catalog() if k.operation == "wide"}:
        name = f"{kernel.table}/{kernel.algorithm}"
        assert any(name in row and "< 2^124" in row for row in rows), name


def test_the_page_s_table_of_moduli():
    for modulus in wide.SLIDES_MODULI:
        longest = [modulus.longest_transform(ring) for ring in ("cyclic", "negacyclic")]
        assert f"| {modulus.name} | {longest[0]} | {longest[1]} |" in PAGE.read_text()


def test_the_lock_is_released_and_plans_are_shared():
    q = GENERAL
    plan = wide.Ntt(1024, q)
    inputs = [wide.from_integers(sample(q, 1024, seed=i)) for i in range(8)]
    expected = [plan.forward(a) for a in inputs]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(plan.forward, inputs * 4))
    assert all((x == y).all() for x, y in zip(results, expected * 4, strict=True))


def test_results_do_not_leak():
    a = wide.from_integers([1, 2, 3])
    plan = wide.Eltwise(97)
    count = sys.getrefcount(a)
    for _ in range(100):
        plan.add(a, a)
        plan.add(a, a, a)
        with pytest.raises(ringlet.InvalidArgument):  # a stored error would keep arrays alive
            plan.add(a, a[:2])
    assert sys.getrefcount(a) == count
