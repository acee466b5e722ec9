# SPDX-License-Identifier: Apache-2.0
"""`ringlet.vector` and `ringlet.Eltwise` against Python's integers: values, shapes, refusals."""

import numpy as np
import pytest
from support import in_threads, refused, refused_call

import ringlet
from ringlet import Comparison, vector

WIDE = (1 << 63) - 25
MODULI = [2, 3, 97, (1 << 50) - 27, (1 << 50) + 4, (1 << 52) - 47, (1 << 62) - 57]
SIZES = [0, 1, 7, 8, 9, 64, 67]

HOLDS = {
    Comparison.EQUAL: lambda x, y: x == y,
    Comparison.LESS: lambda x, y: x < y,
    Comparison.LESS_EQUAL: lambda x, y: x <= y,
    Comparison.NEVER: lambda x, y: False,
    Comparison.NOT_EQUAL: lambda x, y: x != y,
    Comparison.NOT_LESS: lambda x, y: x >= y,
    Comparison.NOT_LESS_EQUAL: lambda x, y: x > y,
    Comparison.ALWAYS: lambda x, y: True,
}


def draw(rng, end, *shape):
    """Values in [0, end) with the last of the range among them."""
    values = rng.integers(0, end, shape, dtype=np.uint64, endpoint=False)
    if values.size:
        values.flat[0] = end - 1
        values.flat[-1] = end - 1 if values.size % 2 else 0
    return values


def integers(array):
    return array.astype(object)


def check(result, expected, q):
    """The result is the expected integers mod q, or mod one modulus per row."""
    moduli = np.array(q, dtype=object).reshape(-1, 1) if isinstance(q, list) else q
    assert result.dtype == np.uint64 and result.shape == expected.shape
    assert (integers(result) == expected % moduli).all()


class Functions:
    """`ringlet.vector` with the calls of an Eltwise modulo q, or modulo one modulus per row."""

    def __init__(self, q):
        self.q = q

    def __getattr__(self, name):
        return lambda *operands: getattr(vector, name)(*operands, self.q)


def check_operations(api, q, rng, *shape):
    """Every operation, with scalars too; products where they are for q."""
    moduli = q if isinstance(q, list) else [q]
    operands = [np.stack([draw(rng, m, *shape) for m in moduli]) for _ in range(3)]
    a, b, c = operands if isinstance(q, list) else (operand[0] for operand in operands)
    words = draw(rng, 1 << 64, *a.shape)
    scalars = [m - 1 for m in moduli]
    s = scalars if isinstance(q, list) else scalars[0]
    t = np.array(scalars, dtype=object).reshape(-1, 1) if isinstance(q, list) else s
    x, y, z = integers(a), integers(b), integers(c)
    check(api.add(a, b), x + y, q)
    check(api.add(a, s), x + t, q)
    check(api.subtract(a, b), x - y, q)
    check(api.subtract(a, s), x - t, q)
    check(api.negate(a), -x, q)
    if max(moduli) >= 1 << 62:
        return
    check(api.multiply(a, b), x * y, q)
    check(api.multiply(a, s), x * t, q)
    check(api.multiply_add(a, b, c), x * y + z, q)
    check(api.multiply_add(a, s, c), x * t + z, q)
    check(api.multiply_accumulate([a, b], [b, c]), x * y + y * z, q)
    check(api.reduce(words), integers(words), q)
    sums = (x * y).sum(axis=-1) % (np.array(q, dtype=object) if isinstance(q, list) else q)
    found = api.dot(a, b)
    assert type(found) is int if a.ndim == 1 else found.dtype == np.uint64
    assert np.shape(found) == np.shape(sums) and np.array_equal(integers(np.array(found)), sums)


@pytest.mark.parametrize("q", [*MODULI, WIDE])
@pytest.mark.parametrize("size", SIZES)
def test_every_operation(q, size, rng):
    check_operations(Functions(q), q, rng, size)


