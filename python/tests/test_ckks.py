# SPDX-License-Identifier: Apache-2.0
"""Encrypted arithmetic against NumPy."""

import re

import numpy as np
import pytest
from support import refused, refused_call

import ringlet
from ringlet import ckks

TOLERANCE = 1e-5


@pytest.fixture
def x(secret, rng):
    return rng.uniform(-1, 1, secret.slot_count)


@pytest.fixture
def y(secret, rng):
    return rng.uniform(-2, 2, secret.slot_count)


def close(a, b, tolerance=TOLERANCE):
    return bool(np.abs(a - b).max() < tolerance)


def test_encryption_by_both_keys(secret, public, x):
    for side in (secret, public):
        encrypted = side.encrypt(x)
        assert encrypted.level == side.max_level == 2
        assert encrypted.scale == 2.0**40 and encrypted.size == 2
        assert encrypted.nbytes == 2 * 3 * 8192 * 8
        assert close(secret.decrypt(encrypted), x)
        residues = encrypted.residues()
        assert residues.shape == (2, 3, 8192) and residues.dtype == np.uint64
        for limb, q in enumerate(side.parameters.coeff_modulus[:-1]):
            assert residues[:, limb].max() < q
        # Encrypting the same message again gives other bits.
        assert not np.array_equal(side.encrypt(x).residues(), residues)


def test_complex_slots(secret, public, x, y):
    z = x + 1j * y
    encrypted = public.bind(secret.encrypt(z))
    assert close(secret.decrypt_complex(encrypted), z)
    assert close(secret.decrypt(encrypted), x)
    assert close(secret.decrypt_complex(encrypted.conjugate()), z.conj())
    assert close(secret.decrypt_complex(encrypted * (1 - 2j)), z * (1 - 2j))


def test_operators(secret, public, x, y):
    a, b = public.bind(secret.encrypt(x)), public.encrypt(y)
    plain = public.encode(y)
    cases = [
        (a + b, x + y), (a - b, x - y), (-a, -x), (+a, x), (a * b, x * y), (a + plain, x + y),
        (plain + a, x + y), (a - plain, x - y), (plain - a, y - x), (a * plain, x * y),
        (plain * a, x * y), (a + y, x + y), (y + a, x + y), (a - y, x - y), (y - a, y - x),
        (a * y, x * y), (y * a, x * y), (a + 2, x + 2), (2 - a, 2 - x), (a * 0.5, x * 0.5),
        (np.float32(0.5) * a, x * 0.5), (3 * a, 3 * x),
        (a + [1, 2], x + np.pad([1, 2], (0, len(x) - 2))),
    ]  # fmt: skip
    for i, (encrypted, expected) in enumerate(cases):
        assert isinstance(encrypted, ckks.Ciphertext), i
        assert close(secret.decrypt(encrypted), expected), i


def test_the_product_operator_rescales_once_to_the_scale_of_the_level(public, x):
    a = public.encrypt(x)
    product = a * a
    dropped = public.parameters.coeff_modulus[2]
    assert product.size == 2 and product.level == a.level - 1
    assert product.scale == pytest.approx(a.scale**2 / dropped, rel=1e-12)
    assert (a * 0.3).scale == (x * a).scale == product.scale
    assert ((a * 0.3) + (a * x)).level == a.level - 1


def test_methods_do_one_thing(secret, public, x):
    a = public.encrypt(x)
    product = a.multiply(a)
    assert (product.size, product.level, product.scale) == (3, 2, 2.0**80)
    assert close(secret.decrypt(product), x * x)
    assert close(secret.decrypt(a.square()), x * x) and a.square().size == 3
    relinearized = product.relinearize()
    assert (relinearized.size, relinearized.level, relinearized.scale) == (2, 2, 2.0**80)
    rescaled = relinearized.rescale()
    assert rescaled.level == 1 and rescaled.scale < 2.0**41
    assert close(secret.decrypt(rescaled), x * x)
    by_number = a.multiply(0.5)
    assert (by_number.size, by_number.level, by_number.scale) == (2, 2, 2.0**80)
    assert a.multiply(0.5, scale=2.0**20).scale == 2.0**60
    lower = a.mod_switch_to_next()
    assert (lower.level, lower.scale) == (1, a.scale) and close(secret.decrypt(lower), x)
    lowest = a.mod_switch_to(0)
    assert lowest.level == 0 and close(secret.decrypt(lowest), x)


def test_rotations(secret, public, x):
    """With keys of their own, or composed by the default keys."""
    default = secret.public(relinearization=False)
    for side, all_steps, tolerance in (
        (public, (1, -1, 5, 0), 1e-4),
        (default, (3, 1000, -2047), 1e-3),
    ):
        a = side.encrypt(x)
        for steps in all_steps:
            assert close(secret.decrypt(a.rotate(steps)), np.roll(x, -steps), tolerance)
        assert close(secret.decrypt(a.conjugate()), x, 1e-4)
    assert default.relin_keys_nbytes == 0
    refused(lambda: a * a, "relinearization", error=ringlet.LogicError)


def test_encode_and_decode(secret, public, x):
    plain = public.encode(x, level=1, scale=2.0**30)
    assert (plain.level, plain.scale) == (1, 2.0**30)
    assert close(secret.decode(plain), x)
    assert close(secret.decode_complex(public.encode(1j * x)), 1j * x)
    assert close(secret.decode(secret.encode(0.25)), np.full(secret.slot_count, 0.25))
    for values in (x.astype(np.float32), x[::2], x.astype(">f8"), np.arange(5), [True, False], []):
        expected = np.zeros(secret.slot_count)
        expected[: len(values)] = values
        assert close(secret.decode(public.encode(values)), expected)


