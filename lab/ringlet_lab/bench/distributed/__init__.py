# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench distributed`: the speed-up by several local workers, and its cost.

The benchmark computes an encrypted matrix product on one worker and on two, in turn, in tasks of a
chosen length. It also measures the constants from which docs/scaling.md computes its predictions:
bytes and times of a task, of a context and of the scheduler. Every product is compared with
NumPy's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from ringlet import Circuit, ckks, suggest_parameters
from ringlet.distributed import Cluster, EncryptedMatrix, Limits, MatrixProduct, connect
from ringlet.errors import RuntimeFailure

from ..._lab import Stopwatch
from ..timing import Clock, Times

OPERATION = "ringlet bench distributed"
WORKERS = (1, 2)
PRECISION = 15.0
ROUNDS = 5
SECONDS = 1.0
TASKS = 16
_TINY_TASKS = 400
_TINY_DEGREE = 64
_COLUMNS = 4
_WARM_UPS = 20


@dataclass(frozen=True)
class Plan:
    """The sizes of a run: products of `tasks` tasks, each of about `seconds` seconds, with blocks
    of dimension x dimension. is_quick: one round of short tasks in an insecure ring, for tests."""

    rounds: int = ROUNDS
    seconds: float = SECONDS
    tasks: int = TASKS
    dimension: int = 16
    is_quick: bool = False


@dataclass
class Product(Times):
    """Times of the jobs with one number of workers. overheads: for each job, its seconds beyond the
    evaluation time per worker, as a part of that evaluation time."""

    workers: int
    overheads: list[float] = field(default_factory=list)
    evaluation_us: list[float] = field(default_factory=list)  # of a task, on average


@dataclass
class Results(Clock):
    """All that one run measured. Bytes are exact; times are microseconds."""

    plan: Plan
    parameters: Any
    layout: MatrixProduct
    terms: int
    products: list[Product]
    alone: Times  # the evaluation of a task, in this process
    put: Times  # sends the context to the scheduler
    install: Times  # installs the context on a worker
    tiny: Times  # a task that computes next to nothing, verified
    trivial: Times  # a task of Dask alone
    bytes: dict[str, int]
    largest_error: float

    @property
    def speedups(self) -> list[float]:
        """For each round, the time with one worker divided by the time with several workers."""
        one, several = self.products[0], self.products[-1]
        return [a / b for a, b in zip(one.times_us, several.times_us, strict=True)]


