# SPDX-License-Identifier: Apache-2.0
"""The client's side: a public context on the workers of a Dask cluster."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from distributed import Client, LocalCluster

from .. import Circuit, __version__
from ..errors import DistributedError, InvalidArgument, JobTimeout, RingletError, WorkersLost
from .check import Shape, check_input, ciphertext_bytes
from .frames import Parcel
from .futures import Pending, as_completed
from .jobs import Job, JobFacts, Node
from .limits import Limits
from .matrices import EncryptedMatrix, product_nodes, product_tiles
from .opening import open_client
from .store import NAME, ObjectStore
from .tables import EncryptedStatistics, EncryptedTable, statistics_nodes
from .tasks import CIRCUIT, Operation, Task, install
from .watch import Call, Watch

_OPERATION = "ringlet.distributed.connect"
VERIFY = ("digest", "repeat")
_CLOSE_SECONDS = 10.0

Progress = bool | Callable[[int, int], object]


@dataclass
class Traffic:
    """Bytes that were sent and received.

    - contexts: bytes of the public context, by the worker's address.
    - circuits: bytes of all circuits together, by the worker's address.
    - sent: bytes of the ciphertexts in tasks.
    - received: bytes of the ciphertexts in results.
    """

    contexts: dict[str, int] = field(default_factory=dict)
    circuits: dict[str, int] = field(default_factory=dict)
    sent: int = 0
    received: int = 0


def connect(
    public: Any,
    address: Any = None,
    *,
    workers: int | None = None,
    verify: str = "digest",
    limits: Limits | None = None,
    security: Any = None,
) -> Cluster:
    """Connects to workers and returns a Cluster that computes on ciphertexts of `public`.

    - public: a PublicContext of CKKS, BFV or BGV.
    - address: address of a Dask scheduler ("tcp://host:8786"), or a dask.distributed.Client or
      cluster, which stays open. Without it, the call starts processes on this machine, with one
      thread each. Each process imports the calling script: connect below `if __name__ ==
      "__main__":`.
    - workers: number of local processes, by default one per processor; not with an address.
    - verify: "digest" checks every result against its task and inputs. "repeat" also computes every
      task on two workers and compares the results.
    - limits: limits of time, memory and retries.
    - security: TLS settings, as dask.distributed.Client takes them. By default local processes use
      TLS with keys made for this call. With False they use plain TCP, and every user of this
      machine can run code in this process and in its workers.

    Raises InvalidArgument for wrong arguments. Raises SchedulerLost if no scheduler answers. Raises
    WorkersLost if no worker comes within limits.worker_timeout, or if one does not load the context
    within limits.load_timeout. Raises DistributedError if local processes do not start or have
    another version of ringlet, MissingPackage if the package that makes TLS keys is missing.
    """
    scheme = getattr(getattr(public, "parameters", None), "scheme", None)
    if scheme is None or not hasattr(public, "relin_keys_nbytes"):
        raise InvalidArgument(
            _OPERATION,
            f"public of type {type(public).__name__}",
            "a PublicContext of ringlet.ckks, bfv or bgv; a SecretContext never leaves its process",
            "pass secret.public(...)",
        )
    if verify not in VERIFY:
        raise InvalidArgument(
            _OPERATION,
            f"verify = {verify!r}",
            " or ".join(map(repr, VERIFY)),
            "pass one of these names",
        )
    if workers is not None and (address is not None or type(workers) is not int or workers < 1):
        raise InvalidArgument(
            _OPERATION,
            f"workers = {workers!r}" + ("" if address is None else f" and address = {address!s}"),
            "a positive number of local workers, without an address",
            "pass either a number of workers or an address",
        )
    limits = limits or Limits()
    client, closes = open_client(address, workers, limits, security)
    try:
        return Cluster(public, client, closes, verify, limits)
    except BaseException:
        for thing in closes:
            Call(thing.close).wait(_CLOSE_SECONDS)
        raise


class Cluster:
    """A public context on the workers of a Dask cluster. `connect` makes it. A context manager.

    Results are ciphertexts bound to the caller's context, in the order of the inputs. A job returns
    all its results or raises one error; its inputs stay unchanged. `client` is Dask's client. Only
    one thread at a time may use a Cluster.
    """

    def __init__(
        self, public: Any, client: Client, closes: Sequence[Any], verify: str, limits: Limits
    ) -> None:
        self.public = public
        self.client = client
        self.verify = verify
        self.limits = limits
        self.address = str(client.scheduler.address)
        self.last_job = JobFacts()
        self._closes = list(closes)
        self._circuits: dict[str, Circuit] = {}
        self._runners: dict[tuple[str, int], Any] = {}
        self.sent_bytes = self.received_bytes = 0  # of ciphertexts; jobs count them
        self._prepare()

    def _prepare(self) -> None:
        """Brings the store and the context to the scheduler, and the context to the workers."""
        self._ask_plugin()
        self.context_digest = self.put(self.public.to_bytes())
        # The watch reports missing workers earlier; this limit ends the call that it abandoned.
        self._call(self.client.wait_for_workers, 1, 2 * self.limits.worker_timeout + _CLOSE_SECONDS)
        self.install(self.context_digest)

    def install(self, context: str, workers: Sequence[str] | None = None) -> None:
        """Lets workers load a context that `put` sent.

        - context: SHA-256 of the context's bytes. workers: addresses, by default all workers.
        """
        scheme = self.public.parameters.scheme
        chosen = None if workers is None else list(workers)
        limit = self.limits.load_timeout
        try:
            found = self._call(
                self.client.run,
                install,
                scheme,
                context,
                workers=chosen,
                on_error="return",
                watch=self.watch(limit),
            )
        except JobTimeout as error:
            raise WorkersLost(
                _OPERATION,
                f"a worker at {self.address} that has not loaded the context after {limit} s",
                f"load_timeout = {limit} s",
                "look for a worker that hangs; raise the limit for large keys",
            ) from error
        for worker, answer in found.items():
            # A worker that leaves meanwhile is no error; one that joins asks by itself.
            if isinstance(answer, Exception) and not isinstance(answer, OSError):
                raise _not_installed(f"{worker}: {type(answer).__name__}: {answer}") from answer
        prints = {worker: answer for worker, answer in found.items() if isinstance(answer, str)}
        wrong = [worker for worker, answer in prints.items() if answer != self.public.fingerprint]
        if wrong:
            raise DistributedError(
                _OPERATION,
                f"another context on {', '.join(wrong)}",
                f"context {self.public.fingerprint[:16]}",
                "install the same version of ringlet everywhere",
            )

    def _ask_plugin(self) -> None:
        self._call(self.client.register_plugin, ObjectStore(), name=NAME)
        version = self._ask("ringlet_version")
        if version != __version__:
            raise DistributedError(
                _OPERATION,
                f"ringlet {version} on the scheduler",
                f"ringlet {__version__}",
                "install the same version everywhere",
            )

    def _call(
        self, call: Callable[..., Any], *arguments: Any, watch: Watch | None = None, **options: Any
    ) -> Any:
        try:
            return (watch or self.watch()).call(call, *arguments, **options)
        except RingletError:
            raise
        except Exception as error:
            raise _not_installed(f"{type(error).__name__}: {error}") from error

    def _ask(self, call: str, **arguments: Any) -> Any:
        client = self.client
        return self._call(lambda: client.sync(getattr(client.scheduler, call), **arguments))

    def put(self, data: bytes) -> str:
        """Sends the bytes of a context or circuit to the scheduler, in frames. Sends nothing if the
        scheduler has them already. Returns their SHA-256."""
        digest = hashlib.sha256(data).hexdigest()
        if self._ask("ringlet_describe", digest=digest, owner=self.client.id) is not None:
            return digest
        step = self.limits.max_frame_bytes
        frames = [data[i : i + step] for i in range(0, len(data), step)]
        about = {"digest": digest, "count": len(frames), "owner": self.client.id}
        for index, frame in enumerate(frames):
            self._ask("ringlet_put", index=index, data=frame, **about)
        return digest

    def watch(self, timeout: float | None = None) -> Watch:
        """Returns a Watch: it checks the scheduler, the workers and a time limit from now on."""
        return Watch(self.client, self.limits, self.address, self._revive, timeout)

    def _revive(self, count: int) -> None:
        """Restarts local workers that Dask has given up. Dask gives up a worker that dies twice
        within seconds, or while it starts."""
        local = self.client.cluster
        if isinstance(local, LocalCluster) and count < len(local.worker_spec):
            local.scale(len(local.worker_spec))

    def nthreads(self) -> dict[str, int]:
        """Returns the number of threads of every worker, by address."""
        return dict(self._call(self.client.nthreads))

    @property
    def traffic(self) -> Traffic:
        """Bytes that were sent and received since this cluster was connected. Contexts and circuits
        count since the first client sent them."""
        circuits: dict[str, int] = {}
        for digest in self._circuits:
            for worker, count in self._ask("ringlet_served", digest=digest).items():
                circuits[worker] = circuits.get(worker, 0) + count
        contexts = self._ask("ringlet_served", digest=self.context_digest)
        return Traffic(contexts, circuits, self.sent_bytes, self.received_bytes)

    def run(
        self, circuit: Circuit, inputs: Iterable[Any], *, progress: Progress = False
    ) -> list[Any]:
        """Computes the circuit on each of `inputs` and returns the list of results, in order.

        - inputs: ciphertexts, or tuples of them for a circuit with several inputs. A generator
          works too: inputs are read when their tasks are sent.
        - progress: True shows a bar. A function receives (done, total); total is 0 if it is
          unknown.

        Each result is a ciphertext, or a tuple of the circuit's results. Raises DistributedError,
        or one of its subclasses, if the job fails.
        """
        found = dict(self._stream(circuit, inputs, progress))
        return [found[place] for place in range(len(found))]

    def stream(
        self, circuit: Circuit, inputs: Iterable[Any], *, progress: Progress = False
    ) -> Iterator[tuple[int, Any]]:
        """Computes the circuit on each of `inputs` and yields (place, result) for each result as
        soon as it is verified. Arguments and errors are those of `run`."""
        yield from self._stream(circuit, inputs, progress)

    def _stream(
        self, circuit: Circuit, inputs: Iterable[Any], progress: Progress
    ) -> Iterator[tuple[int, Any]]:
        total = len(inputs) if isinstance(inputs, Sequence) else 0
        operation, shapes = self.operation(circuit, self.public.max_level)
        nodes = (
            Node(operation, self.parcels(circuit, given), shapes, place)
            for place, given in enumerate(inputs)
        )
        for place, outputs in self._results(nodes, total, progress):
            yield place, outputs[0] if len(outputs) == 1 else tuple(outputs)

    def submit(self, circuit: Circuit, *ciphertexts: Any) -> Pending:
        """Starts one evaluation and returns a Pending, from which the result is read later.
        `as_completed` takes several of them."""
        operation, shapes = self.operation(circuit, self.public.max_level)
        node = Node(operation, self.parcels(circuit, ciphertexts), shapes, 0)
        return Pending(self, node)

    def as_completed(self, pending: Iterable[Pending]) -> Iterator[Pending]:
        """Yields the Pending objects of `submit` in the order in which their results arrive."""
        return as_completed(pending)

    def matrix_product(
        self,
        a: EncryptedMatrix,
        b: EncryptedMatrix,
        *,
        terms: int = 1,
        tile: int = 1,
        progress: Progress = False,
    ) -> EncryptedMatrix:
        """Computes the product of two encrypted matrices of one `MatrixProduct`, block by block.

        - a, b: the left and the right factor.
        - terms: number of products of blocks along the inner dimension that one task sums up.
        - tile: a task computes tile x tile blocks of the product. With a larger tile, each
          ciphertext is sent to fewer tasks.
        - progress: as in `run`.

        A task computes terms * tile^2 products of blocks.
        """
        tiles, product = product_tiles(a, b, terms, tile)
        columns = product.layout.grid[2]
        nodes = product_nodes(self, a, b, terms, tiles)
        for place, outputs in self._results(nodes, len(tiles), progress):
            for block, output in zip(tiles[place].places(columns), outputs, strict=True):
                product.blocks[block] = output
        return product

    def statistics(
        self, table: EncryptedTable, *, terms: int = 1, progress: Progress = False
    ) -> EncryptedStatistics:
        """Computes means, variances and covariances of the columns of an encrypted table of
        `Statistics`, with a tree of sums.

        - terms: number of chunks of rows that one task takes. progress: as in `run`.
        """
        nodes = statistics_nodes(self, table, terms)
        (outputs,) = (found for _, found in self._results(nodes, 1, progress))
        return EncryptedStatistics(table.layout, tuple(outputs))

    def _results(
        self, nodes: Iterable[Node], total: int, progress: Progress
    ) -> Iterator[tuple[int, list[Any]]]:
        job = Job(self, nodes, self.verify)
        self.last_job = job.facts
        tell, close = _progress(progress)
        with contextlib.closing(job.results()) as results:
            try:
                for done, found in enumerate(results, 1):
                    if tell is not None:
                        tell(done, total)
                    yield found
            finally:
                close()

    def operation(self, circuit: Circuit, level: int) -> tuple[Operation, tuple[Shape, ...]]:
        """Sends a circuit to the scheduler. Returns the Operation that evaluates it on inputs of
        this level, and the shapes of its results."""
        if not isinstance(circuit, Circuit):
            raise InvalidArgument(
                "Cluster", f"circuit = {circuit!r:.60}", "a ringlet.Circuit", "pass a Circuit"
            )
        data = circuit.to_bytes()
        digest = hashlib.sha256(data).hexdigest()
        if (digest, level) not in self._runners:
            # The client plans too, to refuse an impossible circuit before anything is sent.
            runner = self.public.runner(circuit, level)
            self._runners[digest, level] = runner.estimate
            self._circuits[digest] = circuit
            self.put(data)
        estimates = self._runners[digest, level]
        shapes = tuple(Shape(e.prime_count - 1, e.scale) for e in estimates)
        return Operation(CIRCUIT, digest, level), shapes

    def parcels(self, circuit: Circuit, given: Any) -> tuple[Parcel, ...]:
        """Checks the inputs of one evaluation and returns their bytes."""
        ciphertexts = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        if len(ciphertexts) != circuit.input_count:
            raise InvalidArgument(
                "Cluster.run",
                f"{len(ciphertexts)} ciphertexts",
                f"{circuit.input_count} inputs of the circuit",
                "pass one ciphertext for each input, several inputs as a tuple",
            )
        return tuple(self.parcel(ciphertext) for ciphertext in ciphertexts)

    def parcel(self, ciphertext: Any) -> Parcel:
        """Checks a ciphertext and returns its bytes in frames."""
        check_input(self.public, ciphertext, "Cluster.run")
        return Parcel.of(ciphertext.to_bytes(), self.limits.max_frame_bytes)

    def task(
        self, job: str, number: int, operation: Operation, inputs: tuple[Any, ...]
    ) -> Task:
        """Returns a task on this cluster's context."""
        public = self.public
        return Task(
            job,
            number,
            self.context_digest,
            public.parameters.scheme,
            public.fingerprint,
            operation,
            inputs,
            self.limits.max_frame_bytes,
            ciphertext_bytes(public.parameters, public.max_level),
        )

    def close(self) -> None:
        """Closes what `connect` opened. Results that were not fetched are lost."""
        closes, self._closes = self._closes, []
        for thing in closes:
            # A scheduler that hangs must not block the caller.
            Call(thing.close).wait(_CLOSE_SECONDS)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            f"<ringlet.distributed.Cluster {self.public.parameters.scheme} at {self.address}, "
            f"verify={self.verify!r}>"
        )


def _not_installed(what: str) -> DistributedError:
    """Returns the error for a scheduler or worker that failed."""
    return DistributedError(
        _OPERATION,
        f"{what:.300}",
        "a cluster on which this version of ringlet is installed and plugins are allowed",
        "install ringlet where the scheduler and the workers run",
    )


def _progress(wanted: Progress) -> tuple[Callable[[int, int], object] | None, Callable[[], None]]:
    """Returns the function that receives the progress, or None, and the function that ends the
    display."""
    if wanted is True:
        from ..progress import Bar

        bar = Bar("tasks")
        return bar, bar.close
    return (wanted or None), lambda: None
