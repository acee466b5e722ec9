# SPDX-License-Identifier: Apache-2.0
"""Errors of the schemes arrive as exceptions that name operands and remedy; operands keep."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ringlet
from ringlet import bfv, bgv, ckks

SCHEMES = [ckks, bfv, bgv]


def make_parameters(scheme: ModuleType, **options: Any) -> Any:
    scale = {"scale_bits": 30} if scheme is ckks else {"plain_bits": 16}
    return scheme.Parameters(4096, data_bits=[35, 35], special_bits=[36], **scale, **options)


@pytest.fixture(scope="module", params=SCHEMES, ids=["ckks", "bfv", "bgv"])
def scheme(request: pytest.FixtureRequest) -> ModuleType:
    return request.param


@pytest.fixture(scope="module")
def secret(scheme: ModuleType) -> Any:
    return scheme.SecretContext(make_parameters(scheme))


@pytest.fixture(scope="module")
def public(secret: Any) -> Any:
    return secret.public(rotations=[1])


def refused(call: Callable[[], Any], error: type[ringlet.RingletError], *words: str) -> None:
    with pytest.raises(error) as caught:
        call()
    raised = caught.value
    assert str(raised) == (
        f"{raised.operation}: {raised.offending}; limit: {raised.limit}; remedy: {raised.remedy}"
    )
    assert raised.operation and raised.offending and raised.limit and raised.remedy
    for word in words:
        assert word in str(raised), word


def unchanged(*operands: Any) -> Callable[[], bool]:
    before = [operand.residues() for operand in operands]
    return lambda: all(
        np.array_equal(operand.residues(), residues)
        for operand, residues in zip(operands, before, strict=True)
    )


def test_level_mismatch(public: Any, scheme: ModuleType) -> None:
    a = public.encrypt([1, 2, 3])
    lower = a.mod_switch_to_next()
    keep = unchanged(a, lower)
    methods = [lambda: a.add(lower), lambda: lower.subtract(a), lambda: a.multiply(lower)]
    # Operators bring exact operands together; here the scale of CKKS is not that of the level.
    operators = [lambda: a + lower, lambda: lower - a, lambda: a * lower]
    for call in methods + (operators if scheme is ckks else []):
        refused(call, ringlet.InvalidArgument, "chain index 1", "chain index 0", "mod_switch_to")
    refused(lambda: lower.mod_switch_to(1), ringlet.InvalidArgument, "1")
    refused(lambda: lower.mod_switch_to_next(), ringlet.InvalidArgument)
    refused(lambda: lower.mod_switch_to(7), ringlet.InvalidArgument, "level = 7")
    assert keep()


def test_scale_mismatch() -> None:
    public = ckks.SecretContext(make_parameters(ckks)).public(rotations=[])
    a = public.encrypt(1.5)
    b = public.encrypt(public.encode(1.5, scale=2.0**29))
    keep = unchanged(a, b)
    for call in (lambda: a + b, lambda: a - b, lambda: a + public.encode(1.0, scale=2.0**29)):
        refused(call, ringlet.InvalidArgument, "scale", "2^30", "2^29")
    refused(lambda: public.encode(1.0, scale=2.0**80), ringlet.InvalidArgument, "scale")
    refused(lambda: a.multiply(b).relinearize().multiply(a), ringlet.InvalidArgument, "scale")
    assert keep()


def test_missing_keys(secret: Any, public: Any) -> None:
    a = public.encrypt([1, 2])
    rotate = getattr(a, "rotate", None) or a.rotate_rows
    mirror = getattr(a, "conjugate", None) or a.swap_rows
    keep = unchanged(a)
    refused(lambda: rotate(2), ringlet.InvalidArgument, "no key for steps 2", "chain index 1")
    refused(mirror, ringlet.InvalidArgument, "no key", "chain index 1")
    bare = secret.public(rotations=[], relinearization=False).bind(a)
    for call in (lambda: bare * bare, lambda: bare**2, lambda: bare.square().relinearize()):
        refused(call, ringlet.LogicError, "relinearization", "secret.public(")
    refused(lambda: _rotated(bare), ringlet.LogicError, "Galois")
    unbound = secret.encrypt([1, 2])
    for call in (lambda: unbound * unbound, lambda: unbound**3, lambda: _rotated(unbound)):
        refused(call, ringlet.LogicError, "bind")
    assert keep()


def _rotated(a: Any) -> Any:
    return a.rotate(1) if hasattr(a, "rotate") else a.rotate_rows(1)


def check_foreign(secret: Any, public: Any, foreign: Any) -> None:
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
        refused(call, ringlet.ContextMismatch, secret.fingerprint, foreign.fingerprint)
    refused(lambda: public.load_ciphertext(b.to_bytes()), ringlet.InvalidArgument)
    assert keep()


def test_wrong_context(scheme: ModuleType, secret: Any, public: Any) -> None:
    for other in SCHEMES:
        foreign = other.SecretContext(make_parameters(other, security="none"))
        check_foreign(secret, public, foreign)
    if scheme is not ckks:
        stranger = ckks.SecretContext(make_parameters(ckks)).encrypt(1)
        refused(lambda: secret.noise_budget(stranger), ringlet.ContextMismatch)


def test_invalid_plaintexts(scheme: ModuleType, public: Any) -> None:
    a = public.encrypt([1, 2])
    keep = unchanged(a)
    values = np.zeros(public.slot_count + 1, dtype=int)
    for call in (lambda: a + values, lambda: values * a, lambda: public.encrypt(values)):
        refused(call, ringlet.InvalidArgument, str(public.slot_count))
    wrong = float("nan") if scheme is ckks else 0.5
    for call in (
        lambda: a + wrong,
        lambda: wrong - a,
        lambda: a * wrong,
        lambda: a.multiply(wrong),
    ):
        refused(call, ringlet.InvalidArgument)
    for call in (lambda: a + "1", lambda: a * None, lambda: {} - a, lambda: a / 2, lambda: a**0.5):
        with pytest.raises(TypeError):
            call()
    for exponent in (0, -1, 2**70):
        refused(lambda: a**exponent, ringlet.InvalidArgument, "exponent")
    assert keep()


def test_transparent_results(public: Any) -> None:
    a = public.encrypt([1, 2])
    for call in (lambda: a - a, lambda: a * 0):
        refused(call, ringlet.LogicError, "transparent")


def test_wrong_steps(public: Any) -> None:
    a = public.encrypt([1, 2])
    rotate = getattr(a, "rotate", None) or a.rotate_rows
    for steps in (2048, -2048, 2**40, 1.5, "1"):
        refused(lambda: rotate(steps), ringlet.InvalidArgument)
    refused(lambda: getattr(a.square(), rotate.__name__)(1), ringlet.InvalidArgument, "size")


def test_repr_shows_no_values(secret: Any, public: Any, scheme: ModuleType) -> None:
    start = f"<{scheme.__name__}."
    for item in (secret, public, secret.encrypt(1234), secret.encode(1234), secret.parameters):
        assert repr(item).startswith(start) and "1234" not in repr(item)
    assert "not bound" in repr(secret.encrypt(1)) and "not bound" not in repr(public.encrypt(1))
