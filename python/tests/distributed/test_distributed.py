# SPDX-License-Identifier: Apache-2.0
"""Several workers give what one process gives, in order, verified, and within their limits."""

import math
import re
import socket
import ssl
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import ringlet
from ringlet import Circuit

pytest.importorskip("distributed", reason="ringlet.distributed needs Dask, which is not installed")

import distributed_cases as cases
from distributed import Security
from distributed_cases import (
    ROW,
    encrypt_rows,
    product_case,
    small_secret,
    square_plus,
)  # fmt: skip
from support import flipped, refused_call

import ringlet.distributed as rd

ALL = pytest.mark.parametrize("name", ["ckks", "bfv", "bgv"])


@pytest.fixture(scope="module")
def client():
    """Dask's, of two workers that all tests share."""
    secret = small_secret("ckks", 64)
    with rd.connect(secret.public(), workers=2) as cluster:
        yield cluster.client


@pytest.fixture(scope="module")
def case():
    """(secret, public, circuit) of CKKS."""
    secret, circuit = small_secret("ckks"), square_plus()
    return secret, secret.public(circuit=circuit), circuit


def says_something(address, context):
    """Whether what listens there speaks to someone who has no key of the cluster. Dask's processes
    speak first."""
    host, port = address.partition("://")[2].rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=5.0) as plain:
        try:
            with context.wrap_socket(plain) as tls:
                return tls.recv(1) != b""
        except (ssl.SSLError, ConnectionError):
            return False


def test_local_processes_speak_to_nobody_without_their_keys(client):
    workers = client.scheduler_info()["workers"]
    places = [client.scheduler.address, *workers, *(w["nanny"] for w in workers.values())]
    assert len(places) == 5 and all(place.startswith("tls://127.0.0.1:") for place in places)
    own, others, none = (
        keys.get_connection_args("client")["ssl_context"]
        for keys in (client.security, Security.temporary(), Security())
    )
    none = none or ssl._create_unverified_context()
    others.verify_mode = ssl.CERT_NONE
    for place in places:
        said = [says_something(place, keys) for keys in (own, others, none)]
        assert said == [True, False, False], place


def test_plain_local_processes_on_request_alone():
    with rd.connect(small_secret("ckks", 64).public(), workers=1, security=False) as cluster:
        assert cluster.address.startswith("tcp://127.0.0.1:")


def test_keys_take_a_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(rd.MissingPackage, match="every user of this machine can run code"):
        rd.connect(small_secret("ckks", 64).public(), workers=1)


@ALL
@pytest.mark.parametrize("verify", ["digest", "repeat"])
def test_matrix_products(client, name, verify):
    # Sizes that fill no block; three ciphertexts along k, so that results are summed.
    secret, public, a, b, wanted = product_case(name, (9, 37, 6))
    assert a.layout.grid == (3, 3, 2)
    with rd.connect(public, client, verify=verify) as cluster:
        told = []
        product = cluster.matrix_product(a, b, progress=lambda *done: told.append(done))
    found = product.decrypt(secret)
    assert found.shape == wanted.shape and told == [(done, 6) for done in range(1, 7)]
    if name == "ckks":
        assert np.abs(found - wanted).max() < 1e-4
    else:
        assert np.array_equal(found, wanted)
    assert cluster.last_job.tasks == (24 if verify == "digest" else 48)


def test_terms_change_tasks_and_no_bit(client):
    _, public, a, b, _ = product_case("bfv", (9, 37, 6))
    with rd.connect(public, client) as cluster:
        found = []
        for terms, tasks in ((2, 6 * 3), (3, 6), (5, 6)):
            found.append([c.to_bytes() for c in cluster.matrix_product(a, b, terms=terms).blocks])
            assert cluster.last_job.tasks == tasks
        sent = cluster.last_job.sent_bytes
        for tile, terms, tasks in ((2, 1, 2 * 4), (2, 3, 2), (9, 2, 3)):
            product = cluster.matrix_product(a, b, terms=terms, tile=tile)
            found.append([c.to_bytes() for c in product.blocks])
            assert cluster.last_job.tasks == tasks and cluster.last_job.sent_bytes < sent
        refused_call(cluster.matrix_product, a, b, tile=0, says=["tile = 0"])
    assert all(blocks == found[0] for blocks in found)


