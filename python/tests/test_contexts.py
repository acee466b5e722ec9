# SPDX-License-Identifier: Apache-2.0
"""Who holds the secret key is a matter of type; who is bound to which keys is explicit."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest

import ringlet
from ringlet import ckks


def reachable(root: object) -> list[object]:
    """All that public attributes lead to, without the modules and classes themselves."""
    found: list[object] = []
    queue = [root]
    while queue:
        item = queue.pop()
        if isinstance(item, (str, bytes, int, float, type)) or callable(item):
            continue
        if any(item is seen for seen in found):
            continue
        found.append(item)
        if isinstance(item, (list, tuple)):
            queue += item
        elif type(item).__module__.startswith("ringlet"):
            queue += [getattr(item, name) for name in dir(item) if not name.startswith("_")]
    return found


def test_public_context_has_no_way_to_decrypt(public: ckks.PublicContext) -> None:
    assert type(public) is ckks.PublicContext
    assert not isinstance(public, ckks.SecretContext)
    names = [name for name in dir(public) if re.search("decrypt|decode|secret", name, re.I)]
    assert names == []
    assert not any(isinstance(item, ckks.SecretContext) for item in reachable(public))
    with pytest.raises(TypeError):
        ckks.SecretContext.decrypt(public, public.encrypt(1.0))
    with pytest.raises(TypeError):
        ckks.PublicContext()


def test_ciphertexts_and_plaintexts_do_not_lead_to_the_secret(secret: ckks.SecretContext) -> None:
    for item in (secret.encrypt(1.0), secret.encode(1.0)):
        assert not any(isinstance(thing, ckks.SecretContext) for thing in reachable(item))


def test_secret_context_gives_no_key_away(secret: ckks.SecretContext) -> None:
    assert [name for name in dir(secret) if "key" in name.lower()] == []
    assert not hasattr(secret, "__dict__")


def test_repr_shows_no_values(secret: ckks.SecretContext, public: ckks.PublicContext) -> None:
    message = 1234.5678
    for item in (secret, public, secret.encrypt(message), secret.encode(message)):
        assert repr(item).startswith("<ringlet.ckks.") and "1234" not in repr(item)
    assert "not bound" in repr(secret.encrypt(1.0))
    assert "level=2 scale=2^40.00" in repr(public.encrypt(1.0))


@pytest.mark.parametrize(
    "duplicate",
    [
        pickle.dumps,
        lambda x: pickle.dumps([x]),
        lambda x: pickle.dumps(x, protocol=2),
        copy.copy,
        copy.deepcopy,
    ],
)
def test_secret_context_refuses_pickling(secret: ckks.SecretContext, duplicate) -> None:
    with pytest.raises(ringlet.LogicError, match="secret key") as caught:
        duplicate(secret)
    assert "public" in caught.value.remedy


def test_binding(secret: ckks.SecretContext, public: ckks.PublicContext) -> None:
    fresh = secret.encrypt([1.0, 2.0])
    assert not fresh.is_bound and public.encrypt(1.0).is_bound
    for call in (lambda: fresh * fresh, fresh.conjugate, fresh.square().relinearize):
        with pytest.raises(ringlet.LogicError, match="bind"):
            call()
    assert secret.decrypt((fresh + 1.0) * 2.0)[:2] == pytest.approx([4.0, 6.0], abs=1e-5)
    bound = public.bind(fresh)
    assert bound.is_bound and not fresh.is_bound
    assert np.array_equal(bound.residues(), fresh.residues())
    # The unbound operand follows the bound one, on either side.
    for product in (fresh * bound, bound * fresh):
        assert product.is_bound
        assert secret.decrypt(product)[:2] == pytest.approx([1.0, 4.0], abs=1e-4)


def test_two_public_contexts_do_not_mix(
    secret: ckks.SecretContext, public: ckks.PublicContext
) -> None:
    other = secret.public(rotations=[])
    a, b = public.encrypt(1.0), other.encrypt(1.0)
    for call in (lambda: a + b, lambda: a * b, lambda: a.multiply(b)):
        with pytest.raises(ringlet.LogicError, match="bind"):
            call()
    assert secret.decrypt(a + public.bind(b))[0] == pytest.approx(2.0, abs=1e-5)
    with pytest.raises(ringlet.LogicError, match="Galois"):
        b.rotate(1)


def test_other_parameters_are_refused(public: ckks.PublicContext) -> None:
    foreign = ckks.SecretContext(ckks.Parameters(4096, [40, 30, 36], scale_bits=30))
    for call in (
        lambda: public.bind(foreign.encrypt(1.0)),
        lambda: public.encrypt(1.0) + foreign.encrypt(1.0),
        lambda: public.encrypt(1.0) * foreign.encode(1.0),
        lambda: public.encrypt(foreign.encode(1.0)),
        lambda: foreign.decrypt(public.encrypt(1.0)),
        lambda: foreign.decode(public.encode(1.0)),
    ):
        with pytest.raises(ringlet.InvalidArgument):
            call()


def test_another_key_decrypts_to_noise(parameters: ckks.Parameters) -> None:
    message = np.full(4096, 0.5)
    encrypted = ckks.SecretContext(parameters).encrypt(message)
    wrong = ckks.SecretContext(parameters).decrypt(encrypted)
    assert np.abs(wrong - message).min() > 1e-3


@pytest.mark.parametrize("rotations", [[0], [4096], [1.5], [2**40]])
def test_wrong_rotations(secret: ckks.SecretContext, rotations: list) -> None:
    with pytest.raises(ringlet.InvalidArgument):
        secret.public(rotations=rotations)


def test_key_sizes(public: ckks.PublicContext) -> None:
    one_key = 3 * 2 * 4 * 8192 * 8  # digits, polynomials, primes, residues, bytes
    assert public.relin_keys_nbytes == one_key
    assert public.galois_keys_nbytes == 4 * one_key
    assert public.public_key_nbytes == 2 * 4 * 8192 * 8
    assert public.backend == "cpu"
