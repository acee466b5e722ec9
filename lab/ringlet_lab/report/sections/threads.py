# SPDX-License-Identifier: Apache-2.0
"""Section on scaling over threads: transforms of an RNS polynomial, and operations of the schemes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from ringlet import RnsNtt, generate_ntt_primes

from ..._lab import SchemeMeter, Stopwatch
from ...bench.schemes import OWN_CHAINS
from ...threads import set_thread_count
from ..machine import available_threads
from ..model import Axis, Chart, Point, Section, Series
from ..points import ratio_point, time_point
from ..setting import Setting
from . import TITLES

DEGREE = 8192
PRIMES = 16
BITS = 49
OPERATION = "multiply_relinearize"
SCHEMES = ("ckks", "bfv")
QUICK_ROUNDS, ROUNDS = 30, 150
_BLOCK_US = 2000.0
_MOST = 256


@dataclass(frozen=True)
class Scaling:
    """One operation, with nanoseconds by the number of threads."""

    name: str
    times_ns: dict[int, Sequence[float]]


def thread_counts(most: int) -> list[int]:
    """Returns all numbers up to 8, then powers of two, and the largest number."""
    most = min(most, _MOST)
    small = range(1, min(most, 8) + 1)
    powers = [1 << k for k in range(4, 9) if (1 << k) < most]
    return sorted({*small, *powers, most})


def _transform_job(count: int) -> Callable[[int], None]:
    rns = RnsNtt(DEGREE, generate_ntt_primes(BITS, DEGREE, PRIMES))
    values = np.ones((PRIMES, DEGREE), dtype=np.uint64)

    def run(repetitions: int) -> None:
        set_thread_count(count)
        for _ in range(repetitions):
            rns.forward(values, out=values)

    return run


def measure_scaling(counts: Sequence[int], rounds: int, setting: Setting) -> list[Scaling]:
    """Measures all operations at all numbers of threads, in turn. Afterwards the thread count is
    that of the last measurement."""
    stopwatch = Stopwatch()
    jobs: dict[str, dict[int, int]] = {}
    chain = OWN_CHAINS[DEGREE]
    set_thread_count(1)
    meters = {
        scheme: SchemeMeter.make(scheme, DEGREE, list(chain.data), list(chain.special))
        for scheme in SCHEMES
    }
    for scheme, meter in meters.items():
        meter.check(OPERATION)
        name = f"{scheme.upper()} multiply, relinearize"
        jobs[name] = {count: meter.add_to(stopwatch, OPERATION, count) for count in counts}
    name = f"RNS transform, {PRIMES} primes"
    jobs[name] = {}
    for count in counts:
        jobs[name][count] = len(stopwatch)
        stopwatch.add_callable(_transform_job(count))
    for _ in range(rounds):
        stopwatch.run(1, _BLOCK_US)
        setting.steps.advance()
    return [
        Scaling(name, {count: stopwatch.times_ns(job) for count, job in own.items()})
        for name, own in jobs.items()
    ]


def _charts(found: list[Scaling], counts: list[int]) -> tuple[Chart, Chart]:
    x = Axis("threads", scale="linear" if counts[-1] <= 8 else "log2")
    ideal = Series("ideal", tuple(Point(n, float(n)) for n in counts), "bound")
    ratios = [
        Series(s.name, tuple(ratio_point(n, s.times_ns[1], s.times_ns[n]) for n in counts))
        for s in found
    ]
    times = [
        Series(s.name, tuple(time_point(n, s.times_ns[n], 1e-6) for n in counts)) for s in found
    ]
    caption = (
        f"N = {DEGREE}; limbs and polynomials of one call are shared out; every number of threads "
        "gives the same bits. Minimum of interleaved rounds."
    )
    speed_up = Axis("speed-up", "×", x.scale)
    return (
        Chart("threads-scaling", "Speed-up over one thread", caption, "lines", x, speed_up,
              (*ratios, ideal), is_lower_better=False),
        Chart("threads-time", "Time by threads", caption, "lines", x,
              Axis("time", "ms", "log10"), tuple(times)),
    )  # fmt: skip


def measure(setting: Setting) -> Section:
    """Measures from one thread up to the number that this process may use."""
    counts = thread_counts(available_threads())
    rounds = QUICK_ROUNDS if setting.quick else ROUNDS
    summary = "How much faster a call is on several threads of this machine."
    if len(counts) == 1:
        missing = (
            "This process may use one thread of the processor: there is no scaling to measure."
        )
        return Section("threads", TITLES["threads"], summary, (), (missing,))
    setting.steps.begin("threads", rounds)
    found = measure_scaling(counts, rounds, setting)
    settings = {"degrees": [DEGREE], "threads": counts, "rounds": rounds}
    charts = _charts(found, counts)
    return Section("threads", TITLES["threads"], summary, charts, (), settings)