WRONG_VALUES = {
    "NaN": [1.0, float("nan")],
    "infinity": np.inf,
    "minus infinity": [-np.inf],
    "complex NaN": complex(0, float("nan")),
    "too large": 2.0**120,
    "too many": np.zeros(4097),
    "two dimensions": np.zeros((2, 2)),
    "ragged": [[1], [1, 2]],
    "text": "one",
    "text array": np.array(["1"]),
    "object": object(),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
}


@pytest.mark.parametrize("name", WRONG_VALUES)
def test_wrong_values(public, name):
    for call in (public.encode, public.encrypt, public.encrypt(1.0).multiply):
        refused_call(call, WRONG_VALUES[name])


def test_wrong_scales_and_levels(public):
    for scale in (0.0, -1.0, float("nan"), float("inf"), 2.0**200):
        refused_call(public.encode, 1.0, scale=scale, says=["scale"])
    for level in (3, 2**40, -1, 1.5):
        refused_call(public.encode, 1.0, level=level, says=["level"])
        refused_call(public.encrypt(1.0).mod_switch_to, level, says=["level"])


def test_mismatches_are_refused_and_change_nothing(secret, public, x):
    a = public.encrypt(x)
    before = a.residues()
    for call, words in (
        (lambda: a - public.encode(x, scale=2.0**30), "scale"),
        (lambda: a * public.encode(x, level=0), "level"),
        (lambda: a.mod_switch_to(0).rescale(), "level|chain"),
        (lambda: a.multiply(public.encode(x), scale=2.0), "scale"),
        (lambda: a.mod_switch_to(0) * 1e30, "no multiplication is left"),
        (lambda: a * 1e30, "scale|large"),
        (lambda: a**5, "level|chain"),
    ):
        assert re.search(words, str(refused(call)))
    assert np.array_equal(a.residues(), before) and close(secret.decrypt(a), x)


def test_same_bits_on_every_table(public, table, x):
    a = public.encrypt(x)
    other = public.with_kernels(table)
    b = other.bind(a)
    for compute in (
        lambda c: c * c,
        lambda c: c.rotate(1) + c,
        lambda c: c * 0.5,
        lambda c: c.conjugate().mod_switch_to_next(),
    ):
        assert np.array_equal(compute(a).residues(), compute(b).residues())
    assert all(name.split("/")[0] in ringlet.kernel_tables() for name in other.kernel_names)


def test_parameters():
    p = ckks.Parameters(4096, [36, 36, 34], scale=2.0**20, security="tc128")
    assert p.degree == 4096 and p.scale == 2.0**20
    assert [q.bit_length() for q in p.coeff_modulus] == [36, 36, 34]
    assert "degree=4096" in repr(p) and "[36, 36, 34]" in repr(p)
    assert (p.data_primes, p.special_primes) == (p.coeff_modulus[:2], p.coeff_modulus[2:])
    hybrid = ckks.Parameters(16384, data_bits=[49, 40, 40], special_bits=[49, 49], scale_bits=40)
    assert (len(hybrid.data_primes), len(hybrid.special_primes), hybrid.digit_size) == (3, 2, 2)
    default = ckks.Parameters(8192)
    assert default.scale == 2.0**40 and default.scheme == "ckks"
    assert ckks.SecretContext(default).max_level >= 1
    assert ckks.Parameters(8192, scale_bits=30).scale == 2.0**30
    assert ckks.max_modulus_bits(8192) == 214
    assert ckks.max_modulus_bits(8192, table="he_standard_2018") == 218
    assert ckks.max_modulus_bits(8192, "tc256") == 114


@pytest.mark.parametrize(
    ("degree", "bits", "options"),
    [
        (0, [30, 30], {"scale_bits": 20}),
        (1000, [30, 30], {"scale_bits": 20}),
        (1 << 20, [30, 30], {"scale_bits": 20}),
        (8192, [62, 30], {"scale_bits": 20}),
        (8192, [1, 30], {"scale_bits": 20}),
        (8192, [30, 30], {}),
        (8192, [30, 30], {"scale_bits": 20, "scale": 2.0**20}),
        (8192, [30, 30], {"scale": 0.0}),
        (8192, [30, 30], {"scale": float("nan")}),
        (8192, [30, 30], {"scale_bits": 5000}),
        (8192, [30, 30], {"scale_bits": 20, "security": "tc100"}),
        (8192, [30, 30], {"scale_bits": 20, "table": "classical_2050"}),
        (8192, [30, "x"], {"scale_bits": 20}),
        (8192, [30, 30], {"scale_bits": 20, "data_bits": [30]}),
        (8192, None, {"scale_bits": 20, "scale": 1.0}),
        (8192, None, {"scale_bits": 20, "special_bits": [30]}),
    ],
)
def test_wrong_parameters(degree, bits, options):
    refused_call(ckks.Parameters, degree, bits, **options)


def test_context_refuses_what_the_security_table_does_not_allow():
    too_wide = [55, 55, 55, 50]
    too_much = ckks.Parameters(8192, too_wide, scale_bits=40)
    refused_call(ckks.SecretContext, too_much, says=["214"])
    unchecked = ckks.Parameters(8192, too_wide, scale_bits=40, security="none")
    assert ckks.SecretContext(unchecked).max_level == 2
    refused(lambda: ckks.SecretContext(ckks.Parameters(8192, [], scale_bits=40)))


def test_without_a_special_prime_there_are_no_evaluation_keys():
    secret = ckks.SecretContext(ckks.Parameters(4096, [50], scale_bits=40))
    refused(secret.public, error=ringlet.LogicError)
    public = secret.public(rotations=[], relinearization=False)
    assert close(secret.decrypt(public.encrypt(0.5) + 0.25), np.full(2048, 0.75))
