# SPDX-License-Identifier: Apache-2.0
"""Bytes, files and pickles of the schemes; ciphertexts that travel between processes."""

from __future__ import annotations

import concurrent.futures
import copy
import hashlib
import multiprocessing
import os
import pickle
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ringlet
from ringlet import bfv, bgv, ckks

N = 4096
SCHEMES = [ckks, bfv, bgv]


def make_parameters(scheme: ModuleType, **options: Any) -> Any:
    scale = {"scale_bits": 30} if scheme is ckks else {"plain_bits": 16}
    return scheme.Parameters(N, data_bits=[35, 35], special_bits=[36], **scale, **options)


@pytest.fixture(scope="module", params=SCHEMES, ids=["ckks", "bfv", "bgv"])
def scheme(request: pytest.FixtureRequest) -> ModuleType:
    return request.param


@pytest.fixture(scope="module")
def secret(scheme: ModuleType) -> Any:
    return scheme.SecretContext(make_parameters(scheme))


@pytest.fixture(scope="module")
def public(secret: Any) -> Any:
    return secret.public(rotations=[1, 2])


@pytest.fixture
def x(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(-4, 5, N // 2)


def holds(secret: Any, encrypted: Any, expected: np.ndarray) -> bool:
    return bool(np.abs(secret.decrypt(encrypted)[: len(expected)] - expected).max() < 0.01)


def rotated(encrypted: Any, steps: int) -> Any:
    rotate = encrypted.rotate if hasattr(encrypted, "rotate") else encrypted.rotate_rows
    return rotate(steps)


# Ciphertexts


def test_ciphertexts_as_bytes(secret: Any, public: Any, x: np.ndarray) -> None:
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


def test_symmetric_ciphertexts_have_half_the_size(secret: Any, public: Any, x: np.ndarray) -> None:
    fresh = secret.encrypt(x)
    bound = public.bind(fresh)
    for encrypted in (fresh, bound, copy.copy(bound)):
        assert encrypted.is_seeded
        assert 0 < len(encrypted.to_bytes()) - encrypted.nbytes // 2 < 300
        assert np.array_equal(public.load_ciphertext(fresh.to_bytes()).residues(), fresh.residues())
    computed = bound + 1
    assert not computed.is_seeded and len(computed.to_bytes()) > computed.nbytes
    assert not public.encrypt(x).is_seeded


def test_damaged_ciphertexts_are_refused(secret: Any, public: Any, x: np.ndarray) -> None:
    data = secret.encrypt(x).to_bytes()
    for broken in (b"", data[:10], data[:-1]):
        with pytest.raises(ringlet.RuntimeFailure):
            public.load_ciphertext(broken)
    for position in (0, 9, 20, 50, 70, 100, len(data) // 2, len(data) - 1):
        flipped = bytearray(data)
        flipped[position] ^= 1
        with pytest.raises(ringlet.RingletError):
            public.load_ciphertext(bytes(flipped))
    for other in (data + b"\0", secret.parameters.to_bytes(), bytes(200)):
        with pytest.raises(ringlet.InvalidArgument) as caught:
            public.load_ciphertext(other)
        assert caught.value.remedy
    with pytest.raises(ringlet.InvalidArgument, match="compression"):
        secret.encrypt(x).to_bytes(compression="gzip")
    with pytest.raises(TypeError):
        public.load_ciphertext("text")


# Pickles


def test_pickles_carry_no_context(secret: Any, public: Any, x: np.ndarray) -> None:
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


def test_unpickled_operands_follow_bound_ones(secret: Any, public: Any, x: np.ndarray) -> None:
    bound = public.encrypt(x)
    travelled = pickle.loads(pickle.dumps(bound))
    for result in (bound + travelled, travelled + bound):
        assert result.is_bound and holds(secret, result, 2 * x)
    assert holds(secret, secret.encrypt(x) + travelled, 2 * x)


def test_unpickled_ciphertexts_say_what_they_need(public: Any, x: np.ndarray) -> None:
    travelled = pickle.loads(pickle.dumps(public.encrypt(x)))
    calls: list[Callable[[], Any]] = [
        lambda: travelled + travelled,
        lambda: travelled * 2,
        lambda: 1 - travelled,
        lambda: -travelled,
        lambda: travelled**2,
        lambda: travelled.multiply(2),
        lambda: travelled.square(),
        lambda: travelled.relinearize(),
        lambda: travelled.mod_switch_to(0),
        lambda: travelled.mod_switch_to_next(),
        lambda: rotated(travelled, 1),
        lambda: travelled.residues(),
        lambda: travelled.to_bytes(),
        lambda: travelled.level,
        lambda: travelled.size,
        lambda: travelled.nbytes,
    ]
    for i, call in enumerate(calls):
        with pytest.raises(ringlet.LogicError, match="bind") as caught:
            call()
        assert public.fingerprint in str(caught.value), i


def test_other_contexts_are_a_typed_error(scheme: ModuleType, public: Any, x: np.ndarray) -> None:
    foreign = scheme.SecretContext(make_parameters(scheme, security="none")).public(rotations=[])
    travelled = pickle.loads(pickle.dumps(public.encrypt(x)))
    other_scheme = SCHEMES[(SCHEMES.index(scheme) + 1) % 3]
    stranger = other_scheme.SecretContext(make_parameters(other_scheme))
    for target in (foreign, stranger.public(rotations=[])):
        for encrypted in (travelled, public.encrypt(x)):
            with pytest.raises(ringlet.ContextMismatch) as caught:
                target.bind(encrypted)
            assert public.fingerprint in str(caught.value)
            assert target.fingerprint in str(caught.value)
            assert isinstance(caught.value, ringlet.InvalidArgument) and caught.value.remedy
            assert type(pickle.loads(pickle.dumps(caught.value))) is ringlet.ContextMismatch
    with pytest.raises(ringlet.ContextMismatch):
        stranger.decrypt(travelled)


def test_hostile_pickles(scheme: ModuleType, public: Any, x: np.ndarray) -> None:
    encrypted = public.encrypt(x)
    fingerprint, data = encrypted.__getstate__()

    def rebuilt(*state: Any) -> Any:
        ciphertext = scheme.Ciphertext.__new__(scheme.Ciphertext)
        ciphertext.__setstate__(state)
        return ciphertext

    assert np.array_equal(public.bind(rebuilt(fingerprint, data)).residues(), encrypted.residues())
    for wrong in ("", "text", fingerprint[:-1], fingerprint.upper(), fingerprint + "0"):
        with pytest.raises(ringlet.InvalidArgument):
            rebuilt(wrong, data)
    with pytest.raises(TypeError):
        rebuilt(fingerprint, "text")
    for broken in (b"", data[:-1], data[:200] + b"\xff" * 8 + data[208:]):
        with pytest.raises(ringlet.RingletError):
            public.bind(rebuilt(fingerprint, broken))
    # The right fingerprint over a file of another context.
    foreign = scheme.SecretContext(make_parameters(scheme, security="none"))
    with pytest.raises(ringlet.InvalidArgument):
        public.bind(rebuilt(fingerprint, foreign.encrypt(x).to_bytes()))


@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.copy, copy.deepcopy])
def test_contexts_refuse_pickling(secret: Any, public: Any, duplicate: Any) -> None:
    with pytest.raises(ringlet.LogicError, match="secret key"):
        duplicate(secret)
    with pytest.raises(ringlet.LogicError, match="to_bytes"):
        duplicate(public)
    with pytest.raises((TypeError, pickle.PicklingError)):
        duplicate(public.encode(1))


def test_copies_of_ciphertexts_stay_bound(public: Any, x: np.ndarray) -> None:
    encrypted = public.encrypt(x)
    for duplicate in (copy.copy(encrypted), copy.deepcopy([encrypted])[0]):
        assert duplicate.is_bound and np.array_equal(duplicate.residues(), encrypted.residues())


# What a worker does: of names that every process can import.
WORK = (
    "(public := getattr(__import__('ringlet'), name).PublicContext.from_bytes(keys))"
    " and public.bind(a) * b - 3"
)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_ciphertexts_travel_between_processes(
    scheme: ModuleType, secret: Any, public: Any, x: np.ndarray, method: str
) -> None:
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


def _encrypt_in_child(sides: list[Any], connection: Any) -> None:
    connection.send([hashlib.sha256(s.encrypt(0).residues()).digest() for s in sides * 2])
    connection.close()


def test_forked_children_never_repeat_randomness(secret: Any, public: Any) -> None:
    sides = [secret, public]
    for side in sides:
        side.encrypt(0)  # whatever state there is exists before the fork
    context = multiprocessing.get_context("fork")
    digests, children = [], []
    for _ in range(2):
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=_encrypt_in_child, args=(sides, sender))
        child.start()
        sender.close()
        children.append((child, receiver))
    for child, receiver in children:
        digests += receiver.recv()
        child.join(60)
        assert child.exitcode == 0
    digests += [hashlib.sha256(s.encrypt(0).residues()).digest() for s in sides * 2]
    assert len(digests) == len(set(digests)) == 12


