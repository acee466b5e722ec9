# SPDX-License-Identifier: Apache-2.0
"""Files of TenSEAL: each module reads what the other writes, and computes on it."""

import base64
import importlib
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from support import refused
from world import IS_WITH_TENSEAL, IA, IB, IP, A, B, M, P, World, numbers

import ringlet
import ringlet.tenseal as ts
from ringlet.tenseal import seal

STORED = Path(__file__).parents[3] / "tests" / "vectors" / "tenseal" / "small.txt"
LONG = np.arange(5000) / 1000
THREE = A[:3]
NEEDS_TENSEAL = pytest.mark.skipif(
    not IS_WITH_TENSEAL, reason="files of TenSEAL: make test-all makes them"
)
WAYS = [
    ("ringlet.tenseal", "ringlet.tenseal"),
    pytest.param(("ringlet.tenseal", "tenseal"), marks=NEEDS_TENSEAL),
    pytest.param(("tenseal", "ringlet.tenseal"), marks=NEEDS_TENSEAL),
]

# The client's context, its object, what the server computes, and the numbers of the result.
CASES = {
    "vector": ("c", lambda w: w.v(), lambda x: x, A),
    "vector of 3": ("c", lambda w: w.v(THREE), lambda x: x * [2, 0.5, 1] + x, THREE * [3, 1.5, 2]),
    "long vector": ("c", lambda w: w.v(LONG), lambda x: x * x, LONG * LONG),
    "product": ("c", lambda w: w.v() * w.v(B), lambda x: x + 1, A * B + 1),
    "sum": ("c", lambda w: w.v(THREE), lambda x: (x * x).sum(), [14]),
    "matrix": ("c", lambda w: w.v(), lambda x: x.mm(M.tolist()), A @ M),
    "tensor": ("c", lambda w: w.t(), lambda x: x * x + x, P * P + P),
    "batch": ("c", lambda w: w.t(batch=True), lambda x: (x * x).sum(1), (P * P).sum(1)),
    "batch of numbers": ("c", lambda w: w.t(A, batch=True), lambda x: x * x, A * A),
    "sum of a batch": ("c", lambda w: w.t(batch=True), lambda x: x.sum_batch(), P.sum(0)),
    "integers": ("b", lambda w: w.bv(), lambda x: x * x + IB.tolist(), IA * IA + IB),
    "tensor of integers": ("b", lambda w: w.bt(), lambda x: x * x, IP * IP),
    "batch of integers": ("b", lambda w: w.bt(batch=True), lambda x: x + x, 2 * IP),
}  # fmt: skip


def sent(x, **options):
    """The bytes of TenSEAL."""
    is_ours = type(x).__module__.startswith("ringlet")
    return x.serialize(**options, **({"format": "tenseal"} if is_ours else {}))


def received(module, context, x):
    return getattr(module, type(x).__name__).load(context, sent(x))


@pytest.fixture(scope="module", params=WAYS, ids="-".join)
def pair(request):
    """The client's world; the server's module, with the contexts that it gets."""
    client, server = (World(importlib.import_module(name)) for name in request.param)
    for name in "bc":
        context = server.ts.context_from(sent(getattr(client, name)))
        assert context.is_public() and context.has_relin_keys() and context.has_galois_keys()
        server.__dict__[name] = context
    return client, server


@pytest.mark.parametrize("name", CASES)
def test_server(pair, name):
    """The client encrypts and sends; the server computes without the secret key, and sends."""
    client, server = pair
    context, make, compute, wanted = CASES[name]
    result = compute(received(server.ts, getattr(server, context), make(client)))
    back = received(client.ts, getattr(client, context), result)
    np.testing.assert_allclose(numbers(back), wanted, atol=1e-3)


@pytest.mark.parametrize("context", ["c", "b"])
def test_secret_keys(pair, context):
    """The other side decrypts, encrypts and makes keys of its own."""
    client, server = pair
    owner = server.ts.context_from(sent(getattr(client, context), save_secret_key=True))
    assert owner.is_private() and owner.has_galois_keys() and owner.has_relin_keys()
    assert context == "b" or owner.global_scale == 2.0**40
    x, values = (client.v(), A) if context == "c" else (client.bv(), IA)
    y = received(server.ts, owner, x)
    np.testing.assert_allclose(numbers(y * y), values * values, atol=1e-3)
    fresh = type(y)(owner, values.tolist())
    back = received(client.ts, getattr(client, context), y * fresh)
    np.testing.assert_allclose(numbers(back), values * values, atol=1e-3)


@pytest.mark.parametrize("missing", ["public_key", "relin_keys", "galois_keys"])
def test_missing_keys(pair, missing):
    client, server = pair
    context = server.ts.context_from(sent(client.c, **{f"save_{missing}": False}))
    found = [getattr(context, f"has_{n}")() for n in ("public_key", "relin_keys", "galois_keys")]
    assert found == [n != missing for n in ("public_key", "relin_keys", "galois_keys")]
    x = received(server.ts, context, client.v()) * [0.5, 1, 0, 2] - 1
    wanted = A * [0.5, 1, 0, 2] - 1
    np.testing.assert_allclose(numbers(received(client.ts, client.c, x)), wanted, atol=1e-3)


def test_symmetric_encryption(pair):
    client, server = pair
    kind = client.ts.ENCRYPTION_TYPE.SYMMETRIC
    owner = client.ckks_context(encryption_type=kind)
    context = server.ts.context_from(sent(owner))
    assert context.is_public() and context.has_relin_keys()
    x = received(server.ts, context, client.ts.ckks_vector(owner, A.tolist()))
    np.testing.assert_allclose(numbers(received(client.ts, owner, x * x)), A * A, atol=1e-3)


