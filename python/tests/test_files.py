# SPDX-License-Identifier: Apache-2.0
"""Bytes, files and pickles of the schemes; ciphertexts that travel between processes."""

import concurrent.futures
import copy
import functools
import hashlib
import multiprocessing
import os
import pickle
import re
import stat
import struct
from pathlib import Path

import numpy as np
import pytest
from support import (
    NAMES,
    SCHEMES,
    flipped,
    from_forked,
    refused,
    refused_call,
    rotated,
    small_parameters,
)

import ringlet
from ringlet import ckks

N = 4096


@pytest.fixture(scope="module", params=SCHEMES, ids=NAMES)
def scheme(request):
    return request.param


@pytest.fixture(scope="module")
def secret(scheme):
    return scheme.SecretContext(small_parameters(scheme))


@pytest.fixture(scope="module")
def public(secret):
    return secret.public(rotations=[1, 2])


@pytest.fixture
def x(rng):
    return rng.integers(-4, 5, N // 2)


def holds(secret, encrypted, expected):
    return bool(np.abs(secret.decrypt(encrypted)[: len(expected)] - expected).max() < 0.01)


# Ciphertexts


def test_ciphertexts_as_bytes(secret, public, x):
    encrypted = public.encrypt(x)
    data = encrypted.to_bytes()
    assert isinstance(data, bytes) and 0 < len(data) - encrypted.nbytes < 300
    for side in (secret, public):
        loaded = side.load_ciphertext(data)
        assert np.array_equal(loaded.residues(), encrypted.residues())
        assert (loaded.level, loaded.size) == (encrypted.level, encrypted.size)
        assert holds(secret, loaded, x)
    assert public.load_ciphertext(data).is_bound and not secret.load_ciphertext(data).is_bound
    compressed = encrypted.to_bytes(compression="zstd")
    assert np.array_equal(public.load_ciphertext(compressed).residues(), encrypted.residues())
    for other in (encrypted.square(), encrypted.mod_switch_to(0)):
        loaded = public.load_ciphertext(other.to_bytes())
        assert (loaded.level, loaded.size) == (other.level, other.size)
        assert holds(secret, loaded, x * x if other.size == 3 else x)


def test_symmetric_ciphertexts_have_half_the_size(secret, public, x):
    fresh = secret.encrypt(x)
    bound = public.bind(fresh)
    for encrypted in (fresh, bound, copy.copy(bound)):
        assert encrypted.is_seeded
        assert 0 < len(encrypted.to_bytes()) - encrypted.nbytes // 2 < 300
        assert np.array_equal(public.load_ciphertext(fresh.to_bytes()).residues(), fresh.residues())
    computed = bound + 1
    assert not computed.is_seeded and len(computed.to_bytes()) > computed.nbytes
    assert not public.encrypt(x).is_seeded


def test_damaged_ciphertexts_are_refused(secret, public, x):
    data = secret.encrypt(x).to_bytes()
    for broken in (b"", data[:10], data[:-1]):
        refused_call(public.load_ciphertext, broken, error=ringlet.RuntimeFailure)
    for position in (0, 9, 20, 50, 70, 100, len(data) // 2, len(data) - 1):
        refused_call(public.load_ciphertext, flipped(data, position), error=ringlet.RingletError)
    for other in (data + b"\0", secret.parameters.to_bytes(), bytes(200)):
        refused_call(public.load_ciphertext, other)
    refused_call(secret.encrypt(x).to_bytes, compression="gzip", says=["compression"])
    with pytest.raises(TypeError):
        public.load_ciphertext("text")


# Pickles


def test_pickles_carry_no_context(secret, public, x):
    for encrypted in (public.encrypt(x), public.bind(secret.encrypt(x))):
        data = pickle.dumps(encrypted)
        assert len(data) - len(encrypted.to_bytes()) < 400
        travelled = pickle.loads(data)
        assert type(travelled) is type(encrypted) and not travelled.is_bound
        assert travelled.fingerprint == encrypted.fingerprint == public.fingerprint
        assert "not bound" in repr(travelled) and public.fingerprint[:16] in repr(travelled)
        # It can travel on, and be decrypted where the context is.
        assert holds(secret, pickle.loads(pickle.dumps(travelled)), x)
        bound = public.bind(travelled)
        assert bound.is_bound and np.array_equal(bound.residues(), encrypted.residues())
        assert holds(secret, bound * 2, 2 * x)


def test_unpickled_operands_follow_bound_ones(secret, public, x):
    bound = public.encrypt(x)
    travelled = pickle.loads(pickle.dumps(bound))
    for result in (bound + travelled, travelled + bound):
        assert result.is_bound and holds(secret, result, 2 * x)
    assert holds(secret, secret.encrypt(x) + travelled, 2 * x)


def test_unpickled_ciphertexts_say_what_they_need(public, x):
    travelled = pickle.loads(pickle.dumps(public.encrypt(x)))
    for call in (
        lambda: travelled + travelled,
        lambda: travelled * 2,
        lambda: 1 - travelled,
        lambda: -travelled,
        lambda: travelled**2,
        lambda: travelled.multiply(2),
        travelled.square,
        travelled.relinearize,
        lambda: travelled.mod_switch_to(0),
        travelled.mod_switch_to_next,
        lambda: rotated(travelled, 1),
        travelled.residues,
        travelled.to_bytes,
        lambda: travelled.level,
        lambda: travelled.size,
        lambda: travelled.nbytes,
    ):
        refused(call, "bind", public.fingerprint[:16], error=ringlet.LogicError)


def test_other_contexts_are_a_typed_error(scheme, public, x):
    foreign = scheme.SecretContext(small_parameters(scheme, security="none")).public(rotations=[])
    travelled = pickle.loads(pickle.dumps(public.encrypt(x)))
    other_scheme = SCHEMES[(SCHEMES.index(scheme) + 1) % 3]
    stranger = other_scheme.SecretContext(small_parameters(other_scheme))
    for target in (foreign, stranger.public(rotations=[])):
        for encrypted in (travelled, public.encrypt(x)):
            words = [public.fingerprint[:16], target.fingerprint[:16]]
            error = refused_call(target.bind, encrypted, says=words, error=ringlet.ContextMismatch)
            assert isinstance(error, ringlet.InvalidArgument)
            assert type(pickle.loads(pickle.dumps(error))) is ringlet.ContextMismatch
    refused_call(stranger.decrypt, travelled, error=ringlet.ContextMismatch)


def test_hostile_pickles(scheme, public, x):
    encrypted = public.encrypt(x)
    fingerprint, data = encrypted.__getstate__()

    def rebuilt(*state):
        ciphertext = scheme.Ciphertext.__new__(scheme.Ciphertext)
        ciphertext.__setstate__(state)
        return ciphertext

    assert np.array_equal(public.bind(rebuilt(fingerprint, data)).residues(), encrypted.residues())
    for wrong in ("", "text", fingerprint[:-1], fingerprint.upper(), fingerprint + "0"):
        refused_call(rebuilt, wrong, data)
    with pytest.raises(TypeError):
        rebuilt(fingerprint, "text")
    for broken in (b"", data[:-1], data[:200] + b"\xff" * 8 + data[208:]):
        refused_call(public.bind, rebuilt(fingerprint, broken), error=ringlet.RingletError)
    # The right fingerprint over a file of another context.
    foreign = scheme.SecretContext(small_parameters(scheme, security="none"))
    refused_call(public.bind, rebuilt(fingerprint, foreign.encrypt(x).to_bytes()))


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
def test_contexts_refuse_pickling(secret, public, duplicate):
    error = refused_call(duplicate, secret, says=["secret key"], error=ringlet.LogicError)
    assert "public" in error.remedy
    refused_call(duplicate, public, says=["to_bytes"], error=ringlet.LogicError)
    with pytest.raises((TypeError, pickle.PicklingError)):
        duplicate(public.encode(1))


def test_copies_of_ciphertexts_stay_bound(public, x):
    encrypted = public.encrypt(x)
    for duplicate in (copy.copy(encrypted), copy.deepcopy([encrypted])[0]):
        assert duplicate.is_bound and np.array_equal(duplicate.residues(), encrypted.residues())


# The work of a process; it uses only names that every process can import.
WORK = (
    "(public := getattr(__import__('ringlet'), name).PublicContext.from_bytes(keys))"
    " and public.bind(a) * b - 3"
)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_ciphertexts_travel_between_processes(scheme, secret, public, x, method):
    start_method = multiprocessing.get_context(method)
    pool = concurrent.futures.ProcessPoolExecutor(2, mp_context=start_method)
    inputs = {"name": scheme.__name__.rsplit(".")[-1], "keys": public.to_bytes()}
    with pool:
        jobs = [
            pool.submit(eval, WORK, {**inputs, "a": secret.encrypt(x), "b": public.encrypt(x + i)})
            for i in range(2)
        ]
        for i, job in enumerate(jobs):
            result = public.bind(job.result(timeout=120))
            assert holds(secret, result, x * (x + i) - 3)


def test_forked_children_never_repeat_randomness(secret, public):
    def encrypted_twice():
        sides = [secret, public] * 2
        return [hashlib.sha256(side.encrypt(0).residues()).digest() for side in sides]

    encrypted_twice()  # makes sure that all state exists before the fork
    digests = sum(from_forked(encrypted_twice, [()] * 2), encrypted_twice())
    assert len(digests) == len(set(digests)) == 12


# Parameters, public contexts and secret keys


def test_parameters_as_bytes(scheme):
    load = scheme.Parameters.from_bytes
    for parameters in (small_parameters(scheme), scheme.Parameters(16384)):
        data = parameters.to_bytes()
        assert len(data) < 500 and load(data) == parameters
        for duplicate in (pickle.loads(pickle.dumps(parameters)), copy.deepcopy(parameters)):
            assert duplicate == parameters and hash(duplicate) == hash(parameters)
            assert type(duplicate) is scheme.Parameters
        for other in SCHEMES:
            if other is not scheme:
                mismatch = {"says": [scheme.__name__], "error": ringlet.ContextMismatch}
                refused_call(other.Parameters.from_bytes, data, **mismatch)
        for position in range(0, len(data), 7):
            refused_call(load, flipped(data, position, 0x10), error=ringlet.RingletError)
        for end in range(0, len(data), 5):
            refused_call(load, data[:end], error=ringlet.RuntimeFailure)
        refused_call(load, data + b"\0")


def test_scales_that_the_primes_cannot_hold(scheme):
    """In parameters, with a checksum that is right; the data primes have 70 bits."""
    data = small_parameters(scheme).to_bytes()
    for scale in (0.0, 0.5, 2.0**70, 1e308, float("nan")):
        head = data[:16] + struct.pack("<d", scale)
        bytes_of_scale = head + hashlib.sha256(head).digest() + data[56:]
        refused_call(scheme.Parameters.from_bytes, bytes_of_scale, says=["scale = "])
        if scheme is ckks:
            refused_call(
                ckks.Parameters, 4096, data_bits=[35, 35], special_bits=[36], scale=scale,
                says=["scale = "],
            )  # fmt: skip


def test_parameters_of_the_library(scheme):
    """Behind the first 56 bytes is a file of the C++ library, which is read as it is too."""
    parameters = small_parameters(scheme)
    bare = parameters.to_bytes()[56:]
    if scheme is ckks:
        refused_call(ckks.Parameters.from_bytes, bare, says=["scale"])
        assert ckks.Parameters.from_bytes(bare, scale_bits=30) == parameters
    else:
        assert scheme.Parameters.from_bytes(bare) == parameters


def test_public_contexts_as_bytes(scheme, secret, public, x):
    for compression in ("none", "zstd"):
        data = public.to_bytes(compression=compression)
        # Seeds replace the uniform halves.
        keys = public.public_key_nbytes + public.relin_keys_nbytes + public.galois_keys_nbytes
        assert len(data) < 0.52 * keys
        loaded = scheme.PublicContext.from_bytes(data)
        assert loaded.fingerprint == public.fingerprint
        assert loaded.parameters == public.parameters
        assert (loaded.relin_keys_nbytes, loaded.galois_keys_nbytes) == (
            public.relin_keys_nbytes,
            public.galois_keys_nbytes,
        )
        a, b = public.encrypt(x), loaded.encrypt(x)
        for compute in (lambda c: c * c, lambda c: rotated(c, 1)):
            expected = compute(a).residues()
            assert np.array_equal(compute(loaded.bind(a)).residues(), expected)
        assert holds(secret, b, x)


def test_public_contexts_without_all_keys(scheme, secret, x):
    bare = secret.public(rotations=[], relinearization=False)
    loaded = scheme.PublicContext.from_bytes(bare.to_bytes())
    assert holds(secret, loaded.encrypt(x) + 1, x + 1)
    a = loaded.encrypt(x)
    refused(lambda: a * a, "relinearization", error=ringlet.LogicError)
    refused_call(rotated, a, 1, says=["Galois"], error=ringlet.LogicError)


def test_bytes_behind_a_file_without_galois_keys(scheme, secret, x, tmp_path):
    """Nothing is left to be read later: then the end is looked for, lazy or not."""
    path = tmp_path / "public"
    secret.public(rotations=[]).save(path)
    for lazy in (True, False):
        assert holds(secret, scheme.PublicContext.load(path, lazy=lazy).encrypt(x), x)
    path.write_bytes(path.read_bytes() + b"\0")
    for lazy in (True, False):
        refused_call(scheme.PublicContext.load, path, lazy=lazy, says=["after the end"])


def test_a_list_of_rotations_makes_these_keys_alone(scheme, secret, x, tmp_path):
    """Made for the list, saved with seeds, read one by one."""
    one, three = secret.public(rotations=[5]), secret.public(rotations=[5, -3, 2, 5])
    assert three.galois_keys_nbytes == 3 * one.galois_keys_nbytes
    path = tmp_path / "public"
    three.save(path)
    saved = path.stat().st_size - len(secret.public(rotations=[]).to_bytes())
    assert three.galois_keys_nbytes / 2 < saved < 0.51 * three.galois_keys_nbytes
    loaded = scheme.PublicContext.load(path)
    for steps in (5, -3, 2):
        assert holds(secret, rotated(loaded.encrypt(x), steps), np.roll(x, -steps))
    refused_call(rotated, loaded.encrypt(x), 4, error=ringlet.RingletError)


def test_damaged_public_contexts_are_refused(scheme, public):
    load, data = scheme.PublicContext.from_bytes, public.to_bytes()
    for place in [*range(0, 300, 9), *range(300, len(data), len(data) // 40)]:
        refused_call(load, flipped(data, place), error=ringlet.RingletError)
        refused_call(load, data[:place], error=ringlet.RingletError)
    refused_call(load, data + b"\0", says=["after the end"])
    # A container with other parts and a correct checksum.
    head = data[:8] + struct.pack("<II", 1, 8) + data[16:24]
    refused_call(load, head + hashlib.sha256(head).digest() + data[56:], says=["parts"])


def peak_bytes(call):
    """The most memory that a call took at once."""
    Path("/proc/self/clear_refs").write_text("5")
    before = int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1])
    call()
    after = int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1])
    return (after - before) * 1024