@ALL
def test_statistics(client, name, rng):
    secret = small_secret(name)
    table = rng.uniform(-2, 2, (700, 3)) if name == "ckks" else rng.integers(-90, 90, (700, 3))
    table[:, 2] += table[:, 0] // 2
    table = np.clip(table, -2, 2) if name == "ckks" else table
    layout = rd.Statistics(columns=3, count=700, row_length=ROW, magnitude=2.0)
    circuit = layout.circuit if name == "ckks" else layout.exact_circuit
    encrypted = layout.encrypt(secret, table)
    assert len(encrypted.chunks) == layout.chunks == 11
    with rd.connect(secret.public(circuit=circuit), client) as cluster:
        found = cluster.statistics(encrypted).decrypt(secret)
        fewer = cluster.statistics(encrypted, terms=4).decrypt(secret)
    error = 1e-5 if name == "ckks" else 1e-9
    covariance = np.cov(table.T, bias=True)
    for moments in (found, fewer):
        assert np.abs(moments.mean - table.mean(axis=0)).max() < error
        assert np.abs(moments.covariance - covariance).max() < error * covariance.max()
        assert np.allclose(moments.variance, table.var(axis=0), atol=error * covariance.max())
        assert np.allclose(moments.correlation, np.corrcoef(table.T), atol=1e-4)


def test_suggested_parameters_carry_the_work(client, rng):
    """With their security, and the precision that was asked for."""
    layout = rd.Statistics(columns=2, count=5000, row_length=1024, magnitude=1.0)
    found = ringlet.suggest_parameters(circuit=layout.circuit, precision=12)
    secret = ringlet.ckks.SecretContext(found.parameters)
    table = rng.uniform(-1, 1, (5000, 2))
    with rd.connect(secret.public(circuit=layout.circuit), client) as cluster:
        moments = cluster.statistics(layout.encrypt(secret, table)).decrypt(secret)
    assert np.abs(moments.mean - table.mean(axis=0)).max() < 2**-12
    assert np.abs(moments.covariance - np.cov(table.T, bias=True)).max() < 2**-12


def test_batches_come_in_order_with_the_bits_of_one_process(client, case, rng):
    secret, public, circuit = case
    rows = rng.uniform(-1, 1, (30, ROW))
    inputs = encrypt_rows(secret, circuit, rows)
    runner = public.runner(circuit)
    with rd.connect(public, client) as cluster:
        results = cluster.run(circuit, inputs)
        streamed = dict(cluster.stream(circuit, iter(inputs), progress=True))
    assert [r.to_bytes() for r in results] == [runner(x).to_bytes() for x in inputs]
    assert {k: v.to_bytes() for k, v in streamed.items()} == {
        k: v.to_bytes() for k, v in enumerate(results)
    }
    for row, result in zip(rows, results, strict=True):
        assert result.is_bound
        wanted = np.roll(row**2 + 0.5, -1)
        assert np.abs(secret.decrypt(result + 1)[:ROW] - 1 - wanted).max() < 1e-6
    assert set(cluster.last_job.by_worker) <= set(cluster.nthreads())
    assert sum(cluster.last_job.by_worker.values()) == 30


def test_several_inputs_and_results(client, rng):
    secret = small_secret("bgv")
    circuit = Circuit(ROW)
    x, y = circuit.input(), circuit.input()
    circuit.output(x * y)
    circuit.output(x - 3 * y)
    rows = rng.integers(-9, 9, (6, 2, ROW))
    inputs = [tuple(encrypt_rows(secret, circuit, pair)) for pair in rows]
    with rd.connect(secret.public(circuit=circuit), client) as cluster:
        for (a, b), (product, difference) in zip(rows, cluster.run(circuit, inputs), strict=True):
            assert np.array_equal(secret.decrypt(product)[:ROW], a * b)
            assert np.array_equal(secret.decrypt(difference)[:ROW], a - 3 * b)
        assert cluster.run(circuit, []) == []
        refused_call(cluster.run, circuit, [inputs[0][0]], says=["2 inputs of the circuit"])


@pytest.mark.parametrize("verify", ["digest", "repeat"])
def test_futures(client, case, rng, verify):
    secret, public, circuit = case
    rows = rng.uniform(-1, 1, (6, ROW))
    with rd.connect(public, client, verify=verify) as cluster:
        pending = [cluster.submit(circuit, x) for x in encrypt_rows(secret, circuit, rows)]
        arrived = list(cluster.as_completed(pending))
        assert sorted(map(id, arrived)) == sorted(map(id, pending))
        for row, item in zip(rows, pending, strict=True):
            assert item.done() and item.result() is item.result()
            values = secret.decrypt(item.result())[:ROW]
            assert np.abs(values - np.roll(row**2 + 0.5, -1)).max() < 1e-6
        assert "finished" in repr(pending[0])  # finished futures are still yielded
        assert set(cluster.as_completed(pending)) == set(pending)


