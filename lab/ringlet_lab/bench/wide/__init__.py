# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench wide`: modular arithmetic and transforms on double words (moduli of up to 124
bits), as measured in the paper on MQX. It times element-wise operations at length 1024 and
transforms of 2^8 to 2^20, by every kernel, by GMP and FLINT if they are present, and in a residue
number system.

All rows of one size are interleaved in one process: each round runs one block of every row.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from rich.console import Console
from ringlet.progress import counted_steps

from ... import _lab
from ..._lab import Job, Stopwatch, selected_kernels
from . import projection as wide_projection
from ..kernels import none_taken
from ..peers import PeerJob
from ..timing import Clock, Times, butterflies, fill
from .peers import WidePeers, checked_job

OPERATION = "ringlet bench wide"
OPERATIONS = ("add", "subtract", "multiply", "axpy", "dot")
DIRECTIONS = ("forward", "inverse")
LENGTH = 1024  # of element-wise operations, as in the paper
DEGREES = tuple(1 << k for k in range(8, 21))
BITS = 124
RNS_BITS = 42
RNS_NAME = f"rns, 3 x {RNS_BITS} bits"
LEAST_ROUNDS = 5
# The longest products of polynomials, which FLINT's products accompany.
_MOST_PRODUCT = 1 << 14
# The longest emulated transform: emulation is slow, and its times mean nothing.
_MOST_EMULATED = 1 << 12
_BLOCK_US = 200.0
_LIMIT_COUNT = 4096
# A table whose kernels emulate instructions that do not exist.
EMULATED_TABLE = "mqx"


@dataclass(frozen=True)
class Moduli:
    """The primes of a run: one of any form, and one of the form k * 2^104 + 1."""

    general: int
    special: int

    def text(self, kind: str) -> str:
        return str(self.special if kind == "special" else self.general)


