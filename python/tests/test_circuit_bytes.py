# SPDX-License-Identifier: Apache-2.0
"""Circuits as bytes: what comes back is the same circuit, and nothing else is taken."""

import hashlib
import pickle
import struct

import numpy as np
import ringlet
from ringlet import Circuit, bfv, ckks
from support import flipped, refused_call, toy

_DIGEST = 32


def everything():
    """Every operation, and known vectors of every kind."""
    circuit = Circuit(16)
    x, y = circuit.input(2.0), circuit.input()
    z = (np.arange(12).reshape(3, 4) / 7) @ x * y - 1
    circuit.bound(z, 5.0)
    circuit.output(-z.rotate(3).conjugate() + x * (0.5 + 0.25j) + [1, 2, 3])
    circuit.output(x - y * 3)
    return circuit


def test_they_come_back():
    circuit = everything()
    data = circuit.to_bytes()
    assert data[:8] == b"\x89RGC\r\n\x1a\n"
    copies = [Circuit.from_bytes(data), pickle.loads(pickle.dumps(circuit))]
    for copy in copies:
        assert copy.to_bytes() == data and repr(copy) == repr(circuit)
        copy.output(copy.input() * 2)  # the copy may be declared further
    assert circuit.to_bytes() == data


def test_copies_compute_the_same_bits(rng):
    circuit = everything()
    secret = toy(ckks, [50, 40, 40, 40], [50])
    public = secret.public(circuit=circuit)
    inputs = [secret.encrypt(circuit.tiled(rng.uniform(-1, 1, 16), secret)) for _ in range(2)]
    first = public.runner(circuit)(*inputs)
    second = public.runner(Circuit.from_bytes(circuit.to_bytes()))(*inputs)
    assert [c.to_bytes() for c in first] == [c.to_bytes() for c in second]


def test_both_rows_of_integers(rng):
    circuit = Circuit(32)
    rows = rng.integers(-50, 50, (2, 32))
    circuit.output(circuit.input() * rows)
    secret = bfv.SecretContext(bfv.Parameters(64, [50, 50, 50], plain_bits=17, security="none"))
    copy = Circuit.from_bytes(circuit.to_bytes())
    values = rng.integers(-50, 50, (2, 32))
    found = secret.decrypt(secret.public().runner(copy)(secret.encrypt(values)))
    assert np.array_equal(found.reshape(2, 32), values * rows)


def sealed(words):
    return words + hashlib.sha256(words).digest()


def changed(data, word, value):
    """With another word, and the digest that belongs to it."""
    return sealed(data[: 8 * word] + struct.pack("<Q", value) + data[8 * word + 8 : -_DIGEST])


def test_damage_is_refused():
    data = everything().to_bytes()
    for length in (0, 7, 39, len(data) // 2, len(data) - 1):
        refused_call(Circuit.from_bytes, data[:length], error=ringlet.RingletError)
    for place in range(0, len(data), 97):
        error = refused_call(Circuit.from_bytes, flipped(data, place))
        assert "magic number" in str(error) or "damaged" in str(error)
    early = sealed(data[: 8 * 6 - _DIGEST])
    refused_call(Circuit.from_bytes, early, says=["too early"], error=ringlet.RuntimeFailure)
    refused_call(Circuit.from_bytes, sealed(data[:-_DIGEST] + bytes(8)))


def test_hostile_words_are_refused():
    """Every word, with a digest that fits: it is a circuit that could be declared, or an error."""
    data = everything().to_bytes()
    refused = 0
    for word in range(1, (len(data) - _DIGEST) // 8):
        for value in (3, 11, 1 << 20, (1 << 63) - 1, (1 << 64) - 1):
            try:
                found = Circuit.from_bytes(changed(data, word, value))
            except (ringlet.InvalidArgument, ringlet.RuntimeFailure):
                refused += 1
            else:
                assert isinstance(found.depth, int) and found.input_count >= 1
    assert refused > 100
    for word, value, message in (
        (1, 2, "version 2"),
        (3, 1 << 60, "a count"),
        (2, 3, "row_length"),
    ):
        refused_call(Circuit.from_bytes, changed(data, word, value), says=[message])
