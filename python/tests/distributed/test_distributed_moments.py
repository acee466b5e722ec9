# SPDX-License-Identifier: Apache-2.0
"""Workers and schedulers that die, and callers that stop, at moments that the tests choose."""

import os
import signal
import time

import numpy as np
import pytest

pytest.importorskip("distributed", reason="ringlet.distributed needs Dask, which is not installed")

import distributed_cases as cases
from distributed_cases import (
    ROW,
    Machines,
    product_case,
    settles,
    small_secret,
    square_plus,
    two_workers,
)
from support import refused

import ringlet.distributed as rd
from ringlet.distributed.jobs import Job

# Four groups along k, so that a block of the product is the sum of four results.
SHAPE = (8, 64, 8)


@pytest.fixture(scope="module")
def started():
    _, public, *_ = product_case("bfv", SHAPE)
    with rd.connect(public, workers=2) as connected:
        yield connected


@pytest.fixture
def cluster(started):
    """With two workers, whatever the last test did to them."""
    two_workers(started.client)
    return started


@pytest.fixture(scope="module")
def expected():
    """The product's blocks as one process computes them."""
    return cases.product_blocks(*product_case("bfv", SHAPE)[1:4])


@pytest.fixture(scope="module")
def case():
    """(public, circuit, ciphertext)"""
    secret, circuit = small_secret("ckks"), square_plus()
    one = secret.encrypt(circuit.tiled(np.ones(ROW), secret))
    return secret.public(circuit=circuit), circuit, one


class Blow:
    """Kills workers of a cluster, all of them at most once."""

    def __init__(self, cluster):
        self.processes = two_workers(cluster.client)
        self.killed = set()

    def __call__(self, workers):
        for address in set(workers) & set(self.processes) - self.killed:
            os.kill(self.processes[address], signal.SIGKILL)
            self.killed.add(address)


def around(monkeypatch, method, before=lambda *_: None, after=lambda *_: None):
    """Calls `before` with the arguments of a method of Job, `after` with what it gave, too."""
    original = getattr(Job, method)

    def changed(job, *arguments):
        before(job, *arguments)
        found = original(job, *arguments)
        after(found, job, *arguments)
        return found

    monkeypatch.setattr(Job, method, changed)


def holder(job, futures):
    return next(iter(job._client.who_has(futures).values()))[0]


def worker_to_ask(others, *_):
    """Of the one that is to repeat a task."""
    return others


def holder_of_a_part(job, node, *_):
    """Of a partial sum that is to be summed up."""
    parts = [source[0].future for source in node.inputs if isinstance(source, tuple)]
    for part in parts:
        assert part.exception(timeout=20) is None
    return [holder(job, parts)] if parts else []


def holder_of_a_sum(job, flights, *_):
    """Its parts were dropped: all is computed again, of what the scheduler has kept."""
    return [holder(job, [flights[0].future])] if flights else []


def worker_that_repeated(job, flights):
    """It alone may repeat a task, has done so, and holds the result."""
    repeated = [flight.workers for flight in flights if flight.first is not None]
    return repeated[0] if repeated else []


@pytest.mark.parametrize(
    ("moment", "victims"),
    [
        (("_others", "after", "repeat"), worker_to_ask),
        (("_submit", "before", "digest"), holder_of_a_part),
        (("_submit", "after", "digest"), lambda _, *rest: holder_of_a_part(*rest)),
        (("_fetch", "before", "digest"), holder_of_a_sum),
        (("_fetch", "before", "repeat"), worker_that_repeated),
    ],
    ids=[
        "before it is asked", "before the sum is sent", "after it was sent", "after the sum",
        "after it repeated",
    ],
)  # fmt: skip
def test_a_worker_dies(cluster, expected, monkeypatch, moment, victims):
    method, when, verify = moment
    _, public, a, b, _ = product_case("bfv", SHAPE)
    blow = Blow(cluster)

    def once(*arguments):
        if not blow.killed:
            blow(victims(*arguments))

    around(monkeypatch, method, **{when: once})
    with rd.connect(public, cluster.client, verify=verify) as session:
        product = session.matrix_product(a, b)
        assert not blow.killed & set(session.nthreads())
        if victims is worker_that_repeated:  # its lost result is computed again
            assert session.last_job.tasks > 2 * 4 * (4 + 1)
    assert len(blow.killed) == 1
    assert [block.to_bytes() for block in product.blocks] == expected