# Parameters, public contexts and secret keys


def test_parameters_as_bytes(scheme: ModuleType) -> None:
    for parameters in (make_parameters(scheme), scheme.Parameters(16384)):
        data = parameters.to_bytes()
        assert len(data) < 500
        assert scheme.Parameters.from_bytes(data) == parameters
        for duplicate in (pickle.loads(pickle.dumps(parameters)), copy.deepcopy(parameters)):
            assert duplicate == parameters and hash(duplicate) == hash(parameters)
            assert type(duplicate) is scheme.Parameters
        for other in SCHEMES:
            if other is not scheme:
                with pytest.raises(ringlet.ContextMismatch, match=scheme.__name__):
                    other.Parameters.from_bytes(data)
        for position in range(0, len(data), 7):
            flipped = bytearray(data)
            flipped[position] ^= 0x10
            with pytest.raises(ringlet.RingletError):
                scheme.Parameters.from_bytes(bytes(flipped))
        for end in range(0, len(data), 5):
            with pytest.raises(ringlet.RuntimeFailure):
                scheme.Parameters.from_bytes(data[:end])
        with pytest.raises(ringlet.InvalidArgument):
            scheme.Parameters.from_bytes(data + b"\0")


def test_parameters_of_the_library(scheme: ModuleType) -> None:
    """Behind the first 56 bytes is a file of the C++ library, which is read as it is too."""
    parameters = make_parameters(scheme)
    bare = parameters.to_bytes()[56:]
    if scheme is ckks:
        with pytest.raises(ringlet.InvalidArgument, match="scale"):
            ckks.Parameters.from_bytes(bare)
        assert ckks.Parameters.from_bytes(bare, scale_bits=30) == parameters
    else:
        assert scheme.Parameters.from_bytes(bare) == parameters


