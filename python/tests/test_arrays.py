# SPDX-License-Identifier: Apache-2.0
"""Arrays of words and of half words: what is refused is never converted, and changes nothing."""

import numpy as np
import pytest
from support import SCHEMES, refused, refused_call, toy

import ringlet
from ringlet import Circuit, fv

DEGREE = 64
Q = ringlet.generate_ntt_primes(40, DEGREE, 1)[0]


def good():
    return np.arange(DEGREE, dtype=np.uint64)


def unaligned():
    raw = np.zeros(DEGREE * 8 + 1, dtype=np.uint8)
    return raw[1:].view(np.uint64)


WRONG_INPUTS = {
    "int64": good().astype(np.int64),
    "uint32": good().astype(np.uint32),
    "float64": good().astype(np.float64),
    "bool": good().astype(bool),
    "object": good().astype(object),
    "structured": np.zeros(DEGREE, dtype=[("a", np.uint64)]),
    "big-endian": good().astype(">u8"),
    "strided": np.arange(2 * DEGREE, dtype=np.uint64)[::2],
    "reversed": good()[::-1],
    "two dimensions": good().reshape(8, 8),
    "no dimension": np.array(5, dtype=np.uint64),
    "unaligned": unaligned(),
    "too short": good()[:-1],
    "too long": np.arange(DEGREE + 1, dtype=np.uint64),
    "empty": np.empty(0, dtype=np.uint64),
    "list": list(range(DEGREE)),
    "text": "0123",
    "bytes": bytes(8 * DEGREE),
    "value q": np.full(DEGREE, Q, dtype=np.uint64),
    "value 2^64 - 1": np.full(DEGREE, 2**64 - 1, dtype=np.uint64),
}


@pytest.mark.parametrize("direction", ["forward", "inverse"])
@pytest.mark.parametrize("name", WRONG_INPUTS)
def test_transform_refuses_operand(name, direction):
    out = np.full(DEGREE, 7, dtype=np.uint64)
    error = refused_call(getattr(ringlet.Ntt(DEGREE, Q), direction), WRONG_INPUTS[name], out=out)
    assert error.operation == f"Ntt.{direction}" and error.offending.startswith("a ")
    assert (out == 7).all()


def test_refused_arrays_may_be_resized():
    """Nobody holds their memory."""
    array = bytearray(8 * DEGREE)
    refused_call(ringlet.Ntt(DEGREE, Q).forward, array)
    array.append(0)


def read_only():
    array = good()
    array.flags.writeable = False
    return array


WRONG_OUTPUTS = {
    "read-only": read_only(),
    "int64": good().astype(np.int64),
    "big-endian": good().astype(">u8"),
    "strided": np.arange(2 * DEGREE, dtype=np.uint64)[::2],
    "two dimensions": good().reshape(8, 8),
    "too short": good()[:-1],
    "unaligned": unaligned(),
    "list": [0] * DEGREE,
}


@pytest.mark.parametrize("name", WRONG_OUTPUTS)
def test_refuses_output(name):
    out = WRONG_OUTPUTS[name]
    before = list(np.asarray(out).ravel())
    for call in (ringlet.Ntt(DEGREE, Q).forward, ringlet.Eltwise(Q).negate):
        assert refused_call(call, good(), out=out).offending.startswith("out ")
    assert list(np.asarray(out).ravel()) == before


def test_partial_overlap_is_refused_and_changes_nothing():
    shared = np.arange(DEGREE + 1, dtype=np.uint64)
    for call in (ringlet.Ntt(DEGREE, Q).forward, ringlet.Eltwise(Q).negate):
        refused_call(call, shared[:-1], out=shared[1:], says=["overlap"])
    assert (shared == np.arange(DEGREE + 1)).all()


@pytest.mark.parametrize(
    ("operation", "extra"), [("add", 1), ("subtract", 1), ("multiply", 1), ("multiply_add", 2)]
)
@pytest.mark.parametrize("name", [n for n in WRONG_INPUTS if n != "list"])
def test_elementwise_refuses_each_operand(operation, extra, name):
    plan = ringlet.Eltwise(Q)
    # A single array of another length is valid alone, but not beside the others.
    for position in range(1 + extra):
        operands = [good() for _ in range(1 + extra)]
        operands[position] = WRONG_INPUTS[name]
        error = refused_call(getattr(plan, operation), *operands)
        assert operation in error.operation


def test_in_place_and_out_give_the_same(rng):
    plan = ringlet.Ntt(DEGREE, Q)
    a = rng.integers(0, Q, DEGREE, dtype=np.uint64)
    fresh = plan.forward(a)
    out = np.empty_like(a)
    assert plan.forward(a, out=out) is out
    copy = a.copy()
    assert plan.forward(copy, out=copy) is copy
    assert (fresh == out).all() and (fresh == copy).all()
    assert fresh.dtype == np.uint64 and fresh.flags.c_contiguous and fresh.ctypes.data % 64 == 0


def test_what_is_taken_and_what_is_no_array():
    assert (ringlet.Eltwise(Q).reduce(read_only()) == good()).all()
    empty = np.empty(0, dtype=np.uint64)
    assert ringlet.Eltwise(Q).add(empty, empty).shape == (0,)
    with pytest.raises(TypeError):
        ringlet.Ntt(DEGREE, Q).forward(None)


N = 256


