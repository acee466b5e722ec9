# SPDX-License-Identifier: Apache-2.0
"""The NumPy calls that work on encrypted arrays, beside NumPy on random shapes.

RINGLET_TEST_SHAPES sets how many shapes each call has on an engine without encryption, with numbers
of its schemes in turn: 200 in `make test`, 5,000 in `make test-long`. RINGLET_TEST_ENCRYPTED sets
how many each scheme has encrypted: 2 and 200.
"""

import functools
import os
import zlib

import numpy as np
import pytest
from array_cases import CASES
from array_draws import Draw
from plain_engine import PlainEngine
from support import toy

import ringlet
from ringlet.arrays import Layout
from ringlet.arrays.layout import FIRST, REPEATED, Dimension

PLAIN = int(os.environ.get("RINGLET_TEST_SHAPES", 200))
ENCRYPTED = int(os.environ.get("RINGLET_TEST_ENCRYPTED", 2))
CASE = pytest.mark.parametrize("case", CASES, ids=[case.text for case in CASES])
LEVELS = 9


def random_layout(d, shape, slots):
    """Rows, columns, or any dimensions that fit."""
    kind = d.integer(0, 3)
    if kind < 2:
        return (Layout.rows, Layout.columns)[kind](shape, slots)
    dimensions, room = [], slots
    for axis in d.rng.permutation([*range(len(shape)), FIRST, REPEATED]).tolist():
        extent = min(room, 1 << d.integer(0, 3))
        room //= extent
        dimensions.append(Dimension(extent, axis))
    return Layout.of(shape, dimensions)


def compared(case, d, numbers, arrays, decrypt, tolerance):
    """Calls with NumPy's arrays and with encrypted ones, and compares."""
    expected = case.call(d.again(), *numbers)
    result = case.call(d.again(), *arrays)
    if not isinstance(expected, list):
        expected, result = [expected], [result]
    assert len(result) == len(expected)
    for got, wanted in zip(result, expected, strict=True):
        assert got.shape == wanted.shape, (got.shape, wanted.shape)
        assert (got.dtype.kind == "c") == (wanted.dtype.kind == "c"), (got.dtype, wanted.dtype)
        decrypted = decrypt(got)
        assert np.allclose(decrypted, wanted, tolerance, tolerance), (decrypted, wanted)
    return result


def plain_operand(d, engine, x):
    """An array of the numbers, at times with anything in its padding. At times all numbers of a
    ciphertext become 0, which needs none."""
    layout = random_layout(d, x.shape, engine.slots)
    has_hole = d.integer(0, 7) == 0
    if has_hole:
        indices = layout.index_map()[d.integer(0, layout.block_count - 1)]
        x.reshape(-1)[indices[indices >= 0]] = 0
    padding = 0 if has_hole or d.integer(0, 3) else 7
    return engine.encrypt(x, layout, padding)


def plain_call(case, d):
    engine = PlainEngine(d.scheme, d.of(8, 16))
    numbers = case.operands(d)
    arrays = [plain_operand(d, engine, x) for x in numbers]
    try:
        compared(case, d, numbers, arrays, engine.decrypt, 1e-9)
    except Exception as error:
        has_hole = any(None in array.blocks for array in arrays)
        if not (has_hole and "a ciphertext of" in str(error)):
            print(case.text, d.seed, d.scheme, *arrays, sep="\n")
            raise


@CASE
def test_call_as_in_numpy(case, seed):
    for n in range(PLAIN):
        number = [seed, zlib.crc32(case.text.encode()), n]
        plain_call(case, Draw(number, case.schemes[n % len(case.schemes)]))


@functools.cache
def client(name):
    scheme = getattr(ringlet, name)
    return scheme.Client(secret=toy(scheme, [50] + [40] * LEVELS, degree=64))


@CASE
def test_call_encrypted(case, seed):
    for n in range(ENCRYPTED):
        for name in case.schemes:
            number = [seed, zlib.crc32(case.text.encode()), n]
            d = Draw(number, name)
            numbers = case.operands(d)
            layouts = [random_layout(d, x.shape, client(name).slots) for x in numbers]
            encrypt = client(name).encrypt
            arrays = [encrypt(x, layout=y) for x, y in zip(numbers, layouts, strict=True)]
            try:
                compared(case, d, numbers, arrays, client(name).decrypt, 1e-3)
            except Exception:
                print(case.text, number, name, *arrays, sep="\n")
                raise


def test_powers_take_few_products_and_levels():
    for exponent in (1, 2, 3, 6, 7, 8, 100, 1 << 20):
        engine = PlainEngine("ckks", 8)
        power = engine.encrypt(np.ones(3), Layout.rows((3,), 8)) ** exponent
        assert power.depth == (exponent - 1).bit_length()
