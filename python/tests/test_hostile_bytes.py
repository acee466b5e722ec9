# SPDX-License-Identifier: Apache-2.0
"""Damaged bytes for every loader: a typed error, or an object that is saved again as it is; at most
64 bytes of memory for each of theirs beside what good ones take, and a second of the processor for
each kilobyte. RINGLET_TEST_MUTATIONS sets how many of each."""

import hashlib
import os
import random
import re
import struct
import time
from pathlib import Path

import pytest
from support import NAMES, SCHEMES, toy

import ringlet
from ringlet import fv

COUNT = int(os.environ.get("RINGLET_TEST_MUTATIONS", 200))
SLACK = 1 << 20  # pages, and Python's own objects
LARGEST_RING = 64 << 20  # a context of FV with the largest index that parameters may name
NUMBERS = [0, 1, 2, 17, 255, 1 << 16, 1 << 31, 1 << 61, 1 << 63, (1 << 64) - 1, 0x7FF8 << 48]


def saved_key(save, secret, path):
    path.unlink(missing_ok=True)
    save(secret, path)
    return path.read_bytes()


def through_file(load, path):
    """The same loader for bytes."""

    def load_bytes(data):
        path.write_bytes(data)
        return load(path)

    return load_bytes


def from_state(cls, *rest):
    """What pickle does with a state."""

    def load(data):
        result = cls.__new__(cls)
        result.__setstate__((*rest, data) if rest else data)
        return result

    return load


def scheme_loaders(scheme, path):
    """Name, good bytes, what loads them, what saves the result again."""
    secret = toy(scheme, [40, 40])
    public = secret.public(rotations=[1])
    encrypted = public.encrypt([1, 2, 3])
    fingerprint, state = encrypted.__getstate__()
    unpickle = from_state(scheme.Ciphertext, fingerprint)
    low = {"min_security": "none"}
    to_bytes = lambda made: made.to_bytes()  # noqa: E731
    parameters = secret.parameters
    client = scheme.Client(secret=secret)
    array = client.encrypt([[1, 2, 3], [4, 5, 6]], layout="columns") + 1
    return [
        ("parameters", parameters.to_bytes(),
         lambda data: scheme.Parameters.from_bytes(data, **low), to_bytes),
        ("pickled parameters", scheme.Parameters(4096).to_bytes(),
         from_state(scheme.Parameters), to_bytes),
        ("public context", public.to_bytes(),
         lambda data: scheme.PublicContext.from_bytes(data, **low), to_bytes),
        ("public context in a file", public.to_bytes(), through_file(
            lambda file: scheme.PublicContext.load(file, lazy=False, **low), path), to_bytes),
        ("secret key", saved_key(scheme.save_secret_key, secret, path),
         through_file(lambda file: scheme.load_secret_key(file, **low), path),
         lambda made: saved_key(scheme.save_secret_key, made, path)),
        ("ciphertext", encrypted.to_bytes(), secret.load_ciphertext, to_bytes),
        ("array", array.to_bytes(), client.load, to_bytes),
        ("server", client.server().to_bytes(),
         lambda data: ringlet.arrays.Server.from_bytes(data, **low), to_bytes),
        ("pickled ciphertext", state, lambda data: public.bind(unpickle(data)), to_bytes),
    ]  # fmt: skip


def other_loaders(path):
    context = fv.Context(fv.Parameters.reproduction_2420(), security="none")
    secret = fv.SecretKey.generate(context)
    public = secret.public_key()
    circuit = ringlet.Circuit(8)
    a, b = circuit.input(1.0), circuit.input(2.0)
    circuit.output((a * b + [1.5, 2.5]).rotate(3) * 3 - a)
    to_bytes = lambda made: made.to_bytes()  # noqa: E731
    low = {"min_security": "none"}
    return [
        ("circuit", circuit.to_bytes(), ringlet.Circuit.from_bytes, to_bytes),
        ("pickled circuit", circuit.__getstate__(), from_state(ringlet.Circuit), to_bytes),
        ("FV context", context.to_bytes(),
         lambda data: fv.Context.from_bytes(data, **low), to_bytes),
        ("FV public key", public.to_bytes(),
         lambda data: fv.PublicKey.from_bytes(context, data), to_bytes),
        ("FV ciphertext", public.encrypt([1]).to_bytes(),
         lambda data: fv.Ciphertext.from_bytes(context, data), to_bytes),
        ("FV secret key", saved_key(fv.save_secret_key, secret, path),
         through_file(lambda file: fv.load_secret_key(context, file), path),
         lambda made: saved_key(fv.save_secret_key, made, path)),
    ]  # fmt: skip


def mended(data):
    """With the checksums of what is there now, so that damage gets past them."""
    data = bytearray(data)
    if data[:4] == b"\x89RGC" and len(data) > 32:
        return bytes(data[:-32] + hashlib.sha256(data[:-32]).digest())
    place = 56 if data[:4] == b"\x89RGP" else 0
    if place and len(data) >= place:
        data[24:56] = hashlib.sha256(data[:24]).digest()
    while len(data) - place >= 112:
        end = place + 112 + struct.unpack_from("<Q", data, place + 48)[0]
        if end > len(data):
            break
        summed = data[place : place + 80] + data[place + 112 : end]
        data[place + 80 : place + 112] = hashlib.sha256(summed).digest()
        place = end
    return bytes(data)


def mutated(data, rng):
    """One change, near the start half of the time: that is where the sizes stand."""
    data = bytearray(data)
    place = rng.randrange(min(len(data), 400) if rng.random() < 0.5 else len(data))
    kind = rng.randrange(5)
    if kind == 0:
        data[place] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[place] = rng.randrange(256)
    elif kind == 2:
        place -= place % 8
        data[place : place + 8] = struct.pack("<Q", rng.choice(NUMBERS))
    elif kind == 3:
        del data[place : place + rng.randrange(1, 25)]
    else:
        data[place:place] = data[rng.randrange(len(data)) :][: rng.randrange(1, 25)]
    return mended(data) if rng.random() < 0.8 else bytes(data)


def peak_memory():
    return 1024 * int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1])


def check(name, good, load, save):
    assert save(load(save(load(good)))) == good, name
    rng = random.Random(name)
    refused, slowest = 0, 0.0
    Path("/proc/self/clear_refs").write_text("5")
    before = peak_memory()
    for _ in range(COUNT):
        data = mutated(good, rng)
        start = time.thread_time()
        try:
            made = load(data)
        except (ringlet.InvalidArgument, ringlet.RuntimeFailure, ringlet.ContextMismatch):
            refused, made = refused + 1, None
        slowest = max(slowest, (time.thread_time() - start) / max(1, len(data) / 1024))
        if made is not None:
            again = save(made)
            assert save(load(again)) == again, name
    taken = peak_memory() - before
    print(f"{name}: {refused} of {COUNT} refused, {taken >> 10} KiB, {slowest:.4f} s/kB at worst")
    assert refused > COUNT // 20
    assert taken <= 64 * len(good) + SLACK + (LARGEST_RING if name == "FV context" else 0), name
    assert slowest <= 1, name


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_damage_to_objects_of_a_scheme_costs_little(scheme, tmp_path):
    for loader in scheme_loaders(scheme, tmp_path / "file"):
        check(*loader)


def test_damage_to_circuits_and_fv_costs_little(tmp_path):
    for loader in other_loaders(tmp_path / "file"):
        check(*loader)
