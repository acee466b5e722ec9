# SPDX-License-Identifier: Apache-2.0
"""ringlet.fv: bits in slots, encrypted and added, and what is refused."""

import functools
import stat

import numpy as np
import pytest
from support import flipped, refused, refused_call

import ringlet
from ringlet import fv


@pytest.fixture(scope="module")
def context():
    return fv.Context(fv.Parameters(255, modulus_bits=60), security="none")


@pytest.fixture(scope="module")
def secret(context):
    return fv.SecretKey.generate(context)


@pytest.fixture(scope="module")
def public(secret):
    return secret.public_key()


def random_rows(context, count, rng):
    return rng.integers(0, 2, size=(count, context.slot_count), dtype=np.uint8)


@pytest.mark.parametrize("name", ["default_128", "default_128_8190"])
def test_default_sets_add_bits(name, rng):
    context = fv.Context(getattr(fv.Parameters, name)())
    assert context.security == "tc128"
    secret = fv.SecretKey.generate(context)
    rows = random_rows(context, 5, rng)
    encrypted = secret.public_key().encrypt(rows)
    assert isinstance(encrypted, list)
    for ciphertext, row in zip(encrypted, rows, strict=True):
        assert np.array_equal(secret.decrypt(ciphertext), row)
    total = functools.reduce(lambda a, b: a + b, encrypted)
    assert np.array_equal(secret.decrypt(total), np.bitwise_xor.reduce(rows, axis=0))
    assert secret.noise_budget(total) > 60


@pytest.mark.parametrize("name", ["reproduction_2420", "reproduction_2560"])
def test_reproduction_sets_need_their_level(name):
    parameters = getattr(fv.Parameters, name)()
    assert parameters.secrets == "binary"
    refused_call(fv.Context, parameters, says=["reproduction, about 64 bits"])
    context = fv.Context(parameters, security="reproduction")
    secret = fv.SecretKey.generate(context)
    bits = [1] + [0] * (context.slot_count - 2) + [1]
    assert secret.decrypt(secret.public_key().encrypt(bits)).tolist() == bits


def test_sets_are_those_of_the_notes():
    sets = {
        "default_128": (10773, 5832, 125, 108),
        "default_128_8190": (8191, 8190, 135, 630),
        "reproduction_2420": (2783, 2420, 125, 22),
        "reproduction_2560": (3485, 2560, 125, 64),
    }
    for name, (index, degree, bits, slots) in sets.items():
        parameters = getattr(fv.Parameters, name)()
        assert (parameters.index, parameters.degree) == (index, degree)
        assert parameters.modulus_bits == bits == parameters.modulus.bit_length()
        assert fv.Context(parameters, security="none").slot_count == slots


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int8, np.int64, np.uint64])
def test_any_integers_are_bits(kind, secret, public, context):
    bits = np.arange(context.slot_count) % 3 == 0
    encrypted = public.encrypt(bits.astype(kind))
    assert isinstance(encrypted, fv.Ciphertext)
    decrypted = secret.decrypt(encrypted)
    assert decrypted.dtype == np.uint8
    assert np.array_equal(decrypted, bits)


def test_short_rows_and_views(secret, public):
    matrix = np.array([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 1, 1]], dtype=np.uint8)
    columns = public.encrypt(matrix.T[:, ::-1])
    assert isinstance(columns, list)
    for ciphertext, column in zip(columns, matrix.T[:, ::-1], strict=True):
        assert secret.decrypt(ciphertext)[:3].tolist() == column.tolist()
        assert not secret.decrypt(ciphertext)[3:].any()
    assert not secret.decrypt(public.encrypt([])).any()
    assert public.encrypt(np.zeros((0, 4), dtype=np.uint8)) == []