def test_contexts_travel_once_to_each_worker(rng):
    """To one that joins later too, before its first task."""
    secret, circuit = small_secret("ckks", 2048), square_plus()
    public = secret.public(circuit=circuit)
    size, inputs = len(public.to_bytes()), encrypt_rows(secret, circuit, rng.random((40, ROW)))
    limits = rd.Limits(max_frame_bytes=1 << 16)
    assert size > 4 * limits.max_frame_bytes  # several frames
    with rd.connect(public, workers=1, limits=limits) as cluster:
        first = set(cluster.nthreads())
        cluster.run(circuit, inputs[:2])
        cluster.client.cluster.scale(2)
        cluster.client.wait_for_workers(2, timeout=30)
        (late,) = set(cluster.nthreads()) - first
        assert cluster.traffic.contexts == dict.fromkeys(first, size)
        for _ in range(3):
            results = cluster.run(circuit, inputs)
        assert cluster.last_job.by_worker[late] > 0 and len(results) == 40
        traffic = cluster.traffic
        assert traffic.contexts == dict.fromkeys([*first, late], size)
        assert traffic.circuits == dict.fromkeys([*first, late], len(circuit.to_bytes()))
        seeded = sum(len(x.to_bytes()) for x in inputs)
        assert traffic.sent == 3 * seeded + sum(len(x.to_bytes()) for x in inputs[:2])
        assert traffic.received > 0
        with rd.connect(public, cluster.client) as again:  # the same bytes are not sent again
            assert again.traffic.contexts == traffic.contexts


