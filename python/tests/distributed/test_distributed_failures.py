# SPDX-License-Identifier: Apache-2.0
"""Workers and schedulers that die: nothing is lost, nothing is doubled, and errors are clear.

RINGLET_TEST_KILLS runs as many products whose worker is killed (2 by default), from the seed
RINGLET_TEST_SEED.
"""

import contextlib
import os
import signal
import threading
import time
from collections import Counter

import numpy as np
import pytest

import ringlet

pytest.importorskip("distributed", reason="ringlet.distributed needs Dask, which is not installed")

import distributed_cases as cases
from distributed_cases import (
    ROW,
    Machines,
    product_blocks,
    product_case,
    small_secret,
    square_plus,
    two_workers,
)

import ringlet.distributed as rd

KILLS = int(os.environ.get("RINGLET_TEST_KILLS", "2"))
SHAPE = (24, 96, 24)
DEGREE = 2048


@pytest.fixture(scope="module")
def cluster():
    """Of a product whose tasks take long enough to be hit."""
    _, public, *_ = product_case("ckks", SHAPE, DEGREE, 8)
    with rd.connect(public, workers=2) as connected:
        yield connected


@pytest.fixture(scope="module")
def expected():
    """The product's blocks as one process computes them: each bit."""
    return product_blocks(*product_case("ckks", SHAPE, DEGREE, 8)[1:4])


class Killer:
    """Kills a worker by SIGKILL while tasks run on it, at a moment that the seed says: after so
    many results, and a part of a task. A progress function, and a context manager."""

    def __init__(self, cluster, seed, total):
        rng = np.random.default_rng(seed)
        self.client = cluster.client
        self.processes = two_workers(self.client)
        self.victim = list(self.processes)[rng.integers(len(self.processes))]
        self.after = int(rng.integers(total // 2))
        self.delay = float(rng.uniform(0, 0.1))
        self.running = ()
        self.done_before = -1
        self.done = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._kill)

    def __call__(self, done, total):
        self.done = done

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exception):
        self.is_over.set()
        self.thread.join()

    def _kill(self):
        while self.done < self.after and not self.is_over.wait(0.002):
            pass
        time.sleep(self.delay)
        running = ()
        with contextlib.suppress(OSError):
            while not running and not self.is_over.is_set():  # in the middle of a task
                running = tuple(self.client.processing().get(self.victim, ()))
            self.done_before = self.done
            if running:
                os.kill(self.processes[self.victim], signal.SIGKILL)
                self.running = running


@pytest.mark.parametrize(("verify", "wanted_kills"), [("digest", KILLS), ("repeat", 1)])
def test_a_killed_worker_loses_and_doubles_nothing(cluster, expected, seed, verify, wanted_kills):
    """Repeated tasks that only the dead worker might have run wait for the one in its place."""
    secret, public, a, b, wanted = product_case("ckks", SHAPE, DEGREE, 8)
    sent = [block.to_bytes() for block in (*a.blocks, *b.blocks)]
    total, kills = len(expected), 0
    # On a busy machine a job may end before the kill; that run does not count.
    for run in range(2 * wanted_kills + 4):
        with rd.connect(public, cluster.client, verify=verify) as session:
            with Killer(cluster, seed + run, total) as killer:
                product = session.matrix_product(a, b, progress=killer)
            tasks = session.last_job.tasks
        assert killer.done == total
        assert [block.to_bytes() for block in product.blocks] == expected
        assert np.abs(product.decrypt(secret) - wanted).max() < 1e-4
        assert tasks == total * 4 if verify == "digest" else tasks >= total * 8
        if killer.running:
            kills += 1
            assert 0 <= killer.done_before < total
            print(
                f"kill {kills}: {killer.victim} with {len(killer.running)} tasks, "
                f"{killer.done_before} of {total} results done"
            )
        if kills == wanted_kills:
            break
    assert kills == wanted_kills
    # Ciphertexts were used unchanged.
    assert [block.to_bytes() for block in (*a.blocks, *b.blocks)] == sent


def test_replayed_tasks_use_the_very_bytes_that_were_encrypted(cluster, monkeypatch):
    """Workers say what they were given; the client encrypts nothing while a job runs."""
    from ringlet.distributed import jobs

    _, public, a, b, _ = product_case("ckks", SHAPE, DEGREE, 8)
    results = []
    check = jobs.check_result

    def keep(result, *rest):
        results.append(result)
        return check(result, *rest)

    monkeypatch.setattr(jobs, "check_result", keep)
    for seed in range(5):
        results.clear()
        with Killer(cluster, seed, 9) as killer:
            cluster.matrix_product(a, b, terms=3, progress=killer)
        if killer.running:
            break
    assert killer.running
    used = Counter(digest for result in results for digest in result.inputs)
    blocks = (*a.blocks, *b.blocks)
    assert used == {cluster.parcel(block).digest: 3 for block in blocks}
    assert len(results) == len({result.number for result in results}) == 9