def test_public_contexts_as_bytes(
    scheme: ModuleType, secret: Any, public: Any, x: np.ndarray
) -> None:
    for compression in ("none", "zstd"):
        data = public.to_bytes(compression=compression)
        # Seeds stand for the uniform halves.
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


def test_public_contexts_without_all_keys(scheme: ModuleType, secret: Any, x: np.ndarray) -> None:
    bare = secret.public(rotations=[], relinearization=False)
    loaded = scheme.PublicContext.from_bytes(bare.to_bytes())
    assert holds(secret, loaded.encrypt(x) + 1, x + 1)
    with pytest.raises(ringlet.LogicError, match="relinearization"):
        loaded.encrypt(x) * loaded.encrypt(x)
    with pytest.raises(ringlet.LogicError, match="Galois"):
        rotated(loaded.encrypt(x), 1)


def test_bytes_behind_a_file_without_galois_keys(
    scheme: ModuleType, secret: Any, x: np.ndarray, tmp_path: Path
) -> None:
    """Nothing is left to be read later: then the end is looked for, lazy or not."""
    path = tmp_path / "public"
    secret.public(rotations=[]).save(path)
    for lazy in (True, False):
        assert holds(secret, scheme.PublicContext.load(path, lazy=lazy).encrypt(x), x)
    path.write_bytes(path.read_bytes() + b"\0")
    for lazy in (True, False):
        with pytest.raises(ringlet.InvalidArgument, match="behind"):
            scheme.PublicContext.load(path, lazy=lazy)


def test_a_list_of_rotations_makes_these_keys_alone(
    scheme: ModuleType, secret: Any, x: np.ndarray, tmp_path: Path
) -> None:
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
    with pytest.raises(ringlet.RingletError):
        rotated(loaded.encrypt(x), 4)


def test_damaged_public_contexts_are_refused(scheme: ModuleType, public: Any) -> None:
    data = public.to_bytes()
    step = len(data) // 40
    for position in [*range(0, 300, 9), *range(300, len(data), step)]:
        flipped = bytearray(data)
        flipped[position] ^= 1
        with pytest.raises(ringlet.RingletError):
            scheme.PublicContext.from_bytes(bytes(flipped))
    for end in [*range(0, 300, 9), *range(300, len(data), step)]:
        with pytest.raises(ringlet.RingletError):
            scheme.PublicContext.from_bytes(data[:end])
    with pytest.raises(ringlet.InvalidArgument, match="behind"):
        scheme.PublicContext.from_bytes(data + b"\0")
    # A container of other parts, with a checksum that is right.
    head = data[:8] + struct.pack("<II", 1, 8) + data[16:24]
    forged = head + hashlib.sha256(head).digest() + data[56:]
    with pytest.raises(ringlet.InvalidArgument, match="parts"):
        scheme.PublicContext.from_bytes(forged)


def test_unchecked_parameters_need_consent(scheme: ModuleType, tmp_path: Path) -> None:
    parameters = make_parameters(scheme, security="none")
    public = scheme.SecretContext(parameters).public(rotations=[], relinearization=False)
    data, path = public.to_bytes(), tmp_path / "public"
    public.save(path)
    for load in (
        lambda **options: scheme.PublicContext.from_bytes(data, **options),
        lambda **options: scheme.PublicContext.load(path, **options),
    ):
        with pytest.raises(ringlet.InvalidArgument, match="allow_unchecked"):
            load()
        assert load(allow_unchecked=True).fingerprint == public.fingerprint