def test_all_workers_die_while_a_result_waits_for_a_second_one(cluster, expected, monkeypatch):
    """Others take their places, and fetch the context that they do not have."""
    _, public, a, b, _ = product_case("bfv", SHAPE)
    blow = Blow(cluster)
    around(monkeypatch, "_others", before=lambda *_: blow(blow.processes))
    with rd.connect(public, cluster.client, verify="repeat") as careful:
        product = careful.matrix_product(a, b)
        assert blow.killed == set(blow.processes)
        assert not blow.killed & set(careful.nthreads())
        served = careful.traffic.contexts
    assert [block.to_bytes() for block in product.blocks] == expected
    newcomers = {worker: count for worker, count in served.items() if worker not in blow.killed}
    assert len(newcomers) >= 2 and set(newcomers.values()) == {len(public.to_bytes())}


def test_tasks_are_moved_while_other_results_are_fetched(cluster, expected, monkeypatch):
    """The fetched results are of the worker that lives."""
    _, public, a, b, _ = product_case("bfv", SHAPE)
    blow = Blow(cluster)
    moved = []
    client = cluster.client
    gather = client.gather

    def slow_gather(futures, **options):
        found = gather(futures, **options)
        deadline = time.monotonic() + 20
        while blow.killed and not moved and time.monotonic() < deadline:
            time.sleep(0.02)
        return found

    def fetching(job, flights):
        under_way = [f for f in job._flights.values() if f.first is not None and f not in flights]
        if under_way and not blow.killed and not any(f.first for f in flights):
            blow(under_way[0].workers)

    def submitted(_, job, node, nbytes, first=None, *rest):
        if first is not None and blow.killed and not blow.killed & set(rest[0]):
            moved.append(True)

    monkeypatch.setattr(client, "gather", slow_gather)
    around(monkeypatch, "_fetch", before=fetching)
    around(monkeypatch, "_submit", after=submitted)
    with cases.sabotaged(client, cases.dawdle):
        with rd.connect(public, client, verify="repeat") as careful:
            product = careful.matrix_product(a, b, terms=2)
    assert blow.killed and moved
    assert [block.to_bytes() for block in product.blocks] == expected


def test_workers_that_dask_has_given_up_come_back(cluster):
    """It does so with one that dies twice within seconds, or while it starts."""
    _, public, a, b, _ = product_case("bfv", SHAPE)
    local = cluster.client.cluster
    nanny = local.workers.pop(min(local.workers))
    victim = nanny.worker_address
    local.sync(nanny.close)
    deadline = time.monotonic() + 60
    with rd.connect(public, cluster.client) as session:  # the workers may serve another context
        while len(cluster.nthreads()) < 2 and time.monotonic() < deadline:
            session.matrix_product(a, b)
    assert len(cluster.nthreads()) == 2 and victim not in cluster.nthreads()


@pytest.mark.parametrize("verify", ["digest", "repeat"])
def test_callers_take_their_time(cluster, case, verify):
    """Nothing is late because nobody asked."""
    public, circuit, one = case
    limits = rd.Limits(worker_timeout=1.0, tasks_per_thread=1)
    with rd.connect(public, cluster.client, limits=limits, verify=verify) as session:
        pending = session.submit(circuit, one)
        stream = session.stream(circuit, [one] * 6)
        next(stream)
        time.sleep(1.3)
        assert len(list(stream)) == 5
        pending.result()


@pytest.mark.parametrize("verify", ["digest", "repeat"])
def test_what_nobody_waits_for_is_dropped(cluster, case, verify):
    """Also while somebody keeps the error."""
    public, circuit, one = case
    client = cluster.client

    def fail(done, total):
        raise ZeroDivisionError("of the caller")

    def tasks():
        return sum(map(len, client.processing().values())) + len(client.futures)

    limits = rd.Limits(tasks_per_thread=16)
    table = rd.Statistics(1, 24 * ROW, ROW)
    secret = small_secret("bfv")
    encrypted = table.encrypt(secret, np.ones((24 * ROW, 1), dtype=int))
    with cases.sabotaged(client, cases.dawdle):
        with rd.connect(public, client, verify=verify, limits=limits) as session:
            stream = session.stream(circuit, [one] * 40)
            next(stream)
            assert tasks() > 20
            stream.close()
            assert settles(lambda: tasks() == 0)
            with pytest.raises(ZeroDivisionError) as kept:
                session.run(circuit, [one] * 40, progress=fail)
            assert settles(lambda: tasks() == 0)
        keys = secret.public(circuit=table.exact_circuit)
        limits = rd.Limits(tasks_per_thread=4, timeout=1.5)
        with rd.connect(keys, client, verify=verify, limits=limits) as session:
            with pytest.raises(rd.JobTimeout) as late:  # with partial sums on the workers
                session.statistics(encrypted)
            assert settles(lambda: tasks() == 0)
        assert kept.value is not late.value


