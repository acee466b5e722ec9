# SPDX-License-Identifier: Apache-2.0
"""The work of a worker: it receives ciphertexts, evaluates a circuit, and seals the results.

A task contains its operation and its inputs. A worker finds the context and the circuit by digests
in the task. Any worker can therefore run the task, or repeat it, and gives the same bytes.
"""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from distributed import Worker, get_worker
from distributed.protocol import dask_deserialize, dask_serialize

from .. import Circuit, bfv, bgv, ckks
from ..errors import RingletError
from .frames import MAX_FRAME_BYTES, Parcel, digest_of, rejected
from .store import Kept, fetch

SCHEMES = {"bfv": bfv, "bgv": bgv, "ckks": ckks}
CIRCUIT, TILE, SUM, MOMENTS = "circuit", "tile", "sum", "moments"

_TASK = b"ringlet.task.1"
_RESULT = b"ringlet.result.1"
# A client has one context; a worker that serves several keeps the last ones.
_contexts = Kept(4)
_runners = Kept(16)


@dataclass(frozen=True)
class Operation:
    """Operation of a task.

    - "circuit": the results of a circuit at a level. For several lists of inputs, the sums of their
      results.
    - "tile": for each row and each column of a tile with `columns` columns, the results of a
      circuit of two inputs, summed over terms.
    - "sum": the sums of results of earlier tasks.
    - "moments": means and covariances from sums, by a circuit that scales (see `Statistics`).
    """

    kind: str
    circuit: str = ""  # SHA-256 of its bytes
    level: int = 0  # of the inputs
    terms: int = 1  # lists of inputs
    columns: int = 0  # of a tile

    def to_bytes(self) -> bytes:
        """Returns the operation's part of the digest of a task."""
        numbers = f"{self.level} {self.terms} {self.columns}"
        return f"{self.kind} {self.circuit} {numbers}".encode()


@dataclass(frozen=True)
class Part:
    """A result of an earlier task, as an input."""

    dependency: int  # the place among the dependencies that the task receives
    output: int


@dataclass(frozen=True)
class Task:
    """One evaluation of one job."""

    job: str
    number: int
    context: str  # SHA-256 of the bytes of the public context
    scheme: str
    fingerprint: str
    operation: Operation
    inputs: tuple[Parcel | Part, ...]
    frame_bytes: int = MAX_FRAME_BYTES
    max_bytes: int = 1 << 30  # of a ciphertext


@dataclass(frozen=True)
class Result:
    """Result of a task: its ciphertexts, sealed by a digest over the task, its inputs and the
    ciphertexts.

    `lineage` is the digest of the operation and all inputs; an input from an earlier task enters it
    by its own lineage. Anyone who knows the request can compute the lineage. `error` holds an
    exception of the package if the task has no ciphertexts.
    """

    job: str
    number: int
    fingerprint: str
    lineage: bytes
    outputs: tuple[Parcel, ...]
    digest: bytes
    worker: str
    seconds: float  # of evaluation, with those of earlier tasks that gave it inputs
    inputs: tuple[bytes, ...] = ()  # SHA-256 of the client's inputs, as the task used them
    error: RingletError | None = None


@dask_serialize.register(Result)
def _to_frames(result: Result) -> tuple[dict[str, Any], list[bytes]]:
    """Passes the frames of a result to Dask as separate buffers, for every pickle protocol on which
    two processes agree."""
    bare = replace(result, outputs=tuple(Parcel((), p.length, p.digest) for p in result.outputs))
    counts = [len(parcel.frames) for parcel in result.outputs]
    frames = [frame for parcel in result.outputs for frame in parcel.frames]
    return {"bare": pickle.dumps(bare), "counts": counts}, frames


@dask_deserialize.register(Result)
def _from_frames(header: dict[str, Any], frames: list[Any]) -> Result:
    bare = pickle.loads(header["bare"])
    rest = iter([bytes(frame) for frame in frames])
    parcels = zip(bare.outputs, header["counts"], strict=True)
    outputs = tuple(
        Parcel([next(rest) for _ in range(count)], parcel.length, parcel.digest)
        for parcel, count in parcels
    )
    return replace(bare, outputs=outputs)


def lineage_of(context: str, operation: Operation, inputs: Sequence[bytes]) -> bytes:
    """Returns the digest of a task: of its operation and inputs."""
    return digest_of(_TASK, context.encode(), operation.to_bytes(), *inputs)


def part_of(lineage: bytes, output: int) -> bytes:
    """Returns the digest that represents one result of an earlier task in the lineage of a later
    task.
    """
    return digest_of(lineage, output.to_bytes(8, "little"))


def seal(result: Result) -> bytes:
    """Returns the digest that a valid result has as `digest`."""
    number = result.number.to_bytes(8, "little")
    outputs = [parcel.digest + parcel.length.to_bytes(8, "little") for parcel in result.outputs]
    head = (_RESULT, result.job.encode(), number, result.fingerprint.encode(), result.lineage)
    return digest_of(*head, *outputs)


def context_of(worker: Worker, scheme: str, digest: str) -> Any:
    """Returns the public context with this SHA-256 in this process, and fetches it if it is
    missing."""

    def make() -> Any:
        # The client that connects has the context and has decided about its security.
        loaded = SCHEMES[scheme].PublicContext
        return loaded.from_bytes(fetch(worker, digest), min_security="none")

    return _contexts.get(digest, make)