def test_one_worker_is_not_enough_to_compare():
    secret, circuit = small_secret("ckks"), square_plus()
    one = secret.encrypt(circuit.tiled(np.ones(ROW), secret))
    limits = rd.Limits(worker_timeout=1.5)
    public = secret.public(circuit=circuit)
    with rd.connect(public, workers=1, limits=limits, verify="repeat") as alone:
        with pytest.raises(rd.WorkersLost, match="must be computed twice"):
            alone.run(circuit, [one])


def test_a_task_that_kills_its_workers_ends_in_one_error():
    secret, circuit = small_secret("ckks"), square_plus()
    public = secret.public(circuit=circuit)
    one = secret.encrypt(circuit.tiled(np.ones(ROW), secret))
    with rd.connect(public, workers=1, limits=rd.Limits(retries=0)) as cluster:
        cluster.client.run(cases.sabotage, cases.die)
        with pytest.raises(rd.WorkersLost, match="1 workers that all died"):
            cluster.run(circuit, [one])
        # The nanny starts another worker, and the inputs are unchanged.
        (result,) = cluster.run(circuit, [one])
        assert np.abs(secret.decrypt(result)[:ROW] - 1.5).max() < 1e-6


@pytest.fixture
def machines(tmp_path):
    started = Machines(tmp_path)
    yield started
    started.stop()


def test_a_dead_scheduler_is_one_error_within_seconds(machines, cluster, expected):
    _, public, a, b, _ = product_case("ckks", SHAPE, DEGREE, 8)
    killed = []

    def kill(done, total):
        if done == 3:
            machines.scheduler.kill()
            machines.scheduler.join()
            killed.append(time.monotonic())

    with rd.connect(public, machines.address()) as remote:
        with pytest.raises(rd.SchedulerLost, match="closed the connection") as caught:
            remote.matrix_product(a, b, progress=kill)
        assert killed and time.monotonic() - killed[0] < 5
        assert remote.address in str(caught.value)
        with pytest.raises(rd.SchedulerLost):
            remote.matrix_product(a, b)
        closing = time.monotonic()
    assert time.monotonic() - closing < 5
    with pytest.raises(rd.SchedulerLost):
        rd.connect(public, remote.address, limits=rd.Limits(worker_timeout=1.0))
    # The same inputs, on another cluster.
    assert [x.to_bytes() for x in cluster.matrix_product(a, b).blocks] == expected


def test_a_scheduler_that_hangs_and_workers_that_leave(machines):
    secret, circuit = small_secret("ckks"), square_plus()
    public = secret.public(circuit=circuit)
    inputs = [secret.encrypt(circuit.tiled(np.ones(ROW), secret))] * 40
    with rd.connect(public, machines.address(), limits=rd.Limits(worker_timeout=2.0)) as remote:
        assert len(remote.run(circuit, inputs)) == 40

        def leave(done, total):
            if done == 1:
                machines.processes[1].kill()

        with pytest.raises(rd.WorkersLost, match="no worker at .* for"):
            remote.run(circuit, inputs, progress=leave)
    with pytest.raises(rd.WorkersLost, match="no worker at"):
        rd.connect(public, machines.address(), limits=rd.Limits(worker_timeout=1.0))
    os.kill(machines.scheduler.pid, signal.SIGSTOP)
    try:
        with pytest.raises(rd.SchedulerLost):
            rd.connect(public, remote.address, limits=rd.Limits(worker_timeout=1.0))
    finally:
        os.kill(machines.scheduler.pid, signal.SIGCONT)


def test_a_worker_that_hangs_while_it_loads_the_context(cluster):
    worker = next(iter(cluster.nthreads()))
    cluster.client.run(cases.load_slowly, 5.0, workers=[worker])
    public, begun = small_secret("ckks").public(), time.monotonic()
    with pytest.raises(rd.WorkersLost, match="not loaded the context.*load_timeout = 0.5 s"):
        rd.connect(public, cluster.client, limits=rd.Limits(load_timeout=0.5))
    assert time.monotonic() - begun < 4.0


def test_errors_are_runtime_errors_with_their_parts():
    kinds = (rd.SchedulerLost, rd.WorkersLost, rd.TaskFailed, rd.ResultRejected, rd.JobTimeout)
    for error in kinds:
        raised = error("operation", "value", "limit", "remedy")
        assert isinstance(raised, (rd.DistributedError, ringlet.RuntimeFailure, RuntimeError))
        assert str(raised) == "operation: value; limit: limit; remedy: remedy"
