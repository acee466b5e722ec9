# SPDX-License-Identifier: Apache-2.0
"""Calls in any order, with operands of any kind: a result is that of the numbers, or refused.

RINGLET_TEST_SCALE=large runs 10,000 sequences of calls of every scheme instead of 60.
"""

import copy
import operator
import os
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import EXACT_SETS, toy

from ringlet import bfv, bgv, ckks, fv
from ringlet.errors import RingletError

EXAMPLES = 10_000 if os.environ.get("RINGLET_TEST_SCALE") == "large" else 60
SETTINGS = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
LARGEST = 2.0**12  # number of CKKS: the modulus of the last level is 2^15 times the scale
OPERATORS = [operator.add, operator.sub, operator.mul]
STRANGE = [None, "1", 10**30, float("nan"), float("inf"), [], [[1, 2], [3, 4]], [1, 2, 3], object()]

SETS = [
    (ckks, "toy"),
    *((scheme, name) for scheme in (bfv, bgv) for name in (*EXACT_SETS, "secure")),
]


class World:
    """A key, and the numbers of what it encrypts."""

    def __init__(self, scheme, name):
        self.is_ckks = scheme is ckks
        if name == "secure":
            self.secret = scheme.SecretContext(scheme.Parameters(8192))
        else:
            sizes = {"data_bits": [55, 40, 40, 40]} if self.is_ckks else EXACT_SETS[name]
            self.secret = toy(scheme, **sizes)
        self.public = self.secret.public()
        self.t = None if self.is_ckks else self.secret.parameters.plain_modulus
        # CKKS has one row of slots, the others two.
        count = self.secret.slot_count
        self.shape = (count,) if self.is_ckks else (2, count // 2)

    def clear(self, values):
        """What `values` mean in all slots."""
        array = np.asarray(values, dtype=np.float64 if self.is_ckks else object)
        filled = np.zeros(self.shape, array.dtype)
        if array.ndim == 0:
            filled[...] = array
        else:
            filled.flat[: array.size] = array.ravel()
        return self.reduced(filled)

    def reduced(self, numbers):
        return numbers if self.is_ckks else numbers % self.t

    def expect(self, encrypted, numbers, calls):
        try:
            found = self.secret.decrypt(encrypted, **({} if self.is_ckks else {"check": True}))
        except RingletError:
            return  # the noise is as large as the modulus, and decryption detects it
        if self.is_ckks:
            error = np.max(np.abs(found - numbers))
            # A scale below the noise shows that a caller rescaled too often.
            bound = 1e-4 * max(1.0, np.max(np.abs(numbers))) + 2.0**12 / encrypted.scale
            assert error <= bound, (calls, error)
        else:
            assert np.array_equal(found.reshape(self.shape) % self.t, numbers), calls


@pytest.fixture(scope="module", params=SETS, ids=lambda one: f"{one[0].__name__[8:]}-{one[1]}")
def world(request):
    return World(*request.param)


def numbers(world):
    """Arrays and single numbers as users have them, of lengths that fit and that do not."""
    size = world.shape[-1] * len(world.shape)
    if world.is_ckks:
        real = st.floats(-2, 2, width=32)
    else:
        real = st.one_of(st.integers(-100, 100), st.integers(-(world.t // 2), world.t - 1))
    # Entries repeat, because hypothesis draws lists of thousands number by number.
    lengths = st.sampled_from([size, size, world.shape[-1], 1, 3, size + 1])
    few = st.lists(real, min_size=1, max_size=64)
    arrays = st.tuples(few, lengths).map(lambda drawn: np.resize(*drawn))
    as_lists = arrays.map(lambda a: a.tolist())
    return st.one_of(real, arrays, as_lists, arrays.map(lambda a: a[::-1]))


def rotated(array, steps):
    return np.roll(array, -steps, axis=-1)


def unary(world, draw):
    """A call of one ciphertext, and what it does to numbers."""
    row = world.shape[-1]
    steps = draw(st.integers(-row - 1, row + 1))
    power = draw(st.integers(-1, 5))
    level = draw(st.integers(-1, 4))
    calls = [
        (f"** {power}", lambda x: x**power, lambda a: a**power),
        ("-", operator.neg, operator.neg),
        ("square", lambda x: x.square(), lambda a: a * a),
        ("relinearize", lambda x: x.relinearize(), lambda a: a),
        ("down", lambda x: x.mod_switch_to_next(), lambda a: a),
        (f"to {level}", lambda x: x.mod_switch_to(level), lambda a: a),
        ("bytes", lambda x: world.public.load_ciphertext(x.to_bytes()), lambda a: a),
        ("pickle", lambda x: world.public.bind(pickle.loads(pickle.dumps(x))), lambda a: a),
        ("copy", copy.deepcopy, lambda a: a),
    ]
    if world.is_ckks:
        calls += [
            ("rescale", lambda x: x.rescale(), lambda a: a),
            ("conjugate", lambda x: x.conjugate(), lambda a: a),
            (f"rotate {steps}", lambda x: x.rotate(steps), lambda a: rotated(a, steps)),
        ]
    else:
        calls += [
            ("swap", lambda x: x.swap_rows(), lambda a: a[::-1]),
            (f"rotate {steps}", lambda x: x.rotate_rows(steps), lambda a: rotated(a, steps)),
        ]
    return draw(st.sampled_from(calls))


def binary(world, draw, pool):
    """A call of a ciphertext and something else: another one, numbers, a plaintext, a stranger."""
    kind = draw(st.sampled_from(["ciphertext", "numbers", "plaintext", "matrix", "strange"]))
    call = draw(st.sampled_from(OPERATORS))
    if kind == "ciphertext":
        other, clear = draw(st.sampled_from(pool))
        name = draw(st.sampled_from(["", "add", "subtract", "multiply"]))
        if not name:
            return call.__name__, lambda x: call(x, other), lambda a: call(a, clear)
        call = OPERATORS[["add", "subtract", "multiply"].index(name)]
        return name, lambda x: getattr(x, name)(other), lambda a: call(a, clear)
    if kind == "matrix":
        rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
        count = rows * columns
        entries = draw(st.lists(st.integers(-2, 2), min_size=count, max_size=count))
        matrix = np.array(entries).reshape(rows, columns) * (0.5 if world.is_ckks else 1)

        def times(a):
            result = np.zeros_like(a)
            result[..., :rows] = a[..., :columns] @ matrix.T
            return result

        return f"{matrix.tolist()} @", lambda x: matrix @ x, times
    other = draw(st.sampled_from(STRANGE) if kind == "strange" else numbers(world))

    def apply(a):
        return call(a, world.clear(other))

    if kind == "plaintext":
        return f"{call.__name__} plain", lambda x: call(x, world.public.encode(other)), apply
    if draw(st.booleans()):
        return f"{call.__name__} {other}", lambda x: call(x, other), apply
    name = f"{other} {call.__name__}"
    return name, lambda x: call(other, x), lambda a: call(world.clear(other), a)


@SETTINGS
@given(data=st.data())
def test_results_are_right_or_refused(world, data):
    pool = []
    for _ in range(2):
        values = data.draw(numbers(world).filter(lambda v: np.size(v) <= np.prod(world.shape)))
        side = data.draw(st.sampled_from([world.public, world.secret]))
        pool.append((world.public.bind(side.encrypt(values)), world.clear(values)))
    calls = []
    for _ in range(data.draw(st.integers(1, 8))):
        encrypted, clear = data.draw(st.sampled_from(pool))
        name, call, on_numbers = (
            unary(world, data.draw) if data.draw(st.booleans()) else binary(world, data.draw, pool)
        )
        calls.append(name)
        try:
            result = call(encrypted)
        except (RingletError, TypeError):
            continue
        expected = world.reduced(on_numbers(clear))
        if world.is_ckks and np.max(np.abs(expected)) > LARGEST:
            continue
        world.expect(result, expected, calls)
        pool.append((result, expected))
    for encrypted, clear in pool:
        world.expect(encrypted, clear, [*calls, "an operand changed"])


class FvWorld:
    """A key of FV, and what belongs to other keys or is no ciphertext."""

    def __init__(self, index, bits):
        self.context = fv.Context(fv.Parameters(index, modulus_bits=bits), security="none")
        self.secret = fv.SecretKey.generate(self.context)
        self.public = self.secret.public_key()
        foreign = fv.Context(fv.Parameters(index, modulus_bits=bits + 1), security="none")
        keys = [fv.SecretKey.generate(context) for context in (self.context, foreign)]
        self.strangers = [*(key.public_key().encrypt([1]) for key in keys), None, 1, b"", "1"]

    def draw_call(self, draw, pool):
        """A call, the bits and the number of terms of its result; None where it must be refused."""
        a, bits, terms = draw(st.sampled_from(pool))
        b, others, more = draw(st.sampled_from(pool))
        row = np.array(
            draw(st.lists(st.integers(0, 1), max_size=self.context.slot_count + 1)),
            dtype=draw(st.sampled_from([bool, np.uint8, np.int64])),
        )
        fits = row.size <= self.context.slot_count
        fresh = np.pad(row, (0, self.context.slot_count - row.size)) if fits else None
        stranger = draw(st.sampled_from(self.strangers))
        file = a.to_bytes()
        place = draw(st.integers(0, len(file) - 1))
        damaged = (
            file[:place] + bytes([file[place] ^ draw(st.integers(1, 255))]) + file[place + 1 :]
        )
        load = fv.Ciphertext.from_bytes
        key = self.public.to_bytes()
        calls = [
            *[("add", lambda: a + b, bits ^ others, terms + more)] * 4,
            ("encrypt", lambda: self.public.encrypt(row), fresh, 1),
            ("encrypt rows", lambda: self.public.encrypt(np.stack([row, row]))[1], fresh, 1),
            ("bytes", lambda: load(self.context, file), bits, terms),
            ("key", lambda: fv.PublicKey.from_bytes(self.context, key).encrypt(row), fresh, 1),
            ("cut bytes", lambda: load(self.context, file[:place]), None, 0),
            ("damaged bytes", lambda: load(self.context, damaged), None, 0),
            ("no bits", lambda: self.public.encrypt([*row.tolist(), 2]), None, 0),
            ("+ stranger", lambda: a + stranger, None, 0),
            ("stranger +", lambda: stranger + a, None, 0),
            ("decrypt stranger", lambda: self.secret.decrypt(stranger), None, 0),
        ]
        return draw(st.sampled_from(calls))


@pytest.fixture(scope="module", params=[(255, 60), (15, 13)])  # the second set allows few sums
def fv_world(request):
    return FvWorld(*request.param)


@SETTINGS
@given(data=st.data())
def test_bits_of_fv_are_right_or_refused(fv_world, data):
    zeros = np.zeros(fv_world.context.slot_count, dtype=np.int64)
    pool = [(fv_world.public.encrypt([]), zeros, 1)]
    calls = []
    for _ in range(data.draw(st.integers(1, 12))):
        name, call, bits, terms = fv_world.draw_call(data.draw, pool)
        calls.append(name)
        try:
            result = call()
        except (RingletError, TypeError):
            assert bits is None, (calls, "refused")
            continue
        assert bits is not None, (calls, "accepted")
        pool.append((result, bits, terms))
    for encrypted, bits, terms in pool:
        if terms <= fv_world.context.max_additions:
            assert np.array_equal(fv_world.secret.decrypt(encrypted), bits), calls