def test_public_contexts_in_files(
    scheme: ModuleType, secret: Any, public: Any, x: np.ndarray, tmp_path: Path
) -> None:
    path = tmp_path / "public"
    public.save(path)
    assert path.read_bytes() == public.to_bytes()
    for lazy in (True, False):
        loaded = scheme.PublicContext.load(path, lazy=lazy)
        a = loaded.encrypt(x)
        assert holds(secret, rotated(a, 2), np.roll(x, -2))
        assert holds(secret, rotated(a * 2, 1), np.roll(2 * x, -1))
    with pytest.raises(ringlet.RuntimeFailure, match="nothing"):
        scheme.PublicContext.load(tmp_path / "nothing")
    with pytest.raises(ringlet.RuntimeFailure, match="nowhere"):
        public.save(tmp_path / "nowhere" / "public")
    with pytest.raises(ringlet.InvalidArgument, match="compression"):
        public.save(path, compression="lz4")


def test_lazy_keys_are_checked_when_they_are_used(
    scheme: ModuleType, secret: Any, public: Any, x: np.ndarray, tmp_path: Path
) -> None:
    path = tmp_path / "public"
    public.save(str(path))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1  # in the last Galois key
    path.write_bytes(data)
    with pytest.raises(ringlet.InvalidArgument):
        scheme.PublicContext.load(path, lazy=False)
    loaded = scheme.PublicContext.load(path)
    a = loaded.encrypt(x)
    good = bad = 0
    for steps in (1, 2):
        try:
            good += holds(secret, rotated(a, steps), np.roll(x, -steps))
        except ringlet.InvalidArgument:
            bad += 1
    assert (good, bad) == (1, 1)


def _rotate_in_child(context: Any, encrypted: Any, steps: list[int], connection: Any) -> None:
    try:
        connection.send([rotated(context.bind(encrypted), k).to_bytes() for k in steps])
    except ringlet.RingletError as error:
        connection.send(str(error))
    connection.close()


def test_forked_children_may_share_a_lazy_file(
    scheme: ModuleType, secret: Any, x: np.ndarray, tmp_path: Path
) -> None:
    """Each one reads keys at its own position of the file that it inherits."""
    path = tmp_path / "public"
    steps = list(range(1, 9))
    secret.public(rotations=steps).save(path)
    loaded = scheme.PublicContext.load(path)
    encrypted = loaded.encrypt(x)
    context = multiprocessing.get_context("fork")
    children = []
    for shift in range(3):
        receiver, sender = context.Pipe(duplex=False)
        order = steps[shift:] + steps[:shift]
        child = context.Process(target=_rotate_in_child, args=(loaded, encrypted, order, sender))
        child.start()
        sender.close()
        children.append((child, receiver, order))
    for child, receiver, order in children:
        results = receiver.recv()
        child.join(60)
        assert isinstance(results, list), results
        for k, data in zip(order, results, strict=True):
            assert holds(secret, secret.load_ciphertext(data), np.roll(x, -k))


def test_secret_keys_only_by_name(
    scheme: ModuleType, secret: Any, x: np.ndarray, tmp_path: Path
) -> None:
    path = tmp_path / "secret"
    encrypted = secret.encrypt(x)
    assert not hasattr(secret, "to_bytes") and not hasattr(secret, "save")
    scheme.save_secret_key(secret, path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.path.getsize(path) < 1000 + N // 4
    again = scheme.load_secret_key(path)
    assert type(again) is scheme.SecretContext and again.parameters == secret.parameters
    assert holds(again, encrypted, x) and holds(secret, again.encrypt(x), x)
    with pytest.raises(ringlet.RuntimeFailure, match="exists"):
        scheme.save_secret_key(secret, path)
    other = SCHEMES[(SCHEMES.index(scheme) + 1) % 3]
    with pytest.raises(ringlet.ContextMismatch):
        other.load_secret_key(path)
    with pytest.raises(ringlet.RuntimeFailure):
        scheme.load_secret_key(tmp_path / "nothing")
    with pytest.raises(ringlet.InvalidArgument):
        scheme.PublicContext.load(path)


def test_damaged_secret_keys_are_refused(scheme: ModuleType, secret: Any, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    scheme.save_secret_key(secret, path)
    data = path.read_bytes()
    for position in (0, 30, 60, 200, len(data) - 1):
        flipped = bytearray(data)
        flipped[position] ^= 1
        path.write_bytes(flipped)
        with pytest.raises(ringlet.RingletError):
            scheme.load_secret_key(path)
    for broken in (data[:-1], data + b"\0", b""):
        path.write_bytes(broken)
        with pytest.raises(ringlet.RingletError):
            scheme.load_secret_key(path)
    path.write_bytes(data)
    scheme.load_secret_key(path)