def test_bytes_come_back(context, secret, public, rng, tmp_path):
    refused_call(fv.Context.from_bytes, context.to_bytes(), says=["level none", "min_security"])
    again = fv.Context.from_bytes(context.to_bytes(), min_security="none")
    assert again.parms_id == context.parms_id
    assert again.security == "none"
    assert again.parameters.modulus == context.parameters.modulus
    bits = random_rows(context, 1, rng)[0]
    other_public = fv.PublicKey.from_bytes(again, public.to_bytes())
    path = tmp_path / "secret"
    assert fv.save_secret_key(secret, path) is None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    refused_call(fv.save_secret_key, secret, path, says=["exists"], error=ringlet.RuntimeFailure)
    other_secret = fv.load_secret_key(again, path)
    path.write_bytes(path.read_bytes() + b"\0")
    refused_call(fv.load_secret_key, again, path, says=["after the end"])
    sent = other_public.encrypt(bits).to_bytes()
    received = fv.Ciphertext.from_bytes(context, sent)
    assert np.array_equal(secret.decrypt(received), bits)
    assert np.array_equal(other_secret.decrypt(received), bits)
    load = fv.Ciphertext.from_bytes
    for end in (0, 10, 96, len(sent) - 1):
        refused_call(load, context, sent[:end], error=ringlet.RingletError)
    refused_call(load, context, flipped(sent, 200), says=["checksum"])


def test_ways_give_the_same_parameters(secret, public, tmp_path):
    fv.save_secret_key(secret, tmp_path / "secret")
    encrypted = public.encrypt([1, 1, 0, 1])
    for way in ("automatic", "karatsuba", "ntt", "additions"):
        context = fv.Context(fv.Parameters(255, modulus_bits=60, way=way), security="none")
        assert way == "automatic" or context.kernel_name.startswith(way)
        key = fv.load_secret_key(context, tmp_path / "secret")
        assert key.decrypt(encrypted)[:4].tolist() == [1, 1, 0, 1]


def test_sums_up_to_the_promise():
    context = fv.Context(fv.Parameters(15, modulus_bits=30), security="none")
    assert 1 <= context.max_additions < 2**30
    assert 0 < context.fresh_noise_bits < 20
    key = fv.SecretKey.generate(context)
    total = key.public_key().encrypt([1, 0])
    for _ in range(context.max_additions.bit_length() - 1):
        total = total + total
    assert key.decrypt(total).tolist() == [0, 0]


def test_what_is_no_bit_is_refused(context, public):
    too_many = np.zeros(context.slot_count + 1, dtype=np.uint8)
    for bits in (
        [2], [-1], [256], [0.5], ["1"], [[[1]]], 1, [[1], [1, 0]], [None], [2**70], too_many,
    ):  # fmt: skip
        refused_call(public.encrypt, bits)


def test_other_parameters_are_refused(secret, public):
    other = fv.Context(fv.Parameters(255, modulus_bits=61), security="none")
    foreign = fv.SecretKey.generate(other).public_key().encrypt([1])
    refused_call(secret.decrypt, foreign, says=["identifier"])
    refused(lambda: public.encrypt([1]) + foreign, "identifier")
    refused_call(fv.PublicKey.from_bytes, other, public.to_bytes(), says=["identifier"])
    with pytest.raises(TypeError):
        foreign + 1


@pytest.mark.parametrize(
    ("index", "options"),
    [
        *((index, {}) for index in (16, 0, -1, "15", 1 << 70)),
        *((15, {"modulus_bits": bits}) for bits in (1, 136, "60", 5)),
        *((15, {"modulus": q}) for q in (1, 2**135, "17", 2**60)),
        *((15, {"secrets": name}) for name in ("gaussian", 1)),
        (15, {"way": "fastest"}),
    ],
)
def test_wrong_parameters_are_refused(index, options):
    refused(lambda: fv.Context(fv.Parameters(index, **options), security="none"))


def test_wrong_types_are_refused(context, secret):
    for call, *arguments in (
        (fv.Context, 15),
        (lambda: fv.Context(fv.Parameters.default_128(), security="tc1"),),
        (fv.Context.from_bytes, "text"),
        (lambda: fv.Context.from_bytes(context.to_bytes(), min_security=128),),
        (fv.Ciphertext.from_bytes, context, None),
        (fv.PublicKey.from_bytes, None, b""),
        (fv.SecretKey.generate, 3), (secret.decrypt, b"ciphertext"), (secret.noise_budget, None),
        (fv.save_secret_key, context, "key"), (fv.save_secret_key, secret, 3),
        (fv.load_secret_key, context, 3),
    ):  # fmt: skip
        refused_call(call, *arguments)
