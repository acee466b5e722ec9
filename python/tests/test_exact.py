# SPDX-License-Identifier: Apache-2.0
"""Encrypted arithmetic of BFV and BGV against NumPy, modulo t."""

import numpy as np
import pytest
from support import refused, refused_call, toy

import ringlet
from ringlet import bfv, bgv

N = 8192


@pytest.fixture(scope="module", params=[bfv, bgv], ids=["bfv", "bgv"])
def scheme(request):
    return request.param


@pytest.fixture(scope="module")
def secret(scheme):
    return scheme.SecretContext(scheme.Parameters(N))


@pytest.fixture(scope="module")
def public(secret):
    return secret.public(rotations=[1, -1, 5], swap_rows=True)


@pytest.fixture
def t(secret):
    return secret.parameters.plain_modulus


@pytest.fixture
def x(t, rng):
    return rng.integers(0, t, N)


@pytest.fixture
def y(t, rng):
    return rng.integers(0, t, N)


def test_encryption_by_both_keys(secret, public, x):
    for side in (secret, public):
        encrypted = side.encrypt(x)
        assert encrypted.level == side.max_level == 3
        assert encrypted.size == 2 and encrypted.nbytes == 2 * 4 * N * 8
        assert np.array_equal(secret.decrypt(encrypted, signed=False), x)
        assert not np.array_equal(side.encrypt(x).residues(), encrypted.residues())
        for limb, q in enumerate(side.parameters.data_primes):
            assert encrypted.residues()[:, limb].max() < q
    assert secret.slot_count == N and secret.uses_batching


