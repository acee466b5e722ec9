# SPDX-License-Identifier: Apache-2.0
"""No message between client, scheduler and workers holds the secret key, or a part of it.

Every frame of every process is recorded and searched for windows of the key in all forms that the
library has of it. Planted windows show that the search would find them. The seed that a key is
sampled from is wiped within the library, so that it cannot be searched for.
"""

import copy
import os
import pickle

import numpy as np
import pytest
from support import refused_call

import ringlet
from ringlet import Ntt

pytest.importorskip("distributed", reason="ringlet.distributed needs Dask, which is not installed")

import dask
import recorded_messages
from distributed_cases import ROW, SCHEMES, encrypt_rows, product_case, square_plus

import ringlet.distributed as rd

WINDOW = 16


def ternary(secret, folder):
    """The coefficients of the secret key, 0, 1 and -1, from its file: two bits each."""
    path = folder / f"{secret.fingerprint}-key"
    ringlet.ckks.save_secret_key(secret, path)
    degree = secret.parameters.degree
    packed = np.frombuffer(path.read_bytes()[-degree // 4 :], dtype=np.uint8)
    codes = (packed[:, None] >> np.array([0, 2, 4, 6], dtype=np.uint8)) & 3
    assert codes.max() == 2 and 0 < np.count_nonzero(codes)
    return np.array([0, 1, -1])[codes.reshape(-1)]


def forms(secret, folder):
    """The key as bytes, in every way in which it lies in files or in memory."""
    coefficients = ternary(secret, folder)
    digits = (coefficients + 3) % 3  # 0, 1, 2 for 0, 1, -1
    codes = digits.reshape(-1, 4).astype(np.uint8)
    file = (folder / f"{secret.fingerprint}-key").read_bytes()
    found = {
        "file": file[-secret.parameters.degree // 4 :],
        "two bits, high first": np.uint8(
            codes[:, 0] << 6 | codes[:, 1] << 4 | codes[:, 2] << 2 | codes[:, 3]
        ).tobytes(),
        "signed bytes": coefficients.astype(np.int8).tobytes(),
        "digits": digits.astype(np.uint8).tobytes(),
        "signed 32-bit words": coefficients.astype(np.int32).tobytes(),
        "signed words": coefficients.astype(np.int64).tobytes(),
        "doubles": coefficients.astype(np.float64).tobytes(),
    }
    degree = secret.parameters.degree
    for prime in secret.parameters.coeff_modulus:
        residues = (coefficients % prime).astype(np.uint64)
        found[f"residues modulo {prime}"] = residues.tobytes()
        found[f"NTT modulo {prime}"] = Ntt(degree, prime).forward(residues).tobytes()
    return found


def windows(data, element):
    """Of 16 bytes at several places; of 32 coefficients where each takes bytes that are mostly 0,
    and then only those that are not nearly all 0, as these occur by chance."""
    length = max(WINDOW, 32 * element)
    places = np.linspace(0, len(data) - length, 12).astype(int)
    cut = [data[place : place + length] for place in places]
    return [window for window in cut if np.count_nonzero(np.frombuffer(window, np.uint8)) >= 8]


# Bytes of a coefficient, for forms of at least one byte; packed forms and transforms are dense.
ELEMENT = {
    "signed bytes": 1,
    "digits": 1,
    "signed 32-bit words": 4,
    "signed words": 8,
    "doubles": 8,
    "residues": 8,
}


def needles(secret, folder):
    """Windows by form."""
    found = {}
    for form, data in forms(secret, folder).items():
        found[form] = windows(data, ELEMENT.get(form.split(" modulo")[0], 0))
        assert len(found[form]) >= 6, form
    return found


def recorded(folder):
    """What each process sent and received."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def hits(messages, wanted):
    return {
        form
        for form, parts in wanted.items()
        for data in messages.values()
        if any(part in data for part in parts)
    }


@pytest.fixture
def messages(tmp_path, monkeypatch):
    """The folder that fills with frames; this process holds client, scheduler and nannies."""
    folder = tmp_path / "messages"
    folder.mkdir()
    monkeypatch.setenv("RINGLET_TEST_MESSAGES", str(folder))
    recorded_messages.start()
    preload = {"distributed.worker.preload": [recorded_messages.__file__]}
    environment = {"distributed.nanny.environ": {"RINGLET_TEST_MESSAGES": str(folder)}}
    with dask.config.set(preload | environment):
        yield folder
    recorded_messages.stop()


def test_no_message_holds_a_secret(messages, tmp_path):
    """All kinds of jobs, a worker that joins late, and all schemes."""
    wanted = {}
    limits = rd.Limits(max_frame_bytes=1 << 14)
    ciphertexts = []
    with rd.connect(product_case("ckks", (8, 16, 8))[1], workers=1, limits=limits) as cluster:
        client = cluster.client
        client.cluster.scale(2)
        client.wait_for_workers(2, timeout=30)
        for name in SCHEMES:
            secret, _, a, b, _ = product_case(name, (8, 16, 8))
            wanted[name] = needles(secret, tmp_path)
            ciphertexts += [x.to_bytes() for x in a.blocks]
            table = rd.Statistics(1, 2 * ROW, ROW)
            circuit = square_plus(1)
            numbers = np.ones((2 * ROW, 1), dtype=float if name == "ckks" else int)
            declared = table.circuit if name == "ckks" else table.exact_circuit
            keys = secret.public(circuit=[a.layout.circuit, declared, circuit])
            for verify in rd.cluster.VERIFY:
                with rd.connect(keys, client, verify=verify, limits=limits) as session:
                    session.matrix_product(a, b)
                    session.statistics(table.encrypt(secret, numbers))
                    session.run(circuit, encrypt_rows(secret, circuit, numbers.T[:, :ROW]))
        before = recorded(messages)
        processes = {name.split("-")[0] for name in before}
        assert len(processes) == 3 and str(os.getpid()) in processes
        # The recording is complete: ciphertexts, which are no secrets, were seen in all processes.
        for data in ciphertexts:
            seen = [name for name, found in before.items() if data[-WINDOW:] in found]
            assert any(name.startswith(str(os.getpid())) for name in seen)
            assert any(name.endswith("received") and str(os.getpid()) not in name for name in seen)
        for name in SCHEMES:
            assert hits(before, wanted[name]) == set(), name
        longest = max(
            len(frame) for path in messages.iterdir() for frame in recorded_messages.frames_in(path)
        )
        print(f"{sum(map(len, before.values()))} bytes recorded; longest frame {longest}")
        # Ciphertexts and keys keep to the limit; Dask puts a few words around some of them.
        assert longest < limits.max_frame_bytes + 4096
        for parts in wanted.values():
            plant(client, parts, messages)


def plant(client, wanted, messages):
    """One window of each form, sent on purpose, is found."""
    planted = {form: parts[len(parts) // 2 :][:1] for form, parts in wanted.items()}
    for (part,) in planted.values():
        leak = os.urandom(100) + part + os.urandom(100)
        assert client.submit(len, leak, pure=False).result() == len(leak)
    assert hits(recorded(messages), planted) == set(wanted)


@pytest.mark.parametrize("name", list(SCHEMES))
def test_secret_contexts_refuse_to_travel(name):
    secret, _, _, _, _ = product_case(name, (8, 16, 8))
    for way in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises((ringlet.RingletError, TypeError)):
            way(secret)
    refused_call(rd.connect, secret, says=["never leaves its process"])
