# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench schemes`: times the operations of the HEXL paper's tables and the routines of the
GPU paper, for CKKS, BFV and BGV. It measures them on SEAL's default primes and on Ringlet's own,
beside SEAL itself if TenSEAL is installed.

A case is one scheme at one degree. All operations of a case, SEAL's included, are interleaved in
one process: each round runs one block of every operation. Every operation is run once before it is
timed, and its result is decrypted and compared.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from ringlet.progress import counted_steps

from ..._lab import SchemeMeter, Stopwatch, selected_kernels
from ...threads import set_thread_count, thread_count
from ..kernels import available_tables
from .peer import Peer
from ..timing import Clock, Times, fill

OPERATION = "ringlet bench schemes"
SCHEMES = ("ckks", "bfv", "bgv")
DEGREES = (4096, 8192, 16384, 32768)
THREADS = (1, 2)
ROUNDS = 30
SECONDS = 20.0
# The time limit may reduce the rounds down to this; a minimum of fewer means little.
LEAST_ROUNDS = 5
METHOD = (
    "interleaved rounds, one block of every operation each; results decrypted and compared before; "
    "destinations used again; minimum and median of the rounds"
)

KEY_SWITCHING = ("relinearize", "rotate", "multiply_relinearize", "relinearize_rescale")
BLOCK_US = 1000.0
_PROFILE_RUNS = 5

SEAL = "seal"
OWN = "own"
# N = 8192 with three primes of 50 bits and a special one, as in the HEXL paper.
HEXL_DEGREE = 8192
HEXL_BITS = ((50, 50, 50), (50,))
BASELINE = "scalar64"
NARROW = "avx2"


@dataclass(frozen=True)
class Chain:
    """Bits of the data primes and of the special primes. Both are empty for SEAL's default primes.
    """

    name: str
    data: tuple[int, ...] = ()
    special: tuple[int, ...] = ()


def _chain(name: str, data: dict[int, int], special: dict[int, int]) -> Chain:
    """Returns the chain with these numbers of primes, given by their bits."""
    lists = (tuple(b for b, n in counts.items() for _ in range(n)) for counts in (data, special))
    return Chain(name, *lists)


# Primes below 2^49: the data modulus of SEAL's primes, and no more bits in all.
OWN_CHAINS = {
    4096: _chain(OWN, {36: 2}, {37: 1}),
    8192: _chain(OWN, {43: 2, 44: 2}, {44: 1}),
    16384: _chain(OWN, {48: 6, 49: 2}, {49: 1}),
    32768: _chain(OWN, {48: 7, 49: 10}, {49: 1}),
}
# Data + special primes, with as many bits in all as SEAL's: fewer levels, fewer digits.
HYBRID_CHAINS = {
    4096: (),
    8192: (_chain("3+2", {43: 2, 44: 1}, {44: 2}),),
    16384: (_chain("7+2", {48: 3, 49: 4}, {49: 2}), _chain("6+3", {48: 3, 49: 3}, {49: 3})),
    32768: (
        _chain("15+3", {48: 1, 49: 14}, {49: 3}),
        _chain("14+4", {48: 1, 49: 13}, {49: 4}),
        _chain("12+6", {48: 1, 49: 11}, {49: 6}),
    ),
}


@dataclass
class Row(Times):
    """One operation on one chain by one library."""

    scheme: str
    operation: str
    chain: str
    degree: int
    threads: int
    # "ringlet", or the other library.
    library: str
    # The highest kernel table; empty for the kernels of the environment.
    kernels: str
    job: int
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        parts = [self.scheme, self.operation, self.chain]
        parts += [self.library] if self.library != "ringlet" else []
        parts += [self.kernels] if self.kernels else []
        return "/".join([*parts, f"n={self.degree}", f"threads={self.threads}"])


@dataclass
class Results(Clock):
    """All that one run measured."""

    rows: list[Row]
    profiles: list[dict[str, Any]]  # Where the time of each operation goes, for JSON.
    peer: str  # SEAL's version and build, or why it is missing
    has_peer: bool
    gaps: list[str]