def test_decryption_is_signed_unless_said(secret, t):
    edges = [0, 1, -1, t // 2, -(t // 2), t // 2 + 1, t - 1]
    encrypted = secret.encrypt(edges)
    signed = secret.decrypt(encrypted)
    unsigned = secret.decrypt(encrypted, signed=False)
    assert signed.dtype == unsigned.dtype == np.int64 and signed.shape == (N,)
    assert list(signed[:7]) == [0, 1, -1, t // 2, -(t // 2), -(t // 2), -1]
    assert list(unsigned[:7]) == [0, 1, t - 1, t // 2, t // 2 + 1, t // 2 + 1, t - 1]
    assert not signed[7:].any()


def test_operators(secret, public, t, x, y):
    a, b = public.bind(secret.encrypt(x)), public.encrypt(y)
    plain = public.encode(y)
    cases = [
        (a + b, x + y), (a - b, x - y), (-a, -x), (+a, x), (a * b, x * y), (a + plain, x + y),
        (plain + a, x + y), (a - plain, x - y), (plain - a, y - x), (a * plain, x * y),
        (plain * a, x * y), (a + y, x + y), (y + a, x + y), (a - y, x - y), (y - a, y - x),
        (a * y, x * y), (y * a, x * y), (a + 2, x + 2), (2 - a, 2 - x), (a * -7, x * -7),
        (np.int8(-3) * a, x * -3), (a**1, x), (a**2, x * x), (a**3, x * x % t * x),
        (a + [1, -2], x + np.pad([1, -2], (0, N - 2))),
        (sum([a, b, a]), x + y + x),
        (a.multiply(b).relinearize(), x * y),
        (a.square(), x * x),
        (a.mod_switch_to_next() * b.mod_switch_to_next(), x * y),
        (a.mod_switch_to(1) + y, x + y),
        (a.mod_switch_to(0), x),
    ]  # fmt: skip
    for i, (encrypted, expected) in enumerate(cases):
        assert type(encrypted) is type(a), i
        assert np.array_equal(secret.decrypt(encrypted, signed=False), expected % t), i


def test_methods_do_one_thing(public, x):
    a = public.encrypt(x)
    levels = 1 if isinstance(public, bgv.PublicContext) else 0
    assert (a * a).size == 2 and (a * a).level == a.level - levels
    assert a.multiply(a).size == a.square().size == 3
    assert a.multiply(a).relinearize().size == 2
    assert a.mod_switch_to_next().level == a.level - 1
    assert a.mod_switch_to(0).level == 0
    assert a.mod_switch_to_next().nbytes == 2 * 3 * N * 8


def test_noise_budget_goes_down(secret, public, x):
    fresh = public.encrypt(x)
    budgets = [secret.noise_budget(c) for c in (fresh, fresh + fresh, fresh * x, fresh * fresh)]
    assert budgets[0] > 100 and all(0 < b < budgets[0] for b in budgets[2:])
    assert budgets[0] - 2 <= budgets[1] <= budgets[0]
    spent = fresh
    for _ in range(8):
        spent = spent * spent
    assert secret.noise_budget(spent) == 0


def test_rotations_of_rows(secret, public, x):
    """With keys of their own, or composed by the default keys."""
    rows = x.reshape(2, -1)
    default = secret.public(relinearization=False)
    for side, all_steps in ((public, (1, -1, 5, 0)), (default, (3, 1000, -2047))):
        encrypted = side.encrypt(rows)
        assert np.array_equal(secret.decrypt(encrypted, signed=False), x)
        for steps in all_steps:
            rotated = secret.decrypt(encrypted.rotate_rows(steps), signed=False)
            assert np.array_equal(rotated.reshape(2, -1), np.roll(rows, -steps, axis=1))
        swapped = secret.decrypt(encrypted.swap_rows(), signed=False)
        assert np.array_equal(swapped.reshape(2, -1), rows[::-1])
    assert default.relin_keys_nbytes == 0
    refused(lambda: encrypted * encrypted, "relinearization", error=ringlet.LogicError)


def test_integers_of_every_kind(secret, public, t):
    for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i8", ">u2", "?"):
        values = np.arange(100).astype(dtype)
        assert np.array_equal(secret.decode(public.encode(values))[:100], values), dtype
    read_only = np.arange(50)
    read_only.flags.writeable = False
    strided = np.arange(100)[::-2]
    matrix = np.asfortranarray(np.arange(N).reshape(2, -1))
    for values in (read_only, strided, matrix, [3, 1], (3,), [True], [], np.arange(N)[::-1]):
        expected = np.zeros(N, dtype=np.int64)
        flat = np.ravel(values)
        expected[: flat.size] = flat
        assert np.array_equal(secret.decode(public.encode(values)), expected)
    for scalar in (-5, np.int16(-5), np.array(-5)):
        assert np.array_equal(secret.decode(public.encode(scalar)), np.full(N, -5))
    assert secret.decode(public.encode(t - 1), signed=False)[17] == t - 1


WRONG_VALUES = {
    "float": 1.5,
    "float array": np.array([1.0, 2.0]),
    "complex": 1j,
    "huge": 2**64,
    "very negative": -(2**63),
    "all ones": np.array([2**64 - 1], dtype=np.uint64),
    "too many": np.zeros(N + 1, dtype=int),
    "wrong matrix": np.zeros((2, 3), dtype=int),
    "columns": np.zeros((N // 2, 2), dtype=int),
    "three dimensions": np.zeros((2, 2, 2), dtype=int),
    "ragged": [[1], [1, 2]],
    "text": "one",
    "object": object(),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
}


@pytest.mark.parametrize("name", WRONG_VALUES)
def test_wrong_values(public, name):
    for call in (public.encode, public.encrypt, public.encrypt(1).multiply):
        error = refused_call(call, WRONG_VALUES[name])
        assert str(public.parameters.plain_modulus) in error.limit


def test_the_range_is_exact(public, t):
    for value in (t - 1, -(t // 2), np.uint64(t - 1)):
        public.encode(np.array([value, value]))
    for value in (t, -(t // 2) - 1, -t, np.uint64(t), 2**62):
        for values in (value, np.array([value, value])):
            assert str(value) not in refused_call(public.encode, values, says=["range"]).offending


def test_same_bits_on_every_table(public, table, x):
    a = public.encrypt(x)
    b = public.with_kernels(table).bind(a)
    for compute in (
        lambda c: c * c,
        lambda c: c.rotate_rows(1) + c,
        lambda c: (c * 3).mod_switch_to_next(),
    ):
        assert np.array_equal(compute(a).residues(), compute(b).residues())


def negacyclic(a, b):
    full = np.convolve(a, b)
    full = np.pad(full, (0, 2 * len(a) - len(full)))
    return full[: len(a)] - full[len(a) :]


def test_without_batching_messages_are_polynomials(scheme, rng):
    t = 256
    secret = toy(scheme, [40, 40], [45], 1024, plain_modulus=t)
    public = secret.public(rotations=[])
    assert not secret.uses_batching
    a, b = rng.integers(0, t, 1024), rng.integers(0, t, 1024)
    product = public.encrypt(a) * public.encrypt(b) + 5
    expected = negacyclic(a, b)
    expected[0] += 5
    assert np.array_equal(secret.decrypt(product, signed=False), expected % t)
    centred = secret.decrypt(public.encrypt([128, 127, -128]))
    assert list(centred[:3]) == [-128, 127, -128]
    refused_call(public.encrypt, a.reshape(2, -1))
    encrypted = secret.public().encrypt(a)
    refused_call(encrypted.rotate_rows, 1, says=["batching"], error=ringlet.LogicError)


def test_parameters(scheme):
    p = scheme.Parameters(4096, [36, 36, 37], plain_bits=17)
    assert p.degree == 4096 and p.plain_modulus.bit_length() == 17
    assert p.plain_modulus % 8192 == 1 and ringlet.is_prime(p.plain_modulus)
    assert [q.bit_length() for q in p.coeff_modulus] == [36, 36, 37]
    assert p.data_primes + p.special_primes == p.coeff_modulus and len(p.special_primes) == 1
    q = scheme.Parameters(16384, data_bits=[45] * 4, special_bits=[48, 48], plain_modulus=65537)
    assert (len(q.data_primes), len(q.special_primes), q.digit_size) == (4, 2, 2)
    assert q.plain_modulus == 65537
    again = scheme.Parameters(16384, data_bits=[45] * 4, special_bits=[48, 48], plain_bits=17)
    assert q != p and (q == again) == (again.plain_modulus == 65537) and p != 0
    name = scheme.__name__.rsplit(".")[-1]
    assert repr(q).startswith(f"<ringlet.{name}.Parameters degree=16384") and "65537" in repr(q)
    digits = scheme.Parameters(
        16384, data_bits=[45] * 4, special_bits=[48, 48], digit_size=1, plain_bits=20
    )
    assert digits.digit_size == 1
    default = scheme.Parameters(4096, security="tc192", table="quantum_2024")
    assert (default.security, default.table) == ("tc192", "quantum_2024")
    assert sum(q.bit_length() for q in default.coeff_modulus) <= scheme.max_modulus_bits(
        4096, "tc192", "quantum_2024"
    )


@pytest.mark.parametrize("bits", [24, 30, 49, 50, 60])
def test_the_plain_modulus_is_no_prime_of_the_modulus(scheme, bits):
    sizes = {"data_bits": [bits] * 6, "special_bits": [bits], "security": "none"}
    chosen = scheme.Parameters(2048, plain_bits=bits, **sizes)
    named = scheme.Parameters(2048, plain_modulus=chosen.data_primes[1], **sizes)
    for p in (chosen, named):
        assert p.plain_modulus.bit_length() == bits and p.plain_modulus not in p.coeff_modulus
        secret = scheme.SecretContext(p)
        public = secret.public()
        x = np.arange(2048)
        assert list(secret.decrypt(public.encrypt(x) * public.encrypt(x))[:9]) == list(x[:9] ** 2)


@pytest.mark.parametrize(
    ("degree", "options"),
    [
        (0, {}),
        (1000, {}),
        (1 << 20, {}),
        (8192, {"coeff_modulus_bits": [62]}),
        (8192, {"coeff_modulus_bits": [40, 40], "data_bits": [40]}),
        (8192, {"special_bits": [40]}),
        (8192, {"data_bits": [40], "special_bits": [1]}),
        (8192, {"data_bits": ["x"]}),
        (8192, {"plain_modulus": 65537, "plain_bits": 17}),
        (8192, {"plain_modulus": -1}), (8192, {"plain_bits": 5}), (8192, {"plain_bits": 70}),
        (8192, {"digit_size": -1}), (8192, {"security": "tc100"}),
        (8192, {"table": "classical_2050"}),
    ],
)  # fmt: skip
def test_wrong_parameters(scheme, degree, options):
    refused_call(scheme.Parameters, degree, **options)


def test_context_refuses_what_does_not_fit(scheme):
    refused_call(scheme.SecretContext, scheme.Parameters(8192, [55] * 4), says=["214"])
    refused(
        lambda: scheme.SecretContext(scheme.Parameters(8192, [40, 40], plain_modulus=2**61)),
        "plain",
    )
    other = bgv if scheme is bfv else bfv
    with pytest.raises(TypeError):
        scheme.SecretContext(other.Parameters(8192))