@dataclass
class Row(Times):
    """One operation at one size. `kind` says how its time was obtained: measured (a kernel of this
    library), emulated, reference (another library), rns, projected (existing instructions stand in
    for missing ones), or limit."""

    kind: str
    operation: str  # one of OPERATIONS, "ntt_forward", "ntt_inverse", "product" or a limit
    name: str
    size: int
    modulus: str = ""  # "general" or "special", of kernels
    text: str = ""
    operand_bytes: int = 0
    table_bytes: int = 0

    @property
    def units(self) -> int:
        """Number of elements of a vector, butterflies of a transform, or products."""
        if self.operation.startswith("ntt_"):
            return butterflies(self.size)
        return 1 if self.operation == "product" else self.size

    @property
    def late_mean(self) -> float:
        """The mean of the later half of the rounds in microseconds, as the paper computes it."""
        return statistics.mean(self.times_us[len(self.times_us) // 2 :])

    def ns(self, microseconds: float | None = None) -> float:
        """Returns nanoseconds per unit: of a time in microseconds, or by default of the fastest
        round."""
        return 1e3 * (self.best if microseconds is None else microseconds) / self.units


def nearest(degrees: Sequence[int], to: int = 4096) -> int:
    """Returns the degree that is the fewest powers of two away from `to`."""
    return min(degrees, key=lambda n: (abs(n.bit_length() - to.bit_length()), n))


@dataclass
class Results(Clock):
    """All that one run measured."""

    moduli: Moduli
    bits: int
    length: int
    rows: list[Row]
    peers: dict[str, str]  # Name and description; empty if there are none.
    missing: list[str] = field(default_factory=list)  # what this run lacks, and why
    checks: list[wide_projection.ProjectionCheck] = field(default_factory=list)

    def select(self, operation: str, size: int | None = None, *kinds: str) -> list[Row]:
        return [
            row
            for row in self.rows
            if row.operation == operation
            and (size is None or row.size == size)
            and (not kinds or row.kind in kinds)
        ]

    @property
    def degrees(self) -> list[int]:
        return sorted({row.size for row in self.rows if row.operation == "ntt_forward"})

    @property
    def shown_degree(self) -> int:
        """4096, or the measured degree that is nearest to it."""
        return nearest(self.degrees)

    def fastest_transform(self, degree: int, kind: str = "measured") -> Row | None:
        """Returns the fastest forward transform of this kind, or None."""
        rows = self.select("ntt_forward", degree, kind)
        return min(rows, key=lambda row: row.ns(), default=None)


class Group:
    """The rows of one size. Kernels are on one stopwatch, references on another. The two take
    turns, but references get no more time than kernels, because they may be fifty times slower."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.kernels, self.references = Stopwatch(), Stopwatch()
        self.rows: list[tuple[Row, Stopwatch, int]] = []
        self._kept: list[PeerJob] = []

    def add(self, row: Row, add: Callable[..., Job | int], *arguments: object) -> None:
        """Adds the job add(stopwatch, *arguments)."""
        job = add(self.kernels, *arguments)
        index = job if isinstance(job, int) else job.index
        if isinstance(job, Job):
            row.operand_bytes, row.table_bytes = job.operand_bytes, job.table_bytes
            if row.kind == "rns":
                row.text = job.kernel
        self.rows.append((row, self.kernels, index))

    def add_peer(self, row: Row, job: PeerJob) -> None:
        self._kept.append(job)
        job.add_to(self.references)
        self.rows.append((row, self.references, len(self.references) - 1))

    def run(self, rounds: int, seconds: float) -> list[float]:
        """Runs at most `rounds` rounds, and no more after `seconds` seconds. Returns the clock of
        each round."""
        took = {id(self.kernels): 0.0, id(self.references): 0.0}

        def turn(stopwatch: Stopwatch) -> None:
            start = time.monotonic()
            if len(stopwatch):
                stopwatch.run(1, _BLOCK_US)
            took[id(stopwatch)] += time.monotonic() - start

        least = min(rounds, LEAST_ROUNDS)
        for done in range(rounds):
            if done >= least and sum(took.values()) > seconds:
                break
            turn(self.kernels)
            if done < 2 or took[id(self.references)] <= took[id(self.kernels)]:
                turn(self.references)
        for row, stopwatch, index in self.rows:
            fill(stopwatch, [(row, index)])
        return list(self.kernels.clock_hz)


def kernel_names(moduli: Moduli) -> list[tuple[str, str, str]]:
    """Returns the kernels that this machine and the selection allow: name, kind of row, and which
    prime the kernel gets. Only kernels that take no other prime get the special one. Kernels for
    studies must be named."""
    found = []
    ceiling = selected_kernels().split("/")
    for which in ("general", "special"):
        for kernel in _lab.double_word_kernels(moduli.text(which)):
            if kernel.special_modulus != (which == "special"):
                continue
            parts = kernel.name.split("/")
            if (ceiling[0] or kernel.named_only) and parts[: len(ceiling)] != ceiling:
                continue
            kind = "emulated" if parts[0] == EMULATED_TABLE else "measured"
            found.append((kernel.name, kind, which))
    return found


class Measurements:
    """The jobs of one run."""

    def __init__(
        self,
        degrees: Sequence[int],
        bits: int = BITS,
        length: int = LENGTH,
        peers: WidePeers | None = None,
    ) -> None:
        self.bits, self.length, self.degrees, self.peers = bits, length, degrees, peers
        longest = max(degrees)
        primes = (_lab.double_word_prime(bits, longest, is_special) for is_special in (False, True))
        self.moduli = Moduli(*map(int, primes))
        self.kernels = kernel_names(self.moduli)
        if not self.kernels:
            raise none_taken(
                OPERATION,
                "a table or kernel of double words",
                "name a kernel that `ringlet info` lists",
            )

    def _add_peers(self, group: Group, operation: str, size: int) -> None:
        if self.peers is None:
            return
        for name in self.peers.descriptions:
            if name.split("/")[1] != operation:
                continue
            job = checked_job(self.peers, name, size, self.moduli.general)
            if job is not None:
                text = self.peers.descriptions[name]
                library = name.split("/")[0]
                group.add_peer(Row("reference", operation, library, size, text=text), job)

    def _add_projected(self, group: Group, operation: str, size: int) -> None:
        modulus = self.moduli.text("general")
        for product in _lab.projected_products():
            name = f"mqx/{product}"
            row = Row("projected", operation, name, size, "general", wide_projection.TEXT)
            if operation.startswith("ntt_"):
                is_forward = operation == "ntt_forward"
                group.add(row, _lab.add_projected_ntt, size, modulus, product, is_forward)
            else:
                group.add(row, _lab.add_projected_eltwise, operation, size, modulus, product)

    def _blas(self) -> Group:
        size = self.length
        group = Group(f"element-wise, length {size}")
        for operation in OPERATIONS:
            for name, kind, which in self.kernels:
                row = Row(kind, operation, name, size, which)
                modulus = self.moduli.text(which)
                group.add(row, _lab.add_double_eltwise, operation, size, modulus, name)
            row = Row("rns", operation, RNS_NAME, size)
            group.add(row, _lab.add_rns_eltwise, operation, size, RNS_BITS, selected_kernels())
            self._add_projected(group, operation, size)
            self._add_peers(group, operation, size)
        for limit in _lab.limits():
            if limit.startswith("wide/"):
                name = limit.replace("wide/", "limit/")
                group.add(Row("limit", "arithmetic", name, _LIMIT_COUNT), _lab.add_limit, limit,
                          _LIMIT_COUNT)  # fmt: skip
        if "stream" in _lab.limits():
            rounded = size // 16 * 16
            # A double word is two words.
            row = Row("limit", "stream", "limit/stream", rounded)
            group.add(row, _lab.add_limit, "stream", 2 * rounded)
        return group

    def _transforms(self, degree: int) -> Group:
        group = Group(f"transforms, N = {degree}")
        for direction in DIRECTIONS:
            operation, forward = f"ntt_{direction}", direction == "forward"
            for name, kind, which in self.kernels:
                if kind == "emulated" and degree > _MOST_EMULATED:
                    continue
                row = Row(kind, operation, name, degree, which)
                modulus = self.moduli.text(which)
                group.add(row, _lab.add_double_ntt, degree, modulus, name, forward)
            row = Row("rns", operation, RNS_NAME, degree)
            group.add(row, _lab.add_rns_ntt, degree, RNS_BITS, selected_kernels(), forward)
            self._add_projected(group, operation, degree)
            self._add_peers(group, operation, degree)
        if self.peers is not None and degree <= _MOST_PRODUCT:
            for name, kind, which in self.kernels:
                if kind == "measured":
                    row = Row(kind, "product", name, degree, which)
                    group.add(row, _lab.add_double_product, degree, self.moduli.text(which), name)
            self._add_peers(group, "product", degree)
        if any(limit.startswith("wide/") for limit in _lab.limits()):
            row = Row("limit", "pass", "limit/pass", degree)
            group.add(row, _lab.add_limit, "pass", 2 * degree)
        return group

    def run(self, console: Console, rounds: int, seconds: float) -> Results:
        """Measures one size after the other. On a terminal, shows a progress bar."""
        rows: list[Row] = []
        clock_hz: list[float] = []
        makers: list[Callable[[], Group]] = [self._blas]
        makers += [partial(self._transforms, degree) for degree in self.degrees]
        with counted_steps(console) as progress:
            task = progress.add_task("measuring", total=len(makers))
            for make in makers:
                group = make()
                progress.update(task, description=group.title)
                clock_hz += group.run(rounds, seconds)
                rows += [row for row, *_ in group.rows]
                del group  # frees its memory before the next group takes its own
                progress.advance(task)
        checks = wide_projection.measured_checks(
            nearest(self.degrees), str(self.moduli.general), rounds
        )
        reasons = (self._missing_peers(), wide_projection.missing())
        missing = [text for text in reasons if text]
        return Results(
            self.moduli,
            self.bits,
            self.length,
            rows,
            {} if self.peers is None else self.peers.descriptions,
            missing,
            checks,
            clock_hz=clock_hz,
            rounds=rounds,
        )

    def _missing_peers(self) -> str:
        if self.peers is None:
            return "GMP and FLINT are not measured: no library of theirs was given (--peers)"
        have = {name.split("/")[0] for name in self.peers.descriptions}
        lacking = [name for name in ("gmp", "flint") if name not in have]
        return f"not in the library of --peers: {', '.join(lacking)}" if lacking else ""
