# SPDX-License-Identifier: Apache-2.0
"""Transforms of arrays of uint32: the values of uint64 arrays, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import ringlet

DEGREE = 256


def primes() -> list[int]:
    return [ringlet.generate_ntt_primes(bits, DEGREE, 1)[0] for bits in (20, 28, 29, 30, 31, 32)]


@pytest.mark.parametrize("q", primes())
def test_values_are_those_of_uint64(table: str, q: int, rng: np.random.Generator) -> None:
    plan = ringlet.Ntt(DEGREE, q, kernels=table)
    a = rng.integers(0, q, DEGREE, dtype=np.uint64)
    a[:3] = (q - 1, 0, q // 2)
    half = a.astype(np.uint32)
    for name in ("forward", "inverse"):
        transform = getattr(plan, name)
        result = transform(half)
        assert result.dtype == np.uint32
        assert (result == transform(a)).all()
        assert (half == a).all()
        in_place = half.copy()
        assert transform(in_place, out=in_place) is in_place
        assert (in_place == result).all()
    assert (plan.inverse(plan.forward(half)) == half).all()


def test_rows_and_range_factors(rng: np.random.Generator) -> None:
    q = ringlet.generate_ntt_primes(29, DEGREE, 1)[0]
    plan = ringlet.Ntt(DEGREE, q)
    rows = rng.integers(0, 4 * q, (3, DEGREE), dtype=np.uint64)
    out = np.zeros((3, DEGREE), dtype=np.uint32)
    assert plan.forward(rows.astype(np.uint32), out=out, input_mod_factor=4) is out
    assert (out == plan.forward(rows % q)).all()


GOOD = np.arange(DEGREE, dtype=np.uint32)
READ_ONLY = np.zeros(DEGREE, dtype=np.uint32)
READ_ONLY.flags.writeable = False
SHARED = np.zeros(DEGREE + 4, dtype=np.uint32)

REFUSED = {
    "too short": ({"a": GOOD[:-1]}, "a "),
    "three dimensions": ({"a": GOOD.reshape(1, 1, DEGREE)}, "a "),
    "strided": ({"a": np.arange(2 * DEGREE, dtype=np.uint32)[::2]}, "a "),
    "big-endian": ({"a": GOOD.astype(">u4")}, "a "),
    "value q": ({"a": np.full(DEGREE, 7681, dtype=np.uint32)}, "a holds a value"),
    "out of uint64": ({"a": GOOD, "out": np.zeros(DEGREE, dtype=np.uint64)}, "out "),
    "out read-only": ({"a": GOOD, "out": READ_ONLY}, "out "),
    "out too long": ({"a": GOOD, "out": np.zeros(DEGREE + 1, dtype=np.uint32)}, "out "),
    "overlap": ({"a": SHARED[:DEGREE], "out": SHARED[4:]}, "out and a overlap"),
    "another factor": ({"a": GOOD, "input_mod_factor": 3}, "input_mod_factor = 3"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_arrays_are_refused_and_left_alone(name: str) -> None:
    arguments, offending = REFUSED[name]
    plan = ringlet.Ntt(DEGREE, 7681)
    arrays = [x for x in arguments.values() if isinstance(x, np.ndarray)]
    before = [x.copy() for x in arrays]
    with pytest.raises(ringlet.InvalidArgument) as caught:
        plan.forward(**arguments)
    # The library below the package refuses factors, for arrays of uint64 too.
    operation = "Ntt::forward" if name == "another factor" else "Ntt.forward"
    assert caught.value.operation == operation
    assert caught.value.offending.startswith(offending)
    for array, copy in zip(arrays, before):
        assert (array == copy).all()


def test_values_that_do_not_fit_are_refused() -> None:
    wide = ringlet.Ntt(DEGREE, ringlet.generate_ntt_primes(33, DEGREE, 1)[0])
    with pytest.raises(ringlet.InvalidArgument, match="2\\^32"):
        wide.forward(GOOD)
    narrow = ringlet.Ntt(DEGREE, ringlet.generate_ntt_primes(32, DEGREE, 1)[0])
    with pytest.raises(ringlet.InvalidArgument, match="2\\^32"):
        narrow.forward(GOOD, input_mod_factor=2)
