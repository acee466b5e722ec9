# SPDX-License-Identifier: Apache-2.0
"""Errors of the schemes arrive as exceptions that name operands and remedy; operands keep."""

import numpy as np
import pytest
from support import NAMES, SCHEMES, refused, rotated, small_parameters

import ringlet
from ringlet import ckks


@pytest.fixture(scope="module", params=SCHEMES, ids=NAMES)
def scheme(request):
    return request.param


@pytest.fixture(scope="module")
def secret(scheme):
    return scheme.SecretContext(small_parameters(scheme))


@pytest.fixture(scope="module")
def public(secret):
    return secret.public(rotations=[1])


def unchanged(*operands):
    before = [operand.residues() for operand in operands]
    return lambda: all(
        np.array_equal(operand.residues(), residues)
        for operand, residues in zip(operands, before, strict=True)
    )


def test_level_mismatch(public, scheme):
    a = public.encrypt([1, 2, 3])
    lower = a.mod_switch_to_next()
    keep = unchanged(a, lower)
    methods = [lambda: a.add(lower), lambda: lower.subtract(a), lambda: a.multiply(lower)]
    # Operators bring exact operands together; here the scale of CKKS is not that of the level.
    operators = [lambda: a + lower, lambda: lower - a, lambda: a * lower]
    for call in methods + (operators if scheme is ckks else []):
        refused(call, "chain index 1", "chain index 0", "mod_switch_to")
    refused(lambda: lower.mod_switch_to(1), "1")
    refused(lambda: lower.mod_switch_to_next())
    refused(lambda: lower.mod_switch_to(7), "level = 7")
    assert keep()


def test_scale_mismatch():
    public = ckks.SecretContext(small_parameters(ckks)).public(rotations=[])
    a = public.encrypt(1.5)
    b = public.encrypt(public.encode(1.5, scale=2.0**29))
    keep = unchanged(a, b)
    for call in (lambda: a + b, lambda: a - b, lambda: a + public.encode(1.0, scale=2.0**29)):
        refused(call, "scale", "2^30", "2^29")
    refused(lambda: public.encode(1.0, scale=2.0**80), "scale")
    refused(lambda: a.multiply(b).relinearize().multiply(a), "scale")
    assert keep()


def test_missing_keys(secret, public):
    a = public.encrypt([1, 2])
    mirror = getattr(a, "conjugate", None) or a.swap_rows
    keep = unchanged(a)
    refused(lambda: rotated(a, 2), "no key for steps 2", "chain index 1")
    refused(mirror, "no key", "chain index 1")
    bare = secret.public(rotations=[], relinearization=False).bind(a)
    for call in (lambda: bare * bare, lambda: bare**2, lambda: bare.square().relinearize()):
        refused(call, "relinearization", "secret.public(", error=ringlet.LogicError)
    refused(lambda: rotated(bare, 1), "Galois", error=ringlet.LogicError)
    unbound = secret.encrypt([1, 2])
    for call in (lambda: unbound * unbound, lambda: unbound**3, lambda: rotated(unbound, 1)):
        refused(call, "bind", error=ringlet.LogicError)
    assert keep()


def check_foreign(secret, public, foreign):
    a, b, plain = public.encrypt([1, 2]), foreign.encrypt(1), foreign.encode(1)
    keep = unchanged(a, b)
    for call in (
        lambda: a + b,
        lambda: b - a,
        lambda: a * b,
        lambda: a.multiply(b),
        lambda: a + plain,
        lambda: a * plain,
        lambda: a.multiply(plain),
        lambda: public.encrypt(plain),
        lambda: public.bind(b),
        lambda: secret.decrypt(b),
        lambda: secret.decode(plain),
    ):
        refused(call, secret.fingerprint, foreign.fingerprint, error=ringlet.ContextMismatch)
    refused(lambda: public.load_ciphertext(b.to_bytes()))
    assert keep()


def test_wrong_context(scheme, secret, public):
    for other in SCHEMES:
        foreign = other.SecretContext(small_parameters(other, security="none"))
        check_foreign(secret, public, foreign)
    if scheme is not ckks:
        stranger = ckks.SecretContext(small_parameters(ckks)).encrypt(1)
        refused(lambda: secret.noise_budget(stranger), error=ringlet.ContextMismatch)


def test_invalid_plaintexts(scheme, public):
    a = public.encrypt([1, 2])
    keep = unchanged(a)
    values = np.zeros(public.slot_count + 1, dtype=int)
    for call in (lambda: a + values, lambda: values * a, lambda: public.encrypt(values)):
        refused(call, str(public.slot_count))
    wrong = float("nan") if scheme is ckks else 0.5
    for call in (
        lambda: a + wrong,
        lambda: wrong - a,
        lambda: a * wrong,
        lambda: a.multiply(wrong),
    ):
        refused(call)
    for call in (lambda: a + "1", lambda: a * None, lambda: {} - a, lambda: a / 2, lambda: a**0.5):
        with pytest.raises(TypeError):
            call()
    for exponent in (0, -1, 2**70):
        refused(lambda: a**exponent, "exponent")
    assert keep()


def test_transparent_results(public):
    a = public.encrypt([1, 2])
    for call in (lambda: a - a, lambda: a * 0):
        refused(call, "transparent", error=ringlet.LogicError)


def test_wrong_steps(public):
    a = public.encrypt([1, 2])
    for steps in (2048, -2048, 2**40, 1.5, "1"):
        refused(lambda: rotated(a, steps))
    refused(lambda: rotated(a.square(), 1), "size")


def test_repr_shows_no_values(secret, public, scheme):
    start = f"<{scheme.__name__}."
    for item in (secret, public, secret.encrypt(1234), secret.encode(1234), secret.parameters):
        assert repr(item).startswith(start) and "1234" not in repr(item)
    if scheme is ckks:
        assert "level=1 scale=2^30.00" in repr(public.encrypt(1))
    assert "not bound" in repr(secret.encrypt(1)) and "not bound" not in repr(public.encrypt(1))
