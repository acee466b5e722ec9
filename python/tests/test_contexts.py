# SPDX-License-Identifier: Apache-2.0
"""Who holds the secret key is a matter of type; who is bound to which keys is explicit."""

import re

import numpy as np
import pytest
from support import NAMES, SCHEMES, refused, refused_call, rotated, small_parameters

import ringlet
from ringlet import ckks


def reachable(root):
    """All that public attributes lead to, without the modules and classes themselves."""
    found = []
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


def test_public_context_has_no_way_to_decrypt(public):
    assert type(public) is ckks.PublicContext
    assert not isinstance(public, ckks.SecretContext)
    names = [name for name in dir(public) if re.search("decrypt|decode|secret", name, re.I)]
    assert names == []
    assert not any(isinstance(item, ckks.SecretContext) for item in reachable(public))
    with pytest.raises(TypeError):
        ckks.SecretContext.decrypt(public, public.encrypt(1.0))
    with pytest.raises(TypeError):
        ckks.PublicContext()


def test_ciphertexts_and_plaintexts_do_not_lead_to_the_secret(secret):
    for item in (secret.encrypt(1.0), secret.encode(1.0)):
        assert not any(isinstance(thing, ckks.SecretContext) for thing in reachable(item))


def test_secret_context_gives_no_key_away(secret):
    assert [name for name in dir(secret) if "key" in name.lower()] == []
    assert not hasattr(secret, "__dict__")


def test_binding(secret, public):
    fresh = secret.encrypt([1.0, 2.0])
    assert not fresh.is_bound and public.encrypt(1.0).is_bound
    for call in (lambda: fresh * fresh, fresh.conjugate, fresh.square().relinearize):
        refused(call, "bind", error=ringlet.LogicError)
    assert secret.decrypt((fresh + 1.0) * 2.0)[:2] == pytest.approx([4.0, 6.0], abs=1e-5)
    bound = public.bind(fresh)
    assert bound.is_bound and not fresh.is_bound
    assert np.array_equal(bound.residues(), fresh.residues())
    # The unbound operand follows the bound one, on either side.
    for product in (fresh * bound, bound * fresh):
        assert product.is_bound
        assert secret.decrypt(product)[:2] == pytest.approx([1.0, 4.0], abs=1e-4)


def test_two_public_contexts_do_not_mix(secret, public):
    other = secret.public(rotations=[])
    a, b = public.encrypt(1.0), other.encrypt(1.0)
    for call in (lambda: a + b, lambda: a * b, lambda: a.multiply(b)):
        refused(call, "bind", error=ringlet.LogicError)
    assert secret.decrypt(a + public.bind(b))[0] == pytest.approx(2.0, abs=1e-5)
    refused(lambda: b.rotate(1), "Galois", error=ringlet.LogicError)


def test_wrong_rotations(secret):
    for rotations in ([0], [4096], [1.5], [2**40]):
        refused_call(secret.public, rotations=rotations)


def test_key_sizes(public):
    one_key = 3 * 2 * 4 * 8192 * 8  # digits, polynomials, primes, residues, bytes
    assert public.relin_keys_nbytes == one_key
    assert public.galois_keys_nbytes == 4 * one_key
    assert public.public_key_nbytes == 2 * 4 * 8192 * 8
    assert public.backend == "cpu"


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_keys_of_another_secret(scheme, tmp_path):
    ours, theirs = (scheme.SecretContext(small_parameters(scheme)) for _ in range(2))
    public, other = ours.public(rotations=[1]), theirs.public(rotations=[1])
    a, b = public.encrypt([1, 2, 3]), other.encrypt([1, 2, 3])
    of_b = public.load_ciphertext(b.to_bytes())
    for call in (lambda: a + of_b, lambda: a * of_b, lambda: rotated(of_b, 1)):
        refused(call, "secret key", "the same secret key")
    refused(lambda: ours.decrypt(of_b), "secret key", "the same secret key")
    assert np.allclose(theirs.decrypt(of_b)[:3], [1, 2, 3], atol=1e-3)
    scheme.save_secret_key(ours, tmp_path / "key")
    again = scheme.load_secret_key(tmp_path / "key")
    assert np.allclose(again.decrypt(a)[:3], [1, 2, 3], atol=1e-3)
    if scheme is ckks:
        return
    assert list(ours.decrypt(a, check=True)[:3]) == [1, 2, 3]
    for _ in range(4):
        a = a.multiply(a).relinearize()
    refused(lambda: ours.decrypt(a, check=True), "noise budget of 0 bits", "more primes")
    assert ours.noise_budget(a) == 0