@pytest.mark.parametrize("bits", [20, 28, 29, 30, 31, 32])
def test_half_words_have_the_values_of_words(table, bits, rng):
    q = ringlet.generate_ntt_primes(bits, N, 1)[0]
    plan = ringlet.Ntt(N, q, kernels=table)
    a = rng.integers(0, q, N, dtype=np.uint64)
    a[:3] = (q - 1, 0, q // 2)
    half = a.astype(np.uint32)
    for transform in (plan.forward, plan.inverse):
        result = transform(half)
        assert result.dtype == np.uint32
        assert (result == transform(a)).all() and (half == a).all()
        in_place = half.copy()
        assert transform(in_place, out=in_place) is in_place and (in_place == result).all()
    assert (plan.inverse(plan.forward(half)) == half).all()


def test_half_words_in_rows_and_with_range_factors(rng):
    q = ringlet.generate_ntt_primes(29, N, 1)[0]
    plan = ringlet.Ntt(N, q)
    rows = rng.integers(0, 4 * q, (3, N), dtype=np.uint64)
    out = np.zeros((3, N), dtype=np.uint32)
    assert plan.forward(rows.astype(np.uint32), out=out, input_mod_factor=4) is out
    assert (out == plan.forward(rows % q)).all()
    apart = rows.astype(np.uint32)[::-2]
    assert (plan.forward(apart, input_mod_factor=4) == out[::-2]).all()


GOOD = np.arange(N, dtype=np.uint32)
READ_ONLY = np.zeros(N, dtype=np.uint32)
READ_ONLY.flags.writeable = False
SHARED = np.zeros(N + 4, dtype=np.uint32)
REFUSED = {
    "too short": ({"a": GOOD[:-1]}, "a "),
    "three dimensions": ({"a": GOOD.reshape(1, 1, N)}, "a "),
    "strided": ({"a": np.arange(2 * N, dtype=np.uint32)[::2]}, "a "),
    "big-endian": ({"a": GOOD.astype(">u4")}, "a "),
    "value q": ({"a": np.full(N, 7681, dtype=np.uint32)}, "a holds a value"),
    "out of uint64": ({"a": GOOD, "out": np.zeros(N, dtype=np.uint64)}, "out "),
    "out read-only": ({"a": GOOD, "out": READ_ONLY}, "out "),
    "out too long": ({"a": GOOD, "out": np.zeros(N + 1, dtype=np.uint32)}, "out "),
    "overlap": ({"a": SHARED[:N], "out": SHARED[4:]}, "out and a overlap"),
    "another factor": ({"a": GOOD, "input_mod_factor": 3}, "input_mod_factor = 3"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_half_words_are_refused_and_left_alone(name):
    arguments, offending = REFUSED[name]
    arrays = [x for x in arguments.values() if isinstance(x, np.ndarray)]
    before = [x.copy() for x in arrays]
    error = refused_call(ringlet.Ntt(N, 7681).forward, **arguments)
    assert error.operation == "Ntt.forward"
    assert error.offending.startswith(offending)
    assert all((array == copy).all() for array, copy in zip(arrays, before, strict=True))


def test_values_that_do_not_fit_half_words_are_refused():
    for bits, options in ((33, {}), (32, {"input_mod_factor": 2})):
        plan = ringlet.Ntt(N, ringlet.generate_ntt_primes(bits, N, 1)[0])
        refused_call(plan.forward, GOOD, **options, says=["2^32"])


def masked_uses():
    masked = np.ma.array([1, 2, 3], mask=[False, True, False], dtype=np.uint64)
    for scheme in SCHEMES:
        public = toy(scheme, [40, 40]).public(rotations=[1])
        x = public.encrypt([1, 2, 3])
        for call in (public.encrypt, public.encode, x.add, x.__mul__, x.__rsub__):
            yield lambda call=call: call(masked)
            yield lambda call=call: call([masked[0], masked[1]])
        yield lambda x=x: masked * x
        yield lambda x=x: np.ma.array(np.eye(3), mask=np.eye(3)) @ x
    yield lambda: masked + Circuit(4).input()
    yield lambda: Circuit(4).input() * [1, np.ma.masked]
    yield lambda: ringlet.Eltwise(97).add(masked, masked.filled(0))
    yield lambda: fv.PublicKey.encrypt(None, masked)


def test_masked_elements_are_refused():
    for call in masked_uses():
        refused(call, "masked elements", "filled")
    unmasked = np.ma.array([1, 2, 3], dtype=np.uint64)
    assert ringlet.Eltwise(97).add(unmasked, unmasked).tolist() == [2, 4, 6]


def test_no_error_quotes_numbers():
    secret, value = toy(ringlet.ckks, [40, 40]), Circuit(4).input()
    table = [[2468, 1], [1]]
    for call in (
        lambda: value * table,
        lambda: value * np.array(["2468"]),
        lambda: value * np.array([2**63 + 2468], dtype=np.uint64),
        lambda: secret.encrypt(table),
        lambda: secret.encrypt([2468, np.inf]),
        lambda: secret.encrypt(2468e30),
        lambda: secret.public(rotations=[]).encrypt(1).add({2468}),
        lambda: fv.PublicKey.encrypt(None, table),
        lambda: fv.PublicKey.encrypt(None, [2468]),
    ):
        assert "2468" not in str(refused(call)) and str(2**63 + 2468) not in str(refused(call))
