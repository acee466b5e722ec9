# SPDX-License-Identifier: Apache-2.0
"""BFV and BGV over Phi_m: bits in slots, their operations against NumPy, and what is refused."""

import pickle

import numpy as np
import pytest
from support import refused, refused_call

from ringlet import bfv, bgv, ckks
from ringlet.errors import LogicError, OutOfRange

RINGS = [10773, 8191]
SHAPES = {10773: [18, 6], 8191: [630]}


@pytest.fixture(scope="module", params=[(s, m) for s in (bfv, bgv) for m in RINGS], ids=str)
def secret(request):
    scheme, index = request.param
    return scheme.SecretContext(scheme.Parameters(ring=index))


@pytest.fixture(scope="module")
def public(secret):
    return secret.public()


def random_bits(secret, seed):
    return np.random.default_rng(seed).integers(0, 2, secret.slot_count)


def test_shape_of_slots(secret, public):
    [index] = [m for m in RINGS if f"ring={m}" in repr(secret.parameters)]
    assert secret.slot_shape == SHAPES[index] == public.slot_shape
    assert secret.slot_count == np.prod(SHAPES[index]) and secret.uses_batching
    assert secret.parameters.plain_modulus == 2


def test_and_xor_not(secret, public):
    a, b = random_bits(secret, 1), random_bits(secret, 2)
    x, y = public.bind(secret.encrypt(a)), public.bind(secret.encrypt(b))
    assert np.array_equal(secret.decrypt(x + y), a ^ b)
    assert np.array_equal(secret.decrypt(x - y), a ^ b)
    assert np.array_equal(secret.decrypt(x * y), a & b)
    assert np.array_equal(secret.decrypt(1 + x), 1 - a)
    assert np.array_equal(secret.decrypt(x * b), a & b)
    assert np.array_equal(secret.decrypt(x + b), a ^ b)
    assert np.array_equal(secret.decrypt((x + y) * (1 + x * y)), (a ^ b) & (1 - (a & b)))


def test_bits_are_never_negative_and_missing_ones_are_zero(secret):
    ones = np.ones(secret.slot_count, dtype=np.int64)
    for is_signed in (True, False):
        assert np.array_equal(secret.decrypt(secret.encrypt(ones), signed=is_signed), ones)
    decrypted = secret.decrypt(secret.encrypt([1, 0, 1]))
    assert decrypted[:3].tolist() == [1, 0, 1] and not decrypted[3:].any()
    assert not secret.decode(secret.encode([])).any() and secret.decode(secret.encode(1)).all()


@pytest.mark.parametrize("steps", [1, 5, -1, 17, 0])
def test_rotation_is_that_of_numpy(secret, public, steps):
    a = random_bits(secret, 3)
    x = public.bind(secret.encrypt(a))
    for dimension in range(len(secret.slot_shape)):
        expected = np.roll(a.reshape(secret.slot_shape), -steps, axis=dimension).ravel()
        assert np.array_equal(secret.decrypt(x.rotate_slots(steps, dimension)), expected)


def test_objects_travel(secret, public):
    a = random_bits(secret, 4)
    server = type(public).from_bytes(public.to_bytes())
    assert server.slot_shape == secret.slot_shape
    assert type(secret.parameters).from_bytes(secret.parameters.to_bytes()) == secret.parameters
    assert pickle.loads(pickle.dumps(secret.parameters)) == secret.parameters
    result = server.load_ciphertext(secret.encrypt(a).to_bytes()).rotate_slots(2)
    expected = np.roll(a.reshape(secret.slot_shape), -2, axis=0).ravel()
    assert np.array_equal(secret.decrypt(secret.load_ciphertext(result.to_bytes())), expected)
    unpickled = public.bind(pickle.loads(pickle.dumps(result)))
    assert np.array_equal(secret.decrypt(unpickled), expected)


def test_keys_of_chosen_rotations():
    secret = bfv.SecretContext(bfv.Parameters(ring=10773))
    public = secret.public(rotations=[5])
    a = random_bits(secret, 5)
    x = public.bind(secret.encrypt(a))
    expected = np.roll(a.reshape(18, 6), -5, axis=0).ravel()
    assert np.array_equal(secret.decrypt(x.rotate_slots(5)), expected)
    refused_call(x.rotate_slots, 1, says=["Ciphertext.rotate_slots", "rotation elements"])


def test_primes_of_ones_own():
    parameters = bfv.Parameters(ring=5913, data_bits=[40, 40], special_bits=[40], security="none")
    assert parameters.degree == 3888
    assert [q.bit_length() for q in parameters.coeff_modulus] == [40, 40, 40]
    assert all(q % 5913 == 1 for q in parameters.coeff_modulus)
    secret = bfv.SecretContext(parameters)
    a, b = random_bits(secret, 6), random_bits(secret, 7)
    public = secret.public(rotations=[])
    product = public.bind(secret.encrypt(a)) * public.bind(secret.encrypt(b))
    assert np.array_equal(secret.decrypt(product), a & b)


def test_other_plain_moduli_have_coefficients():
    secret = bfv.SecretContext(bfv.Parameters(ring=10773, plain_modulus=17))
    assert not secret.uses_batching
    values = np.arange(-8, 9)
    assert np.array_equal(secret.decrypt(secret.encrypt(values))[:17], values)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "no degree"),
        ({"degree": 8192, "ring": 8191}, "both degree and ring"),
        ({"ring": 0}, "0"),
        ({"ring": 65537 * 4}, "262148"),
        ({"ring": "8191"}, "ring"),
    ],
)
def test_rings_that_are_refused(arguments, words):
    refused(lambda: bfv.SecretContext(bfv.Parameters(**arguments)), words)


def test_insecure_rings_are_refused():
    too_much = {"ring": 2783, "data_bits": [42, 41], "special_bits": [42]}
    refused(lambda: bfv.SecretContext(bfv.Parameters(**too_much)), "tc128")
    secret = bfv.SecretContext(bfv.Parameters(**too_much, security="reproduction"))
    assert secret.slot_shape == [22]
    assert "reproduction, about 64 bits" in repr(secret.parameters)


def test_values_that_are_refused(secret, public):
    for values in ([2], [0, -2], np.zeros(secret.slot_count + 1, dtype=np.int64), [0.5]):
        refused_call(secret.encrypt, values)
    x = public.bind(secret.encrypt([1]))
    refused(lambda: x.rotate_slots(1, dimension=7), "dimension", error=OutOfRange)
    refused_call(secret.public, swap_rows=True, says=["rotate_slots"])


def test_rows_and_slots_are_not_mixed_up():
    secret = bfv.SecretContext(bfv.Parameters(4096))
    public = secret.public(rotations=[1])
    assert public.slot_shape == [2, 2048]
    refused_call(public.encrypt([1]).rotate_slots, 1, says=["slots of bits"], error=LogicError)
    assert ckks.SecretContext(ckks.Parameters(4096)).slot_shape == [2048]
    with pytest.raises(TypeError):
        ckks.Parameters(ring=8191)