def runner_of(worker: Worker, task: Task, level: int) -> Any:
    """Returns the runner of the task's circuit for inputs at this level. A process plans it once.
    """
    digest = task.operation.circuit

    def make() -> Any:
        circuit = Circuit.from_bytes(fetch(worker, digest))
        return context_of(worker, task.scheme, task.context).runner(circuit, level)

    return _runners.get((task.context, digest, level), make)


async def install(scheme: str, context: str, dask_worker: Worker) -> str:
    """Lets a worker fetch the context before its first task. Returns the fingerprint of the
    context."""
    # The worker's event loop has to be free to fetch.
    installed = await asyncio.to_thread(context_of, dask_worker, scheme, context)
    return installed.fingerprint


def run_task(task: Task, *dependencies: Result) -> Result:
    """Evaluates a task and returns the Result. An error of the package becomes the result, because
    another attempt would fail too. Other errors are raised, so that Dask tries again."""
    started = time.perf_counter()
    worker = get_worker()
    for earlier in dependencies:
        if earlier.error is not None:
            return _failed(task, worker.address, earlier.error)
    try:
        context = context_of(worker, task.scheme, task.context)
        ciphertexts, lineages = _inputs(task, dependencies, context)
        outputs = _OPERATIONS[task.operation.kind](worker, task, ciphertexts)
    except RingletError as error:
        return _failed(task, worker.address, error)
    parcels = tuple(Parcel.of(output.to_bytes(), task.frame_bytes) for output in outputs)
    given = tuple(p.digest for p in task.inputs if isinstance(p, Parcel))
    return sealed(
        task,
        worker=worker.address,
        lineage=lineage_of(task.context, task.operation, lineages),
        outputs=parcels,
        seconds=time.perf_counter() - started + sum(earlier.seconds for earlier in dependencies),
        inputs=given,
    )


def sealed(task: Task, **facts: Any) -> Result:
    facts = {"lineage": b"", "outputs": (), "seconds": 0.0, **facts}
    draft = Result(task.job, task.number, task.fingerprint, digest=b"", **facts)
    return Result(task.job, task.number, task.fingerprint, digest=seal(draft), **facts)


def _failed(task: Task, worker: str, error: RingletError) -> Result:
    return sealed(task, worker=worker, error=error)


def _inputs(
    task: Task, dependencies: Sequence[Result], context: Any
) -> tuple[list[Any], list[bytes]]:
    """Returns the ciphertexts of a task, bound to the context, and the digest of each for the
    lineage."""
    ciphertexts, lineages = [], []
    for source in task.inputs:
        if isinstance(source, Part):
            earlier = dependencies[source.dependency]
            if earlier.job != task.job or seal(earlier) != earlier.digest:
                raise rejected(f"a changed result of task {earlier.number}", "its own digest")
            parcel = earlier.outputs[source.output]
            lineage = part_of(earlier.lineage, source.output)
        else:
            parcel, lineage = source, source.digest
        data = parcel.open(task.max_bytes, task.frame_bytes)
        ciphertexts.append(context.load_ciphertext(data))
        lineages.append(lineage)
    return ciphertexts, lineages


def _sum(items: Sequence[Any]) -> Any:
    total = items[0]
    for item in items[1:]:
        total = total + item
    return total


def _evaluate(worker: Worker, task: Task, ciphertexts: list[Any]) -> list[Any]:
    runner = runner_of(worker, task, task.operation.level)
    width = len(ciphertexts) // task.operation.terms
    totals: list[Any] = []
    for start in range(0, len(ciphertexts), width):
        found = runner(*ciphertexts[start : start + width])
        outputs = list(found) if isinstance(found, tuple) else [found]
        totals = [a + b for a, b in zip(totals, outputs, strict=True)] if totals else outputs
    return totals


def _tile(worker: Worker, task: Task, ciphertexts: list[Any]) -> list[Any]:
    """Returns the blocks of a tile, row by row. `ciphertexts` holds `terms` ciphertexts for each
    row of the tile, then `terms` for each column."""
    runner = runner_of(worker, task, task.operation.level)
    terms, columns = task.operation.terms, task.operation.columns
    sides = [ciphertexts[i : i + terms] for i in range(0, len(ciphertexts), terms)]
    rows = len(sides) - columns
    return [
        _sum([runner(a, b) for a, b in zip(left, right, strict=True)])
        for left in sides[:rows]
        for right in sides[rows:]
    ]


def _add(worker: Worker, task: Task, ciphertexts: list[Any]) -> list[Any]:
    """Returns the sums of the results of `terms` equal tasks. `ciphertexts` holds all
    results of the first task, then all of the second, and so on."""
    width = len(ciphertexts) // task.operation.terms
    return [_sum(ciphertexts[place::width]) for place in range(width)]


def _moments(worker: Worker, task: Task, ciphertexts: list[Any]) -> list[Any]:
    """Returns means x_i and covariances from sums. The inputs are sums S_i and, one level lower,
    sums of products S_ij, i <= j. The results are S_i/n and S_ij/n - x_i x_j."""
    count = task.operation.terms
    high = runner_of(worker, task, task.operation.level)
    low = runner_of(worker, task, task.operation.level - 1)
    means = [high(total) for total in ciphertexts[:count]]
    pairs = [(i, j) for i in range(count) for j in range(i, count)]
    products = [low(total) for total in ciphertexts[count:]]
    covariances = [
        product - means[i] * means[j] for (i, j), product in zip(pairs, products, strict=True)
    ]
    return [*means, *covariances]


_OPERATIONS: dict[str, Callable[[Worker, Task, list[Any]], list[Any]]] = {
    CIRCUIT: _evaluate,
    TILE: _tile,
    SUM: _add,
    MOMENTS: _moments,
}