def describe(meter: SchemeMeter) -> dict[str, Any]:
    """Returns the chain and the kernels of a context, for JSON."""
    return {
        "data_primes": meter.data_primes,
        "special_primes": meter.special_primes,
        "data_bits": meter.data_bits,
        "total_bits": meter.total_bits,
        "digits": meter.digit_count,
        "key_bytes": meter.key_bytes,
        "transform_kernels": sorted(set(meter.kernel_names)),
    }


def has_table(name: str) -> bool:
    """True if this machine and the selection allow the table's transforms."""
    return name in available_tables("ntt")


class Case:
    """The jobs of one scheme at one degree."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.stopwatch = Stopwatch()
        self.rows: list[Row] = []
        self.meters: list[Any] = []

    def add(
        self,
        scheme: str,
        degree: int,
        chain: Chain,
        operations: Sequence[str] | None,
        threads: Sequence[int],
        kernels: str = "",
    ) -> None:
        """Checks operations and adds them, for each number of threads."""
        bits = (list(chain.data), list(chain.special))
        meter = SchemeMeter.make(scheme, degree, *bits, kernels)
        names = [o for o in meter.operations() if operations is None or o in operations]
        about = describe(meter)
        for name in names:
            meter.check(name)
        self.meters.append((meter, scheme, degree, chain.name, names, threads, kernels, about))

    def add_peer(self, peer: Peer, scheme: str, degree: int, primes: Sequence[int]) -> None:
        """Adds SEAL's operations on its default primes. SEAL must support the scheme."""
        meter = peer.meter(scheme, degree, primes)
        for name in meter.operations():
            meter.check(name)
            job = len(self.stopwatch)
            self.stopwatch.add_callable(meter.job(name))
            about = {"in_python": meter.in_python(name), "data_primes": list(primes[:-1])}
            row = Row(scheme, name, SEAL, degree, 1, peer.name, "", job, about)
            self.rows.append(row)

    def add_jobs(self) -> None:
        """Adds the jobs in order of their numbers of threads, so that a round changes the number
        only once for each."""
        for count in sorted({t for *_, threads, _, _ in self.meters for t in threads}):
            for meter, scheme, degree, chain, names, threads, kernels, about in self.meters:
                for name in names if count in threads else ():
                    job = meter.add_to(self.stopwatch, name, count)
                    self.rows.append(
                        Row(scheme, name, chain, degree, count, "ringlet", kernels, job, about)
                    )

    def add_transforms(self, degree: int, kernels: str, about: dict[str, Any]) -> None:
        """Adds the transforms of one limb, modulo the last data prime."""
        prime = about["data_primes"][-1]
        for direction in ("forward", "inverse"):
            job = len(self.stopwatch)
            self.stopwatch.add_ntt(
                degree, prime, kernels or selected_kernels(), direction == "forward"
            )
            self.rows.append(
                Row("ntt", direction, about["chain"], degree, 1, "ringlet", kernels, job, about)
            )

    def run(self, rounds: int, seconds: float, quick: bool) -> list[float]:
        """Runs at most `rounds` rounds, and no more after `seconds` seconds. Returns the clock
        during each round in Hz."""
        end = time.monotonic() + seconds
        least = min(rounds, 1 if quick else LEAST_ROUNDS)
        for done in range(rounds):
            if done >= least and time.monotonic() > end:
                break
            self.stopwatch.run(1, BLOCK_US)
        fill(self.stopwatch, [(row, row.job) for row in self.rows])
        return list(self.stopwatch.clock_hz)


@dataclass(frozen=True)
class Plan:
    """The schemes, degrees, numbers of threads and limits of a run."""

    schemes: Sequence[str] = SCHEMES
    degrees: Sequence[int] = DEGREES
    threads: Sequence[int] = THREADS
    rounds: int = ROUNDS
    seconds: float = SECONDS
    is_quick: bool = False


