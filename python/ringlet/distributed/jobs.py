# SPDX-License-Identifier: Apache-2.0
"""Jobs: they turn declared tasks into verified results and yield each result exactly once.

The client sends each task together with the bytes of its ciphertexts. The scheduler keeps these
bytes until the client has the result. Dask can therefore repeat a task on any worker, and nothing
is encrypted again. `Limits` bounds the number of submitted tasks; further tasks wait in the client.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import dask
from distributed import Client, Future
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from ..errors import DistributedError, InvalidArgument, RingletError, TaskFailed
from .check import Shape, check_result, check_same, ciphertext_bytes
from .frames import Parcel
from .limits import Limits
from .session import Session
from .tasks import Operation, Part, Result, Task, lineage_of, part_of, run_task
from .watch import (
    POLL_SECONDS,
    Absence,
    Call,
    Watch,
    no_second_worker,
    scheduler_lost,
    workers_killed,
)

_OPERATION = "ringlet.distributed"
# Dask warns of tasks that carry more; these carry ciphertexts, and their number is bounded.
_NO_WARNING = {"distributed.admin.large-graph-warning-threshold": "1 TiB"}


@dataclass(eq=False)
class Node:
    """A task of a job before it is sent.

    - inputs: bytes, or (node, index of one of its results).
    - place: place of its results in the job's results; None if only other nodes use them.
    """

    operation: Operation
    inputs: tuple[Parcel | tuple[Node, int], ...]
    shapes: tuple[Shape, ...]
    place: int | None = None
    number: int = -1
    lineage: bytes = b""
    future: Future | None = field(default=None, repr=False)
    outputs: tuple[Parcel, ...] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class _First:
    """The first result of a repeated task, and the workers that may have computed it."""

    result: Result
    workers: frozenset[str]


@dataclass(eq=False)
class _Flight:
    """A submitted task. `workers`: addresses where a repeated task may run; empty for any."""

    node: Node
    task: Task
    future: Future
    nbytes: int
    first: _First | None = None
    workers: frozenset[str] = frozenset()


@dataclass
class JobFacts:
    """The cost of a job: tasks, bytes and seconds.

    - tasks: number of tasks that were sent.
    - sent_bytes, received_bytes: bytes of ciphertexts.
    - peak_bytes_in_flight, peak_tasks_in_flight: largest values at one moment.
    - seconds: duration of the job.
    - evaluation_seconds: time of all evaluations on workers together.
    - by_worker: number of results, by the worker's address.
    """

    tasks: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    peak_bytes_in_flight: int = 0
    peak_tasks_in_flight: int = 0
    seconds: float = 0.0
    evaluation_seconds: float = 0.0
    by_worker: dict[str, int] = field(default_factory=dict)


class Job:
    """One job. Iterate over `results()` once."""

    def __init__(self, session: Session, nodes: Iterable[Node], verify: str) -> None:
        self.id = uuid.uuid4().hex
        self.facts = JobFacts()
        self._session = session
        self._client: Client = session.client
        self._limits: Limits = session.limits
        self._repeats = verify == "repeat"
        self._nodes = iter(nodes)
        self._next: Node | None = None
        self._count = 0
        self._flights: dict[str, _Flight] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._parts: set[Node] = set()  # Their results wait on workers to be added up.
        self._nbytes = 0
        self._started = time.monotonic()
        self._alone = Absence()
        self._watch: Watch = session.watch(self._limits.timeout)

    def start(self) -> Future:
        """Sends the first tasks before `results` is read. Returns the future of the first one."""
        self._submit_more()
        return next(iter(self._flights.values())).future

    def results(self) -> Generator[tuple[int, list[Any]], None, None]:
        """Yields (place, ciphertexts) of every node with a place, once each, as they are verified.
        """
        try:
            self._submit_more()
            while self._flights:
                for flight, result in self._wait():
                    yield from self._finish(flight, result)
                self._submit_more()
        finally:
            # Dask keeps a task until its callback was called, wanted or not.
            for node in [*self._parts, *(flight.node for flight in self._flights.values())]:
                assert node.future is not None
                node.future.release()
            self._parts.clear()
            self._flights.clear()
            self.facts.seconds = time.monotonic() - self._started

    def _submit_more(self) -> None:
        room = self._limits.tasks_per_thread * self._threads()
        while len(self._flights) < max(2, room):
            node = self._next or next(self._nodes, None)
            self._next = None
            if node is None:
                return
            if self._repeats and any(not isinstance(s, Parcel) for s in self._sources(node)):
                self._next = node  # until both workers have computed its sources
                return
            nbytes = self._bytes_of(node)
            if self._flights and self._nbytes + nbytes > self._limits.max_bytes_in_flight:
                self._next = node
                return
            self._number(node)
            self._submit(node, nbytes)

    def _threads(self) -> int:
        return sum((self._watch.nthreads or self._watch.ask_threads()).values())

    def _bytes_of(self, node: Node) -> int:
        parameters = self._session.public.parameters
        sent = sum(source.length for source in self._sources(node) if isinstance(source, Parcel))
        nbytes = sent + sum(ciphertext_bytes(parameters, s.level) for s in node.shapes)
        if nbytes > self._limits.max_bytes_in_flight:
            raise InvalidArgument(
                _OPERATION,
                f"a task of {nbytes} bytes",
                f"max_bytes_in_flight = {self._limits.max_bytes_in_flight}",
                "raise max_bytes_in_flight, or give a task fewer inputs",
            )
        return nbytes

    def _number(self, node: Node) -> None:
        node.number = self._count
        self._count += 1
        sources = [
            source.digest if isinstance(source, Parcel) else part_of(source[0].lineage, source[1])
            for source in node.inputs
        ]
        if self._repeats:
            # Parts of earlier results come from the client, which has compared them.
            sources = [source.digest for source in self._sources(node)]
        node.lineage = lineage_of(self._session.context_digest, node.operation, sources)

    def _sources(self, node: Node) -> list[Any]:
        """Returns each input of a task: its bytes, or an earlier node and the index of its result.
        """
        sources = []
        for source in node.inputs:
            if not isinstance(source, Parcel) and source[0].outputs is not None:
                source = source[0].outputs[source[1]]
            sources.append(source)
        return sources

    def _submit(
        self,
        node: Node,
        nbytes: int,
        first: _First | None = None,
        workers: frozenset[str] = frozenset(),
    ) -> None:
        dependencies: list[Node] = []
        inputs: list[Parcel | Part] = []
        for source in self._sources(node):
            if isinstance(source, Parcel):
                inputs.append(source)
                self.facts.sent_bytes += source.length
                self._session.sent_bytes += source.length
            else:
                if source[0] not in dependencies:
                    dependencies.append(source[0])
                inputs.append(Part(dependencies.index(source[0]), source[1]))
        task = self._session.task(self.id, node.number, node.operation, tuple(inputs))
        # Partial sums come first: they free their inputs.
        priority = 10 if dependencies else 0
        key = f"ringlet-{self.id}-{node.number}"
        if first is not None:
            key += f"-again-{uuid.uuid4().hex[:8]}"
        with dask.config.set(_NO_WARNING):
            future = self._client.submit(
                run_task,
                task,
                *[dependency.future for dependency in dependencies],
                key=key,
                pure=False,
                retries=self._limits.retries,
                priority=priority,
                workers=sorted(workers) or None,
            )
        node.future = future
        self._flights[key] = _Flight(node, task, future, nbytes, first, workers)
        self._nbytes += nbytes
        self.facts.tasks += 1
        self.facts.peak_bytes_in_flight = max(self.facts.peak_bytes_in_flight, self._nbytes)
        self.facts.peak_tasks_in_flight = max(self.facts.peak_tasks_in_flight, len(self._flights))
        future.add_done_callback(self._done.put)

    def _wait(self) -> Iterator[tuple[_Flight, Result | None]]:
        """Waits until a task has finished. Yields every finished task with its result, or with None
        for a result that stays on the workers."""
        finished: list[_Flight] = []
        while not finished:
            try:
                keys = {self._done.get(timeout=POLL_SECONDS).key}
                while not self._done.empty():
                    keys.add(self._done.get().key)
            except queue.Empty:
                keys = set(self._flights)
            self.check_alive()
            self._move_stuck()
            known = [self._flights[key] for key in keys if key in self._flights]
            finished = [flight for flight in known if self._is_finished(flight)]
        fetched = [f for f in finished if f.node.place is not None or self._repeats]
        results = self._fetch(fetched)
        for flight in finished:
            if flight.future.key in self._flights:
                yield flight, results.get(flight.future.key)

    def _is_finished(self, flight: _Flight) -> bool:
        """Returns True if the task has a result; raises its error if it ended without one. Dask
        announces a result only once, even if it computes the result again because its worker died.
        `_wait` therefore also checks futures without a new announcement."""
        status = flight.future.status
        if status == "finished":
            return True
        if status not in ("error", "cancelled"):
            return False
        raise self._error_of(flight, status)

    def _fetch(self, flights: list[_Flight]) -> dict[str, Any]:
        """Returns the results by key, without those of tasks that were moved meanwhile. Another
        thread waits for Dask, while this thread checks time limits and the scheduler."""
        started = time.monotonic()
        # If a worker dies now, computing its results again takes as long as the job took so far. A
        # lack of workers is found earlier.
        limit = 2 * (self._limits.worker_timeout + 1 + started - self._started)
        while flights:
            fetching = Call(self._client.gather, [flight.future for flight in flights])
            while not (is_done := fetching.wait(POLL_SECONDS)):
                self.check_alive()
                self._move_stuck()
                if not all(flight.future.key in self._flights for flight in flights):
                    break  # A moved task releases its future, which ends that call.
                if time.monotonic() - started > limit:
                    raise self._broken(TimeoutError(f"nothing came for {limit:.0f} s"))
            if is_done:
                if fetching.error is not None:
                    raise self._broken(fetching.error) from fetching.error
                results = fetching.value()
                return {f.future.key: r for f, r in zip(flights, results, strict=True)}
            flights = [flight for flight in flights if flight.future.key in self._flights]
        return {}

    def _broken(self, error: BaseException) -> DistributedError:
        self.check_alive()
        if isinstance(error, DistributedError):
            return error
        if isinstance(error, KilledWorker):
            return workers_killed(error)
        if isinstance(error, CommClosedError):
            return scheduler_lost(self._session.address, f"{type(error).__name__}: {error}")
        what = f"{type(error).__name__}: {error}"
        return TaskFailed(
            _OPERATION,
            f"results that could not be fetched: {what:.300}",
            "results that the workers still hold",
            "run the job again; its inputs are unchanged",
        )

    def _error_of(self, flight: _Flight, status: str) -> RingletError:
        """Returns the error for a task that ended without a result."""
        self.check_alive()
        if status == "error":
            error = self._watch.call(flight.future.exception)
            if isinstance(error, KilledWorker):
                return workers_killed(error)
            if isinstance(error, RingletError):
                return error
            failed = TaskFailed(
                _OPERATION,
                f"task {flight.task.number}: {type(error).__name__}: {error!s:.300}",
                f"at most {self._limits.retries} retries",
                "read the worker's log, then run the job again; its inputs are unchanged",
            )
            failed.__cause__ = error
            return failed
        return TaskFailed(
            _OPERATION,
            f"task {flight.task.number} was cancelled",
            "tasks that only this client cancels",
            "run the job again; its inputs are unchanged",
        )

    def _finish(self, flight: _Flight, result: Result | None) -> Iterator[tuple[int, list[Any]]]:
        node = flight.node
        if result is None:
            self._land(flight, is_needed=True)
            self._parts.add(node)
            self._drop_inputs(node)
            return
        public = self._session.public
        found = check_result(result, flight.task, node.lineage, node.shapes, public)
        self._count_result(result)
        if self._repeats and flight.first is None:
            first = self._first(flight, result)
            others = self._others(first)
            self._land(flight)
            self._submit(node, flight.nbytes, first, others)
            return
        if flight.first is not None:
            check_same(flight.task, flight.first.result, result)
            node.outputs = tuple(result.outputs)
        self._land(flight)
        node.future = None
        self._drop_inputs(node)
        if node.place is not None:
            yield node.place, found

    def _land(self, flight: _Flight, is_needed: bool = False) -> None:
        """Removes a task that is over. Releases its result at once unless another task needs it: a
        caller may keep the error of a job, and with the error the job."""
        del self._flights[flight.future.key]
        self._nbytes -= flight.nbytes
        if not is_needed:
            flight.future.release()

    def _drop_inputs(self, node: Node) -> None:
        """Forgets the inputs of a node that has summed them up; no other node uses them. If the sum
        is lost, the scheduler repeats their tasks, which it still knows."""
        self._parts.difference_update(s[0] for s in node.inputs if not isinstance(s, Parcel))
        node.inputs = ()

    def _first(self, flight: _Flight, result: Result) -> _First:
        """Returns the first result of a task with every worker that may have computed it. A worker
        may give a wrong address, so the scheduler is asked who holds the result."""
        held = self._watch.call(self._client.who_has, [flight.future])
        holders = {address for addresses in held.values() for address in addresses}
        return _First(result, frozenset(holders | {result.worker}))

    def _others(self, first: _First) -> frozenset[str]:
        """Returns the workers that may repeat a task. Waits until there is one, and raises
        WorkersLost if none comes within worker_timeout."""
        alone = Absence()
        while not (others := frozenset(self._watch.ask_threads()) - first.workers):
            if alone.seconds_of(True) > self._limits.worker_timeout:
                raise no_second_worker(first.result.worker)
            self.check_alive()
            time.sleep(POLL_SECONDS)
        return others

    def _count_result(self, result: Result) -> None:
        received = sum(parcel.length for parcel in result.outputs)
        self.facts.received_bytes += received
        self._session.received_bytes += received
        self.facts.evaluation_seconds += result.seconds
        self.facts.by_worker[result.worker] = self.facts.by_worker.get(result.worker, 0) + 1

    def _move_stuck(self) -> None:
        """Submits a repeated task to other workers if all of its workers have left, even if its
        result was announced but not fetched. Raises WorkersLost if no other worker comes within
        worker_timeout."""
        alive = frozenset(self._watch.nthreads)
        alone: _First | None = None
        for flight in list(self._flights.values()):
            if flight.first is None or not alive or alive & flight.workers:
                continue
            others = alive - flight.first.workers
            if not others:
                alone = flight.first
                continue
            self._land(flight)  # Dask would wait for the dead worker forever.
            self._submit(flight.node, flight.nbytes, flight.first, others)
        if self._alone.seconds_of(alone is not None) > self._limits.worker_timeout:
            assert alone is not None
            raise no_second_worker(alone.result.worker)

    def check_alive(self) -> None:
        """Raises JobTimeout, SchedulerLost or WorkersLost if the job cannot go on."""
        self._watch.check()