@pytest.mark.parametrize("q", MODULI)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("factor", [2, 4, 8])
def test_products_of_raised_operands(q, size, factor, rng):
    raised = {"input_mod_factor": factor}
    if factor * q >= 1 << 64:
        refused_call(vector.multiply, draw(rng, q, size), 1, q, **raised, says=list(raised))
        return
    a, b, c = (draw(rng, factor * q, size) for _ in range(3))
    x, y, z, s = integers(a), integers(b), integers(c), q - 1
    if factor <= 4:
        check(vector.multiply(a, b, q, **raised), x * y, q)
    check(vector.multiply(a, s, q, **raised), x * s, q)
    check(vector.multiply_add(a, s, c, q, **raised), x * s + z, q)


@pytest.mark.parametrize("q", MODULI)
@pytest.mark.parametrize("size", SIZES)
def test_reductions_of_ranges(q, size, rng):
    for source, target in ((2, 1), (4, 1), (4, 2)):
        if source * q < 1 << 64:
            a = draw(rng, source * q, size)
            reduced = vector.reduce_range(a, q, source, target)
            assert (integers(reduced) < target * q).all()
            assert (integers(reduced) % q == integers(a) % q).all()


@pytest.mark.parametrize("comparison", list(Comparison))
@pytest.mark.parametrize("q", [97, (1 << 50) - 27, (1 << 61) - 1])
def test_comparisons(comparison, q, rng):
    holds = HOLDS[comparison]
    a = draw(rng, 1 << 64, 67)
    for bound in (0, q // 2, int(a[5]), 2**64 - 1):
        where = np.array([holds(int(v), bound) for v in a])
        summand, difference = 2**64 - 3, q - 2
        added = vector.compare_add(a, comparison, bound, summand)
        check(added, integers(a) + summand * where.astype(object), 2**64)
        lowered = vector.compare_subtract(a, comparison, bound, difference, q)
        check(lowered, integers(a) - difference * where.astype(object), q)


@pytest.mark.parametrize("terms", [1, 2, 5, 40])
@pytest.mark.parametrize("q", MODULI)
def test_multiply_accumulate(q, terms, rng):
    a, b = draw(rng, q, terms, 3, 21), draw(rng, q, terms, 3, 21)
    a[:, 1, 2] = b[:, 1, 2] = q - 1
    expected = (integers(a) * integers(b)).sum(axis=0)
    check(vector.multiply_accumulate(a, b, q), expected, q)
    check(vector.multiply_accumulate(list(a), tuple(b), q), expected, q)
    check(vector.multiply_accumulate(a[:, 0], b[:, 0], q), expected[0], q)
    check(vector.multiply_accumulate(list(a[:, 1, :20]), b[:, 1, :20], q), expected[1, :20], q)
    out = a[-1]
    assert vector.multiply_accumulate(a, b, q, out) is out
    check(out, expected, q)


def test_every_operation_takes_batches_with_a_modulus_per_row(rng):
    moduli = [(1 << 50) - 27, 97, (1 << 61) - 1]
    rows, n = len(moduli), 19
    check_operations(Functions(moduli), moduli, rng, n)
    a, b = (np.stack([draw(rng, q, n) for q in moduli]) for _ in range(2))
    x, y = integers(a), integers(b)
    scalars = [q - 2 for q in moduli]
    check(vector.add(a, 96, moduli), x + 96, moduli)
    check(vector.subtract(a, b, tuple(moduli)), x - y, moduli)
    check(vector.multiply(a, b, np.array(moduli, dtype=np.uint64)), x * y, moduli)
    check(vector.reduce_range(a, moduli, 2, 1), x, moduli)
    words = draw(rng, 1 << 64, rows, n)
    lowered = vector.compare_subtract(words, Comparison.ALWAYS, 0, scalars, moduli)
    check(lowered, integers(words) - np.array(scalars, dtype=object).reshape(-1, 1), moduli)
    bounds = [int(row[3]) for row in words]
    added = vector.compare_add(words, Comparison.EQUAL, bounds, 1)
    assert (added - words).sum() == rows
    out = np.empty(rows, dtype=np.uint64)
    assert vector.dot(a, b, moduli, out) is out and (out == vector.dot(a, b, moduli)).all()
    refused_call(vector.multiply, a, 97, moduli, says=["scalar"])  # too large for the second row


def test_rows_may_lie_apart_and_repeat(rng):
    q = (1 << 50) - 27
    large = draw(rng, q, 12, 40)
    views = [large[:, 3:20], large[1::3, 3:20], large[::-1, 20:37], large[5:6, :17], large[:0, :17]]
    for a in views:
        before = a.copy()
        expected = integers(a) * integers(before)
        check(vector.multiply(a, before, q), expected, q)
        out = np.zeros((a.shape[0], 60), dtype=np.uint64)[:, 7:24]
        assert vector.multiply(a, before, q, out=out) is out
        check(out, expected, q)
        assert (a == before).all()
    row = draw(rng, q, 17)
    repeated = np.broadcast_to(row, (12, 17))
    check(vector.multiply(large[:, :17], repeated, q), integers(large[:, :17]) * integers(row), q)


def test_in_place_through_rows_that_lie_apart(rng):
    large = draw(rng, 97, 6, 40)
    before = integers(large)
    left, right = large[:, :20], large[:, 20:]
    # Rows of `left` lie between the rows of `right`.
    assert vector.add(left, right, 97, out=left) is left
    check(left, before[:, :20] + before[:, 20:], 97)
    assert (right == before[:, 20:]).all()


def test_overlap_is_refused_and_changes_nothing():
    a = np.arange(60, dtype=np.uint64).reshape(6, 10)
    flat, before = a.reshape(-1), a.copy()
    for out, operand in (
        (flat[:-1], flat[1:]), (a[:-1], a[1:]), (a, a[::-1]), (a[:, :-1], a[:, 1:]),
        (a[:4], np.broadcast_to(a[1], (4, a.shape[1]))),
        (a[::2], a[:3]),
    ):  # fmt: skip
        refused_call(vector.negate, operand, 97, out, says=["overlap"])
        refused_call(vector.add, operand.copy(), operand, 97, out, says=["overlap"])
        terms = [operand], [operand.copy()]
        refused_call(vector.multiply_accumulate, *terms, 97, out, says=["overlap"])
    assert (a == before).all()


def unaligned_rows():
    raw = np.zeros(3 * 36, dtype=np.uint8)
    return np.ndarray((3, 4), dtype=np.uint64, buffer=raw, strides=(36, 8))


WRONG = {
    "transposed": np.zeros((4, 3), dtype=np.uint64).T,
    "fortran": np.zeros((3, 4), dtype=np.uint64, order="F"),
    "every second column": np.zeros((3, 8), dtype=np.uint64)[:, ::2],
    "rows between words": unaligned_rows(),
    "three dimensions": np.zeros((1, 3, 4), dtype=np.uint64),
    "other shape": np.zeros((4, 3), dtype=np.uint64),
    "one row": np.zeros(4, dtype=np.uint64),
    "int64": np.zeros((3, 4), dtype=np.int64),
    "float64": np.zeros((3, 4)),
    "nested lists": [[0] * 4] * 3,
    "too large a value": np.full((3, 4), 97, dtype=np.uint64),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused_operands_and_outputs(name):
    good = np.zeros((3, 4), dtype=np.uint64)
    out = np.full((3, 4), 7, dtype=np.uint64)
    bad = WRONG[name]
    refused_call(vector.add, good, bad, 97, out)
    refused_call(vector.multiply, good, bad, [97, 89, 83], out)
    refused_call(vector.multiply_add, good, good, bad, 97, out)
    refused_call(vector.multiply_accumulate, [good, good], [good, bad], 97, out)
    refused_call(vector.dot, good, bad, 97)
    assert (out == 7).all()
    if name != "too large a value":
        refused_call(vector.negate, good, 97, out=bad, says=["out"])


def test_refused_scalars_moduli_and_factors():
    a = np.full((3, 4), 5, dtype=np.uint64)
    out = np.full((3, 4), 7, dtype=np.uint64)
    for call in (
        lambda: vector.add(a, 97, 97, out),
        lambda: vector.add(a, -1, 97, out),
        lambda: vector.add(a, 1.5, 97, out),
        lambda: vector.add(a, [1, 2], 97, out),
        lambda: vector.multiply(a, [1, 2, 97], 97, out),
        lambda: vector.multiply(a, a, 97, out, input_mod_factor=8),
        lambda: vector.multiply(a, a, 97, out, input_mod_factor=3),
        lambda: vector.multiply(a, a, 97, out, input_mod_factor=0),
        lambda: vector.multiply(a, a, 97, out, input_mod_factor=2**70),
        lambda: vector.multiply(a, 1, 97, out, input_mod_factor=16),
        lambda: vector.multiply_add(a, a, a, 97, out, input_mod_factor=2),
        lambda: vector.reduce_range(a, 97, 2, 2, out),
        lambda: vector.reduce_range(a, 97, 1, 1, out),
        lambda: vector.compare_subtract(a, Comparison.LESS, 5, 97, 97, out),
        lambda: vector.compare_subtract(a, Comparison.LESS, 2**64, 5, 97, out),
        lambda: vector.add(a, a, 1, out),
        lambda: vector.add(a, a, 1 << 63, out),
        lambda: vector.add(a, a, 97.0, out),
        lambda: vector.add(a, a, [97, 97], out),
        lambda: vector.add(a[0], a[0], [97, 97, 97], out[0]),
        lambda: vector.add(a, a, [], out),
        lambda: vector.multiply(a, a, 1 << 62, out),
        lambda: vector.reduce(a, WIDE, out),
        lambda: vector.multiply_accumulate([], [], 97, out),
        lambda: vector.multiply_accumulate([a], [a, a], 97, out),
        lambda: vector.multiply_accumulate(a[0], a[0], 97, out[0]),
    ):
        refused(call)
    with pytest.raises(TypeError):
        vector.compare_add(a, "<", 5, 5, out)
    with pytest.raises(TypeError):
        vector.add(None, a, 97)
    assert (out == 7).all() and (a == 5).all()


def test_results_are_fresh_or_out():
    a = np.arange(12, dtype=np.uint64).reshape(3, 4)
    fresh = vector.add(a, np.uint64(1), 97)
    assert fresh.flags.c_contiguous and fresh.ctypes.data % 64 == 0 and fresh.shape == a.shape
    assert not np.shares_memory(fresh, a)
    a.flags.writeable = False
    assert (vector.reduce(a, 97) == a).all()
    copy = a.copy()
    assert vector.add(copy, copy, 97, out=copy) is copy
    assert (copy == 2 * a).all()


@pytest.mark.parametrize(
    "q", [2, 3, 97, (1 << 49) - 69, (1 << 50) - 27, 1 << 50, (1 << 61) - 1, (1 << 62) - 1]
)
def test_eltwise_objects_on_every_table(table, q, rng):
    plan = ringlet.Eltwise(q, kernels=table)
    assert plan.modulus == q and plan.moduli == [q]
    for size in (1, 7, 8, 67):
        check_operations(plan, q, rng, 5, size)
    a, c, s = draw(rng, q, 67), draw(rng, q, 67), q - 1
    for by_name, by_type in (
        (plan.add_scalar(a, s), plan.add(a, s)),
        (plan.subtract_scalar(a, s), plan.subtract(a, s)),
        (plan.multiply_scalar(a, s), plan.multiply(a, s)),
        (plan.multiply_scalar_add(a, s, c), plan.multiply_add(a, s, c)),
    ):
        assert (by_name == by_type).all()


def test_eltwise_of_several_moduli():
    several = ringlet.Eltwise([97, 89])
    assert several.moduli == [97, 89] and "2 moduli" in repr(several)
    with pytest.raises(ringlet.LogicError):
        _ = several.modulus


def test_plans_are_kept_within_a_bound():
    a = np.zeros(1, dtype=np.uint64)
    for q in range(2, 2000):
        vector.negate(a, q)
    info = vector._cached_plan.cache_info()
    assert info.currsize == info.maxsize == 256


def test_threads_share_plans(rng):
    q = (1 << 50) - 27
    a, b = draw(rng, q, 8, 512), draw(rng, q, 8, 512)
    expected = vector.multiply(a, b, q)
    zeros = np.zeros(8, dtype=np.uint64)
    wrong = []

    def work(seed):
        for i in range(200):
            vector.negate(zeros, 1000 + (seed * 200 + i) % 300)  # keeps the cache changing
            if not (vector.multiply(a, b, q) == expected).all():
                wrong.append(seed)

    in_threads(work)
    assert not wrong