def test_no_more_is_under_way_than_the_limit(client, case):
    secret, public, circuit = case
    one = secret.encrypt(circuit.tiled(np.ones(ROW), secret))
    taken = done = most = 0

    def inputs():
        nonlocal taken, most
        for _ in range(200):
            taken += 1
            most = max(most, taken - done)
            yield one

    each = len(one.to_bytes()) + len(public.runner(circuit)(one).to_bytes()) + 1024
    limits = rd.Limits(max_bytes_in_flight=5 * each, tasks_per_thread=100)
    with rd.connect(public, client, limits=limits) as cluster:
        for _ in cluster.stream(circuit, inputs()):
            done += 1
        facts = cluster.last_job
        assert done == taken == facts.tasks == 200
        assert 0 < facts.peak_bytes_in_flight <= 5 * each
        # One input is prepared while the inputs in flight fill the limit.
        assert facts.peak_tasks_in_flight <= 5 and most <= 7
    limits = rd.Limits(tasks_per_thread=1)
    with rd.connect(public, client, limits=limits) as cluster:
        cluster.run(circuit, [one] * 20)
        assert cluster.last_job.peak_tasks_in_flight <= 2
    limits = rd.Limits(max_bytes_in_flight=each // 2)
    with rd.connect(public, client, limits=limits) as cluster:
        refused_call(cluster.run, circuit, [one], says=["max_bytes_in_flight"])


SABOTAGE = {
    "shortened": (lambda r: cases.with_last(r, lambda frame: frame[:-1]), "that were announced"),
    "flipped": (lambda r: cases.with_last(r, lambda f: flipped(f, -1)), "bytes were changed"),
    "no bytes": (cases.no_bytes, "fetched"),
    "damage": (
        lambda r: cases.with_data(r, lambda data: data[:200] + bytes(8) + data[208:]),
        "SHA-256|checksum|damaged|residue|context|other parameters",
    ),
    "bomb": (lambda r: cases.with_data(r, lambda data: data + bytes(1 << 20)), "an object of"),
    "input": (cases.sealed_input, "level|an object of"),
    "number": (lambda r: cases.resealed(r, number=r.number + 1), "result .*/"),
    "lineage": (lambda r: cases.resealed(r, lineage=bytes(32)), "other inputs"),
    "fingerprint": (lambda r: cases.resealed(r, fingerprint="0" * 64), f"of context {'0' * 16}"),
    "nothing": (lambda r: cases.resealed(r, outputs=()), "0 ciphertexts"),
    "digest": (lambda r: replace(r, digest=bytes(32)), "a digest of other bytes"),
    "type": (lambda r: {"number": r.number}, "an object of type dict"),
    "explosive": (lambda r: cases.Explosive(), "on arrival"),
}


@pytest.mark.parametrize("name", SABOTAGE)
def test_wrong_results_are_refused(client, case, name):
    change, message = SABOTAGE[name]
    secret, public, circuit = case
    one = secret.encrypt(circuit.tiled(np.ones(ROW), secret))
    before = one.to_bytes()
    # A result that cannot be fetched is given up after a while.
    limits = rd.Limits(worker_timeout=3.0) if change is cases.no_bytes else rd.Limits()
    with rd.connect(public, client, limits=limits) as cluster:
        client.run(cases.remember, public.bind(one).mod_switch_to(0).to_bytes())
        with cases.sabotaged(client, change):
            error = refused_call(cluster.run, circuit, [one, one], error=rd.DistributedError)
        assert re.search(message, str(error))
    # The cluster and the inputs are as they were.
    assert one.to_bytes() == before
    with rd.connect(public, client) as cluster:
        (result,) = cluster.run(circuit, [one])
        assert np.abs(secret.decrypt(result)[:ROW] - 1.5).max() < 1e-6


def test_a_worker_that_computes_wrongly_is_found_by_the_other(client, case):
    """A sealed, valid ciphertext of something else: only repetition finds it."""
    secret, public, circuit = case
    ones, halves = (secret.encrypt(circuit.tiled(np.full(ROW, v), secret)) for v in (1.0, 0.5))
    other = public.runner(circuit)(halves).to_bytes()
    first, second = sorted(client.nthreads())
    client.run(cases.remember, other)
    with cases.sabotaged(client, cases.sealed_input, workers=[first]):
        with rd.connect(public, client, verify="repeat") as cluster:
            told = {"says": ["gave different", first, second], "error": rd.ResultRejected}
            refused_call(cluster.run, circuit, [ones] * 4, **told)


def test_errors_of_tasks(client, case):
    secret, public, circuit = case
    one = secret.encrypt(circuit.tiled(np.ones(ROW), secret))
    with rd.connect(public, client, limits=rd.Limits(retries=1)) as cluster:
        with cases.sabotaged(client, cases.fail):
            told = {"says": ["disk is on fire", "1 retries"], "error": rd.TaskFailed}
            refused_call(cluster.run, circuit, [one], **told)
    with rd.connect(public, client, limits=rd.Limits(timeout=0.8)) as cluster:
        with cases.sabotaged(client, cases.dawdle):
            told = {"says": ["timeout = 0.8 s"], "error": rd.JobTimeout}
            assert isinstance(refused_call(cluster.run, circuit, [one] * 9, **told), TimeoutError)


def test_wrong_arguments(client, case):
    secret, public, circuit = case
    refused_call(rd.connect, secret, client)
    refused_call(rd.connect, public, client, verify="trust")
    refused_call(rd.connect, public, client, workers=3)
    refused_call(rd.connect, public, workers="2")
    for address in ("nonsense://x:1", "no port", 5):
        refused_call(rd.connect, public, address, says=["address = "])
    needs_keys = Circuit(ROW)
    needs_keys.output(needs_keys.input().rotate(7))
    _, _, a, b, _ = product_case("ckks", (9, 37, 6))
    foreign = small_secret("ckks", 512).encrypt(1.0)
    with rd.connect(public, client) as cluster:
        refused_call(cluster.run, circuit, [foreign], error=ringlet.ContextMismatch)
        refused_call(cluster.run, circuit, [3.5])
        refused_call(cluster.run, "x * x", [])
        refused_call(cluster.run, needs_keys, [], says=["missing keys"])
        refused_call(cluster.matrix_product, b, a, says=["left and a right"])
        refused_call(cluster.statistics, [1, 2, 3])
    refused_call(rd.MatrixProduct, shape=(0, 1, 1))
    refused_call(rd.MatrixProduct, shape=(1, 1, 1), dimension=3)
    exact, table = small_secret("bfv"), rd.Statistics(1, 1, ROW)
    large = rd.Statistics(1, 64, ROW).encrypt, exact, np.full((64, 1), 10_000)
    refused_call(*large, says=["below t/2"])
    real = np.full((1, 1), np.nan)
    refused_call(table.encrypt, exact, real, says=["float64; limit: integers"])
    for entry in (1.5, np.nan):
        outside = np.full((1, 1), entry)
        refused_call(table.encrypt, secret, outside, says=["magnitude = 1.0"])
        left = rd.MatrixProduct((1, 1, 1), 2).encrypt_left
        refused_call(left, secret, outside, says=["magnitude = 1.0"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("retries", -1), ("max_frame_bytes", 5 << 20), ("timeout", 0.0), ("timeout", math.nan),
        ("worker_timeout", math.inf), ("retries", "3"), ("retries", 1.5), ("tasks_per_thread", 0),
        ("max_bytes_in_flight", -1), ("worker_memory", "lots"), ("worker_memory", 0),
    ],
)  # fmt: skip
def test_limits_are_numbers_in_their_ranges(name, value):
    refused_call(rd.Limits, **{name: value}, says=[f"Limits: {name} = "])


def test_import_without_dask():
    """One error that says what to install; ringlet itself never imports Dask."""
    program = (
        "import sys, ringlet\n"
        "assert not {'dask', 'distributed'} & set(sys.modules)\n"
        "sys.modules['distributed'] = None\n"
        "try:\n    import ringlet.distributed\n"
        "except ringlet.RingletError as error:\n"
        "    assert isinstance(error, ImportError), error\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 'remedy: pip install "ringlet[distributed]"' in done.stdout