def test_memory_is_bounded_by_the_input(scheme, public, tmp_path):
    """Parameters alone make no context; max_bytes bounds all keys together."""
    parameters = small_parameters(scheme)
    data = public.to_bytes()
    total = public.public_key_nbytes + public.relin_keys_nbytes + public.galois_keys_nbytes
    (path := tmp_path / "public").write_bytes(data)
    for load, source in (
        (scheme.PublicContext.from_bytes, data),
        (scheme.PublicContext.load, path),
        (functools.partial(scheme.PublicContext.load, lazy=False), path),
    ):
        assert load(source, max_bytes=total + 1000).parameters == parameters
        refused_call(load, source, max_bytes=total // 2, says=["max_bytes"])
        refused_call(load, source, max_bytes=-1, says=["max_bytes"])
    large = scheme.Parameters(32768).to_bytes()
    for parts in (1, 7, 8):
        head = large[:8] + struct.pack("<II", 1, parts) + large[16:24]
        forged = head + hashlib.sha256(head).digest() + large[56:] + bytes(1000)
        path.write_bytes(forged)
        says = {"says": ["after the parameters"], "error": ringlet.RuntimeFailure}
        if parts == 8:
            calls = [lambda: refused_call(scheme.load_secret_key, path, **says)]
        else:
            calls = [
                lambda: refused_call(scheme.PublicContext.load, path, **says),
                lambda data=forged: refused_call(scheme.PublicContext.from_bytes, data, **says),
            ]
        for call in calls:
            assert peak_bytes(call) <= 64 * len(forged) + (1 << 20)


@pytest.mark.parametrize("security", ["none", "reproduction"])
def test_lower_security_needs_consent(scheme, security, tmp_path):
    parameters = small_parameters(scheme, security=security)
    secret = scheme.SecretContext(parameters)
    public = secret.public(rotations=[], relinearization=False)
    public.save(path := tmp_path / "public")
    scheme.save_secret_key(secret, key := tmp_path / "secret")
    for load, saved in (
        (scheme.Parameters.from_bytes, parameters.to_bytes()),
        (scheme.PublicContext.from_bytes, public.to_bytes()),
        (scheme.PublicContext.load, path),
        (scheme.load_secret_key, key),
    ):
        refused_call(load, saved, says=[f"security level {security}", "tc128", "min_security"])
        refused_call(load, saved, min_security="low", says=["min_security = 'low'"])
        found = load(saved, min_security=security)
        assert getattr(found, "parameters", found) == parameters
    refused_call(pickle.loads, pickle.dumps(parameters), says=["min_security"])
    assert copy.copy(parameters) == copy.deepcopy(parameters) == parameters


def test_secret_keys_only_by_name(scheme, secret, x, tmp_path):
    path = tmp_path / "secret"
    encrypted = secret.encrypt(x)
    assert not hasattr(secret, "to_bytes") and not hasattr(secret, "save")
    scheme.save_secret_key(secret, path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.path.getsize(path) < 1000 + N // 4
    again = scheme.load_secret_key(path)
    assert type(again) is scheme.SecretContext and again.parameters == secret.parameters
    assert holds(again, encrypted, x) and holds(secret, again.encrypt(x), x)
    failure = {"error": ringlet.RuntimeFailure}
    refused_call(scheme.save_secret_key, secret, path, says=["exists"], **failure)
    refused_call(scheme.load_secret_key, tmp_path / "nothing", **failure)
    other = SCHEMES[(SCHEMES.index(scheme) + 1) % 3]
    refused_call(other.load_secret_key, path, error=ringlet.ContextMismatch)
    refused_call(scheme.PublicContext.load, path)


def test_damaged_secret_keys_are_refused(scheme, secret, tmp_path):
    path = tmp_path / "secret"
    scheme.save_secret_key(secret, path)
    data = path.read_bytes()
    damaged = [flipped(data, position) for position in (0, 30, 60, 200, len(data) - 1)]
    for broken in (*damaged, data[:-1], data + b"\0", b""):
        path.write_bytes(broken)
        refused_call(scheme.load_secret_key, path, error=ringlet.RingletError)
    path.write_bytes(data)
    scheme.load_secret_key(path)