def test_mixed_with_fresh_ones(pair):
    """Loaded and fresh vectors and batches have their numbers in other slots."""
    client, server = pair
    x, y = client.v(THREE), server.ts.ckks_vector(server.c, THREE.tolist())
    total = received(server.ts, server.c, x) * y + y
    wanted = THREE * THREE + THREE
    np.testing.assert_allclose(numbers(received(client.ts, client.c, total)), wanted, atol=1e-3)
    batch = received(server.ts, server.c, client.t(batch=True))
    other = server.ts.ckks_tensor(server.c, P.tolist(), batch=True)
    total = received(client.ts, client.c, (other + batch).sum_batch())
    np.testing.assert_allclose(numbers(total), 2 * P.sum(0), atol=1e-3)


@NEEDS_TENSEAL
def test_small_primes():
    """TenSEAL takes primes of 26 bits for powers of two: its product is wrong by a thousandth."""
    theirs = importlib.import_module("tenseal")
    sizes = [31, *[26] * 6, 31]
    context = theirs.context(theirs.SCHEME_TYPE.CKKS, 8192, coeff_mod_bit_sizes=sizes)
    context.global_scale = 2**26
    x = theirs.ckks_vector(context, A.tolist())
    own = ts.context_from(context.serialize(save_secret_key=True))
    assert own.parameters.table == "he_standard_2018"
    y = received(ts, own, x * x)
    np.testing.assert_allclose(numbers(y), A * A, atol=1e-3)
    np.testing.assert_allclose(numbers(y + received(ts, own, x)), A * A + A, atol=1e-3)
    refused(lambda: received(ts, World(ts).c, x), "other parameters")


def test_refusals(pair):
    client, server = pair
    if client.ts is not ts:
        long = client.ts.bfv_vector(client.b, list(range(5000)))
        refused(lambda: received(ts, server.b, long), "4096 numbers in each ciphertext")
        return
    refused(lambda: client.v().serialize(format="seal"), "'ringlet', 'tenseal'")
    matrix = ts.enc_matmul_encoding(client.c, M.tolist())
    refused(lambda: matrix.serialize(format="tenseal"), "shape (2, 4)")
    packed = client.t(LONG[:260])
    refused(lambda: packed.serialize(format="tenseal"), "shape (260,)", "256 numbers")


# Bytes that are stored, and bytes that are wrong.


@pytest.fixture(scope="module")
def stored():
    lines = STORED.read_text().splitlines()[1:]
    return {a.split()[1]: base64.b64decode(b) for a, b in zip(lines[::2], lines[1::2])}


def test_stored_files(stored):
    context = ts.context_from(stored["context"])
    assert context.is_symmetric and context.global_scale == 2.0**18
    refused(lambda: setattr(context, "global_scale", 2**17), "before serialize")
    lazy = ts.lazy_ckks_vector_from(stored["vector"])
    assert lazy.serialize("tenseal") == stored["vector"]
    lazy.link_context(context)
    np.testing.assert_allclose(lazy.decrypt(), [1, -2, 3.5], atol=0.01)
    again = ts.context_from(context.serialize(save_secret_key=True))
    np.testing.assert_allclose(ts.ckks_vector_from(again, lazy.serialize()).decrypt(), [1, -2, 3.5],
                               atol=0.01)  # fmt: skip


def test_damaged_files(stored, rng):
    """Every change ends in an error of Ringlet, or in a context or vector."""
    context = ts.context_from(stored["context"])
    for data in stored.values():
        for _ in range(150):
            place, bit = int(rng.integers(len(data))), 1 << int(rng.integers(8))
            head = int(rng.integers(300))
            changed = [bytearray(data) for _ in range(2)]
            changed[0][place] ^= bit
            changed[1][head] ^= bit
            for broken in (data[:place], data[:head], *map(bytes, changed)):
                for read in (ts.context_from, lambda d: ts.ckks_vector_from(context, d),
                             lambda d: ts.ckks_tensor_from(context, d)):  # fmt: skip
                    try:
                        read(broken)
                    except ringlet.RingletError:
                        pass


def wrapped(mode, body, **fields):
    head = {"magic": 0xA15E, "size": 16, "major": 4, "length": 16 + len(body), **fields}
    return struct.pack("<HBBBBHQ", head["magic"], head["size"], head["major"], 1, mode, 0,
                       head["length"]) + body  # fmt: skip


FRAME = bytes.fromhex("28b52ffd2003190000") + b"abc"  # One raw block, as RFC 8878 has it.
BOMB = zlib.compress(bytes(1 << 24))


@pytest.mark.parametrize("data", [
    wrapped(0, b"abc"), wrapped(1, zlib.compress(b"abc")), wrapped(2, FRAME),
])  # fmt: skip
def test_compression(data):
    assert bytes(seal._opened(data)) == b"abc"


@pytest.mark.parametrize("data", [
    b"", wrapped(3, b"abc"), wrapped(1, b"abc"), wrapped(2, b"abc"), wrapped(2, FRAME[:-1]),
    wrapped(1, BOMB), wrapped(1, zlib.compress(b"abc")[:-1]), wrapped(0, b"abc", length=18),
    wrapped(0, b"abc", length=1 << 63), wrapped(0, b"abc", major=3), wrapped(0, b"abc", magic=1),
    wrapped(2, bytes.fromhex("28b52ffda0ffffff7f" "0b0000") + b"a"),  # It states 2 GiB.
])  # fmt: skip
def test_wrong_objects(data):
    with pytest.raises((ValueError, struct.error, zlib.error)):
        seal._opened(data)
    field = b"\n" + bytes([len(data)]) if len(data) < 128 else b"\n\x80\x01" + data[:128]
    refused(lambda: ts.context_from(field + data), "damaged", error=ringlet.RuntimeFailure)