class Measurements:
    """All cases of a run, one after the other."""

    def __init__(self, plan: Plan, peer: Peer | None, missing: str) -> None:
        self.plan = plan
        self.peer = peer
        self.missing = missing
        self.profiles: list[dict[str, Any]] = []

    def _case(self, scheme: str, degree: int) -> Case:
        plan = self.plan
        case = Case(f"{scheme}, N = {degree}")
        own = OWN_CHAINS[degree]
        case.add(scheme, degree, own, None, plan.threads)
        case.add(scheme, degree, Chain(SEAL), None, plan.threads)
        if has_table(NARROW) and scheme != "bgv":
            case.add(scheme, degree, own, ("relinearize",), (1,), NARROW)
        for chain in HYBRID_CHAINS[degree]:
            case.add(scheme, degree, chain, KEY_SWITCHING, plan.threads)
        own_about, seal_about = (case.meters[i][-1] for i in (0, 1))
        if scheme == plan.schemes[0]:  # all schemes have the same primes
            case.add_transforms(degree, "", {**own_about, "chain": OWN})
        if self.peer is not None and self.peer.has(scheme):
            primes = [*seal_about["data_primes"], *seal_about["special_primes"]]
            case.add_peer(self.peer, scheme, degree, primes)
        case.add_jobs()
        return case

    def _hexl_case(self) -> Case:
        """Returns the case of the HEXL paper: the best kernel table against scalar code."""
        case = Case(f"the HEXL paper's setting, N = {HEXL_DEGREE}")
        chain = Chain("hexl", *HEXL_BITS)
        for kernels in dict.fromkeys(("", BASELINE)):
            for scheme in (s for s in ("ckks", "bfv") if s in self.plan.schemes):
                case.add(scheme, HEXL_DEGREE, chain, None, (1,), kernels)
            if case.meters:
                case.add_transforms(HEXL_DEGREE, kernels, {**case.meters[-1][-1], "chain": "hexl"})
        case.add_jobs()
        return case

    def _profile(self, scheme: str, degree: int) -> None:
        own = OWN_CHAINS[degree]
        meter = SchemeMeter.make(scheme, degree, list(own.data), list(own.special), "", True)
        for name in meter.operations():
            found = meter.profile(name, 2 if self.plan.is_quick else _PROFILE_RUNS)
            self.profiles.append(
                {
                    "scheme": scheme,
                    "operation": name,
                    "degree": degree,
                    "time": found.total_ns * 1e-3,
                    "time_unit": "us",
                    "primitives": {k: ns * 1e-3 for k, ns in found.primitives_ns.items()},
                    "forward_transforms": found.forward_transforms,
                    "inverse_transforms": found.inverse_transforms,
                }
            )

    def _cases(self) -> Iterator[tuple[str, int] | None]:
        yield from ((s, n) for n in self.plan.degrees for s in self.plan.schemes)
        if HEXL_DEGREE in self.plan.degrees and {"ckks", "bfv"} & set(self.plan.schemes):
            yield None

    def run(self, console: Console) -> Results:
        """Measures one case after the other. On a terminal, shows a progress bar."""
        plan = self.plan
        rows: list[Row] = []
        clock_hz: list[float] = []
        threads = thread_count()
        cases = list(self._cases())
        try:
            with counted_steps(console) as progress:
                task = progress.add_task("keys", total=len(cases))
                for which in cases:
                    set_thread_count(1)
                    case = self._hexl_case() if which is None else self._case(*which)
                    progress.update(task, description=case.title)
                    clock_hz += case.run(plan.rounds, plan.seconds, plan.is_quick)
                    rows += case.rows
                    del case  # frees its keys before the next case makes its own
                    if which is not None:
                        set_thread_count(1)
                        self._profile(*which)
                    progress.advance(task)
        finally:
            set_thread_count(threads)
        gaps = [] if has_table(NARROW) else [f"{NARROW}: not on this machine, or not selected"]
        if self.peer is None:
            gaps.append(self.missing)
        elif "bgv" in plan.schemes and not self.peer.has("bgv"):
            gaps.append("bgv beside SEAL: TenSEAL's interface to SEAL has no BGV")
        version = self.missing if self.peer is None else self.peer.version
        has_peer = self.peer is not None
        return Results(
            rows, self.profiles, version, has_peer, gaps, clock_hz=clock_hz, rounds=plan.rounds
        )
