# SPDX-License-Identifier: Apache-2.0
"""Arrays of the wrong kind are refused, never converted, and change nothing."""

from __future__ import annotations

import numpy as np
import pytest

import ringlet

DEGREE = 64
Q = ringlet.generate_ntt_primes(40, DEGREE, 1)[0]


def good() -> np.ndarray:
    return np.arange(DEGREE, dtype=np.uint64)


def unaligned() -> np.ndarray:
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
def test_transform_refuses_operand(name: str, direction: str) -> None:
    plan = ringlet.Ntt(DEGREE, Q)
    out = np.full(DEGREE, 7, dtype=np.uint64)
    with pytest.raises(ringlet.InvalidArgument) as caught:
        getattr(plan, direction)(WRONG_INPUTS[name], out=out)
    error = caught.value
    assert error.operation == f"Ntt.{direction}"
    assert error.offending.startswith("a ")
    assert error.limit and error.remedy
    assert (out == 7).all()


def read_only() -> np.ndarray:
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
def test_refuses_output(name: str) -> None:
    out = WRONG_OUTPUTS[name]
    before = list(np.asarray(out).ravel())
    for call in (ringlet.Ntt(DEGREE, Q).forward, ringlet.Eltwise(Q).negate):
        with pytest.raises(ringlet.InvalidArgument) as caught:
            call(good(), out=out)
        assert caught.value.offending.startswith("out ")
    assert list(np.asarray(out).ravel()) == before


def test_partial_overlap_is_refused_and_changes_nothing() -> None:
    shared = np.arange(DEGREE + 1, dtype=np.uint64)
    for call in (ringlet.Ntt(DEGREE, Q).forward, ringlet.Eltwise(Q).negate):
        with pytest.raises(ringlet.InvalidArgument, match="overlap"):
            call(shared[:-1], out=shared[1:])
    assert (shared == np.arange(DEGREE + 1)).all()


@pytest.mark.parametrize(
    ("operation", "extra"),
    [("add", 1), ("subtract", 1), ("multiply", 1), ("multiply_add", 2)],
)
@pytest.mark.parametrize("name", [n for n in WRONG_INPUTS if n != "list"])
def test_elementwise_refuses_each_operand(operation: str, extra: int, name: str) -> None:
    plan = ringlet.Eltwise(Q)
    # A single array of another length is right by itself, and wrong beside the others.
    for position in range(1 + extra):
        operands = [good() for _ in range(1 + extra)]
        operands[position] = WRONG_INPUTS[name]
        with pytest.raises(ringlet.InvalidArgument) as caught:
            getattr(plan, operation)(*operands)
        assert operation in caught.value.operation


def test_in_place_and_out_give_the_same(rng: np.random.Generator) -> None:
    plan = ringlet.Ntt(DEGREE, Q)
    a = rng.integers(0, Q, DEGREE, dtype=np.uint64)
    fresh = plan.forward(a)
    out = np.empty_like(a)
    assert plan.forward(a, out=out) is out
    copy = a.copy()
    assert plan.forward(copy, out=copy) is copy
    assert (fresh == out).all() and (fresh == copy).all()
    assert fresh.dtype == np.uint64 and fresh.flags.c_contiguous and fresh.ctypes.data % 64 == 0


def test_read_only_operand_is_taken() -> None:
    assert (ringlet.Eltwise(Q).reduce(read_only()) == good()).all()


def test_empty_vectors_are_taken() -> None:
    empty = np.empty(0, dtype=np.uint64)
    assert ringlet.Eltwise(Q).add(empty, empty).shape == (0,)


def test_none_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        ringlet.Ntt(DEGREE, Q).forward(None)
