# SPDX-License-Identifier: Apache-2.0
"""Section on element-wise operations: the speed-up by instruction sets over the portable code of
the same library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ringlet import generate_ntt_primes
from ringlet.errors import InvalidArgument

from ..._lab import Stopwatch, kernel_catalog
from ...bench.kernels import available_tables
from ..model import Chart, Section, Series
from ..points import ratio_point, speed_up_bars
from ..setting import Setting
from . import TITLES

BASELINE = "scalar64"
LENGTH = 4096
BITS = (50, 60)
QUICK_ROUNDS, ROUNDS = 60, 200
_BLOCK_US = 200.0
# Operations that receive the range of their operands, as a multiple of q.
_FACTORS = {"reduce_range": 2}


@dataclass(frozen=True)
class Timed:
    """One operation by one kernel table: the kernel that ran, and nanoseconds per call."""

    operation: str
    table: str
    kernel: str
    times_ns: Sequence[float]


def eltwise_operations() -> list[str]:
    """Returns the operations of Eltwise, in the order of the catalog."""
    probe = Stopwatch()
    found = []
    for operation in dict.fromkeys(k.operation for k in kernel_catalog()):
        try:
            probe.add_eltwise(operation, 64, 97, BASELINE, _FACTORS.get(operation, 1))
        except InvalidArgument:
            continue  # transforms, and kernels inside of other operations
        found.append(operation)
    return found


def measure_eltwise(bits: int, length: int, rounds: int) -> list[Timed]:
    """Measures all operations by all kernel tables, in turn."""
    modulus = generate_ntt_primes(bits, LENGTH, 1)[0]
    stopwatch = Stopwatch()
    jobs = []
    for operation in eltwise_operations():
        for table in available_tables("multiply"):
            factor = _FACTORS.get(operation, 1)
            kernel = stopwatch.add_eltwise(operation, length, modulus, table, factor)
            jobs.append((operation, table, kernel))
    stopwatch.run(rounds, _BLOCK_US)
    return [Timed(*job, stopwatch.times_ns(index)) for index, job in enumerate(jobs)]


def _eltwise_chart(bits: int, timed: Sequence[Timed]) -> Chart:
    baseline = {t.operation: t.times_ns for t in timed if t.table == BASELINE}
    tables = [table for table in dict.fromkeys(t.table for t in timed) if table != BASELINE]
    series = tuple(
        Series(
            table,
            tuple(
                ratio_point(t.operation, baseline[t.operation], t.times_ns)
                for t in timed
                if t.table == table
            ),
        )
        for table in tables
    )
    return speed_up_bars(
        f"operations-eltwise-{bits}",
        f"Element-wise operations over portable code, {bits}-bit modulus",
        f"Vectors of {LENGTH} words in the caches, one core; each table with the kernel that it "
        f"chooses, against {BASELINE} in the same interleaved rounds. Ratio of the minima.",
        "operation",
        series,
    )


def measure(setting: Setting) -> Section:
    """Measures element-wise operations modulo primes of two widths."""
    rounds = QUICK_ROUNDS if setting.quick else ROUNDS
    setting.steps.begin("operations", len(BITS))
    charts = []
    missing: tuple[str, ...] = ()
    if available_tables("multiply") == [BASELINE]:
        missing = (
            f"Speed-ups: this machine, or the selection in force, has no kernels but {BASELINE}.",
        )
    for bits in BITS:
        if not missing:
            charts.append(_eltwise_chart(bits, measure_eltwise(bits, LENGTH, rounds)))
        setting.steps.advance()
    summary = "How many times as fast as portable C++ of the same library, bit for bit the same."
    settings = {"length": LENGTH, "bits": list(BITS), "rounds": rounds}
    return Section("operations", TITLES["operations"], summary, tuple(charts), missing, settings)