class _Case:
    """Matrices whose product has as many tasks as the plan asks for. They are encrypted once."""

    def __init__(self, plan: Plan) -> None:
        d = plan.dimension
        layout = MatrixProduct((d, d, d), d, 2 if plan.is_quick else max(1, 4096 // d**2))
        if plan.is_quick:
            parameters = ckks.Parameters(
                4 * d * d,
                data_bits=[58, 40, 40, 40],
                special_bits=[50],
                scale_bits=40,
                security="none",
            )
        else:
            parameters = suggest_parameters(circuit=layout.circuit, precision=PRECISION).parameters
        self.secret = ckks.SecretContext(parameters)
        self.public = self.secret.public(circuit=layout.circuit)
        self.alone = Times(times_us=[])
        self.terms = self._terms(layout, plan.seconds)
        rows = max(1, plan.tasks // _COLUMNS)
        inner = self.terms * layout.interleave * d
        self.layout = MatrixProduct((rows * d, inner, _COLUMNS * d), d, layout.interleave)
        rng = np.random.default_rng(1)
        # Sums of all tasks stay as small as those of one product, for which the levels suffice.
        left = rng.uniform(-1, 1, (rows * d, inner)) / (d * self.terms)
        right = rng.uniform(-1, 1, (inner, _COLUMNS * d))
        self.wanted = left @ right
        self.a = self.layout.encrypt_left(self.secret, left)
        self.b = self.layout.encrypt_right(self.secret, right)

    def _terms(self, layout: MatrixProduct, seconds: float) -> int:
        """Returns the number of products of blocks that take about `seconds` seconds."""
        runner = self.public.runner(layout.block_circuit)
        one = self.secret.encrypt(np.zeros(1))
        for _ in range(4):
            started = time.perf_counter()
            runner(one, one)
            self.alone.times_us.append((time.perf_counter() - started) * 1e6)
        return max(1, round(seconds / (self.alone.best * 1e-6)))

    def error(self, product: EncryptedMatrix) -> float:
        """Returns the largest error of a product. Raises RuntimeFailure if the product is wrong."""
        error = float(np.abs(product.decrypt(self.secret) - self.wanted).max())
        if not error < 2.0**-10:
            raise RuntimeFailure(
                OPERATION,
                f"a product that is off by {error:.3g}",
                "2^-10",
                "report this error: several workers must give the same bits as one worker",
            )
        return error


def _timed(times: Times, call: Callable[[], Any]) -> Any:
    started = time.perf_counter()
    found = call()
    times.times_us.append((time.perf_counter() - started) * 1e6)
    return found


def _trivial(number: int) -> int:
    return number


def _measure_tasks(cluster: Cluster, count: int, tiny: Times, trivial: Times) -> None:
    """Measures the time of a task that computes almost nothing, and of a task of Dask alone. Each
    job has many of these tasks."""
    circuit = Circuit(1)
    circuit.output(circuit.input() * 2)
    secret = ckks.SecretContext(
        ckks.Parameters(
            _TINY_DEGREE, data_bits=[50, 50], special_bits=[50], scale_bits=40, security="none"
        )
    )
    inputs = [secret.encrypt(0.5)] * count
    limits = Limits(tasks_per_thread=64)
    public = secret.public(circuit=circuit)
    with connect(public, cluster.client, limits=limits) as session:
        session.run(circuit, inputs[:8])
        jobs = Times()
        _timed(jobs, lambda: session.run(circuit, inputs))
    tiny.times_us.append(jobs.best / count)
    client = cluster.client
    jobs = Times()
    _timed(jobs, lambda: client.gather(client.map(_trivial, range(count), pure=False)))
    trivial.times_us.append(jobs.best / count)


def _measure_context(case: _Case, cluster: Cluster, put: Times, install: Times) -> int:
    """Makes new keys and measures their way to the scheduler, then to each worker in turn. Returns
    their size in bytes."""
    fresh = case.secret.public(circuit=case.layout.block_circuit)
    data = fresh.to_bytes()
    digest = _timed(put, lambda: cluster.put(data))
    for worker in cluster.nthreads():
        _timed(install, lambda worker=worker: cluster.install(digest, [worker]))
    return len(data)


def _warm_up(case: _Case, cluster: Cluster) -> None:
    """Lets every worker plan the circuit."""
    circuit = case.layout.block_circuit
    zero = case.secret.encrypt(0.0)
    for _ in range(_WARM_UPS):
        cluster.run(circuit, [(zero, zero)] * (2 * len(cluster.nthreads())))
        if set(cluster.last_job.by_worker) == set(cluster.nthreads()):
            return
    raise RuntimeFailure(
        OPERATION,
        f"{len(cluster.last_job.by_worker)} workers at work in {_WARM_UPS} jobs",
        f"all {len(cluster.nthreads())}",
        "use a machine with more memory, or stop other programs on it",
    )


def measure(console: Console, plan: Plan) -> Results:
    """Measures everything. On a terminal, shows the current step."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("keys and matrices")
        case = _Case(plan)
        progress.update(task, description="workers")
        clusters: list[tuple[Cluster, Product]] = []
        try:
            for workers in WORKERS:
                cluster = connect(case.public, workers=workers)
                clusters.append((cluster, Product(workers=workers)))
            return _measure(
                plan, case, clusters, lambda what: progress.update(task, description=what)
            )
        finally:
            for cluster, _ in reversed(clusters):
                cluster.close()


def _measure(
    plan: Plan, case: _Case, clusters: list[tuple[Cluster, Product]], tell: Callable[[str], None]
) -> Results:
    put, install, tiny, trivial = (Times() for _ in range(4))
    stopwatch = Stopwatch()
    context_bytes, largest, tasks = 0, 0.0, 0
    for cluster, _ in clusters:
        _warm_up(case, cluster)
    for done in range(plan.rounds):
        stopwatch.run(1, 300.0)
        for cluster, product in clusters:
            tell(f"round {done + 1} of {plan.rounds}, {product.workers} workers")
            found = _timed(
                product, lambda c=cluster: c.matrix_product(case.a, case.b, terms=case.terms)
            )
            facts = cluster.last_job
            tasks = facts.tasks
            ideal = facts.evaluation_seconds / product.workers
            product.overheads.append(facts.seconds / ideal - 1)
            product.evaluation_us.append(facts.evaluation_seconds / tasks * 1e6)
            largest = max(largest, case.error(found))
        tell(f"round {done + 1} of {plan.rounds}, contexts and short tasks")
        context_bytes = _measure_context(case, clusters[0][0], put, install)
        count = 50 if plan.is_quick else _TINY_TASKS
        _measure_tasks(clusters[-1][0], count, tiny, trivial)
    facts = clusters[-1][0].last_job
    sizes = {
        "context": context_bytes,
        "circuit": len(case.layout.block_circuit.to_bytes()),
        "input": len(case.a.blocks[0].to_bytes()),
        "result": len(found.blocks[0].to_bytes()),
        "task_sent": facts.sent_bytes // tasks,
        "task_received": facts.received_bytes // tasks,
    }
    return Results(
        clock_hz=list(stopwatch.clock_hz),
        rounds=plan.rounds,
        plan=plan,
        parameters=case.secret.parameters,
        layout=case.layout,
        terms=case.terms,
        products=[product for _, product in clusters],
        alone=case.alone,
        put=put,
        install=install,
        tiny=tiny,
        trivial=trivial,
        bytes=sizes,
        largest_error=largest,
    )