@pytest.mark.parametrize("verify", ["digest", "repeat"])
def test_few_partial_sums_wait(cluster, monkeypatch, verify):
    """At most seven for each level of the tree beside those that are being summed up. Dask may
    still count those of two sums that are over."""
    table = rd.Statistics(1, 64 * ROW, ROW)
    secret = small_secret("bfv")
    encrypted = table.encrypt(secret, np.ones((64 * ROW, 1), dtype=int))
    waiting = []

    def count(_, job):
        flights = job._flights.values()
        sources = [source for flight in flights for source in flight.node.inputs]
        summed_up = {id(source[0]) for source in sources if isinstance(source, tuple)}
        waiting.append(len(job._client.futures) - len(flights) - len(summed_up))

    around(monkeypatch, "_wait", after=count)
    keys = secret.public(circuit=table.exact_circuit)
    with rd.connect(keys, cluster.client, verify=verify) as session:
        assert session.statistics(encrypted).decrypt(secret).mean == 1
        assert session.last_job.tasks == (64 + 8 + 1) * (2 if verify == "repeat" else 1)
    assert len(waiting) > 10 and max(waiting) <= 2 * 7 + 2 * 8


def test_an_evaluation_that_failed_fails_again(cluster, case):
    public, circuit, one = case
    with cases.sabotaged(cluster.client, cases.fail):
        with rd.connect(public, cluster.client, limits=rd.Limits(retries=0)) as session:
            pending = session.submit(circuit, one)
            for _ in range(2):
                refused(pending.result, "disk is on fire", error=rd.TaskFailed)


def test_time_is_over_while_a_result_waits_for_a_second_worker(case):
    public, circuit, one = case
    limits = rd.Limits(timeout=1.0)
    with rd.connect(public, workers=1, limits=limits, verify="repeat") as alone:
        with pytest.raises(rd.JobTimeout, match="timeout = 1.0 s"):
            alone.run(circuit, [one])
        with pytest.raises(rd.SchedulerLost, match="the client is closed"):
            alone.close()
            rd.connect(public, alone.client)
        with pytest.raises(rd.SchedulerLost):
            _ = alone.traffic


PHASES = [
    (rd.Cluster, "put"), (rd.Cluster, "install"), (Job, "_submit_more"), (Job, "_submit"),
    (Job, "_wait"), (Job, "_fetch"), (Job, "_first"), (Job, "_others"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "method"), PHASES, ids=[name for _, name in PHASES])
def test_a_scheduler_that_dies_in_any_phase_is_one_error(tmp_path, case, monkeypatch, kind, method):
    public, circuit, one = case
    machines = Machines(tmp_path)
    address = machines.address()
    original = getattr(kind, method)
    died = []

    def die_and_call(*arguments, **options):
        if not died:
            machines.scheduler.kill()
            died.append(time.monotonic())
        return original(*arguments, **options)

    monkeypatch.setattr(kind, method, die_and_call)
    limits = rd.Limits(worker_timeout=5.0)
    try:
        with pytest.raises(rd.SchedulerLost):
            with rd.connect(public, address, limits=limits, verify="repeat") as remote:
                remote.run(circuit, [one] * 4)
        assert died and time.monotonic() - died[0] < 10
    finally:
        machines.stop()


def test_objects_arrive_from_several_clients_in_frames_of_their_own():
    from ringlet.distributed.store import ObjectStore

    store = ObjectStore()
    assert store.put("d", 0, 3, b"ab", "first") == 2
    assert [store.put("d", k, 6, b"abcdef"[k : k + 1], "second") for k in range(6)][-1] == 0
    assert store.describe("d") == {"count": 6, "bytes": 6}
    assert store.put("e", 0, 2, b"x", "first") == 1
    store.remove_client(None, "first")
    assert not store.arriving and store.describe("d") is not None
    store.remove_client(None, "second")
    assert store.describe("d") is None and not store.frames and not store.owners


def test_masked_elements_are_refused():
    masked = np.ma.array([[1.0, 2.0, 3.0]], mask=[[0, 1, 0]])
    for call in (rd.Statistics(3, 1, 4).encrypt, rd.MatrixProduct((1, 3, 1), 4).encrypt_left):
        refused(lambda call=call: call(None, masked), "masked elements")
